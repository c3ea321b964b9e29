"""Closing the window: by its cross, by Quit, or because the system ends its session."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeySequence, QSessionManager, QShortcut
from PySide6.QtWidgets import QApplication, QCheckBox, QMessageBox

from stepfast_desktop.qt.application import Application
from stepfast_desktop.qt.slots import start
from stepfast_desktop.viewmodels.leaving.quitting import Asked
from stepfast_desktop.viewmodels.words import translate

if TYPE_CHECKING:
    from stepfast_desktop.qt.main_window import MainWindow

__all__ = ["Closing"]

QUIT_KEYS = QKeySequence("Ctrl+Q")


class Closing(QObject):
    """What the close events of a window lead to. `Quitting`, the view model, decides; this does it.

    Args:
        window: the window.
        go: called once, when it is decided that the window goes; what runs is to be parked then.
    """

    def __init__(self, window: MainWindow, go: Callable[[], None]) -> None:
        super().__init__(window)
        self._window = window
        self._go = go
        self._view_model = window.view_model.quitting
        self._asked: Asked = "close"
        self.going = False
        """It is decided that the window goes."""
        self._box: QMessageBox | None = None
        application = QApplication.instance()
        if isinstance(application, QGuiApplication):
            application.commitDataRequest.connect(self._session_ends)
            application.saveStateRequest.connect(self._session_ends)
        if isinstance(application, Application):
            application.quit_asked.connect(self.system_asks)

    def quit(self) -> None:
        """The command: it ends, whatever the cross does. Once more, it waits for nothing."""
        self._close("quit")

    def hand_over(self) -> None:
        """The command: a worker in the background goes on, and the window ends."""
        if not self.going:
            start(self._hand_over())

    def heard(self, event: QCloseEvent) -> None:
        """The window was asked to close."""
        asked, self._asked = self._asked, "close"
        # The window is shown until what runs is parked; only the system must not hear a "no".
        event.setAccepted(asked == "system")
        if self.going:
            if asked != "system":
                self._view_model.hurry()
            return
        match self._view_model.way(asked, can_hide=self._window.can_hide()):
            case "hide":
                self._window.hide()
            case "minimise":
                self._window.showMinimized()
            case "background":
                start(self._hand_over())
            case "ask":
                self._ask()
            case "quit":
                self.leave()

    def let_go(self) -> None:
        """Hear nothing more."""
        application = QApplication.instance()
        if isinstance(application, QGuiApplication):
            application.commitDataRequest.disconnect(self._session_ends)
            application.saveStateRequest.disconnect(self._session_ends)
        if isinstance(application, Application):
            application.quit_asked.disconnect(self.system_asks)
        if self._box is not None:
            self._box.close()

    def system_asks(self) -> None:
        """The next time that the window is asked to close, it is the system that asks."""
        self._asked = "system"
        self._window.keep_arrangement()
        if self._box is not None:
            self._box.close()

    def _session_ends(self, _manager: QSessionManager) -> None:
        # Nothing is asked and nothing waited for: what ends this process comes by itself, and everything
        # that is recorded stays. Only what Qt closes in the meantime must not be asked about.
        self.system_asks()

    def _close(self, asked: Asked) -> None:
        self._asked = asked
        self._window.close()
        self._asked = "close"

    def leave(self) -> None:
        """It goes now, without a question: what ends the window from within, as to open it anew."""
        if self.going:
            return
        self.going = True
        self._window.keep_arrangement()
        self._go()

    async def _hand_over(self) -> None:
        if await self._window.view_model.background.begin() and not self.going:
            self.leave()

    def _ask(self) -> None:
        if self._box is not None:
            return
        short, full = self._view_model.question
        box = self._box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Information)
        box.setText(short)
        box.setInformativeText(full)
        leave = box.addButton(translate("Quitting", "Quit"), QMessageBox.ButtonRole.AcceptRole)
        keep = box.addButton(
            translate("Quitting", "Keep running in the background"), QMessageBox.ButtonRole.ActionRole
        )
        stay = box.addButton(translate("Quitting", "Do not quit"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(leave)
        box.setEscapeButton(stay)
        QShortcut(QUIT_KEYS, box, leave.click)  # whoever asks to quit once more has been told
        login = self._window.view_model.login_start
        at_login = None
        if not login.on:
            at_login = QCheckBox(translate("Quitting", "Start Stepfast when I log in"))
            box.setCheckBox(at_login)

        def finished(_result: int) -> None:
            self._box = None
            box.deleteLater()
            pressed = box.clickedButton()
            if pressed not in (leave, keep):
                return
            self._view_model.answered(background=pressed is keep)
            if at_login is not None and at_login.isChecked() and not login.turn(True):
                return  # it is said why not, above the table
            if pressed is keep:
                start(self._hand_over())
            else:
                self.leave()

        box.finished.connect(finished)
        box.open()
