"""What a person sees at the first glance: nothing cut off, nothing that flashes up, nothing empty."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QStyle, QWidget

from stepfast import Run, workflow
from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.main_window import MainWindow
from stepfast_desktop.viewmodels.table.columns import COLUMNS, column


@workflow("long-sleep", title="Sleep for long")
async def long_sleep(run: Run) -> None:
    """Sleeps."""
    await run.sleep("long", timedelta(hours=5))


@workflow("asking")
async def asking(run: Run) -> str:
    return await run.awaiting("word", into=str)


@workflow("sum", title="Add up")
async def add_up(run: Run) -> int:
    return 3


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


class Shown(QObject):
    """The windows that came up."""

    def __init__(self) -> None:
        super().__init__()
        self.windows: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.windows.append(type(watched).__name__)
        return False


async def show_row(window: MainWindow) -> None:
    await until(lambda: window.view_model.table.keys)
    window.table.selectRow(0)
    await until(lambda: window.view_model.details.state is not None)


async def test_only_the_window_comes_up(tmp_path: Path, qapp: QApplication) -> None:
    shown = Shown()
    qapp.installEventFilter(shown)
    try:
        async with open_window([long_sleep], tmp_path):
            await asyncio.sleep(0)
    finally:
        qapp.removeEventFilter(shown)
    assert shown.windows == ["MainWindow"]


async def test_the_usual_columns_fit_side_by_side(tmp_path: Path) -> None:
    async with open_window([long_sleep], tmp_path) as window:
        letter = window.fontMetrics().horizontalAdvance("n")
        window.resize(letter * 160, window.height())
        await window.view_model.engine.start(long_sleep(), id="one")
        await until(window.table.isVisible)
        await until(lambda: window.table.viewport().width() > letter * 120)
        assert window.table.horizontalScrollBar().maximum() == 0
        for place, column in enumerate(COLUMNS):
            if not column.hidden:
                title = window.table.header.sectionSizeFromContents(place).width()
                assert window.table.columnWidth(place) >= title, column.name


async def test_the_usual_times_are_not_cut_off(tmp_path: Path) -> None:
    # As they are said in places with a clock of twelve hours, too.
    said = {"started": "today 10:58 PM", "elapsed": "59 min 58 s", "remaining": "59 min", "finished": "22:58"}
    async with open_window([long_sleep], tmp_path / "data") as window:
        table = window.table
        margin = 2 * (table.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1)
        cut = {
            name: text
            for name, text in said.items()
            if table.fontMetrics().horizontalAdvance(text) + margin > table.columnWidth(column(name))
        }
        assert cut == {}


async def test_times_stand_at_the_left_where_nothing_else_is_to_be_said(tmp_path: Path) -> None:
    async with open_window([asking], tmp_path) as window:
        overview = window.details.parts.overview
        window.resize(1400, 800)
        await window.view_model.engine.start(asking(), id="one")
        await show_row(window)
        await until(overview.facts.isVisible)
        await until(lambda: overview.facts.mapTo(overview, overview.facts.rect().topLeft()).x() < 40)


async def test_a_result_without_a_name_stands_below_its_title(tmp_path: Path) -> None:
    async with open_window([add_up], tmp_path) as window:
        await (await window.view_model.engine.start(add_up(), id="one")).result()
        await show_row(window)
        result = window.details.parts.overview.result
        await until(lambda: result.toPlainText() == "3")


@pytest.mark.parametrize("count", [0, 22_000, 1_234_567])
async def test_no_title_in_the_sidebar_is_cut_off_however_narrow_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    async with open_window([long_sleep], tmp_path) as window:
        sidebar = window.sidebar
        monkeypatch.setattr(window.view_model.sidebar, "count", lambda entry: count)
        window.view_model.sidebar.counts_changed.emit()
        sidebar.resize(sidebar.minimumWidth(), sidebar.height())
        window.beside.setSizes([1, 1000])
        await asyncio.sleep(0)
        assert sidebar.width() >= sidebar.minimumWidth()
        for _, item in sidebar._items:
            needed = sidebar.fontMetrics().horizontalAdvance(item.text(0))
            # As a delegate draws it, which leaves as much beside the text as beside the spot.
            margin = sidebar.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1
            needed += 2 * margin
            if not item.icon(0).isNull():
                needed += sidebar.iconSize().width() + 2 * margin
            room = sidebar.visualItemRect(item).width() - sidebar.columnWidth(1)
            assert needed < room, item.text(0)


@pytest.mark.parametrize("letters", [150, 110, 70])
async def test_the_search_is_there_however_narrow_the_window_is(tmp_path: Path, letters: int) -> None:
    async with open_window([long_sleep], tmp_path / "data") as window:
        await window.view_model.engine.start(long_sleep(), id="one")
        await until(window.table.isVisible)
        bar = window.search.parentWidget()
        for wide in (letters, 200, letters):
            window.resize(window.fontMetrics().horizontalAdvance("n") * wide, window.height())
            await until(
                lambda wide=wide: window.width() <= window.fontMetrics().horizontalAdvance("n") * wide
            )
            await until(lambda: window.search.isVisible() and window.search.geometry().right() < bar.width())
            hidden = [each.text() for each in bar.actions() if bar.widgetForAction(each).isHidden()]
            assert hidden == []
        window.activateWindow()
        window.commands["find"].trigger()
        assert window.search.hasFocus()
