"""The editors of paths, typed, dropped or looked for, and of what takes several lines."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QDir, QMimeData, Qt
from PySide6.QtGui import QAction, QDragEnterEvent, QDragMoveEvent, QDropEvent, QFontDatabase
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from stepfast_desktop.qt.dropping import paths_of
from stepfast_desktop.qt.editors import Editor, TextEditor, placeholder
from stepfast_desktop.viewmodels.fields import Field
from stepfast_desktop.viewmodels.form import FormViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["LinesEditor", "PathEditor"]

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
        _look_for(self, mode, self.field, self._chosen)

    def _chosen(self, paths: list[Path]) -> None:
        self.form.set(self.field.name, paths[0])
        self.line.setFocus(Qt.FocusReason.OtherFocusReason)


class _Lines(QPlainTextEdit):
    """Several lines, on which files and folders may be dropped where they are a list of those."""

    def __init__(self, form: FormViewModel[Any], field: Field) -> None:
        super().__init__()
        self._form = form
        self._field = field
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        margins = self.contentsMargins().top() * 2 + int(self.document().documentMargin()) * 2
        self.setFixedHeight(self.fontMetrics().lineSpacing() * LINES + margins)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return (self._field.of_paths and source.hasUrls()) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        paths = paths_of(source) if self._field.of_paths else []
        if paths:
            self._form.add(self._field.name, paths)
        else:
            super().insertFromMimeData(source)


class LinesEditor(Editor):
    """A list, one a line; or what is written as JSON."""

    def __init__(self, form: FormViewModel[Any], field: Field) -> None:
        super().__init__(form, field)
        self.edit = _Lines(form, field)
        self.buttons: list[QPushButton] = []
        if field.kind == "json":
            self.edit.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        else:
            self.edit.setPlaceholderText(placeholder(field))
        layout = self.fill(self.edit, column=True)
        if field.of_paths:
            row = QHBoxLayout()
            for mode, text, other in (
                (FOLDER, translate("Form", "Add folder ..."), "file"),
                (QFileDialog.FileMode.ExistingFiles, translate("Form", "Add files ..."), "folder"),
            ):
                if field.wants != other:
                    button = QPushButton(text)
                    button.setAutoDefault(False)
                    button.setAccessibleName(f"{text} ({field.title})")
                    button.clicked.connect(partial(self._look, mode))
                    row.addWidget(button)
                    self.buttons.append(button)
            row.addStretch(1)
            layout.addLayout(row)
        self.refresh()
        self.edit.textChanged.connect(self._tell)

    def tab_order(self) -> list[QWidget]:
        return [self.edit, *self.buttons]

    def refresh(self) -> None:
        if self.edit.toPlainText() != self.field.text:
            self.edit.blockSignals(True)
            self.edit.setPlainText(self.field.text)
            self.edit.blockSignals(False)

    def _tell(self) -> None:
        self.write(self.edit.toPlainText())

    def _look(self, mode: QFileDialog.FileMode, _checked: bool = False) -> None:
        _look_for(self, mode, self.field, partial(self.form.add, self.field.name))


def _look_for(parent: QWidget, mode: QFileDialog.FileMode, field: Field, chosen: Any) -> None:
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
