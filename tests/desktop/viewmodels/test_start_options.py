"""What is said of a start besides its input: name, moment, priority, how many at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from stepfast import Engine, Run, workflow
from stepfast_desktop.settings import Settings
from stepfast_desktop.viewmodels.starting.new_workflow import NewWorkflowViewModel
from stepfast_desktop.viewmodels.starting.start_options import StartOptions

release: list[asyncio.Event] = []


@workflow("wait")
async def wait(run: Run, text: str = "") -> str:
    return await run.step("wait", hold, text)


async def hold(text: str) -> str:
    await release[-1].wait()
    return text


@workflow("one", at_once=3)
async def one(run: Run) -> None: ...


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    release.append(asyncio.Event())
    async with Engine.open(tmp_path / "s.db", [wait, one]) as engine:
        yield engine


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.005)


def options_of(view_model: NewWorkflowViewModel) -> StartOptions:
    options = view_model.options
    assert options is not None
    return options


async def test_it_starts_under_the_name_at_the_moment_and_with_the_priority_that_are_said(
    engine: Engine,
) -> None:
    view_model = NewWorkflowViewModel(engine)
    options = options_of(view_model)
    assert not options.used
    moment = (datetime.now() + timedelta(days=1)).replace(microsecond=0)  # noqa: DTZ005  (local, as typed)
    options.form.set("id", "  tomorrow ")
    options.form.set("at", moment)
    options.form.set("priority", "7")
    assert options.used
    handle = await view_model.start()
    assert handle is not None and handle.id == "tomorrow"
    summary = await engine.summary("tomorrow")
    assert summary.state.name == "sleeping"
    assert summary.state.until.timestamp() == moment.timestamp()  # type: ignore[union-attr]
    assert summary.priority == 7
    assert not options_of(view_model).used, "the next one begins anew"
    await view_model.close()


async def test_a_moment_that_is_past_is_refused(engine: Engine) -> None:
    options = options_of(NewWorkflowViewModel(engine))
    options.form.set("at", datetime(2020, 1, 2))  # noqa: DTZ001
    assert options.form.field("at").error == "This moment is past."
    assert not options.form.valid


async def test_a_name_that_is_taken_says_so_while_one_types(engine: Engine) -> None:
    await engine.start(wait(), id="taken")
    view_model = NewWorkflowViewModel(engine)
    options = options_of(view_model)
    heard: list[bool] = []
    view_model.changed.connect(lambda: heard.append(view_model.startable))
    options.form.set("id", "taken")
    assert view_model.startable, "not known yet"
    await until(lambda: not view_model.startable)
    assert options.form.field("id").error == "There is a workflow of that name already."
    assert heard[-1] is False
    options.form.set("id", "taken-2")
    assert view_model.startable
    await view_model.close()


@pytest.mark.parametrize("text", ["", "another input"])
async def test_a_start_that_finds_the_name_taken_says_so_and_starts_nothing(
    engine: Engine, text: str
) -> None:
    await engine.start(wait(), id="taken")
    view_model = NewWorkflowViewModel(engine)
    assert view_model.form is not None
    view_model.form.set("text", text)
    options = options_of(view_model)
    options.form.set("id", "taken")
    told: list[str] = []
    view_model.started.connect(told.append)
    assert await view_model.start() is None
    assert options.form.field("id").error == "There is a workflow of that name already."
    assert view_model.form.field("text").text == text
    assert (told, view_model.error) == ([], "")
    await view_model.close()


async def test_a_name_with_what_cannot_be_seen_is_refused(engine: Engine) -> None:
    options = options_of(NewWorkflowViewModel(engine))
    for wrong in ("a\u200bb", "x" * 201):
        options.form.set("id", wrong)
        assert "at most 200 characters, all of them visible" in options.form.field("id").error
    await options.close()


async def test_no_more_run_at_once_than_was_said_and_that_is_kept(engine: Engine, tmp_path: Path) -> None:
    settings = Settings(tmp_path, tmp_path / "settings.json")
    view_model = NewWorkflowViewModel(engine, settings)
    options_of(view_model).form.set("at_once", "1")
    for number in range(3):
        options_of(view_model).form.set("id", f"w-{number}")
        assert await view_model.start() is not None
    assert options_of(view_model).at_once == 1, "of the next too"

    async def states() -> list[str]:
        return [(await engine.summary(f"w-{number}")).state.name for number in range(3)]

    async with asyncio.timeout(60):
        while await states() != ["running", "queued", "queued"]:
            await asyncio.sleep(0.005)
    again = NewWorkflowViewModel(engine, settings)
    assert options_of(again).at_once == 1
    options_of(again).form.set("at_once", "")
    assert await again.start() is not None
    async with asyncio.timeout(60):
        while await states() != ["running"] * 3:
            await asyncio.sleep(0.005)
    assert settings.get("limits") == {}
    release[-1].set()
    await view_model.close()
    await again.close()


async def test_what_the_definition_allows_is_the_most(engine: Engine) -> None:
    view_model = NewWorkflowViewModel(engine)
    view_model.choose("one")
    options = options_of(view_model)
    assert options.at_once == 3 and not options.used
    options.form.set("at_once", "4")
    assert options.form.field("at_once").error == "Write a number from 1 to 3."
    assert not view_model.startable
    assert await view_model.start() is None
