"""The fields for the answers that a workflow waits for, until it has a form of its own for them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QLineEdit, QPushButton, QWidget

from stepfast_desktop.qt.details_text import tint
from stepfast_desktop.qt.palette import tone_colours
from stepfast_desktop.qt.slots import start
from stepfast_desktop.viewmodels.details_page import Asked
from stepfast_desktop.viewmodels.words import translate

__all__ = ["AnswerFields"]

Answer = Callable[[str, str], Coroutine[Any, Any, bool]]


class AnswerFields(QWidget):
    """A line for each answer: what is asked, the field, the button, and below why it was not taken."""

    def __init__(self, answer: Answer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._answer = answer
        self._asked: Sequence[Asked] = ()
        self._errors: dict[str, QLabel] = {}
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(10, 10, 10, 10)
        self._layout.setColumnStretch(1, 1)
        # A field of the page's own colour would have no edges in the dark.
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Window)
        self.setVisible(False)

    def show_asked(self, asked: Sequence[Asked]) -> None:
        """Ask these; a field whose question stands keeps what was typed in it."""
        if asked == self._asked:
            return
        self._asked = asked
        self._errors.clear()
        while (item := self._layout.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for place, each in enumerate(asked):
            self._add(2 * place, each)
        self.setVisible(bool(asked))

    def show_errors(self, errors: dict[str, str]) -> None:
        """Say below each field why what was typed there was not taken."""
        self._tint()
        for name, label in self._errors.items():
            label.setText(errors.get(name, ""))
            label.setVisible(name in errors)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_errors"):
            self._tint()

    def _tint(self) -> None:
        for label in self._errors.values():
            tint(label, tone_colours("bad", self.palette()).text)

    def _add(self, row: int, asked: Asked) -> None:
        label = QLabel(translate("Details", "Answer “{name}”").format(name=asked.label))
        label.setTextFormat(Qt.TextFormat.PlainText)
        field, text = self._field(asked)
        field.setAccessibleName(label.text())
        field.setAccessibleDescription(asked.hint)
        label.setBuddy(field)
        button = QPushButton(translate("Details", "Answer"))
        button.setAccessibleName(label.text())
        error = QLabel()
        error.setTextFormat(Qt.TextFormat.PlainText)
        error.setWordWrap(True)
        error.setVisible(False)
        send = partial(self._send, asked.name, text, button)
        button.clicked.connect(lambda _checked=False: send())
        if isinstance(field, QLineEdit):
            field.returnPressed.connect(send)
        self._layout.addWidget(label, row, 0)
        self._layout.addWidget(field, row, 1)
        self._layout.addWidget(button, row, 2)
        self._layout.addWidget(error, row + 1, 1, 1, 2)
        self._errors[asked.name] = error

    def _field(self, asked: Asked) -> tuple[QComboBox | QLineEdit, Callable[[], str]]:
        if asked.choices:
            box = QComboBox()
            box.addItems([*asked.choices])
            box.setCurrentIndex(-1)
            box.setPlaceholderText(translate("Details", "Choose ..."))
            return box, box.currentText
        line = QLineEdit()
        line.setPlaceholderText(asked.hint)
        return line, line.text

    def _send(self, name: str, text: Callable[[], str], button: QPushButton) -> None:
        if button.isEnabled():
            start(self._answer(name, text()), disabling=button)
