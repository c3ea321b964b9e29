"""Read-only connections, each on a thread of its own, so that no list or history waits for an fsync.

A read is one short snapshot: a reader that stays open is a WAL that never stops growing.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from stepfast.body.run import Transaction
from stepfast.errors import StoreClosed
from stepfast.sqlite.faults import TheirError, as_damage, is_damage, is_missing, translate
from stepfast.sqlite.reading.snapshots import Snapshots
from stepfast.sqlite.writing.calls import Execute
from stepfast.sqlite.writing.effects import READING, GuardedConnection
from stepfast.system.threads import Threads

__all__ = ["Readers"]

T = TypeVar("T")

CHECK_SECONDS = 1.0


class Readers:
    """A small pool of readers.

    Args:
        path: the file, for messages.
        open_connection: makes a read-only connection.
        connections: how many at most.
        explain: the error that callers see for one of SQLite's.
        before: called on the reader's thread before each read.
        check: called in its snapshot, with what runs a statement, once a second and after a statement that
            does not fit the tables; raises where they are not this program's any more.
        snapshots: where each read counts while it lasts.
    """

    def __init__(
        self,
        path: Path,
        open_connection: Callable[[], sqlite3.Connection],
        connections: int = 3,
        explain: Callable[[sqlite3.Error], BaseException] | None = None,
        before: Callable[[], None] = lambda: None,
        check: Callable[[Execute], None] = lambda execute: None,
        snapshots: Snapshots | None = None,
    ) -> None:
        self._path = path
        self._explain = explain or (lambda error: translate(error, path))
        self._before = before
        self._check = check
        self._checked_at = time.monotonic()
        self._snapshots = snapshots or Snapshots()
        self._threads: Threads[sqlite3.Connection] = Threads(
            "stepfast-reader", connections, prepare=open_connection, finish=sqlite3.Connection.close
        )
        # Apart from the engine's: a statement of a user's whose text equals one that is prepared already
        # would not be asked about.
        self._theirs: Threads[GuardedConnection] = Threads(
            "stepfast-query",
            connections,
            prepare=lambda: GuardedConnection(open_connection(), READING),
            finish=GuardedConnection.close,
        )
        self._closed = False

    async def run(self, read: Callable[[sqlite3.Connection], T]) -> T:
        """Call `read` in one snapshot, on a reader's thread."""
        self._check_open()

        def in_snapshot(connection: sqlite3.Connection) -> T:
            return self._in_snapshot(connection, connection.execute, lambda: _read(read, connection))

        return await self._threads.run(in_snapshot)

    async def run_theirs(self, read: Callable[[Transaction], T]) -> T:
        """Call a user's `read` in one snapshot, with the facade; writes are refused."""
        self._check_open()

        def in_snapshot(guarded: GuardedConnection) -> T:
            return self._in_snapshot(guarded.connection, guarded.ours, lambda: guarded.theirs(read))

        try:
            return await self._theirs.run(in_snapshot)
        except TheirError as carried:
            raise carried.error from None

    def _in_snapshot(self, connection: sqlite3.Connection, execute: Execute, read: Callable[[], T]) -> T:
        self._before()
        try:
            with self._snapshots.one():
                try:
                    return self._snapshot(connection, execute, read)
                except sqlite3.DatabaseError as error:
                    if not is_damage(error):
                        raise
                    # The page may be one that was kept from before somebody mended the file.
                    execute("PRAGMA shrink_memory")
                    return self._snapshot(connection, execute, read)
        except sqlite3.Error as error:
            raise self._explain(error) from error

    def _snapshot(self, connection: sqlite3.Connection, execute: Execute, read: Callable[[], T]) -> T:
        execute("BEGIN")
        try:
            now = time.monotonic()
            if now - self._checked_at >= CHECK_SECONDS:
                self._check(execute)
                self._checked_at = now
            try:
                return read()
            except sqlite3.OperationalError as error:
                if is_missing(error):
                    self._check(execute)
                raise
        finally:
            if connection.in_transaction:
                execute("ROLLBACK")

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed(f"{self._path} was closed")

    def close(self) -> None:
        """Close every connection; blocks until reads that are under way have ended."""
        self._closed = True
        for threads in (self._threads, self._theirs):
            threads.close()
        for threads in (self._threads, self._theirs):
            threads.join()


def _read(read: Callable[[sqlite3.Connection], T], connection: sqlite3.Connection) -> T:
    try:
        return read(connection)
    except (sqlite3.OperationalError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise as_damage(error) from None
