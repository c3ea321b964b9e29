"""The bar of the progress column has the colours of the cells beside it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QTableWidget, QTableWidgetItem

from stepfast import Progress, Summary
from stepfast.state import Cancelled, Completed, Running, State
from stepfast_desktop.qt.table.model import ROW
from stepfast_desktop.qt.table.progress_delegate import ProgressDelegate

NOW = datetime(2026, 11, 30, tzinfo=UTC)
SHOWN = Summary(
    key=1,
    id="w",
    name="w",
    version=1,
    state=Running(1),
    intent=None,
    priority=0,
    problems=0,
    step=None,
    progress=Progress(1, 4, "1 of 4"),
    created_at=NOW,
    started_at=NOW,
    finished_at=None,
    removed_at=None,
    change=1,
)


def drawn(table: QTableWidget, row: Summary, option: QStyleOptionViewItem) -> QImage:
    """The cell of a row."""
    item = QTableWidgetItem()
    item.setData(ROW, row)
    table.setItem(0, 0, item)
    option.rect, option.widget = QRect(0, 0, 200, 24), table
    image = QImage(200, 24, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    ProgressDelegate(table).paint(painter, option, table.model().index(0, 0))
    painter.end()
    return image


@pytest.fixture
def table(qtbot: Any) -> QTableWidget:
    table = QTableWidget(1, 1)
    qtbot.addWidget(table)
    return table


@pytest.mark.parametrize("active", [True, False], ids=["active window", "another window is active"])
def test_a_selected_row_is_drawn_in_the_colours_of_its_window(table: QTableWidget, active: bool) -> None:
    option = QStyleOptionViewItem()
    option.state = QStyle.StateFlag.State_Enabled | QStyle.StateFlag.State_Selected
    if active:
        option.state |= QStyle.StateFlag.State_Active
    colours = {QPalette.ColorGroup.Active: QColor("#ff0000"), QPalette.ColorGroup.Inactive: QColor("#0000ff")}
    for group, colour in colours.items():
        option.palette.setColor(group, QPalette.ColorRole.HighlightedText, colour)
    bar = drawn(table, SHOWN, option).pixelColor(10, 21)
    wanted = colours[QPalette.ColorGroup.Active if active else QPalette.ColorGroup.Inactive]
    assert bar == wanted


def test_what_has_finished_has_no_bar_and_what_ended_halfway_has(table: QTableWidget) -> None:
    def bar(state: State) -> set[int]:
        image = drawn(table, replace(SHOWN, state=state), QStyleOptionViewItem())
        return {image.pixel(x, 21) for x in range(200)}

    assert bar(Completed(NOW, 0)) == {QColor("white").rgb()}
    assert len(bar(Cancelled(NOW))) > 1
