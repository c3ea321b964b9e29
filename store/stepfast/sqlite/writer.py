"""The one thread that writes: batches of calls, one commit each. It knows no table but the counter's.

Calls queue; the thread takes all that wait and runs them between one BEGIN IMMEDIATE and one COMMIT, so
one fsync serves everybody who was waiting, and a lone caller waits for no one. Nobody is answered before
the COMMIT has returned.

A statement can roll back the whole transaction without saying so (a full disk, an I/O error, memory, an
interrupt: https://sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction). So the thread
looks at `in_transaction` after each call; where it is gone, every call of the batch is run again on its
own, since none of them has happened.

A call that is one INSERT, and alone, is a commit of its own: each statement gives up the interpreter's lock
and has to get it back, which beside a busy thread costs up to 5 ms, so one statement is better than five.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from stepfast.clock import Clock
from stepfast.errors import Newer, StoreClosed
from stepfast.interfaces import Signal
from stepfast.sqlite import statements
from stepfast.sqlite.faults import TheirError, is_io, translate
from stepfast.sqlite.wal import Wal
from stepfast.threads import Call, answer

__all__ = ["WriteTurn", "Writer"]

T = TypeVar("T")

# Runs a statement of the engine's on some connection, and gives its rows.
Execute = Callable[..., Iterable[tuple[Any, ...]]]

MOST_CALLS = 256  # in a batch: bounds how long the first caller waits for the last
IDLE_SECONDS = 1.0  # with something in the WAL, the thread waits this long for more, then checkpoints
BUSY_ROUNDS = 12  # of the connection's busy timeout (5 s), until a foreign lock is an error


class WriteTurn:
    """One call's turn at the write connection, inside the batch's transaction."""

    __slots__ = ("_writer", "connection", "keys", "now", "ready", "urgent")

    def __init__(self, writer: Writer, connection: sqlite3.Connection, now: float) -> None:
        self._writer = writer
        self.connection = connection
        self.now = now
        self.keys: set[int] = set()
        self.ready = False
        self.urgent = False

    def execute(self, sql: str, parameters: Any = ()) -> list[tuple[Any, ...]]:
        """Run one statement to its end and return its rows."""
        return self.connection.execute(sql, parameters).fetchall()

    def number(self) -> int:
        """The next number of the file's one counter: tokens, receipts, positions, changes."""
        return self._writer.next_number()

    def changed(self, key: int, *, ready: bool = False, urgent: bool = False) -> None:
        """Tell listeners, once this is committed, that the row `key` changed.

        `ready`: a workflow, or a timer, is for a worker to see; `urgent`: somebody waits for this.
        """
        self.keys.add(key)
        self.ready = self.ready or ready
        self.urgent = self.urgent or ready or urgent


# Carries out a call by one statement in autocommit and gives its value, or None where that does not do.
Single = Callable[[sqlite3.Connection, float], Any]


class WriteCall(Call[T]):
    """`many`: it has more than one statement, so beside others it needs a savepoint."""

    __slots__ = ("alone", "many", "single", "turn")

    def __init__(
        self, function: Callable[[WriteTurn], T], *, many: bool, alone: bool, single: Single | None = None
    ) -> None:
        super().__init__(function)
        self.many = many
        self.alone = alone
        self.single = single
        self.turn: WriteTurn | None = None


