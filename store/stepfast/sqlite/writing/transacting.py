"""How a transaction of the writer's begins and ends, and what is true after an end that failed.

A COMMIT that fails on I/O leaves it open whether it is there. Measured, with an fdatasync that fails: every
connection that is open sees the old state, but the frames lie in the write-ahead log, whole, and a process
that opens the file after everybody has died sees the new one. So the file is opened again and asked, by the
counter and a random mark that commits leave beside it, and whatever it says, something more is committed:

- the old counter and the old mark: it did not hold, and that commit lies now where its frames lay;
- our mark: it held; a disk that reported an error may have kept nothing, so it is written once more;
- something else: another process has committed since, and nobody can tell.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
from collections.abc import Callable
from enum import Enum
from itertools import count
from pathlib import Path

from stepfast.errors import FileGone, OutcomeUnknown, StoreError
from stepfast.health import Health
from stepfast.sqlite import lone_statements, statements
from stepfast.sqlite.faults import is_busy, is_missing, is_stuck, locked_out, newer_now
from stepfast.sqlite.writing.calls import Execute, Lone, Numbers
from stepfast.sqlite.writing.recovering import Recovery

__all__ = ["Fate", "Transacting"]

logger = logging.getLogger("stepfast")

# From a random start on by a large odd step: no two commits have the same mark, in this engine or in another.
MARK_STEP = 0x1E3779B97F4A7C15
MOST_MARK = (1 << 63) - 1
# Of the connection's busy timeout (half a second), until a foreign lock is a condition, and an error.
ROUNDS_UNTIL_SAID = 10
ROUNDS = 120


class Fate(Enum):
    """What became of a commit that failed."""

    HELD = "kept all the same"
    LOST = "not kept, and is made again"
    UNKNOWN = "perhaps kept: the file does not tell"


class Transacting:
    """The write connection, and the numbers of the transaction that is open.

    Args:
        path: the file.
        open_connection: makes a write connection; called again after an I/O error.
        version: the schema version of this program; a file that has another is not written to.
        health, recovery: told of what is wrong.
    """

    def __init__(
        self,
        path: Path,
        open_connection: Callable[[], sqlite3.Connection],
        version: int,
        health: Health,
        recovery: Recovery,
    ) -> None:
        self.numbers = Numbers()
        self.hurried = False
        """Is the program ending? Then nobody waits for a foreign lock for more than a round."""
        self._path = path
        self._open = open_connection
        self._version = version
        self._health = health
        self._recovery = recovery
        self._next_mark = int.from_bytes(os.urandom(8), "little")
        self._found = (0, 0)  # counter and mark, as the transaction that is open has found them
        self._mark: int | None = None  # that it leaves, if it leaves one
        self._reached = 0  # the counter of this writer's last commit
        self._left = 0  # the mark beside it
        self._equipped = False  # has the connection what single statements need?
        self.connection: sqlite3.Connection | None = open_connection()

    def connected(self) -> sqlite3.Connection:
        """The write connection, made anew where a fault has cost it; raises as opening does."""
        if self.connection is None:
            self.connection = self._open()
            self._recovery.place.opened()
        return self.connection

    def drop(self) -> None:
        """Close the write connection; what it believes of the file may be wrong."""
        if self.connection is not None:
            connection, self.connection = self.connection, None
            self._equipped = False
            with self._recovery.place.closing(), contextlib.suppress(sqlite3.Error):
                connection.close()

    def begin(self, execute: Execute) -> None:
        """Take the write lock, then read version, counter and mark as they are under it."""
        self._take_lock(execute)
        version, counter, mark = self._meta(execute)
        if version != self._version or counter < self._reached:
            execute("ROLLBACK")
            raise self._other_file(version)
        self.numbers.counter = counter
        self._found, self._mark = (counter, mark), None

    def before_lone(self) -> None:
        """Before numbers are taken for `run_lone`: the counter is where this writer's last commit left it."""
        self.numbers.counter = self._reached

    def run_lone(self, lone: Lone) -> None:
        """Run a statement that is a commit of its own; the counter is where it will be then.

        Raises where it changed nothing and, on I/O, where `fate` is to be asked. Where another process has
        committed since, it is the former.
        """
        connection = self.connected()
        if not self._equipped:
            for each in lone_statements.EQUIPMENT:
                connection.execute(each)
            self._equipped = True
        self._found, self._mark = (self._reached, self._left), self._new_mark()
        numbers = {"counter": self._reached, "mark": self._left, "next_counter": self.numbers.counter}
        connection.execute(lone.statement, {**lone.parameters, **numbers, "next_mark": self._mark})
        self._reached, self._left = self.numbers.counter, self._mark

    def _new_mark(self) -> int:
        self._next_mark = (self._next_mark + MARK_STEP) & MOST_MARK
        return self._next_mark

    def _meta(self, execute: Execute) -> tuple[int, int, int]:
        try:
            ((version, counter, mark),) = execute(statements.META)
        except sqlite3.OperationalError as error:
            if not is_missing(error):
                raise
            # A column of ours is gone. The version is there in every schema to come.
            ((version,),) = execute(statements.SCHEMA)
            if version == self._version:
                raise
            return version, self._reached, 0
        return version, counter, mark

    def commit(self, execute: Execute, *, moved: bool) -> None:
        """End the transaction of `begin`; with the counter where it is now, and a new mark, if it `moved`."""
        if moved:
            self._mark = self._new_mark()
            execute(statements.KEEP_COUNTER, {"counter": self.numbers.counter, "mark": self._mark})
        execute("COMMIT")
        self._reached, self._left = self.numbers.counter, self._found[1] if self._mark is None else self._mark

    def fate(self) -> Fate:
        """What became of the transaction whose COMMIT has just failed on I/O.

        One that took no number is LOST in any case: what it did may be done twice.
        """
        before, mark = self._found, self._mark
        self.drop()
        try:
            execute = self.connected().execute
            self.begin(execute)
            after = self._found
            self.commit(execute, moved=True)
        except (sqlite3.Error, StoreError) as again:
            self.drop()
            self._recovery.explain(again)
            return Fate.UNKNOWN
        if mark is None or after == before:
            fate = Fate.LOST
        else:
            fate = Fate.HELD if after[1] == mark else Fate.UNKNOWN
        logger.warning(
            "the disk that holds %s reported an error at a commit, which was %s", self._path, fate.value
        )
        return fate

    def unknown(self, error: BaseException) -> OutcomeUnknown:
        """What callers are told where even that does not help."""
        unknown = OutcomeUnknown(
            f"the disk that holds {self._path} reported an error ({error}) while something was written, and "
            "the file does not tell whether it is there: look, or ask again with the same id"
        )
        unknown.__cause__ = error
        self._recovery.report(unknown)
        return unknown

    def write_nothing(self) -> None:
        """A commit that changes the mark alone: can the file be written?"""
        execute = self.connected().execute
        try:
            self.begin(execute)
            self.commit(execute, moved=True)
        except sqlite3.Error:
            self.drop()
            raise

    def _take_lock(self, execute: Execute) -> None:
        # Who has waited in vain once does not let everybody who comes later wait as long again.
        most = ROUNDS_UNTIL_SAID if self._health.has("locked") else ROUNDS
        for rounds in count(1):
            try:
                execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if not is_busy(error) or is_stuck(error) or rounds >= most or self.hurried:
                    raise
                if rounds % ROUNDS_UNTIL_SAID == 0:
                    self._recovery.report(locked_out(self._path))
            else:
                if self._health.stops_work:
                    self._health.clear("locked")
                return

    def _other_file(self, version: int) -> StoreError:
        if version != self._version:
            return newer_now(self._path, version, self._version)
        return FileGone(
            f"{self._path} was overwritten by an older copy while it was open, and lacks what was recorded "
            "since; nothing is written to it: start this program again to go on from the copy"
        )
