"""The editors of paths, typed, dropped or looked for, and of what takes several lines of text."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QDir, Qt
from PySide6.QtGui import QAction, QDragEnterEvent, QDragMoveEvent, QDropEvent, QFontDatabase
from PySide6.QtWidgets import (
    QFileDialog,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from stepfast_desktop.qt.starting.dropping import paths_of
from stepfast_desktop.qt.starting.editors import Editor, TextEditor, placeholder
from stepfast_desktop.viewmodels.starting.fields import Field
from stepfast_desktop.viewmodels.starting.form import FormViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["FILE", "FOLDER", "LinesEditor", "PathEditor", "look_for"]

LINES = 4
FOLDER, FILE = QFileDialog.FileMode.Directory, QFileDialog.FileMode.ExistingFile


class _PathLine(QLineEdit):
    """A line on which a file or folder may be dropped, in place of what is there."""

    def __init__(self, form: FormViewModel[Any], field: Field) -> None:
        super().__init__()
        self._form = form
        self._name = field.name

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if len(paths_of(event.mimeData())) == 1:
            event.acceptProposedAction()
        elif not event.mimeData().hasUrls():
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
        else:
            super().dragMoveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        paths = paths_of(event.mimeData())
        if len(paths) == 1:
            event.acceptProposedAction()
            self._form.set(self._name, paths[0])
        elif not event.mimeData().hasUrls():
            super().dropEvent(event)


class PathEditor(TextEditor):
    """A path, typed, dropped or looked for."""

    def __init__(self, form: FormViewModel[Any], field: Field) -> None:
        super().__init__(form, field)
        self.browse = QPushButton(translate("Form", "Browse ..."))
        self.browse.setAutoDefault(False)
        self.browse.setAccessibleName(translate("Form", "Browse for {title}").format(title=field.title))
        if field.wants == "either":
            menu = QMenu(self.browse)
            for text, mode in ((_folder_text(), FOLDER), (_file_text(), FILE)):
                action = QAction(text, menu)
                action.triggered.connect(partial(self._look, mode))
                menu.addAction(action)
            self.browse.setMenu(menu)
        else:
            self.browse.clicked.connect(partial(self._look, FOLDER if field.wants == "folder" else FILE))
        layout = self.layout()
        assert layout is not None
        layout.addWidget(self.browse)

    def make_line(self) -> QLineEdit:
        return _PathLine(self.form, self.field)

    def tab_order(self) -> list[QWidget]:
        return [self.line, self.browse]

    def _look(self, mode: QFileDialog.FileMode, _checked: bool = False) -> None:
        look_for(self, mode, self.field, self._chosen)

    def _chosen(self, paths: list[Path]) -> None:
        self.form.set(self.field.name, paths[0])
        self.line.setFocus(Qt.FocusReason.OtherFocusReason)


class _Lines(QPlainTextEdit):
    """Several lines; they are wrapped where they are prose."""

    def __init__(self, field: Field) -> None:
        super().__init__()
        self.setTabChangesFocus(True)
        if field.kind != "text":
            self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        margins = self.contentsMargins().top() * 2 + int(self.document().documentMargin()) * 2
        self.setFixedHeight(self.fontMetrics().lineSpacing() * LINES + margins)


class LinesEditor(Editor):
    """A text of several lines, or a list, one a line; or what is written as JSON."""

    def __init__(self, form: FormViewModel[Any], field: Field) -> None:
        super().__init__(form, field)
        self.edit = _Lines(field)
        if field.kind == "json":
            self.edit.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        else:
            self.edit.setPlaceholderText(placeholder(field))
        self.fill(self.edit, column=True)
        self.refresh()
        self.edit.textChanged.connect(self._tell)

    def refresh(self) -> None:
        if self.edit.toPlainText() != self.field.text:
            self.edit.blockSignals(True)
            self.edit.setPlainText(self.field.text)
            self.edit.blockSignals(False)

    def _tell(self) -> None:
        self.write(self.edit.toPlainText())


def look_for(parent: QWidget, mode: QFileDialog.FileMode, field: Field, chosen: Any) -> None:
    """Open the platform's dialog and come back at once; `chosen` is called with the paths, if any are."""
    title = (
        field.title if field.kind == "path" else translate("Form", "Add to {title}").format(title=field.title)
    )
    dialog = QFileDialog(parent, title, _nearest_folder(field.value))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setFileMode(mode)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly, mode == FOLDER)
    dialog.filesSelected.connect(lambda names: chosen([Path(each) for each in names]))
    # Never exec(): it would stop every task of the loop it is called from.
    dialog.open()


def _nearest_folder(value: object) -> str:
    """The folder to begin in: the one that is chosen, or what there is above it."""
    if isinstance(value, Path):
        for folder in (value, *value.parents):
            try:
                if folder.is_dir():
                    return str(folder)
            except OSError:
                continue
    return QDir.homePath()


def _folder_text() -> str:
    return translate("Form", "Folder ...")


def _file_text() -> str:
    return translate("Form", "File ...")
