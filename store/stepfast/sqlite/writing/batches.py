"""Carrying calls out in as few commits as can be, and answering them when that is on disk.

A statement can roll back the whole transaction without saying so (a full disk, an I/O error, memory, an
interrupt: https://sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction). So each call is
followed by a look at `in_transaction`; where it is gone, every call of the batch is run again on its own,
since none of them has happened. A COMMIT that fails on I/O may have happened: see `transacting.py`.

The same is done where a call fails after it has changed something, which is rare: what is refused is refused
before. So no call needs a savepoint, which would be two more statements for each.

Calls that are each one row of an INSERT are one statement and, where there are no others, that is a commit of
its own. Each statement gives up the interpreter's lock and has to get it back, which beside a busy thread
costs up to 5 ms, so one is better than five. Others that are of one kind are carried out together too, in a
batch of nothing else by one statement if there is one for it.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Callable
from itertools import groupby
from typing import Any

from stepfast.interfaces import Signal
from stepfast.sqlite.faults import is_io, is_stale
from stepfast.sqlite.log.wal import Wal
from stepfast.sqlite.writing.calls import LAST_SEQUENCE, Insert, Rider, WriteCall, WriteTurn
from stepfast.sqlite.writing.recovering import Recovery
from stepfast.sqlite.writing.transacting import Fate, Transacting
from stepfast.system.clock import Clock
from stepfast.system.mailbox import Direct

__all__ = ["Batches"]

FEWEST_TOGETHER = 2  # calls of one kind that are worth a statement of their own
# So many inserts and so many others are two commits: the loop is busy then, and would keep each of ten
# statements waiting, which takes longer than one more commit.
WORTH_A_COMMIT = 16


class Batches:
    """What the writer's thread does with the calls that it has taken.

    Args:
        transacting: the write connection.
        recovery: is told of errors.
        wal: is told how much was written.
        clock: binds `now`.
        committed: called after each commit that changed rows.
        riders: calls that each join the next batch in which something becomes ready, behind all others.
        mailbox: has calls resolved on their loops. Those of the last batch, when this one is about to give up
            the interpreter's lock: a loop that goes on sooner keeps it for up to 5 ms.
    """

    def __init__(
        self,
        transacting: Transacting,
        recovery: Recovery,
        wal: Wal,
        clock: Clock,
        committed: Callable[[Signal], None],
        riders: deque[Rider[Any]],
        mailbox: Direct,
    ) -> None:
        self._answer = mailbox.answer
        self._let_go = mailbox.let_go
        self._riders = riders
        self.ridden: WriteCall[Any] | None = None
        """The last of them that joined a batch."""
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
            self._let_go()
            call.value = call.function(call.turn)
        except BaseException as error:
            call.error = self._recovery.explain(error)
        self._wal.written(2)
        self._finish([call])

    def commit(self, calls: list[WriteCall[Any]], *, again: bool = False) -> None:
        """Run `calls` in one transaction, then answer them; `again`: after a commit that was lost."""
        if not calls:
            return
        inserts = [call for call in calls if isinstance(call, Insert)]
        if min(len(inserts), len(calls) - len(inserts)) >= WORTH_A_COMMIT and not again:
            self.commit([*inserts])
            self.commit([call for call in calls if not isinstance(call, Insert)])
            return
        try:
            self._recovery.refuse()
            if not again and (self._commit_inserts(inserts, calls) or self._commit_at_once(calls)):
                return
            connection = self._transacting.connected()
            execute = connection.execute
            self._let_go()
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
        self._wal.written(len(calls))
        self._finish(calls)

    def _run_together(self, calls: list[WriteCall[Any]], connection: sqlite3.Connection) -> bool:
        """Run each in the transaction that is open; False where that is gone, and all are answered."""
        now = self._clock.time()
        left = self._insert_together(calls, connection, now)
        if left is None:
            self._after_rollback(calls, calls[0])
            return False
        if not self._run_each(left, calls, connection, now):
            return False
        if not self._riders or isinstance(calls[-1], Rider):
            return True
        ready = any(each.turn.ready for each in calls if each.turn and each.error is None)
        if ready and (rider := self._next_rider()) is not None:
            self.ridden = rider
            calls.append(rider)
            return self._run_each([rider], calls, connection, now)
        return True

    def _next_rider(self) -> Rider[Any] | None:
        """The next that nobody has taken back, which from now on nobody can."""
        while True:
            try:
                rider = self._riders.popleft()
            except IndexError:  # the last one has been taken back, on another thread
                return None
            if rider.go():
                return rider

    def _run_each(
        self,
        some: list[WriteCall[Any]],
        calls: list[WriteCall[Any]],
        connection: sqlite3.Connection,
        now: float,
    ) -> bool:
        """Run some of the batch `calls`; False as `_run_together` has it."""
        for kind, alike in groupby(some, _kind):
            same = [*alike]
            if kind is not None and len(same) >= FEWEST_TOGETHER:
                act, _ = kind
                done = self._run_as_one(same, act, connection, now)
                if done is None or not connection.in_transaction:
                    self._after_rollback(calls, same[0])
                    return False
                if done:
                    continue
            for call in same:
                if not self._run_one(call, calls, connection, now):
                    return False
        return True

    def _run_as_one(
        self,
        same: list[WriteCall[Any]],
        act: Callable[[WriteTurn, list[Any]], list[Any]],
        connection: sqlite3.Connection,
        now: float,
    ) -> bool | None:
        """Carry out calls of one kind together; False where nothing of it is done, None if all is gone."""
        turn = WriteTurn(self._numbers, connection, now)
        connection.execute("SAVEPOINT together")
        try:
            values = act(turn, [call.together.asked for call in same if call.together is not None])
        except Exception as error:
            # Each by itself succeeds or fails as it must.
            if is_stale(error):
                self._transacting.drop()
                return None
            if connection.in_transaction:
                connection.execute("ROLLBACK TO together")
                connection.execute("RELEASE together")
            return False
        if not connection.in_transaction:
            return None
        connection.execute("RELEASE together")
        for call, value in zip(same, values, strict=True):
            call.value, call.error, call.turn = value, None, None
        same[0].turn = turn
        return True

    def _run_one(
        self, call: WriteCall[Any], calls: list[WriteCall[Any]], connection: sqlite3.Connection, now: float
    ) -> bool:
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
        inserts = [call for call in calls if isinstance(call, Insert)]
        if len(inserts) < FEWEST_TOGETHER:
            return calls
        try:
            done = self._insert(inserts, connection, now, self._numbers.counter)
        except sqlite3.Error as error:
            done = False
            if is_io(error):
                self._transacting.drop()
                return None
        if not connection.in_transaction:
            return None
        return [call for call in calls if not isinstance(call, Insert)] if done else calls

    def _commit_inserts(self, inserts: list[Insert[Any]], calls: list[WriteCall[Any]]) -> bool:
        """Try calls, if all are inserts, as one statement that is its own commit.

        False where they take the longer way.
        """
        connection = self._transacting.connection
        if connection is None or len(inserts) < len(calls):
            return False
        try:
            if not self._insert(inserts, connection, self._clock.time(), None):
                return False
        except sqlite3.Error as error:
            if is_stale(error):
                self._transacting.drop()  # it may have happened; the longer way, in the file as it is, tells
            return False  # in the longer way it happens again, or is explained
        for call in calls:
            call.answered = True
        self._wal.written(len(calls))
        self._answer(calls)
        return True

    def _commit_at_once(self, calls: list[WriteCall[Any]]) -> bool:
        """Try calls of one kind as one statement that is its own commit, with a rider if there is one.

        False where they take the longer way, and the rider with them; then nothing of it has happened.
        """
        connection, kind, first = self._transacting.connection, _kind(calls[0]), calls[0].together
        if first is None or first.lone is None or connection is None:
            return False
        if any(_kind(each) != kind for each in calls):
            return False
        asked = [call.together.asked for call in calls if call.together is not None]
        rider = self._next_rider() if first.ready else None
        slots = None
        if rider is not None:
            self.ridden = rider
            calls.append(rider)
            if (slots := rider.slots()) is None:
                return False
        self._transacting.before_lone()
        turn = WriteTurn(self._numbers, connection, self._clock.time())
        lone = first.lone(turn, asked, slots)
        if lone is None:
            return False
        self._let_go()
        try:
            self._transacting.run_lone(lone)
        except sqlite3.Error as error:
            # Without doubt nothing has happened: in the longer way it happens again, or is explained.
            if not is_io(error):
                return False
            if not self._was_held(calls, error, again=False):
                return True
        for call, value in zip(calls, lone.values, strict=False):
            call.value, call.error, call.turn = value, None, None
        calls[0].turn = turn
        if rider is not None and slots is not None:
            rider.value, rider.error = slots.begun, None
            rider.turn = along = WriteTurn(self._numbers, connection, turn.now)
            along.offered = slots.offered
            along.begins(*(each.claim.workflow for each in slots.begun))
        self._wal.written(len(calls))
        self._finish(calls)
        return True

    def _insert(
        self, inserts: list[Insert[Any]], connection: sqlite3.Connection, now: float, counter: int | None
    ) -> bool:
        """Put in their rows, by one statement; False where the longer way is to be taken."""
        numbers, count = self._numbers, len(inserts)
        before = numbers.sequence
        if before + count > LAST_SEQUENCE:
            return False
        numbers.sequence = before + count
        # Few statements, so that they stay prepared: of 1, 2, 4, 8, ... rows; those too many are left out.
        size = 1 << (count - 1).bit_length()
        parameters: list[Any] = [now, counter, before + 1, count]
        for insert in inserts:
            parameters += insert.row
        if size > count:
            # Not NULLs: what is no number or text is first looked at for a way to adapt it, which is dear.
            parameters += [0] * ((len(parameters) - 4) // count * (size - count))
        self._let_go()
        if connection.execute(inserts[0].statement(size), parameters).rowcount != count:
            return False
        for insert in inserts:
            insert.value, insert.error, insert.turn = insert.inserted, None, None
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
                # The disk fails whoever comes; that each of the calls finds out for itself helps nobody.
                self.fail(calls[number + 1 :], call.error)
                return

    def _after_failed_commit(self, calls: list[WriteCall[Any]], error: sqlite3.Error, again: bool) -> None:
        if not is_io(error):
            self.fail(calls, error)
        elif self._was_held(calls, error, again=again):
            self._finish(calls)

    def _was_held(self, calls: list[WriteCall[Any]], error: sqlite3.Error, *, again: bool) -> bool:
        """After a commit that failed on I/O: is it there all the same? If not, the calls are seen to."""
        fate = self._transacting.fate() if not again else Fate.UNKNOWN
        if fate is Fate.HELD:
            self._wal.checkpoint()  # a disk that reports an error may forget what it kept of the log
            return True
        if fate is Fate.LOST:
            self.commit(calls, again=True)
        else:
            if again:
                self._transacting.drop()
            self.fail(calls, self._transacting.unknown(error))
        return False

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
            others = frozenset().union(*(turn.keys - turn.went_on for turn in turns))
            rider = turns[-1]  # if there is one; what it has begun, nobody after it made ready
            begun = rider.offered if all(turn.ready <= rider.begun for turn in turns) else None
            results = {key: text for turn in turns for key, text in turn.results.items()}
            self._committed(Signal(keys, ready, urgent, went_on=keys - others, begun=begun, results=results))
        for call in calls:
            call.turn = None
            call.answered = True
        self._answer(calls)


def _kind(call: WriteCall[Any]) -> tuple[Callable[[WriteTurn, list[Any]], list[Any]], object] | None:
    """Calls next to one another that are alike in this are carried out together."""
    return None if call.together is None else (call.together.act, call.together.like)
