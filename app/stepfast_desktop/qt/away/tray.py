"""The icon in the system's tray, where there is one: what is the case, and the usual actions.

A tray that is not there yet is waited for: on X, Qt adds the icon by itself when an XEmbed tray comes, and
elsewhere one is looked for whenever it matters. For the newer kind (StatusNotifierItem, as on KDE) Qt looks
only once, as the program starts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from stepfast_desktop.qt.away.afterwards import AfterwardsMenu
from stepfast_desktop.qt.away.raising import raise_window
from stepfast_desktop.qt.away.tray_icon import tray_icon
from stepfast_desktop.viewmodels.away.tray import TrayViewModel
from stepfast_desktop.viewmodels.words import translate, without_marks

if TYPE_CHECKING:
    from stepfast_desktop.qt.main_window import MainWindow

__all__ = ["Tray"]

BETWEEN = 2000
"""Milliseconds between two changes of the icon and its tip, each of which the desktop draws anew."""


class Tray(QObject):
    """Made with the window and let go with it.

    Args:
        window: which is shown, hidden and told to quit.
        view_model: what is said.
    """

    def __init__(self, window: MainWindow, view_model: TrayViewModel) -> None:
        super().__init__(window)
        self._window = window
        self._view_model = view_model
        self.icon = QSystemTrayIcon(tray_icon("idle"), self)
        self.menu = QMenu()
        self._make_menu()
        self.icon.setContextMenu(self.menu)
        self.icon.activated.connect(self._activated)
        self._waiting = QTimer(self, singleShot=True, interval=BETWEEN)
        self._waiting.timeout.connect(self._show)
        self._stale = False
        self._disconnect = [
            view_model.changed.connect(self._change),
            window.view_model.preferences.changed.connect(self._preferred),
        ]
        window.installEventFilter(self)
        self._show()
        self._take_place()

    def let_go(self) -> None:
        """Take the icon away, and listen no more."""
        for each in self._disconnect:
            each()
        self._view_model.close()
        self._window.removeEventFilter(self)
        self._waiting.stop()
        self.icon.hide()
        self.afterwards.let_go()
        self.menu.deleteLater()

    def can_hide(self) -> bool:
        """Is there a tray that has the icon, so that a hidden window can be found again?"""
        self._take_place()
        return self.icon.isVisible() and QSystemTrayIcon.isSystemTrayAvailable()

    # --- what it says -----------------------------------------------------------------------------

    def _change(self) -> None:
        if self._waiting.isActive():
            self._stale = True
            return
        self._show()
        if self.icon.isVisible():
            self._waiting.start()

    def _show(self) -> None:
        if self._stale and self.icon.isVisible():
            self._waiting.start()
        self._stale = False
        state = self._view_model.state
        self.icon.setIcon(tray_icon(state))
        self.icon.setToolTip(self._view_model.tooltip)

    def _preferred(self, name: str) -> None:
        if name == "tray":
            self._take_place()

    def _take_place(self) -> None:
        """Be in the tray if that is wanted and there is one, or, on X, may be one later."""
        wanted = self._window.view_model.preferences["tray"]
        # Elsewhere, without a tray, showing it is a warning of Qt's.
        possible = QGuiApplication.platformName() == "xcb" or QSystemTrayIcon.isSystemTrayAvailable()
        self.icon.setVisible(wanted and possible)

    # --- the menu ---------------------------------------------------------------------------------

    def _make_menu(self) -> None:
        menu, commands = self.menu, self._window.commands
        self.toggle = self._add(translate("Tray", "Show Stepfast"), self.show_or_hide)
        menu.addSeparator()
        self._before = menu.addSeparator()  # what runs is put before this one
        menu.addAction(commands["new"])
        self.pause_all = self._add(translate("Tray", "Pause all"), partial(self._all, "pause"))
        self.resume_all = self._add(translate("Tray", "Resume all"), partial(self._all, "resume"))
        # Of its own: where the system has the menus, one of them is in one place.
        self.afterwards = AfterwardsMenu(self._window.view_model.when_done, menu)
        menu.addMenu(self.afterwards)
        menu.addSeparator()
        menu.addAction(commands["quit"])
        commands["new"].triggered.connect(self._for_new)
        self._entries: list[QAction] = []
        menu.aboutToShow.connect(self.fill)
        self.fill()

    def _add(self, text: str, do: Callable[[], object]) -> QAction:
        made = self.menu.addAction(text)
        made.triggered.connect(lambda _checked=False: do())
        return made

    def fill(self) -> None:
        """Make the menu say what is so now; done whenever it is about to be shown."""
        for each in self._entries:
            self.menu.removeAction(each)
            each.deleteLater()
        self._entries = [self._entry(entry.text, entry.key) for entry in self._view_model.entries]
        if more := self._view_model.more:
            action = QAction(more, self.menu)
            action.setEnabled(False)
            self._entries.append(action)
        self.menu.insertActions(self._before, self._entries)
        self._before.setVisible(bool(self._entries))
        visible = self._window.isVisible() and not self._window.isMinimized()
        hide, show = translate("Tray", "Hide Stepfast"), translate("Tray", "Show Stepfast")
        self.toggle.setText(hide if visible else show)
        counts = self._window.view_model.table.counts
        self.pause_all.setEnabled(
            any(counts.get(each) for each in ("queued", "running", "sleeping", "waiting"))
        )
        self.resume_all.setEnabled(bool(counts.get("paused")))

    def _entry(self, text: str, key: int) -> QAction:
        # An & would underline the next letter.
        action = QAction(without_marks(text), self.menu)
        action.triggered.connect(lambda _checked=False: self._window.view_model.revealing.reveal([key]))
        return action

    def _all(self, name: str) -> None:
        self._window.view_model.doing.perform_on_all(name)

    def _for_new(self) -> None:
        """The form opens over the window, so that has to be there."""
        if not self._window.isVisible() or self._window.isMinimized():
            raise_window(self._window)

    # --- the window -------------------------------------------------------------------------------

    def show_or_hide(self) -> None:
        """Show the window, or hide it where it is in front and a tray has the icon; else it is minimised."""
        if not self._window.isVisible() or self._window.isMinimized():
            raise_window(self._window)
        elif self.can_hide():
            self._window.hide()
        else:
            self._window.showMinimized()

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason is QSystemTrayIcon.ActivationReason.Trigger:
            self.show_or_hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.WindowActivate, QEvent.Type.Show):
            self._view_model.looked_at()
        return False
