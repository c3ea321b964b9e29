"""The write-ahead log: when it is copied into the file, and how, so that it neither grows nor breaks.

The WAL grows until it is checkpointed, and that is done here alone, explicitly, while a second connection
holds the write lock: no commit of anybody's can fall into it, which keeps the file safe from the WAL-reset
race of SQLite 3.7.0 to 3.51.2 (https://sqlite.org/wal.html#walresetbug), and PASSIVE waits for no reader.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

from stepfast.errors import StoreError
from stepfast.sqlite.opening import WAL_KEPT

__all__ = ["Wal"]

CHECKPOINT_PAGES = 1000


class Wal:
    """The WAL of one file, as the thread of its writer sees it.

    Args:
        path: the database.
        open_connection: makes a write connection.
    """

    def __init__(self, path: Path, open_connection: Callable[[], sqlite3.Connection]) -> None:
        self._open = open_connection
        self._file = path.with_name(path.name + "-wal")
        self._unwritten_pages = 0.0
        self._pages_per_statement = 2.0
        self._size = 0
        self._locker: sqlite3.Connection | None = None

    def written(self, calls: int) -> None:
        """So many calls were committed."""
        self._unwritten_pages += 1 + self._pages_per_statement * calls

    @property
    def holds_something(self) -> bool:
        """Is there anything to be copied, as far as this writer knows?"""
        return self._unwritten_pages > 0

    @property
    def due(self) -> bool:
        """Is it time for a checkpoint, whoever waits?"""
        return self._unwritten_pages >= CHECKPOINT_PAGES or self._has_grown()

    def checkpoint(self, connection: sqlite3.Connection | None) -> None:
        """Copy the WAL into the file under another connection's write lock, unless somebody writes now."""
        if connection is None or not (self.holds_something or self._has_grown()):
            return
        try:
            if self._locker is None:
                self._locker = self._open()
                self._locker.execute("PRAGMA busy_timeout = 0")
            self._locker.execute("BEGIN IMMEDIATE")
        except (sqlite3.Error, StoreError):
            self._put_off()  # somebody writes at this moment, or no connection is to be had
            return
        try:
            _busy, pages, copied = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except sqlite3.Error:
            self._put_off()  # what is not copied stays in the WAL, safe; the next commit says what is wrong
            return
        finally:
            self._locker.execute("ROLLBACK")
        if copied != pages:
            self._put_off()  # a reader's snapshot holds back the rest
            return
        # How many pages a statement dirties depends on the workload, so it is learned from what was there.
        if self._unwritten_pages:
            learned = self._pages_per_statement * pages / self._unwritten_pages
            self._pages_per_statement = min(16.0, max(0.5, learned))
        self._unwritten_pages = 0.0
        self._note_size()

    def close(self) -> None:
        if self._locker is not None:
            self._locker.close()

    def _has_grown(self) -> bool:
        """Is the WAL larger than the pages that were counted explain? (Large values; another program.)"""
        try:
            size = self._file.stat().st_size
        except OSError:
            return False
        self._size = min(self._size, size)
        return size > max(WAL_KEPT, self._size + WAL_KEPT / 2)

    def _put_off(self) -> None:
        """Try again, but not after each batch: the WAL may be as large as it is until then."""
        self._unwritten_pages = min(self._unwritten_pages, CHECKPOINT_PAGES / 2)
        self._note_size()

    def _note_size(self) -> None:
        # What is copied is written over by the next commits, but for a reader that holds it back.
        with contextlib.suppress(OSError):
            self._size = self._file.stat().st_size
