"""The floor: what one thread can do that commits single rows and does nothing else."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from measuring.timing import timed

__all__ = ["Raw", "Round", "measured"]


class Raw:
    """Single rows committed in a row (WAL, synchronous=FULL), in a file of its own."""

    def __init__(self, folder: Path, commits: int) -> None:
        self._commits = commits
        self._connection = sqlite3.connect(folder / "raw.db", isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE IF NOT EXISTS rows (key INTEGER PRIMARY KEY, value TEXT)")

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def seconds_per_commit(self) -> float:
        began = time.perf_counter()
        for _ in range(self._commits):
            self._connection.execute("INSERT INTO rows (value) VALUES ('1234567890123456')")
        return (time.perf_counter() - began) / self._commits

    def seconds_of_two(self, pause: float, count: int) -> list[float]:
        """Seconds of two commits in a row, `count` times, each after a pause in which the disk is idle."""
        took = []
        for _ in range(count):
            time.sleep(pause)
            began = time.perf_counter()
            for _ in range(2):
                self._connection.execute("INSERT INTO rows (value) VALUES ('1234567890123456')")
            took.append(time.perf_counter() - began)
        return took


@dataclass(frozen=True)
class Round:
    """One measurement in seconds a unit, and the raw commit as measured right before and after it."""

    seconds: float
    raw: float
    cpu: float = 0.0


async def measured(raw: Raw, work: Callable[[], Awaitable[int]]) -> Round:
    """Do some work between two looks at the floor; `work` returns how many units it did."""
    before = raw.seconds_per_commit()
    took = await timed(work)
    return Round(took.seconds, (before + raw.seconds_per_commit()) / 2, took.cpu)
