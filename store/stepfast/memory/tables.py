"""The user's own tables of a memory store: what transacted effects write and queries read.

SQL needs SQLite, so they lie in a private database in memory, behind the very facade and authorizer that
guard the file: what an effect may not do there, it may not do here. Effects run at once, on the calling
thread, which is what makes them one commit with the record in a dict: nobody runs in between.
"""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Callable
from typing import TypeVar

from stepfast.body.run import Transaction
from stepfast.sqlite.faults import TheirError
from stepfast.sqlite.writing.effects import READING, WRITING, GuardedConnection

__all__ = ["Tables"]

T = TypeVar("T")


class Tables:
    """One database in memory; it goes when this object does."""

    def __init__(self) -> None:
        # No implicit transactions; used from whatever thread the loop of the store runs on.
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self.close = weakref.finalize(self, self._connection.close)

    def transact(self, effect: Callable[[Transaction], T]) -> T:
        """Commit what `effect` writes and give what it returned; of one that raises, nothing is kept."""
        return self._guarded(WRITING, effect, "COMMIT")

    def query(self, read: Callable[[Transaction], T]) -> T:
        """Call `read` with a view that refuses every write."""
        return self._guarded(READING, read, "ROLLBACK")

    def _guarded(self, allowed: frozenset[int], function: Callable[[Transaction], T], end: str) -> T:
        # A new guard each time, since reading and writing share the one connection there can be.
        guarded = GuardedConnection(self._connection, allowed)
        guarded.ours("BEGIN IMMEDIATE")
        try:
            value = guarded.theirs(function)
            guarded.ours(end)
        except BaseException as error:
            if self._connection.in_transaction:
                guarded.ours("ROLLBACK")
            if isinstance(error, TheirError):
                raise error.error from None
            raise
        return value
