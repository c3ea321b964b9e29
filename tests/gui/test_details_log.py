"""The log in a real window: it follows, stays where one reads, and is searched by keyboard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest

from stepfast import Run, workflow
from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.main_window import MainWindow
from stepfast_desktop.viewmodels.details import log as module
from stepfast_desktop.viewmodels.events import Event


@workflow("chatty")
async def chatty(run: Run, lines: int) -> None:
    async def log() -> None:
        for number in range(lines):
            run.log(f"line {number}", "error" if number % 100 == 0 else "info")

    await run.step("log", log)
    for number in range(100):
        said = str(await run.receive(f"message-{number}"))
        await run.step(f"say-{number}", run.log, said)


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))
    monkeypatch.setattr(module, "AT_FIRST", 50)


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


@asynccontextmanager
async def shown(folder: Path, lines: int) -> AsyncIterator[MainWindow]:
    """A window that shows the log of one workflow, whole."""
    async with open_window([chatty], folder) as window:
        engine, details = window.view_model.engine, window.view_model.details
        await engine.start(chatty(lines), id="one")
        while (await engine.summary("one")).state.name != "waiting":
            await asyncio.sleep(0.01)
        await until(lambda: window.view_model.table.keys)
        window.view_model.revealing.go(window.view_model.table.keys[0])
        await until(lambda: details.state is not None)
        window.activateWindow()
        window.details.parts.tabs.setCurrentIndex(2)
        await until(lambda: details.log.complete and len(details.log) == lines)
        yield window


def text(window: MainWindow, row: int) -> str | None:
    found: str | None = window.details.parts.log.model().index(row, 1).data()
    return found


async def test_it_follows_at_the_end_and_stays_where_somebody_reads(tmp_path: Path) -> None:
    async with shown(tmp_path, 3000) as window:
        view, log = window.details.parts.log, window.view_model.details.log
        mode = QAbstractItemModelTester.FailureReportingMode.Fatal
        QAbstractItemModelTester(view.model(), mode, view)
        bar = view.verticalScrollBar()
        assert bar.value() == bar.maximum() > 0
        await window.view_model.engine.deliver("one", "more")
        await until(lambda: len(log) == 3001)
        assert bar.value() == bar.maximum()
        view.scrollTo(view.model().index(1001, 0), view.ScrollHint.PositionAtTop)
        place = bar.value()
        await window.view_model.engine.deliver("one", "and more")
        await until(lambda: len(log) == 3002)
        assert bar.value() == place
        await until(lambda: text(window, view.rowAt(1)) == "line 1001")


async def test_what_is_read_stays_in_place_while_earlier_lines_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 500)
    async with shown(tmp_path, 3000) as window:
        view, log = window.details.parts.log, window.view_model.details.log
        find_lines = window.view_model.engine.find_lines
        gate = asyncio.Event()

        async def slowly(id: str, **options: object) -> object:
            if options.get("limit") == 500 and options.get("before") is not None:
                await gate.wait()
            return await find_lines(id, **options)  # type: ignore[arg-type]

        window.view_model.engine.find_lines = slowly  # type: ignore[method-assign, assignment]
        log.filter("info")
        await until(lambda: len(log) == 50)
        view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
        await until(lambda: text(window, view.rowAt(1)))
        seen = text(window, view.rowAt(1))
        gate.set()
        await until(lambda: log.complete and len(log) == 3000)
        await until(lambda: text(window, view.rowAt(1)))
        assert text(window, view.rowAt(1)) == seen


async def test_a_search_by_keyboard(tmp_path: Path) -> None:
    async with shown(tmp_path, 3000) as window:
        view, page = window.details.parts.log, window.details.parts.log_page
        view.setFocus()
        await until(view.hasFocus)
        QTest.keyClick(view, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        assert page.search.hasFocus(), "the log's search, and not that of the table"
        QTest.keyClicks(page.search, "line 299")
        await until(lambda: page.hits.text() == "11 lines")
        QTest.keyClick(page.search, Qt.Key.Key_Return)
        assert view.currentIndex().row() == 299
        QTest.keyClick(page.search, Qt.Key.Key_F3)
        assert view.currentIndex().row() == 2990
        assert view.viewport().rect().contains(view.visualRect(view.currentIndex()).center())
        QTest.keyClick(view, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
        assert view.currentIndex().row() == 299
        await until(lambda: text(window, 299) == "line 299")
        background = view.model().index(299, 1).data(Qt.ItemDataRole.BackgroundRole)
        assert background is not None
        assert view.model().index(300, 1).data(Qt.ItemDataRole.BackgroundRole) is None

        page.levels.setCurrentIndex(3)
        page.levels.activated.emit(3)
        await until(lambda: len(window.view_model.details.log) == 30 and page.hits.text() == "Not found")
        window.table.setFocus()
        QTest.keyClick(window.table, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        assert window.search.hasFocus()


async def test_a_log_that_is_not_shown_is_not_read(tmp_path: Path) -> None:
    async with shown(tmp_path, 10) as window:
        log = window.view_model.details.log
        window.details.parts.tabs.setCurrentIndex(0)
        await window.view_model.engine.deliver("one", "more")
        await until(lambda: window.view_model.details.steps and len(window.view_model.details.steps) == 3)
        await asyncio.sleep(0.3)
        assert len(log) == 10
        window.details.parts.tabs.setCurrentIndex(2)
        await until(lambda: len(log) == 11)


async def test_a_window_that_is_gone_listens_to_no_event_of_its_view_model(tmp_path: Path) -> None:
    async with shown(tmp_path, 3) as window:
        view_model = window.view_model
    kept = [
        each for each in vars(view_model).values() if type(each).__module__.startswith("stepfast_desktop.")
    ]
    kept += [view_model.details.log, view_model.details.records]
    events = {
        f"{type(owner).__name__}.{name}": event
        for owner in kept
        for name, event in vars(owner).items()
        if isinstance(event, Event)
    }
    assert "LogViewModel.read" in events
    listening = {
        name: [listener]
        for name, event in events.items()
        for listener in event._listeners
        if isinstance(getattr(listener, "__self__", None), QObject)
    }
    assert listening == {}
