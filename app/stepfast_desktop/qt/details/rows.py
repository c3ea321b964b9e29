"""Rows that are added at the end and fall off at the front: their model, and a view to read and copy them."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView, QWidget

from stepfast_desktop.viewmodels.words import labelled, translate

__all__ = ["RowColumn", "RowsModel", "RowsView"]

Row = TypeVar("Row")
Index = QModelIndex | QPersistentModelIndex
ItemRole = Qt.ItemDataRole


@dataclass(frozen=True)
class RowColumn(Generic[Row]):
    """`width` in characters; None for the column that takes what is left."""

    title: str
    text: Callable[[Row], str]
    width: int | None
    right: bool = False


class RowsModel(QAbstractTableModel, Generic[Row]):
    """Rows that a view model made, which are told from each other by identity."""

    def __init__(
        self,
        columns: Sequence[RowColumn[Row]],
        colour: Callable[[Row, int], QColor | None],
        parent: QObject | None = None,
    ) -> None:
        """`colour` gives that of a row's text in a column; None for the usual one."""
        super().__init__(parent)
        self.columns = columns
        self._colour = colour
        self._rows: Sequence[Row] = ()

    def show(self, rows: Sequence[Row]) -> None:
        """Show these from now on; what was shown before keeps its place and its selection."""
        gone, kept = _compared(self._rows, rows)
        if not kept:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
            return
        nowhere = QModelIndex()
        if gone:
            self.beginRemoveRows(nowhere, 0, gone - 1)
            self._rows = self._rows[gone:]
            self.endRemoveRows()
        if len(self._rows) > kept:
            self.beginRemoveRows(nowhere, kept, len(self._rows) - 1)
            self._rows = self._rows[:kept]
            self.endRemoveRows()
        if len(rows) > kept:
            self.beginInsertRows(nowhere, kept, len(rows) - 1)
            self._rows = rows
            self.endInsertRows()

    def refresh(self) -> None:
        """The colours are others now."""
        if self._rows:
            last = self.index(len(self._rows) - 1, len(self.columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def row(self, index: int) -> Row | None:
        """The row at an index, if there is one that is read."""
        return self._rows[index] if index < len(self._rows) else None

    def line(self, row: int) -> str:
        """A row as it is copied: its columns with a tab between."""
        return "\t".join(column.text(self._rows[row]) for column in self.columns)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = ItemRole.DisplayRole) -> Any:
        row = self.row(index.row()) if index.isValid() else None
        if row is None:
            return None
        column = self.columns[index.column()]
        match role:
            case ItemRole.DisplayRole:
                return column.text(row)
            case ItemRole.AccessibleTextRole:
                text = column.text(row)
                return labelled(column.title, text) if column.title and text else text
            case ItemRole.ToolTipRole:
                # What looks like markup in a name of a file is none.
                text = column.text(row)
                return f"<qt>{html.escape(text)}</qt>" if column.width is None and text else None
            case ItemRole.ForegroundRole:
                return self._colour(row, index.column())
            case ItemRole.TextAlignmentRole if column.right:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = ItemRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        if role == ItemRole.DisplayRole:
            return column.title
        if role == ItemRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None


def _compared(before: Sequence[Row], after: Sequence[Row]) -> tuple[int, int]:
    """How many rows have gone at the front, and how many of the others have kept their places."""
    if not before or not after:
        return 0, 0
    gone = next((place for place, row in enumerate(before) if row is after[0]), None)
    if gone is None:
        return 0, 0
    kept = min(len(before) - gone, len(after))
    # Rows are only added: where one is the same, so are all before it.
    while before[gone + kept - 1] is not after[kept - 1]:
        kept -= 1
    return gone, kept


class RowsView(QTableView):
    """Whole lines, with the keys that one expects; at the end, it stays at the end as lines come.

    Its menu has the actions that are added to it, before those that all lines have.
    """

    def __init__(
        self, name: str, model: RowsModel[Any], *, header: bool, parent: QWidget | None = None
    ) -> None:
        """`name` is what a screen reader calls it."""
        super().__init__(parent)
        self._lines = model
        self._at_end = True
        self.setAccessibleName(name)
        self.setModel(model)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)  # Tab leads on, and the arrows move
        self.setCornerButtonEnabled(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().setVisible(False)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setVisible(header)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionsClickable(False)
        self._measure()
        model.rowsAboutToBeInserted.connect(self._before_more)
        model.rowsInserted.connect(self._after_more)
        model.modelReset.connect(self._begin_at_end)

    def resize_column(self, column: int, characters: int) -> None:
        """Make room for so many characters, and for the title."""
        width = self.fontMetrics().horizontalAdvance("0") * characters + self.fontMetrics().height()
        if not self.horizontalHeader().isHidden():
            width = max(width, self.horizontalHeader().sectionSizeHint(column))
        if self.columnWidth(column) != width:
            self.setColumnWidth(column, width)
            self._keep_titles()

    def copy(self) -> None:
        """The selected lines to the clipboard."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        if rows:
            QGuiApplication.clipboard().setText("\n".join(map(self._lines.line, rows)))

    def _measure(self) -> None:
        metrics = self.fontMetrics()
        self.verticalHeader().setDefaultSectionSize(round(metrics.height() * 1.4))
        self.verticalHeader().setMinimumSectionSize(1)
        header = self.horizontalHeader()
        header.setMinimumSectionSize(metrics.averageCharWidth() * 4)
        for place, column in enumerate(self._lines.columns):
            if column.width is None:
                header.setSectionResizeMode(place, QHeaderView.ResizeMode.Stretch)
            else:
                self.resize_column(place, column.width)

    def _keep_titles(self) -> None:
        """Be wide enough for the title of the column that takes what is left."""
        header = self.horizontalHeader()
        if header.isHidden():
            return
        fixed = [place for place, each in enumerate(self._lines.columns) if each.width is not None]
        rest = [place for place, each in enumerate(self._lines.columns) if each.width is None]
        wide = sum(map(self.columnWidth, fixed)) + sum(map(header.sectionSizeHint, rest))
        self.setMinimumWidth(wide + 2 * self.frameWidth() + self.verticalScrollBar().sizeHint().width())

    def _begin_at_end(self) -> None:
        self._at_end = True
        self.scrollToBottom()

    def _before_more(self) -> None:
        if self.isVisible():
            bar = self.verticalScrollBar()
            self._at_end = bar.value() == bar.maximum()

    def _after_more(self) -> None:
        if self._at_end:
            self.scrollToBottom()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._at_end:  # as far as one could tell while it was hidden
            self.scrollToBottom()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            event.accept()
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: Any) -> None:
        menu = QMenu(self)
        if self.actions():
            menu.addActions(self.actions())
            menu.addSeparator()
        copy = menu.addAction(translate("Details", "Copy"), self.copy)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setEnabled(self.selectionModel().hasSelection())
        menu.addAction(translate("Details", "Select all"), self.selectAll)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(event.globalPos() if event.globalPos() is not None else QPoint())
