"""Closing the window while something runs: what is asked, said and done."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QMessageBox, QPushButton

from stepfast import Engine, Run, workflow
from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.main_window import MainWindow, until_closed
from stepfast_desktop.settings import Settings
from stepfast_desktop.viewmodels.leaving import quitting

goes = threading.Event()


@workflow("steady")
async def steady(run: Run) -> None:
    for number in range(1_000_000):
        await run.step(f"step-{number}", asyncio.sleep, 0.005)


@workflow("stubborn")
async def stubborn(run: Run) -> None:
    def effect() -> None:
        goes.wait(600)

    await run.step("big file", effect)


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    monkeypatch.setattr(quitting, "PATIENCE_SECONDS", 60.0)  # what lets go may take its time here
    goes.clear()
    yield
    goes.set()


async def until(holds: Callable[[], Any], what: str = "") -> Any:
    try:
        async with asyncio.timeout(60):
            while not (found := holds()):
                await asyncio.sleep(0.01)
    except TimeoutError:
        pytest.fail(f"never came: {what or holds}")
    return found


@asynccontextmanager
async def running(folder: Path, definition: Any = steady) -> AsyncIterator[MainWindow]:
    """A window in which one workflow is in a step."""
    async with open_window([steady, stubborn], folder) as window:
        engine = window.view_model.engine
        await engine.start(definition(), id="one")
        async with asyncio.timeout(60):
            while (await engine.summary("one")).step is None:
                await asyncio.sleep(0.01)
        await until(lambda: window.view_model.table.counts.get("running") == 1)
        yield window


def box_of(window: MainWindow) -> QMessageBox | None:
    return next((each for each in window.findChildren(QMessageBox) if each.isVisible()), None)


def press(box: QMessageBox, text: str) -> None:
    (button,) = [each for each in box.findChildren(QPushButton) if each.text().replace("&", "") == text]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def notice(window: MainWindow, key: str) -> str:
    line = window.notice_bar.line(key)
    return "" if line is None else line.text.text()


async def state_afterwards(folder: Path) -> str:
    async with Engine.open(folder / "stepfast.db", work=False) as engine:
        return (await engine.summary("one")).state.name


async def test_the_first_time_it_is_said_that_it_is_parked_and_never_again(tmp_path: Path) -> None:
    async with running(tmp_path) as window:
        closed = asyncio.ensure_future(until_closed(window))
        window.close()
        box = await until(lambda: box_of(window), "the question")
        assert "1 workflow" in box.text()
        assert "carries on where it was" in box.informativeText()
        window.close()
        assert box_of(window) is box, "one question is enough"
        press(box, "Do not quit")
        await asyncio.sleep(0)
        assert window.isVisible() and not closed.done()
        window.close()
        press(await until(lambda: box_of(window)), "Quit")
        await closed
    assert await state_afterwards(tmp_path) == "queued"
    async with open_window([steady], tmp_path) as window:
        await until(lambda: window.view_model.table.counts.get("running") == 1)
        closed = asyncio.ensure_future(until_closed(window))
        await until(window.isActiveWindow)
        QTest.keyClick(window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
        await closed
        assert box_of(window) is None


async def test_where_nothing_runs_nothing_is_asked(tmp_path: Path) -> None:
    async with open_window([steady], tmp_path) as window:
        closed = asyncio.ensure_future(until_closed(window))
        window.close()
        await closed
        assert box_of(window) is None
    assert not Settings(tmp_path).get("told_parked"), "it is still to be said"


async def test_the_question_is_answered_by_keyboard_and_can_turn_on_the_start_at_login(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as window:
        closed = asyncio.ensure_future(until_closed(window))
        window.close()
        box = await until(lambda: box_of(window), "the question")
        check = box.findChild(QCheckBox)
        assert not check.isChecked()
        QTest.keyClick(check, Qt.Key.Key_Space)
        QTest.keyClick(box, Qt.Key.Key_Return)
        await closed
    (file,) = (tmp_path / "xdg" / "autostart").iterdir()
    assert "window --hidden" in file.read_text("utf-8")


async def test_what_is_waited_for_is_shown_by_name_and_quit_now_waits_no_longer(
    tmp_path: Path, lapses: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lapses.expect("still in a step when the program ended: 1")
    monkeypatch.setattr(quitting, "PATIENCE_SECONDS", 3600.0)  # so that nothing but the key can end it
    async with running(tmp_path, stubborn) as window:
        window.view_model.preferences.set("told_parked", True)
        window.close()
        leaving = asyncio.ensure_future(window.view_model.quitting.park())
        text = await until(lambda: notice(window, "parking"), "what is waited for")
        assert text.startswith("Parking what runs, for at most ") and "one (big file)" in text
        assert window.isVisible()
        window.closing.quit()  # Ctrl+Q once more
        async with asyncio.timeout(60):
            assert not await leaving
        goes.set()
    assert Settings(tmp_path).get("quit_in_a_step"), "it was no crash, whatever is found of it"
    async with open_window([], tmp_path):
        assert not Settings(tmp_path).get("quit_in_a_step"), "the next end may be one"


async def test_quitting_once_more_is_an_answer_to_the_question(tmp_path: Path) -> None:
    async with running(tmp_path) as window:
        closed = asyncio.ensure_future(until_closed(window))
        window.closing.quit()
        box = await until(lambda: box_of(window), "the question")
        await until(box.isActiveWindow)
        QTest.keyClick(box, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
        await closed
    assert await state_afterwards(tmp_path) == "queued"


async def test_the_system_is_never_asked_back(tmp_path: Path) -> None:
    async with running(tmp_path) as window:
        closed = asyncio.ensure_future(until_closed(window))
        window.close()
        await until(lambda: box_of(window), "the question")
        window.closing.system_asks()
        assert box_of(window) is None
        assert window.close(), "what would be a veto is none"
        await closed
    assert await state_afterwards(tmp_path) == "queued"


@pytest.mark.parametrize("tray", [True, False])
async def test_closing_hides_only_where_there_is_a_way_back(tmp_path: Path, tray: bool) -> None:
    async with running(tmp_path) as window:
        window.view_model.preferences.set("closing", "hide")
        window.can_hide = lambda: tray
        window.close()
        assert window.isVisible() is not tray
        assert window.isMinimized() is not tray
        assert (await window.view_model.engine.summary("one")).state.name == "running"
        assert box_of(window) is None
        closed = asyncio.ensure_future(until_closed(window))
        window.view_model.preferences.set("told_parked", True)
        window.closing.quit()
        await closed


async def test_it_is_not_asked_where_a_worker_goes_on_and_a_failed_one_is_said(tmp_path: Path) -> None:
    class Failing:
        works = False

        def runs(self) -> bool:
            return self.works

        def start(self) -> None:
            raise OSError("no room for one")

        def stop(self) -> bool:
            return True

    async with running(tmp_path) as window:
        failing = window.view_model.background._background = Failing()
        window.commands["background"].trigger()
        await until(lambda: "no room for one" in notice(window, "background"), "why it does not start")
        assert window.isVisible()
        failing.works = True
        await window.view_model.background.look()
        assert window.view_model.quitting.way("close", can_hide=False) == "quit"
        assert "A worker runs in the background" in [
            each.text() for each in window.statusBar().children() if hasattr(each, "text")
        ]
