"""A window in which everything can be looked at and nothing done: what it says of itself, and why."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from stepfast_desktop.viewmodels.format import exact_time_text, readable
from stepfast_desktop.viewmodels.words import translate

__all__ = ["beside_a_frozen_one", "hint", "of_a_copy"]


def hint() -> str:
    """Why a button can do nothing there."""
    return translate("ReadOnly", "This window is read-only: nothing is started or changed in it")


def beside_a_frozen_one() -> str:
    """What stands above the table where another window has the folder, and does not answer."""
    return translate(
        "Window",
        "Read-only: another Stepfast has this folder open and does not answer. Nothing is started or changed "
        "here.",
    )


def of_a_copy(file: Path, now: datetime) -> str:
    """What stands above the table where the file cannot be written, so that a copy of it is shown."""
    text = translate(
        "ReadOnly",
        "Read-only: {file} cannot be written. What you see is as it was {time}; nothing is started or "
        "changed here. Give yourself permission to write there, or mount the disk for writing, and start "
        "Stepfast again.",
    )
    return text.format(file=readable(str(file)), time=exact_time_text(now, now))
