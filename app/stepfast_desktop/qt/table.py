"""The table itself: a view that mirrors the view model's selection and holds rows still while in use."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QHideEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from stepfast_desktop.qt.progress_delegate import ProgressDelegate
from stepfast_desktop.qt.table_model import TableModel
from stepfast_desktop.qt.table_selection import MirroredSelection
from stepfast_desktop.viewmodels.columns import COLUMNS, PROGRESS
from stepfast_desktop.viewmodels.table import TableViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["WorkflowTable"]

TICK = 1000
QUIET_TICK = 30_000  # for "a moment ago"


class WorkflowTable(QTableView):
    """Rows of workflows. `current` says which one a person is on; `menu_asked` where a menu is wanted."""

    current = Signal(object)
    """The key of the current row, or None."""
    menu_asked = Signal(QPoint)

    def __init__(self, table: TableViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._table = table
        self._key: int | None = None
        self._pressed = False
        self._model = TableModel(table, self)
        self.setModel(self._model)
        self._mirror = MirroredSelection(self._model, table)
        self.setSelectionModel(self._mirror)
        self._lay_out()
        self._model.reordering.connect(self._mirror.forget)
        self._model.reordered.connect(self._after_reorder)
        self._mirror.currentRowChanged.connect(self._current_changed)
        # Elapsed and remaining change with time alone; nothing is repainted where nobody can see it.
        self._ticking = QTimer(self, timerType=Qt.TimerType.CoarseTimer)
        self._ticking.timeout.connect(self._tick)
        self._disconnect = table.counts_changed.connect(self._tick_if_needed)
        self._tick_if_needed()

    def _lay_out(self) -> None:
        self.setAccessibleName(translate("Table", "Workflows"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setItemDelegateForColumn(self.place(PROGRESS), ProgressDelegate(self))
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        rows.hide()
        # One height for all: measuring each of a hundred thousand rows takes half a minute.
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self.fontMetrics().height() * 2 - 2)
        columns.setSectionsMovable(True)
        columns.setHighlightSections(False)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter)
        columns.setSectionsClickable(True)
        columns.sectionClicked.connect(self._sort)
        width = self.fontMetrics().horizontalAdvance("n")
        for place, column in enumerate(COLUMNS):
            self.setColumnWidth(place, width * column.width)
        columns.setStretchLastSection(True)

    @staticmethod
    def place(name: str) -> int:
        """The index of a column."""
        return next(place for place, column in enumerate(COLUMNS) if column.name == name)

    def let_go(self) -> None:
        """Listen no more, and tick no more."""
        self._ticking.stop()
        self._disconnect()
        self._model.let_go()

    # --- selection --------------------------------------------------------------------------------

    def selectAll(self) -> None:
        self._mirror.select_all()

    def _current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        keys = self._table.keys
        self._key = keys[current.row()] if current.isValid() and current.row() < len(keys) else None
        self.current.emit(self._key)

    def _after_reorder(self) -> None:
        self._mirror.mirror()
        index = self._table.index(self._key) if self._key is not None else None
        self._mirror.currentRowChanged.disconnect(self._current_changed)
        try:
            flags = MirroredSelection.SelectionFlag.NoUpdate
            place = QModelIndex() if index is None else self._model.index(index, 0)
            self._mirror.setCurrentIndex(place, flags)
        finally:
            self._mirror.currentRowChanged.connect(self._current_changed)
        if index is None and self._key is not None:
            self._key = None
            self.current.emit(None)

    # --- rows keep still while somebody is about to do something with them -------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self._pressed:
            self._pressed = True
            self._table.hold()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        self._released()

    def _released(self) -> None:
        if self._pressed:
            self._pressed = False
            self._table.let_go()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._released()
        self.menu_asked.emit(event.globalPos())

    # --- order and time ---------------------------------------------------------------------------

    def _sort(self, place: int) -> None:
        order = COLUMNS[place].order
        header = self.horizontalHeader()
        if order is None:
            return
        if self._table.order == order and self._table.descending:
            self._table.sort("pending", descending=False)  # the third click brings the usual order back
            header.setSortIndicatorShown(False)
            return
        descending = self._table.order == order
        self._table.sort(order, descending=descending)
        header.setSortIndicatorShown(True)
        way = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
        header.setSortIndicator(place, way)

    def _tick(self) -> None:
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        if first >= 0:
            self._model.tick(first, last if last >= 0 else self._model.rowCount() - 1)

    def _tick_if_needed(self) -> None:
        if not self.isVisible():
            self._ticking.stop()
            return
        interval = TICK if self._table.counts.get("running", 0) else QUIET_TICK
        if not self._ticking.isActive() or self._ticking.interval() != interval:
            self._ticking.start(interval)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._tick_if_needed()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._released()
        self._ticking.stop()
