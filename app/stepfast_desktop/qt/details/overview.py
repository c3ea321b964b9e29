"""The overview of a workflow: how it stands and what came of it, beside its times and its input."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.details.text import TextBlock, align_labels
from stepfast_desktop.qt.labels import ModestLabel, quiet_label, tint
from stepfast_desktop.qt.palette import tone_colours, trough
from stepfast_desktop.viewmodels.details.details import DetailsViewModel
from stepfast_desktop.viewmodels.details.page import FailureText
from stepfast_desktop.viewmodels.format import Tone, readable
from stepfast_desktop.viewmodels.words import translate, without_marks

__all__ = ["Overview"]

# Two columns where there is room for both, in characters.
TWO_COLUMNS = 90
MARGIN = 12


class Overview(QScrollArea):
    """A page that scrolls. It shows what the view model says, part by part."""

    rerun = Signal(str)
    """A person wants it run again from this step."""

    def __init__(self, details: DetailsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._details = details
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

        self.bar = Bar(translate("Details", "Progress"))
        self.progress = TextBlock(translate("Details", "Progress"))
        self.needs = TextBlock(translate("Details", "What it waits for"))
        self.failure = _Failure()
        self.failure.rerun.clicked.connect(lambda _checked=False: self._rerun())
        self.result = TextBlock(translate("Details", "Result"))
        self.problems = TextBlock(translate("Details", "Problems"))
        self.more_problems = quiet_label()
        self.facts = TextBlock(translate("Details", "Times"))
        self.given = TextBlock(translate("Details", "Input"))

        self._result = _Section(translate("Details", "Result"), self.result)
        self.retry_these = QPushButton(translate("Details", "Retry these ..."))
        self.retry_these.setAutoDefault(False)
        self.retry_these.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.doing = (self.failure.rerun, self.retry_these)
        self._problems = _Section("", self.problems, self.more_problems, self.retry_these)
        self._given = _Section(translate("Details", "Input"), self.given)
        self._main = (self.bar, self.progress, self.needs, self.failure, self._result, self._problems)
        self._main_column = main = _column(*self._main)
        side = _column(self.facts, self._given)
        page = QWidget()
        page.setAutoFillBackground(True)
        page.setBackgroundRole(QPalette.ColorRole.Base)
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight, page)
        self._columns.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        self._columns.setSpacing(2 * MARGIN)
        self._columns.addWidget(main, 3)
        self._columns.addWidget(side, 2)
        self._columns.addStretch(0)
        self.setWidget(page)

    def show_all(self) -> None:
        """Another workflow."""
        self.failure.collapse()
        self.given.show_pairs(self._details.given)
        self._given.setVisible(bool(self._details.given))
        self.show_state()
        self.show_outcome()
        self.verticalScrollBar().setValue(0)

    def show_state(self) -> None:
        """How it stands."""
        state = self._details.state
        if state is None:
            return
        self.bar.show_share(state.fraction, state.tone)
        self.bar.setVisible(state.fraction is not None and state.tone in ("active", "asking", "quiet"))
        _show(self.progress, state.progress)
        _show(self.needs, state.needs)
        self.failure.offer_rerun(state.failed_at)
        self.facts.show_pairs(state.facts)
        align_labels(self.facts, self.given)
        # Whether it can be is known by what came of it and by its state, which come one after the other.
        self.retry_these.setVisible(self._details.can_retry_problems)
        self._make_room()

    def show_outcome(self) -> None:
        """What came of it."""
        outcome = self._details.outcome
        self.failure.show_failure(outcome.failure)
        self.result.show_pairs(outcome.result)
        self._result.setVisible(bool(outcome.result))
        self.problems.show_pairs(outcome.problems)
        self.more_problems.setText(outcome.more_problems)
        self.more_problems.setVisible(bool(outcome.more_problems))
        title = translate("Details", "%n problem(s)", None, outcome.problem_count)
        self._problems.title.setText(title)
        self._problems.setVisible(bool(outcome.problem_count))
        self.retry_these.setVisible(self._details.can_retry_problems)
        self._make_room()

    def _make_room(self) -> None:
        """Where there is nothing but times and input, they stand where one begins to read."""
        self._main_column.setVisible(not all(each.isHidden() for each in self._main))

    def _rerun(self) -> None:
        state = self._details.state
        if state is not None and state.failed_at:
            self.rerun.emit(state.failed_at)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = event.size().width() >= self.fontMetrics().averageCharWidth() * TWO_COLUMNS
        direction = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        if self._columns.direction() is not direction:
            self._columns.setDirection(direction)


class Bar(QProgressBar):
    """A thin bar in the colour of the state. Its text stands below it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._tone: Tone = "quiet"
        self.setAccessibleName(name)
        self.setRange(0, 1000)
        self.setTextVisible(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(6)

    def show_share(self, share: float | None, tone: Tone) -> None:
        self._tone = tone
        self.setValue(int(1000 * (share or 0.0)))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        whole = QRectF(self.rect())
        round_ = whole.height() / 2
        painter.setBrush(trough(self.palette()))
        painter.drawRoundedRect(whole, round_, round_)
        full = QRectF(whole)
        full.setWidth(whole.width() * self.value() / self.maximum())
        if self.layoutDirection() is Qt.LayoutDirection.RightToLeft:
            full.moveRight(whole.right())
        painter.setBrush(tone_colours(self._tone, self.palette()).fill)
        if full.width() >= 1:
            painter.drawRoundedRect(full, round_, round_)
        painter.end()


class _Failure(QWidget):
    """What failed, why, what one can do, and on request the traceback."""

    def __init__(self) -> None:
        super().__init__()
        self.headline = ModestLabel()
        self.headline.setWordWrap(True)
        _make_bold(self.headline)
        self.message = TextBlock(translate("Details", "Error"))
        self.advice = TextBlock(translate("Details", "What you can do"))
        self.traceback = TextBlock(translate("Details", "Traceback"), monospace=True)
        self.rerun = QPushButton()
        self.rerun.setToolTip(translate("Details", "As a new workflow; this one stays as it is"))
        self.more = QToolButton()
        self.more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.more.setAutoRaise(True)
        self.more.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.more.clicked.connect(lambda: self._show_more(self.traceback.isHidden()))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for each in (self.headline, self.message, self.advice):
            layout.addWidget(each)
        layout.addWidget(self.rerun, alignment=Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self.more, alignment=Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self.traceback)
        self._show_more(False)

    def show_failure(self, failure: FailureText | None) -> None:
        self.setVisible(failure is not None)
        if failure is None:
            return
        self._tint()
        self.headline.setText(failure.headline)
        self.message.show_text(failure.message)
        self.advice.show_text(failure.advice)
        self.traceback.show_text(failure.traceback)
        self.more.setVisible(bool(failure.traceback))

    def offer_rerun(self, step: str) -> None:
        """Offer to run it again from this step; "" for no step."""
        text = translate("Details", "Rerun from “{step}” ...").format(step=readable(step))
        metrics = self.rerun.fontMetrics()
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, metrics.averageCharWidth() * 60)
        self.rerun.setText(without_marks(shown))
        self.rerun.setAccessibleName(text)
        self.rerun.setVisible(bool(step))

    def collapse(self) -> None:
        self._show_more(False)

    def _show_more(self, more: bool) -> None:
        self.more.setArrowType(Qt.ArrowType.DownArrow if more else Qt.ArrowType.RightArrow)
        hide, show = translate("Details", "Hide the traceback"), translate("Details", "Show the traceback")
        self.more.setText(hide if more else show)
        self.traceback.setVisible(more)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "headline"):
            self._tint()

    def _tint(self) -> None:
        tint(self.headline, tone_colours("bad", self.palette()).text)


def _show(block: TextBlock, text: str) -> None:
    block.show_text(text)
    block.setVisible(bool(text))


def _column(*widgets: QWidget) -> QWidget:
    made = QWidget()
    made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    layout = QVBoxLayout(made)
    layout.setContentsMargins(0, 0, 0, 0)
    for each in widgets:
        layout.addWidget(each)
    layout.addStretch(1)
    return made


class _Section(QWidget):
    """Something under a title."""

    def __init__(self, title: str, *widgets: QWidget) -> None:
        super().__init__()
        self.title = QLabel(title)
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        _make_bold(self.title)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(2)
        for each in (self.title, *widgets):
            layout.addWidget(each)


def _make_bold(label: QLabel) -> None:
    font = label.font()
    font.setBold(True)
    label.setFont(font)
