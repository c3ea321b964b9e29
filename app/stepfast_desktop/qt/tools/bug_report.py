"""The dialog that writes one workflow into a file for a bug report, and shows before what will be in it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QFontDatabase, QIcon
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.message import Message
from stepfast_desktop.qt.slots import start
from stepfast_desktop.viewmodels.trouble.bug_report import BugReport
from stepfast_desktop.viewmodels.trouble.mishaps import Desktop
from stepfast_desktop.viewmodels.words import translate

__all__ = ["BugReportDialog"]


class BugReportDialog(QDialog):
    """Shows a `BugReport`. `written` has the path of the file, once there is one."""

    written = Signal(str)

    def __init__(self, report: BugReport, desktop: Desktop, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._report = report
        self.files: QFileDialog | None = None
        self.setWindowTitle(translate("BugReport", "Export for a bug report"))
        text = QLabel(
            translate(
                "BugReport",
                "This is what will be in the file. It is written here, and sent to nobody. Read it before "
                "you hand it on: messages of errors may name files.",
            )
        )
        text.setWordWrap(True)
        self.values = QCheckBox(translate("BugReport", "With the &values of inputs, results and steps"))
        self.log = QCheckBox(translate("BugReport", "With the &lines of its log"))
        self.preview = QPlainTextEdit()
        self.preview.setReadOnly(True)
        self.preview.setTabChangesFocus(True)
        self.preview.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.preview.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.preview.setAccessibleName(translate("BugReport", "What will be in the file"))
        self._error = Message()
        buttons = QDialogButtonBox.StandardButton
        self._box = QDialogButtonBox(buttons.Save | buttons.Cancel)
        self.save = self._box.button(buttons.Save)
        self.save.setText(translate("BugReport", "&Save ..."))
        self._box.button(buttons.Cancel).setText(translate("BugReport", "Cancel"))
        action = QDialogButtonBox.ButtonRole.ActionRole
        self.copy = self._box.addButton(translate("BugReport", "&Copy"), action)
        for each in self._box.buttons():
            each.setIcon(QIcon())
        layout = QVBoxLayout(self)
        for widget in (text, self.values, self.log, self.preview, self._error, self._box):
            layout.addWidget(widget)
        unit = self.fontMetrics()
        self.resize(QSize(unit.averageCharWidth() * 100, unit.height() * 34))
        self.values.clicked.connect(lambda on: report.want(values=on))
        self.log.clicked.connect(lambda on: report.want(log=on))
        self.copy.clicked.connect(lambda: desktop.copy(report.text))
        self._box.accepted.connect(self._choose)
        self._box.rejected.connect(self.reject)
        self._stop = report.changed.connect(self._show)
        self.destroyed.connect(self._stop)
        self._show()

    def open(self) -> None:
        """Show it, and read the workflow."""
        start(self._report.read())
        super().open()

    def let_go(self) -> None:
        """Listen no more."""
        self._stop()

    def _show(self) -> None:
        report = self._report
        self.values.setChecked(report.values)
        self.log.setChecked(report.log)
        if self.preview.toPlainText() != report.text:
            self.preview.setPlainText(report.text)
        self._error.say(report.error, wrong=True)
        self._error.setVisible(bool(report.error))
        self.save.setEnabled(bool(report.text))
        self.copy.setEnabled(bool(report.text))

    def _choose(self) -> None:
        if self.files is None:
            self.files = QFileDialog(self, translate("BugReport", "Save the report"))
            self.files.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
            # Nothing is overwritten in any case: another name is asked for where there is one.
            self.files.setOption(QFileDialog.Option.DontConfirmOverwrite)
            self.files.selectFile(self._report.file_name)
            self.files.fileSelected.connect(lambda name: start(self.write(Path(name))))
        self.files.open()

    async def write(self, target: Path) -> None:
        """Write it, and close this where that went well."""
        if await self._report.save(target):
            self.written.emit(str(target))
            self.accept()
