"""The sidebar: what one may want to see, each with how many there are."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QIcon, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from stepfast_desktop.qt.palette import tone_colours
from stepfast_desktop.qt.table.row_delegates import spot
from stepfast_desktop.viewmodels.format import number_text
from stepfast_desktop.viewmodels.table.sidebar import ENTRIES, Entry, SidebarViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["Sidebar"]

ENTRY = Qt.ItemDataRole.UserRole
TITLE, COUNT = 0, 1


class Sidebar(QTreeWidget):
    """A list of entries in two levels, of which one is chosen: by a click, or with the arrow keys."""

    def __init__(self, sidebar: SidebarViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sidebar = sidebar
        self._items: list[tuple[Entry, QTreeWidgetItem]] = []
        self.setAccessibleName(translate("Sidebar", "Show"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setUniformRowHeights(True)
        self.setColumnCount(2)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setIndentation(self.fontMetrics().height())
        size = self.fontMetrics().height() // 2
        self.setIconSize(QSize(size, size))
        self._fill()
        columns = self.header()
        columns.setStretchLastSection(False)
        columns.setMinimumSectionSize(0)
        columns.setSectionResizeMode(TITLE, QHeaderView.ResizeMode.Stretch)
        columns.setSectionResizeMode(COUNT, QHeaderView.ResizeMode.ResizeToContents)
        self._disconnect = [
            sidebar.counts_changed.connect(self._show_counts),
            sidebar.chosen_changed.connect(self._show_chosen),
        ]
        self._show_counts()
        self._show_chosen()
        self.currentItemChanged.connect(self._choose)

    def let_go(self) -> None:
        """Listen no more."""
        for each in self._disconnect:
            each()

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 26, super().sizeHint().height())

    def drawBranches(
        self, painter: QPainter, rect: QRect, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """No arrow: nothing folds here."""

    def _least_width(self) -> int:
        """So wide that every title can be read, with the widest number beside it."""
        wide, step = self.fontMetrics().horizontalAdvance, self.indentation()
        margins = 2 * (self.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1)
        spot = self.iconSize().width() + margins
        titles = (
            wide(entry.title()) + step * entry.level + spot * (entry.tone is not None) for entry in ENTRIES
        )
        counts = ("000", *(item.text(COUNT) for _, item in self._items))
        return max(titles) + max(map(wide, counts)) + 2 * margins + wide(" ")

    def item_of(self, name: str) -> QTreeWidgetItem:
        """The item of an entry, by its name."""
        return next(item for entry, item in self._items if entry.name == name)

    def _fill(self) -> None:
        above: list[QTreeWidgetItem] = []
        for entry in ENTRIES:
            item = QTreeWidgetItem([entry.title(), ""])
            del above[entry.level :]
            if above:
                above[-1].addChild(item)
            else:
                self.addTopLevelItem(item)
            above.append(item)
            item.setData(TITLE, ENTRY, entry.name)
            item.setSizeHint(TITLE, QSize(0, self.fontMetrics().height() * 3 // 2))
            item.setTextAlignment(COUNT, Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
            self._items.append((entry, item))
        self.expandAll()
        self._dress()

    def _dress(self) -> None:
        """The spots, in the colours of the palette; a blank one keeps the others in line."""
        size = self.iconSize().width()
        for entry, item in self._items:
            if entry.tone is not None:
                fill = tone_colours(entry.tone, self.palette()).fill.name()
                ring = self.palette().highlightedText().color().name()
                item.setIcon(TITLE, _selectable(fill, ring, size, self.devicePixelRatioF()))

    def _show_counts(self) -> None:
        for entry, item in self._items:
            count = self._sidebar.count(entry)
            text = "" if count is None else number_text(count)
            if item.text(COUNT) != text:
                item.setText(COUNT, text)
                # Where there is nothing, one need not look.
                ink = self.palette().placeholderText() if text == number_text(0) else self.palette().text()
                item.setForeground(COUNT, ink)
            item.setData(TITLE, Qt.ItemDataRole.AccessibleTextRole, self._sidebar.words(entry))
        self.setMinimumWidth(self._least_width())

    def _show_chosen(self) -> None:
        chosen = self._sidebar.chosen
        item = None if chosen is None else self.item_of(chosen.name)
        if item is not self.currentItem():
            self.blockSignals(True)
            self.setCurrentItem(item)  # type: ignore[arg-type]  # none may be chosen
            self.blockSignals(False)

    def _choose(self, current: QTreeWidgetItem | None, _previous: QTreeWidgetItem | None) -> None:
        if current is not None:
            self._sidebar.choose(current.data(TITLE, ENTRY))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_items"):
            self._dress()


def _selectable(fill: str, ring: str, size: int, ratio: float) -> QIcon:
    """A spot that can be seen on a chosen line as well."""
    made = QIcon()
    made.addPixmap(spot(fill, "", size, ratio), QIcon.Mode.Normal)
    made.addPixmap(spot(fill, ring, size, ratio), QIcon.Mode.Selected)
    return made
