"""What is wrong with the store at this moment, as a state: said while it lasts, gone when it is over."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

__all__ = ["KINDS", "Condition", "Disk", "Health"]

logger = logging.getLogger("stepfast")

KINDS = {
    "full": "the disk is full",
    "read-only": "the file, its folder or the disk cannot be written",
    "locked": "another program holds the write lock",
    "gone": "the file was moved, deleted or replaced while it was open",
    "damaged": "pages of the file are not what SQLite wrote",
    "failing": "the disk reports errors",
    "newer": "a newer Stepfast has migrated the file",
    "uncopied": "the write-ahead log is not copied into the file any more, after an error of the disk",
    "no-backup": "no automatic backup can be made",
    "old-reader": "another program reads an old state, so the write-ahead log cannot be let go",
}


class Disk(NamedTuple):
    """A disk, by where it is mounted (a drive, on Windows), and how many bytes were free on it when it was
    looked at; None where that cannot be told.
    """

    mount: str
    free: int | None


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that is wrong. `kind` is one of `KINDS`; `message` says what it is and what to do.

    `stops_work`: while it lasts, the engine takes no work; it goes on by itself once the cause is gone.
    `disk`: the one that is full.
    """

    kind: str
    message: str
    stops_work: bool
    since: datetime
    disk: Disk | None = None


class Health:
    """The conditions of one open store. May be told, and asked, on any thread.

    It logs each once when it comes and once when it goes.

    Args:
        time: seconds since the epoch, for `since`.
        changed: called, on the thread that told, whenever a condition came, went or says something else.
    """

    def __init__(self, time: Callable[[], float], changed: Callable[[], None]) -> None:
        self._time = time
        self._changed = changed
        self._conditions: dict[str, Condition] = {}
        self._lock = threading.Lock()
        self.stops_work = False
        """Is there a condition with which no work is taken? An attribute, since each commit asks."""

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """What is wrong now, those that stop work first; empty where all is well."""
        return tuple(sorted(self._conditions.values(), key=lambda each: (not each.stops_work, each.since)))

    def has(self, *kinds: str) -> bool:
        """Is one of these the case?"""
        return any(kind in self._conditions for kind in kinds)

    def report(self, kind: str, message: str, *, stops_work: bool, disk: Disk | None = None) -> None:
        """`kind` is the case; told again with the same message, nothing changes."""
        assert kind in KINDS, kind
        with self._lock:
            there = self._conditions.get(kind)
            since = there.since if there else datetime.fromtimestamp(self._time(), UTC)
            now = Condition(kind, message, stops_work, since, disk)
            if there == now:
                return
            self._become({**self._conditions, kind: now})
        if there is None:
            level, until = (logging.ERROR, "; no work until then") if stops_work else (logging.WARNING, "")
            logger.log(level, "%s%s", message, until)
        self._changed()

    def clear(self, *kinds: str) -> None:
        """These are over; all that stop work, where none is named."""
        with self._lock:
            over = kinds or [each.kind for each in self._conditions.values() if each.stops_work]
            gone = [each for each in self._conditions.values() if each.kind in over]
            if not gone:
                return
            self._become({kind: each for kind, each in self._conditions.items() if kind not in over})
        for each in gone:
            logger.warning("it is over that %s%s", KINDS[each.kind], "; going on" if each.stops_work else "")
        self._changed()

    def _become(self, conditions: dict[str, Condition]) -> None:
        # Replaced, never changed: whoever iterates on another thread has the old one whole.
        self._conditions = conditions
        self.stops_work = any(each.stops_work for each in conditions.values())
