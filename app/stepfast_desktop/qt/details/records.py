"""What a workflow has recorded, as a tree on the screen."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QPalette, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QMenu,
    QStackedWidget,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.labels import quiet_label
from stepfast_desktop.qt.palette import quiet
from stepfast_desktop.qt.slots import start
from stepfast_desktop.viewmodels.details.details import DetailsViewModel
from stepfast_desktop.viewmodels.details.record_tree import Node, RecordTree
from stepfast_desktop.viewmodels.words import listed, translate

__all__ = ["RecordsPage"]

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole


class RecordsModel(QAbstractItemModel):
    """Nodes by index: name, kind, value."""

    def __init__(self, tree: RecordTree, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tree = tree
        self._count = len(tree.records)
        self._disconnect = [
            tree.reset.connect(self._reset),
            tree.adding.connect(self._adding),
            tree.added.connect(self.endInsertRows),
            tree.opening.connect(self._opening),
            tree.read.connect(self._read),
        ]
        self._opened: Node | None = None

    def let_go(self) -> None:
        """Listen no more."""
        for each in self._disconnect:
            each()

    def node(self, index: Index) -> Node | None:
        """The node of an index."""
        found = index.internalPointer() if index.isValid() else None
        return found if isinstance(found, Node) else None

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        if row < 0 or column < 0 or column > 2:
            return QModelIndex()
        above = self.node(parent)
        nodes: Any = self._tree.records if above is None else above.open()
        return self.createIndex(row, column, nodes[row]) if row < len(nodes) else QModelIndex()

    def parent(self, index: Index = QModelIndex()) -> Any:  # noqa: B008
        node = self.node(index)
        above = None if node is None else node.parent
        return QModelIndex() if above is None else self.createIndex(above.row, 0, above)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        if not parent.isValid():
            return self._count
        node = self.node(parent)
        if node is None or parent.column() > 0 or node is self._opened:
            return 0
        return len(node.open())

    def hasChildren(self, parent: Index = QModelIndex()) -> bool:  # noqa: B008
        node = self.node(parent)
        if node is None:
            return self._count > 0
        return parent.column() == 0 and node is not self._opened and node.opens

    def canFetchMore(self, parent: Index) -> bool:
        if not parent.isValid():
            return self._tree.has_more
        node = self.node(parent)
        return node is not None and not node.read and node.opens

    def fetchMore(self, parent: Index) -> None:
        node = self.node(parent)
        if node is not None:
            self._tree.open(node)
        elif not parent.isValid():
            self._tree.more()

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 3

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        node = self.node(index)
        if node is None:
            return None
        match role:
            case Role.DisplayRole:
                self._tree.look_at(node)
                return (node.name, node.kind, node.text)[index.column()]
            case Role.AccessibleTextRole:
                return listed([node.name, node.kind, node.text])
            case Role.SizeHintRole:
                return QSize(0, round(QFontMetrics(QApplication.font()).height() * 1.4))
            case Role.ForegroundRole if index.column() == 1:
                return quiet(QGuiApplication.palette())
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Role.DisplayRole:
            match section:
                case 0:
                    return translate("Records", "Name")
                case 1:
                    return translate("Records", "Kind")
                case 2:
                    return translate("Records", "Value")
        return None

    def _reset(self) -> None:
        self.beginResetModel()
        self._count = len(self._tree.records)
        self.endResetModel()

    def _adding(self, count: int) -> None:
        self.beginInsertRows(QModelIndex(), self._count, self._count + count - 1)
        self._count += count

    def _opening(self, node: Node, count: int) -> None:
        self._opened = node
        self.beginInsertRows(self.createIndex(node.row, 0, node), 0, count - 1)

    def _read(self, node: Node) -> None:
        if self._opened is not None:
            self._opened = None
            self.endInsertRows()
        self.dataChanged.emit(self.createIndex(node.row, 0, node), self.createIndex(node.row, 2, node))


class RecordsPage(QWidget):
    """The tree; its values are read as they are seen."""

    def __init__(self, details: DetailsViewModel) -> None:
        super().__init__()
        self._details = details
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.model = RecordsModel(details.records, self)
        self.view = RecordsView(details.records, self.model)
        nothing = quiet_label(translate("Records", "Nothing is recorded yet."))
        nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget()
        self._stack.addWidget(nothing)
        self._stack.addWidget(self.view)
        layout = QVBoxLayout(self)
        unit = self.fontMetrics().height()
        layout.setContentsMargins(unit // 2, unit // 4, 0, 0)
        layout.addWidget(self._stack)
        self.show_records()

    def let_go(self) -> None:
        """Listen no more."""
        self.model.let_go()

    def show_records(self) -> None:
        """What is recorded now, if anybody looks at it."""
        if self.isVisible():
            self._details.show_records()
        self._stack.setCurrentIndex(int(bool(self._details.records.records)))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_records()


class RecordsView(QTreeView):
    """Copies a value, whole, by Ctrl+C or from its menu."""

    def __init__(self, tree: RecordTree, model: RecordsModel) -> None:
        super().__init__()
        self._tree = tree
        self._nodes = model
        self.setModel(model)
        self.setAccessibleName(translate("Records", "Records"))
        self.setFrameShape(QTreeView.Shape.NoFrame)
        self.setUniformRowHeights(True)
        self.setTabKeyNavigation(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header = self.header()
        width = self.fontMetrics().averageCharWidth()
        header.resizeSection(0, width * 36)
        header.resizeSection(1, width * 14)
        header.setStretchLastSection(True)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)

    def copy(self) -> None:
        """The value of the current row to the clipboard."""
        node = self._nodes.node(self.currentIndex())
        if node is not None:
            start(self._copy(node))

    async def _copy(self, node: Node) -> None:
        QGuiApplication.clipboard().setText(await self._tree.copied(node))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            event.accept()
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: Any) -> None:
        menu = QMenu(self)
        copy = menu.addAction(translate("Records", "Copy value"), self.copy)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setEnabled(self.currentIndex().isValid())
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(event.globalPos())
