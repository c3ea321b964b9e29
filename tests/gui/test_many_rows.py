"""The table over very many rows: walked, selected and read a part at a time."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QObject, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from stepfast import Engine
from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.main_window import MainWindow
from stepfast_desktop.viewmodels.table.selection import Selection

sys.path.insert(0, str(Path(__file__).parent))

from showing import asking, until

sys.path.pop(0)

NONE, CONTROL, SHIFT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))


@asynccontextmanager
async def opened(folder: Path, rows: int) -> AsyncIterator[MainWindow]:
    """A window over a new file with so many workflows."""
    await large(folder, rows)
    async with open_window([asking], folder) as window:
        await until(lambda: window.table.model().rowCount() == rows, "all rows")
        yield window


def press(window: MainWindow, key: Qt.Key, modifiers: Any = NONE) -> None:
    QTest.keyClick(window.table, key, modifiers)


def go(window: MainWindow, row: int) -> None:
    window.table.setFocus()
    window.table.setCurrentIndex(window.table.model().index(row, window.table.place("name")))


async def large(folder: Path, rows: int) -> None:
    """A file with very many workflows, the newest with the largest number."""
    folder.mkdir()
    async with Engine.open(folder / "stepfast.db", work=False):
        pass
    with closing(sqlite3.connect(folder / "stepfast.db", isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
            " INSERT INTO stepfast_workflows (key, id, name, version, state, place, receipt, created_at,"
            " started_at, finished_at, change)"
            " SELECT i, 'w' || i, 'asking', 1, 'completed', i, i, 1e9, 1e9 + i, 1e9 + i, i FROM n",
            (rows,),
        )
        connection.execute(
            "INSERT INTO stepfast_payloads (workflow, input) SELECT key, '{}' FROM stepfast_workflows"
        )
        connection.execute("UPDATE stepfast_meta SET counter = ?", (rows + 10,))
        connection.execute("COMMIT")


async def test_a_hundred_thousand_rows_are_walked_and_selected_without_being_read(tmp_path: Path) -> None:
    rows = 100_000
    async with opened(tmp_path / "data", rows) as window:
        table, selection = window.view_model.table, window.table.selectionModel()
        go(window, 0)
        press(window, Qt.Key.Key_End)
        assert window.table.currentIndex().row() == rows - 1
        press(window, Qt.Key.Key_Home)
        assert window.table.currentIndex().row() == 0
        press(window, Qt.Key.Key_End, CONTROL)
        assert window.table.currentIndex().row() == rows - 1
        press(window, Qt.Key.Key_Home, CONTROL)
        press(window, Qt.Key.Key_PageDown, SHIFT)
        page = window.table.currentIndex().row() + 1
        assert page > 2 and table.selected_count == page
        press(window, Qt.Key.Key_Home)
        press(window, Qt.Key.Key_End, SHIFT)
        assert table.selected_count == rows and not table.selection.everything
        assert selection.selection().count() == 1, "one range, however many rows"
        assert len(table._rows) < 1000, "and they were not read for it"
        window.table.selectAll()
        at = window.table.visualRect(window.table.model().index(rows - 3, 0)).center()
        QTest.mouseClick(window.table.viewport(), Qt.MouseButton.LeftButton, CONTROL, at)
        assert table.selection.everything and table.selected_count == rows - 1
        QTest.mouseClick(window.table.viewport(), Qt.MouseButton.LeftButton, CONTROL, at)
        assert table.selected_count == rows


async def test_who_pages_down_finds_the_rows_read_and_who_leaps_reads_no_others(tmp_path: Path) -> None:
    rows = 5000
    async with opened(tmp_path / "data", rows) as window:
        table = window.view_model.table
        for key, page in ((Qt.Key.Key_PageDown, 2), (Qt.Key.Key_PageUp, -1)):
            window.table.scrollTo(window.table.model().index(2000, 0))
            go(window, 2000)
            for _ in range(20):
                press(window, key)
                first, last = window.table._visible()
                there = first + page * (last - first + 1)
                await until(lambda there=there: table.known(table.keys[there]), "a row nobody has seen")
        window.table.scrollTo(window.table.model().index(4000, 0))
        first, last = window.table._visible()
        await until(lambda: table.known(table.keys[last]), "the rows that are seen")
        assert table.known(table.keys[last + 200]) is None
        assert len(table._rows) < 1500


async def test_a_reorder_mirrors_a_large_selection_by_few_ranges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row by row, Qt takes seconds for it: what counts is how many ranges it is given, and how often."""
    rows = 40_000
    async with opened(tmp_path / "data", rows) as window:
        table, mirror = window.view_model.table, window.table._mirror
        table.selection.replace(table.keys[10_000:30_000])
        given: list[int] = []
        quietly = mirror._quietly

        def counted(what: QItemSelection, command: Any) -> None:
            given.append(what.count())
            quietly(what, command)

        monkeypatch.setattr(mirror, "_quietly", counted)
        table.sort("newest", descending=True)
        await until(lambda: given and table.keys[0] == 1, "a reorder")
        assert given[-2:] == [0, 1], "taken out whole, and put back whole"
        assert ranges(mirror) == [(10_000, 29_999)]

        given.clear()
        table.selection = Selection()
        table.selection.select_all()
        table.selection.take_away([table.keys[5], table.keys[6], table.keys[-1]])
        table.sort("newest", descending=False)
        await until(lambda: given and table.keys[0] == rows, "a reorder")
        assert given[-2:] == [0, 2], "all but three is two ranges, and no list of the others"
        assert ranges(mirror) == [(1, rows - 8), (rows - 5, rows - 1)]


