"""What the program is, and the keys it knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QAction, QFont, QIcon, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.icons import icon
from stepfast_desktop.qt.roomy import make_roomy
from stepfast_desktop.viewmodels.trouble.checkup import Fact
from stepfast_desktop.viewmodels.words import translate, without_mnemonic

__all__ = ["AboutDialog", "ShortcutsDialog"]

LICENSE = "https://opensource.org/license/mit"
QT_LICENSE = "https://doc.qt.io/qt-6/lgpl.html"


class AboutDialog(QDialog):
    """The versions of the program and of what is underneath.

    Args:
        facts: labels and texts; the first is the program's own version.
    """

    def __init__(self, facts: Sequence[Fact], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(translate("Help", "About Stepfast"))
        unit = self.fontMetrics().height()
        mark = QLabel()
        mark.setPixmap(icon("stepfast").pixmap(QSize(unit, unit) * 4, self.devicePixelRatioF()))
        mark.setAlignment(Qt.AlignmentFlag.AlignTop)
        title = QLabel("Stepfast")
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.6)
        font.setWeight(QFont.Weight.DemiBold)
        title.setFont(font)
        what = QLabel(
            translate("Help", "Long tasks that survive a crash: whatever is finished, is never started over.")
        )
        what.setWordWrap(True)
        rows = QFormLayout()
        for label, text in facts:
            value = QLabel(text)
            value.setTextFormat(Qt.TextFormat.PlainText)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            rows.addRow(label, value)
        self.links = QLabel(
            translate("Help", "Free software, under the {mit}. It uses Qt, under the {lgpl}.").format(
                mit=f'<a href="{LICENSE}">{translate("Help", "MIT license")}</a>',
                lgpl=f'<a href="{QT_LICENSE}">LGPL</a>',
            )
        )
        self.links.setWordWrap(True)
        self.links.setOpenExternalLinks(True)
        self.links.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        right = QVBoxLayout()
        right.setSpacing(unit // 2)
        right.addWidget(title)
        right.addWidget(what)
        right.addLayout(rows)
        right.addWidget(self.links)
        right.addStretch(1)
        body = QHBoxLayout()
        body.setSpacing(unit)
        body.addWidget(mark)
        body.addLayout(right, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(unit, unit, unit, unit)
        layout.addLayout(body)
        layout.addWidget(_close(self))
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 65)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "links"):
            # A label takes the colour of its links when it is given its text.
            text = self.links.text()
            self.links.clear()
            self.links.setText(text)


class ShortcutsDialog(QDialog):
    """The commands that have keys, as they are at this moment. `actions` are all there are."""

    def __init__(self, actions: Callable[[], Sequence[QAction]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._actions = actions
        self.setWindowTitle(translate("Help", "Keyboard shortcuts"))
        self.list = QTreeWidget()
        self.list.setRootIsDecorated(False)
        make_roomy(self.list)
        self.list.setAlternatingRowColors(True)
        self.list.setUniformRowHeights(True)
        self.list.setHeaderLabels([translate("Help", "Command"), translate("Help", "Keys")])
        self.list.setAccessibleName(translate("Help", "Keyboard shortcuts"))
        layout = QVBoxLayout(self)
        layout.addWidget(self.list)
        layout.addWidget(_close(self))
        unit = self.fontMetrics()
        self.resize(QSize(unit.averageCharWidth() * 64, unit.height() * 40))

    def open(self) -> None:
        """Show the keys as they are now."""
        self.list.clear()
        for action in self._actions():
            keys = ", ".join(
                each.toString(QKeySequence.SequenceFormat.NativeText) for each in action.shortcuts()
            )
            if keys:
                item = QTreeWidgetItem([without_mnemonic(action.text()), keys])
                self.list.addTopLevelItem(item)
        gap = self.fontMetrics().averageCharWidth() * 3
        self.list.resizeColumnToContents(0)
        self.list.setColumnWidth(0, self.list.columnWidth(0) + gap)
        # Some languages have long names for keys.
        columns = self.list.columnWidth(0) + self.list.sizeHintForColumn(1)
        around = self.list.verticalScrollBar().sizeHint().width() + 2 * self.list.frameWidth()
        margins = self.contentsMargins() if (layout := self.layout()) is None else layout.contentsMargins()
        wide = columns + around + margins.left() + margins.right() + gap
        self.resize(max(self.width(), wide), self.height())
        super().open()


def _close(dialog: QDialog) -> QDialogButtonBox:
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    button = box.button(QDialogButtonBox.StandardButton.Close)
    button.setIcon(QIcon())
    button.setText(translate("Help", "Close"))
    box.rejected.connect(dialog.reject)
    return box
