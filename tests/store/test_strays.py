"""What is held here and known to nobody here is given back; and who waits is told at last."""

from __future__ import annotations

import asyncio
import logging
import math
from pathlib import Path
from typing import Any

import pytest
from standing import Held, stands_by

from stepfast import Engine, MemoryDurable, Run, connect, workflow
from stepfast.errors import Fenced, Newer
from stepfast.interfaces import Offered, Signal
from stepfast.testing import VirtualClock
from stepfast.workers.strays import STRAY_SECONDS

pytestmark = pytest.mark.usefixtures("quiet_loop")

gate: dict[str, Any] = {}


@workflow("quick")
async def quick(run: Run) -> str:
    return "done"


@workflow("held")
async def held(run: Run) -> None:
    await run.step("hold", gate["hold"])


@pytest.fixture(autouse=True)
def _fresh_gate() -> None:
    gate.clear()


async def turns() -> None:
    for _ in range(50):
        await asyncio.sleep(0.001)


async def until_seen(worker: Any) -> None:
    """Return once the worker has seen a claim of its engine's that nobody there knows of."""
    async with asyncio.timeout(60):
        while worker._strays.look_at == math.inf:
            await asyncio.sleep(0.001)


def faults(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.levelno >= logging.ERROR]


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_a_claim_that_was_lost_is_given_back_and_the_workflow_goes_on(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = VirtualClock()
    durable: Any
    if kind == "memory":
        durable = MemoryDurable(clock=clock)
    else:
        durable = await connect(tmp_path / "work.db", clock=clock, backups=False)
    await durable.start("w", "quick", 1, "{}")
    (_lost,) = await durable.begin([Offered("quick", 1)], 1)
    async with Engine.over(durable, [quick], clock=clock) as engine:
        await engine.until_idle()
        await turns()
        assert (await engine.summary("w")).state.name == "running"
        clock.advance(STRAY_SECONDS - 1)
        await turns()
        assert (await engine.summary("w")).state.name == "running"
        assert faults(caplog) == []
        clock.advance(1)
        async with asyncio.timeout(60):
            assert (await engine.handle("w").finished()).state.name == "completed"
    (fault,) = faults(caplog)
    assert "workflow w " in fault
    assert "report it" in fault


async def test_a_pass_that_is_ended_as_if_its_claim_were_gone_is_made_again(
    bench: Any, caplog: pytest.LogCaptureFixture
) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        begun.set()
        if not ended.is_set():
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

    gate["hold"] = hold
    async with bench.at_work([held]) as worker:
        await bench.start(held(), "w")
        await begun.wait()
        (active,) = worker._advancing.active
        active.attempt.abort(Fenced("wrongly"))
        await ended.wait()
        await until_seen(worker)
        bench.clock.advance(STRAY_SECONDS)
        assert await bench.reached("w", "completed") == "completed"
    assert len(faults(caplog)) == 1


async def test_a_claim_whose_answer_takes_long_is_not_lost(
    bench: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async with bench.at_work([quick]) as worker:
        await worker.until_idle()
        await stands_by(bench.durable)
        batches, held_up = bench.durable._store.writer._batches, Held()
        committed = batches._committed

        def telling(signal: Signal) -> None:
            held_up()
            committed(signal)

        batches._committed = telling
        starting = asyncio.ensure_future(bench.durable.start("w", "quick", 1, "{}"))
        await held_up.until_reached()
        assert bench.rows("SELECT state FROM stepfast_workflows") == [("running",)]
        for _ in range(6):  # the file has it for half a minute, and the worker looks
            worker._look_soon()
            await turns()
            bench.clock.advance(STRAY_SECONDS)
        batches._committed = committed
        held_up.go_on.set()
        await starting
        assert await bench.reached("w", "completed") == "completed"
    assert faults(caplog) == []


async def test_who_claims_by_hand_beside_a_worker_keeps_the_claim(bench: Any) -> None:
    async with bench.at_work([quick]) as worker:
        await bench.durable.start("w", "by-hand", 1, "{}")
        claim = await bench.durable.checkpointer.claim("w")
        assert claim is not None
        for _ in range(5):
            worker._look_soon()
            await turns()
            bench.clock.advance(STRAY_SECONDS)
        assert await bench.state("w") == "running"
        await bench.durable.checkpointer.release(claim)
        assert await bench.state("w") == "queued"


async def test_two_workers_over_one_store_know_of_each_other(
    bench: Any, caplog: pytest.LogCaptureFixture
) -> None:
    begun, release = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        begun.set()
        await release.wait()

    gate["hold"] = hold
    async with bench.at_work([held]), bench.at_work([quick]) as other:
        await bench.start(held(), "w")
        await begun.wait()
        for _ in range(5):
            other._look_soon()
            await turns()
            bench.clock.advance(STRAY_SECONDS)
        assert await bench.state("w") == "running"
        release.set()
        assert await bench.reached("w", "completed") == "completed"
    assert faults(caplog) == []


async def test_what_could_not_be_settled_is_given_back_when_it_can_be(
    bench: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The store was to blame, which was said then."""
    failed = asyncio.Event()

    async def settle(claim: Any, receipt: int, settlement: Any) -> Any:
        if not failed.is_set():
            failed.set()
            raise Newer("for a moment")
        return await bench.durable.settle(claim, receipt, settlement)

    async with bench.at_work([quick], bench.faulty(settle=settle)) as worker:
        await bench.start(quick(), "w")
        await failed.wait()
        await until_seen(worker)
        bench.clock.advance(STRAY_SECONDS)
        assert await bench.reached("w", "completed") == "completed"
    assert ["report it" in each for each in faults(caplog)] == [False]


async def test_who_waits_and_was_not_told_is_told_by_the_slow_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = VirtualClock()
    durable = await connect(tmp_path / "work.db", clock=clock, backups=False)
    async with Engine.over(durable, [quick], clock=clock) as engine:
        await engine.until_idle()
        store, told = durable._store, durable._store._tell
        await durable.start("w", "other", 1, "{}")
        looked, ends = asyncio.Event(), durable.catalogue.ends

        async def look(keys: Any) -> Any:
            found = await ends(keys)
            looked.set()
            return found

        monkeypatch.setattr(durable.catalogue, "ends", look)
        waiting = asyncio.ensure_future(engine.handle("w").finished())
        await looked.wait()
        store._tell = lambda signal: None  # type: ignore[method-assign]
        await durable.cancel("w")
        await turns()
        store._tell = told  # type: ignore[method-assign]
        assert not waiting.done()
        clock.advance(30)
        async with asyncio.timeout(60):
            assert (await waiting).state.name == "cancelled"
