"""Bringing the window to the front, with the leave of a desktop that wants one."""

from __future__ import annotations

import os

from PySide6.QtWidgets import QWidget

__all__ = ["raise_window", "use_token"]

TOKEN = "XDG_ACTIVATION_TOKEN"


def use_token(token: str) -> None:
    """Have the next window that is raised take the focus with this leave (xdg-activation); "" for none.

    Qt takes it from the environment when a window asks for the focus.
    """
    if token:
        os.environ[TOKEN] = token
    else:
        os.environ.pop(TOKEN, None)


def raise_window(window: QWidget) -> None:
    """Show the window, also one that is hidden or minimised, and give it the focus if the desktop lets it."""
    if window.isMinimized():
        window.showNormal()
    window.show()
    window.raise_()
    window.activateWindow()
    use_token("")  # it is good once, and nothing to hand on to a child
