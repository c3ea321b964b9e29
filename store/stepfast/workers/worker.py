"""The worker: the loop that takes what is ready and has passes made of it. It knows storage and no tasks.

It sleeps until something happens: a commit, of this process or of another that rang, made something ready
or woke what it runs; a timer is due; or it is time to look whether an owner has died.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from stepfast.definitions.definition import Registry
from stepfast.errors import Fenced, StoreError
from stepfast.interfaces import Begun, Durable, Signal
from stepfast.system.clock import LONGEST_WAIT, Clock, SystemClock
from stepfast.system.threads import Threads
from stepfast.workers.advancing import Advancing
from stepfast.workers.keeping import Keeping
from stepfast.workers.offering import limit, limit_queue, offered_by
from stepfast.workers.standing import StandingBy
from stepfast.workers.strays import Strays

__all__ = ["Worker"]

logger = logging.getLogger("stepfast")

FAULT_PAUSE = 1.0
# The net under the doorbells.
POLL_SECONDS = 30.0
# Of the loop, from a claim to the first line of the body.
TURNS_TO_BODY = 2
NO_QUEUES: Mapping[str, int] = MappingProxyType({})


class Worker:
    """Runs the workflows of `registry` that are ready in `durable`, until it is stopped.

    Args:
        durable: the store.
        registry: what it can run; nothing else is taken.
        clock: the store's clock.
        concurrency: how many workflows at once.
        threads: how many steps on threads at once.
        processes: how many steps in processes at once; None for one a processor, and at least 2.
        command: what would start a program like this one; shown where nobody alive can run something.
        queues: how many workflows of a queue run at once; of one that is not here, any number.
        keeping: where the secrets of inputs are. Without a keeper, nothing that has secrets is taken.
    """

    def __init__(
        self,
        durable: Durable,
        registry: Registry,
        *,
        clock: Clock | None = None,
        concurrency: int = 256,
        threads: int = 16,
        processes: int | None = None,
        command: str = "",
        queues: Mapping[str, int] = NO_QUEUES,
        keeping: Keeping | None = None,
    ) -> None:
        keeping = Keeping(durable, None) if keeping is None else keeping
        self._durable = durable
        self._registry = registry
        self._clock = clock or SystemClock()
        self._concurrency = concurrency
        self._threads: Threads[None] = Threads("stepfast-step", threads, prepare=lambda: None)
        self._command = command
        self._offered = offered_by(registry, queues, secrets=keeping.possible)
        if not keeping.possible and registry.secretive:
            names = ", ".join(sorted({name for name, _ in registry.secretive}))
            logger.warning("not carried out here, for want of a keeper of secrets: %s", names)
        self.taken_over: list[str] = []
        """The ids of workflows that were held by engines which died, in the order they were taken over."""
        self.took_over: list[Callable[[], object]] = []
        """Called, each of them, when there are more of these."""
        self.begun = False
        """Has it said what it can carry out, and taken over what those have left that died before?"""
        self._begun_or_over = asyncio.Event()
        self._introduced = False
        self._complained = ""
        self._event = asyncio.Event()
        self._ready = True
        self._refresh = True
        self._stopping = False
        self._patience: asyncio.Timeout | None = None
        self._asked_to_stop = asyncio.Event()
        self._standing = StandingBy(self._begin_next, self._stood_in_vain, self._event.set)
        self._strays = Strays(durable, self._clock)
        self._advancing = Advancing(
            durable,
            registry,
            self._clock,
            keeping,
            self._threads,
            processes,
            self._strays,
            look=self._look_soon,
            wake=self._event.set,
        )
        self._next_due: float | None = None
        self._looked = self._polled = self._beaten = self._clock.monotonic()
        self._idle = asyncio.Event()
        self._ended = asyncio.Event()
        self._ended.set()

    async def run(self) -> None:
        """Work until `stop`. What fails in the store is logged and tried again."""
        stop_listening = self._durable.listen(self._hear)
        self._ended.clear()
        try:
            await self._step(self._take_over())
            while True:
                self._event.clear()
                await self._step(self._turn())
                if self._stopping:
                    return
                if not self._can_take:
                    self._stand_by()
                    seconds = self._seconds_to_wait()
                    logger.debug("nothing to be done for %.1f seconds, unless something wakes this", seconds)
                    await self._clock.wait(self._event, seconds)
        finally:
            stop_listening()
            self._standing.cancel()
            self._ended.set()
            self._begun_or_over.set()

    async def until_begun(self) -> None:
        """Return once it has `begun`, or was stopped before that."""
        await self._begun_or_over.wait()

    async def until_idle(self) -> None:
        """Return once nothing runs here and nothing that this worker can run is ready."""
        await self._idle.wait()

    async def stop(self, patience: timedelta) -> bool:
        """Park what runs; returns False where a step did not let go within `patience`.

        The claims of those stay: their steps still run, so nobody else may run them yet.
        """
        self._stopping = True
        self._asked_to_stop.set()
        self._advancing.park()
        self._event.set()
        try:
            async with asyncio.timeout(patience.total_seconds()) as self._patience:
                # What it is about to begin, it hands over first.
                await self._ended.wait()
                await self._standing.wait()
                await self._advancing.until_ended()
        except TimeoutError:
            self._durable.hurry()  # they may be waiting for another program's lock
        stuck = await self._advancing.leave_behind()
        self._threads.close()
        return not stuck

    def hurry(self, patience: timedelta) -> None:
        """Let `stop`, which waits, wait no longer than this from now."""
        waiting = self._patience
        if waiting is None or waiting.expired() or (end := waiting.when()) is None:
            return
        with suppress(RuntimeError):  # it has waited by now
            waiting.reschedule(min(end, asyncio.get_running_loop().time() + patience.total_seconds()))

    # --- the loop ---------------------------------------------------------------------------------

    @property
    def _can_take(self) -> bool:
        free = self._advancing.count < self._concurrency
        return self._ready and free and not self._durable.health.stops_work

    @property
    def concurrency(self) -> int:
        """How many workflows run here at once. Where it becomes less, what runs goes on to its end."""
        return self._concurrency

    @concurrency.setter
    def concurrency(self, most: int) -> None:
        self._concurrency = most
        self._standing.cancel()
        self._take_soon()

    @property
    def running(self) -> int:
        """How many workflows run here now."""
        return self._advancing.count

    @property
    def _room(self) -> int:
        return max(0, self._concurrency - self._advancing.count - self._standing.slots)

    def limit(self, name: str, at_once: int | None) -> None:
        """From now on so many workflows of that name run at once, if its definition lets as many; what runs
        goes on. None for what the definition says."""
        limit(self._offered, self._registry, name, at_once)
        self._offer_anew()

    def limit_queue(self, queue: str, at_once: int | None) -> None:
        """From now on so many workflows of that queue run at once; what runs goes on. None for any number."""
        limit_queue(self._offered, queue, at_once)
        self._offer_anew()

    def _offer_anew(self) -> None:
        self._introduced = False
        self._take_soon()

    def _take_soon(self) -> None:
        self._ready = True
        self._event.set()

    def _look_soon(self) -> None:
        self._refresh = True
        self._event.set()

    def _hear(self, signal: Signal) -> None:
        if signal.condition:
            self._advancing.look_at_health()
            if self._durable.health.stops_work:
                self._standing.cancel()
            self._event.set()
            return
        if signal.ready:
            logger.debug("woken: something is ready")
            self._idle.clear()
            if signal.begun is self._offered:
                self._standing.begins()
            else:
                self._ready = True
        told = None if signal.keys is None else signal.keys - signal.went_on
        if self._advancing.hear(told):
            self._refresh = True
        if self._ready or self._refresh:
            self._event.set()

    async def _step(self, part: Any) -> None:
        """Await a part of the loop; an error of the environment costs a pause, not the worker."""
        try:
            await part
            self._complained = ""
        except StoreError as error:
            if self._durable.health.stops_work:
                self._ready = self._refresh = True  # once it does not; it is said there
                return
            if str(error) != self._complained:  # once, and not each time that it is tried again
                logger.error("the store cannot be used at the moment: %s", error)
                self._complained = str(error)
            await self._pause()
        except Exception:
            logger.exception("a fault of Stepfast's in the worker, please report it; the worker goes on")
            await self._pause()

    async def _pause(self) -> None:
        self._ready = self._refresh = True
        # Nobody who closes the engine waits for it: on a clock that stands still, that would be for ever.
        await self._clock.wait(self._asked_to_stop, FAULT_PAUSE)

    async def _turn(self) -> None:
        if self._durable.health.stops_work:
            # Nothing is taken, and what runs keeps what it has. The store finds out when that is over.
            self._ready = self._refresh = True
            await self._beat()
            return
        if not self._introduced:
            offered = [*self._offered]
            await self._durable.offer(offered, self._command)
            self._introduced = offered == self._offered  # by now another limit may hold
        now = self._clock.monotonic()
        if now - self._looked >= self._durable.look_every:
            self._looked = now
            await self._take_over()
        if not self.begun:
            self.begun = True
            self._begun_or_over.set()
        if now - self._polled >= POLL_SECONDS:
            self._polled = now
            await self._durable.poll()
        await self._beat()
        if self._next_due is not None and self._next_due <= self._clock.time():
            self._next_due, self._ready = None, True
            if not self._room:
                # Nothing can be taken; but a schedule that is due is started now, or it would be missed.
                await self._durable.begin(self._offered, 0)
                self._refresh = True
        if self._ready:
            await self._take()
            await self._let_bodies_begin()
        if self._refresh or self._strays.look_at <= self._clock.monotonic():
            await self._look()
        self._advancing.wake_what_is_due()
        if not (self._advancing.count or self._ready or self._standing.beginning):
            self._idle.set()

    async def _take_over(self) -> None:
        if taken := await self._durable.takeover():
            logger.info("taken over, since the program that held it is gone: %s", ", ".join(taken))
            self.taken_over += taken
            for each in [*self.took_over]:
                each()

    async def write_notes(self, patience: timedelta) -> bool:
        """Have what runs set its bookmarks and write them; returns whether all did within `patience`."""
        return await self._advancing.write_notes(patience.total_seconds())

    async def _beat(self) -> None:
        """Show that this engine lives, if it can do nothing else; what could not be written is still owed."""
        if self._advancing.count and self._clock.monotonic() - self._beaten >= self._durable.beat_every:
            await self._durable.beat()
            self._beaten = self._clock.monotonic()

    async def _take(self) -> None:
        if not self._room and self._standing.slots:
            # The last slots are for what is ready now, not for what may come.
            self._standing.cancel()
            await self._standing.wait()
        room = self._room
        if not room or self._durable.health.stops_work:
            return
        self._ready = False
        self._idle.clear()
        begun = await self._durable.begin(self._offered, room)
        await self._start_all(begun)
        if len(begun) == room:
            self._ready = True  # there may be more, for whoever ends first
        self._refresh = True  # for the next timer

    async def _start_all(self, begun: list[Begun]) -> None:
        for each in begun:
            with suppress(Fenced, StoreError):  # what cannot be handed over goes when this engine goes
                await self._advancing.take(each)

    async def _let_bodies_begin(self) -> None:
        for _ in range(TURNS_TO_BODY):
            await asyncio.sleep(0)  # what was taken first: its body is on its way

    def _stand_by(self) -> None:
        """Have what becomes ready next begun in the very commit that makes it so, which saves one more.

        Most slots that are free are kept for it, until they are wanted for what others made ready.
        """
        free = self._room + self._standing.slots
        if free > 1 and not self._durable.health.stops_work:
            self._standing.start(free)

    async def _begin_next(self, slots: int) -> None:
        await self._start_all(await self._durable.begin_next(self._offered, slots))
        # What was heard of these before they were known here is looked up, as after any other beginning.
        self._refresh = True
        await self._let_bodies_begin()

    async def _stood_in_vain(self) -> None:
        self._event.set()
        await self._pause()

    async def _look(self) -> None:
        """Pass on what the file has for the workflows held here, and note when the next timer is due."""
        self._refresh = False
        # What is begun while the file is read may not be in what was read of it.
        before, asked = self._advancing.active, self._clock.monotonic()
        look = await self._durable.look()
        self._next_due = look.next_due
        await self._advancing.compare(look.held, before)
        if strays := self._strays.among(look.held, asked):
            # This loop begins nothing meanwhile. Once nothing stands by either, no answer is on its way.
            self._standing.cancel()
            await self._standing.wait()
            await self._strays.give_back(strays)

    def _seconds_to_wait(self) -> float:
        monotonic, now = self._clock.monotonic(), self._clock.time()
        if self._durable.health.stops_work:
            beat_in = self._beaten + self._durable.beat_every - monotonic
            return max(FAULT_PAUSE, beat_in) if self._advancing.count else LONGEST_WAIT
        waits = [self._looked + self._durable.look_every - monotonic, self._polled + POLL_SECONDS - monotonic]
        if self._advancing.count:
            waits.append(self._beaten + self._durable.beat_every - monotonic)
        if self._next_due is not None:
            waits.append(self._next_due - now)
        waits.extend(moment - now for moment in self._advancing.moments())
        waits.append(self._strays.look_at - monotonic)
        return max(0.0, min(waits))
