"""What is cut off in a window, and what it says that no translator has seen."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QCalendarWidget,
    QComboBox,
    QGroupBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListView,
    QMainWindow,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QScrollBar,
    QSizePolicy,
    QTabBar,
    QTextEdit,
    QToolBar,
    QWidget,
)

__all__ = ["clipped", "pseudo", "too_large", "untranslated"]

LARGEST = (1280, 800)
"""The screen that every window must fit, in pixels at 100 %."""

COMPOUND = (QComboBox, QTabBar, QMenuBar, QCalendarWidget, QLineEdit)
"""Widgets whose parts are Qt's."""

_ACCENTS = str.maketrans("aeiouycnAEIOUCN", "àéîôüýçñÀÉÎÔÜÇÑ")
# What a translation keeps: places for values, a mnemonic, marks of HTML.
_KEPT = re.compile(r"(\{[^}]*\}|%n|&&|&\w|<[^>]*>|\\\w)")


def pseudo(_context: str, text: str, _disambiguation: str | None = None, n: int = -1) -> str:
    """A text in a language that is 40 % longer than English and has all its letters accented, in brackets."""
    if not re.search(r"[^\W_]", text):
        return text  # marks alone
    body = text.rstrip(" .:\n")
    after = text[len(body) :]
    parts = [
        part if at % 2 else part.translate(_ACCENTS) for at, part in enumerate(_KEPT.split(body or text))
    ]
    more = "~" * round(len(_KEPT.sub("", body)) * 0.4)
    said = f"[{''.join(parts)}{more}]" if body else text
    if n >= 0:
        said = said.replace("%n", str(n))
    return said + after if body else said


# --- what is cut off ----------------------------------------------------------------------------------


def clipped(window: QWidget) -> list[str]:
    """What there is less room for than it asks for."""
    found = []
    for each in seen(window):
        match each:
            case QLabel() if (
                each.text() and each.sizePolicy().horizontalPolicy() is QSizePolicy.Policy.Ignored
            ):
                pass  # cut off on purpose, with its text as its tip
            case QLabel() if each.text() and each.wordWrap():
                if (high := each.heightForWidth(each.width())) > each.height() + 1:
                    found.append(f"{what(each)} is {each.height()} high and needs {high}")
            case QLabel() | QComboBox() | QAbstractButton() if text_of(each):
                if (wide := each.sizeHint().width()) > each.width() + 1:
                    found.append(f"{what(each)} is {each.width()} wide and needs {wide}")
            case QGroupBox():
                if (wide := each.minimumSizeHint().width()) > each.width() + 1:
                    found.append(f"{what(each)} is {each.width()} wide and needs {wide}")
            case QTabBar():
                if each.sizeHint().width() > each.width() + 1:
                    found.append(f"the tabs {tab_texts(each)} are {each.width()} wide")
            case QHeaderView() if each.orientation() is Qt.Orientation.Horizontal:
                for section in range(each.count()):
                    wide = each.sectionSizeHint(section)
                    if not each.isSectionHidden(section) and wide > each.sectionSize(section) + 1:
                        title = each.model().headerData(section, each.orientation())
                        found.append(
                            f"the header {title!r} is {each.sectionSize(section)} wide, needs {wide}"
                        )
    return found


def too_large(window: QWidget) -> list[str]:
    """Whether a window asks for more than the smallest screen it is made for."""
    least = window.minimumSizeHint().expandedTo(window.minimumSize())
    width, height = max(least.width(), window.width()), max(least.height(), window.height())
    if width <= LARGEST[0] and height <= LARGEST[1]:
        return []
    return [f"{window.windowTitle()!r} is {width} x {height} and cannot be less than {least.toTuple()}"]


# --- what is said -------------------------------------------------------------------------------------


