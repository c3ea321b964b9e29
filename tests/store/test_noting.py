"""Notes that no step takes along are written by themselves, whoever else has asked for that meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from either import Either

from stepfast import Engine, Run, workflow

gate: dict[str, asyncio.Event] = {}


async def wait_for_it() -> None:
    await gate["open"].wait()


async def at_once() -> int:
    return 1


@workflow("quick")
async def quick(run: Run) -> int:
    return await run.step("over", at_once)


@workflow("long")
async def long(run: Run) -> None:
    await run.step("hold", wait_for_it)


@pytest.fixture(params=["sqlite", "memory"])
async def engine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Engine]:
    gate["open"] = asyncio.Event()
    async with Either(request.param, tmp_path).at_work([quick, long]) as engine:
        yield engine
        gate["open"].set()


async def test_each_of_several_long_steps_is_shown_though_others_end_and_come_meanwhile(
    engine: Engine,
) -> None:
    await (await engine.start(quick())).result()
    handles = []
    for _ in range(3):
        handles.append(await engine.start(long()))
        await (await engine.start(quick())).result()
    changed = asyncio.Event()
    engine.durable.listen(lambda _signal: changed.set())
    async with asyncio.timeout(60):
        while True:
            changed.clear()  # before it is looked, or what is told of meanwhile is lost
            if [(await each.summary()).step for each in handles] == ["hold"] * 3:
                return
            await changed.wait()


@pytest.mark.parametrize("kind", ["sqlite", "memory"])
async def test_no_timer_is_left_when_the_last_pass_has_ended(kind: str, tmp_path: Path) -> None:
    async with Either(kind, tmp_path).at_work([quick]) as engine:
        for handle in [await engine.start(quick()) for _ in range(3)]:
            await handle.result()
    scheduled = asyncio.get_running_loop()._scheduled  # type: ignore[attr-defined]
    assert [each for each in scheduled if not each.cancelled()] == []
