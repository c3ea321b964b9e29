"""The steps of a workflow: a list, or a timeline; from either one can rerun from a step."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QColor, QPalette, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QRadioButton,
    QScrollBar,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.details.legend import Legend
from stepfast_desktop.qt.details.rows import RowColumn, RowsModel, RowsView
from stepfast_desktop.qt.details.timeline import RANGE, ZOOM, TimelineView
from stepfast_desktop.qt.labels import quiet_label
from stepfast_desktop.qt.palette import quiet
from stepfast_desktop.qt.slots import start
from stepfast_desktop.viewmodels.details.details import DetailsViewModel
from stepfast_desktop.viewmodels.details.page import StepRow
from stepfast_desktop.viewmodels.words import translate

__all__ = ["StepsPage"]

TIME_CHARACTERS = 9
APART = 1.0
"""Seconds between two layouts of the timeline, at the least: what runs grows all the time."""


class StepsPage(QWidget):
    """Above, what is shown; below, the list or the timeline."""

    rerun = Signal(str)
    """A person wants the workflow run again from this step."""

    def __init__(self, details: DetailsViewModel) -> None:
        super().__init__()
        self._details = details
        self._drawing: asyncio.Task[None] | None = None
        self._stale = self._anew = True
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._rows = RowsModel(_columns(), self._colour, self)
        self.list = RowsView(translate("Details", "Steps"), self._rows, header=True)
        self.timeline = TimelineView()
        self._make_bar()
        self.pan = QScrollBar(Qt.Orientation.Horizontal)
        self.pan.setRange(0, 0)
        self.pan.valueChanged.connect(self._scrolled)
        self.timeline.moved.connect(self._show_scroll)
        nothing = quiet_label(translate("Details", "No step is recorded yet."))
        nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        lines = QWidget()
        layout = QVBoxLayout(lines)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.timeline, 1)
        layout.addWidget(self.pan)
        self._stack = QStackedWidget()
        for each in (nothing, self.list, lines):
            self._stack.addWidget(each)
        unit = self.fontMetrics().height()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(unit // 2, unit // 4, 0, 0)
        outer.setSpacing(unit // 4)
        outer.addLayout(self._bar)
        outer.addWidget(self._stack, 1)
        self.list.selectionModel().selectionChanged.connect(lambda *_: self._enable())
        self.timeline.selectionModel().selectionChanged.connect(lambda *_: self._enable())
        self._enable()

    def _make_bar(self) -> None:
        self._bar = QHBoxLayout()
        self._bar.setContentsMargins(0, 0, self.fontMetrics().height() // 2, 0)
        self.as_list = QRadioButton(translate("Details", "L&ist"))
        self.as_timeline = QRadioButton(translate("Timeline", "Ti&meline"))
        self._ways = QButtonGroup(self)
        for each in (self.as_list, self.as_timeline):
            self._ways.addButton(each)
            self._bar.addWidget(each)
        self.as_list.setChecked(True)
        self._ways.buttonToggled.connect(lambda _button, on: self._show_way() if on else None)
        self.nearer = _small("+", translate("Timeline", "Zoom in (+)"))
        self.farther = _small("−", translate("Timeline", "Zoom out (-)"))  # noqa: RUF001
        self.whole = _small(translate("Timeline", "All"), translate("Timeline", "Show all of it (0)"))
        self.nearer.clicked.connect(lambda _checked=False: self.timeline.zoom(ZOOM))
        self.farther.clicked.connect(lambda _checked=False: self.timeline.zoom(1 / ZOOM))
        self.whole.clicked.connect(lambda _checked=False: self.timeline.see_all())
        for button in (self.nearer, self.farther, self.whole):
            button.setVisible(False)
            self._bar.addWidget(button)
        self.legend = Legend()
        self._bar.addWidget(self.legend, 1)
        self._bar.addStretch(0)
        self.again = QPushButton(translate("Details", "Rerun from here ..."))
        about = translate("Details", "As a new workflow; this one stays as it is")
        self.again.setToolTip(self._details.read_only or about)
        self.again.clicked.connect(lambda _checked=False: self.rerun.emit(self.selected))
        self._bar.addWidget(self.again)
        # The same in the menu of a step.
        self._again = QAction(self.again.text(), self)
        self._again.triggered.connect(self.again.click)
        self.list.addAction(self._again)
        self.timeline.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.timeline.customContextMenuRequested.connect(self._open_menu)

    def _open_menu(self, at: QPoint) -> None:
        menu = QMenu(self.timeline)
        menu.addAction(self._again)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.timeline.viewport().mapToGlobal(at))

    def let_go(self) -> None:
        """Draw nothing more."""
        if self._drawing is not None:
            self._drawing.cancel()

    @property
    def selected(self) -> str:
        """The name of the step that is selected; empty where none is."""
        if self.as_timeline.isChecked():
            rows = self.timeline.selectionModel().selectedRows()
            lane = self.timeline.lanes.lane(rows[0].row()) if len(rows) == 1 else None
            return "" if lane is None else lane.step
        rows = self.list.selectionModel().selectedRows()
        row = self._rows.row(rows[0].row()) if len(rows) == 1 else None
        return "" if row is None else row.step

    # --- showing ----------------------------------------------------------------------------------

    def show_steps(self, *, anew: bool = False) -> None:
        """What is recorded now; `anew` is another workflow."""
        rows = self._details.steps
        self._rows.show(rows)
        ends = [*rows[:1], *rows[-1:]]
        self.list.resize_column(0, max((len(row.started) for row in ends), default=TIME_CHARACTERS))
        self._anew = self._anew or anew
        self._show_way()
        self.draw()

    def draw(self) -> None:
        """Lay the timeline out as it is now, soon, if anybody looks at it."""
        self._stale = True
        if self.as_timeline.isChecked() and self.isVisible() and self._drawing is None:
            self._drawing = start(self._draw())
            self._drawing.add_done_callback(self._drawn)

    async def _draw(self) -> None:
        while self._stale and self.isVisible():
            self._stale = False
            anew, self._anew = self._anew, False
            timeline = await self._details.timeline()
            self.timeline.show_timeline(timeline, anew=anew)
            self._show_way()
            await asyncio.sleep(0 if len(timeline.lanes) < 100 else APART)

    def _drawn(self, task: asyncio.Task[None]) -> None:
        self._drawing = None
        if self._stale and not task.cancelled():  # it came after the last look
            self.draw()

    def _show_way(self) -> None:
        timeline = self.as_timeline.isChecked()
        for each in (self.nearer, self.farther, self.whole):
            each.setVisible(timeline)
        self.legend.show_words(timeline)
        some = self.timeline.lanes.rowCount() if timeline else self._rows.rowCount()
        self._stack.setCurrentIndex(0 if not some else 2 if timeline else 1)
        self._enable()
        if timeline and self._stale:
            self.draw()

    def _enable(self) -> None:
        for each in (self.again, self._again):
            each.setEnabled(bool(self.selected) and not self._details.read_only)

    def _colour(self, row: StepRow, column: int) -> QColor | None:
        return quiet(self.palette()) if column == 0 or row.position is None else None

    def _show_scroll(self) -> None:
        """Which part of the time is seen, on the scroll bar."""
        whole, seen = self.timeline.lanes.timeline, self.timeline.seen
        length, all_of_it = seen.end - seen.start, whole.end - whole.start
        page = round(RANGE * length / all_of_it)
        self.pan.blockSignals(True)
        self.pan.setPageStep(page)
        self.pan.setSingleStep(max(1, page // 10))
        self.pan.setRange(0, max(0, RANGE - page))
        self.pan.setValue(round(RANGE * (seen.start - whole.start) / all_of_it))
        self.pan.blockSignals(False)
        self.pan.setVisible(self.timeline.window_seen is not None)

    def _scrolled(self, value: int) -> None:
        whole, seen = self.timeline.lanes.timeline, self.timeline.seen
        start_at = whole.start + (whole.end - whole.start) * value / RANGE
        self.timeline.move_by((start_at - seen.start) / (seen.end - seen.start))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.draw()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_rows"):
            self._rows.refresh()


def _small(text: str, name: str) -> QToolButton:
    made = QToolButton()
    made.setText(text)
    made.setToolTip(name)
    made.setAccessibleName(name)
    made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return made


def _columns() -> list[RowColumn[StepRow]]:
    return [
        RowColumn(translate("Details", "Started"), lambda row: row.started, TIME_CHARACTERS),
        RowColumn(translate("Details", "Step"), lambda row: row.name, None),
        RowColumn(translate("Details", "Took"), lambda row: row.took, 12, right=True),
        RowColumn(translate("Details", "Attempts"), lambda row: row.attempts, 9, right=True),
    ]
