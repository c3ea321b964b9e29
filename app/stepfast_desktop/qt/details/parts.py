"""What the details pane has of a workflow: the head, what is asked, and the parts behind tabs."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.closed import close_for_good
from stepfast_desktop.qt.details.doing import FolderButton, ask_rerun
from stepfast_desktop.qt.details.log import LogPage
from stepfast_desktop.qt.details.overview import Overview
from stepfast_desktop.qt.details.questions import QuestionsPanel
from stepfast_desktop.qt.details.records import RecordsPage
from stepfast_desktop.qt.details.steps import StepsPage
from stepfast_desktop.qt.icons import icon
from stepfast_desktop.qt.labels import ModestLabel, quiet_label, tint
from stepfast_desktop.qt.palette import tone_colours
from stepfast_desktop.qt.slots import start
from stepfast_desktop.qt.tab_order import all_of
from stepfast_desktop.viewmodels.details.details import DetailsViewModel, Section
from stepfast_desktop.viewmodels.format import number_text
from stepfast_desktop.viewmodels.words import translate

__all__ = ["DetailsParts"]

STATE_CHARACTERS = 60


class DetailsParts(QWidget):
    """A head with the state and what one can do, what is asked, and tabs: overview, steps, log, records."""

    started = Signal(object)
    """The key of a workflow that was started from here."""

    def __init__(self, details: DetailsViewModel) -> None:
        super().__init__()
        self._details = details
        self.head = _Head(details)
        self.error = ModestLabel()
        self.error.setWordWrap(True)
        self.error.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.questions = QuestionsPanel(details, self._room_for_questions)
        self.questions.comes_after = self.head.copy
        self.overview = Overview(details)
        self.overview.rerun.connect(self.ask_rerun)
        self.steps_page = StepsPage(details)
        self.steps_page.rerun.connect(self.ask_rerun)
        self.steps = self.steps_page.list
        self.log_page = LogPage(details.log)
        self.log = self.log_page.view
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName(translate("Details", "Parts of the details"))
        self.tabs.tabBar().setAccessibleName(self.tabs.accessibleName())
        self.tabs.setDocumentMode(True)
        self.tabs.setUsesScrollButtons(False)  # all four are to be seen
        self.tabs.addTab(self.overview, translate("Details", "&Overview"))
        self.tabs.addTab(self.steps_page, "")
        self.tabs.addTab(self.log_page, translate("Details", "&Log"))
        self.records_page = RecordsPage(details)
        self.records = self.records_page.view
        self.tabs.addTab(self.records_page, translate("Details", "&Records"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for each in (self.head, self.error, self.questions, self.tabs):
            layout.addWidget(each)
        close_for_good([*self.head.doing, *self.overview.doing], details.read_only)
        # Small, so that a question takes its room from the part below it and not from the table.
        self.tabs.setMinimumHeight(self.fontMetrics().height() * 6)

    @property
    def way(self) -> list[QWidget]:
        """All that is in it as Tab goes through it: the tabs before what is behind them."""
        above = (self.head, self.error, self.questions)
        bar = all_of(self.tabs.tabBar())
        return [self, *(each for part in above for each in all_of(part)), self.tabs, *bar, *all_of(self)]

    def let_go(self) -> None:
        """Listen no more."""
        self.questions.let_go()
        self.log_page.let_go()
        self.steps_page.let_go()
        self.records_page.let_go()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.questions.fit()

    def _room_for_questions(self) -> int:
        return self.height() - self.head.sizeHint().height() - self.tabs.minimumHeight()

    def ask_rerun(self, step: str) -> None:
        """Ask whether to run the workflow that is shown again from this step on."""
        self.asking = ask_rerun(self, self._details, step, self.started.emit)

    # --- showing ----------------------------------------------------------------------------------

    def show_all(self) -> None:
        """Another workflow, or none."""
        self._show_error()
        if self._details.state is not None:
            self.head.show_state()
            self.head.folder.show_folders(self._details.folders)
            self.questions.show_questions()
            self.overview.show_all()
        self._show_steps(anew=True)

    def show_changed(self, section: Section) -> None:
        """This part of it has changed."""
        match section:
            case "workflow":
                self.show_all()
            case "state":
                self.head.show_state()
                self.overview.show_state()
                self.steps_page.draw()
            case "outcome":
                self.overview.show_outcome()
            case "folders":
                self.head.folder.show_folders(self._details.folders)
            case "questions":
                self.questions.show_questions()
            case "steps":
                self._show_steps(anew=False)
            case "error":
                self._show_error()

    def _show_steps(self, *, anew: bool) -> None:
        rows = self._details.steps
        text = translate("Details", "&Steps ({count})").format(count=number_text(len(rows)))
        self.tabs.setTabText(1, text if rows else translate("Details", "&Steps"))
        self.steps_page.show_steps(anew=anew)
        self.records_page.show_records()

    def _show_error(self) -> None:
        tint(self.error, tone_colours("bad", self.palette()).text)
        self.error.setText(self._details.error)
        self.error.setVisible(bool(self._details.error))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "records"):
            self._show_error()
            self.log_page.refresh()


class _Head(QWidget):
    """What it is, how it stands, and the buttons."""

    def __init__(self, details: DetailsViewModel) -> None:
        super().__init__()
        self._details = details
        self.dot = _Dot()
        self.title = ModestLabel()
        font = self.title.font()
        font.setBold(True)
        font.setPointSizeF(font.pointSizeF() * 1.15)
        self.title.setFont(font)
        self.state = QLabel()
        self.state.setTextFormat(Qt.TextFormat.PlainText)
        self.state.setMinimumWidth(1)  # the window may be narrower than what is asked
        self.id = quiet_label()
        self.id.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.id.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.retry = QPushButton(translate("Details", "Retry"))
        self.retry.setToolTip(translate("Details", "Go on from where it ended"))
        self.retry.clicked.connect(lambda _checked=False: start(details.retry(), disabling=self.retry))
        self.resume = QPushButton(translate("Details", "Resume"))
        self.resume.clicked.connect(lambda _checked=False: start(details.resume(), disabling=self.resume))
        self.go_on = QPushButton()
        self.go_on.clicked.connect(
            lambda _checked=False: start(details.continue_anyway(), disabling=self.go_on)
        )
        self.doing = (self.retry, self.resume, self.go_on)
        self.folder = FolderButton()
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
        for button in (self.go_on, self.resume, self.retry, self.folder, self.copy):
            layout.addWidget(button)
        self._dress()

    def show_state(self) -> None:
        state = self._details.state
        if state is None:
            return
        self.title.setText(state.title)
        # What is asked may be long, and stands in full below.
        metrics = self.state.fontMetrics()
        most = metrics.averageCharWidth() * STATE_CHARACTERS
        self.state.setText(metrics.elidedText(state.text, Qt.TextElideMode.ElideRight, most))
        self.state.setAccessibleName(state.text)
        self.id.setText(state.id)
        self.id.setToolTip("")
        self.retry.setVisible(state.can_retry)
        self.resume.setVisible(state.can_resume)
        self.go_on.setVisible(state.continue_with is not None)
        text = translate("Details", "Continue with version {version}")
        self.go_on.setText(text.format(version=state.continue_with))
        self._dress()

    def _dress(self) -> None:
        for button, name in (
            (self.retry, "retry"),
            (self.resume, "resume"),
            (self.go_on, "resume"),
            (self.folder, "folder"),
            (self.copy, "copy"),
        ):
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
        start(self._copy_all(), disabling=self.copy)

    async def _copy_all(self) -> None:
        QGuiApplication.clipboard().setText(await self._details.copy_text())
        self._details.said.emit(translate("Details", "The details were copied"))


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
