"""What goes on without the window: the worker in the background, and starting at login."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLabel

from stepfast_desktop.qt.slots import start
from stepfast_desktop.viewmodels.words import translate

if TYPE_CHECKING:
    from stepfast_desktop.qt.main_window import MainWindow

__all__ = ["Staying"]


class Staying(QObject):
    """Two commands of the menu Tools, and a word in the status line."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._background = window.view_model.background
        self._login_start = window.view_model.login_start
        add = window.commands.add
        self._stop = add(
            "stop-background",
            translate("Window", "Stop the worker in the background"),
            self._stop_worker,
            menu="tools",
        )
        self._at_login = add(
            "login-start",
            translate("Window", "Start when I log in"),
            self._turn,
            menu="tools",
            checkable=True,
        )
        self._label = QLabel()
        self._label.setContentsMargins(0, 0, 2 * self._label.fontMetrics().averageCharWidth(), 0)
        window.statusBar().addPermanentWidget(self._label)
        self._disconnect = [
            self._background.changed.connect(self._show_background),
            self._login_start.changed.connect(self._show_login_start),
        ]
        self._show_background()
        self._show_login_start()

    def let_go(self) -> None:
        """Listen no more."""
        for each in self._disconnect:
            each()

    def _show_background(self) -> None:
        self._stop.setEnabled(self._background.runs)
        self._label.setText(self._background.text)
        self._label.setVisible(self._background.runs)

    def _show_login_start(self) -> None:
        self._at_login.setChecked(self._login_start.on)

    def _stop_worker(self) -> None:
        start(self._stop_it())

    async def _stop_it(self) -> None:
        self._stop.setEnabled(False)
        await self._background.stop()
        self._show_background()

    def _turn(self) -> None:
        self._login_start.turn(self._at_login.isChecked())
