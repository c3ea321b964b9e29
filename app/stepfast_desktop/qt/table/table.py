"""The table itself: a view that mirrors the view model's selection and holds rows still while in use."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QContextMenuEvent,
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from stepfast_desktop.qt.table.cells import Index, TextDelegate
from stepfast_desktop.qt.table.header import TableHeader
from stepfast_desktop.qt.table.mirror import MirroredSelection
from stepfast_desktop.qt.table.model import PLACE, Place, TableModel
from stepfast_desktop.qt.table.progress_delegate import ProgressDelegate
from stepfast_desktop.qt.table.row_delegates import NameDelegate, StateDelegate
from stepfast_desktop.viewmodels.table.columns import NAME, PROGRESS, STATE, column
from stepfast_desktop.viewmodels.table.table import TableViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["WorkflowTable"]

TICK = 1000
QUIET_TICK = 30_000  # for "a moment ago"


class WorkflowTable(QTableView):
    """Rows of workflows. `current` says which one a person is on; `menu_asked` where a menu is wanted."""

    current = Signal(object)
    """The key of the current row, or None."""
    menu_asked = Signal(QPoint)
    typed = Signal(str)
    """Somebody begins to type: what is typed is to be searched for."""
    escaped = Signal()
    """Esc was pressed: what was searched for is not wanted any more."""

    def __init__(self, table: TableViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._table = table
        self._key: int | None = None
        self._pressed = False
        self._pointer: QPoint | None = None
        self._pointed: int | None = None
        self._model = TableModel(table, self)
        self.setModel(self._model)
        self._mirror = MirroredSelection(self._model, table, self._visible)
        self.setSelectionModel(self._mirror)
        self.header = TableHeader(table, self)
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
        self.setMouseTracking(True)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setItemDelegate(TextDelegate(self))
        self._names = NameDelegate(self)
        self.setItemDelegateForColumn(self.place(NAME), self._names)
        self.setItemDelegateForColumn(self.place(STATE), StateDelegate(self))
        self.setItemDelegateForColumn(self.place(PROGRESS), ProgressDelegate(self))
        rows = self.verticalHeader()
        rows.hide()
        # One height for all: measuring each of a hundred thousand rows takes half a minute.
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self.fontMetrics().height() * 2 - 2)
        self.setHorizontalHeader(self.header)
        # Whatever else wants room, some of it is seen.
        self.setMinimumHeight(self.header.sizeHint().height() + 3 * rows.defaultSectionSize())
        self.header.lay_out()

    @staticmethod
    def place(name: str) -> int:
        """The index of a column."""
        return column(name)

    def let_go(self) -> None:
        """Listen no more, and tick no more."""
        self._ticking.stop()
        self._disconnect()
        self._model.let_go()

    # --- selection --------------------------------------------------------------------------------

    @property
    def key(self) -> int | None:
        """The key of the current row, if there is one."""
        return self._key

    def selectAll(self) -> None:
        self._mirror.select_all()

    def go_to(self, key: int) -> None:
        """Make the row of this key the current one, and scroll to it.

        It is selected too, unless several are: those somebody has chosen with care.
        """
        index = self._table.index(key)
        if index is None:
            return
        place = self._model.index(index, 0)
        self._mirror.mirror()
        flags = MirroredSelection.SelectionFlag
        several = self._table.selected_count > 1
        self._mirror.setCurrentIndex(place, flags.NoUpdate if several else flags.ClearAndSelect | flags.Rows)
        self.scrollTo(place)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

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
            at = max(0, self._mirror.currentIndex().column())
            place = QModelIndex() if index is None else self._model.index(index, at)
            self._mirror.setCurrentIndex(place, flags)
        finally:
            self._mirror.currentRowChanged.connect(self._current_changed)
        if index is None and self._key is not None:
            self._key = None
            self.current.emit(None)
        self._point()

    # --- keys ---------------------------------------------------------------------------------------

    def focusInEvent(self, event: QFocusEvent) -> None:
        nowhere = not self.currentIndex().isValid()
        super().focusInEvent(event)
        index = self.currentIndex()
        # Qt makes the first row current then. Its details show, so that it is what the buttons are for.
        if nowhere and index.isValid() and not self._table.selected_count:
            flags = MirroredSelection.SelectionFlag
            self._mirror.select(index, flags.ClearAndSelect | flags.Rows)

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        # Home and End are the first and the last row, as in every list, with Ctrl or without.
        ends = {
            QAbstractItemView.CursorAction.MoveHome: 0,
            QAbstractItemView.CursorAction.MoveEnd: self._model.rowCount() - 1,
        }
        if action not in ends or not self._model.rowCount():
            return super().moveCursor(action, modifiers)
        at = self.currentIndex().column() if self.currentIndex().isValid() else self.place(NAME)
        return self._model.index(ends[action], at)

    def keyboardSearch(self, search: str) -> None:
        # Qt would look through all rows, and read each of a hundred thousand.
        if search.strip() and search.isprintable():
            self.typed.emit(search)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not event.modifiers():
            self.escaped.emit()
        elif not self._fold_by_key(event):
            super().keyPressEvent(event)

    # --- children under their parents ----------------------------------------------------------------

    def _fold_by_key(self, event: QKeyEvent) -> bool:
        """Right and + unfold, Left and - fold; Left on a child leads to its parent. Was it one of those?"""
        index = self.currentIndex()
        place: Place | None = index.data(PLACE) if index.isValid() else None
        if place is None or self._key is None or not self._table.folds:
            return False
        if event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier):
            return False
        left_to_right = self.layoutDirection() is Qt.LayoutDirection.LeftToRight
        opens, closes = (Qt.Key.Key_Right, Qt.Key.Key_Left)[:: 1 if left_to_right else -1]
        if event.key() in (opens, Qt.Key.Key_Plus) and place.family is not None and not place.unfolded:
            self._table.fold(self._key, unfold=True)
        elif event.key() in (closes, Qt.Key.Key_Minus) and place.unfolded:
            self._table.fold(self._key, unfold=False)
        elif event.key() == closes and place.depth and index.column() == self.place(NAME):
            self._go_to_parent(index)
        else:
            return False
        return True

    def _go_to_parent(self, index: QModelIndex) -> None:
        depth = self._table.folding.depth
        deep = depth(self._table.keys[index.row()])
        row = index.row()
        while row and depth(self._table.keys[row]) >= deep:
            row -= 1
        self.setCurrentIndex(self._model.index(row, index.column()))

    def _press_arrow(self, at: QPoint) -> bool:
        """Fold or unfold where the arrow is; is it there?"""
        index = self.indexAt(at)
        place: Place | None = index.data(PLACE) if index.column() == self.place(NAME) else None
        if place is None or place.family is None or not place.arrows:
            return False
        option = QStyleOptionViewItem()
        self.initViewItemOption(option)
        option.rect = self.visualRect(index)
        if not self._names.parts(option, place).arrow.contains(at):
            return False
        if place.unfolded and (row := self.currentIndex().row()) > index.row():
            first, last = self._table.below(self._table.keys[index.row()])
            if first <= row < last:  # what is about to be hidden
                self.setCurrentIndex(index)
        self._table.fold(self._table.keys[index.row()], unfold=not place.unfolded)
        return True

    # --- rows keep still while somebody is about to do something with them -------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self._press_arrow(event.position().toPoint()):
            event.accept()
            return
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

    def startDrag(self, actions: Qt.DropAction) -> None:
        # Who drops it elsewhere lets go of the button there, and nobody tells this view.
        try:
            super().startDrag(actions)
        finally:
            self._released()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._released()
        at = event.globalPos()
        if event.reason() is QContextMenuEvent.Reason.Keyboard and self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())
            at = self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).bottomLeft())
        self.menu_asked.emit(at)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._pointer = event.position().toPoint()
        self._point()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Leave, QEvent.Type.Hide):
            self._pointer = None
            self._point()
        return super().viewportEvent(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        self._mirror.look()
        if dy:
            self._table.scrolled(*self._visible())
        self._point()

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        # Of rows of which some cannot be seen, Qt draws all anew that can; who reads them aloud hears of all.
        top, bottom = self._visible()
        if not QAccessible.isActive():
            if last.row() < top or first.row() > bottom:
                return
            first = self._model.index(max(first.row(), top), first.column())
            last = self._model.index(min(last.row(), bottom), last.column())
        super().dataChanged(first, last, roles)

    def _point(self) -> None:
        """Tell which row the pointer is over, if that is another."""
        row = -1 if self._pointer is None else self.rowAt(self._pointer.y())
        key = self._table.keys[row] if 0 <= row < len(self._table.keys) else None
        if key != self._pointed:
            self._pointed = key
            self._table.hover(key)

    # --- time ---------------------------------------------------------------------------

    def _visible(self) -> tuple[int, int]:
        """The first and the last row that can be seen; -1 where there is none."""
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        return first, last if last >= 0 else self._model.rowCount() - 1

    def _tick(self) -> None:
        first, last = self._visible()
        if first >= 0:
            self._model.tick(first, last)

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
