"""The details pane: one workflow, whole. It shows what `DetailsViewModel` says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.details_overview import Overview
from stepfast_desktop.qt.details_rows import RowColumn, RowsModel, RowsView
from stepfast_desktop.qt.details_text import quiet_label, tint
from stepfast_desktop.qt.icons import icon
from stepfast_desktop.qt.palette import quiet, tone_colours
from stepfast_desktop.qt.slots import start
from stepfast_desktop.viewmodels.details import DetailsViewModel, Section
from stepfast_desktop.viewmodels.details_log import LogRow
from stepfast_desktop.viewmodels.details_page import StepRow
from stepfast_desktop.viewmodels.format import Tone
from stepfast_desktop.viewmodels.words import translate

__all__ = ["DetailsPane"]

Row = TypeVar("Row")

TIME_CHARACTERS = 9
LEVELS: dict[str, Tone] = {"debug": "quiet", "warning": "uneven", "error": "bad"}


class DetailsPane(QWidget):
    """A head with the state and what one can do, and tabs: overview, steps, log."""

    def __init__(self, details: DetailsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._details = details
        self.setAccessibleName(translate("Details", "Details of the workflow"))
        self.nothing = quiet_label()
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setWordWrap(True)
        self.head = _Head(details)
        self.error = QLabel()
        self.error.setTextFormat(Qt.TextFormat.PlainText)
        self.error.setWordWrap(True)
        self.error.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.overview = Overview(details)
        self._steps = RowsModel(_step_columns(), self._step_colour, self)
        self.steps = RowsView(translate("Details", "Steps"), self._steps, header=True)
        self._log = RowsModel(_log_columns(), self._log_colour, self)
        self.log = RowsView(translate("Details", "Log"), self._log, header=False)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName(translate("Details", "Parts of the details"))
        self.tabs.tabBar().setAccessibleName(self.tabs.accessibleName())
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.overview, translate("Details", "&Overview"))
        self._step_page = _Page(self.steps, translate("Details", "No step is recorded yet."))
        self.tabs.addTab(self._step_page, "")
        self._log_page = _Page(self.log, translate("Details", "Nothing was logged."))
        self.tabs.addTab(self._log_page, translate("Details", "&Log"))
        whole = QWidget()
        layout = QVBoxLayout(whole)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for each in (self.head, self.error, self.tabs):
            layout.addWidget(each)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.nothing)
        self._stack.addWidget(whole)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._stack)
        self._disconnect = details.changed.connect(self._hear)
        self._hear("workflow")

    def let_go(self) -> None:
        """Listen no more."""
        self._disconnect()

    def sizeHint(self) -> QSize:
        return QSize(640, self.fontMetrics().height() * 16)

    # --- showing ----------------------------------------------------------------------------------

    def _hear(self, section: Section) -> None:
        match section:
            case "workflow":
                self._show_all()
            case "state":
                self.head.show_state()
                self.overview.show_state()
            case "outcome":
                self.overview.show_outcome()
            case "answers":
                self.overview.show_answers()
            case "steps":
                self._show_steps()
            case "log":
                self._show_log()
            case "error":
                self._show_error()

    def _show_all(self) -> None:
        self._show_error()
        if self._details.state is None:
            self.nothing.setText(self._details.message)
            self._stack.setCurrentIndex(0)
        else:
            self.head.show_state()
            self.overview.show_all()
            self._stack.setCurrentIndex(1)
        self._show_steps()
        self._show_log()

    def _show_steps(self) -> None:
        rows = self._details.steps
        self._steps.show(rows)
        self._step_page.show_rows(bool(rows))
        text = translate("Details", "&Steps ({count})").format(count=f"{len(rows):,}")
        self.tabs.setTabText(1, text if rows else translate("Details", "&Steps"))
        self.steps.resize_column(0, max((len(row.started) for row in _ends(rows)), default=TIME_CHARACTERS))

    def _show_log(self) -> None:
        rows = self._details.log
        self._log.show(rows)
        self._log_page.show_rows(bool(rows))
        self.log.resize_column(0, max((len(row.time) for row in _ends(rows)), default=TIME_CHARACTERS))

    def _show_error(self) -> None:
        tint(self.error, tone_colours("bad", self.palette()).text)
        self.error.setText(self._details.error)
        self.error.setVisible(bool(self._details.error))

    def _step_colour(self, row: StepRow, column: int) -> QColor | None:
        return quiet(self.palette()) if column == 0 or row.position is None else None

    def _log_colour(self, row: LogRow, column: int) -> QColor | None:
        if column == 0:
            return quiet(self.palette())
        tone = LEVELS.get(row.level)
        return None if tone is None else tone_colours(tone, self.palette()).text

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_stack"):
            self._show_error()
            self._steps.refresh()
            self._log.refresh()


class _Head(QWidget):
    """What it is, how it stands, and the buttons."""

    def __init__(self, details: DetailsViewModel) -> None:
        super().__init__()
        self._details = details
        self.dot = _Dot()
        self.title = QLabel()
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        font = self.title.font()
        font.setBold(True)
        font.setPointSizeF(font.pointSizeF() * 1.15)
        self.title.setFont(font)
        self.state = QLabel()
        self.state.setTextFormat(Qt.TextFormat.PlainText)
        self.id = quiet_label()
        self.id.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.id.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.retry = QPushButton(translate("Details", "Retry"))
        self.retry.setToolTip(translate("Details", "Go on from where it ended"))
        self.retry.clicked.connect(lambda _checked=False: start(details.retry(), disabling=self.retry))
        self.resume = QPushButton(translate("Details", "Resume"))
        self.resume.clicked.connect(lambda _checked=False: start(details.resume(), disabling=self.resume))
        self.copy = QToolButton()
        self.copy.setText(translate("Details", "Copy details"))
        self.copy.setToolTip(translate("Details", "Copy all of it as text, for a report"))
        self.copy.setAutoRaise(True)
        self.copy.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.copy.clicked.connect(self._copy)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 8, 8, 6)
        layout.setSpacing(10)
        for each in (self.dot, self.title, self.state):
            layout.addWidget(each)
        layout.addWidget(self.id, 1)
        for button in (self.resume, self.retry, self.copy):
            layout.addWidget(button)
        self._dress()

    def show_state(self) -> None:
        state = self._details.state
        if state is None:
            return
        self.title.setText(state.title)
        self.state.setText(state.text)
        self.id.setText(state.id)
        self.id.setToolTip("")
        self.retry.setVisible(state.can_retry)
        self.resume.setVisible(state.can_resume)
        self._dress()

    def _dress(self) -> None:
        for button, name in ((self.retry, "retry"), (self.resume, "resume"), (self.copy, "copy")):
            button.setIcon(icon(name, self.palette()))
        if (state := self._details.state) is not None:
            colours = tone_colours(state.tone, self.palette())
            self.dot.show_colour(colours.fill)
            tint(self.state, colours.text)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "copy"):
            self._dress()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._details.copy_text())


class _Dot(QWidget):
    """The state as a colour, beside the words that say it."""

    def __init__(self) -> None:
        super().__init__()
        self._colour = QColor()
        self.setFixedSize(10, 10)

    def show_colour(self, colour: QColor) -> None:
        self._colour = colour
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._colour)
        painter.drawEllipse(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()


class _Page(QStackedWidget):
    """Rows, or a quiet line where there are none."""

    def __init__(self, view: QWidget, nothing: str) -> None:
        super().__init__()
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setContentsMargins(8, 4, 0, 0)
        label = quiet_label(nothing)
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.addWidget(label)
        self.addWidget(view)

    def show_rows(self, some: bool) -> None:
        self.setCurrentIndex(int(some))


def _ends(rows: Sequence[Row]) -> Sequence[Row]:
    """The oldest, which may be of another day, and the newest."""
    return [*rows[:1], *rows[-1:]]


def _step_columns() -> list[RowColumn[StepRow]]:
    return [
        RowColumn(translate("Details", "Started"), lambda row: row.started, TIME_CHARACTERS),
        RowColumn(translate("Details", "Step"), lambda row: row.name, None),
        RowColumn(translate("Details", "Took"), lambda row: row.took, 12, right=True),
        RowColumn(translate("Details", "Attempts"), lambda row: row.attempts, 9, right=True),
    ]


def _log_columns() -> list[RowColumn[LogRow]]:
    return [
        RowColumn("", lambda row: row.time, TIME_CHARACTERS),
        RowColumn("", lambda row: row.text, None),
    ]
