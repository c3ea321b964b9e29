"""Transactions in which code of a user's runs: on a connection of their own, outside any batch."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from typing import Any, TypeVar

from stepfast.sqlite.faults import is_damage, is_io, is_stale
from stepfast.sqlite.writing.calls import WriteTurn
from stepfast.sqlite.writing.effects import WRITING, GuardedConnection
from stepfast.sqlite.writing.transacting import Fate, Transacting

__all__ = ["Guarding"]

T = TypeVar("T")


class CommitFailed(Exception):
    """On I/O, so that it may have held; `value` is what was to be answered then."""

    def __init__(self, value: Any, error: sqlite3.Error) -> None:
        super().__init__(str(error))
        self.value = value
        self.error = error


class Guarding:
    """Used on the writer's thread alone.

    Args:
        transacting: begins and ends the transactions, and finds out what became of one.
        open_connection: makes a write connection.
    """

    def __init__(self, transacting: Transacting, open_connection: Callable[[], sqlite3.Connection]) -> None:
        self._transacting = transacting
        self._open = open_connection
        self._connection: GuardedConnection | None = None

    def run(self, function: Callable[[GuardedConnection, WriteTurn], T], turn: WriteTurn) -> T:
        """Twice where the first commit failed and certainly did not hold."""
        try:
            return self._once(function, turn)
        except CommitFailed as failed:
            value, error = failed.value, failed.error
        match self._transacting.fate():
            case Fate.HELD:
                held: T = value
                return held
            case Fate.LOST:
                with contextlib.suppress(CommitFailed):
                    return self._once(function, turn)
        raise self._transacting.unknown(error)

    def _once(self, function: Callable[[GuardedConnection, WriteTurn], T], turn: WriteTurn) -> T:
        if self._connection is None:
            self._connection = GuardedConnection(self._open(), WRITING)
        guarded = self._connection
        value: Any = None
        committing = False
        try:
            self._transacting.begin(guarded.ours)
            value = function(guarded, turn)
            committing = True
            self._transacting.commit(guarded.ours, moved=True)
        except BaseException as error:
            with contextlib.suppress(sqlite3.Error):
                if guarded.connection.in_transaction:
                    guarded.ours("ROLLBACK")
            if is_damage(error):
                guarded.ours("PRAGMA shrink_memory")  # the page may be mended before it is read again
            if is_stale(error) or guarded.connection.in_transaction:
                # What this connection believes of the file may be wrong from here on.
                guarded.close()
                self._connection = None
            if committing and isinstance(error, sqlite3.Error) and is_io(error):
                raise CommitFailed(value, error) from error
            raise
        given: T = value
        return given

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
