"""Pages of which one is shown: where the keyboard was on the page that goes, it is on the one that comes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedWidget, QWidget

__all__ = ["turn_to"]


def turn_to(pages: QStackedWidget, page: QWidget) -> None:
    """Show a page. Where it is another one, the focus that was on the one before, or nowhere, goes to it."""
    before = pages.currentWidget()
    focused: QWidget | None = pages.window().focusWidget()
    moves = before not in (page, None) and (focused is None or before.isAncestorOf(focused))
    pages.setCurrentWidget(page)
    if moves and (first := _first(page)) is not None:
        first.setFocus(Qt.FocusReason.OtherFocusReason)


def _first(page: QWidget) -> QWidget | None:
    """The first of a page that Tab would come to."""
    for each in page.findChildren(QWidget):
        tabbed = each.focusPolicy() & Qt.FocusPolicy.TabFocus
        if tabbed and each.isEnabled() and each.isVisibleTo(page):
            return each
    return None
