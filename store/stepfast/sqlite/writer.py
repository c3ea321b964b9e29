"""The one thread that writes: batches of calls, one commit each. It knows no table but the counter's.

Calls queue; the thread takes all that wait and runs them between one BEGIN IMMEDIATE and one COMMIT, so
one fsync serves everybody who was waiting, and a lone caller waits for no one. Nobody is answered before
the COMMIT has returned. (`batches.py` carries them out.)
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
from stepfast.errors import StoreClosed
from stepfast.health import Health
from stepfast.interfaces import Signal
from stepfast.sqlite.batches import Batches
from stepfast.sqlite.calls import Insert, WriteCall, WriteTurn
from stepfast.sqlite.opening import reading_connection
from stepfast.sqlite.place import Place
from stepfast.sqlite.recovering import Recovery
from stepfast.sqlite.snapshots import Snapshots
from stepfast.sqlite.transacting import Transacting
from stepfast.sqlite.wal import Wal

__all__ = ["WriteTurn", "Writer"]

T = TypeVar("T")

logger = logging.getLogger("stepfast")

FAULT = "a fault of Stepfast's in the thread that writes, please report it"
MOST_CALLS = 256  # in a batch: bounds how long the first caller waits for the last
MOST_CHARACTERS = 8_000_000  # about as many: bounds how much one commit adds to the write-ahead log
QUIET_SECONDS = 0.05  # from here on another thread that wants the interpreter's lock is in nobody's way


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
        self._health = health
        self._calls: queue.SimpleQueue[WriteCall[Any] | Wake | None] = queue.SimpleQueue()
        self._later: deque[WriteCall[Any]] = deque()
        self._closed = False
        # Nothing is queued behind what tells the thread to end, where nobody would answer it.
        self._gate = threading.Lock()
        self.recovery = Recovery(place, health)
        self.transacting = Transacting(self._path, open_connection, version, health, self.recovery)
        self._end = finish
        self.wal = Wal(
            self._path,
            open_connection,
            health,
            wake=self.wake,
            allowed=lambda: self.recovery.may_write,
            explain=self._explain_elsewhere,
            snapshots=snapshots,
            open_reading=lambda: place.connect(reading_connection),
        )
        self._batches = Batches(self.transacting, self.recovery, self.wal, clock, committed)
        self._thread = threading.Thread(target=self._work, name="stepfast-writer", daemon=True)
        self._thread.start()

    def do(
        self,
        function: Callable[[WriteTurn], T],
        *,
        last: bool = False,
        insert: Insert | None = None,
        size: int = 0,
        given_back: Callable[[T], object] | None = None,
    ) -> asyncio.Future[T]:
        """Run `function` in the next commit; the future is answered when that commit is on disk.

        `insert`, where it is given, is tried in the place of `function`: alone as a commit of its own, with
        others of its kind as one statement.
        `last`: housekeeping, for which nobody should have to wait. It is a commit of its own, behind all that
        was waiting with it, so that whoever comes meanwhile waits for this one commit and for no second.
        `size`: about how many characters it writes, where they may be many.
        Cancelling the future does not take the call back: it may have been committed already. `given_back`
        is then called with what came of it, for a value that must not be lost (a claim that nobody knows of).
        """
        return self._put(
            WriteCall(function, alone=False, last=last, insert=insert, size=size, given_back=given_back)
        )

    def alone(self, function: Callable[[WriteTurn], T], *, last: bool = False) -> asyncio.Future[T]:
        """Run `function` on this thread outside any batch: it brings its own connection and transaction."""
        return self._put(WriteCall(function, alone=True, last=last))

    def _put(self, call: WriteCall[T]) -> asyncio.Future[T]:
        with self._gate:
            if self._closed:
                raise StoreClosed(f"{self._path} was closed")
            self._calls.put(call)
        return call.future

    def hurry(self) -> None:
        """The program is ending: do not wait for a foreign lock as long as otherwise."""
        self.transacting.hurried = True

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

    # --- the thread -------------------------------------------------------------------------------

    def _work(self) -> None:
        try:
            going = True
            while going:
                batch, going = self._next_batch()
                self._besides(self._look)
                if batch or self._later:
                    self._run(batch)
                self._besides(self._probe)
                self._besides(self.wal.turn)
            while self._later:
                self._run([])
        finally:
            self._end()
            self.wal.close()
            self.transacting.drop()

    def _besides(self, what: Callable[[], None]) -> None:
        """Do something that nobody waits for, and whose failure must not end the thread."""
        try:
            what()
        except Exception:
            logger.exception(FAULT)

    def _look(self) -> None:
        if self._place.is_due():
            self.recovery.look(self.transacting.connection, self._clock.time())

    def _probe(self) -> None:
        if not (self._health.stops_work and self.recovery.seconds_to_probe == 0):
            return
        self.recovery.probe(self._write_nothing)
        if self._health.has("full"):
            # What was not committed may have left it large. Whether that is enough, the next probe tells.
            self.wal.checkpoint(cut=True)

    def _write_nothing(self) -> None:
        if self._health.has("damaged"):
            self.transacting.drop()  # what it keeps of the pages may be the damaged ones
        self.transacting.write_nothing()

    def _next_batch(self) -> tuple[list[WriteCall[Any]], bool]:
        try:
            if self._later:
                call = self._calls.get_nowait()
            else:
                call = self._calls.get(timeout=self._seconds_to_look())
        except queue.Empty:
            if self.wal.untold:
                self.wal.tell()
            return [], True
        batch: list[WriteCall[Any]] = []
        size = 0
        while call is not None:
            if call is not Wake.UP:
                batch.append(call)
                size += call.size
            if len(batch) == MOST_CALLS or size >= MOST_CHARACTERS or self._calls.empty():
                return batch, True
            call = self._calls.get_nowait()  # which no other thread takes from
        return batch, False

    def _seconds_to_look(self) -> float | None:
        """Without calls, until there is something else to do."""
        to_probe = self.recovery.seconds_to_probe
        if not self.wal.untold:
            return to_probe
        return QUIET_SECONDS if to_probe is None else min(QUIET_SECONDS, to_probe)

    def _run(self, calls: list[WriteCall[Any]]) -> None:
        try:
            self._carry_out(calls)
        except BaseException as error:
            logger.exception(FAULT)
            self.transacting.drop()
            self._batches.fail([each for each in calls if not (each.answered or each in self._later)], error)

    def _carry_out(self, calls: list[WriteCall[Any]]) -> None:
        together: list[WriteCall[Any]] = []
        for call in calls:
            if call.last:
                self._later.append(call)
            elif call.alone:
                self._batches.commit(together)
                together = []
                self._batches.run_alone(call)
            else:
                together.append(call)
        self._batches.commit(together)
        if self._later:
            # One, and then whoever has come meanwhile.
            later = self._later.popleft()
            calls.append(later)  # should something go wrong, it is answered with them
            self._batches.run_alone(later) if later.alone else self._batches.commit([later])
