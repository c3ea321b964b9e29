"""What may be set of an engine while it works."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from week import Hours

from stepfast import Engine, InvalidInput, Retention, Run, SqliteDurable, workflow
from stepfast.errors import StoreUnavailable
from stepfast.views import Filter

DAY = 86_400.0


@workflow("waits-on-a-step")
async def waits(run: Run) -> None:
    await run.step("until-opened", asyncio.Event().wait)


@workflow("at-once")
async def quick(run: Run) -> None:
    pass


async def running(engine: Engine) -> int:
    return (await engine.counts()).get("running", 0)


async def comes_to(engine: Engine, number: int) -> None:
    async with asyncio.timeout(60):
        while await running(engine) != number:
            await asyncio.sleep(0.01)


async def test_how_many_run_at_once_can_be_raised_and_lowered(tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "work.db", [waits], concurrency=1) as engine:
        for number in range(4):
            await engine.start(waits(), id=str(number))
        await comes_to(engine, 1)
        engine.concurrency = 3
        await comes_to(engine, 3)
        engine.concurrency = 1
        for row in (await engine.list(Filter(["running"])))[:2]:
            await engine.cancel(row.id)
        await comes_to(engine, 1)  # and not the fourth in place of one that ended
        await asyncio.sleep(0.05)
        assert await running(engine) == 1
        assert (await engine.counts())["queued"] == 1
        with pytest.raises(InvalidInput, match="from 1"):
            engine.concurrency = 0
        assert engine.concurrency == 1


async def test_one_may_wait_until_it_has_said_what_it_can_carry_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, offer = asyncio.Event(), SqliteDurable.offer

    async def late(durable: SqliteDurable, *given: Any) -> None:
        await go_on.wait()
        await offer(durable, *given)

    monkeypatch.setattr(SqliteDurable, "offer", late)
    async with Engine.open(tmp_path / "work.db", [quick]) as engine, asyncio.timeout(60):
        waiting = asyncio.ensure_future(engine.until_begun())
        await asyncio.sleep(0.05)  # long enough for one who does not wait
        assert not waiting.done()
        assert await engine.offers() == []
        go_on.set()
        await waiting
        assert engine.begun
        assert [each.name for each in await engine.offers()] == ["at-once"]


async def test_nobody_waits_for_the_beginning_of_what_does_not_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Engine.open(tmp_path / "work.db", [quick], work=False) as client, asyncio.timeout(60):
        await client.until_begun()
        assert not client.begun

    async def fails(*_: Any) -> None:
        raise StoreUnavailable("not at the moment")

    monkeypatch.setattr(SqliteDurable, "offer", fails)
    async with Engine.open(tmp_path / "work.db", [quick]) as engine:
        waiting = asyncio.ensure_future(engine.until_begun())
        await asyncio.sleep(0.05)
        assert not waiting.done()
    async with asyncio.timeout(60):
        await waiting
    assert not engine.begun


async def test_an_engine_that_does_not_work_runs_none_at_once(tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "work.db", [quick], work=False) as engine:
        engine.concurrency = 7
        assert engine.concurrency == 0


async def test_another_retention_counts_from_the_next_sweep_on(tmp_path: Path) -> None:
    clock = Hours()
    async with Engine.open(tmp_path / "work.db", [quick], clock=clock) as engine:
        for number in range(3):
            await (await engine.start(quick(), id=str(number))).result()
        await clock.later(DAY)
        assert len(await engine.list()) == 3
        engine.retention = Retention(age=timedelta(hours=1))
        await clock.later(7200)
        assert await engine.list() == [] and engine.retention.age == timedelta(hours=1)
