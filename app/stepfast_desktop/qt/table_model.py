"""The table's model: Qt's questions about rows, answered by the view model."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPixmap
from PySide6.QtWidgets import QApplication

from stepfast_desktop.qt.palette import tone_colours
from stepfast_desktop.viewmodels import columns
from stepfast_desktop.viewmodels.columns import COLUMNS, PROGRESS, Row
from stepfast_desktop.viewmodels.format import progress_text, tone
from stepfast_desktop.viewmodels.table import TableViewModel

__all__ = ["ROW", "TableModel"]

ROW = Qt.ItemDataRole.UserRole
"""The `Row` of a cell's row, for the delegate; None while it is being read."""

Index = QModelIndex | QPersistentModelIndex
DECORATION = Qt.ItemDataRole.DecorationRole
DISPLAY = Qt.ItemDataRole.DisplayRole
ACCESSIBLE = Qt.ItemDataRole.AccessibleTextRole
TOOLTIP = Qt.ItemDataRole.ToolTipRole


@cache
def dot(colour: str, size: int, ratio: float) -> QPixmap:
    """A round spot: colour beside the words, never in place of them."""
    made = QPixmap(round(size * ratio), round(size * ratio))
    made.setDevicePixelRatio(ratio)
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        painter.drawEllipse(0, 0, size, size)
    finally:
        painter.end()
    return made


class TableModel(QAbstractTableModel):
    """Rows by index. It keeps nothing of its own but how many there are."""

    reordering = Signal()
    reordered = Signal()

    def __init__(self, table: TableViewModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table = table
        self._count = len(table.keys)
        self._disconnect = [
            table.reordered.connect(self._reordered),
            table.rows_changed.connect(self._rows_changed),
        ]

    def let_go(self) -> None:
        """Listen no more."""
        for each in self._disconnect:
            each()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else self._count

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = DISPLAY) -> Any:
        if not index.isValid() or index.row() >= len(self._table.keys):
            return None
        if role == ROW:
            return self._table.row(index.row())
        if role == DECORATION and COLUMNS[index.column()].name == columns.STATE:
            return self._dot(index.row())
        if role not in (DISPLAY, ACCESSIBLE, TOOLTIP):
            return None
        row = self._table.row(index.row())
        return None if row is None else self._text(row, index.column(), role)

    def _dot(self, index: int) -> QPixmap | None:
        row = self._table.row(index)
        if row is None:
            return None
        colour = tone_colours(tone(row), QApplication.palette()).fill
        size, screen = QFontMetrics(QApplication.font()).height() // 2, QApplication.primaryScreen()
        return dot(colour.name(), size, screen.devicePixelRatio())

    def _text(self, row: Row, place: int, role: int) -> str:
        column = COLUMNS[place]
        match column.name:
            case columns.PROGRESS:
                text = progress_text(row)
            case columns.STATE:
                text = self._table.state_of(row)
            case _:
                text = column.text(row, datetime.now(UTC))
        if role == TOOLTIP and (advice := self._table.advice(row)):
            return advice
        if role == ACCESSIBLE and text:
            return f"{column.title()}: {text}"
        # The bar draws its own text.
        return "" if role == DISPLAY and column.name == PROGRESS else text

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = DISPLAY) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == DISPLAY:
            return COLUMNS[section].title()
        return None

    def tick(self, first: int, last: int) -> None:
        """Time has passed for what is visible."""
        if self._count and first <= last:
            self._rows_changed(first, min(last, self._count - 1))

    def _rows_changed(self, first: int, last: int) -> None:
        if first < self._count:
            top, bottom = self.index(first, 0), self.index(min(last, self._count - 1), len(COLUMNS) - 1)
            self.dataChanged.emit(top, bottom)

    def _reordered(self) -> None:
        # No reset, so that the view keeps where it is scrolled to. The selection is the view model's, which
        # takes it out of Qt before this and mirrors it anew after: Qt's own would cost seconds for thousands.
        self.reordering.emit()
        count = len(self._table.keys)
        if count > self._count:
            self.beginInsertRows(QModelIndex(), self._count, count - 1)
            self._count = count
            self.endInsertRows()
        elif count < self._count:
            self.beginRemoveRows(QModelIndex(), count, self._count - 1)
            self._count = count
            self.endRemoveRows()
        self.layoutAboutToBeChanged.emit()
        self.layoutChanged.emit()
        self.reordered.emit()
