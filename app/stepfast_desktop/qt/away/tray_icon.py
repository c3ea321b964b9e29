"""The icon of the tray: the program's own, with a mark for what is the case, told by its shape."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QIcon, QPainter, QPainterPath, QPixmap, QPolygonF

from stepfast_desktop.qt.icons import icon
from stepfast_desktop.viewmodels.away.tray import TrayState

__all__ = ["SIZES", "tray_icon"]

# In pixels of the screen: what trays ask for at one, one and a half, two and three times.
SIZES = (16, 22, 24, 32, 44, 48, 64, 96)
SHARE = 0.62  # of the icon, for the mark
OUTLINE = QColor("#ffffff")
_COLOURS: dict[TrayState, QColor] = {
    "running": QColor("#1a6b35"),
    "asking": QColor("#7d4fb8"),
    "failed": QColor("#b3261e"),
}


@cache
def tray_icon(state: TrayState) -> QIcon:
    """The icon for a state.

    Running has a triangle, asking a disc with a question mark, failed a square with
    a cross; idle has none. The outline keeps the mark apart from a panel of any colour.
    """
    made = QIcon()
    plain = icon("stepfast")
    for size in SIZES:
        pixmap = QPixmap(plain.pixmap(size, size).scaled(size, size))
        pixmap.setDevicePixelRatio(1.0)
        if state != "idle":
            _mark(pixmap, state, size)
        made.addPixmap(pixmap)
    return made


def _mark(pixmap: QPixmap, state: TrayState, size: int) -> None:
    side = size * SHARE
    box = QRectF(size - side, size - side, side, side)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    outer = _shape(state, box)
    line = max(1.0, size / 16)
    inner = _shape(state, box.adjusted(line, line, -line, -line))
    painter.fillPath(outer, OUTLINE)
    painter.fillPath(inner, _COLOURS[state])
    pen = painter.pen()
    pen.setColor(OUTLINE)
    pen.setWidthF(max(1.4, size / 12))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    if state == "asking":
        font = QFont()
        font.setBold(True)
        font.setPixelSize(max(8, round(side * 0.78)))
        painter.setFont(font)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "?")
    elif state == "failed":
        cross = side * 0.32
        cross_box = box.adjusted(cross, cross, -cross, -cross)
        painter.drawLine(cross_box.topLeft(), cross_box.bottomRight())
        painter.drawLine(cross_box.topRight(), cross_box.bottomLeft())
    painter.end()


def _shape(state: TrayState, box: QRectF) -> QPainterPath:
    path = QPainterPath()
    if state == "running":
        right = QPointF(box.right(), box.center().y())
        path.addPolygon(QPolygonF([box.topLeft(), right, box.bottomLeft(), box.topLeft()]))
    elif state == "asking":
        path.addEllipse(box)
    else:
        path.addRect(box)
    return path
