"""What needs a person: the button that counts it, and the badge."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QToolButton, QWidget

from stepfast_desktop.qt.icons import icon
from stepfast_desktop.viewmodels.questions import Questions
from stepfast_desktop.viewmodels.words import translate

__all__ = ["AttentionButton"]


class AttentionButton(QToolButton):
    """Says "2 waiting for you" where some do. So does the application's badge, where the system shows one."""

    def __init__(self, questions: Questions, keys: str, parent: QWidget | None = None) -> None:
        """`keys` are those of the command that a click is as good as, as a person reads them."""
        super().__init__(parent)
        self._questions = questions
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        hint = translate("Window", "Go to the next workflow that waits for you")
        self.setToolTip(f"{hint} ({keys})")
        self.setStatusTip(hint)
        self._disconnect = questions.changed.connect(self.show_count)
        self._dress()
        self.show_count()

    def let_go(self) -> None:
        """Listen no more, and take the badge away."""
        self._disconnect()
        _badge(0)

    def show_count(self) -> None:
        """Show how many need a person."""
        text = self._questions.text
        self.setText(text)
        self.setAccessibleName(text)
        self.setAccessibleDescription(self.statusTip())
        self.setVisible(bool(text))
        _badge(self._questions.count)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_disconnect"):
            self._dress()

    def _dress(self) -> None:
        self.setIcon(icon("question", self.palette()))


def _badge(count: int) -> None:
    application = QGuiApplication.instance()
    if isinstance(application, QGuiApplication):
        application.setBadgeNumber(count)
