"""How the cells of the table are drawn, and how little of that goes through Python: each way may wait."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem, QTableWidget, QTableWidgetItem

from stepfast import Run, workflow
from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.table.cells import TextDelegate
from stepfast_desktop.qt.table.model import TableModel
from stepfast_desktop.viewmodels.table.columns import COLUMNS


@workflow("quick")
async def quick(run: Run) -> None: ...


async def test_a_painting_asks_the_model_for_what_a_cell_shows_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))
    asked: list[int] = []
    data = TableModel.data

    def counted(self: TableModel, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        asked.append(role)
        return data(self, index, role)

    monkeypatch.setattr(TableModel, "data", counted)
    async with open_window([quick], tmp_path) as window:
        for number in range(5):
            await (await window.view_model.engine.start(quick(), id=f"quick-{number}")).result()
        while window.table.model().rowCount() < 5 or window.view_model.table.row(4) is None:
            await asyncio.sleep(0.01)
        cells = 5 * sum(not window.table.isColumnHidden(each) for each in range(len(COLUMNS)))
        asked.clear()
        window.table.viewport().repaint()
        assert 0 < len(asked) <= 2 * cells, "by the delegates; Qt would ask seven times for each"
        # Each cell shows what Qt would have put there.
        for column in range(len(COLUMNS)):
            index = window.table.model().index(0, column)
            option = QStyleOptionViewItem()
            TextDelegate(window.table).initStyleOption(option, index)
            assert option.text == (index.data() or "")


@pytest.fixture
def table(qtbot: Any) -> QTableWidget:
    table = QTableWidget(1, 1)
    qtbot.addWidget(table)
    return table


def drawn(table: QTableWidget, text: str, delegate: TextDelegate | None = None) -> QImage:
    """A cell of 80 pixels, in the font of the table, and what is beside it."""
    table.setItem(0, 0, QTableWidgetItem(text))
    option = QStyleOptionViewItem()
    option.rect, option.widget = QRect(20, 0, 80, 40), table
    option.font, option.fontMetrics = table.font(), table.fontMetrics()
    image = QImage(120, 40, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setFont(table.font())
    (delegate or TextDelegate(table)).paint(painter, option, table.model().index(0, 0))
    painter.end()
    return image


def test_a_text_keeps_to_its_cell_and_to_one_line(table: QTableWidget) -> None:
    white = QColor(Qt.GlobalColor.white)
    assert drawn(table, "a") != drawn(table, "")
    image = drawn(table, "w" * 200)
    beside = [*range(20), *range(100, 120)]
    assert {image.pixelColor(x, y).name() for x in beside for y in range(40)} == {white.name()}
    assert drawn(table, "a\nb\tc") == drawn(table, "a b c")
    assert drawn(table, "<b>a</b>") != drawn(table, "a"), "what looks like HTML is text"


def test_what_was_kept_is_drawn_anew_in_another_font(table: QTableWidget) -> None:
    delegate = TextDelegate(table)
    for pixels in (10, 20):
        font = table.font()
        font.setPixelSize(pixels)
        table.setFont(font)
        first = drawn(table, "Completed", delegate)
        assert first == drawn(table, "Completed", delegate) == drawn(table, "Completed")
