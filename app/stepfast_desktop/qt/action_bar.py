"""The toolbar of the window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QActionEvent, QResizeEvent
from PySide6.QtWidgets import QToolBar, QWidget

__all__ = ["ActionBar"]

WORDS = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
ICONS = Qt.ToolButtonStyle.ToolButtonIconOnly


class ActionBar(QToolBar):
    """Icons with their words; where there is no room for the words, the icons alone.

    What does not fit into a toolbar is hidden behind an arrow: the field to search in could not be reached.
    """

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self.setMovable(False)
        self.setToolButtonStyle(WORDS)
        self._wide: int | None = None

    def actionEvent(self, event: QActionEvent) -> None:
        self._wide = None
        super().actionEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._wide = None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._wide is None:
            self._show(WORDS)
            self._wide = self.sizeHint().width()
        self._show(WORDS if self._wide <= self.width() else ICONS)

    def _show(self, style: Qt.ToolButtonStyle) -> None:
        if self.toolButtonStyle() is not style:
            self.setToolButtonStyle(style)
