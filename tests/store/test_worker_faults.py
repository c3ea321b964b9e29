"""The worker when things go wrong: failing stores, quitting, killed neighbours; nothing is ever stranded."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine, Run, connect, work, workflow
from stepfast.definitions.definition import Registry
from stepfast.errors import StoreUnavailable
from stepfast.testing import VirtualClock
from stepfast.workers.worker import Worker

pytestmark = pytest.mark.usefixtures("quiet_loop")

PATIENCE = timedelta(seconds=5)
gate: dict[str, Any] = {}


@workflow("quick")
async def quick(run: Run, number: int = 0) -> int:
    gate.setdefault("order", []).append(run.id)
    return number


@workflow("endless")
async def endless(run: Run) -> None:
    await run.step("wait", gate["endless"])


@workflow("odd-name")
async def odd_name(run: Run) -> Any:
    return await run.awaiting("\ud800")


@workflow("stubborn")
async def stubborn(run: Run) -> str:
    return await run.step("hold", gate["hold"])


DEFINITIONS = [quick, endless, odd_name, stubborn]


@pytest.fixture(autouse=True)
def _fresh_gate() -> None:
    gate.clear()


# --- faults ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["begin", "look", "takeover", "offer", "settle", "poll"])
async def test_a_store_that_fails_for_a_while_costs_time_and_nothing_else(bench: Any, method: str) -> None:
    failures = 0

    async def fail_thrice(*args: Any, **kwargs: Any) -> Any:
        nonlocal failures
        if failures < 3:
            failures += 1
            raise StoreUnavailable("the disk is full")
        return await getattr(bench.durable, method)(*args, **kwargs)

    await bench.start(quick(7), "w")
    async with bench.at_work(DEFINITIONS, bench.faulty(**{method: fail_thrice})):
        async with asyncio.timeout(60):
            while await bench.state("w") != "completed" or not await bench.durable.catalogue.offers():
                bench.clock.advance(10)
                await asyncio.sleep(0)


async def test_a_pass_that_cannot_be_settled_at_all_is_not_stranded(bench: Any) -> None:
    await bench.start(odd_name(), "w")
    async with bench.at_work(DEFINITIONS):
        assert await bench.reached("w", "failed", "waiting") == "failed"


# --- stopping -------------------------------------------------------------------------------------


async def finishes_elsewhere(path: Path, id: str) -> bool:
    """Does a new engine, some time later, finish what an earlier one left?"""
    clock = VirtualClock(1_800_001_000.0)
    durable = await connect(path, clock=clock)
    worker = Worker(durable, Registry(DEFINITIONS), clock=clock)
    working = asyncio.ensure_future(worker.run())
    await worker.until_idle()
    state = (await durable.catalogue.summary(id)).state.name
    let_go = await worker.stop(PATIENCE)
    await working
    await durable.close(keep_alive=not let_go)
    return state == "completed"


async def test_what_was_begun_while_the_worker_was_being_stopped_is_not_stranded(bench: Any) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def begin(offered: Any, limit: int) -> Any:
        found = await bench.durable.begin(offered, limit)
        if found:
            begun.set()
            await go_on.wait()
        return found

    await bench.start(quick(), "w")
    worker = Worker(bench.faulty(begin=begin), Registry(DEFINITIONS), clock=bench.clock)
    working = asyncio.ensure_future(worker.run())
    await begun.wait()
    stopping = asyncio.ensure_future(worker.stop(PATIENCE))
    for _ in range(5):
        await asyncio.sleep(0)
    go_on.set()
    let_go = await stopping
    await working
    await bench.durable.close(keep_alive=not let_go)
    assert await finishes_elsewhere(bench.durable.path, "w")


async def test_an_engine_that_is_left_at_any_moment_strands_nothing(tmp_path: Path) -> None:
    for turns in range(0, 120, 4):
        # Their clocks stand still, so nothing that was left is found by the slow look.
        path = tmp_path / f"{turns}.db"
        async with Engine.open(path, DEFINITIONS, clock=VirtualClock()) as engine:
            for number in range(4):
                await engine.start(quick(number), id=f"w{number}")
            for _ in range(turns):
                await asyncio.sleep(0)
        async with Engine.open(path, DEFINITIONS, clock=VirtualClock()) as engine:
            async with asyncio.timeout(60):
                for number in range(4):
                    assert await engine.handle(f"w{number}").result() == number


async def test_a_settlement_that_fails_while_the_program_quits_strands_nothing(bench: Any) -> None:
    begun = asyncio.Event()

    async def effect() -> None:
        begun.set()
        await asyncio.Event().wait()

    async def settle(*_: Any) -> str:
        raise StoreUnavailable("the disk is full")

    gate["endless"] = effect
    await bench.start(endless(), "w")
    async with bench.at_work(DEFINITIONS, bench.faulty(settle=settle)):
        await begun.wait()
    await bench.durable.close()

    async def brief() -> None:
        pass

    gate["endless"] = brief
    assert await finishes_elsewhere(bench.durable.path, "w")


async def test_work_that_is_cancelled_while_it_takes_something_strands_nothing(bench: Any) -> None:
    begun = asyncio.Event()

    async def begin(offered: Any, limit: int) -> Any:
        begun.set()
        return await bench.durable.begin(offered, limit)

    await bench.start(quick(), "w")
    working = asyncio.ensure_future(work(bench.faulty(begin=begin), DEFINITIONS, clock=bench.clock))
    await begun.wait()
    working.cancel()  # the call is on its way to the writer, who commits it all the same
    with pytest.raises(asyncio.CancelledError):
        await working
    # The store is still open, so whoever works on it next, in this program too, finds it.
    async with bench.at_work(DEFINITIONS) as worker:
        await worker.until_idle()
    assert await bench.state("w") == "completed"


async def test_a_step_that_does_not_let_go_keeps_its_claim_beyond_the_engine(tmp_path: Path) -> None:
    held, release = threading.Event(), threading.Event()

    def hold() -> str:
        held.set()
        release.wait(100)
        return "held"

    gate["hold"] = hold
    clock = VirtualClock()
    durable = await connect(tmp_path / "work.db", clock=clock)
    worker = Worker(durable, Registry(DEFINITIONS), clock=clock)
    working = asyncio.ensure_future(worker.run())
    await durable.start("w", "stubborn", 1, "{}")
    await asyncio.to_thread(held.wait)
    assert not await worker.stop(timedelta(0))
    await working
    await durable.close(keep_alive=True)
    again = await connect(tmp_path / "work.db", clock=clock)
    try:
        for _ in range(20):
            clock.advance(9)
            assert await again.takeover() == []
        assert (await again.catalogue.summary("w")).state.name == "running"
    finally:
        release.set()
        await again.close()


# --- several --------------------------------------------------------------------------------------


async def test_two_engines_in_one_process_share_the_work_and_do_nothing_twice(tmp_path: Path) -> None:
    path, clock = tmp_path / "work.db", VirtualClock()
    async with (
        Engine.open(path, DEFINITIONS, clock=clock) as one,
        Engine.open(path, DEFINITIONS, clock=clock) as two,
    ):
        handles = [await (one, two)[number % 2].start(quick(number), id=f"w{number}") for number in range(40)]
        async with asyncio.timeout(60):
            assert [await each.result() for each in handles] == list(range(40))
    assert sorted(gate["order"]) == sorted(f"w{number}" for number in range(40))


KILLED = """
import asyncio, os, signal, sys
from stepfast import Engine, Run, workflow

@workflow("stubborn")
async def stubborn(run: Run) -> str:
    return await run.step("hold", hold)

async def hold() -> str:
    print("holding", flush=True)
    await asyncio.Event().wait()
    return ""

async def main() -> None:
    async with Engine.open(sys.argv[1], [stubborn]) as engine:
        await (await engine.start(stubborn(), id="w")).result()

asyncio.run(main())
"""


async def test_what_a_killed_process_held_is_taken_over_and_finished(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    program = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    with program, program.stdout:
        assert await asyncio.to_thread(program.stdout.readline) == "holding\n"
        gate["hold"] = lambda: "taken over"
        clock = VirtualClock()
        async with Engine.open(path, DEFINITIONS, clock=clock) as engine:
            assert (await engine.summary("w")).state.name == "running"
            program.kill()
            await asyncio.to_thread(program.wait)
            clock.advance(engine.durable.look_every)  # and not the slow look
            async with asyncio.timeout(60):
                assert await engine.handle("w").result() == "taken over"
