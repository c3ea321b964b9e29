"""Draws the progress of a workflow: a bar with its text, never colour alone."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from stepfast_desktop.qt.palette import trough
from stepfast_desktop.qt.table.cells import MARGIN, Index, Look, TextDelegate, asked
from stepfast_desktop.qt.table.model import ROW
from stepfast_desktop.viewmodels.format import bar_fraction, progress_text, tone
from stepfast_desktop.viewmodels.table.columns import Row

__all__ = ["ProgressDelegate"]

GROOVE = 4


class ProgressDelegate(TextDelegate):
    """The text above a thin bar; where there is no fraction, or nothing left to do, the text alone."""

    def draw(self, painter: QPainter, option: QStyleOptionViewItem, index: Index, look: Look) -> None:
        row: Row | None = asked(index, ROW)
        if row is None:
            return
        text, fraction = progress_text(row), bar_fraction(row)
        if not text and fraction is None:
            return
        inside = option.rect.adjusted(MARGIN, 2, -MARGIN, -2)
        room = inside if fraction is None else inside.adjusted(0, 0, 0, -GROOVE - 1)
        painter.setPen(look.ink)
        self.draw_text(painter, option, room, text, centred=True)
        if fraction is not None:
            groove = QRect(inside.left(), inside.bottom() - GROOVE + 1, inside.width(), GROOVE)
            painter.save()
            try:
                _draw_bar(painter, option, groove, fraction, look, row)
            finally:
                painter.restore()


def _draw_bar(
    painter: QPainter, option: QStyleOptionViewItem, groove: QRect, fraction: float, look: Look, row: Row
) -> None:
    filled = QRect(groove)
    filled.setWidth(round(groove.width() * fraction))
    if option.direction is Qt.LayoutDirection.RightToLeft:
        filled.moveRight(groove.right())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    back = QColor(look.ink) if look.chosen else trough(look.palette)
    if look.chosen:
        back.setAlpha(70)  # the full part has three times its contrast
    painter.setBrush(back)
    painter.drawRoundedRect(groove, 2, 2)
    painter.setBrush(look.ink if look.chosen else look.fill(tone(row)))
    painter.drawRoundedRect(filled, 2, 2)
