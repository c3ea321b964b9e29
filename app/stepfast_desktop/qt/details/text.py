"""Text that can be selected, copied and read aloud, in a block as high as it needs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QMimeData, Qt
from PySide6.QtGui import (
    QFontDatabase,
    QFontMetricsF,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextLength,
    QTextOption,
    QTextTable,
    QTextTableCellFormat,
    QTextTableFormat,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit, QWidget

from stepfast_desktop.qt.palette import quiet
from stepfast_desktop.viewmodels.details.values import Pair

__all__ = ["TextBlock", "align_labels"]

# Of the block's width, at most, for the labels of pairs; the rest is for their values.
MOST_OF_WIDTH = 0.36
GAP = 16
ROW_PADDING = 1.5


class TextBlock(QTextEdit):
    """Read-only text without a frame. It never scrolls up and down: the page that it is on does."""

    def __init__(self, name: str, *, monospace: bool = False, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls it."""
        super().__init__(parent)
        self._text = ""
        self._pairs: Sequence[Pair] = ()
        self._labels = 0
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Paths have no spaces to break at.
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        if monospace:
            self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.document().documentLayout().documentSizeChanged.connect(lambda _size: self._fit())

    def show_text(self, text: str) -> None:
        """Show this text. What is selected in it stays so where the text is the same."""
        if text != self._text or self._pairs:
            self._text, self._pairs = text, ()
            self.setPlainText(text)

    def show_pairs(self, pairs: Sequence[Pair]) -> None:
        """Show labels beside values. What is selected stays so where the pairs are the same."""
        if pairs != self._pairs or self._text:
            self._text, self._pairs = "", pairs
            self._labels = self.wanted_labels
            self._draw_pairs()

    @property
    def wanted_labels(self) -> int:
        """How wide the widest label is, in pixels; 0 where there is none."""
        metrics = QFontMetricsF(self.font())
        # One more, since the layout rounds on its own.
        labels = [pair.label for pair in self._pairs if pair.label]
        return max((math.ceil(metrics.horizontalAdvance(label)) + 1 for label in labels), default=0)

    def align(self, labels: int) -> None:
        """Give the labels so many pixels, for blocks that stand one above the other."""
        if self._pairs and labels != self._labels:
            self._labels = labels
            self._draw_pairs()

    def _draw_pairs(self) -> None:
        self.clear()
        if not self._pairs:
            return
        if not self._labels:
            self.setPlainText("\n".join(pair.text for pair in self._pairs))
            return
        # As one edit: the table is laid out once for all, and not for each cell, which froze the window for
        # seconds where there are hundreds.
        edit = QTextCursor(self.document())
        edit.beginEditBlock()
        try:
            self._fill(edit.insertTable(len(self._pairs), 2, self._table_format()))
        finally:
            edit.endEditBlock()
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _fill(self, table: QTextTable) -> None:
        label, cell = QTextCharFormat(), QTextTableCellFormat()
        label.setForeground(quiet(self.palette()))
        cell.setTopPadding(ROW_PADDING)
        cell.setBottomPadding(ROW_PADDING)
        first = QTextTableCellFormat(cell)
        first.setRightPadding(GAP)
        for row, pair in enumerate(self._pairs):
            table.cellAt(row, 0).setFormat(first)
            table.cellAt(row, 1).setFormat(cell)
            if pair.label:
                table.cellAt(row, 0).firstCursorPosition().insertText(pair.label, label)
            table.cellAt(row, 1).firstCursorPosition().insertText(pair.text, QTextCharFormat())

    def _table(self) -> QTextTable:
        made = self.document().rootFrame().childFrames()[0]
        assert isinstance(made, QTextTable)
        return made

    def _table_format(self) -> QTextTableFormat:
        width = min(self._labels + GAP, self.viewport().width() * MOST_OF_WIDTH)
        made = QTextTableFormat()
        made.setBorder(0)
        made.setCellPadding(0)
        made.setCellSpacing(0)
        made.setMargin(0)
        made.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        made.setColumnWidthConstraints(
            [
                QTextLength(QTextLength.Type.FixedLength, width),
                QTextLength(QTextLength.Type.VariableLength, 0),
            ]
        )
        return made

    def _fit(self) -> None:
        self.setFixedHeight(math.ceil(self.document().size().height()) + 1)

    def createMimeDataFromSelection(self) -> QMimeData:
        """As text alone: nobody wants our colours in their letter."""
        made = QMimeData()
        made.setText(self.textCursor().selection().toPlainText())
        return made

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._labels and self._pairs and event.size().width() != event.oldSize().width():
            self._table().setFormat(self._table_format())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_pairs") and self._pairs:
            self._draw_pairs()


def align_labels(*blocks: TextBlock) -> None:
    """Let the values of these blocks begin at one line."""
    widest = max(block.wanted_labels for block in blocks)
    for block in blocks:
        block.align(widest)
