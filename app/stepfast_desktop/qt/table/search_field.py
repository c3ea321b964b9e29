"""The field for what is searched for: Esc takes it back, Enter and the arrows lead to what was found."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from stepfast_desktop.viewmodels.table.table import TableViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["SearchField"]


class SearchField(QLineEdit):
    """Searches as one types. `left` is told when the keyboard should go on in the table."""

    left = Signal()

    def __init__(self, table: TableViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._table = table
        self.setPlaceholderText(translate("Window", "Search"))
        self.setAccessibleName(translate("Window", "Search by name or kind"))
        self.setClearButtonEnabled(True)
        self.setMaximumWidth(self.fontMetrics().averageCharWidth() * 30)
        # Without a delay: a search that still runs is given up for the next.
        self.textChanged.connect(lambda _text: self._search())

    def go_on(self, text: str) -> None:
        """Take up what somebody began to type elsewhere."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.setText(text)

    def take_back(self) -> None:
        """Search for nothing; the keyboard goes to the table."""
        self.clear()
        self.left.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape:
                self.take_back()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Down | Qt.Key.Key_PageDown:
                self.left.emit()
            case _:
                super().keyPressEvent(event)

    def _search(self) -> None:
        self._table.filter(text=self.text().strip())
