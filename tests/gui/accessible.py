"""What is wrong with a window for somebody who has no mouse, or does not see it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QCalendarWidget,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMainWindow,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QRadioButton,
    QScrollBar,
    QTabBar,
    QTableView,
    QTabWidget,
    QTextEdit,
    QToolBar,
    QTreeView,
    QWidget,
)

__all__ = ["bad_cells", "bad_labels", "bad_letters", "bad_names", "bad_shortcuts", "bad_toolbars", "left_out"]

Role = QAccessible.Role
MOST_STOPS = 200
MOST_PARTS = 8
"""Stops within one widget: the parts of a date, the links of a text."""

# What a reader calls each kind of widget; the first kind that fits counts.
ROLES: tuple[tuple[type[QWidget], set[Role]], ...] = (
    (QCheckBox, {Role.CheckBox}),
    (QRadioButton, {Role.RadioButton}),
    # A button that opens a menu has a name of its own, and so has one that stays down.
    (QAbstractButton, {Role.Button, Role.ButtonMenu, Role.ButtonDropDown, Role.CheckBox}),
    (QLineEdit, {Role.EditableText}),
    (QComboBox, {Role.ComboBox}),
    (QAbstractSpinBox, {Role.SpinBox}),
    (QTreeView, {Role.Tree}),
    (QTableView, {Role.Table}),
    (QAbstractItemView, {Role.List, Role.Table, Role.Tree}),
    # One that is only read has another name.
    (QTextEdit, {Role.EditableText, Role.Document, Role.StaticText}),
    (QPlainTextEdit, {Role.EditableText}),
    (QAbstractSlider, {Role.Slider}),
    (QTabBar, {Role.PageTabList}),
)
INTERACTIVE = tuple(kind for kind, _ in ROLES)
COMPOUND = (QAbstractSpinBox, QComboBox, QCalendarWidget, QLineEdit, QMenuBar, QTabBar, QHeaderView, QToolBar)
"""Widgets whose parts are reached through them."""


def what(widget: QWidget) -> str:
    """A widget, for whoever reads what a test says."""
    text = getattr(widget, "text", None)
    said = widget.accessibleName() or (text() if callable(text) else "") or widget.objectName()
    return f"{type(widget).__name__} {said!r}"


def inside(window: QWidget) -> Iterator[QWidget]:
    """The widgets of a window that can be seen, without those of other windows and the parts of compounds."""
    for each in window.findChildren(QWidget):
        if not each.isVisible() or each.window() is not window:
            continue
        parent = each.parentWidget()
        parts = False
        while parent is not None and parent is not window:
            # A widget that somebody put into a toolbar is no part of it, but what it made itself is.
            own = not isinstance(parent, QToolBar) or isinstance(each, QAbstractButton)
            parts = parts or (isinstance(parent, COMPOUND) and own)
            parent = parent.parentWidget()
        if not parts and not isinstance(each, QScrollBar | QHeaderView | QMenuBar):
            yield each


def stops(window: QWidget) -> list[QWidget]:
    """What a person can do something with, and so must be able to come to."""
    found = []
    for each in inside(window):
        if not each.isEnabled() or (isinstance(each, QTextEdit | QPlainTextEdit) and only_shown(each)):
            continue
        if isinstance(each, INTERACTIVE) or each.focusPolicy() & Qt.FocusPolicy.TabFocus:
            found.append(each)
    return found


def only_shown(field: QTextEdit | QPlainTextEdit) -> bool:
    """A text that is neither edited nor selected by the keyboard."""
    return not field.textInteractionFlags() & (
        Qt.TextInteractionFlag.TextEditable | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )


# --- names and roles ------------------------------------------------------------------------------


def bad_names(window: QWidget) -> list[str]:
    """What has no name, or is called another thing than it is."""
    found = []
    for each in inside(window):
        interactive = isinstance(each, INTERACTIVE)
        if not interactive and (each.focusPolicy() == Qt.FocusPolicy.NoFocus or plain_area(each)):
            continue
        interface = QAccessible.queryAccessibleInterface(each)
        if interface is None:
            found.append(f"{what(each)} is nothing for a reader")
            continue
        if not interface.text(QAccessible.Text.Name).strip():
            found.append(f"{what(each)} has no name")
        right = next((roles for kind, roles in ROLES if isinstance(each, kind)), None)
        if right is not None and interface.role() not in right:
            found.append(f"{what(each)} is called {interface.role().name}")
    return found


def plain_area(widget: QWidget) -> bool:
    """A scroll area or a tab widget as such: what lies in it has a name."""
    area = isinstance(widget, QAbstractScrollArea) and not isinstance(widget, INTERACTIVE)
    return area or isinstance(widget, QTabWidget)


def bad_labels(window: QWidget) -> list[str]:
    """Labels that lead nowhere: a mnemonic without a buddy that takes the keyboard, a row of a form whose
    field is not its buddy.
    """
    found = []
    for label in window.findChildren(QLabel):
        marked = "&" in label.text().replace("&&", "") and label.textFormat() is Qt.TextFormat.AutoText
        if label.isVisible() and marked and label.buddy() is None:
            found.append(f"{what(label)} has a mnemonic and no buddy")
        elif label.isVisible() and marked and label.buddy().focusPolicy() == Qt.FocusPolicy.NoFocus:
            found.append(f"{what(label)} has a mnemonic that leads to what takes no keyboard")
    for form in window.findChildren(QFormLayout):
        for row in range(form.rowCount()):
            item, field = (
                form.itemAt(row, QFormLayout.ItemRole.LabelRole),
                form.itemAt(row, QFormLayout.ItemRole.FieldRole),
            )
            label = item.widget() if item is not None else None
            editors = [each for each in fields_of(field.widget() if field else None) if each.isVisible()]
            if not isinstance(label, QLabel) or not label.isVisible() or not editors:
                continue
            if last_proxy(label.buddy()) not in editors:
                found.append(f"{what(label)} is no buddy of {what(editors[0])}")
    return found


def last_proxy(widget: QWidget | None) -> QWidget | None:
    """Where the focus comes that a widget is given."""
    while widget is not None and widget.focusProxy() is not None:
        widget = widget.focusProxy()
    return widget


def fields_of(widget: QWidget | None) -> list[QWidget]:
    if widget is None:
        return []
    return [
        each
        for each in (widget, *widget.findChildren(QWidget))
        if isinstance(each, INTERACTIVE) or each.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]


def bad_cells(table: QTableView, titles: Iterable[str]) -> list[str]:
    """Cells that do not say what they are of: "State: Running"."""
    interface = QAccessible.queryAccessibleInterface(table)
    cells = [interface.child(place) for place in range(interface.childCount())]
    names = [each.text(QAccessible.Text.Name) for each in cells if each.role() is Role.Cell]
    known = tuple(f"{title}: " for title in titles)
    found = [f"a cell says {name!r}" for name in names if name and not name.startswith(known)]
    return found or ([] if any(names) else ["no cell says anything"])


# --- the keyboard ---------------------------------------------------------------------------------


def left_out(window: QWidget, *, back: bool = False) -> list[str]:
    """What neither Tab nor, `back`, Shift+Tab comes to, and where they come no further."""
    wanted = stops(window)
    if not wanted:
        return []
    came = walk(window, back=back)
    found = []
    if came and came[-1] is None:
        found.append("the focus left the window")
    reached = {each for each in came if each is not None}
    if len(reached) == 1 and len(wanted) > 1:
        found.append(f"{what(next(iter(reached)))} lets nobody go")
    for each in wanted:
        others = [each]
        if isinstance(each, QRadioButton):  # one of a group; the arrows lead to the others
            others = [*each.parentWidget().findChildren(QRadioButton)]
        if not any(covered(one, reached) for one in others):
            found.append(f"{what(each)} is left out")
    return found


def covered(widget: QWidget, reached: set[QWidget]) -> bool:
    proxy = last_proxy(widget)
    if isinstance(widget, QTabWidget):
        proxy = widget.tabBar()
    if isinstance(widget, QAbstractScrollArea) and widget.viewport() in reached:
        return True
    return proxy in reached or (isinstance(widget, COMPOUND) and any(widget.isAncestorOf(e) for e in reached))


def walk(window: QWidget, *, back: bool) -> list[QWidget | None]:
    """Where the focus comes by Tab until it has been everywhere that it comes to."""
    key = Qt.Key.Key_Backtab if back else Qt.Key.Key_Tab
    modifiers = Qt.KeyboardModifier.ShiftModifier if back else Qt.KeyboardModifier.NoModifier
    came: list[QWidget | None] = []
    if window.focusWidget() is None:
        stops(window)[0].setFocus(Qt.FocusReason.TabFocusReason)
    stayed = 0
    for _ in range(MOST_STOPS):
        now = QApplication.focusWidget()
        if now is None or now.window() is not window:
            return [*came, None]
        stayed = stayed + 1 if came and now is came[-1] else 0
        if now in came and (stayed == 0 or stayed > MOST_PARTS):
            return came
        if not stayed:
            came.append(now)
        QTest.keyClick(now, key, modifiers)
    return came


def bad_toolbars(window: QMainWindow) -> list[str]:
    """What a toolbar has and no menu: its buttons take no focus."""
    in_menus = {action for menu in window.menuBar().actions() for action in actions_below(menu.menu())}
    found = []
    for bar in window.findChildren(QToolBar):
        for action in bar.actions():
            widget = bar.widgetForAction(action)
            if action.isSeparator() or not isinstance(widget, QAbstractButton):
                continue
            reachable = action in in_menus or widget.focusPolicy() & Qt.FocusPolicy.TabFocus
            if not reachable:
                found.append(f"{action.text()!r} is in the toolbar and in no menu")
            if not action.text() or not action.toolTip():
                found.append("a button of the toolbar says nothing")
    return found


def actions_below(menu: QMenu | None) -> Iterator[QAction]:
    for action in menu.actions() if menu is not None else []:
        yield action
        yield from actions_below(action.menu())


def bad_shortcuts(window: QMainWindow) -> list[str]:
    """Keys that mean two things: shortcuts of the menus, mnemonics within one."""
    bar = window.menuBar()
    every = [action for top in bar.actions() for action in actions_below(top.menu())]
    keys = Counter(
        keys.toString(QKeySequence.SequenceFormat.PortableText)
        for action in dict.fromkeys(every)
        for keys in action.shortcuts()
    )
    found = [f"{key} means {times} things" for key, times in keys.items() if key and times > 1]
    opening = [action.menu() for action in [*bar.actions(), *every] if action.menu()]
    menus = [bar.actions(), *(menu.actions() for menu in opening)]
    for actions in menus:
        letters = Counter(filter(None, (mnemonic(each.text()) for each in actions)))
        found += [f"{letter} means {times} things" for letter, times in letters.items() if times > 1]
    unmarked = (each.text() for each in bar.actions() if not mnemonic(each.text()))
    found += [f"the menu {text!r} has no mnemonic" for text in unmarked]
    return found


def bad_letters(window: QWidget) -> list[str]:
    """Letters that lead to two things that are seen at once."""
    marked = [
        each
        for each in window.findChildren(QWidget)
        if isinstance(each, QAbstractButton | QLabel) and each.isVisible() and each.window() is window
    ]
    tabs = [each for each in window.findChildren(QTabBar) if each.isVisible()]
    texts = [each.text() for each in marked if not (isinstance(each, QLabel) and each.buddy() is None)]
    texts += [bar.tabText(place) for bar in tabs for place in range(bar.count())]
    if isinstance(window, QMainWindow):
        texts += [each.text() for each in window.menuBar().actions()]
    by_letter: dict[str, list[str]] = {}
    for text in texts:
        by_letter.setdefault(mnemonic(text), []).append(text)
    return [f"{letter} means {found}" for letter, found in by_letter.items() if letter and len(found) > 1]


def mnemonic(text: str) -> str:
    return QKeySequence.mnemonic(text).toString()
