"""What docs/testing-your-workflows.md gives people: an engine over an open store, and `reached`."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from stepfast import DefinitionError, Engine, MemoryDurable, Run, UnknownWorkflow, connect, workflow
from stepfast.errors import StoreClosed
from stepfast.memory import Memory
from stepfast.testing import VirtualClock, reached

pytestmark = pytest.mark.usefixtures("quiet_loop")


@workflow("nap")
async def nap(run: Run, days: int) -> int:
    await run.step("count", len, "sheep")
    await run.sleep("nap", timedelta(days=days))
    return days


@workflow("break")
async def fail(run: Run) -> None:
    raise OSError("the cellar is flooded")


async def test_an_engine_over_a_store_works_and_closes_it() -> None:
    clock = VirtualClock()
    durable = MemoryDurable(clock=clock)
    async with Engine.over(durable, [nap], clock=clock) as engine:
        handle = await engine.start(nap(365), id="n")
        assert await reached(engine, "n", "waiting", "sleeping") == "sleeping"
        clock.advance(365 * 86_400)
        assert await handle.result() == 365
        assert engine.path is None
    with pytest.raises(StoreClosed):
        await durable.pause("n")


async def test_an_engine_over_a_file_knows_its_path_and_need_not_work(tmp_path: Path) -> None:
    clock = VirtualClock()
    durable = await connect(tmp_path / "work.db", clock=clock)
    async with Engine.over(durable, [nap], clock=clock, work=False) as engine:
        assert engine.path == tmp_path / "work.db"
        await engine.start(nap(1), id="n")
        with pytest.raises(AssertionError, match=r"'n' was to be sleeping within 0\.05 s, and is Queued"):
            await reached(engine, "n", "sleeping", seconds=0.05)


async def test_a_state_that_another_engine_brings_about_is_seen(tmp_path: Path) -> None:
    clock, file = VirtualClock(), tmp_path / "work.db"
    async with Engine.open(file, [nap], clock=clock, work=False) as client:
        await client.start(nap(1), id="n")
        looking = asyncio.ensure_future(reached(client, "n", "sleeping"))
        await asyncio.sleep(0.01)
        async with Engine.open(file, [nap], clock=clock):
            assert await looking == "sleeping"


async def test_a_store_is_closed_also_where_the_definitions_are_wrong(tmp_path: Path) -> None:
    durable = MemoryDurable()
    with pytest.raises(DefinitionError):
        async with Engine.over(durable, [nap, workflow("nap")(fail.body)]):
            pass
    with pytest.raises(StoreClosed):
        await durable.pause("n")
    with pytest.raises(DefinitionError):
        async with Engine.open(tmp_path / "work.db", [nap, workflow("nap")(fail.body)]):
            pass
    assert list(tmp_path.iterdir()) == []


async def test_what_comes_instead_is_said_with_its_error() -> None:
    async with Engine.over(MemoryDurable(), [fail]) as engine:
        await engine.start(fail(), id="f")
        await reached(engine, "f", "failed")
        with pytest.raises(AssertionError, match=r"OSError: the cellar is flooded"):
            await reached(engine, "f", "completed", seconds=0.2)
        with pytest.raises(ValueError, match="no state 'done'"):
            await reached(engine, "f", "done")
        with pytest.raises(UnknownWorkflow):
            await reached(engine, "g", "failed")


async def test_a_death_between_effect_and_record_makes_the_effect_happen_again() -> None:
    clock, memory = VirtualClock(), Memory()
    durable = MemoryDurable(memory, clock)
    happened: list[str] = []
    died = asyncio.Event()

    @workflow("mortal")
    async def mortal(run: Run) -> int:
        async def effect() -> int:
            happened.append("effect")
            if len(happened) == 1:
                durable.die()
                died.set()
            return len(happened)

        return await run.step("effect", effect)

    # Closing does not wait for a clock that nobody moves.
    async with asyncio.timeout(60), Engine.over(durable, [mortal], clock=clock) as engine:
        await engine.start(mortal(), id="m")
        await died.wait()
    async with Engine.over(MemoryDurable(memory, clock), [mortal], clock=clock) as engine:
        await reached(engine, "m", "completed")
        assert (await engine.get("m")).result == 2
    assert happened == ["effect", "effect"]
