"""The menu "When all is done", in Tools and in the tray."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from stepfast_desktop.viewmodels.away.when_done import CHOICES, Choice, WhenDone
from stepfast_desktop.viewmodels.words import translate

__all__ = ["AfterwardsMenu"]

LABELS: dict[Choice, Callable[[], str]] = {
    "nothing": lambda: translate("WhenDone", "Do nothing"),
    "sleep": lambda: translate("WhenDone", "Put the computer to sleep"),
    "shut-down": lambda: translate("WhenDone", "Shut the computer down"),
}


class AfterwardsMenu(QMenu):
    """One of three, and which holds is marked."""

    def __init__(self, when_done: WhenDone, parent: QWidget) -> None:
        super().__init__(translate("WhenDone", "When all is done"), parent)
        self._when_done = when_done
        self.choices: dict[str, QAction] = {}
        group = QActionGroup(self)
        for name in CHOICES:
            action = self.choices[name] = self.addAction(LABELS[name]())
            action.setCheckable(True)
            group.addAction(action)
            action.triggered.connect(partial(self._choose, name))
        self._disconnect = when_done.changed.connect(self._show)
        self._show()

    def let_go(self) -> None:
        """Listen no more."""
        self._disconnect()

    def _choose(self, name: Choice, _checked: bool = False) -> None:
        self._when_done.choose(name)

    def _show(self) -> None:
        self.choices[self._when_done.choice].setChecked(True)
