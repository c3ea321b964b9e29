"""What can be done from the menus, the toolbar and the keyboard: one `QAction` for each, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from stepfast_desktop.qt.icons import icon
from stepfast_desktop.viewmodels.words import translate

__all__ = ["MENUS", "Commands"]

# The menus of the menu bar, in this order; one that has no command is not shown.
MENUS: tuple[tuple[str, Callable[[], str]], ...] = (
    ("file", lambda: translate("Window", "&File")),
    ("edit", lambda: translate("Window", "&Edit")),
    ("view", lambda: translate("Window", "&View")),
    ("workflow", lambda: translate("Window", "&Workflow")),
    ("tools", lambda: translate("Window", "&Tools")),
    ("help", lambda: translate("Window", "&Help")),
)


class Commands(QObject):
    """The commands of a window. Each part of it adds its own; the menus are made of them."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._made: dict[str, QAction] = {}
        self._icons: dict[str, str] = {}
        self._menus: dict[str, list[QAction | QMenu | None]] = {name: [] for name, _ in MENUS}

    def __getitem__(self, name: str) -> QAction:
        return self._made[name]

    def __contains__(self, name: str) -> bool:
        return name in self._made

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def add(
        self,
        name: str,
        text: str,
        do: Callable[[], object],
        keys: str = "",
        *,
        menu: str = "",
        icon_name: str = "",
        checkable: bool = False,
    ) -> QAction:
        """Make a command.

        Args:
            name: what it is called in code.
            text: what a person reads, translated.
            do: what it does; called without arguments.
            keys: its shortcut, as `QKeySequence` reads it.
            menu: the menu it stands in, one of `MENUS`; none by default.
            icon_name: its icon, as `icons.icon` knows it.
        """
        made = QAction(text, self)
        if icon_name:
            made.setIcon(icon(icon_name))
            self._icons[name] = icon_name
        if keys:
            made.setShortcut(QKeySequence(keys))
        made.setCheckable(checkable)
        made.triggered.connect(lambda _checked=False: do())
        self._made[name] = made
        if menu:
            self._menus[menu].append(made)
        return made

    def put(self, menu: str, action: QAction) -> None:
        """Have a command, or a menu's own action, in a menu too."""
        self._menus[menu].append(action)

    def separate(self, menu: str) -> None:
        """A line in a menu, between what was added before and what comes."""
        self._menus[menu].append(None)

    def add_menu(self, menu: str, within: QMenu) -> None:
        """A menu within a menu of the menu bar; to be called before `fill`, or it is left out."""
        self._menus[menu].append(within)

    def of_menu(self, menu: str) -> list[QAction]:
        """The commands that stand in a menu."""
        return [each for each in self._menus[menu] if isinstance(each, QAction)]

    def some(self, names: Iterable[str]) -> list[QAction]:
        """The commands of these names."""
        return [self._made[each] for each in names]

    def fill(self, bar: QMenuBar) -> dict[str, QMenu]:
        """Make the menus in a menu bar; to be called once all is added."""
        made: dict[str, QMenu] = {}
        for name, title in MENUS:
            if not self._menus[name]:
                continue
            menu = made[name] = bar.addMenu(title())
            for each in self._menus[name]:
                if each is None:
                    menu.addSeparator()
                elif isinstance(each, QMenu):
                    menu.addMenu(each)
                else:
                    menu.addAction(each)
        return made

    def draw_icons(self) -> None:
        """Draw the icons anew, in the colours of another palette."""
        for name, drawn in self._icons.items():
            self._made[name].setIcon(icon(drawn))
