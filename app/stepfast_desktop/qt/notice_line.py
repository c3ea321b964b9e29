"""A line above the table, for one notice: with its buttons and what closes it (Esc does too)."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent, QKeyEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QStyle, QToolButton, QWidget

from stepfast_desktop.qt.icons import icon
from stepfast_desktop.qt.labels import ModestLabel
from stepfast_desktop.qt.palette import tone_colours
from stepfast_desktop.viewmodels.format import Tone
from stepfast_desktop.viewmodels.notices import Notice, Notices, Severity, severity_name
from stepfast_desktop.viewmodels.words import labelled, translate

__all__ = ["NoticeLine"]

_MARKS = {
    "info": QStyle.StandardPixmap.SP_MessageBoxInformation,
    "warning": QStyle.StandardPixmap.SP_MessageBoxWarning,
    "error": QStyle.StandardPixmap.SP_MessageBoxCritical,
}
_TONES: dict[Severity, Tone] = {"info": "active", "warning": "uneven", "error": "bad"}


class NoticeLine(QWidget):
    """One notice: a mark for how grave it is, the text, the buttons, and a cross where it can be closed."""

    close_button: QToolButton | None = None  # of the class too: Qt sends events from within __init__

    def __init__(self, notice: Notice, notices: Notices) -> None:
        super().__init__()
        self.notice = notice
        self._notices = notices
        unit = self.fontMetrics().height()
        self._edge = max(2, unit // 5)
        self._mark = QLabel()
        size = QSize(unit, unit) * 1.25
        mark = self.style().standardIcon(_MARKS[notice.severity], None, self)
        self._mark.setPixmap(mark.pixmap(size, self.devicePixelRatioF()))
        self.text = ModestLabel()
        self.text.setWordWrap(True)
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.buttons = [QPushButton(label) for label, _ in notice.buttons]
        layout = QHBoxLayout(self)
        layout.setContentsMargins(unit * 3 // 4, unit // 3, unit // 2, unit // 3)
        layout.setSpacing(unit // 2)
        layout.addWidget(self._mark)
        layout.addWidget(self.text, 1)
        for place, button in enumerate(self.buttons):
            button.clicked.connect(partial(self._press, place))
            layout.addWidget(button)
        if not notice.stays:
            self.close_button = self._cross()
            layout.addWidget(self.close_button)
        self.say(notice.text)

    def _cross(self) -> QToolButton:
        cross = QToolButton()
        cross.setAutoRaise(True)
        cross.setIcon(icon("close", self.palette()))
        cross.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        cross.setAccessibleName(translate("Notices", "Close this notice"))
        cross.setToolTip(translate("Notices", "Close (Esc)"))
        cross.clicked.connect(self._close)
        return cross

    def _press(self, place: int) -> None:
        self._notices.press(self.notice.key, place)

    def _close(self) -> None:
        self._notices.close(self.notice.key)

    @property
    def stops(self) -> list[QWidget]:
        """Where Tab stops in it."""
        return [*self.buttons, *([] if self.close_button is None else [self.close_button])]

    def say(self, text: str) -> None:
        """Show this text, and let a screen reader name the line by it."""
        self.text.setText(text)
        self.setAccessibleName(labelled(severity_name(self.notice.severity), text))

    def speak(self) -> None:
        """Let a screen reader say it now, wherever the focus is."""
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # What the buttons and the cross do not use comes here.
        if event.key() == Qt.Key.Key_Escape and not self.notice.stays:
            self._close()
            return
        super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.close_button is not None:
            self.close_button.setIcon(icon("close", self.palette()))

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        painter = QPainter(self)
        painter.fillRect(self.rect(), palette.color(QPalette.ColorRole.Base))
        fill = tone_colours(_TONES[self.notice.severity], palette).fill
        edge = QRect(0, 0, self._edge, self.height())
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            edge.moveRight(self.width() - 1)
        painter.fillRect(edge, fill)
        painter.fillRect(0, self.height() - 1, self.width(), 1, palette.color(QPalette.ColorRole.Mid))
        painter.end()
