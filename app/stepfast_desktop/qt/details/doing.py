"""What can be done from the details: opening a folder, and running again from a step, asked about first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMenu, QMessageBox, QPushButton, QWidget

from stepfast_desktop.qt.bare_buttons import bare_buttons
from stepfast_desktop.qt.slots import start
from stepfast_desktop.viewmodels.details.details import DetailsViewModel
from stepfast_desktop.viewmodels.format import readable
from stepfast_desktop.viewmodels.starting.entering import shown_path
from stepfast_desktop.viewmodels.words import translate, without_marks

__all__ = ["FolderButton", "ask_rerun"]


class FolderButton(QPushButton):
    """Opens a folder in the system's file manager; of several, asks which. Gone where there is none."""

    def __init__(self) -> None:
        super().__init__()
        self._folders: Sequence[Path] = ()
        self.setText(translate("Details", "Open folder"))
        self.setAutoDefault(False)
        self.setVisible(False)
        self._menu = QMenu(self)
        self.clicked.connect(lambda _checked=False: self._open())

    def show_folders(self, folders: Sequence[Path]) -> None:
        """Offer these."""
        if folders == self._folders:
            return
        self._folders = folders
        self._menu.clear()
        for each in folders:
            self._menu.addAction(without_marks(readable(shown_path(each))), partial(open_folder, each))
        several = len(folders) > 1
        self.setMenu(self._menu if several else None)  # type: ignore[arg-type]
        self.setToolTip("" if several or not folders else readable(shown_path(folders[0])))
        self.setVisible(bool(folders))

    def _open(self) -> None:
        if len(self._folders) == 1:
            open_folder(self._folders[0])


def open_folder(folder: Path) -> None:
    """Show a folder in the system's file manager."""
    # Encoded by hand: `fromLocalFile` damages names that are not UTF-8.
    QDesktopServices.openUrl(QUrl.fromEncoded(folder.as_uri().encode("ascii")))


def ask_rerun(
    parent: QWidget, details: DetailsViewModel, step: str, started: Callable[[int], object]
) -> QMessageBox:
    """Ask whether to run the workflow that is shown again from `step`; `started` gets the new one's key."""
    question = translate("Details", "Run again from “{step}”?").format(step=readable(step))
    box = QMessageBox(QMessageBox.Icon.Question, "Stepfast", question, parent=parent)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setInformativeText(
        translate(
            "Details",
            "A new workflow begins with what was recorded before that step. What that step and those after "
            "it do happens once more. The workflow that is shown stays as it is.",
        )
    )
    again = box.addButton(translate("Details", "Run again"), QMessageBox.ButtonRole.AcceptRole)
    box.addButton(QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(QMessageBox.StandardButton.Cancel)
    bare_buttons(box)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    async def run() -> None:
        key = await details.rerun(step)
        if key is not None:
            started(key)

    def finished(_result: int) -> None:
        if box.clickedButton() is again:
            start(run())

    box.finished.connect(finished)
    box.open()
    return box
