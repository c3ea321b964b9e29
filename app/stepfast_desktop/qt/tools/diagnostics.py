"""The diagnostics: what is known of the program and its file, and what can be done; and choosing a backup."""

from __future__ import annotations

import html
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QTextBrowser,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.closed import close_for_good
from stepfast_desktop.qt.message import Message
from stepfast_desktop.qt.roomy import make_roomy
from stepfast_desktop.qt.slots import start
from stepfast_desktop.viewmodels.trouble.diagnostics import BackupRow, Diagnostics
from stepfast_desktop.viewmodels.words import translate

__all__ = ["BackupsDialog", "DiagnosticsDialog"]

PATH = Qt.ItemDataRole.UserRole


class DiagnosticsDialog(QDialog):
    """Shows a `Diagnostics`."""

    restore_asked = Signal()

    def __init__(self, view_model: Diagnostics, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view_model = view_model
        self.setWindowTitle(translate("Diagnostics", "Diagnostics"))
        self.page = QTextBrowser()
        self.page.setAccessibleName(translate("Diagnostics", "What is known of the program and its file"))
        self.page.setTabChangesFocus(True)
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setTextVisible(False)
        self.verdict = Message()
        self.check = self._button(translate("Diagnostics", "&Check the file"))
        self.back_up = self._button(translate("Diagnostics", "&Back up now"))
        self.restore = self._button(translate("Diagnostics", "&Restore a backup ..."))
        self.data = self._button(translate("Diagnostics", "Open the &data folder"))
        self.log = self._button(translate("Diagnostics", "Open the &log folder"))
        self.copy = self._button(translate("Diagnostics", "C&opy all"))
        side = QVBoxLayout()
        for each in (self.check, self.back_up, self.restore, self.data, self.log, self.copy):
            side.addWidget(each)
        side.addStretch(1)
        body = QHBoxLayout()
        body.addWidget(self.page, 1)
        body.addLayout(side)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        _plain(buttons, translate("Diagnostics", "Close")).setAutoDefault(False)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(body, 1)
        layout.addWidget(self.bar)
        layout.addWidget(self.verdict)
        layout.addWidget(buttons)
        unit = self.fontMetrics()
        self.resize(QSize(unit.averageCharWidth() * 115, unit.height() * 30))
        self.check.clicked.connect(lambda: start(view_model.check()))
        self.back_up.clicked.connect(lambda: start(view_model.back_up()))
        self.restore.clicked.connect(self.restore_asked)
        self.data.clicked.connect(view_model.open_data_folder)
        self.log.clicked.connect(view_model.open_log_folder)
        self.copy.clicked.connect(view_model.copy)
        self._stop = view_model.changed.connect(self._show)
        self.destroyed.connect(self._stop)
        self._show()

    def open(self) -> None:
        """Show it, with what is quickly read."""
        start(self._view_model.look())
        super().open()

    def let_go(self) -> None:
        """Listen no more."""
        self._stop()

    def _button(self, text: str) -> QPushButton:
        button = QPushButton(text)
        button.setAutoDefault(False)
        return button

    def _show(self) -> None:
        view_model = self._view_model
        text = _as_html(view_model)
        if text != self.page.property("shown"):
            self.page.setProperty("shown", text)
            self.page.setHtml(text)
        self.bar.setVisible(bool(view_model.busy))
        self.bar.setAccessibleName(view_model.busy)
        self.verdict.say(view_model.busy or view_model.verdict, wrong=not view_model.well)
        self.verdict.setVisible(bool(view_model.busy or view_model.verdict))
        for each in (self.check, self.back_up, self.restore):
            each.setEnabled(view_model.has_file and not view_model.busy)
        close_for_good([self.back_up, self.restore], view_model.read_only)
        self.data.setEnabled(view_model.has_file)
        self.log.setEnabled(view_model.has_log)


def _as_html(view_model: Diagnostics) -> str:
    parts = []
    for title, facts in view_model.sections:
        rows = ""
        for each in facts:
            label = html.escape(each.label[:1].upper() + each.label[1:])
            rows += f"<tr><td style='padding-right: 12px; white-space: nowrap'>{label}</td>"
            rows += f"<td>{html.escape(each.text)}</td></tr>"
        parts.append(f"<h4>{html.escape(title)}</h4><table>{rows}</table>")
    return "".join(parts)


class BackupsDialog(QDialog):
    """Choosing a backup to be put in the place of the file. `chosen` has its path when it is accepted."""

    def __init__(self, view_model: Diagnostics, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view_model = view_model
        self._shown: tuple[BackupRow, ...] | None = None
        self.setWindowTitle(translate("Diagnostics", "Restore a backup"))
        text = QLabel(
            translate(
                "Diagnostics",
                "What runs is parked, the backup takes the place of the file, and the window opens again. "
                "The file as it is now is kept beside it; what was recorded since the backup is only there.",
            )
        )
        text.setWordWrap(True)
        self.list = QTreeWidget()
        self.list.setRootIsDecorated(False)
        make_roomy(self.list)
        self.list.setHeaderLabels([translate("Diagnostics", "Made"), translate("Diagnostics", "Holds")])
        self.list.setAccessibleName(translate("Diagnostics", "Backups"))
        self._message = Message()
        buttons = QDialogButtonBox.StandardButton
        self._box = QDialogButtonBox(buttons.Ok | buttons.Cancel)
        _plain(self._box, translate("Diagnostics", "Cancel"), buttons.Cancel)
        self.restore = _plain(self._box, translate("Diagnostics", "Restore"), buttons.Ok)
        self.elsewhere = QPushButton(translate("Diagnostics", "&Another file ..."))
        self.elsewhere.setAutoDefault(False)
        self._box.addButton(self.elsewhere, QDialogButtonBox.ButtonRole.ActionRole)
        self.elsewhere.clicked.connect(self._choose)
        self.files: QFileDialog | None = None
        # What a person presses without reading must not be what changes something.
        self.restore.setAutoDefault(False)
        self.restore.setDefault(False)
        self._box.button(buttons.Cancel).setDefault(True)
        self._box.accepted.connect(self.accept)
        self._box.rejected.connect(self.reject)
        self.list.itemSelectionChanged.connect(self._enable)
        layout = QVBoxLayout(self)
        for each in (text, self.list, self._message, self._box):
            layout.addWidget(each)
        unit = self.fontMetrics()
        self.resize(QSize(unit.averageCharWidth() * 75, unit.height() * 20))
        self._stop = view_model.changed.connect(self._show)
        self.destroyed.connect(self._stop)
        self._show()

    def open(self) -> None:
        """Show it, and read which backups there are."""
        start(self._view_model.read_backups())
        super().open()

    def let_go(self) -> None:
        """Listen no more."""
        self._stop()

    @property
    def chosen(self) -> BackupRow | None:
        """The one that is chosen."""
        items = self.list.selectedItems()
        rows = self._shown or ()
        return rows[self.list.indexOfTopLevelItem(items[0])] if items else None

    def _choose(self) -> None:
        if self.files is None:
            self.files = QFileDialog(self, translate("Diagnostics", "Choose a backup"))
            self.files.setFileMode(QFileDialog.FileMode.ExistingFile)
            self.files.fileSelected.connect(lambda name: start(self._view_model.add_backup(Path(name))))
        self.files.open()

    def _show(self) -> None:
        rows = self._view_model.backups
        if self._view_model.refused:
            self._message.say(self._view_model.refused, wrong=True)
        elif rows is None:
            self._message.say(translate("Diagnostics", "Reading the backups ..."))
        elif not rows:
            text = translate("Diagnostics", "There is no backup yet, in {folder}.")
            self._message.say(text.format(folder=self._view_model.backups_place))
        else:
            text = translate("Diagnostics", "They are in {folder}.")
            self._message.say(text.format(folder=self._view_model.backups_place))
        if rows is not None and rows != self._shown:
            self._shown = rows
            self.list.clear()
            for row in rows:
                item = QTreeWidgetItem([row.made, row.holds])
                if not row.usable:
                    item.setDisabled(True)
                self.list.addTopLevelItem(item)
                if row.usable and not self.list.selectedItems():
                    self.list.setCurrentItem(item)
            self.list.resizeColumnToContents(0)
        self._enable()

    def _enable(self) -> None:
        chosen = self.chosen
        self.restore.setEnabled(chosen is not None and chosen.usable)


def _plain(
    box: QDialogButtonBox,
    text: str,
    which: QDialogButtonBox.StandardButton = QDialogButtonBox.StandardButton.Close,
) -> QPushButton:
    button = box.button(which)
    button.setIcon(QIcon())  # where the platform has none of its own, Qt draws some of another age
    button.setText(text)
    return button
