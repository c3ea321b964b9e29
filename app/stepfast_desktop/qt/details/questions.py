"""What a workflow asks, at the top of its details, whichever part of them is shown; with the form for it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QButtonGroup,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.closed import close_for_good
from stepfast_desktop.qt.icons import icon
from stepfast_desktop.qt.labels import ModestLabel, quiet_label
from stepfast_desktop.qt.message import Message
from stepfast_desktop.qt.slots import start
from stepfast_desktop.qt.tab_order import order_tabs
from stepfast_desktop.viewmodels.details.answers import hint_of
from stepfast_desktop.viewmodels.details.asked import Question, Said
from stepfast_desktop.viewmodels.details.details import DetailsViewModel
from stepfast_desktop.viewmodels.words import labelled, translate

__all__ = ["QuestionsPanel"]

MOST_OF_HEIGHT = 0.6
"""Of the pane's height, at most; what is asked beyond that scrolls."""


class QuestionsPanel(QScrollArea):
    """A card for each question; as high as they are, and gone where there is none."""

    answered = Signal()
    """The last question was answered from here, so the keyboard has to go somewhere else."""

    def __init__(self, details: DetailsViewModel, room: Callable[[], int]) -> None:
        """`room`: how high it may be at most, in pixels."""
        super().__init__()
        self._details = details
        self._room = room
        self._questions: Sequence[Question] = ()
        self.cards: list[Card] = []
        self._focus_wanted = False
        self.comes_after: QWidget | None = None
        """What Tab goes on from to the first question."""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(translate("Questions", "What it asks"))
        self._page = QWidget()
        self._page.setAutoFillBackground(True)
        self._page.setBackgroundRole(QPalette.ColorRole.Window)
        self._layout = QVBoxLayout(self._page)
        unit = self.fontMetrics().height()
        self._layout.setContentsMargins(unit * 2 // 3, unit // 3, unit * 2 // 3, unit // 2)
        self._layout.setSpacing(unit // 2)
        self.setWidget(self._page)
        self._page.installEventFilter(self)
        self.setVisible(False)

    def let_go(self) -> None:
        """Listen to no form any more."""
        for each in self.cards:
            each.let_go()

    def show_questions(self) -> None:
        """Ask what is asked now; what was typed for a question that stands stays."""
        questions = self._details.questions
        if [*questions] != [*self._questions]:
            self._questions = questions
            kept = {card.question: card for card in self.cards}
            was_at_it = any(card.is_sending for card in self.cards if card.question not in questions)
            for question, card in kept.items():
                if question not in questions:
                    card.let_go()
                    card.hide()
                    self._layout.removeWidget(card)
                    card.deleteLater()
            self.cards = [kept.get(each) or _card(self._details, each) for each in questions]
            for place, card in enumerate(self.cards):
                self._layout.insertWidget(place, card)
            if self.comes_after is not None:
                order_tabs(self.comes_after, self.cards)
            if was_at_it and self.cards:
                self._focus_wanted = True
            elif was_at_it:
                self.answered.emit()
        for each in self.cards:
            each.show_error()
        self.setVisible(bool(questions))
        self.fit()
        if self._focus_wanted and self.cards:
            self.focus_first()

    def focus_first(self) -> None:
        """Take a person to where the first answer is given."""
        self._focus_wanted = False
        if self.cards:
            self.cards[0].focus_first()

    def focus_next(self) -> None:
        """Do so with what is asked next: somebody is on the way to another workflow for it."""
        self._focus_wanted = True

    def fit(self) -> None:
        """Take the height that the cards need, as far as there is room."""
        parent = self.parentWidget()
        if parent is None or not self.cards:
            return
        width = self.viewport().width()
        wanted = self._layout.totalHeightForWidth(width) if self._layout.hasHeightForWidth() else -1
        if wanted < 0:
            wanted = self._layout.totalSizeHint().height()
        # Never more than there is: the pane would grow by it, and what stands above would move.
        most = min(int(parent.height() * MOST_OF_HEIGHT), self._room())
        self.setFixedHeight(min(wanted, max(most, self.fontMetrics().height() * 4)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._page and event.type() == QEvent.Type.LayoutRequest:
            self.fit()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()


class Card(QWidget):
    """One question: what is asked, what else there is to know, what one can say, why it was not taken."""

    def __init__(self, details: DetailsViewModel, question: Question) -> None:
        super().__init__()
        self.question = question
        self.is_sending = False
        """Its answer was given, by somebody who was at it with the keyboard."""
        self._details = details
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(self.fontMetrics().height() // 3)
        self._mark = QLabel()
        self.title = ModestLabel(question.title)
        self.title.setWordWrap(True)
        font = self.title.font()
        font.setBold(True)
        self.title.setFont(font)
        head = QHBoxLayout()
        head.setSpacing(self.fontMetrics().height() // 2)
        head.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.title, 1)
        self.column.addLayout(head)
        if question.help:
            help = quiet_label(question.help)
            help.setWordWrap(True)
            self.column.addWidget(help)
        self.message = Message()
        self.message.setVisible(False)
        self._dress()

    def let_go(self) -> None:
        """Listen no more."""

    def focus_first(self) -> None:
        """Take a person to where the answer is given."""

    def show_error(self) -> None:
        """Say why the last answer was not taken."""
        self.is_sending = self.is_sending and not self.question.error
        self.message.say(self.question.error or self._details.read_only, wrong=bool(self.question.error))
        self.message.setVisible(bool(self.question.error or self._details.read_only))

    def send(self, work: Coroutine[Any, Any, bool]) -> None:
        """Give the answer; until it is taken or not, nothing can be pressed."""
        # Before it is disabled: then Qt gives the keyboard to whatever comes next, which is the sidebar.
        focus = QApplication.focusWidget()
        self.is_sending = focus is not None and self.isAncestorOf(focus)
        start(work, disabling=self)

    def button(self, text: str) -> QPushButton:
        """A button that a screen reader reads with what it answers."""
        made = QPushButton(text)
        made.setAccessibleName(labelled(text, self.question.title))
        return made

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "message"):
            self._dress()

    def _dress(self) -> None:
        size = self.fontMetrics().height()
        self._mark.setPixmap(icon("question", self.palette()).pixmap(QSize(size, size)))


class _FormCard(Card):
    """A form, for what has fields."""

    def __init__(self, details: DetailsViewModel, question: Question) -> None:
        super().__init__(details, question)
        assert question.form is not None
        # Not before there is a question: with an editor for each kind of field.
        from stepfast_desktop.qt.starting.form import FormWidget

        self.form = FormWidget()
        self.form.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.form.show_form(question.form)
        if len(question.form.fields) == 1:
            name = question.form.fields[0].name
            self.form.editor(name).focus.setAccessibleName(question.title)
            if name == question.name:  # the answer itself, and no part of it
                self.form.hide_title(name)
        self.answer = self.button(translate("Questions", "Answer"))
        self.answer.clicked.connect(lambda _checked=False: self._send())
        self.column.addWidget(self.form)
        self.column.addWidget(self.message)
        self.column.addWidget(self.answer, 0, Qt.AlignmentFlag.AlignLeft)
        self._fit()

    def let_go(self) -> None:
        self.form.let_go()

    def focus_first(self) -> None:
        self.form.go_to_first()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: Any) -> None:
        # Return in a line of the form is as good as the button; where there are several lines, with Ctrl.
        in_a_line = isinstance(QApplication.focusWidget(), QLineEdit | QAbstractSpinBox | QComboBox)
        sends = in_a_line or event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if sends and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._send()
            event.accept()
            return
        super().keyPressEvent(event)

    def _fit(self) -> None:
        page = self.form.widget()
        layout = None if page is None else page.layout()
        if layout is not None:
            height = layout.totalHeightForWidth(self.form.viewport().width())
            self.form.setFixedHeight(height if height >= 0 else layout.totalSizeHint().height())

    def _send(self) -> None:
        if self.isEnabled():
            self.send(self._details.give(self.question))


class _LineCard(Card):
    """A line of text or JSON, where no form can be made."""

    def __init__(self, details: DetailsViewModel, question: Question) -> None:
        super().__init__(details, question)
        self.line = QLineEdit()
        self.line.setAccessibleName(question.title)
        hint = hint_of(question.schema)
        self.line.setPlaceholderText(hint)
        self.line.setAccessibleDescription(hint)
        self.line.returnPressed.connect(self._send)
        self.answer = self.button(translate("Questions", "Answer"))
        self.answer.clicked.connect(lambda _checked=False: self._send())
        row = QHBoxLayout()
        row.addWidget(self.line, 1)
        row.addWidget(self.answer)
        self.column.addLayout(row)
        self.column.addWidget(self.message)

    def focus_first(self) -> None:
        self.line.setFocus(Qt.FocusReason.OtherFocusReason)

    def _send(self) -> None:
        if self.isEnabled():
            self.send(self._details.give(self.question, self.line.text()))


class _YesNoCard(Card):
    """Two buttons."""

    def __init__(self, details: DetailsViewModel, question: Question) -> None:
        super().__init__(details, question)
        self.yes = self.button(translate("Questions", "Yes"))
        self.no = self.button(translate("Questions", "No"))
        self.yes.clicked.connect(lambda _checked=False: self.send(details.give(question, True)))
        self.no.clicked.connect(lambda _checked=False: self.send(details.give(question, False)))
        row = QHBoxLayout()
        row.addWidget(self.yes)
        row.addWidget(self.no)
        row.addStretch(1)
        self.column.addLayout(row)
        self.column.addWidget(self.message)

    def focus_first(self) -> None:
        self.yes.setFocus(Qt.FocusReason.OtherFocusReason)


class _InterruptedCard(Card):
    """What became of a step: chosen first, then said, since two of the three cannot be taken back."""

    def __init__(self, details: DetailsViewModel, question: Question) -> None:
        super().__init__(details, question)
        self.choices: dict[Said, QRadioButton] = {
            "happened": QRadioButton(translate("Questions", "&Yes, and it came to this value:")),
            "again": QRadioButton(translate("Questions", "&No, do it again")),
            "give up": QRadioButton(translate("Questions", "&Give up: the step fails")),
        }
        group = QButtonGroup(self)
        self.value = QLineEdit()
        hint = translate("Questions", "text, or a value as JSON; nothing where it is empty")
        self.value.setPlaceholderText(hint)
        self.value.setAccessibleName(translate("Questions", "The value that the step came to"))
        self.value.setAccessibleDescription(hint)
        self.value.returnPressed.connect(self._send)
        self.value.textEdited.connect(lambda _text: self.choices["happened"].setChecked(True))
        self.answer = self.button(translate("Questions", "Answer"))
        self.answer.clicked.connect(lambda _checked=False: self._send())
        for said, choice in self.choices.items():
            group.addButton(choice)
            choice.toggled.connect(lambda _checked: self._enable())
            if said == "happened":
                row = QHBoxLayout()
                row.addWidget(choice)
                row.addWidget(self.value, 1)
                self.column.addLayout(row)
            else:
                self.column.addWidget(choice)
        self.column.addWidget(self.message)
        self.column.addWidget(self.answer, 0, Qt.AlignmentFlag.AlignLeft)
        self._enable()

    def focus_first(self) -> None:
        self.choices["happened"].setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def _said(self) -> Said | None:
        return next((said for said, choice in self.choices.items() if choice.isChecked()), None)

    def _enable(self) -> None:
        self.answer.setEnabled(self._said is not None)

    def _send(self) -> None:
        said = self._said
        if said is not None and self.isEnabled():
            self.send(self._details.say(self.question, said, self.value.text()))


def _card(details: DetailsViewModel, question: Question) -> Card:
    made = _card_of_kind(details, question)
    if details.read_only:
        # What is asked can be read as before.
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        fields = [each for each in made.findChildren(QWidget, options=direct) if not isinstance(each, QLabel)]
        close_for_good(fields, details.read_only)
    return made


def _card_of_kind(details: DetailsViewModel, question: Question) -> Card:
    match question.kind:
        case "form":
            return _FormCard(details, question)
        case "yes or no":
            return _YesNoCard(details, question)
        case "interrupted":
            return _InterruptedCard(details, question)
    return _LineCard(details, question)
