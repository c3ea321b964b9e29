"""Carrying calls out in as few commits as can be, and answering them when that is on disk.

A statement can roll back the whole transaction without saying so (a full disk, an I/O error, memory, an
interrupt: https://sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction). So each call is
followed by a look at `in_transaction`; where it is gone, every call of the batch is run again on its own,
since none of them has happened. A COMMIT that fails on I/O may have happened: see `transacting.py`.

The same is done where a call fails after it has changed something, which is rare: what is refused is refused
before. So no call needs a savepoint, which would be two more statements for each.

A call that is one INSERT, and alone, is a commit of its own; with others of its kind it is one of many rows.
Each statement gives up the interpreter's lock and has to get it back, which beside a busy thread costs up to
5 ms, so one statement is better than five.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

from stepfast.clock import Clock
from stepfast.interfaces import Signal
from stepfast.sqlite.calls import LAST_SEQUENCE, WriteCall, WriteTurn
from stepfast.sqlite.faults import is_io, is_stale
from stepfast.sqlite.recovering import Recovery
from stepfast.sqlite.transacting import Fate, Transacting
from stepfast.sqlite.wal import Wal
from stepfast.threads import answer

__all__ = ["Batches"]

FEWEST_TOGETHER = 3  # inserts that are worth a savepoint


class Batches:
    """What the writer's thread does with the calls that it has taken.

    Args:
        transacting: the write connection.
        recovery: is told of errors.
        wal: is told how much was written.
        clock: binds `now`.
        committed: called after each commit that changed rows.
    """

    def __init__(
        self,
        transacting: Transacting,
        recovery: Recovery,
        wal: Wal,
        clock: Clock,
        committed: Callable[[Signal], None],
    ) -> None:
        self._transacting = transacting
        self._numbers = transacting.numbers
        self._recovery = recovery
        self._wal = wal
        self._clock = clock
        self._committed = committed

    def run_alone(self, call: WriteCall[Any]) -> None:
        try:
            self._recovery.refuse()
            connection = self._transacting.connected()
            call.turn = WriteTurn(self._numbers, connection, self._clock.time())
            call.value = call.function(call.turn)
        except BaseException as error:
            call.error = self._recovery.explain(error)
        self._finish([call])
        self._wal.written(2)

    def commit(self, calls: list[WriteCall[Any]], *, again: bool = False) -> None:
        """Run `calls` in one transaction, then answer them; `again`: after a commit that was lost."""
        if not calls:
            return
        try:
            self._recovery.refuse()
            if len(calls) == 1 and not again and self._commit_insert(calls[0]):
                return
            connection = self._transacting.connected()
            execute = connection.execute
            self._transacting.begin(execute)
        except BaseException as error:
            self.fail(calls, error)
            return
        counter = self._numbers.counter
        try:
            if not self._run_together(calls, connection):
                return
        except sqlite3.Error as error:
            self.fail([each for each in calls if not each.answered], error)
            return
        try:
            if len(calls) == 1 and calls[0].error is not None:
                execute("ROLLBACK")
                moved = False
            else:
                moved = self._numbers.counter != counter
                self._transacting.commit(execute, moved=moved)
        except sqlite3.Error as error:
            self._after_failed_commit(calls, error, again)
            return
        self._finish(calls)
        self._wal.written(len(calls))

    def _run_together(self, calls: list[WriteCall[Any]], connection: sqlite3.Connection) -> bool:
        """Run each in the transaction that is open; False where that is gone, and all are answered."""
        now = self._clock.time()
        left = self._insert_together(calls, connection, now)
        if left is None:
            self._after_rollback(calls, calls[0])
            return False
        for call in left:
            before = connection.total_changes
            call.error = None
            call.turn = WriteTurn(self._numbers, connection, now)
            try:
                call.value = call.function(call.turn)
            except BaseException as error:
                call.error = error
                if is_stale(error):
                    # What this connection believes of the file may be wrong, so it is not gone on with.
                    self._transacting.drop()
                    self._after_rollback(calls, call)
                    return False
                if connection.total_changes != before and connection.in_transaction and len(calls) > 1:
                    # Half of it would be kept with the others. Rare: what is refused is refused first.
                    connection.execute("ROLLBACK")
                else:
                    call.error = self._recovery.explain(error)
            if not connection.in_transaction:
                self._after_rollback(calls, call)
                return False
        return True

    def _insert_together(
        self, calls: list[WriteCall[Any]], connection: sqlite3.Connection, now: float
    ) -> list[WriteCall[Any]] | None:
        """Carry out those of `calls` that are inserts, as one statement.

        Returns the calls that are left, or None where the transaction is gone.
        """
        inserts = [(call, call.insert) for call in calls if call.insert is not None]
        if len(inserts) < FEWEST_TOGETHER:
            return calls
        for call, insert in inserts:
            call.error = call.turn = None
            insert.row["now"], insert.row["position"] = now, self._numbers.next_record_position()
        connection.execute("SAVEPOINT together")
        try:
            rows = connection.executemany(
                inserts[0][1].together, [insert.row for _, insert in inserts]
            ).rowcount
        except sqlite3.Error as error:
            rows = 0
            if is_io(error):
                self._transacting.drop()
                return None
        if not connection.in_transaction:
            return None
        if rows < len(inserts):
            connection.execute("ROLLBACK TO together")
            return calls  # one by one, each succeeds or fails as it must
        connection.execute("RELEASE together")
        for call, insert in inserts:
            call.value = insert.value
        return [call for call in calls if call.insert is None]

    def _commit_insert(self, call: WriteCall[Any]) -> bool:
        """Try a call as one statement that is its own commit; False where it takes the longer way."""
        connection, insert = self._transacting.connection, call.insert
        if insert is None or connection is None or self._numbers.sequence == LAST_SEQUENCE:
            return False
        self._numbers.sequence += 1
        insert.row["now"], insert.row["sequence"] = self._clock.time(), self._numbers.sequence
        try:
            if connection.execute(insert.alone, insert.row).rowcount != 1:
                return False
        except sqlite3.Error as error:
            if is_stale(error):
                self._transacting.drop()  # it may have happened; the longer way, in the file as it is, tells
            return False  # in the longer way it happens again, or is explained
        call.value = insert.value
        call.answered = True
        answer([call])
        self._wal.written(1)
        return True

    def _after_rollback(self, calls: list[WriteCall[Any]], culprit: WriteCall[Any]) -> None:
        """The transaction is gone and with it all of the batch: run each again by itself."""
        if len(calls) == 1:
            if culprit.error is None:
                culprit.error = RuntimeError("a statement ended the transaction it was part of")
            culprit.error = self._recovery.explain(culprit.error)
            self._finish(calls)
            return
        for number, call in enumerate(calls):
            self.commit([call])
            if call.error is not None and is_io(call.error.__cause__ or call.error):
                # The disk fails whoever comes; that each of 256 calls finds out for itself helps nobody.
                self.fail(calls[number + 1 :], call.error)
                return

    def _after_failed_commit(self, calls: list[WriteCall[Any]], error: sqlite3.Error, again: bool) -> None:
        if not is_io(error):
            self.fail(calls, error)
            return
        fate = self._transacting.fate() if not again else Fate.UNKNOWN
        if fate is Fate.LOST:
            self.commit(calls, again=True)
        elif fate is Fate.HELD:
            self._wal.checkpoint()  # a disk that reports an error may forget what it kept of the log
            self._finish(calls)
        else:
            if again:
                self._transacting.drop()
            self.fail(calls, self._transacting.unknown(error))

    def fail(self, calls: list[WriteCall[Any]], error: BaseException) -> None:
        """The transaction could not begin or end: nobody's call has (certainly) happened."""
        connection = self._transacting.connection
        if connection is not None and connection.in_transaction:
            try:
                connection.execute("ROLLBACK")
            except sqlite3.Error:
                self._transacting.drop()
        if is_stale(error):
            self._transacting.drop()
        explained = self._recovery.explain(error)
        for call in calls:
            call.error, call.turn = explained, None
        self._finish(calls)

    def _finish(self, calls: list[WriteCall[Any]]) -> None:
        turns = [each.turn for each in calls if each.error is None and each.turn is not None]
        keys = frozenset().union(*(turn.keys for turn in turns)) if turns else frozenset()
        ready, urgent = any(turn.ready for turn in turns), any(turn.urgent for turn in turns)
        if keys or ready:
            others = frozenset().union(*(turn.keys - turn.begun for turn in turns))
            self._committed(Signal(keys, ready, urgent, begun=keys - others))
        for call in calls:
            call.turn = None
            call.answered = True
        answer(calls)
