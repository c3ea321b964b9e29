"""Read-only connections, each on a thread of its own, so that no list or history waits for an fsync.

A read is one short snapshot: a reader that stays open is a WAL that never stops growing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from stepfast.errors import StoreClosed
from stepfast.run import Transaction
from stepfast.sqlite.effects import READING, GuardedConnection
from stepfast.sqlite.faults import TheirError, translate
from stepfast.threads import Threads

__all__ = ["Readers"]

T = TypeVar("T")


class Readers:
    """A small pool of readers.

    Args:
        path: the file, for messages.
        open_connection: makes a read-only connection.
        connections: how many at most.
    """

    def __init__(
        self, path: Path, open_connection: Callable[[], sqlite3.Connection], connections: int = 3
    ) -> None:
        self._path = path
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
            with self._snapshot(connection, connection.execute):
                return read(connection)

        return await self._threads.run(in_snapshot)

    async def run_theirs(self, read: Callable[[Transaction], T]) -> T:
        """Call a user's `read` in one snapshot, with the facade; writes are refused."""
        self._check_open()

        def in_snapshot(guarded: GuardedConnection) -> T:
            with self._snapshot(guarded.connection, guarded.ours):
                return guarded.theirs(read)

        try:
            return await self._theirs.run(in_snapshot)
        except TheirError as carried:
            raise carried.error from None

    @contextmanager
    def _snapshot(self, connection: sqlite3.Connection, execute: Callable[[str], object]) -> Iterator[None]:
        try:
            execute("BEGIN")
            try:
                yield
            finally:
                if connection.in_transaction:
                    execute("ROLLBACK")
        except sqlite3.Error as error:
            raise translate(error, self._path) from error

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
