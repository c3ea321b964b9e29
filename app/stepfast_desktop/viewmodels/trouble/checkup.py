"""What somebody who is to help would ask for: versions, where things are, what is in the file.

`stepfast doctor` and the window's diagnostics both show it.
"""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from stepfast.sqlite.care.backups import local
from stepfast.sqlite.care.doctor import Examination, Kept
from stepfast.state import STATES
from stepfast_desktop.viewmodels.format import number_text, size_text
from stepfast_desktop.viewmodels.words import listed, translate

__all__ = ["Fact", "backups", "nearest", "places", "store", "version_of", "versions"]


class Fact(NamedTuple):
    """A line of it; one without a label goes on with the line before."""

    label: str
    text: str


def versions(definitions: Iterable[str]) -> list[Fact]:
    """The program and what is underneath. `definitions` are the names of what it can run."""
    return [
        Fact(
            "Stepfast",
            version_of("stepfast") or translate("Checkup", "not installed; it runs from its source"),
        ),
        Fact("Python", f"{platform.python_version()}  {sys.executable}"),
        Fact("SQLite", sqlite3.sqlite_version),
        # Asked of the installation: importing it would need a system that can show a window.
        Fact(
            "PySide6",
            version_of("PySide6_Essentials")
            or translate("Checkup", "not installed; only the window needs it"),
        ),
        Fact(translate("Checkup", "system"), platform.platform()),
        Fact(translate("Checkup", "workflows"), listed(definitions) or translate("Checkup", "none")),
    ]


def places(path: Path) -> list[Fact]:
    """Where the file is, how large, and how much room there is. It looks at the disk."""
    folder = path.parent
    rows = [
        Fact(translate("Checkup", "data folder"), str(folder)),
        Fact(translate("Checkup", "file"), str(path)),
    ]
    for label, place in (
        (translate("Checkup", "size"), path),
        (translate("Checkup", "journal"), Path(f"{path}-wal")),
    ):
        try:
            rows.append(Fact(label, size_text(place.stat().st_size)))
        except OSError:
            pass  # not there, which is told where it matters
    rows.append(Fact(translate("Checkup", "free there"), size_text(shutil.disk_usage(nearest(folder)).free)))
    if "STEPFAST_DATA" in os.environ:
        rows.append(Fact("STEPFAST_DATA", os.environ["STEPFAST_DATA"]))
    return rows


def store(found: Examination) -> list[Fact]:
    """What is in the file."""
    counts = listed(
        translate("Checkup", "{count} {state}").format(
            count=number_text(found.workflows[state]), state=_state_words(state)
        )
        for state in STATES
        if found.workflows.get(state)
    )
    schema = str(found.schema_version)
    if found.schema_version != found.known_schema:
        schema = translate("Checkup", "{there}; this program's own is {own}").format(
            there=schema, own=found.known_schema
        )
    none = translate("Checkup", "none")
    rows = [
        Fact(translate("Checkup", "schema"), schema),
        Fact(translate("Checkup", "workflows"), counts or none),
        Fact(translate("Checkup", "owners"), found.owners[0] if found.owners else none),
        *(Fact("", owner) for owner in found.owners[1:]),
    ]
    faults = len(found.integrity)
    broken = translate("Checkup", "%n fault(s)", None, faults) if faults else translate("Checkup", "good")
    return [*rows, Fact(translate("Checkup", "integrity"), broken)]


def _state_words(state: str) -> str:
    words = {
        "queued": translate("Checkup", "queued"),
        "running": translate("Checkup", "running"),
        "sleeping": translate("Checkup", "sleeping"),
        "waiting": translate("Checkup", "waiting"),
        "paused": translate("Checkup", "paused"),
        "blocked": translate("Checkup", "blocked"),
        "completed": translate("Checkup", "completed"),
        "failed": translate("Checkup", "failed"),
        "cancelled": translate("Checkup", "cancelled"),
    }
    return words.get(state, state)


def backups(found: Sequence[Kept]) -> list[Fact]:
    """The backups there are, the newest first, and where they are."""
    if not found:
        return []
    return [Fact(local(each.made_at), _backup(each)) for each in found] + [
        Fact(translate("Checkup", "in"), str(found[0].path.parent))
    ]


def _backup(each: Kept) -> str:
    if each.workflows is None:
        return translate("Checkup", "damaged itself")
    workflows = translate("Checkup", "%n workflow(s)", None, each.workflows)
    return listed([workflows, size_text(each.size)])


def nearest(path: Path) -> Path:
    """The path, or as much of it as there is: on a first launch the data folder is still to be made."""
    return next(each for each in (path, *path.absolute().parents) if each.exists())


def version_of(package: str) -> str | None:
    """The version that is installed, None where it is not."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
