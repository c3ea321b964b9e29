"""`stepfast doctor`: versions, where things are, and whether the file and its backups are whole."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from stepfast.errors import Damaged, StepfastError
from stepfast.sqlite.care.doctor import Kept, examine, examine_backups, set_aside
from stepfast_desktop.viewmodels.trouble import checkup

from .console import Console
from .contract import Exit
from .show import columns_of, indented
from .words import Program

__all__ = ["report"]


async def report(path: Path, definitions: Sequence[str], console: Console, program: Program) -> Exit:
    """Print what somebody who is to help would ask for. `definitions` are the names this program has."""
    # First what needs no file: where the file cannot be read, that is half of the answer.
    _section(console, "PROGRAM", columns_of(checkup.versions(definitions)))
    _section(console, "FILES", columns_of(checkup.places(path)))
    there = checkup.nearest(path)
    if not os.access(there, os.W_OK):
        console.out(f"NOT WELL: {there} cannot be written to; mend its permissions, or use another folder")
        return Exit.FAILED
    backups = await examine_backups(path)
    if backups:
        _section(console, "BACKUPS", columns_of(checkup.backups(backups)))
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
    _section(console, "STORE", columns_of(checkup.store(found)))
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


def _section(console: Console, title: str, lines: Sequence[str]) -> None:
    console.out("\n".join([title, *indented(lines), ""]))
