"""The editor of a list of files or folders: added by a dialog, dropped, pasted; put in order, taken out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QMimeData, QModelIndex, Qt
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.starting.dropping import paths_of
from stepfast_desktop.qt.starting.editors import Editor
from stepfast_desktop.qt.starting.path_editors import FOLDER, look_for
from stepfast_desktop.viewmodels.starting.entering import Wrong, shown_path, typed_path
from stepfast_desktop.viewmodels.starting.fields import Field
from stepfast_desktop.viewmodels.starting.form import FormViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["FilesEditor"]

LINES = 6
PATH = Qt.ItemDataRole.UserRole


class _Paths(QListWidget):
    """The list. Its items are dragged within it; what comes from elsewhere is added."""

    def __init__(self, added: Callable[[list[Path]], None], moved: Callable[[], None]) -> None:
        super().__init__()
        self._added = added
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        height = self.fontMetrics().lineSpacing() * LINES + self.frameWidth() * 2
        self.setFixedHeight(height)
        self.model().rowsMoved.connect(lambda *_: moved())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus() and not self.count():
            # A style marks a row where the keyboard is, and here is none.
            painter = QPainter(self.viewport())
            painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Accent), 2.0))
            painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))
            painter.end()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
        else:
            super().dragMoveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
            self._added(paths_of(event.mimeData()))
        else:
            super().dropEvent(event)


class FilesEditor(Editor):
    """Shows a list of paths in their order, with buttons to change it, each with a key of its own."""

    def __init__(self, form: FormViewModel[Any], field: Field) -> None:
        super().__init__(form, field)
        self.list = _Paths(self._add, self._moved)
        self.buttons: list[QPushButton] = []
        self._shown: list[Path] | None = None
        row = QHBoxLayout()
        files = QFileDialog.FileMode.ExistingFiles
        if field.wants != "file":
            row.addWidget(self._button(translate("Form", "Add folder ..."), partial(self._look, FOLDER)))
        if field.wants != "folder":
            row.addWidget(self._button(translate("Form", "Add files ..."), partial(self._look, files)))
        row.addStretch(1)
        self.remove = self._button(translate("Form", "Remove"), self._remove, "Delete")
        # Of a set nothing has a place.
        self.up = self._button(translate("Form", "Move up"), partial(self._move, -1), "Alt+Up")
        self.down = self._button(translate("Form", "Move down"), partial(self._move, 1), "Alt+Down")
        for each in (self.remove, self.up, self.down):
            row.addWidget(each)
            each.setVisible(field.ordered or each is self.remove)
        outer = self.fill(self.list, column=True)
        assert isinstance(outer, QVBoxLayout)
        outer.addLayout(row)
        self.list.installEventFilter(self)
        self.list.itemSelectionChanged.connect(self._enable)
        self.refresh()

    def tab_order(self) -> list[QWidget]:
        return [self.list, *(each for each in self.buttons if each.isEnabled() and not each.isHidden())]

    def refresh(self) -> None:
        paths = self.field.paths
        if paths == self._shown:
            return
        row = self.list.currentRow()
        self._shown = paths
        self.list.clear()
        for each in paths:
            item = QListWidgetItem(shown_path(each))
            item.setToolTip(shown_path(each))
            item.setData(PATH, each)
            self.list.addItem(item)
        if paths:
            self.list.setCurrentRow(min(max(row, 0), len(paths) - 1))
        self._enable()

    def eventFilter(self, watched: Any, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            key, alt = event.key(), event.modifiers() == Qt.KeyboardModifier.AltModifier
            if key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
                self._remove()
            elif alt and key == Qt.Key.Key_Up:
                self._move(-1)
            elif alt and key == Qt.Key.Key_Down:
                self._move(1)
            elif event.matches(QKeySequence.StandardKey.Paste):
                self._add(_pasted(QGuiApplication.clipboard().mimeData()))
            else:
                return False
            return True
        return False

    # --- what a person does -----------------------------------------------------------------------

    def _add(self, paths: list[Path]) -> None:
        if paths:
            self.form.add(self.field.name, paths)
            self.list.setCurrentRow(self.list.count() - 1)

    def _look(self, mode: QFileDialog.FileMode) -> None:
        look_for(self, mode, self.field, self._add)

    def _remove(self) -> None:
        taken = set(self._selected())
        if taken:
            paths = [each for at, each in enumerate(self.field.paths) if at not in taken]
            self.form.put_paths(self.field.name, paths)

    def _move(self, by: int) -> None:
        rows, paths = self._selected(), self.field.paths
        if not rows or not rows[0] + by >= 0 or not rows[-1] + by < len(paths):
            return
        for row in rows if by < 0 else reversed(rows):
            paths[row], paths[row + by] = paths[row + by], paths[row]
        self.form.put_paths(self.field.name, paths)
        self.list.setCurrentRow(rows[0] + by)
        for row in rows:
            self.list.item(row + by).setSelected(True)

    def _moved(self) -> None:
        """An item was dragged to another place."""
        self._shown = [self.list.item(at).data(PATH) for at in range(self.list.count())]
        self.form.put_paths(self.field.name, self._shown)

    def _selected(self) -> list[int]:
        indexes: list[QModelIndex] = self.list.selectedIndexes()
        return sorted(each.row() for each in indexes)

    def _enable(self) -> None:
        rows, count = self._selected(), self.list.count()
        self.remove.setEnabled(bool(rows))
        self.up.setEnabled(bool(rows) and rows[0] > 0)
        self.down.setEnabled(bool(rows) and rows[-1] < count - 1)

    def _button(self, text: str, do: Callable[[], None], keys: str = "") -> QPushButton:
        button = QPushButton(text)
        button.setAutoDefault(False)
        button.setAccessibleName(f"{text} ({self.field.title})")
        if keys:
            shown = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
            button.setToolTip(f"{text} ({shown})")
        button.clicked.connect(lambda _checked=False: do())
        self.buttons.append(button)
        return button


def _pasted(mime: QMimeData) -> list[Path]:
    """Files that were copied in a file manager, or paths that were copied as text, one a line."""
    if mime.hasUrls():
        return paths_of(mime)
    found = []
    for line in mime.text().splitlines():
        if line.strip():
            try:
                found.append(typed_path(line))
            except Wrong:
                continue
    return found
