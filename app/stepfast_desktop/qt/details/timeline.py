"""The timeline of a workflow: a table of its steps with their bars, under an axis that one can zoom and move.

It is a table so that it scrolls, is walked through by keyboard and is read aloud as tables are; only the rows
that are seen are painted. What a bar means is told by its pattern as well as by its colour.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtCore import Signal as QtSignal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPalette,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from stepfast_desktop.qt.palette import quiet, tone_colours
from stepfast_desktop.viewmodels.details.timeline import Lane, Span, SpanKind, Timeline, Window
from stepfast_desktop.viewmodels.format import Tone, duration_text
from stepfast_desktop.viewmodels.words import translate

__all__ = ["TimelineModel", "TimelineView"]

Index = QModelIndex | QPersistentModelIndex
LANE = Qt.ItemDataRole.UserRole

LOOKS: dict[SpanKind, tuple[Tone, Qt.BrushStyle]] = {
    "done": ("active", Qt.BrushStyle.SolidPattern),
    "running": ("active", Qt.BrushStyle.Dense5Pattern),
    "failed": ("bad", Qt.BrushStyle.BDiagPattern),
    "stopped": ("uneven", Qt.BrushStyle.DiagCrossPattern),
    "wait": ("quiet", Qt.BrushStyle.Dense6Pattern),
}
THIN, THICK = 0.25, 0.6
"""How high a bar is: of a wait, of an attempt; as shares of a row."""
ZOOM = 1.25
MOVE = 0.1
RANGE = 10_000
LEAST_WIDTH = 2.0


class TimelineModel(QAbstractTableModel):
    """A row for each lane: its name, and its bars."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.timeline = Timeline()

    def show(self, timeline: Timeline) -> None:
        """Show this one from now on; rows are only added where it is of the same workflow."""
        before, after = self.timeline.lanes, timeline.lanes
        nowhere = QModelIndex()
        if len(after) < len(before) or [(e.kind, e.name) for e in after[: len(before)]] != [
            (each.kind, each.name) for each in before
        ]:
            self.beginResetModel()
            self.timeline = timeline
            self.endResetModel()
            return
        if len(after) > len(before):
            self.beginInsertRows(nowhere, len(before), len(after) - 1)
            self.timeline = timeline
            self.endInsertRows()
        self.timeline = timeline
        if before:
            self.dataChanged.emit(self.index(0, 0), self.index(len(before) - 1, 1))

    def lane(self, row: int) -> Lane | None:
        """The lane of a row."""
        return self.timeline.lanes[row] if 0 <= row < len(self.timeline.lanes) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.timeline.lanes)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 2

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        lane = self.lane(index.row()) if index.isValid() else None
        if lane is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole if index.column() == 0:
                return lane.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return lane.text
            case Qt.ItemDataRole.ToolTipRole:
                return lane.tip(datetime.now(UTC))
        return lane if role == LANE else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return translate("Details", "Step") if section == 0 else ""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.AccessibleTextRole:
            return translate("Details", "Step") if section == 0 else translate("Timeline", "Time")
        return None


class TimelineView(QTableView):
    """Ctrl and the wheel, + and - zoom; 0 shows all; Shift and the wheel, left and right move."""

    moved = QtSignal()
    """Another part of the time is seen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lanes = TimelineModel(self)
        self.window_seen: Window | None = None
        """None while all of it is seen."""
        self.setModel(self.lanes)
        self.setAccessibleName(translate("Timeline", "Timeline"))
        self.setAccessibleDescription(
            translate("Timeline", "Plus and minus zoom, left and right move, 0 shows all of it")
        )
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegateForColumn(1, _Bars(self))
        axis = _Axis(self)
        self.setHorizontalHeader(axis)
        axis.setHighlightSections(False)
        axis.setSectionsClickable(False)
        axis.setDefaultAlignment(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter)
        axis.setMinimumSectionSize(self.fontMetrics().averageCharWidth() * 8)
        axis.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.setColumnWidth(0, self.fontMetrics().averageCharWidth() * 30)
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(round(self.fontMetrics().height() * 1.5))

    # --- which part of the time is seen -----------------------------------------------------------

    @property
    def seen(self) -> Window:
        """The part of the time that is seen."""
        whole = self.lanes.timeline
        return self.window_seen or Window(whole.start, whole.end)

    def show_timeline(self, timeline: Timeline, *, anew: bool) -> None:
        """Show this; `anew` is another workflow, of which all is seen at first."""
        if anew:
            self.window_seen = None
        self.lanes.show(timeline)
        if self.window_seen is not None:
            self.window_seen = self.window_seen.within(timeline)
        self._changed()

    def zoom(self, factor: float, x: float | None = None) -> None:
        """`factor` times as near, around what lies at `x` of the bars' column, its middle by default."""
        width = max(1, self.columnWidth(1))
        share = 0.5 if x is None else min(max(x / width, 0.0), 1.0)
        seen = self.seen
        around = seen.start + share * (seen.end - seen.start)
        self._see(seen.zoomed(factor, around, self.lanes.timeline))

    def move_by(self, share: float) -> None:
        """Move by this share of what is seen."""
        self._see(self.seen.moved(share, self.lanes.timeline))

    def see_all(self) -> None:
        """All of it."""
        self.window_seen = None
        self._changed()

    def _see(self, window: Window) -> None:
        whole = self.lanes.timeline
        all_of_it = window.end - window.start >= (whole.end - whole.start) * 0.9999
        self.window_seen = None if all_of_it else window
        self._changed()

    def _changed(self) -> None:
        self.viewport().update()
        self.horizontalHeader().viewport().update()
        self.moved.emit()

    def x_of(self, moment: float) -> float:
        """Where a moment lies in the bars' column, from its left edge."""
        seen = self.seen
        return (moment - seen.start) / (seen.end - seen.start) * self.columnWidth(1)

    # --- keys and wheel ---------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta().y() or event.angleDelta().x()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            x = event.position().x() - self.columnViewportPosition(1)
            self.zoom(ZOOM ** (turned / 120), x)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not event.angleDelta().y():
            self.move_by(-MOVE * turned / 120)
        else:
            super().wheelEvent(event)
            return
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = QKeySequence.StandardKey
        if event.matches(keys.ZoomIn) or event.key() in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(ZOOM)
        elif event.matches(keys.ZoomOut) or event.key() == Qt.Key.Key_Minus:
            self.zoom(1 / ZOOM)
        elif event.key() == Qt.Key.Key_0:
            self.see_all()
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.move_by(MOVE if event.key() == Qt.Key.Key_Right else -MOVE)
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        most = self.viewport().width() * 2 // 5
        if self.columnWidth(0) > most > 0:
            self.setColumnWidth(0, most)
        self.moved.emit()


