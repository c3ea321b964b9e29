"""A form on the screen: each field's title, its editor, and below it what it is for or what is wrong with it.

The line below a field is there whether it says something or not, so that nothing moves when a message comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.editors import (
    CheckEditor,
    ChoiceEditor,
    Editor,
    MomentEditor,
    NumberEditor,
    SecretEditor,
    TextEditor,
)
from stepfast_desktop.qt.palette import quiet, tone_colours
from stepfast_desktop.qt.path_editors import LinesEditor, PathEditor
from stepfast_desktop.viewmodels.fields import Field
from stepfast_desktop.viewmodels.form import FormViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["FormWidget", "Message", "with_mnemonics"]


EDITORS: dict[str, type[Editor]] = {
    "bool": CheckEditor,
    "int": NumberEditor,
    "float": NumberEditor,
    "decimal": NumberEditor,
    "choice": ChoiceEditor,
    "date": MomentEditor,
    "datetime": MomentEditor,
    "time": MomentEditor,
    "path": PathEditor,
    "list": LinesEditor,
    "json": LinesEditor,
    "secret": SecretEditor,
}
"""By the kind of field; what has none here is a line of text."""


class Message(QLabel):
    """A line of plain text: what there is to say, in a quiet colour; or what is wrong, in that for it."""

    _wrong = False  # of the class too: Qt sends events from within __init__

    def __init__(self, *, line: bool = False) -> None:
        """With `line`, it is as high as a line of text even where it says nothing."""
        super().__init__()
        # Titles and reasons come from elsewhere; none of it is to be taken for HTML.
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        # Inside of a button it would take the button's colour for its text.
        self.setForegroundRole(QPalette.ColorRole.WindowText)
        if line:
            self.setMinimumHeight(self.fontMetrics().lineSpacing())
        self._colour()

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Show this text."""
        if text != self.text():
            self.setText(text)
        if wrong != self._wrong:
            self._wrong = wrong
            self._colour()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.ApplicationPaletteChange):
            self._colour()

    def _colour(self) -> None:
        around = QApplication.palette()
        colour = tone_colours("bad", around).text if self._wrong else quiet(around)
        # Only where it differs: setting it brings the next event.
        if self.palette().color(QPalette.ColorRole.WindowText) != colour:
            palette = QPalette()
            palette.setColor(QPalette.ColorRole.WindowText, colour)
            self.setPalette(palette)


class FormWidget(QScrollArea):
    """Shows a form; scrolls where it is higher than there is room for."""

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._form: FormViewModel[Any] | None = None
        self._rows: list[_Row] = []
        stops: list[Callable[[], None]] = []
        self._stops = stops
        # Not a method, which would need a `self` that is half gone by then.
        self.destroyed.connect(lambda: _call(stops))
        self.verticalScrollBar().rangeChanged.connect(self._make_way)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._went)

    def show_form(self, form: FormViewModel[Any] | None) -> bool:
        """Show this form from now on; returns whether it is another one."""
        if form is self._form and form is not None:
            return False
        self.let_go()
        self._form = form
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(self.fontMetrics().height() // 2)
        self._rows = []
        if form is not None:
            texts = with_mnemonics(_title(each) for each in form.fields)
            self._rows = [_Row(form, each, text) for each, text in zip(form.fields, texts, strict=True)]
            self._stops.append(form.changed.connect(self._refresh))
        # Tab goes through them in this order by itself (and `setTabOrder` over widgets of several parts, of
        # which some are disabled, made a circle of it).
        for row in self._rows:
            layout.addWidget(row)
        layout.addStretch(1)
        # Later, since a key that is pressed in the old one may be on its way still.
        if (old := self.takeWidget()) is not None:
            old.hide()
            old.deleteLater()
        self.setWidget(page)
        page.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)
        self.updateGeometry()
        return True

    @property
    def last(self) -> QWidget | None:
        """What Tab comes to last in here."""
        return self._rows[-1].editor.tab_order()[-1] if self._rows else None

    def editor(self, name: str) -> Editor:
        """The editor of the field of that name. Raises `KeyError`."""
        for row in self._rows:
            if row.editor.field.name == name:
                return row.editor
        raise KeyError(name)

    def message(self, name: str) -> Message:
        """What stands below that field. Raises `KeyError`."""
        for row in self._rows:
            if row.editor.field.name == name:
                return row.message
        raise KeyError(name)

    def go_to_first(self) -> None:
        """Take a person to the first field that still wants something, else to the first."""
        if self._form is None or not self._rows:
            return
        name = self._form.first_wrong or self._rows[0].editor.field.name
        self.editor(name).focus.setFocus(Qt.FocusReason.OtherFocusReason)

    def let_go(self) -> None:
        """Listen to the form no more."""
        _call(self._stops)
        self._form = None

    def sizeHint(self) -> QSize:
        page = self.widget()
        if page is None:
            return super().sizeHint()
        width = self.fontMetrics().averageCharWidth() * 80
        layout = page.layout()
        height = layout.totalHeightForWidth(width) if layout is not None else -1
        return QSize(width, height if height >= 0 else page.sizeHint().height())

    def _make_way(self, _least: int, most: int) -> None:
        """Keep clear of the scroll bar, where there is one."""
        page = self.widget()
        layout = page.layout() if page is not None else None
        if layout is not None:
            layout.setContentsMargins(0, 0, self.fontMetrics().height() if most else 0, 0)

    def _refresh(self) -> None:
        for row in self._rows:
            row.refresh()

    def _went(self, left: QWidget | None, reached: QWidget | None) -> None:
        # To another field or button of this window; not to another window, a menu or the list of tasks.
        if self._form is None or left is None or reached is None or reached.window() is not self.window():
            return
        if not (self.isAncestorOf(reached) or isinstance(reached, QPushButton)):
            return
        for row in self._rows:
            if row.isAncestorOf(left) and not row.isAncestorOf(reached):
                self._form.leave(row.editor.field.name)


