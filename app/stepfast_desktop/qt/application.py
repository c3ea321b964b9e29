"""The QApplication: its name, icon, style, palette and language."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QApplication

from stepfast_desktop.qt.icons import icon
from stepfast_desktop.qt.palette import apply_palette
from stepfast_desktop.qt.translation import install_translation

__all__ = ["make_application"]


def make_application(arguments: Sequence[str]) -> QApplication:
    """Make the one application of this process, looking as it should."""
    application = QApplication([*arguments])
    application.setApplicationName("stepfast")
    application.setApplicationDisplayName("Stepfast")
    application.setDesktopFileName("stepfast")
    # Closing the last window ends nothing by itself: what runs is parked first.
    application.setQuitOnLastWindowClosed(False)
    apply_palette(application)
    install_translation(application)
    application.setWindowIcon(icon("stepfast"))
    return application
