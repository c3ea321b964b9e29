"""Which workflows need a person: counted from the file, and then from what changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from stepfast import Engine, Run, workflow
from stepfast.state import AnswerWait, Blocked, ChildWait, MessageWait, Waiting
from stepfast_desktop.settings import Settings
from stepfast_desktop.viewmodels.asking import asking_text
from stepfast_desktop.viewmodels.preferences import Preferences
from stepfast_desktop.viewmodels.window import WindowViewModel


@workflow("asking")
async def asking(run: Run) -> str:
    return await run.awaiting("word", into=str)


@workflow("listening")
async def listening(run: Run) -> object:
    return await run.receive("more")


@workflow("parent")
async def parent(run: Run) -> object:
    return await run.child("listener", listening())


DEFINITIONS = [asking, listening, parent]


async def until(holds: Callable[[], bool]) -> None:
    try:
        async with asyncio.timeout(60):
            while not holds():
                await asyncio.sleep(0.01)
    except TimeoutError:
        pytest.fail("never came")


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[WindowViewModel]:
    async with Engine.open(folder / "work.db", DEFINITIONS) as engine:
        window = WindowViewModel(engine, Preferences(Settings(folder, folder / "settings.json")))
        await window.start()
        try:
            yield window
        finally:
            await window.close()


async def test_only_what_waits_for_a_person_is_counted_as_that(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        engine = window.engine
        await engine.start(parent(), id="p")
        await engine.start(listening(), id="l")
        await engine.start(asking(), id="a")
        await until(lambda: window.table.counts.get("waiting") == 4 and window.questions.count == 1)
        assert window.questions.text == "1 waiting for you"
        assert window.counts == "4 pending", "as beside Pending in the sidebar"
        await engine.pause("l")
        await until(lambda: window.table.counts.get("paused") == 1)
        assert window.counts == "4 pending"
        await engine.arrive("a", "word", "yes")
        await until(lambda: window.questions.count == 0)
        assert window.questions.text == ""
        assert window.questions.next(None) is None


async def test_what_waited_when_the_window_was_opened_is_counted(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        for id in ("a", "b"):
            await window.engine.start(asking(), id=id)
        await until(lambda: window.questions.count == 2)
    async with opened(tmp_path) as window:
        await until(lambda: window.questions.count == 2)
        first, second = await window.engine.keys(order="created")
        assert window.questions.next(None) == first
        assert window.questions.next(first) == second
        assert window.questions.next(second) == first
        await window.engine.delete("a")
        await until(lambda: window.questions.count == 1)
        assert window.questions.next(second) == second


def test_the_state_says_what_is_asked() -> None:
    titled = '{"type": "string", "title": "Which colour?"}'
    for state, said in (
        (Waiting((MessageWait("m"), AnswerWait("the_word"))), "Asks: The word"),
        (Waiting((AnswerWait("colour", titled),)), "Asks: Which colour?"),
        (Waiting((AnswerWait("colour", "[no JSON"),)), "Asks: Colour"),
        (Waiting((AnswerWait("colour", '["title"]'),)), "Asks: Colour"),
        (Blocked("pay"), "Blocked: did “pay” happen?"),
        (Waiting((ChildWait("c"), MessageWait("m"))), ""),
    ):
        assert asking_text(state) == said
