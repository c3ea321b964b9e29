"""A window in which everything can be looked at and nothing done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QActionGroup

from stepfast_desktop.viewmodels.leaving.read_only import hint
from stepfast_desktop.viewmodels.notices import Notice

if TYPE_CHECKING:
    from stepfast_desktop.qt.main_window import MainWindow

__all__ = ["only_look"]

LOOKING = frozenset({"quit", "all", "find", "copy", "folder"})
MENUS_FOR_LOOKING = frozenset({"view", "help"})


def only_look(window: MainWindow, notice: str) -> None:
    """Disable for good what changes something, each with a word why, and say so above the table (`notice`).

    What is in the details, and what is opened later, is told by its view model.
    """
    # What belongs to a disabled group stays disabled, whoever enables it.
    group = QActionGroup(window)
    group.setExclusionPolicy(QActionGroup.ExclusionPolicy.None_)
    looking = {id(each) for name in MENUS_FOR_LOOKING for each in window.commands.of_menu(name)}
    for name in window.commands:
        action = window.commands[name]
        if name not in LOOKING and id(action) not in looking:
            _close(action, group)
    for name, menu in window.menus.items():
        menu.setToolTipsVisible(True)
        if name not in MENUS_FOR_LOOKING:
            for action in menu.actions():
                if action.menu() is not None:
                    _close(action, group)
    group.setEnabled(False)
    window.welcome.setEnabled(False)
    window.welcome.setToolTip(hint())
    window.setAcceptDrops(False)
    window.view_model.notices.show(Notice("read-only", notice, severity="warning", stays=True))


def _close(action: QAction, group: QActionGroup) -> None:
    group.addAction(action)

    def say() -> None:
        # Whoever keeps it true says what it does, or why it can do nothing with what is selected.
        if action.toolTip() != hint():
            action.setToolTip(hint())
            action.setStatusTip(hint())

    action.changed.connect(say)
    say()
