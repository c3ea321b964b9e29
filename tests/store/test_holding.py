"""A worker whose store cannot be used: it takes nothing, keeps what it has, and knows what nobody knows."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from faulty import Faulty

from stepfast import MemoryDurable, Run, connect, workflow
from stepfast.definitions.definition import Registry
from stepfast.errors import DiskFailing, DiskFull, OutcomeUnknown, StoreError
from stepfast.interfaces import Offered
from stepfast.sqlite.writing.transacting import Fate, Transacting
from stepfast.testing import VirtualClock
from stepfast.workers.worker import Worker

pytestmark = pytest.mark.usefixtures("quiet_loop")

ran: list[str] = []


@workflow("stepping")
async def stepping(run: Run) -> int:
    for number in range(3):
        await run.step(f"step-{number}", effect, f"{run.id}:{number}")
        run.log(f"did {number}")
    return 3


async def effect(what: str) -> str:
    ran.append(what)
    return what


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    ran.clear()


@asynccontextmanager
async def at_work(durable: Any, clock: VirtualClock) -> AsyncIterator[Worker]:
    worker = Worker(durable, Registry([stepping]), clock=clock)
    working = asyncio.ensure_future(worker.run())
    try:
        yield worker
    finally:
        await worker.stop(timedelta(seconds=5))
        await working


async def turns(count: int = 200) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def state(durable: Any, id: str) -> str:
    return str((await durable.catalogue.summary(id)).state.name)


async def until(durable: Any, id: str, name: str) -> None:
    async with asyncio.timeout(60):
        while await state(durable, id) != name:
            await asyncio.sleep(0)


async def test_nothing_is_taken_while_something_stops_the_work() -> None:
    clock = VirtualClock()
    durable = MemoryDurable(clock=clock)
    async with at_work(durable, clock) as worker:
        await worker.until_idle()
        durable.health.report("full", "the disk is full", stops_work=True)
        await durable.start("w", "stepping", 1, "{}")
        for _ in range(20):
            clock.advance(60)
            await turns()
        assert await state(durable, "w") == "queued" and ran == []
        durable.health.clear("full")
        await until(durable, "w", "completed")


async def test_what_stops_no_work_stops_none() -> None:
    clock = VirtualClock()
    durable = MemoryDurable(clock=clock)
    durable.health.report("old-reader", "another program reads", stops_work=False)
    async with at_work(durable, clock):
        await durable.start("w", "stepping", 1, "{}")
        await until(durable, "w", "completed")


@pytest.mark.parametrize("error", [DiskFull, DiskFailing, OutcomeUnknown])
@pytest.mark.parametrize("method", ["record", "note", "load"])
async def test_a_pass_keeps_what_the_store_cannot_take_and_repeats_no_effect(
    method: str, error: type[StoreError]
) -> None:
    clock = VirtualClock()
    durable = MemoryDurable(clock=clock)
    failed = 0

    async def fail(*given: Any, **options: Any) -> Any:
        nonlocal failed
        if failed < 5:
            failed += 1
            assert error.kind is not None
            durable.health.report(error.kind, "it cannot be written", stops_work=True)
            raise error("it cannot be written")
        return await getattr(durable.checkpointer, method)(*given, **options)

    faulty = Faulty(durable, checkpointer=Faulty(durable.checkpointer, **{method: fail}))
    await durable.start("w", "stepping", 1, "{}")
    if method == "load":  # a workflow that has run before has something to be loaded
        await durable.pause("w")
        await durable.resume("w")
        one = (await durable.begin([Offered("stepping", 1)], 1))[0]
        await durable.checkpointer.release(one.claim)
    async with at_work(faulty, clock):
        async with asyncio.timeout(60):
            while await state(durable, "w") != "completed":
                if durable.health.stops_work and failed:
                    await turns()
                    durable.health.clear()
                clock.advance(0.3)
                await turns()
    assert failed == 5 or method == "load"
    assert ran == ["w:0", "w:1", "w:2"]
    assert [line.text for line in await durable.catalogue.log("w")] == ["did 0", "did 1", "did 2"]


async def test_a_pass_that_is_settled_waits_for_the_store_too() -> None:
    clock = VirtualClock()
    durable = MemoryDurable(clock=clock)
    failed = 0

    async def fail(*given: Any) -> str:
        nonlocal failed
        if failed < 3:
            failed += 1
            durable.health.report("full", "the disk is full", stops_work=True)
            raise DiskFull("the disk is full")
        return await durable.settle(*given)

    await durable.start("w", "stepping", 1, "{}")
    async with at_work(Faulty(durable, settle=fail), clock):
        async with asyncio.timeout(60):
            while await state(durable, "w") != "completed":
                await turns()
                durable.health.clear()
    assert failed == 3 and ran == ["w:0", "w:1", "w:2"]


# --- what nobody knows ----------------------------------------------------------------------------


@pytest.fixture
def kept_and_said_to_have_failed(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From when it is called: the next commit is kept, and said to have failed with unknown outcome."""

    def arm() -> None:
        commit = Transacting.commit

        def failing(self: Transacting, execute: Any, *, moved: bool) -> None:
            commit(self, execute, moved=moved)
            monkeypatch.setattr(Transacting, "commit", commit)
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
            raise error

        monkeypatch.setattr(Transacting, "commit", failing)
        monkeypatch.setattr(Transacting, "fate", lambda self: Fate.UNKNOWN)

    return arm


@pytest.mark.parametrize("how", ["begin", "claim", "take"])
async def test_what_was_taken_and_nobody_knows_of_it_is_taken_again(
    tmp_path: Path, kept_and_said_to_have_failed: Callable[[], None], how: str
) -> None:
    clock = VirtualClock()
    durable = await connect(tmp_path / "work.db", clock=clock)
    offered = [Offered("stepping", 1)]
    await durable.offer(offered)
    await durable.start("w", "stepping", 1, "{}")
    calls: dict[str, Callable[[], Any]] = {
        "begin": lambda: durable.begin(offered, 10),
        "claim": lambda: durable.checkpointer.claim("w"),
        "take": lambda: durable.scheduler.take(offered, 10),
    }
    kept_and_said_to_have_failed()
    with pytest.raises(OutcomeUnknown, match="ask again"):
        await calls[how]()
    # It is held by this engine, and no pass of it is made.
    assert await state(durable, "w") == ("queued" if how == "take" else "running")
    begun = await durable.begin(offered, 10)
    assert [each.claim.id for each in begun] == ["w"]
    await durable.close()


async def test_a_record_whose_outcome_is_unknown_is_asked_for_again_and_is_there_once(
    bench: Any, kept_and_said_to_have_failed: Callable[[], None]
) -> None:
    await bench.start(stepping(), "w")
    kept = asyncio.Event()

    async def step_then_fail(claim: Any, new: Any, notes: Any = None) -> Any:
        if new.name == "step-1" and not kept.is_set():
            kept.set()
            kept_and_said_to_have_failed()
            # Not the lone INSERT, which is asked again anyway.
            new = type(new)(new.kind, new.name, new.text, new.started_at, bookmarked=True)
        return await bench.durable.checkpointer.record(claim, new, notes)

    checkpointer = Faulty(bench.durable.checkpointer, record=step_then_fail)
    async with bench.at_work([stepping], Faulty(bench.durable, checkpointer=checkpointer)):
        assert await bench.reached("w", "completed", "failed") == "completed"
    assert kept.is_set() and ran == ["w:0", "w:1", "w:2"]
    assert await bench.recorded() == ["step-0", "step-1", "step-2"]
