"""The editors of a form's fields, one widget a kind; those of paths and of many lines are in `path_editors`.

An editor shows what its field says, and tells the form what a person does at once. `refresh` shows what the
form says then, and touches nothing that shows it already, so that no cursor moves while one types.
"""

from __future__ import annotations

import re
from typing import Any

from PySide6.QtCore import QDate, QDateTime, QLocale, Qt, QTime
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QDateEdit,
    QDateTimeEdit,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QTimeEdit,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.viewmodels.starting.entering import zone_of
from stepfast_desktop.viewmodels.starting.fields import Field
from stepfast_desktop.viewmodels.starting.form import FormViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = [
    "CheckEditor",
    "ChoiceEditor",
    "Editor",
    "MomentEditor",
    "NumberEditor",
    "SecretEditor",
    "TextEditor",
    "placeholder",
]


class Editor(QWidget):
    """Shows one field; `focus` is what a person types into, or clicks."""

    def __init__(self, form: FormViewModel[Any], field: Field) -> None:
        super().__init__()
        self.form = form
        self.field = field
        self.focus: QWidget = self
        self.aside = ""
        """What stands beside the editor, for those who do not see it."""

    def refresh(self) -> None:
        """Show what the field says."""
        raise NotImplementedError

    def tab_order(self) -> list[QWidget]:
        """What Tab goes through, in order."""
        return [self.focus]

    def fill(self, *widgets: QWidget, column: bool = False) -> QBoxLayout:
        layout: QBoxLayout = QVBoxLayout(self) if column else QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for each in widgets:
            layout.addWidget(each)
        self.focus = widgets[0]
        self.setFocusProxy(self.focus)
        return layout

    def write(self, text: str) -> None:
        self.form.set(self.field.name, text)


def placeholder(field: Field) -> str:
    """What stands in an empty field."""
    return translate("Form", "such as {example}").format(example=field.example) if field.example else ""


# --- one line -------------------------------------------------------------------------------------


class TextEditor(Editor):
    """A line of text."""

    def __init__(self, form: FormViewModel[Any], field: Field) -> None:
        super().__init__(form, field)
        self.line = self.make_line()
        self.line.setPlaceholderText(placeholder(field))
        self.line.textEdited.connect(self.write)
        self.fill(self.line)
        self.refresh()

    def make_line(self) -> QLineEdit:
        return QLineEdit()

    def refresh(self) -> None:
        if self.line.text() != self.field.text:
            self.line.setText(self.field.text)


class SecretEditor(TextEditor):
    """A line that shows dots in the place of what is typed, and does not give it to the clipboard."""

    def make_line(self) -> QLineEdit:
        line = QLineEdit()
        line.setEchoMode(QLineEdit.EchoMode.Password)
        line.setInputMethodHints(
            Qt.InputMethodHint.ImhHiddenText
            | Qt.InputMethodHint.ImhSensitiveData
            | Qt.InputMethodHint.ImhNoPredictiveText
            | Qt.InputMethodHint.ImhNoAutoUppercase
        )
        return line


class _Numbers(QAbstractSpinBox):
    """Arrows beside a line of text, for numbers of any size: what they are is the field's to say."""

    def __init__(self, form: FormViewModel[Any], field: Field) -> None:
        super().__init__()
        self._form = form
        self._name = field.name
        # With the wheel it would change while one scrolls past it.
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def stepBy(self, steps: int) -> None:
        self._form.step(self._name, steps)
        self.selectAll()

    def stepEnabled(self) -> QAbstractSpinBox.StepEnabledFlag:
        return (
            QAbstractSpinBox.StepEnabledFlag.StepUpEnabled | QAbstractSpinBox.StepEnabledFlag.StepDownEnabled
        )

    def wheelEvent(self, event: QWheelEvent) -> None:
        _wheel(self, event, super().wheelEvent)


class NumberEditor(Editor):
    """A number, with arrows."""

    def __init__(self, form: FormViewModel[Any], field: Field) -> None:
        super().__init__(form, field)
        box = _Numbers(form, field)
        box.setFixedWidth(box.fontMetrics().averageCharWidth() * 24)
        self.line = box.lineEdit()
        self.line.setAccessibleName(field.title)
        self.line.textEdited.connect(self.write)
        self.unit = QLabel(field.unit)
        self.unit.setTextFormat(Qt.TextFormat.PlainText)
        self.unit.setVisible(bool(field.unit))
        self.aside = field.unit
        self.fill(box, self.unit).addStretch(1)
        self.refresh()

    def refresh(self) -> None:
        if self.line.text() != self.field.text:
            self.line.setText(self.field.text)


# --- chosen, not typed ----------------------------------------------------------------------------


class CheckEditor(Editor):
    """Yes or no; the title stands in the box's own text (see `form`)."""

    def __init__(self, form: FormViewModel[Any], field: Field) -> None:
        super().__init__(form, field)
        self.box = QCheckBox()
        self.box.clicked.connect(lambda checked: self.write("yes" if checked else "no"))
        self.fill(self.box).addStretch(1)
        self.refresh()

    def refresh(self) -> None:
        self.box.setChecked(self.field.value is True)


