"""Buttons of boxes without the icons that Qt draws where the platform has none of its own: they look aged."""

from __future__ import annotations

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialogButtonBox, QWidget

__all__ = ["bare_buttons"]


def bare_buttons(box: QWidget) -> None:
    """Take the icons off the buttons of a box that is shown, or has all its buttons."""
    for each in box.findChildren(QDialogButtonBox):
        for button in each.buttons():
            button.setIcon(QIcon())
