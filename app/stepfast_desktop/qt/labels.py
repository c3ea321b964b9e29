"""Labels: modest ones for texts from elsewhere, however long; quiet ones, that stand back; tinted ones."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QWidget

__all__ = ["ModestLabel", "quiet_label", "tint"]

# Average characters: what a line insists on, what a word does, and what any of them asks for.
LINE, WORD, MOST = 12, 40, 80


class ModestLabel(QLabel):
    """Plain text. A line that is too long is cut with an ellipsis, and whole in the tip.

    A QLabel insists on the width of its line, or of its longest word: the title of a definition, a path in a
    message, and the window reached far beyond the screen.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def sizeHint(self) -> QSize:
        # Of what is wrapped, the height belongs to the width: that is left as it is but for such a word.
        hint, least = super().sizeHint(), super().minimumSizeHint()
        return self._at_most(hint, MOST) if not self.wordWrap() or least != self.minimumSizeHint() else hint

    def minimumSizeHint(self) -> QSize:
        return self._at_most(super().minimumSizeHint(), WORD if self.wordWrap() else LINE)

    def _at_most(self, size: QSize, characters: int) -> QSize:
        return size.boundedTo(QSize(self.fontMetrics().averageCharWidth() * characters, size.height()))

    @property
    def shown(self) -> str:
        """What there is room for."""
        if self.wordWrap():
            return self.text()
        room = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and not self.wordWrap():
            self.setToolTip("" if self.shown == self.text() else self.text()[:1000])
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        shown = self.shown
        if shown == self.text():
            super().paintEvent(event)
            return
        painter = QPainter(self)
        self.style().drawItemText(
            painter,
            self.contentsRect(),
            int(self.alignment()),
            self.palette(),
            self.isEnabled(),
            shown,
            self.foregroundRole(),
        )
        painter.end()


def quiet_label(text: str = "") -> QLabel:
    """A label that stands back: the title of a section, a hint."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return label


def tint(label: QLabel, colour: QColor) -> None:
    """Write the label in this colour. It goes on inheriting all others.

    A child hears of another palette after its parent; whoever tints does so where it hears of its own.
    """
    palette = QPalette()
    palette.setColor(label.foregroundRole(), colour)
    label.setPalette(palette)