class _Row(QWidget):
    """A field: title, editor, message."""

    def __init__(self, form: FormViewModel[Any], field: Field, title: str) -> None:
        super().__init__()
        self.editor = EDITORS.get(field.kind, TextEditor)(form, field)
        self.message = Message(line=True)
        layout = QVBoxLayout(self)
        unit = self.fontMetrics().height()
        # Where there is help, the line below is not the gap.
        layout.setContentsMargins(0, 0, 0, unit // 2 if field.help else 0)
        layout.setSpacing(unit // 3)
        if isinstance(self.editor, CheckEditor):
            self.editor.box.setText(title)
            style = self.style()
            metric = QStyle.PixelMetric
            indent = style.pixelMetric(metric.PM_IndicatorWidth) + style.pixelMetric(
                metric.PM_CheckBoxLabelSpacing
            )
            self.message.setContentsMargins(indent, 0, 0, 0)
        else:
            label = QLabel(title)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setBuddy(self.editor.focus)
            layout.addWidget(label)
        self.editor.focus.setAccessibleName(_title(field))
        layout.addWidget(self.editor)
        layout.addWidget(self.message)
        self.refresh()

    def refresh(self) -> None:
        field = self.editor.field
        self.editor.refresh()
        said = field.error or field.help
        self.message.say(said, wrong=bool(field.error))
        if self.editor.focus.accessibleDescription() != said:
            self.editor.focus.setAccessibleDescription(said)


def _title(field: Field) -> str:
    if field.optional:
        return translate("Form", "{title} (optional)").format(title=field.title)
    return field.title


def with_mnemonics(titles: Iterable[str], taken: str = "") -> list[str]:
    """The titles, each with an & before the letter that leads to it by Alt, as far as letters are left."""
    used = set(taken.lower())
    found = []
    for title in titles:
        # The beginnings of words first: they are what one tries.
        starts = [at for at in range(len(title)) if at == 0 or title[at - 1] == " "]
        for at in [*starts, *range(len(title))]:
            letter = title[at].lower()
            if letter.isascii() and letter.isalnum() and letter not in used:
                used.add(letter)
                found.append(f"{_plain(title[:at])}&{_plain(title[at:])}")
                break
        else:
            found.append(_plain(title))
    return found


def _plain(text: str) -> str:
    return text.replace("&", "&&")


def _call(stops: list[Callable[[], None]]) -> None:
    while stops:
        stops.pop()()