class _Choices(QComboBox):
    def wheelEvent(self, event: QWheelEvent) -> None:
        _wheel(self, event, super().wheelEvent)


class ChoiceEditor(Editor):
    """One of several."""

    def __init__(self, form: FormViewModel[Any], field: Field) -> None:
        super().__init__(form, field)
        self.box = _Choices()
        self.box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.box.setPlaceholderText(translate("Form", "Choose ..."))
        if field.optional:
            self.box.addItem(translate("Form", "Nothing"), "")
        for choice, label in zip(field.choices, field.labels, strict=True):
            self.box.addItem(label, choice)
        self.box.activated.connect(lambda index: self.write(self.box.itemData(index)))
        self.fill(self.box).addStretch(1)
        self.refresh()

    def refresh(self) -> None:
        index = self.box.findData(self.field.text)
        if index != self.box.currentIndex():
            self.box.setCurrentIndex(index)


class MomentEditor(Editor):
    """A day, a time of day, or both; with a box to tick where it may be left open."""

    def __init__(self, form: FormViewModel[Any], field: Field) -> None:
        super().__init__(form, field)
        locale = self.locale()
        short = QLocale.FormatType.ShortFormat
        match field.kind:
            case "date":
                self.edit: QDateTimeEdit = _Days()
                shown = locale.dateFormat(short)
            case "time":
                self.edit = _Times()
                shown = locale.timeFormat(short)
            case _:
                self.edit = _Moments()
                shown = locale.dateTimeFormat(short)
        # A year of two digits is a guess at the century.
        self.edit.setDisplayFormat(re.sub(r"(?<!y)yy(?!y)", "yyyy", shown))
        self.edit.setCalendarPopup(field.kind != "time")
        self.edit.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.edit.setAccessibleName(field.title)
        self.box: QCheckBox | None = None
        self.zone = QLabel()
        self.zone.setTextFormat(Qt.TextFormat.PlainText)
        self.zone.setVisible(field.kind == "datetime")
        if field.optional:
            self.box = QCheckBox()
            self.box.clicked.connect(self._tell)
            self.fill(self.box, self.edit, self.zone).addStretch(1)
        else:
            self.fill(self.edit, self.zone).addStretch(1)
        self._show_text()
        self.refresh()
        self.edit.dateTimeChanged.connect(self._tell)

    def tab_order(self) -> list[QWidget]:
        return [self.edit] if self.box is None else [self.box, self.edit]

    def refresh(self) -> None:
        if self.box is not None:
            self.box.setChecked(bool(self.field.text))
            self.edit.setEnabled(bool(self.field.text))
        # Of the moment that is chosen: summer time has another than winter time.
        self.aside = zone_of(self.field.value)
        self.zone.setText(self.aside)
        if self.field.text and self.field.text != self._text():
            self.edit.blockSignals(True)
            self._show_text()
            self.edit.blockSignals(False)

    def _tell(self, *_: object) -> None:
        given = self.box is None or self.box.isChecked()
        self.write(self._text() if given else "")

    def _text(self) -> str:
        match self.field.kind:
            case "date":
                return self.edit.date().toString(Qt.DateFormat.ISODate)
            case "time":
                return self.edit.time().toString("HH:mm:ss")
        return self.edit.dateTime().toString("yyyy-MM-ddTHH:mm:ss")

    def _show_text(self) -> None:
        text = self.field.text
        match self.field.kind:
            case "date":
                self.edit.setDate(
                    QDate.fromString(text, Qt.DateFormat.ISODate) if text else QDate.currentDate()
                )
            case "time":
                self.edit.setTime(QTime.fromString(text, Qt.DateFormat.ISODate) if text else QTime(12, 0))
            case _:
                given = QDateTime.fromString(text, Qt.DateFormat.ISODate) if text else _next_hour()
                self.edit.setDateTime(given)


def _next_hour() -> QDateTime:
    """What one begins from: a moment that is still to come, since this minute has begun already."""
    now = QDateTime.currentDateTime()
    return now.addMSecs(3_600_000 - now.time().msecsSinceStartOfDay() % 3_600_000)


class _Days(QDateEdit):
    def wheelEvent(self, event: QWheelEvent) -> None:
        _wheel(self, event, super().wheelEvent)


class _Times(QTimeEdit):
    def wheelEvent(self, event: QWheelEvent) -> None:
        _wheel(self, event, super().wheelEvent)


class _Moments(QDateTimeEdit):
    def wheelEvent(self, event: QWheelEvent) -> None:
        _wheel(self, event, super().wheelEvent)


def _wheel(widget: QWidget, event: QWheelEvent, otherwise: Any) -> None:
    """Leave the wheel to what scrolls, unless the widget is the one that a person is in."""
    if widget.hasFocus():
        otherwise(event)
    else:
        event.ignore()
