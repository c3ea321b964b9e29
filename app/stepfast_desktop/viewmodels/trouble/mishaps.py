"""What went wrong in the program itself, shown above the table: each kind of exception once, a crash once."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from stepfast_desktop.viewmodels.format import time_text
from stepfast_desktop.viewmodels.notices import Notice, Notices
from stepfast_desktop.viewmodels.words import translate

__all__ = ["Crash", "Desktop", "Mishap", "Mishaps"]

MOST_SHOWN = 3


class Desktop(Protocol):
    """What is asked of the desktop that the window is on."""

    def copy(self, text: str) -> None:
        """Put a text on the clipboard."""

    def open(self, path: Path) -> None:
        """Open a file, or a folder, in the program that is for it."""


@dataclass(frozen=True, slots=True)
class Mishap:
    """An exception that nobody handled.

    Attributes:
        kind: equal for those of one class that were raised at one place.
        summary: its class and message.
        details: versions and traceback, for a report.
    """

    kind: str
    summary: str
    details: str

    @classmethod
    def of(cls, error: BaseException, where: str, about: str) -> Mishap:
        """`where` says what it came from, `about` which program this is."""
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
        summary = "".join(traceback.format_exception_only(error)).strip()
        trace = "".join(traceback.format_exception(error))
        details = "\n".join(filter(None, [about, where, trace]))
        return cls(f"{type(error).__qualname__} {place}", summary, details)


@dataclass(frozen=True, slots=True)
class Crash:
    """What the program left when it died: the file, when that was, and what is in it."""

    file: Path
    at: datetime
    text: str


class Mishaps:
    """Shows them as notices.

    Args:
        log: the log file.
    """

    def __init__(self, notices: Notices, desktop: Desktop, log: Path) -> None:
        self._notices = notices
        self._desktop = desktop
        self._log = log
        self._shown = 0

    def happened(self, mishap: Mishap) -> None:
        """Say that something went wrong. After a few nothing more is said: it is all in the log."""
        self._shown += 1
        if self._shown > MOST_SHOWN:
            return
        text = translate("Mishaps", "Something went wrong in Stepfast; your workflows go on. {error}")
        first = mishap.summary.partition("\n")[0]
        self._notices.show(
            Notice(
                f"mishap {mishap.kind}",
                text.format(error=first[:200]),
                (
                    (translate("Mishaps", "Copy details"), lambda: self._desktop.copy(mishap.details)),
                    (translate("Mishaps", "Open the log"), lambda: self._desktop.open(self._log)),
                ),
                severity="warning",
            )
        )

    def crashed(self, crash: Crash, now: datetime) -> None:
        """Say that the program crashed the last time."""
        text = translate(
            "Mishaps", "Stepfast crashed {time}. What was running carries on from its last finished step."
        )
        self._notices.show(
            Notice(
                "crash",
                text.format(time=time_text(crash.at, now)),
                (
                    (translate("Mishaps", "Copy details"), lambda: self._desktop.copy(crash.text)),
                    (translate("Mishaps", "Show file"), lambda: self._desktop.open(crash.file)),
                ),
                severity="warning",
            )
        )