class _Bars(QStyledItemDelegate):
    """The bars of one lane."""

    def __init__(self, view: TimelineView) -> None:
        super().__init__(view)
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)  # what is selected, and the focus
        lane = index.data(LANE)
        if lane is None:
            return
        rect, palette = option.rect, self._view.palette()
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setClipRect(rect)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for start, end in self._view.lanes.timeline.idle:
            self._idle(painter, rect, start, end, palette)
        after = float(rect.left())
        for span in lane.spans:
            after = max(after, self._span(painter, rect, span, palette, selected))
        self._say(painter, rect, lane, after, palette, selected)
        painter.restore()

    def _idle(self, painter: QPainter, rect: QRect, start: float, end: float, palette: QPalette) -> None:
        left, right = self._view.x_of(start), self._view.x_of(end)
        if right > 0 and left < rect.width():
            colour = QColor(quiet(palette))
            colour.setAlphaF(0.12)
            painter.fillRect(QRectF(rect.left() + left, rect.top(), right - left, rect.height()), colour)

    def _span(self, painter: QPainter, rect: QRect, span: Span, palette: QPalette, selected: bool) -> float:
        left, right = self._view.x_of(span.start), self._view.x_of(span.end)
        right = max(right, left + LEAST_WIDTH)
        if right < 0 or left > rect.width():
            return float(rect.left())
        # Beyond the edges there is nothing to see, and the painter counts in whole numbers.
        left, right = max(left, -8.0), min(right, rect.width() + 8.0)
        tone, style = LOOKS[span.kind]
        colour = tone_colours(tone, palette).fill
        if selected:
            colour = palette.color(QPalette.ColorRole.HighlightedText)
        height = rect.height() * (THIN if span.kind == "wait" else THICK)
        bar = QRectF(rect.left() + left, rect.center().y() - height / 2 + 0.5, right - left, height)
        painter.setPen(QPen(colour, 1.0))
        painter.setBrush(QBrush(colour, style))
        painter.drawRect(bar)
        if span.kind != "wait" and span.number > 1 and right - left > rect.height() * 1.2:
            self._number(painter, bar, span.number, palette, style, colour)
        return bar.right()

    def _number(
        self,
        painter: QPainter,
        bar: QRectF,
        number: int,
        palette: QPalette,
        style: Qt.BrushStyle,
        colour: QColor,
    ) -> None:
        """Of the attempt, on a ground of its own, so that no pattern runs through it."""
        text = str(number)
        metrics = painter.fontMetrics()
        ground = QRectF(bar.left() + 1, bar.top() + 1, metrics.horizontalAdvance(text) + 6, bar.height() - 2)
        base = palette.color(QPalette.ColorRole.Base)
        painter.fillRect(ground, base)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        painter.drawText(ground, Qt.AlignmentFlag.AlignCenter, text)

    def _say(
        self, painter: QPainter, rect: QRect, lane: Lane, after: float, palette: QPalette, selected: bool
    ) -> None:
        """How long it took, to the right of the last bar, where there is room."""
        if after <= rect.left() or after > rect.right():
            return
        role = QPalette.ColorRole.HighlightedText
        painter.setPen(palette.color(role) if selected else quiet(palette))
        room = QRectF(after + 6, rect.top(), rect.right() - after - 6, rect.height())
        text = duration_text(lane.seconds)
        if painter.fontMetrics().horizontalAdvance(text) <= room.width():
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)


class _Axis(QHeaderView):
    """Above the bars, how long after the beginning it is."""

    def __init__(self, view: TimelineView) -> None:
        super().__init__(Qt.Orientation.Horizontal, view)
        self._view = view

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        super().paintSection(painter, rect, section)
        if section != 1 or not rect.width():
            return
        painter.save()
        painter.setClipRect(rect)
        metrics = painter.fontMetrics()
        most = max(1, rect.width() // (metrics.averageCharWidth() * 14))
        whole = self._view.lanes.timeline
        painter.setPen(quiet(QApplication.palette()))
        for moment, text in self._view.seen.ticks(whole.start, most):
            x = rect.left() + self._view.x_of(moment)
            painter.drawLine(round(x), rect.bottom() - metrics.height() // 3, round(x), rect.bottom())
            width = metrics.horizontalAdvance(text)
            if x + 4 + width <= rect.right():
                place = QRectF(x + 4, rect.top(), width + 2, rect.height())
                painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()
