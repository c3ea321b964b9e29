"""The one thread that writes: batches of calls, one commit each. It knows no table but the counter's.

Calls queue; the thread takes all that wait and runs them between one BEGIN IMMEDIATE and one COMMIT, so
one fsync serves everybody who was waiting, and a lone caller waits for no one. Nobody is answered before
the COMMIT has returned.

A statement can roll back the whole transaction without saying so (a full disk, an I/O error, memory, an
interrupt: https://sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction). So the thread
looks at `in_transaction` after each call; where it is gone, every call of the batch is run again on its
own, since none of them has happened. A COMMIT that fails on I/O may have happened: see `transacting.py`.

A call that is one INSERT, and alone, is a commit of its own: each statement gives up the interpreter's lock
and has to get it back, which beside a busy thread costs up to 5 ms, so one statement is better than five.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from enum import Enum
from typing import Any, TypeVar

from stepfast.clock import Clock
from stepfast.errors import OutcomeUnknown, StoreClosed
from stepfast.health import Health
from stepfast.interfaces import Signal
from stepfast.sqlite.calls import LAST_SEQUENCE, Execute, Insert, WriteCall, WriteTurn
from stepfast.sqlite.faults import is_io, is_stale
from stepfast.sqlite.place import Place
from stepfast.sqlite.recovering import Recovery
from stepfast.sqlite.snapshots import Snapshots
from stepfast.sqlite.transacting import Fate, Transacting
from stepfast.sqlite.wal import Wal
from stepfast.threads import answer

__all__ = ["WriteTurn", "Writer"]

T = TypeVar("T")

logger = logging.getLogger("stepfast")

MOST_CALLS = 256  # in a batch: bounds how long the first caller waits for the last
MOST_CHARACTERS = 8_000_000  # about as many: bounds how much one commit adds to the write-ahead log
FEWEST_TOGETHER = 3  # inserts that are worth a savepoint


class Wake(Enum):
    """Queued to have the thread look for something else than calls."""

    UP = "up"


class Writer:
    """The write connection and its thread.

    Args:
        place: of the file, which has been opened and migrated already.
        open_connection: makes a write connection; called again after an I/O error.
        clock: binds `now`.
        version: the schema version of this program; a file that has another is not written to.
        committed: called on this thread after each commit that changed rows.
        health: where it reports what keeps it from writing.
        snapshots: the read transactions of this engine.
        finish: called on this thread at the end, before its connections are closed.
    """

    def __init__(
        self,
        place: Place,
        open_connection: Callable[[], sqlite3.Connection],
        clock: Clock,
        version: int,
        committed: Callable[[Signal], None],
        health: Health,
        snapshots: Snapshots | None = None,
        finish: Callable[[], None] = lambda: None,
    ) -> None:
        self._path = place.path
        self._place = place
        self._clock = clock
        self._committed = committed
        self._health = health
        self._calls: queue.SimpleQueue[WriteCall[Any] | Wake | None] = queue.SimpleQueue()
        self._later: deque[WriteCall[Any]] = deque()
        self._closed = False
        # Nothing is queued behind what tells the thread to end, where nobody would answer it.
        self._gate = threading.Lock()
        self.recovery = Recovery(place, health)
        self._transacting = Transacting(self._path, open_connection, version, health, self.recovery)
        self._numbers = self._transacting.numbers
        self._end = finish
        self.wal = Wal(
            self._path,
            open_connection,
            health,
            wake=self.wake,
            allowed=lambda: self.recovery.may_write,
            explain=self._explain_elsewhere,
            snapshots=snapshots,
        )
        self._thread = threading.Thread(target=self._work, name="stepfast-writer", daemon=True)
        self._thread.start()

    def do(
        self,
        function: Callable[[WriteTurn], T],
        *,
        many: bool = False,
        last: bool = False,
        insert: Insert | None = None,
        size: int = 0,
    ) -> asyncio.Future[T]:
        """Run `function` in the next commit; the future is answered when that commit is on disk.

        `insert`, where it is given, is tried in the place of `function`: alone as a commit of its own, with
        others of its kind as one statement.
        `last`: housekeeping, for which nobody should have to wait. It is a commit of its own, behind all that
        was waiting with it, so that whoever comes meanwhile waits for this one commit and for no second.
        `size`: about how many characters it writes, where they may be many.
        Cancelling the future does not take the call back: it may have been committed already.
        """
        return self._put(WriteCall(function, many=many, alone=False, last=last, insert=insert, size=size))

    def alone(self, function: Callable[[WriteTurn], T], *, last: bool = False) -> asyncio.Future[T]:
        """Run `function` on this thread outside any batch: it brings its own connection and transaction."""
        return self._put(WriteCall(function, many=True, alone=True, last=last))

    def _put(self, call: WriteCall[T]) -> asyncio.Future[T]:
        with self._gate:
            if self._closed:
                raise StoreClosed(f"{self._path} was closed")
            self._calls.put(call)
        return call.future

    def hurry(self) -> None:
        """The program is ending: do not wait for a foreign lock as long as otherwise."""
        self._transacting.hurried = True

    def close(self) -> None:
        """Finish what is queued, checkpoint and close; blocks until that is done."""
        with self._gate:
            if not self._closed:
                self._closed = True
                self._calls.put(None)
        self._thread.join()

    def wake(self) -> None:
        """From any thread: look whether there is something else to do than calls."""
        self._calls.put(Wake.UP)

    def _explain_elsewhere(self, error: BaseException) -> BaseException:
        """What went wrong on another thread; this one finds out when it is over."""
        explained = self.recovery.explain(error)
        self.wake()
        return explained

    # --- transactions, for whoever brings a connection of his own ---------------------------------

    def begin(self, execute: Execute) -> None:
        """Take the write lock, then read version and counter as they are under it."""
        self._transacting.begin(execute)

    def commit(self, execute: Execute, *, moved: bool) -> None:
        """End the transaction of `begin`, with the counter where it is now."""
        self._transacting.commit(execute, moved=moved)

    def fate(self) -> Fate:
        """What became of the transaction whose `commit` failed on I/O just now."""
        return self._transacting.fate()

    def unknown(self, error: BaseException) -> OutcomeUnknown:
        """What callers are told where even that does not help."""
        unknown = OutcomeUnknown(
            f"the disk that holds {self._path} reported an error ({error}) while something was written, and "
            "the file does not tell whether it is there: look, or ask again with the same id"
        )
        unknown.__cause__ = error
        self.recovery.report(unknown)
        return unknown

    # --- the thread -------------------------------------------------------------------------------

    def _work(self) -> None:
        try:
            going = True
            while going:
                batch, going = self._next_batch()
                if self._place.is_due():
                    self.recovery.look(self._transacting.connection, self._clock.time())
                if batch or self._later:
                    self._run(batch)
                if self._health.stops_work and self.recovery.seconds_to_probe == 0:
                    self._probe()
                self.wal.turn()
            while self._later:
                self._run([])
        finally:
            self._end()
            self.wal.close()
            self._transacting.drop()

    def _probe(self) -> None:
        if self._health.has("damaged"):
            self._transacting.drop()  # what it keeps of the pages may be the damaged ones
        self.recovery.probe(self._transacting.write_nothing)
        if self._health.has("full"):
            # What was not committed may have left it large. Whether that is enough, the next probe tells.
            self.wal.checkpoint(cut=True)

    def _next_batch(self) -> tuple[list[WriteCall[Any]], bool]:
        try:
            if self._later:
                call = self._calls.get_nowait()
            else:
                call = self._calls.get(timeout=self.recovery.seconds_to_probe)
        except queue.Empty:
            return [], True
        batch: list[WriteCall[Any]] = []
        size = 0
        while call is not None:
            if call is not Wake.UP:
                batch.append(call)
                size += call.size
            if len(batch) == MOST_CALLS or size >= MOST_CHARACTERS:
                return batch, True
            try:
                call = self._calls.get_nowait()
            except queue.Empty:
                return batch, True
        return batch, False

    def _run(self, calls: list[WriteCall[Any]]) -> None:
        try:
            self._carry_out(calls)
        except BaseException as error:
            logger.exception("a fault of Stepfast's in the thread that writes, please report it")
            self._transacting.drop()
            self._fail([each for each in calls if not (each.answered or each in self._later)], error)

    def _carry_out(self, calls: list[WriteCall[Any]]) -> None:
        together: list[WriteCall[Any]] = []
        for call in calls:
            if call.last:
                self._later.append(call)
            elif call.alone:
                self._commit(together)
                together = []
                self._run_alone(call)
            else:
                together.append(call)
        self._commit(together)
        if self._later:
            # One, and then whoever has come meanwhile.
            later = self._later.popleft()
            calls.append(later)  # should something go wrong, it is answered with them
            self._run_alone(later) if later.alone else self._commit([later])

    def _run_alone(self, call: WriteCall[Any]) -> None:
        try:
            self.recovery.refuse()
            connection = self._transacting.connected()
            call.turn = WriteTurn(self._numbers, connection, self._clock.time())
            call.value = call.function(call.turn)
        except BaseException as error:
            call.error = self.recovery.explain(error)
        self._finish([call])
        self.wal.written(2)

    def _commit(self, calls: list[WriteCall[Any]], *, again: bool = False) -> None:
        """Run `calls` in one transaction, then answer them; `again`: after a commit that was lost."""
        if not calls:
            return
        try:
            self.recovery.refuse()
            if len(calls) == 1 and not again and self._commit_insert(calls[0]):
                return
            connection = self._transacting.connected()
            execute = connection.execute
            self.begin(execute)
        except BaseException as error:
            self._fail(calls, error)
            return
        counter = self._numbers.counter
        try:
            if not self._run_together(calls, connection):
                return
        except sqlite3.Error as error:
            self._fail([each for each in calls if not each.answered], error)
            return
        try:
            if len(calls) == 1 and calls[0].error is not None:
                execute("ROLLBACK")
                moved = False
            else:
                moved = self._numbers.counter != counter
                self.commit(execute, moved=moved)
        except sqlite3.Error as error:
            self._after_failed_commit(calls, error, again)
            return
        self.wal.written(len(calls))
        self._finish(calls)

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
                    call.error = self.recovery.explain(error)
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
        self.wal.written(1)
        call.answered = True
        answer([call])
        return True

    def _after_rollback(self, calls: list[WriteCall[Any]], culprit: WriteCall[Any]) -> None:
        """The transaction is gone and with it all of the batch: run each again by itself."""
        if len(calls) == 1:
            if culprit.error is None:
                culprit.error = RuntimeError("a statement ended the transaction it was part of")
            culprit.error = self.recovery.explain(culprit.error)
            self._finish(calls)
            return
        for number, call in enumerate(calls):
            self._commit([call])
            if call.error is not None and is_io(call.error.__cause__ or call.error):
                # The disk fails whoever comes; that each of 256 calls finds out for itself helps nobody.
                self._fail(calls[number + 1 :], call.error)
                return

    def _after_failed_commit(self, calls: list[WriteCall[Any]], error: sqlite3.Error, again: bool) -> None:
        if not is_io(error):
            self._fail(calls, error)
            return
        fate = self.fate() if not again else Fate.UNKNOWN
        if fate is Fate.LOST:
            self._commit(calls, again=True)
        elif fate is Fate.HELD:
            self.wal.checkpoint()  # a disk that reports an error may forget what it kept of the log
            self._finish(calls)
        else:
            if again:
                self._transacting.drop()
            self._fail(calls, self.unknown(error))

    def _fail(self, calls: list[WriteCall[Any]], error: BaseException) -> None:
        """The transaction could not begin or end: nobody's call has (certainly) happened."""
        connection = self._transacting.connection
        if connection is not None and connection.in_transaction:
            try:
                connection.execute("ROLLBACK")
            except sqlite3.Error:
                self._transacting.drop()
        if is_stale(error):
            self._transacting.drop()
        explained = self.recovery.explain(error)
        for call in calls:
            call.error, call.turn = explained, None
        self._finish(calls)

    def _finish(self, calls: list[WriteCall[Any]]) -> None:
        turns = [each.turn for each in calls if each.error is None and each.turn is not None]
        keys = frozenset().union(*(turn.keys for turn in turns)) if turns else frozenset()
        if keys:
            ready, urgent = any(turn.ready for turn in turns), any(turn.urgent for turn in turns)
            others = frozenset().union(*(turn.keys - turn.begun for turn in turns))
            self._committed(Signal(keys, ready, urgent, begun=keys - others))
        for call in calls:
            call.turn = None
            call.answered = True
        answer(calls)
