"""Draws the progress of a workflow: a bar with its text, never colour alone."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from stepfast_desktop.qt.palette import tone_colours, trough
from stepfast_desktop.qt.table_model import ROW
from stepfast_desktop.viewmodels.columns import Row
from stepfast_desktop.viewmodels.format import progress_fraction, progress_text, tone

__all__ = ["ProgressDelegate"]

MARGIN = 4
GROOVE = 4


class ProgressDelegate(QStyledItemDelegate):
    """The text above a thin bar; where there is no fraction, the text alone."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        self.initStyleOption(option, index)
        option.widget.style().drawPrimitive(
            QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget
        )
        row: Row | None = index.data(ROW)
        if row is None:
            return
        painter.save()
        try:
            self._draw(painter, option, row)
        finally:
            painter.restore()

    def _draw(self, painter: QPainter, option: QStyleOptionViewItem, row: Row) -> None:
        inside = option.rect.adjusted(MARGIN, 2, -MARGIN, -2)
        fraction = progress_fraction(row)
        room = inside if fraction is None else inside.adjusted(0, 0, 0, -GROOVE - 1)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        palette = QPalette(option.palette)
        # As the style does for the other cells: a window that is not the active one has colours of its own.
        active = bool(option.state & QStyle.StateFlag.State_Active)
        palette.setCurrentColorGroup(QPalette.ColorGroup.Active if active else QPalette.ColorGroup.Inactive)
        painter.setPen(
            palette.color(QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.Text)
        )
        text = option.fontMetrics.elidedText(progress_text(row), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading), text)
        if fraction is None:
            return
        groove = QRect(inside.left(), inside.bottom() - GROOVE + 1, inside.width(), GROOVE)
        filled = QRect(groove)
        filled.setWidth(round(groove.width() * fraction))
        if option.direction is Qt.LayoutDirection.RightToLeft:
            filled.moveRight(groove.right())
        text_colour = palette.color(QPalette.ColorRole.HighlightedText)
        bar = text_colour if chosen else tone_colours(tone(row), palette).fill
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        back = QColor(text_colour) if chosen else trough(palette)
        if chosen:
            back.setAlpha(90)
        painter.setBrush(back)
        painter.drawRoundedRect(groove, 2, 2)
        painter.setBrush(bar)
        painter.drawRoundedRect(filled, 2, 2)
