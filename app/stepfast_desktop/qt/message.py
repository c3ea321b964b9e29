"""A line of plain text that says something, or what is wrong."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication

from stepfast_desktop.qt.labels import ModestLabel
from stepfast_desktop.qt.palette import quiet, tone_colours

__all__ = ["Message"]


class Message(ModestLabel):
    """A line of plain text: what there is to say, in a quiet colour; or what is wrong, in that for it."""

    _wrong = False  # of the class too: Qt sends events from within __init__

    def __init__(self, *, line: bool = False) -> None:
        """With `line`, it is as high as a line of text even where it says nothing."""
        super().__init__()
        self.setWordWrap(True)
        # Inside of a button it would take the button's colour for its text.
        self.setForegroundRole(QPalette.ColorRole.WindowText)
        if line:
            self.setMinimumHeight(self.fontMetrics().lineSpacing())
        self._colour()

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Show this text."""
        if text != self.text():
            self.setText(text)
        if wrong != self._wrong:
            self._wrong = wrong
            self._colour()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.ApplicationPaletteChange):
            self._colour()

    def _colour(self) -> None:
        around = QApplication.palette()
        colour = tone_colours("bad", around).text if self._wrong else quiet(around)
        # Only where it differs: setting it brings the next event.
        if self.palette().color(QPalette.ColorRole.WindowText) != colour:
            palette = QPalette()
            palette.setColor(QPalette.ColorRole.WindowText, colour)
            self.setPalette(palette)