async def test_thousands_that_lie_apart_are_mirrored_where_one_looks_and_none_is_lost(tmp_path: Path) -> None:
    rows = 20_000
    async with opened(tmp_path / "data", rows) as window:
        table, mirror, view = window.view_model.table, window.table._mirror, window.table.viewport()
        table.selection.replace(table.keys[::2])
        mirror.mirror()
        assert 50 < mirror.selection().count() < 400
        window.table.scrollTo(window.table.model().index(11_000, 0))
        assert mirror.isRowSelected(11_000) and not mirror.isRowSelected(11_001)

        def click(row: int, modifiers: Any = CONTROL) -> None:
            at = window.table.visualRect(window.table.model().index(row, 0)).center()
            QTest.mouseClick(view, Qt.MouseButton.LeftButton, modifiers, at)

        click(11_000)
        assert table.selected_count == rows // 2 - 1 and not table.selection.has(table.keys[11_000])
        click(10_999)
        assert table.selected_count == rows // 2 and table.selection.has(table.keys[0])
        table.selection.select_all()
        table.selection.take_away(table.keys[1::2])
        mirror.mirror()
        click(10_999)
        assert table.selection.everything and table.selected_count == rows // 2 + 1
        assert not table.selection.has(table.keys[1])
        click(11_000, NONE)
        assert table.selected_count == 1, "and a click alone selects that row alone"


def ranges(mirror: QItemSelectionModel) -> list[tuple[int, int]]:
    return sorted((each.top(), each.bottom()) for each in mirror.selection())


async def test_what_changes_out_of_sight_draws_nothing_and_beside_it_no_more_than_that(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path / "data", 1000) as window:
        view, table = window.table.viewport(), window.view_model.table
        await until(lambda: table.known(table.keys[0]), "the rows that are seen")
        painted = Painted(view)
        await painted.all()
        _, last = window.table._visible()
        table.rows_changed.emit(500, 599)
        table.rows_changed.emit(last, 599)
        await until(lambda: painted.tops, "the last row that is seen")
        assert painted.tops == [window.table.rowViewportPosition(last)]


class Painted(QObject):
    """Where what is drawn anew of a widget begins."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.tops: list[int] = []
        widget.installEventFilter(self)

    async def all(self) -> None:
        """Wait until nothing is left to be drawn, and forget it."""
        self.tops = [0]
        while self.tops:
            self.tops.clear()
            await asyncio.sleep(0.2)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.tops.append(event.rect().top())
        return False
