"""A window in which everything can be looked at and nothing done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QActionGroup

from stepfast_desktop.viewmodels.notices import Notice
from stepfast_desktop.viewmodels.words import translate

if TYPE_CHECKING:
    from stepfast_desktop.qt.main_window import MainWindow

__all__ = ["only_look"]

LOOKING = frozenset({"quit", "all", "find", "copy", "folder"})
MENUS_FOR_LOOKING = frozenset({"view", "help"})


def only_look(window: MainWindow) -> None:
    """Disable for good what changes something, and say so above the table."""
    # What belongs to a disabled group stays disabled, whoever enables it.
    group = QActionGroup(window)
    group.setExclusionPolicy(QActionGroup.ExclusionPolicy.None_)
    looking = {id(each) for name in MENUS_FOR_LOOKING for each in window.commands.of_menu(name)}
    for name in window.commands:
        action = window.commands[name]
        if name not in LOOKING and id(action) not in looking:
            group.addAction(action)
    for name, menu in window.menus.items():
        if name not in MENUS_FOR_LOOKING:
            for action in menu.actions():
                if action.menu() is not None:
                    group.addAction(action)
    group.setEnabled(False)
    window.welcome.setEnabled(False)
    window.setAcceptDrops(False)
    text = translate(
        "Window",
        "Read-only: another Stepfast has this folder open and does not answer. Nothing is started or changed "
        "here.",
    )
    window.view_model.notices.show(Notice("read-only", text, severity="warning", stays=True))
