"""What the cells of the table are drawn with: their text, asked for once, and the colours of their row.

Qt asks a model for seven things of each cell that it draws, and each question is a way from C++ into Python:
a thousand of them for one painting. Beside threads that are at work in Python each of them may have to wait
for its turn, half a millisecond and more, so it is these that a window's painting stands still with. So a
cell asks for its text alone. And it draws that itself, on what the style draws of a selected row, as a line
that it keeps: the style would lay each text out anew, as a paragraph, which takes several times as long.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPalette, QStaticText
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionFocusRect, QStyleOptionViewItem

from stepfast_desktop.qt.palette import tone_colours
from stepfast_desktop.qt.table.model import DISPLAY, TableModel
from stepfast_desktop.viewmodels.format import Tone

__all__ = ["MARGIN", "Index", "Look", "TextDelegate", "asked"]

Index = QModelIndex | QPersistentModelIndex
Role = QPalette.ColorRole

MARGIN = 4
"""Pixels between the edge of a cell and what is in it."""
MOST_LOOKS = 16
MOST_LINES = 500
SPACES = str.maketrans("\n\t", "  ")
# As numbers: to ask a flag of Qt's for another is a way through Python's own enums, for each cell.
SELECTED = QStyle.StateFlag.State_Selected.value
ACTIVE = QStyle.StateFlag.State_Active.value
FOCUS = QStyle.StateFlag.State_HasFocus.value
OVER = QStyle.StateFlag.State_MouseOver.value
PANEL = QStyle.PrimitiveElement.PE_PanelItemViewItem


class Look:
    """The colours of a cell: of a selected one others, and a window that is not in front has its own."""

    def __init__(self, palette: QPalette, *, chosen: bool) -> None:
        self.palette = palette
        self.chosen = chosen
        self.ink = palette.color(Role.HighlightedText if chosen else Role.Text)
        self._fills: dict[Tone, QColor] = {}

    def fill(self, tone: Tone) -> QColor:
        """The colour of a bar or a dot for a state."""
        if tone not in self._fills:
            self._fills[tone] = tone_colours(tone, self.palette).fill
        return self._fills[tone]


class Line(NamedTuple):
    """A text that was laid out, and how large it is in pixels."""

    text: QStaticText
    width: int
    height: int


def asked(index: Index, role: int) -> Any:
    """What `index.data(role)` is, without the way through C++ and back."""
    model = index.model()
    return model.data(index, role) if isinstance(model, TableModel) else index.data(role)


class TextDelegate(QStyledItemDelegate):
    """A cell with its text, in the font and the colours of the table.

    It keeps what it drew last: of looks a painting has two, and most texts stand in a table many times, and
    time after time.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._looks: dict[tuple[int, int], Look] = {}
        self._lines: dict[tuple[str, int], Line] = {}
        self._font = QFont()  # that of the lines

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        # For what measures a cell; the other roles of a model have one answer here, which is none.
        option.index = index  # type: ignore[assignment]  # the stub knows of the other kind only
        text = asked(index, DISPLAY)
        if text:
            option.features |= QStyleOptionViewItem.ViewItemFeature.HasDisplay
            option.text = str(text)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        size, text = super().sizeHint(option, index), asked(index, DISPLAY) or ""
        wide = option.fontMetrics.horizontalAdvance(text) + 2 * MARGIN
        return QSize(max(size.width(), wide), size.height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        state = option.state.value
        if state & (SELECTED | OVER):
            option.widget.style().drawPrimitive(PANEL, option, painter, option.widget)
        look = self.look(option, state)
        self.draw(painter, option, index, look)
        if state & FOCUS:
            _draw_focus(painter, option, look)

    def draw(self, painter: QPainter, option: QStyleOptionViewItem, index: Index, look: Look) -> None:
        """Draw what the cell says, on its background."""
        if text := asked(index, DISPLAY):
            painter.setPen(look.ink)
            self.draw_text(painter, option, option.rect.adjusted(MARGIN, 0, -MARGIN, 0), text)

    def look(self, option: QStyleOptionViewItem, state: int) -> Look:
        """The look of a cell in a state, as a number, of `QStyle`."""
        key = (option.palette.cacheKey(), state & (SELECTED | ACTIVE))
        look = self._looks.get(key)
        if look is None:
            if len(self._looks) >= MOST_LOOKS:
                self._looks.clear()
            palette, group = QPalette(option.palette), QPalette.ColorGroup
            palette.setCurrentColorGroup(group.Active if state & ACTIVE else group.Inactive)
            look = self._looks[key] = Look(palette, chosen=bool(state & SELECTED))
        return look

    def draw_text(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        room: QRect,
        text: str,
        most: int | None = None,
        *,
        centred: bool = False,
    ) -> int:
        """Draw a text on one line, at the beginning of its room, with the painter's pen.

        Args:
            most: pixels that it may be wide at the most, where that is not all of the room; it is shortened.
            centred: in the middle of its room.

        Returns:
            How wide it is, in pixels.
        """
        line = self._line(option, text, room.width() if most is None else most)
        left = room.left()
        if centred:
            left += (room.width() - line.width) // 2
        elif option.direction is Qt.LayoutDirection.RightToLeft:
            left = room.right() + 1 - line.width
        painter.drawStaticText(left, room.top() + (room.height() - line.height) // 2, line.text)
        return line.width

    def _line(self, option: QStyleOptionViewItem, text: str, most: int) -> Line:
        if option.font != self._font:
            self._font = QFont(option.font)
            self._lines.clear()
        line = self._lines.get((text, most))
        if line is None:
            if len(self._lines) >= MOST_LINES:
                self._lines.clear()
            line = self._lines[text, most] = _laid_out(option, text.translate(SPACES), most)
        return line


def _laid_out(option: QStyleOptionViewItem, text: str, most: int) -> Line:
    if option.fontMetrics.horizontalAdvance(text) > most:
        text = option.fontMetrics.elidedText(text, Qt.TextElideMode.ElideRight, most)
    made = QStaticText(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.prepare(font=option.font)
    size = made.size()
    return Line(made, math.ceil(size.width()), math.ceil(size.height()))


def _draw_focus(painter: QPainter, option: QStyleOptionViewItem, look: Look) -> None:
    """The frame of the cell that the keyboard is at, as the style draws it in its own cells."""
    frame = QStyleOptionFocusRect()
    frame.rect, frame.palette, frame.state = option.rect, option.palette, option.state
    frame.backgroundColor = option.palette.color(Role.Highlight if look.chosen else Role.Base)
    option.widget.style().drawPrimitive(
        QStyle.PrimitiveElement.PE_FrameFocusRect, frame, painter, option.widget
    )
