"""Parking an engine before its end: what runs is checkpointed while one can still look and ask."""

from __future__ import annotations

import asyncio
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from stepfast import Engine, Run, workflow

stubborn_goes = threading.Event()
begun: list[asyncio.Event] = []


async def effect() -> None:
    begun[-1].set()
    await asyncio.Event().wait()


@workflow("parking")
async def parking(run: Run) -> None:
    await run.step("wait", effect)


@workflow("alone", at_once=1)
async def alone(run: Run) -> None:
    await run.step("wait", effect)


@workflow("stubborn")
async def stubborn(run: Run) -> None:
    loop, told = asyncio.get_running_loop(), begun[-1]

    def effect() -> None:
        loop.call_soon_threadsafe(told.set)
        stubborn_goes.wait(100)

    await run.step("wait", effect)


async def test_a_parked_engine_can_be_asked_and_carries_nothing_out(tmp_path: Path) -> None:
    begun.append(asyncio.Event())
    async with Engine.open(tmp_path / "work.db", [parking]) as engine:
        await engine.start(parking(), id="one")
        await begun[-1].wait()
        assert await engine.park()
        assert (await engine.durable.look()).held == ()
        await engine.start(parking(), id="two")
        assert [(await engine.summary(each)).state.name for each in ("one", "two")] == ["queued"] * 2
        assert await engine.park(), "again does nothing"
    async with Engine.open(tmp_path / "work.db", work=False) as engine:
        assert await engine.park(), "there is nothing to be parked"


@pytest.mark.parametrize("parks", [True, False])
async def test_what_ran_when_the_program_ended_goes_on_first(tmp_path: Path, parks: bool) -> None:
    for _ in range(3):
        begun.append(asyncio.Event())
        async with Engine.open(tmp_path / "work.db", [alone]) as engine:
            for id in ("one", "two", "three"):
                await engine.start(alone(), id=id)
            await begun[-1].wait()
            states = {row.id: row.state.name for row in await engine.list()}
            assert states == {"one": "running", "two": "queued", "three": "queued"}
            if parks:
                await engine.park()


async def test_whoever_asks_again_need_not_wait_for_the_first_patience(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    begun.append(asyncio.Event())
    stubborn_goes.clear()
    async with Engine.open(tmp_path / "work.db", [stubborn]) as engine:
        await engine.start(stubborn(), id="one")
        await begun[-1].wait()
        parking = asyncio.ensure_future(engine.park(timedelta(hours=1)))
        await asyncio.sleep(0)
        assert [each.workflow for each in (await engine.durable.look()).held]
        async with asyncio.timeout(60):
            assert not await engine.park(timedelta(0)), "its step did not let go"
            assert not await parking
        stubborn_goes.set()
    assert "still in a step when the program ended: 1" in caplog.text
