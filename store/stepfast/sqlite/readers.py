"""Read-only connections, each on a thread of its own, so that no list or history waits for an fsync.

A read is one short snapshot: a reader that stays open is a WAL that never stops growing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from stepfast.errors import StoreClosed
from stepfast.run import Transaction
from stepfast.sqlite.effects import READING, GuardedConnection
from stepfast.sqlite.faults import translate
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
        self._threads: Threads[GuardedConnection] = Threads(
            "stepfast-reader",
            connections,
            prepare=lambda: GuardedConnection(open_connection(), READING),
            finish=GuardedConnection.close,
        )
        self._closed = False

    async def run(self, read: Callable[[sqlite3.Connection], T]) -> T:
        """Call `read` in one snapshot, on a reader's thread."""
        return await self._run(lambda guarded: read(guarded.connection))

    async def run_theirs(self, read: Callable[[Transaction], T]) -> T:
        """Call a user's `read` in one snapshot, with the facade; writes are refused."""
        return await self._run(lambda guarded: guarded.theirs(read))

    async def _run(self, read: Callable[[GuardedConnection], T]) -> T:
        if self._closed:
            raise StoreClosed(f"{self._path} was closed")

        def in_snapshot(guarded: GuardedConnection) -> T:
            try:
                guarded.ours("BEGIN")
                try:
                    return read(guarded)
                finally:
                    if guarded.connection.in_transaction:
                        guarded.ours("ROLLBACK")
            except sqlite3.Error as error:
                raise translate(error, self._path) from error

        return await self._threads.run(in_snapshot)

    def close(self) -> None:
        """Close every connection; blocks until reads that are under way have ended."""
        self._closed = True
        self._threads.close()
        self._threads.join()