class Writer:
    """The write connection and its thread.

    Args:
        path: the file, which has been opened and migrated already.
        open_connection: makes a write connection; called again after an I/O error.
        clock: binds `now`.
        version: the schema version of this program; a file that has another is not written to.
        committed: called on this thread after each commit that changed rows.
    """

    def __init__(
        self,
        path: Path,
        open_connection: Callable[[], sqlite3.Connection],
        clock: Clock,
        version: int,
        committed: Callable[[Signal], None],
    ) -> None:
        self._path = path
        self._open = open_connection
        self._clock = clock
        self._version = version
        self._committed = committed
        self._calls: queue.SimpleQueue[WriteCall[Any] | None] = queue.SimpleQueue()
        self._closed = False
        # Nothing is queued behind what tells the thread to end, where nobody would answer it.
        self._gate = threading.Lock()
        self._busy_rounds = BUSY_ROUNDS
        self._counter = 0
        self._wal = Wal(path, open_connection)
        self._connection: sqlite3.Connection | None = open_connection()
        self._thread = threading.Thread(target=self._work, name="stepfast-writer", daemon=True)
        self._thread.start()

    def do(
        self, function: Callable[[WriteTurn], T], *, many: bool = False, single: Single | None = None
    ) -> asyncio.Future[T]:
        """Run `function` in the next commit; the future is answered when that commit is on disk.

        `single` is tried instead where the call would be alone in that commit: an INSERT that checks what
        `begin` checks, does nothing where `function` would not succeed, and may be tried twice.
        Cancelling the future does not take the call back: it may have been committed already.
        """
        return self._put(WriteCall(function, many=many, alone=False, single=single))

    def alone(self, function: Callable[[WriteTurn], T]) -> asyncio.Future[T]:
        """Run `function` on this thread outside any batch: it brings its own connection and transaction."""
        return self._put(WriteCall(function, many=True, alone=True))

    def _put(self, call: WriteCall[T]) -> asyncio.Future[T]:
        with self._gate:
            if self._closed:
                raise StoreClosed(f"{self._path} was closed")
            self._calls.put(call)
        return call.future

    def hurry(self) -> None:
        """The program is ending: do not wait for a foreign lock as long as otherwise."""
        self._busy_rounds = 1

    def close(self) -> None:
        """Finish what is queued, checkpoint and close; blocks until that is done."""
        with self._gate:
            if not self._closed:
                self._closed = True
                self._calls.put(None)
        self._thread.join()

    def next_number(self) -> int:
        self._counter += 1
        return self._counter

    # --- the thread -------------------------------------------------------------------------------

    def _work(self) -> None:
        try:
            going = True
            while going:
                batch, going = self._next_batch()
                if batch:
                    self._run(batch)
                if self._wal.due:
                    self._wal.checkpoint(self._connection)
        finally:
            self._wal.checkpoint(self._connection)
            self._wal.close()
            if self._connection is not None:
                self._connection.close()

    def _next_batch(self) -> tuple[list[WriteCall[Any]], bool]:
        try:
            first = self._calls.get(timeout=IDLE_SECONDS if self._wal.holds_something else None)
        except queue.Empty:
            self._wal.checkpoint(self._connection)
            return [], True
        batch: list[WriteCall[Any]] = []
        call = first
        while call is not None:
            batch.append(call)
            if len(batch) == MOST_CALLS:
                return batch, True
            try:
                call = self._calls.get_nowait()
            except queue.Empty:
                return batch, True
        return batch, False

    def _run(self, calls: list[WriteCall[Any]]) -> None:
        together: list[WriteCall[Any]] = []
        for call in calls:
            if call.alone:
                self._commit(together)
                together = []
                self._run_alone(call)
            else:
                together.append(call)
        self._commit(together)

    def _run_alone(self, call: WriteCall[Any]) -> None:
        try:
            call.turn = WriteTurn(self, self._connected(), self._clock.time())
            call.value = call.function(call.turn)
        except BaseException as error:
            call.error = self._explain(error)
        self._finish([call])
        self._wal.written(2)

    def _commit(self, calls: list[WriteCall[Any]]) -> None:
        """Run `calls` in one transaction, then answer them."""
        if not calls or (len(calls) == 1 and self._commit_single(calls[0])):
            return
        try:
            connection = self._connected()
            execute = connection.execute
            self.begin(execute)
        except BaseException as error:
            self._fail(calls, error)
            return
        lone = len(calls) == 1
        counter = self._counter
        now = self._clock.time()
        for call in calls:
            call.error = None
            call.turn = WriteTurn(self, connection, now)
            savepoint = call.many and not lone
            try:
                if savepoint:
                    execute("SAVEPOINT call")
                call.value = call.function(call.turn)
                if savepoint:
                    execute("RELEASE call")
            except BaseException as error:
                call.error = self._explain(error)
                if savepoint and connection.in_transaction:
                    execute("ROLLBACK TO call")
                    execute("RELEASE call")
            if not connection.in_transaction:
                self._after_silent_rollback(calls, call)
                return
        try:
            if lone and calls[0].error is not None:
                execute("ROLLBACK")
            else:
                self.commit(execute, moved=self._counter != counter)
        except BaseException as error:
            self._fail(calls, error)
            return
        self._wal.written(len(calls))
        self._finish(calls)

    def _commit_single(self, call: WriteCall[Any]) -> bool:
        """Try a call as one statement that is its own commit; False where it takes the longer way."""
        if call.single is None or self._connection is None:
            return False
        try:
            call.value = call.single(self._connection, self._clock.time())
        except sqlite3.Error:
            return False  # in the longer way it happens again, or is explained
        if call.value is None:
            return False
        self._wal.written(1)
        answer([call])
        return True

    def begin(self, execute: Execute) -> None:
        """Take the write lock, then read version and counter as they are under it."""
        for rounds_left in reversed(range(self._busy_rounds)):
            try:
                execute("BEGIN IMMEDIATE")
                break
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or not rounds_left:
                    raise
        ((version, self._counter),) = execute(statements.META)
        if version != self._version:
            execute("ROLLBACK")
            raise Newer(
                f"{self._path} was migrated to schema {version} by a newer Stepfast while this one (schema "
                f"{self._version}) had it open; nothing was written: restart with the newer version"
            )

    def commit(self, execute: Execute, *, moved: bool) -> None:
        """End the transaction of `begin`, with the counter where it is now."""
        if moved:
            execute(statements.KEEP_COUNTER, {"counter": self._counter})
        execute("COMMIT")

    def _after_silent_rollback(self, calls: list[WriteCall[Any]], culprit: WriteCall[Any]) -> None:
        """The transaction is gone and with it all of the batch: run each again by itself."""
        if len(calls) == 1:
            if culprit.error is None:
                culprit.error = RuntimeError("a statement ended the transaction it was part of")
            self._finish(calls)
            return
        for call in calls:
            self._commit([call])

    def _fail(self, calls: list[WriteCall[Any]], error: BaseException) -> None:
        """The transaction could not begin or end: nobody's call has (certainly) happened."""
        connection = self._connection
        if connection is not None and is_io(error):
            # Its frames may lie in the WAL all the same, and this connection no longer knows: a new one does.
            self._connection = None
            connection.close()
        elif connection is not None and connection.in_transaction:
            connection.execute("ROLLBACK")
        explained = self._explain(error)
        for call in calls:
            call.error, call.turn = explained, None
        self._finish(calls)

    def _connected(self) -> sqlite3.Connection:
        """The write connection, made anew where an I/O error has cost it; raises as opening does."""
        if self._connection is None:
            self._connection = self._open()
        return self._connection

    def _explain(self, error: BaseException) -> BaseException:
        if isinstance(error, TheirError):
            return error.error
        return translate(error, self._path) if isinstance(error, sqlite3.Error) else error

    def _finish(self, calls: list[WriteCall[Any]]) -> None:
        turns = [each.turn for each in calls if each.error is None and each.turn is not None]
        keys = frozenset().union(*(turn.keys for turn in turns)) if turns else frozenset()
        if keys:
            ready, urgent = any(turn.ready for turn in turns), any(turn.urgent for turn in turns)
            self._committed(Signal(keys, ready, urgent))
        for call in calls:
            call.turn = None
        answer(calls)
