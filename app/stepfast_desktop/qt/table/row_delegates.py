"""Draws a row's name, with the arrow that unfolds its children, and its state, with a spot of its colour."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPalette, QPen, QPixmap
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from stepfast_desktop.qt.palette import tone_colours
from stepfast_desktop.qt.table.cells import (
    MARGIN,
    Index,
    Look,
    TextDelegate,
    asked,
)
from stepfast_desktop.qt.table.model import DISPLAY, PLACE, ROW, Place
from stepfast_desktop.viewmodels.format import tone
from stepfast_desktop.viewmodels.table.columns import Row

__all__ = ["NameDelegate", "StateDelegate", "spot"]

Role = QPalette.ColorRole


class Parts(NamedTuple):
    """Where things stand in the cell of a name."""

    arrow: QRect
    text: QRect


class NameDelegate(TextDelegate):
    """The name, as far in as the row is deep, and behind it how many children the row has."""

    @staticmethod
    def parts(option: QStyleOptionViewItem, place: Place) -> Parts:
        """Where the arrow and the text of a cell are."""
        step = option.fontMetrics.height()
        inside = option.rect.adjusted(MARGIN, 0, -MARGIN, 0)
        indent = step * place.depth
        width = step if place.arrows else 0
        arrow = QRect(inside.left() + indent, inside.top(), width, inside.height())
        text = inside.adjusted(indent + width, 0, 0, 0)
        return Parts(_on_its_side(option, arrow), _on_its_side(option, text))

    def draw(self, painter: QPainter, option: QStyleOptionViewItem, index: Index, look: Look) -> None:
        place: Place | None = asked(index, PLACE)
        if place is None:
            return
        family, name = place.family, asked(index, DISPLAY)
        arrow, room = self.parts(option, place)
        if family is not None and place.arrows:
            _draw_chevron(painter, option, look, arrow, place.unfolded)
        painter.setPen(look.ink)
        if family is None:
            self.draw_text(painter, option, room, name)
            return
        gap = option.fontMetrics.horizontalAdvance("  ")
        reserved = option.fontMetrics.horizontalAdvance(family.short) + gap
        # What stands behind it is what gives way, as soon as little of the name would be left.
        most = max(room.width() - reserved, room.width() * 3 // 5)
        used = self.draw_text(painter, option, room, name, most) + gap
        if not look.chosen:
            failed = tone_colours("bad", look.palette).text
            painter.setPen(failed if family.failed else look.palette.color(Role.PlaceholderText))
        left_to_right = option.direction is Qt.LayoutDirection.LeftToRight
        rest = room.adjusted(used, 0, 0, 0) if left_to_right else room.adjusted(0, 0, -used, 0)
        self.draw_text(painter, option, rest, family.short)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        size = super().sizeHint(option, index)
        place: Place | None = asked(index, PLACE)
        if place is not None:
            step = option.fontMetrics.height()
            behind = "" if place.family is None else f"   {place.family.short}"
            more = option.fontMetrics.horizontalAdvance(behind)
            size.setWidth(size.width() + more + step * (place.depth + place.arrows))
        return size


class StateDelegate(TextDelegate):
    """The state in words, beside a spot of its colour: on a selected row, in a ring that sets it off."""

    def draw(self, painter: QPainter, option: QStyleOptionViewItem, index: Index, look: Look) -> None:
        row: Row | None = asked(index, ROW)
        if row is None:
            return
        size = option.fontMetrics.height() // 2
        inside = option.rect.adjusted(MARGIN, 0, -MARGIN, 0)
        drawn = QRect(inside.left(), inside.top() + (inside.height() - size + 1) // 2, size, size)
        ring = look.ink.name() if look.chosen else ""
        made = spot(look.fill(tone(row)).name(), ring, size, option.widget.devicePixelRatioF())
        painter.drawPixmap(_on_its_side(option, drawn).topLeft(), made)
        painter.setPen(look.ink)
        room = _on_its_side(option, inside.adjusted(size + MARGIN, 0, 0, 0))
        self.draw_text(painter, option, room, asked(index, DISPLAY))

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        size = super().sizeHint(option, index)
        return QSize(size.width() + option.fontMetrics.height() // 2 + MARGIN, size.height())


@cache
def spot(fill: str, ring: str, size: int, ratio: float) -> QPixmap:
    """A round spot: colour beside the words, never in place of them. With `ring`, that colour around it."""
    made = QPixmap(round(size * ratio), round(size * ratio))
    made.setDevicePixelRatio(ratio)
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(ring or fill))
        painter.drawEllipse(0, 0, size, size)
        if ring:
            edge = max(1.0, size / 8)
            painter.setBrush(QColor(fill))
            painter.drawEllipse(QPointF(size / 2, size / 2), size / 2 - edge, size / 2 - edge)
    finally:
        painter.end()
    return made


def _on_its_side(option: QStyleOptionViewItem, part: QRect) -> QRect:
    """A part of a cell where one begins to read from the right: at the other side."""
    if option.direction is Qt.LayoutDirection.LeftToRight:
        return part
    return QStyle.visualRect(option.direction, option.rect, part)


def _draw_chevron(
    painter: QPainter, option: QStyleOptionViewItem, look: Look, room: QRect, unfolded: bool
) -> None:
    """An arrow that points at the name, or down where what is below is shown."""
    reach = min(room.width(), room.height()) / 6
    middle = QPointF(room.center()) + QPointF(0.5, 0.5)
    side = 1 if option.direction is Qt.LayoutDirection.LeftToRight else -1
    if unfolded:
        corners = [(-2 * reach, -reach), (0, reach), (2 * reach, -reach)]
    else:
        corners = [(-reach * side, -2 * reach), (reach * side, 0), (-reach * side, 2 * reach)]
    pen = QPen(look.ink, max(1.2, option.fontMetrics.height() / 12))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.save()
    try:
        painter.setPen(pen)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawPolyline([middle + QPointF(x, y) for x, y in corners])
    finally:
        painter.restore()
