"""What the bars of a timeline mean: a swatch of each beside its word."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QPainter, QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from stepfast_desktop.qt.details.timeline import LOOKS, THICK, THIN
from stepfast_desktop.qt.labels import quiet_label
from stepfast_desktop.qt.palette import tone_colours
from stepfast_desktop.viewmodels.details.timeline import SpanKind
from stepfast_desktop.viewmodels.words import translate

__all__ = ["Legend"]


class Legend(QWidget):
    """On one line; what there is no room for is left out."""

    def __init__(self) -> None:
        super().__init__()
        self._swatches: dict[SpanKind, QLabel] = {}
        words: dict[SpanKind, str] = {
            "done": translate("Timeline", "done"),
            "failed": translate("Timeline", "failed"),
            "stopped": translate("Timeline", "interrupted"),
            "wait": translate("Timeline", "waited"),
        }
        layout = QHBoxLayout(self)
        unit = self.fontMetrics().height()
        layout.setContentsMargins(unit, 0, 0, 0)
        layout.setSpacing(unit // 3)
        for kind, word in words.items():
            swatch = self._swatches[kind] = QLabel()
            layout.addWidget(swatch)
            layout.addWidget(quiet_label(word))
            layout.addSpacing(unit // 2)
        layout.addStretch(1)
        # It must not decide how narrow a window can be.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._draw()

    def show_words(self, shown: bool) -> None:
        """Show them, or keep the room empty."""
        for each in self.findChildren(QLabel):
            each.setVisible(shown)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_swatches"):
            self._draw()

    def _draw(self) -> None:
        unit, ratio = self.fontMetrics().height(), self.devicePixelRatioF()
        size = QSize(round(unit * 1.4), unit)
        for kind, label in self._swatches.items():
            tone, style = LOOKS[kind]
            colour = tone_colours(tone, self.palette()).fill
            drawn = QPixmap(size * ratio)
            drawn.setDevicePixelRatio(ratio)
            drawn.fill(Qt.GlobalColor.transparent)
            height = unit * (THIN if kind == "wait" else THICK)
            painter = QPainter(drawn)
            painter.setPen(colour)
            painter.setBrush(QBrush(colour, style))
            painter.drawRect(QRectF(0.5, (unit - height) / 2, size.width() - 1, height))
            painter.end()
            label.setPixmap(drawn)
