"""Dragging queued rows to another place in the queue.

Not Qt's own drag and drop, which turns a loop of its own while it lasts, and could leave the window with a
row: what is dragged goes to a place in this list and nowhere else. A line shows between which rows; while it
lasts no row moves by itself. Escape, or the other button, ends it without a change.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPalette
from PySide6.QtWidgets import QApplication, QFrame, QTableView, QWidget

from stepfast_desktop.viewmodels.table.doing import DoingViewModel
from stepfast_desktop.viewmodels.table.table import TableViewModel

__all__ = ["QueueDrag"]

SCROLL_MILLISECONDS = 60
BUTTON = Qt.MouseButton.LeftButton


class QueueDrag(QObject):
    """Watches the mouse over a table whose rows are in the order of the queue."""

    def __init__(self, view: QTableView, table: TableViewModel, doing: DoingViewModel) -> None:
        super().__init__(view)
        self._view = view
        self._table = table
        self._doing = doing
        self._from: QPoint | None = None
        self._at = QPoint()
        self._swallowed = False
        self._dragging = False
        self.line = _Line(view.viewport())
        self._scrolling = QTimer(self, interval=SCROLL_MILLISECONDS)
        self._scrolling.timeout.connect(self._scroll)
        view.viewport().installEventFilter(self)
        view.installEventFilter(self)

    def let_go(self) -> None:
        """Watch no more."""
        self._end()
        self._view.viewport().removeEventFilter(self)
        self._view.removeEventFilter(self)

    @property
    def dragging(self) -> bool:
        return self._dragging

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QMouseEvent) and watched is self._view.viewport():
            match event.type():
                case QEvent.Type.MouseButtonPress:
                    return self._pressed(event)
                case QEvent.Type.MouseMove:
                    return self._moved(event)
                case QEvent.Type.MouseButtonRelease:
                    return self._released(event)
        elif self._dragging and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride):
                self._end()
                return True
        elif event.type() == QEvent.Type.Hide:
            self._end()
        return False

    def _pressed(self, event: QMouseEvent) -> bool:
        if self._dragging:
            self._end()  # another button
            return True
        place = event.position().toPoint()
        row = self._view.rowAt(place.y())
        plain = event.button() == BUTTON and event.modifiers() == Qt.KeyboardModifier.NoModifier
        if not plain or not self._doing.queue.shown or not self._doing.queue.has(row):
            return False
        self._from = place
        selection = self._table.selection
        # One of several that are selected: they are dragged together, so that the others must stay selected.
        self._swallowed = selection.has(self._table.keys[row]) and self._table.selected_count > 1
        if self._swallowed:
            self._table.hold()
        return self._swallowed

    def _moved(self, event: QMouseEvent) -> bool:
        if self._from is None or not event.buttons() & BUTTON:
            return False
        place = self._at = event.position().toPoint()
        far = (place - self._from).manhattanLength() >= QApplication.startDragDistance()
        if not self._dragging and far:
            self._dragging = True
            self._table.hold()
            self._doing.take_aim()
            self._view.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            self._scrolling.start()
        if self._dragging:
            self._show(place)
        return True  # or the view would select what is passed over

    def _released(self, event: QMouseEvent) -> bool:
        if self._from is None or event.button() != BUTTON:
            return False
        swallowed, dragged = self._swallowed, self._dragging
        if dragged:
            at = self._gap(event.position().toPoint())
            if at is not None:
                self._doing.move_to(at)
        elif swallowed:
            row = self._view.rowAt(self._from.y())
            if row >= 0:
                self._view.setCurrentIndex(self._view.model().index(row, 0))
                self._view.selectRow(row)
        self._end()
        return swallowed

    def _end(self) -> None:
        swallowed, dragged = self._swallowed, self._dragging
        self._from, self._swallowed, self._dragging = None, False, False
        self._scrolling.stop()
        self.line.hide()
        if dragged:
            self._view.viewport().unsetCursor()
            self._doing.drop_aim()
            self._table.let_go()
        if swallowed:
            self._table.let_go()

    # --- where it would go ------------------------------------------------------------------------

    def _gap(self, place: QPoint) -> int | None:
        """The index before which a row dropped here would go; None where that is nowhere in the queue."""
        row = self._view.rowAt(place.y())
        if row < 0:
            row = 0 if place.y() < 0 else self._view.model().rowCount()
        elif place.y() > self._view.rowViewportPosition(row) + self._view.rowHeight(row) // 2:
            row += 1
        return row if self._doing.queue.has(row) or self._doing.queue.has(row - 1) else None

    def _show(self, place: QPoint) -> None:
        at = self._gap(place)
        if at is None:
            self.line.hide()
            self._view.viewport().setCursor(Qt.CursorShape.ForbiddenCursor)
            return
        self._view.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        rows = self._view.model().rowCount()
        if at < rows:
            y = self._view.rowViewportPosition(at)
        else:
            y = self._view.rowViewportPosition(rows - 1) + self._view.rowHeight(rows - 1)
        self.line.show_at(y)

    def _scroll(self) -> None:
        """Near an edge, the rows beyond it come into view."""
        view = self._view
        place = self._at
        edge = view.rowHeight(0)
        by = -1 if place.y() < edge else 1 if place.y() > view.viewport().height() - edge else 0
        if by:
            bar = view.verticalScrollBar()
            bar.setValue(bar.value() + by * bar.singleStep())
            self._show(place)


class _Line(QFrame):
    """The line between two rows."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Accent)
        self.hide()

    def show_at(self, y: int) -> None:
        thick = max(2, self.fontMetrics().height() // 5)
        room = self._over.rect()
        top = min(max(y - thick // 2, 0), room.height() - thick)
        self.setGeometry(QRect(0, top, room.width(), thick))
        self.show()
        self.raise_()
