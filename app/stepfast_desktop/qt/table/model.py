"""The table's model: Qt's questions about rows, answered by the view model."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from stepfast_desktop.viewmodels.format import progress_text, readable
from stepfast_desktop.viewmodels.table import columns
from stepfast_desktop.viewmodels.table.columns import COLUMNS, Column, Row
from stepfast_desktop.viewmodels.table.folding import Family
from stepfast_desktop.viewmodels.table.places import ranges
from stepfast_desktop.viewmodels.table.table import TableViewModel
from stepfast_desktop.viewmodels.words import labelled, listed, translate

__all__ = ["DISPLAY", "PLACE", "ROW", "Place", "TableModel"]

# As numbers, which is what Qt asks with, and which Python finds faster than members of an enum.
ROW: int = Qt.ItemDataRole.UserRole.value
"""The `Row` of a cell's row, for the delegate; None while it is being read."""
PLACE = ROW + 1
"""The `Place` of a cell's row; None while it is being read."""

Index = QModelIndex | QPersistentModelIndex
DISPLAY: int = Qt.ItemDataRole.DisplayRole.value
ACCESSIBLE: int = Qt.ItemDataRole.AccessibleTextRole.value
TOOLTIP: int = Qt.ItemDataRole.ToolTipRole.value
ROLES = frozenset((ROW, PLACE, DISPLAY, ACCESSIBLE, TOOLTIP))

OF_TIME = tuple(place for place, each in enumerate(COLUMNS) if each.name in columns.OF_TIME)


class Place(NamedTuple):
    """Where a row stands among its family."""

    depth: int
    family: Family | None
    unfolded: bool
    arrows: bool
    """Are there arrows in this table at all? Then every name leaves room for one."""


class TableModel(QAbstractTableModel):
    """Rows by index. It keeps nothing but how many there are, and what they said when time passed last."""

    reordering = Signal()
    reordered = Signal()

    def __init__(self, table: TableViewModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table = table
        self._count = len(table.keys)
        self._said: dict[int, dict[int, str]] = {}
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

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        # As Qt's own, which asks for both counts of each cell that is drawn.
        if 0 <= row < self._count and 0 <= column < len(COLUMNS) and not parent.isValid():
            return self.createIndex(row, column)
        return QModelIndex()

    def data(self, index: Index, role: int = DISPLAY) -> Any:
        # First, since most of what Qt asks for, a font, an alignment, a colour, is none of ours.
        if role not in ROLES or not index.isValid() or index.row() >= len(self._table.keys):
            return None
        if role == ROW:
            return self._table.row(index.row())
        if role == PLACE:
            return self._place(index.row())
        row = self._table.row(index.row())
        return None if row is None else self._text(row, COLUMNS[index.column()], role)

    def _place(self, index: int) -> Place | None:
        row, table = self._table.row(index), self._table
        if row is None:
            return None
        arrows = table.folds and table.folding.any
        depth = table.folding.depth(row.key)
        return Place(depth, table.family(row.key), row.key in table.folding.shown, arrows)

    def _text(self, row: Row, column: Column, role: int) -> str:
        match column.name:
            case columns.NAME:
                text = self._table.name_of(row)
            case columns.KIND:
                text = self._table.kind_of(row)
            case columns.PROGRESS:
                text = progress_text(row)
            case columns.STATE:
                text = self._table.state_of(row)
            case _:
                text = column.text(row, datetime.now(UTC))
        if role == DISPLAY:
            # The bar draws its own text.
            return "" if column.name == columns.PROGRESS else text
        said = [text, *(self._kin(row) if column.name == columns.NAME else ())]
        if role == TOOLTIP:
            return self._table.advice(row) or "\n".join(said)
        return labelled(column.title(), listed(said)) if text else ""

    def _kin(self, row: Row) -> Iterator[str]:
        """What one sees of a family, in words."""
        if row.parent_id is not None:
            yield translate("Table", "child of {parent}").format(parent=readable(row.parent_id))
        if (family := self._table.family(row.key)) is not None:
            if self._table.folds:
                unfolded = row.key in self._table.folding.shown
                yield translate("Table", "expanded") if unfolded else translate("Table", "collapsed")
            yield family.words

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = DISPLAY) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == DISPLAY:
            return COLUMNS[section].title()
        return None

    def tick(self, first: int, last: int) -> None:
        """Time has passed for what is visible: what says something else by now is drawn anew."""
        now, before, self._said = datetime.now(UTC), self._said, {}
        rows: list[int] = []
        places: set[int] = set()
        for index in range(first, min(last, self._count - 1) + 1):
            row = self._table.row(index)
            if row is None:
                continue
            said = self._said[index] = {place: COLUMNS[place].text(row, now) for place in OF_TIME}
            other = said.items() - before.get(index, {}).items()
            if other:
                rows.append(index)
                places.update(place for place, _ in other)
        for start, end in ranges(rows):
            self.dataChanged.emit(self.index(start, min(places)), self.index(end, max(places)))

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
