"""How many run at once, as a person sets it: kept, told to the engine, and to a worker beside the window."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from stepfast import Engine, Run, workflow
from stepfast_desktop.settings import Settings
from stepfast_desktop.viewmodels.starting import kept_limits
from stepfast_desktop.viewmodels.starting.kept_limits import followed
from stepfast_desktop.viewmodels.starting.new_workflow import NewWorkflowViewModel
from stepfast_desktop.viewmodels.tools.limits_page import LimitsPage

release: list[asyncio.Event] = []


@workflow("copying", title="copy", queue="disk")
async def copying(run: Run) -> None:
    await release[-1].wait()


@workflow("two", title="two of them", at_once=2)
async def two(run: Run) -> None:
    await release[-1].wait()


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    release.append(asyncio.Event())
    async with Engine.open(tmp_path / "s.db", [copying, two]) as engine:
        yield engine
        release[-1].set()
        await engine.until_idle()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path, tmp_path / "settings.json")


async def running(engine: Engine, count: int) -> None:
    async with asyncio.timeout(60):
        while (await engine.counts()).get("running", 0) != count:
            await asyncio.sleep(0.005)


async def test_a_limit_that_is_typed_counts_at_once_and_the_next_time(
    engine: Engine, settings: Settings
) -> None:
    page = LimitsPage(NewWorkflowViewModel(engine, settings).limits)
    fields = [*page.definitions, *page.queues]
    assert [each.title for each in fields] == ["Copy", "Two of them", "Queue “disk”"]
    assert [each.field.none for each in fields] == ["no limit", "2", "no limit"]
    page.write("definition two", "3")
    assert "from 1 to 2" in page.number("definition two").error
    page.write("definition two", "1")
    page.write("queue disk", "1")
    assert not page.number("definition two").error
    for number in range(2):
        await engine.start(copying(), id=f"c{number}")
        await engine.start(two(), id=f"t{number}")
    await running(engine, 2)
    again = LimitsPage(NewWorkflowViewModel(engine, settings).limits)
    assert [each.field.text for each in (*again.definitions, *again.queues)] == ["", "1", "1"]
    again.write("queue disk", "")
    again.write("definition two", "")
    await running(engine, 4)
    assert not settings.get("limits") and not settings.get("queue_limits")


async def test_what_a_start_sets_and_what_the_settings_set_is_one_limit(
    engine: Engine, settings: Settings
) -> None:
    starting = NewWorkflowViewModel(engine, settings)
    starting.choose("two")
    page = LimitsPage(starting.limits)
    assert starting.options is not None and starting.options.at_once == 2
    page.write("definition two", "1")
    assert starting.options.at_once == 1
    starting.options.form.set("at_once", "2")
    assert await starting.start() is not None
    page.look()
    assert page.number("definition two").text == ""
    await starting.close()


async def test_a_worker_beside_the_window_keeps_to_what_is_set(
    engine: Engine, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_limits, "LOOK_SECONDS", 0.01)
    settings.put("queue_limits", {"disk": 1, "another program's": 3})
    read: Callable[[], kept_limits.KeptLimits] = lambda: kept_limits.kept_limits(settings.get)  # noqa: E731
    async with followed(engine, read):
        for number in range(3):
            await engine.start(copying(), id=f"c{number}")
        await running(engine, 1)
        settings.put("queue_limits", {"disk": 2})
        await running(engine, 2)
        settings.put("queue_limits", {})
        await running(engine, 3)
