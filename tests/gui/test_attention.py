"""What needs a person: the button that counts it, and the way there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from stepfast import Run, workflow
from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.main_window import MainWindow


@workflow("asking")
async def asking(run: Run) -> str:
    return await run.awaiting("word", into=str)


@workflow("quick")
async def quick(run: Run, number: int) -> int:
    return number


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))


async def until(holds: Callable[[], bool]) -> None:
    try:
        async with asyncio.timeout(60):
            while not holds():
                await asyncio.sleep(0.01)
    except TimeoutError:
        pytest.fail("never came")


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[MainWindow]:
    async with open_window([asking, quick], folder) as window:
        yield window


async def test_a_click_leads_to_each_that_needs_a_person_in_turn(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        engine, details = window.view_model.engine, window.view_model.details
        assert window.attention.isHidden()
        assert not window.commands["next_question"].isEnabled()
        for id in ("a", "b"):
            await engine.start(asking(), id=id)
        await engine.start(quick(1), id="c")
        await until(lambda: window.attention.text() == "2 waiting for you" and window.attention.isVisible())
        assert window.attention.accessibleName() == "2 waiting for you"
        QTest.mouseClick(window.attention, Qt.MouseButton.LeftButton)
        await until(lambda: details.state is not None and details.state.id == "a")
        await until(lambda: window.details.parts.questions.isAncestorOf(window.focusWidget()))
        window.activateWindow()
        await until(window.isActiveWindow)
        QTest.keyClick(window.table, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: details.state is not None and details.state.id == "b")
        (card,) = window.details.parts.questions.cards
        await until(lambda: card.isAncestorOf(window.focusWidget()))  # one can type the answer at once
        for id in ("a", "b"):
            await engine.arrive(id, "word", "yes")
        await until(window.attention.isHidden)
        assert not window.commands["next_question"].isEnabled()


async def test_the_way_there_leads_out_of_a_filter_and_to_rows_that_are_not_read(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        engine, details = window.view_model.engine, window.view_model.details
        await engine.start(asking(), id="far")
        for number in range(300):
            await engine.start(quick(number), id=f"job-{number}")
        await until(lambda: len(window.view_model.table.keys) == 301 and window.attention.isVisible())
        window.view_model.table.sort("created", descending=True)
        QTest.keyClicks(window.search, "job")
        await until(lambda: len(window.view_model.table.keys) == 300)
        QTest.mouseClick(window.attention, Qt.MouseButton.LeftButton)
        await until(lambda: details.state is not None and details.state.id == "far")
        assert window.search.text() == ""
        table = window.table
        assert table.viewport().rect().contains(table.visualRect(table.currentIndex()).center())
