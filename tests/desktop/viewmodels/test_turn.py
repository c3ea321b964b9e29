"""What a queued workflow waits for is said in words, to whoever looks at it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine, Run, workflow
from stepfast_desktop.viewmodels.details.details import DetailsViewModel
from stepfast_desktop.viewmodels.details.turn import turn_text
from stepfast_desktop.viewmodels.feed import Feed

ENDS = "It runs once one of those that run has ended."


class Gate:
    """Where the bodies wait that run: they run until it is opened."""

    opened: asyncio.Event


async def at_the_gate() -> None:
    await Gate.opened.wait()


@workflow("narrow", title="Narrow task", at_once=2)
async def narrow(run: Run) -> None:
    await run.step("through", at_the_gate)


@workflow("lined", queue="disk")
async def lined(run: Run) -> None:
    await run.step("through", at_the_gate)


@workflow("also-lined", queue="disk")
async def also_lined(run: Run) -> None:
    await run.step("through", at_the_gate)


@workflow("wide")
async def wide(run: Run) -> None:
    await run.step("through", at_the_gate)


ALL = [narrow, lined, also_lined, wide]


@pytest.fixture(autouse=True)
def _closed_gate() -> None:
    Gate.opened = asyncio.Event()


async def until(holds: Callable[[], Any]) -> None:
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.01)


async def running(engine: Engine, *requests: Any) -> None:
    for n, each in enumerate(requests):
        await engine.start(each, id=f"runs-{n}")
    async with asyncio.timeout(30):
        while (await engine.counts()).get("running", 0) < len(requests):
            await asyncio.sleep(0.01)


async def said(engine: Engine, id: str) -> str:
    return await turn_text(engine, await engine.summary(id), await engine.offers())


async def test_a_limit_of_the_definition_is_named(tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "work.db", ALL) as engine:
        await running(engine, narrow(), narrow())
        await engine.start(narrow(), id="waits")
        assert await said(engine, "waits") == f"The limit of “Narrow task” is reached: 2 at once. {ENDS}"
        engine.limit("narrow", 1)  # a person's own, which is less
        async with asyncio.timeout(30):
            while "1 at once" not in await said(engine, "waits"):
                await asyncio.sleep(0.01)
        Gate.opened.set()


async def test_a_limit_of_the_queue_is_named_whoever_fills_it(tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "work.db", ALL, queues={"disk": 1}) as engine:
        await running(engine, also_lined())
        await engine.start(lined(), id="waits")
        assert await said(engine, "waits") == f"The limit of the queue “disk” is reached: 1 at once. {ENDS}"
        Gate.opened.set()


async def test_places_that_are_all_taken_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    async with Engine.open(path, ALL, concurrency=2) as engine:
        await running(engine, wide(), narrow())
        await engine.start(wide(), id="waits")
        assert await said(engine, "waits") == f"All 2 places of this program are taken. {ENDS}"
        # Of another program it is not known how many it has.
        async with Engine.open(path, ALL, work=False) as looking:
            others = "It waits for a free place, behind 2 workflows at work."
            assert await said(looking, "waits") == others
        Gate.opened.set()


async def test_with_nothing_in_its_way_it_is_its_turn(tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "work.db", ALL) as engine:
        await engine.start(narrow(), id="waits")
        queued = await engine.summary("waits")
        Gate.opened.set()
        await engine.until_idle()
        assert (
            await turn_text(engine, queued, await engine.offers()) == "It starts as soon as it is its turn."
        )
        assert await turn_text(engine, queued, []) == "", "nobody can run it, which is said elsewhere"


async def test_the_details_say_it_and_follow_what_changes_without_a_change_of_the_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepfast_desktop.viewmodels.details.details.LOOK_AGAIN", 0.01)
    async with Engine.open(tmp_path / "work.db", ALL, concurrency=2) as engine:
        feed = Feed(engine)
        await feed.start()
        details = DetailsViewModel(engine, feed)
        await running(engine, narrow(), narrow())
        await engine.start(narrow(), id="waits")
        details.show("waits")
        await until(lambda: details.state is not None and "2 at once" in details.state.needs)
        engine.limit("narrow", 1)
        await until(lambda: details.state is not None and "1 at once" in details.state.needs)
        Gate.opened.set()
        await until(lambda: details.state is not None and details.state.text == "Completed")
        await details.close()
        await feed.close()


async def test_of_one_that_runs_nobody_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Engine.open(tmp_path / "work.db", ALL) as engine:
        feed = Feed(engine)
        await feed.start()
        details = DetailsViewModel(engine, feed)
        await running(engine, wide())
        asked: list[str] = []
        read = engine.offers

        async def offers() -> Any:
            asked.append("offers")
            return await read()

        monkeypatch.setattr(engine, "offers", offers)
        details.show("runs-0")
        await until(lambda: details.state is not None and details.state.running)
        assert asked == []
        Gate.opened.set()
        await details.close()
        await feed.close()
