"""Readers that do not end, so that the write-ahead log can be neither copied nor let go; and whose they are.

A reader holds a read lock on one of the bytes 123 to 127 of the `-shm` file
(https://sqlite.org/walformat.html#wal_locks), and Linux lists all locks in /proc/locks: proc(5). The file is
only looked at, never opened: closing it would drop all of this process's own locks on it.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from stepfast.health import Health
from stepfast.sqlite.opened import is_being_copied
from stepfast.sqlite.snapshots import Snapshots

__all__ = ["OldReader", "Reader", "name_of", "readers"]

LOCKS = Path("/proc/locks")
FIRST_BYTE, LAST_BYTE = 123, 127
LONGEST_NAME = 60

# 12: POSIX  ADVISORY  READ 5838 fe:00:2203770 123 123
LINE = re.compile(r"POSIX +\w+ +READ +(-?\d+) +[0-9a-f]+:[0-9a-f]+:(\d+) +(\d+) +(\d+|EOF)$")


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


@dataclass(frozen=True, slots=True)
class Reader:
    """A process, and one of the read marks it holds."""

    process: int
    mark: int


def _others(found: Iterable[Reader]) -> set[int]:
    return {each.process for each in found} - {os.getpid()}


def readers(database: Path) -> frozenset[Reader]:
    """Those who read now, in this process too; none where that cannot be told."""
    try:
        inode = database.with_name(database.name + "-shm").stat().st_ino
        lines = LOCKS.read_text("ascii").splitlines()
    except (OSError, ValueError):
        return frozenset()
    found = set()
    for line in lines:
        match = LINE.search(line)
        # By the inode alone: some file systems show another device here than stat(2) does.
        if match is None or int(match[2]) != inode:
            continue
        first, last = int(match[3]), LAST_BYTE if match[4] == "EOF" else int(match[4])
        for byte in range(max(first, FIRST_BYTE), min(last, LAST_BYTE) + 1):
            found.add(Reader(int(match[1]), byte - FIRST_BYTE))
    return frozenset(found)


def name_of(process: int) -> str:
    """ "python3 report.py (process 1234)"."""
    if process <= 0:
        return "a process in another container"
    folder = Path("/proc", str(process))
    words: list[str] = []
    with contextlib.suppress(OSError):
        words = os.fsdecode((folder / "cmdline").read_bytes()).split("\0")
    if words and words[0]:
        words[0] = os.path.basename(words[0])
        name = " ".join(" ".join(words).split())
    else:
        name = "?"
        with contextlib.suppress(OSError):
            name = os.fsdecode((folder / "comm").read_bytes()).strip()
    if len(name) > LONGEST_NAME:
        name = name[: LONGEST_NAME - 3] + "..."
    return f"{name.encode('utf-8', 'replace').decode()} (process {process})"