def untranslated(window: QWidget, known: re.Pattern[str]) -> list[str]:
    """What is said without the brackets of `pseudo`, and is none of what is `known` to be no text of ours."""
    found = []
    for where, text in texts(window):
        for line in text.split("\n"):
            bare = re.sub(r"<[^>]*>", " ", line)
            while (less := re.sub(r"\[[^][]*\]", "", bare)) != bare:
                bare = less
            if re.search(r"[^\W\d_]", bare) and not known.fullmatch(bare.strip()):
                found.append(f"{where} says {line!r}")
    return [*dict.fromkeys(found)]


def texts(window: QWidget) -> Iterator[tuple[str, str]]:
    yield "the title", window.windowTitle()
    for each in seen(window):
        kind = type(each).__name__
        if isinstance(each, QTabBar):
            yield from ((kind, text) for text in tab_texts(each))
        elif isinstance(each, QComboBox):
            yield from ((kind, each.itemText(place)) for place in range(each.count()))
        elif isinstance(each, QHeaderView) and each.orientation() is Qt.Orientation.Horizontal:
            for section in range(each.count()):
                yield kind, header_text(each, section)
        elif isinstance(each, QLineEdit):
            yield kind, each.placeholderText()
        else:
            yield kind, text_of(each)
        if isinstance(each, QAbstractItemView) and not isinstance(each, QHeaderView):
            yield from ((what(each), text) for text in cells(each))
        yield f"the tip of {what(each)}", each.toolTip()
        yield f"the name of {what(each)}", each.accessibleName()
    if isinstance(window, QMainWindow):
        for action in window.menuBar().actions():
            yield from texts_of_menu(action)


def cells(view: QAbstractItemView) -> Iterator[str]:
    """The texts of a list, of the first rows on top."""
    model = view.model()
    columns = range(1 if isinstance(view, QListView) else model.columnCount())
    for row in range(min(model.rowCount(), 30)):
        yield from (str(model.index(row, column).data() or "") for column in columns)


def texts_of_menu(action: QAction) -> Iterator[tuple[str, str]]:
    yield "a menu", action.text()
    menu = action.menu()
    for each in menu.actions() if isinstance(menu, QMenu) else []:
        yield from texts_of_menu(each)


# --- widgets ------------------------------------------------------------------------------------------


def seen(window: QWidget) -> Iterator[QWidget]:
    """The widgets of a window that are on the screen, without the parts that Qt makes for its own."""
    for each in window.findChildren(QWidget):
        if not each.isVisible() or each.window() is not window:
            continue
        parents = [*ancestors(each, window)]
        own = isinstance(each, QLabel | QLineEdit) or not any(
            isinstance(parent, QComboBox | QTabBar | QMenuBar | QCalendarWidget | QLineEdit)
            for parent in parents
        )
        if own and not isinstance(each, QScrollBar | QMenu | QMenuBar | QToolBar):
            yield each


def ancestors(widget: QWidget, window: QWidget) -> Iterator[QWidget]:
    parent = widget.parentWidget()
    while parent is not None and parent is not window:
        yield parent
        parent = parent.parentWidget()


def text_of(widget: QWidget) -> str:
    match widget:
        case QGroupBox():
            return widget.title()
        case QComboBox():
            return widget.currentText()
        case QLabel() | QAbstractButton():
            return widget.text()
        case QTextEdit() | QPlainTextEdit() if widget.isReadOnly():
            return widget.toPlainText()
    return ""


def header_text(header: QHeaderView, section: int) -> str:
    return str(header.model().headerData(section, header.orientation()) or "")


def cut_on_purpose(label: QLabel) -> bool:
    """One that takes the room that is left, whatever it says."""
    return label.sizePolicy().horizontalPolicy() is QSizePolicy.Policy.Ignored


def tab_texts(bar: QTabBar) -> list[str]:
    return [bar.tabText(place) for place in range(bar.count())]


def what(widget: QWidget) -> str:
    said = text_of(widget) or widget.accessibleName() or widget.objectName()
    kind = "list" if isinstance(widget, QAbstractItemView) else type(widget).__name__
    return f"{kind} {said!r}"
