"""The name and the state of a row, as they are drawn: on a selected row, and where the arrow is."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QTableWidget, QTableWidgetItem

from stepfast import Summary
from stepfast.state import Running
from stepfast_desktop.qt.palette import dark, light, tone_colours
from stepfast_desktop.qt.table.cells import MARGIN, TextDelegate
from stepfast_desktop.qt.table.model import ROW, Place
from stepfast_desktop.qt.table.row_delegates import NameDelegate, StateDelegate, spot
from stepfast_desktop.viewmodels.format import Tone
from stepfast_desktop.viewmodels.table.folding import Family

PALETTES = {"light": light, "dark": dark}
GROUPS = {"active": QPalette.ColorGroup.Active, "inactive": QPalette.ColorGroup.Inactive}
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
    progress=None,
    created_at=NOW,
    started_at=NOW,
    finished_at=None,
    removed_at=None,
    change=1,
)


@pytest.fixture
def table(qtbot: Any) -> QTableWidget:
    table = QTableWidget(1, 1)
    qtbot.addWidget(table)
    item = QTableWidgetItem("Running")
    item.setData(ROW, SHOWN)
    table.setItem(0, 0, item)
    return table


def option_of(table: QTableWidget, *, active: bool = True) -> QStyleOptionViewItem:
    """That of a selected cell."""
    option = QStyleOptionViewItem()
    option.rect, option.widget, option.fontMetrics = QRect(0, 0, 300, 24), table, table.fontMetrics()
    option.state = QStyle.StateFlag.State_Enabled | QStyle.StateFlag.State_Selected
    if active:
        option.state |= QStyle.StateFlag.State_Active
    return option


def drawn(delegate: TextDelegate, table: QTableWidget, option: QStyleOptionViewItem) -> QImage:
    """The cell, and what is beside it."""
    image = QImage(option.rect.width() + 100, option.rect.height(), QImage.Format.Format_RGB32)
    image.fill(QColor("#808080"))
    painter = QPainter(image)
    delegate.paint(painter, option, table.model().index(0, 0))
    painter.end()
    return image


@pytest.mark.parametrize("tone", get_args(Tone))
def test_a_spot_on_a_selected_row_has_a_ring(table: QTableWidget, tone: Tone) -> None:
    fill = tone_colours(tone, light()).fill
    image = spot(fill.name(), "#ffffff", 20, 1.0).toImage()
    assert image.pixelColor(10, 10) == fill
    assert image.pixelColor(10, 1) == QColor("#ffffff")
    assert spot(fill.name(), "", 20, 1.0).toImage().pixelColor(10, 1) == fill


@pytest.mark.parametrize("scheme", PALETTES)
@pytest.mark.parametrize("group", GROUPS)
def test_the_ring_has_the_colour_of_the_text_beside_it(table: QTableWidget, scheme: str, group: str) -> None:
    font, palette = table.font(), PALETTES[scheme]()
    font.setPixelSize(30)  # for a ring of more than a pixel
    table.setFont(font)
    option = option_of(table, active=group == "active")
    option.palette = palette
    size = table.fontMetrics().height() // 2
    found = drawn(StateDelegate(table), table, option)
    across = {found.pixelColor(x, 12).name() for x in range(MARGIN + size)}
    assert palette.color(GROUPS[group], QPalette.ColorRole.HighlightedText).name() in across
    tone = tone_colours("active", palette)
    assert tone.fill.name() in across, "and what is in the ring has the colour of the state"


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_a_name_stands_behind_its_arrow_as_far_in_as_it_is_deep(
    table: QTableWidget, direction: Qt.LayoutDirection
) -> None:
    option = option_of(table)
    option.direction = direction
    far = []
    for depth in range(3):
        place = Place(depth, Family({"failed": 1}), unfolded=False, arrows=True)
        arrow, text = NameDelegate.parts(option, place)
        assert option.rect.contains(arrow) and option.rect.contains(text)
        assert not arrow.intersects(text)
        left_to_right = direction is Qt.LayoutDirection.LeftToRight
        assert (arrow.left() < text.left()) is left_to_right
        far.append(text.left() if left_to_right else 300 - text.right())
    assert far == sorted(far) and far[1] - far[0] == table.fontMetrics().height()
    without = NameDelegate.parts(option, Place(0, None, unfolded=False, arrows=False))
    assert without.arrow.width() == 0, "where nothing folds, nothing is kept free"
