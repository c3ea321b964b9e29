"""Beats: raised from the worker's loop while it holds something, whatever else it cannot do."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from stepfast import Run, connect, workflow
from stepfast.errors import StoreUnavailable
from stepfast.interfaces import Offered
from stepfast.sqlite.engines.owners import BEAT
from stepfast.sqlite.store import HEALTH_CHANGED

pytestmark = pytest.mark.usefixtures("quiet_loop")


class Step:
    """One that lasts until it is cancelled."""

    def __init__(self) -> None:
        self.begun, self.given_up = asyncio.Event(), asyncio.Event()

    async def lasts(self) -> None:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.given_up.set()


gate: dict[str, Step] = {}


@workflow("endless")
async def endless(run: Run) -> None:
    async def effect() -> None:
        await gate["step"].lasts()

    await run.step("wait", effect)


@pytest.fixture
async def step() -> Step:
    """Of the workflow that is made in this test."""
    gate["step"] = Step()
    return gate["step"]


def beats(bench: Any) -> int:
    ((beat,),) = bench.rows("SELECT beat FROM stepfast_owners")
    return int(beat)


async def passes(bench: Any, seconds: float) -> None:
    """Time, in small steps, each once the worker waits for it."""
    while seconds > 0:
        while not bench.clock.waiting:
            await asyncio.sleep(0.001)
        bench.clock.advance(0.5)
        seconds -= 0.5
        await asyncio.sleep(0.001)


async def until_beats(bench: Any, number: int) -> float:
    """Let time pass until it has beaten so often; returns the seconds that it took."""
    spent = 0.0
    async with asyncio.timeout(60):
        while beats(bench) < number:
            await passes(bench, 0.5)
            spent += 0.5
    return spent


async def test_one_that_holds_something_beats_and_an_idle_one_does_not(bench: Any, step: Step) -> None:
    async with bench.at_work([endless]) as worker:
        await worker.until_idle()
        await passes(bench, 5 * BEAT)
        assert beats(bench) == 0
        await bench.start(endless(), "w")
        await step.begun.wait()
        assert await until_beats(bench, 1) < BEAT / 2
        assert 2 * BEAT < await until_beats(bench, 4) < 4 * BEAT


async def test_a_beat_that_could_not_be_written_is_not_put_off_until_the_next(bench: Any, step: Step) -> None:
    failed = 0

    async def beat() -> None:
        nonlocal failed
        if failed < 3:
            failed += 1
            raise StoreUnavailable("the disk is full")
        await bench.durable.beat()

    await bench.start(endless(), "w")
    async with bench.at_work([endless], bench.faulty(beat=beat)):
        await step.begun.wait()
        await passes(bench, BEAT)
        assert await until_beats(bench, 1) < BEAT / 2
    assert failed == 3


async def test_one_that_takes_no_work_because_something_is_wrong_shows_that_it_lives(
    bench: Any, step: Step
) -> None:
    health = SimpleNamespace(stops_work=False)
    await bench.start(endless(), "w")
    async with bench.at_work([endless], bench.faulty(health=health)):
        await step.begun.wait()
        health.stops_work = True
        bench.durable._store._tell(HEALTH_CHANGED)
        while any(each.get_name() == "stepfast stands by" for each in asyncio.all_tasks()):
            await asyncio.sleep(0)
        await bench.start(endless(), "next")
        assert await until_beats(bench, beats(bench) + 4) < 6 * BEAT
        assert await bench.state("next") == "queued"
        health.stops_work = False


async def test_one_that_is_told_by_its_beat_that_its_row_has_gone_gives_up_what_it_runs(
    bench: Any, step: Step
) -> None:
    await bench.start(endless(), "w")
    async with bench.at_work([endless]):
        await step.begun.wait()
        await passes(bench, 5)  # so that it has nothing to look at any more
        # Taken over, and nobody rang.
        bench.rows("UPDATE stepfast_workflows SET state = 'paused', token = NULL, owner = NULL")
        bench.rows("DELETE FROM stepfast_owners")
        await passes(bench, BEAT)  # and no more: the slow look at what others wrote comes later
        async with asyncio.timeout(60):
            while not step.given_up.is_set() or not bench.rows("SELECT key FROM stepfast_owners"):
                await asyncio.sleep(0.001)
    assert await bench.state("w") == "paused"


@pytest.mark.parametrize("how", ["claim", "take"])
async def test_who_holds_something_without_a_worker_beats_until_it_does_not(bench: Any, how: str) -> None:
    other = await connect(bench.durable.path, clock=bench.clock)
    await bench.start(endless(), "w")
    if how == "claim":
        claim = await bench.durable.checkpointer.claim("w")
    else:
        (delivery,) = await bench.durable.scheduler.take([Offered("endless", 1)], 1)
    for _ in range(100):
        await passes(bench, 2)
        assert await other.takeover() == []
    assert beats(bench) > 5
    if how == "claim":
        await bench.durable.checkpointer.release(claim)
    else:
        assert await bench.durable.scheduler.done(delivery)
    before = beats(bench)
    async with asyncio.timeout(60):
        while bench.durable._store._beating is not None:
            bench.clock.advance(2)
            await asyncio.sleep(0.001)
    assert beats(bench) <= before + 1, "one may have been on its way"
    await other.close()
