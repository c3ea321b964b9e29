"""What the window asks of the desktop it is on: the clipboard, and other programs for files and folders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication

from stepfast_desktop.viewmodels.words import translate

__all__ = ["QtDesktop"]


class QtDesktop:
    """A `viewmodels.mishaps.Desktop`. `said` is called with what came of it, for the status line."""

    def __init__(self, said: Callable[[str], object]) -> None:
        self._said = said

    def copy(self, text: str) -> None:
        """Put a text on the clipboard."""
        QGuiApplication.clipboard().setText(text)
        self._said(translate("Desktop", "Copied to the clipboard"))

    def open(self, path: Path) -> None:
        """Open a file, or a folder, in the program that is for it; where there is none, say where it is."""
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self._said(translate("Desktop", "No program opens {path}").format(path=path))
