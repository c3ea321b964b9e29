"""`stepfast doctor`: versions, where things are, and whether the file and its backups are whole."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from stepfast.errors import Damaged, StepfastError
from stepfast.sqlite.backups import local
from stepfast.sqlite.doctor import Examination, Kept, examine, examine_backups, set_aside
from stepfast.state import STATES

from .console import Console
from .contract import Exit
from .show import columns_of, indented
from .words import Program, count_of, size_of

__all__ = ["report"]


async def report(path: Path, definitions: Sequence[str], console: Console, program: Program) -> Exit:
    """Print what somebody who is to help would ask for. `definitions` are the names this program has."""
    # First what needs no file: where the file cannot be read, that is half of the answer.
    _section(console, "PROGRAM", columns_of(_versions(definitions)))
    _section(console, "FILES", columns_of(_places(path)))
    there = _nearest(path)
    if not os.access(there, os.W_OK):
        console.out(f"NOT WELL: {there} cannot be written to; mend its permissions, or use another folder")
        return Exit.FAILED
    backups = await examine_backups(path)
    if backups:
        _section(console, "BACKUPS", columns_of(_backups(backups)))
    if aside := set_aside(path):
        _section(console, "SET ASIDE", list(map(str, aside)))
    if there != path:
        console.out("The file will be made when the first workflow is started.")
        if backups:
            console.out(
                f"There are backups of one that is gone; put one back by: {program.command('restore')}"
            )
        return Exit.DONE
    try:
        found = await examine(path)
    except StepfastError as error:
        console.out(f"NOT WELL: {error}")
        if isinstance(error, Damaged):
            _say_what_to_do(console, backups, program)
        return Exit.FAILED
    _section(console, "STORE", columns_of(_store(found)))
    if found.integrity:
        _section(console, "NOT WELL: the file is damaged", found.integrity)
        _say_what_to_do(console, backups, program)
        return Exit.FAILED
    if found.schema_version > found.known_schema:
        console.out("NOT WELL: the file belongs to a newer Stepfast; use that one")
        return Exit.FAILED
    console.out("All is well.")
    return Exit.DONE


def _say_what_to_do(console: Console, backups: Sequence[Kept], program: Program) -> None:
    if any(each.workflows is not None for each in backups):
        console.out(
            "Close every window and worker, then put the last good backup in its place; it is set aside:"
        )
        console.out(f"    {program.command('restore')}")
    else:
        console.out(
            "There is no good backup. Copy the file away, with what lies beside it; the program `sqlite3` "
            "can read what is left of it (.recover). Move it away to begin anew."
        )


def _backups(backups: Sequence[Kept]) -> list[tuple[str, str]]:
    return [
        (
            local(each.made_at),
            "damaged itself"
            if each.workflows is None
            else f"{count_of(each.workflows, 'workflow')}, {size_of(each.size)}",
        )
        for each in backups
    ] + [("in", str(backups[0].path.parent))]


def _section(console: Console, title: str, lines: Sequence[str]) -> None:
    console.out("\n".join([title, *indented(lines), ""]))


def _versions(definitions: Sequence[str]) -> list[tuple[str, str]]:
    return [
        ("Stepfast", _version("stepfast") or "not installed; it runs from its source"),
        ("Python", f"{platform.python_version()}  {sys.executable}"),
        ("SQLite", sqlite3.sqlite_version),
        # Asked of the installation: importing it would need a system that can show a window.
        ("PySide6", _version("PySide6_Essentials") or "not installed; only the window needs it"),
        ("system", platform.platform()),
        ("workflows", ", ".join(definitions) or "none"),
    ]


def _places(path: Path) -> list[tuple[str, str]]:
    folder = path.parent
    rows = [("data folder", str(folder)), ("file", str(path))]
    sizes = [(label, _size(Path(f"{path}{suffix}"))) for label, suffix in (("size", ""), ("journal", "-wal"))]
    rows += [(label, size_of(size)) for label, size in sizes if size is not None]
    rows.append(("free there", size_of(shutil.disk_usage(_nearest(folder)).free)))
    if "STEPFAST_DATA" in os.environ:
        rows.append(("STEPFAST_DATA", os.environ["STEPFAST_DATA"]))
    return rows


def _store(found: Examination) -> list[tuple[str, str]]:
    counts = ", ".join(
        f"{found.workflows[state]:,} {state}" for state in STATES if found.workflows.get(state)
    )
    schema = str(found.schema_version)
    if found.schema_version != found.known_schema:
        schema += f"; this program's own is {found.known_schema}"
    rows = [
        ("schema", schema),
        ("workflows", counts or "none"),
        ("owners", found.owners[0] if found.owners else "none"),
        *(("", owner) for owner in found.owners[1:]),
    ]
    broken = count_of(len(found.integrity), "fault") if found.integrity else "good"
    return [*rows, ("integrity", broken)]


def _nearest(path: Path) -> Path:
    """The path, or as much of it as there is: on a first launch the data folder is still to be made."""
    return next(each for each in (path, *path.absolute().parents) if each.exists())


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
