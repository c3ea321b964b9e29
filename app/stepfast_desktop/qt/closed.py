"""What can do nothing in a window that only looks."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QWidget

__all__ = ["close_for_good"]


def close_for_good(widgets: Iterable[QWidget], why: str) -> None:
    """Disable what nobody enables again, and say why; where there is no reason, leave it as it is."""
    if why:
        for each in widgets:
            each.setEnabled(False)
            each.setToolTip(why)
            each.setAccessibleDescription(why)
