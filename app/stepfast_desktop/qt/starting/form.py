"""A form on the screen: each field's title, its editor, and below it what it is for or what is wrong with it.

The line below a field is there whether it says something or not, so that nothing moves when a message comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.message import Message
from stepfast_desktop.qt.starting.editors import (
    CheckEditor,
    ChoiceEditor,
    Editor,
    MomentEditor,
    NumberEditor,
    SecretEditor,
    TextEditor,
)
from stepfast_desktop.qt.starting.files_editor import FilesEditor
from stepfast_desktop.qt.starting.path_editors import LinesEditor, PathEditor
from stepfast_desktop.viewmodels.starting.fields import Field
from stepfast_desktop.viewmodels.starting.form import FormViewModel
from stepfast_desktop.viewmodels.words import translate, without_marks

__all__ = ["FormWidget", "with_mnemonics"]


EDITORS: dict[str, type[Editor]] = {
    "lines": LinesEditor,
    "paths": FilesEditor,
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


def _editor_of(field: Field) -> type[Editor]:
    kind = "paths" if field.kind == "list" and field.of_paths else "lines" if field.lines else field.kind
    return EDITORS.get(kind, TextEditor)


class FormWidget(QScrollArea):
    """Shows a form; scrolls where it is higher than there is room for.

    Below it may stand a second one, folded up behind a button: what few people need. `beside` are the texts
    of the same window whose letters lead elsewhere.
    """

    def __init__(self, beside: Iterable[str] = ()) -> None:
        super().__init__()
        self._taken = "".join(map(_letter, beside))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._form: FormViewModel[Any] | None = None
        self._options: FormViewModel[Any] | None = None
        self._rows: list[_Row] = []
        self._more_rows: list[_Row] = []
        self.unfolded = False
        self.more: QToolButton | None = None
        """The button that unfolds the second form, where there is one."""
        stops: list[Callable[[], None]] = []
        self._stops = stops
        # Not a method, which would need a `self` that is half gone by then.
        self.destroyed.connect(lambda: _call(stops))
        self.verticalScrollBar().rangeChanged.connect(self._make_way)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._went)

    def show_form(self, form: FormViewModel[Any] | None, options: FormViewModel[Any] | None = None) -> bool:
        """Show this form from now on, and the second one below it; returns whether they are others."""
        if form is self._form and form is not None and options is self._options:
            return False
        self.let_go()
        self._form, self._options = form, options
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(self.fontMetrics().height() // 2)
        self._rows, self._more_rows, self.more = [], [], None
        # Tab goes through them in this order by itself (and `setTabOrder` over widgets of several parts, of
        # which some are disabled, made a circle of it).
        if form is not None:
            fields = [each for each in form.fields if not each.rare]
            rare = [each for each in form.fields if each.rare]
            others = options.fields if options is not None else ()
            more = translate("Form", "&More")
            taken = self._taken + _letter(more)
            titles = iter(with_mnemonics(map(_title, [*fields, *rare, *others]), taken=taken))
            self._rows = self._add(form, fields, titles, layout)
            if rare or options is not None:
                self.more = self._more_button(more)
                layout.addWidget(self.more)
                self._more_rows = self._add(form, rare, titles, layout)
                if options is not None:
                    self._more_rows += self._add(options, others, titles, layout)
                self.unfold(False)
                self.unfold_what_is_used()
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

    def _add(
        self, form: FormViewModel[Any], fields: Sequence[Field], titles: Iterator[str], layout: QVBoxLayout
    ) -> list[_Row]:
        rows = [_Row(form, each, next(titles)) for each in fields]
        for row in rows:
            layout.addWidget(row)
        self._stops.append(form.changed.connect(self._refresh))
        return rows

    def _more_button(self, text: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setAccessibleName(translate("Form", "More options"))
        button.setAutoRaise(True)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(lambda: self.unfold(not self.unfolded))
        return button

    def unfold(self, unfolded: bool = True) -> None:
        """Show the second form, or fold it up."""
        if self.more is None:
            return
        self.unfolded = unfolded
        self.more.setArrowType(Qt.ArrowType.DownArrow if unfolded else Qt.ArrowType.RightArrow)
        shown, folded = translate("Form", "Shown below"), translate("Form", "Folded up")
        self.more.setAccessibleDescription(shown if unfolded else folded)
        for row in self._more_rows:
            row.setVisible(unfolded)
        self.updateGeometry()

    def unfold_what_is_used(self) -> None:
        """Show the second form where something in it is other than it begins with."""
        if any(row.editor.field.used for row in self._more_rows):
            self.unfold()

    @property
    def last(self) -> QWidget | None:
        """What Tab comes to last in here."""
        if self._more_rows and self.more is not None:
            return self._more_rows[-1].editor.tab_order()[-1]
        return self._rows[-1].editor.tab_order()[-1] if self._rows else None

    def editor(self, name: str) -> Editor:
        """The editor of the field of that name, of the first form before the second. Raises `KeyError`."""
        return self._row(name).editor

    def message(self, name: str) -> Message:
        """What stands below that field. Raises `KeyError`."""
        return self._row(name).message

    def option(self, name: str) -> Editor:
        """The editor of the field of that name in the second form. Raises `KeyError`."""
        for row in self._more_rows:
            if row.editor.field.name == name:
                return row.editor
        raise KeyError(name)

    def hide_title(self, name: str) -> None:
        """Show no title above a field, where what is above the form says it. Raises `KeyError`."""
        if (title := self._row(name).title) is not None:
            title.hide()

    def _row(self, name: str) -> _Row:
        for row in (*self._rows, *self._more_rows):
            if row.editor.field.name == name:
                return row
        raise KeyError(name)

    def go_to_first(self) -> None:
        """Take a person to the first field that still wants something, else to the first."""
        if self._form is None:
            return
        wrong = self._options.first_wrong if self._options is not None else None
        if wrong is not None and self._form.first_wrong is None:
            self.unfold()
            self.option(wrong).focus.setFocus(Qt.FocusReason.OtherFocusReason)
        elif self._rows:
            name = self._form.first_wrong or self._rows[0].editor.field.name
            if self._form.field(name).rare:
                self.unfold()
            self.editor(name).focus.setFocus(Qt.FocusReason.OtherFocusReason)

    def let_go(self) -> None:
        """Listen to the forms no more."""
        _call(self._stops)
        self._form = self._options = None

    def sizeHint(self) -> QSize:
        page = self.widget()
        if page is None:
            return super().sizeHint()
        width = self.fontMetrics().averageCharWidth() * 80
        layout = page.layout()
        height = layout.totalHeightForWidth(width) if layout is not None else -1
        return QSize(width, height if height >= 0 else page.sizeHint().height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        handled = super().eventFilter(watched, event)
        if event.type() == QEvent.Type.LayoutRequest and watched is self.widget():
            self.updateGeometry()  # a scroll area keeps to itself what its page would like
        return handled

    def _make_way(self, _least: int, most: int) -> None:
        """Keep clear of the scroll bar, where there is one."""
        page = self.widget()
        layout = page.layout() if page is not None else None
        if layout is not None:
            layout.setContentsMargins(0, 0, self.fontMetrics().height() if most else 0, 0)

    def _refresh(self) -> None:
        for row in (*self._rows, *self._more_rows):
            row.refresh()

    def _went(self, left: QWidget | None, reached: QWidget | None) -> None:
        # To another field or button of this window; not to another window, a menu or the list of tasks.
        if self._form is None or left is None or reached is None or reached.window() is not self.window():
            return
        if QApplication.mouseButtons() == Qt.MouseButton.NoButton:
            self._show_row_of(reached)
        if not (self.isAncestorOf(reached) or isinstance(reached, QPushButton)):
            return
        for row in (*self._rows, *self._more_rows):
            if row.isAncestorOf(left) and not row.isAncestorOf(reached):
                row.form.leave(row.editor.field.name)

    def _show_row_of(self, reached: QWidget) -> None:
        """Scroll to the field that the keyboard has come to: by its letter, say. Only by Tab, Qt does so."""
        for row in (*self._rows, *self._more_rows):
            if row.isAncestorOf(reached):
                self.ensureWidgetVisible(row, 0, 0)


class _Row(QWidget):
    """A field: title, editor, message."""

    def __init__(self, form: FormViewModel[Any], field: Field, title: str) -> None:
        super().__init__()
        self.form = form
        self.editor = _editor_of(field)(form, field)
        self.message = Message(line=True)
        self.title: QLabel | None = None
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
            self.title = label = QLabel(title)
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
        error = self.form.error_of(field.name)
        said = error or field.help
        self.message.say(said, wrong=bool(error))
        described = " ".join(each for each in (said, self.editor.aside) if each)
        if self.editor.focus.accessibleDescription() != described:
            self.editor.focus.setAccessibleDescription(described)


def _title(field: Field) -> str:
    if field.optional:
        return translate("Form", "{title} (optional)").format(title=field.title)
    return field.title


def _letter(text: str) -> str:
    """The letter that leads to it by Alt."""
    return text.partition("&")[2][:1]


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
                found.append(f"{without_marks(title[:at])}&{without_marks(title[at:])}")
                break
        else:
            found.append(without_marks(title))
    return found


def _call(stops: list[Callable[[], None]]) -> None:
    while stops:
        stops.pop()()
