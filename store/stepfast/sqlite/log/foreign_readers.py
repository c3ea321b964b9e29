"""Readers that do not end, so that the write-ahead log can be neither copied nor let go; and whose they are.

A reader holds a read lock on one of the bytes 123 to 127 of the `-shm` file
(https://sqlite.org/walformat.html#wal_locks).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from stepfast.health import Health
from stepfast.sqlite.file.opened import is_being_copied
from stepfast.sqlite.reading.snapshots import Snapshots

__all__ = ["OldReader", "Reader", "readers"]

FIRST_BYTE, LAST_BYTE = 123, 127


class OldReader:
    """Notices, from one try to copy the log to the next, that it is the same reader that is in the way.

    Args:
        path: the database.
        health: where it is reported, as "old-reader".
        snapshots: the read transactions of this engine, which are short, or a query of a user's.
        seconds: for how long it has to be in the way.
        seconds_if_large: for how long, where the log is large.
    """

    def __init__(
        self, path: Path, health: Health, snapshots: Snapshots, seconds: float, seconds_if_large: float
    ) -> None:
        self._path = path
        self._health = health
        self._snapshots = snapshots
        self._seconds = seconds
        self._seconds_if_large = seconds_if_large
        self._copied: int | None = None
        self._since = 0.0
        self._began = ""
        self._suspects: frozenset[Reader] = frozenset()
        self._names: dict[int, str] = {}

    def seen(self, copied: int, *, large: bool) -> None:
        """No more than `copied` pages could be copied."""
        now = time.monotonic()
        reading = readers(self._path)
        if copied != self._copied:
            # So whoever was in the way is not any more: readers come and go.
            self._copied, self._since, self._suspects = copied, now, reading
            self._began = datetime.fromtimestamp(time.time(), UTC).astimezone().strftime("%Y-%m-%d %H:%M")
            return
        before = self._suspects
        self._suspects &= reading
        if _others(before) and not _others(self._suspects):
            return  # gone, just now
        old = now - self._since >= (self._seconds_if_large if large else self._seconds)
        if old and not is_being_copied(self._path) and (message := self._message(now)):
            self._health.report("old-reader", message, stops_work=False)

    def gone(self) -> None:
        """All could be copied."""
        self._copied = None
        self._names.clear()
        self._health.clear("old-reader")

    def _message(self, now: float) -> str | None:
        oldest = self._snapshots.oldest
        if others := _others(self._suspects):
            from stepfast.sqlite.log.lock_holders import name_of

            # As they were called when they were first seen: one that is ending has no arguments any more.
            names = [self._names.setdefault(each, name_of(each)) for each in sorted(others)]
            who, remedy = " and ".join(names), "close it, or end its transaction"
        elif oldest is not None and oldest >= now - self._since:
            who, remedy = "a query of this program's own (run.query)", "let it read less at once"
        elif not self._suspects:
            who, remedy = "another program", "find it and close it"
        elif oldest is None:
            who = f"this program itself (process {os.getpid()}), on a connection that is not Stepfast's,"
            remedy = "end its transaction"
        else:
            return None  # a read of the engine's own is under way just now, and hides who it is
        return (
            f"{who} has been reading an old state of {self._path} since {self._began}, so the write-ahead "
            f"log beside it cannot be let go and grows; {remedy}"
        )


class Reader(NamedTuple):
    """A process, and one of the read marks it holds."""

    process: int
    mark: int


def _others(found: Iterable[Reader]) -> set[int]:
    return {each.process for each in found} - {os.getpid()}


def readers(database: Path) -> frozenset[Reader]:
    """Those who read now, in this process too; none where that cannot be told."""
    from stepfast.sqlite.log.lock_holders import locks_on

    return frozenset(
        Reader(held.process, byte - FIRST_BYTE)
        for held in locks_on(database)
        if held.kind == "READ"
        for byte in range(max(held.first, FIRST_BYTE), min(held.last, LAST_BYTE) + 1)
    )
