"""What a look at an input found, between its form and the button that starts it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStyle, QVBoxLayout, QWidget

from stepfast_desktop.qt.message import Message
from stepfast_desktop.viewmodels.starting.previewing import Finding
from stepfast_desktop.viewmodels.words import translate

__all__ = ["FindingsView"]

PICTURES = {
    "note": QStyle.StandardPixmap.SP_MessageBoxInformation,
    "warning": QStyle.StandardPixmap.SP_MessageBoxWarning,
    "error": QStyle.StandardPixmap.SP_MessageBoxCritical,
}


class FindingsView(QWidget):
    """Lines with a picture each. What is beside a field already is not said twice."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[_Line] = []
        self._shown: tuple[object, ...] = ()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(self.fontMetrics().height() // 4)
        self.setAccessibleName(translate("NewWorkflow", "What was found"))

    def show_findings(self, findings: Sequence[Finding], *, looking: bool, watched: bool) -> None:
        """Show these. `looking`: more may come; `watched`: there may be some, so a line is kept for it."""
        wanted: list[tuple[str, str]] = [
            (each.level, each.text) for each in findings if each.level != "error" or each.about is None
        ]
        if not findings and looking:
            wanted = [("note", translate("NewWorkflow", "Looking ..."))]
        if not wanted and watched:
            wanted = [("", "")]
        if tuple(wanted) == self._shown:
            return
        self._shown = tuple(wanted)
        while len(self.lines) > len(wanted):
            line = self.lines.pop()
            self._column.removeWidget(line)
            line.hide()
            line.deleteLater()
        while len(self.lines) < len(wanted):
            line = _Line()
            self.lines.append(line)
            self._column.addWidget(line)
        for line, (level, text) in zip(self.lines, wanted, strict=True):
            line.say(level, text)


class _Line(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.picture = QLabel()
        self.message = Message(line=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(self.fontMetrics().height() // 2)
        row.addWidget(self.picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.message, 1)
        self._level: str | None = None
        side = self.fontMetrics().height()
        self.picture.setFixedSize(side, side)

    def say(self, level: str, text: str) -> None:
        self.message.say(text, wrong=level == "error")
        if level != self._level:
            self._level = level
            if level:
                picture = self.style().standardIcon(PICTURES[level])
                side = self.picture.width()
                self.picture.setPixmap(picture.pixmap(side, side))
            else:
                self.picture.clear()
        # Read out with the text: the picture says it to those who see it.
        said = {
            "warning": translate("NewWorkflow", "Warning: {text}"),
            "error": translate("NewWorkflow", "Error: {text}"),
        }.get(level, "{text}")
        self.message.setAccessibleName(said.format(text=text))
