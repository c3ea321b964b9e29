"""The one thread that writes: batches of calls, one commit each. It knows no table but the counter's.

Calls queue; the thread takes all that wait and runs them between one BEGIN IMMEDIATE and one COMMIT, so
one fsync serves everybody who was waiting, and a lone caller waits for no one. Nobody is answered before
the COMMIT has returned. (`batches.py` carries them out.)
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from threading import get_ident
from typing import Any, TypeVar

from stepfast.errors import EffectRefused, StoreClosed
from stepfast.health import Health
from stepfast.interfaces import Signal
from stepfast.sqlite.file.opening import reading_connection
from stepfast.sqlite.file.place import Place
from stepfast.sqlite.log.wal import Wal
from stepfast.sqlite.reading.snapshots import Snapshots
from stepfast.sqlite.writing.batches import Batches
from stepfast.sqlite.writing.calls import Rider, Slots, Together, WriteCall, WriteTurn
from stepfast.sqlite.writing.recovering import Recovery
from stepfast.sqlite.writing.transacting import Transacting
from stepfast.system.clock import Clock
from stepfast.system.mailbox import Direct

__all__ = ["WriteTurn", "Writer"]

T = TypeVar("T")

logger = logging.getLogger("stepfast")

FAULT = "a fault of Stepfast's in the thread that writes, please report it"
# In a batch: bounds how long the first caller waits for the last. And where more than these are under way,
# the loop goes on with some of them while others are written, and neither waits for all of the other's work.
MOST_CALLS = 128
MOST_CHARACTERS = 8_000_000  # about as many: bounds how much one commit adds to the write-ahead log


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
        mailbox: has calls resolved on their loops; of the one that most are from.
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
        mailbox: Direct | None = None,
        finish: Callable[[], None] = lambda: None,
    ) -> None:
        self._path = place.path
        self._mailbox = mailbox = mailbox or Direct()
        self._place = place
        self._clock = clock
        self._health = health
        self._calls: deque[WriteCall[Any]] = deque()
        self._size = 0  # of all of them
        self._asleep = False
        self._woken = False
        self._bell: queue.SimpleQueue[None] = queue.SimpleQueue()  # rung where the thread is asleep
        self._later: deque[WriteCall[Any]] = deque()
        self._closed = False
        # Held to queue a call, and to take them. Once closed, nothing is queued: nobody would answer it.
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
            let_go=mailbox.let_go,
        )
        self._riders: deque[Rider[Any]] = deque()
        self._batches = Batches(
            self.transacting, self.recovery, self.wal, clock, committed, self._riders, mailbox
        )
        self._thread = threading.Thread(target=self._work, name="stepfast-writer", daemon=True)
        self._thread.start()
        self._ident = self._thread.ident

    def do(
        self,
        function: Callable[[WriteTurn], T],
        *,
        last: bool = False,
        together: Together | None = None,
        size: int = 0,
    ) -> asyncio.Future[T]:
        """Run `function` in the next commit; the future is answered when that commit is on disk.

        `together`: may be tried in the place of `function` where there are others of its kind.
        `last`: housekeeping, for which nobody should have to wait. It is a commit of its own, behind all that
        was waiting with it, so that whoever comes meanwhile waits for this one commit and for no second.
        `size`: about how many characters it writes, where they may be many.
        Cancelling the future does not take the call back: it may have been committed already.
        """
        call = WriteCall(function)
        call.last, call.together, call.size = last, together, size
        return self.put(call)

    def alone(self, function: Callable[[WriteTurn], T], *, last: bool = False) -> asyncio.Future[T]:
        """Run `function` on this thread outside any batch: it brings its own connection and transaction."""
        call = WriteCall(function)
        call.alone, call.last = True, last
        return self.put(call)

    def along(self, function: Callable[[WriteTurn], T], slots: Callable[[], Slots | None]) -> Rider[T]:
        """Run `function` with the next call that makes something ready, behind it and in its commit.

        Until then it waits, and can be taken back by `take_back`. `slots`: as `Rider` has it.
        """
        rider = Rider(function, slots)
        with self._gate:
            if self._closed:
                raise StoreClosed(f"{self._path} was closed")
            self._riders.append(rider)
        return rider

    def take_back(self, rider: Rider[Any]) -> bool:
        """Let a call of `along` be; False where its commit is under way, or was: then it is answered."""
        if not rider.stay():
            return False
        with contextlib.suppress(ValueError):
            self._riders.remove(rider)
        return True

    def put(self, call: WriteCall[T]) -> asyncio.Future[T]:
        """As `do`, with the call itself."""
        if get_ident() == self._ident:
            # Code of a user's runs here, and would wait for itself; nobody could write any more.
            raise EffectRefused(
                "an effect may not ask the engine for anything, which waits until the effect is done"
            )
        with self._gate:
            if self._closed:
                raise StoreClosed(f"{self._path} was closed")
            self._calls.append(call)
            if call.size:
                self._size += call.size
            if self._asleep:
                self._ring()
        return call.future

    def _ring(self) -> None:
        self._asleep = False
        self._bell.put(None)

    def hurry(self) -> None:
        """The program is ending: wait for a foreign lock for half a second at most, from now on."""
        self.transacting.hurried = True

    def close(self) -> None:
        """Finish what is queued, checkpoint and close; blocks until that is done."""
        with self._gate:
            self._closed = True
            if self._asleep:
                self._ring()
        self._thread.join()

    def wake(self) -> None:
        """From any thread: look whether there is something else to do than calls."""
        with self._gate:
            self._woken = True
            if self._asleep:
                self._ring()

    def _explain_elsewhere(self, error: BaseException) -> BaseException:
        """What went wrong on another thread; this one finds out when it is over."""
        explained = self.recovery.explain(error)
        self.wake()
        return explained

    # --- the thread -------------------------------------------------------------------------------

    def _work(self) -> None:
        self._mailbox.hold()  # until the next batch is on its way, or there is none
        try:
            going = True
            while going:
                batch, going = self._next_batch()
                if self._place.is_due():
                    self._besides(self._look)
                if batch or self._later:
                    self._run(batch)
                if self._health.stops_work:
                    self._mailbox.let_go()
                    self._besides(self._probe)
            self._mailbox.let_go()
            while self._later:
                self._run([])
        finally:
            riders: list[WriteCall[Any]] = [each for each in self._riders if each.go()]
            self._batches.fail(riders, StoreClosed(f"{self._path} was closed"))
            self._mailbox.let_go()
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
        self.recovery.look(self.transacting.connection, self._clock.time())

    def _probe(self) -> None:
        if self.recovery.seconds_to_probe != 0:
            return
        if self.transacting.hurried and self._health.has("locked"):
            return  # each look waits for that lock
        self.recovery.probe(self._write_nothing)
        if self._health.has("full"):
            # What was not committed may have left it large. Whether that is enough, the next probe tells.
            self.wal.checkpoint(cut=True)

    def _write_nothing(self) -> None:
        if self._health.has("damaged"):
            self.transacting.drop()  # what it keeps of the pages may be the damaged ones
        self.transacting.write_nothing()

    def _next_batch(self) -> tuple[list[WriteCall[Any]], bool]:
        """What is carried out next, perhaps nothing; and whether there may be more."""
        with self._gate:
            self._asleep = waits = not (self._calls or self._later or self._woken or self._closed)
        self._besides(partial(self.wal.turn, idle=waits))  # which lets go, as soon as it may
        if waits:
            self._mailbox.let_go()
            if not self._wait():
                return [], True
        with self._gate:
            self._woken = False
            batch = self._take()
            return batch, bool(self._calls) or not self._closed

    def _wait(self) -> bool:
        """Sleep until the bell is rung; False where it was not, and there is something else to do."""
        try:
            self._bell.get(timeout=self._seconds_to_look())
        except queue.Empty:
            with self._gate:
                rung, self._asleep = not self._asleep, False
            if rung:
                self._bell.get()  # it was, at that very moment
            if self.wal.tell_after is not None:
                self.wal.tell()
            return rung
        return True

    def _take(self) -> list[WriteCall[Any]]:
        calls = self._calls
        if len(calls) <= MOST_CALLS and self._size < MOST_CHARACTERS:
            batch = [*calls]
            calls.clear()
            self._size = 0
            return batch
        batch, size = [], 0
        while calls and len(batch) < MOST_CALLS and size < MOST_CHARACTERS:
            batch.append(calls.popleft())
            size += batch[-1].size
        self._size -= size
        return batch

    def _seconds_to_look(self) -> float | None:
        """Without calls, until there is something else to do."""
        to_probe, to_tell = self.recovery.seconds_to_probe, self.wal.tell_after
        if to_probe is None or to_tell is None:
            return to_tell if to_probe is None else to_probe
        return min(to_probe, to_tell)

    def _run(self, calls: list[WriteCall[Any]]) -> None:
        self.wal.writing = True
        try:
            self._carry_out(calls)
        except BaseException as error:
            logger.exception(FAULT)
            self.transacting.drop()
            taken = [*calls, *filter(None, [self._batches.ridden])]
            self._batches.fail([each for each in taken if not (each.answered or each in self._later)], error)
        finally:
            self.wal.writing = False

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
