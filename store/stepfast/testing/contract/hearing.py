"""Listeners: called after each commit, on their own loop; and `poll`, which brings what others committed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from stepfast.interfaces import Durable, Notes, Settlement, Signal
from stepfast.testing.contract.stores import JOB, WAIT, Stores, begun, finish, only, start, state
from stepfast.views import Progress

PATIENCE = 60.0
"""Real seconds within which a listener must have been called; it is over at the first call that fits."""


class _Ear:
    """A listener, and a way to wait for what it is told."""

    def __init__(self) -> None:
        self.signals: list[Signal] = []
        self.threads: set[int] = set()
        self._called = asyncio.Event()

    def __call__(self, signal: Signal) -> None:
        self.signals.append(signal)
        self.threads.add(threading.get_ident())
        self._called.set()

    async def hear(self, fits: Callable[[Signal], bool], what: str) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                while not any(fits(signal) for signal in self.signals):
                    self._called.clear()
                    await self._called.wait()
        except TimeoutError:
            raise AssertionError(f"no listener was told of {what}; they heard {self.signals}") from None


@asynccontextmanager
async def _told(durable: Durable, key: int, what: str, *, ready: bool = False) -> AsyncIterator[None]:
    """Hold the store to telling a listener what is done inside."""
    ear = _Ear()
    stop = durable.listen(ear)
    yield
    await ear.hear(_about(key, ready=ready), what + (", and that a pass is owed" if ready else ""))
    stop()


async def listeners_are_called_after_a_commit(stores: Stores) -> None:
    durable = await stores.open()
    key = (await start(durable, "one")).key
    async with _told(durable, key, "begin"):
        one = await begun(durable, "one")
    async with _told(durable, key, "a note of progress"):
        await durable.checkpointer.note(one.claim, Notes(progress=Progress(1, 2, "")))
    async with _told(durable, key, "pause of a running workflow"):
        await durable.pause("one")
    async with _told(durable, key, "resume of a running workflow"):
        await durable.resume("one")
    async with _told(durable, key, "settle"):
        await durable.settle(one.claim, one.receipt, WAIT)
    async with _told(durable, key, "pause"):
        await durable.pause("one")
    async with _told(durable, key, "resume", ready=True):
        await durable.resume("one")
    async with _told(durable, key, "cancel"):
        await durable.cancel("one")
    async with _told(durable, key, "retry", ready=True):
        await durable.retry("one")
    async with _told(durable, key, "delete"):
        await durable.delete("one")


async def a_listener_that_fails_keeps_none_from_being_told(stores: Stores) -> None:
    durable = await stores.open()
    loop, complaints = asyncio.get_running_loop(), list[object]()
    handler = loop.get_exception_handler()
    loop.set_exception_handler(lambda _loop, context: complaints.append(context))

    def fails(_signal: Signal) -> None:
        raise ValueError("a fault of the listener's")

    first, last = _Ear(), _Ear()
    stops = [durable.listen(each) for each in (first, fails, last)]
    try:
        key = (await start(durable, "one")).key
        await first.hear(_about(key, ready=True), "start, before the one that fails")
        await last.hear(_about(key, ready=True), "start, behind the one that fails")
    finally:
        for stop in stops:
            stop()
        loop.set_exception_handler(handler)
    assert complaints, "and the fault is no secret"


async def a_pass_that_is_owed_again_is_told_of(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one")
    async with _told(durable, one.claim.workflow, "a pass given back by settling", ready=True):
        await durable.settle(one.claim, one.receipt, Settlement("queued"))
    one = await begun(durable, "one")
    async with _told(durable, one.claim.workflow, "a pass given back by release", ready=True):
        await durable.checkpointer.release(one.claim)
    one = await begun(durable, "one")
    await durable.deliver("one", "1")
    async with _told(durable, one.claim.workflow, "a pass that was woken while it ran", ready=True):
        await durable.settle(one.claim, one.receipt, WAIT)
    await finish(durable, "one", WAIT)
    async with _told(durable, one.claim.workflow, "wake", ready=True):
        await durable.scheduler.wake("one")


async def a_listener_is_told_that_something_became_ready(stores: Stores) -> None:
    durable = await stores.open()
    for id in ("answered", "messaged"):
        await finish(durable, id, WAIT)
    keys = {id: (await durable.catalogue.summary(id)).key for id in ("answered", "messaged")}
    ear = _Ear()
    durable.listen(ear)

    await durable.arrive("answered", "answer", "1")
    await ear.hear(_about(keys["answered"], ready=True), "arrive, and that a pass is owed")
    await durable.deliver("messaged", "1")
    await ear.hear(_about(keys["messaged"], ready=True), "deliver, and that a pass is owed")
    started = await start(durable, "started")
    await ear.hear(_about(started.key, ready=True), "start, and that a pass is owed")


async def a_new_timer_is_told_of(stores: Stores) -> None:
    durable = await stores.open()
    due = stores.clock.time() + 60
    ear = _Ear()
    durable.listen(ear)
    # Who waits for the next timer has to look again, so a timer counts as readiness.
    started = await start(durable, "started", at=due)
    await ear.hear(_about(started.key, ready=True), "start at a time, and that there is a timer")
    one = await begun(durable, "settled")
    async with _told(durable, one.claim.workflow, "settling as sleeping", ready=True):
        await durable.settle(one.claim, one.receipt, Settlement("sleeping", due=due))
    await start(durable, "answered")
    delivery = only(await durable.scheduler.take([JOB], 1))
    async with _told(durable, delivery.workflow, "wake_at", ready=True):
        await durable.scheduler.wake_at(delivery, due)


async def a_listener_is_told_of_what_was_taken_over(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    one = await begun(durable, "one")
    ear = _Ear()
    other.listen(ear)
    await stores.kill(durable)

    await other.takeover()

    await ear.hear(_about(one.claim.workflow, ready=True), "a takeover, and that a pass is owed")


async def a_listener_sees_what_it_is_told_of(stores: Stores) -> None:
    durable = await stores.open()
    key = (await start(durable, "one")).key
    found: asyncio.Queue[str] = asyncio.Queue()
    tasks = []

    async def look() -> None:
        found.put_nowait(await state(durable, "one"))

    def listener(signal: Signal) -> None:
        if _about(key)(signal):
            tasks.append(asyncio.ensure_future(look()))

    stop = durable.listen(listener)
    await durable.pause("one")
    try:
        async with asyncio.timeout(PATIENCE):
            seen = await found.get()
    except TimeoutError:
        raise AssertionError("no listener was told of pause") from None
    stop()
    await asyncio.gather(*tasks)

    assert seen == "paused", f"listeners are called after the commit, and this one saw {seen!r}"


async def a_listener_is_called_on_its_loop(stores: Stores) -> None:
    durable = await stores.open()
    here, there = _Ear(), _Ear()
    loop, listening = asyncio.get_running_loop(), asyncio.Event()
    durable.listen(here)

    async def listen_there() -> None:
        stop = durable.listen(there)
        loop.call_soon_threadsafe(listening.set)
        await there.hear(_about(started.key), "a commit that was asked for on another loop")
        stop()

    started = await start(durable, "one")
    other = asyncio.ensure_future(asyncio.to_thread(asyncio.run, listen_there()))
    await asyncio.wait([other, asyncio.ensure_future(listening.wait())], return_when=asyncio.FIRST_COMPLETED)
    claim = (await begun(durable, "one")).claim
    await here.hear(_about(claim.workflow), "begin")
    await other

    assert here.threads == {threading.get_ident()}, (
        "whichever thread commits, a listener is called on its loop"
    )
    assert len(there.threads) == 1, f"also one on another loop; it was called on {there.threads}"
    assert here.threads.isdisjoint(there.threads), "which runs on another thread"


async def every_listener_is_called_until_it_is_stopped(stores: Stores) -> None:
    durable = await stores.open()
    stopped, one, other = _Ear(), _Ear(), _Ear()
    stop = durable.listen(stopped)
    durable.listen(one)
    durable.listen(other)
    stop()

    started = await start(durable, "one")
    for ear in (one, other):
        await ear.hear(_about(started.key, ready=True), "start")

    assert stopped.signals == [], "one that was stopped is not called any more"
    stop()


async def poll_tells_of_what_others_committed(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await durable.poll()
    ear = _Ear()
    durable.listen(ear)

    started = await start(other, "one")
    await durable.poll()

    await ear.hear(_about(started.key), "what another engine committed, by `poll`")


async def who_attends_is_told_of_what_others_commit(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    ear = _Ear()
    durable.listen(ear)

    await durable.attend()
    started = await start(other, "one")
    await ear.hear(_about(started.key), "what another engine committed, after `attend`")

    ear.signals.clear()
    await durable.attend()
    await other.pause("one")
    await ear.hear(_about(started.key), "what it committed later")


async def who_may_run_something_is_told_of_what_others_commit(stores: Stores) -> None:
    offering, beginning, other = await stores.open(), await stores.open(), await stores.open()
    ears = _Ear(), _Ear()
    offering.listen(ears[0])
    beginning.listen(ears[1])

    await offering.offer([JOB])
    assert await beginning.begin([JOB], 1) == []
    started = await start(other, "one")

    await ears[0].hear(_about(started.key), "what another engine committed, where something is offered")
    await ears[1].hear(_about(started.key), "what another engine committed, where something may begin")


def _about(key: int, ready: bool = False) -> Callable[[Signal], bool]:
    """Whether a signal says that the workflow changed; None stands for whatever may have."""

    def fits(signal: Signal) -> bool:
        return (signal.keys is None or key in signal.keys) and (signal.ready or not ready)

    return fits
