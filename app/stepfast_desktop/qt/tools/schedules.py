"""The schedules: a list of them, and what can be done with the one that is chosen."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QIcon, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.message import Message
from stepfast_desktop.qt.roomy import make_roomy
from stepfast_desktop.qt.slots import start
from stepfast_desktop.qt.tools.schedule_editor import ScheduleEditorDialog
from stepfast_desktop.viewmodels.tools.schedule_editor import ScheduleEditor
from stepfast_desktop.viewmodels.tools.schedules import SchedulesViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["SchedulesDialog"]


class SchedulesDialog(QDialog):
    """Shows a `SchedulesViewModel`, which follows the file while this is open."""

    def __init__(self, view_model: SchedulesViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view_model = view_model
        self.editor: ScheduleEditorDialog | None = None
        self.setWindowTitle(translate("Schedules", "Schedules"))
        self.list = self._make_list()
        self._nothing = QLabel(
            translate(
                "Schedules",
                "Nothing is scheduled. A schedule starts a workflow again and again, whenever Stepfast is "
                "open, or at work in the background.",
            )
        )
        self._nothing.setWordWrap(True)
        self._error = Message()
        self.new = self._button(translate("Schedules", "&New ..."))
        self.edit = self._button(translate("Schedules", "&Edit ..."))
        self.run = self._button(translate("Schedules", "&Run now"))
        self._words = translate("Schedules", "Switch o&ff"), translate("Schedules", "Switch &on")
        self.switch = self._button(self._words[0])
        self.remove = self._button(translate("Schedules", "Re&move"))
        self.undo = self._button(translate("Schedules", "&Undo remove"))
        self._lay_out()
        self._connect()
        self._stop = view_model.changed.connect(self._show)
        self.destroyed.connect(self._stop)
        self._show()

    @staticmethod
    def _make_list() -> QTreeWidget:
        made = QTreeWidget()
        made.setRootIsDecorated(False)
        make_roomy(made)
        made.setUniformRowHeights(True)
        made.setAlternatingRowColors(True)
        made.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        made.setAccessibleName(translate("Schedules", "Schedules"))
        made.setHeaderLabels(
            [
                translate("Schedules", "Name"),
                translate("Schedules", "Task"),
                translate("Schedules", "When"),
                translate("Schedules", "Next"),
                translate("Schedules", "Last"),
            ]
        )
        header = made.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        return made

    def _lay_out(self) -> None:
        side = QVBoxLayout()
        for each in (self.new, self.edit, self.run, self.switch, self.remove, self.undo):
            side.addWidget(each)
        side.addStretch(1)
        body = QHBoxLayout()
        body.addWidget(self.list, 1)
        body.addLayout(side)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close = buttons.button(QDialogButtonBox.StandardButton.Close)
        close.setIcon(QIcon())
        close.setText(translate("Schedules", "Close"))
        close.setAutoDefault(False)
        buttons.rejected.connect(self.reject)
        unit = self.fontMetrics().height()
        layout = QVBoxLayout(self)
        layout.setSpacing(unit // 2)
        layout.addWidget(self._nothing)
        layout.addLayout(body, 1)
        layout.addWidget(self._error)
        layout.addWidget(buttons)
        self.resize(QSize(self.fontMetrics().averageCharWidth() * 150, unit * 20))

    def _connect(self) -> None:
        view_model = self._view_model
        self.new.clicked.connect(lambda: self._open(view_model.new()))
        self.edit.clicked.connect(self._edit)
        self.run.clicked.connect(self._run)
        self.switch.clicked.connect(self._switch)
        self.remove.clicked.connect(self._remove)
        self.undo.clicked.connect(lambda: start(view_model.undo(), disabling=self.undo))
        QShortcut(QKeySequence(QKeySequence.StandardKey.Undo), self, self.undo.click)
        self.list.itemSelectionChanged.connect(self._enable)
        self.list.itemActivated.connect(lambda _item, _column: self._edit())
        self.list.installEventFilter(self)

    def open(self) -> None:
        """Show it, and follow the file until it is closed."""
        self._view_model.follow()
        super().open()

    def done(self, result: int) -> None:
        self._view_model.rest()
        super().done(result)

    def let_go(self) -> None:
        """Listen no more."""
        self._stop()
        if self.editor is not None:
            self.editor.let_go()

    @property
    def chosen(self) -> str | None:
        """The name of the schedule that is chosen."""
        items = self.list.selectedItems()
        return items[0].text(0) if items else None

    def _button(self, text: str) -> QPushButton:
        button = QPushButton(text)
        button.setAutoDefault(False)
        return button

    def _show(self) -> None:
        rows = self._view_model.rows
        chosen = self.chosen
        self.list.setUpdatesEnabled(False)
        first = self.list.topLevelItemCount() == 0
        while self.list.topLevelItemCount() > len(rows):
            self.list.takeTopLevelItem(self.list.topLevelItemCount() - 1)
        for place, row in enumerate(rows):
            item = self.list.topLevelItem(place)
            if item is None:
                item = QTreeWidgetItem()
                self.list.addTopLevelItem(item)
            for column, text in enumerate((row.name, row.task, row.rule, row.following, row.last)):
                if item.text(column) != text:
                    item.setText(column, text)
                    item.setToolTip(column, text)
            if row.name == chosen:
                self.list.setCurrentItem(item)
        if chosen is not None and all(row.name != chosen for row in rows):
            self.list.clearSelection()
        self._widen()
        if first and rows:
            top = self.list.topLevelItem(0)
            if chosen is None and top is not None:
                self.list.setCurrentItem(top)
        self.list.setUpdatesEnabled(True)
        self._nothing.setVisible(not rows)
        self._error.say(self._view_model.error, wrong=True)
        self._error.setVisible(bool(self._view_model.error))
        self._enable()

    def _widen(self) -> None:
        """Columns as wide as what is in them; one that a person made wider stays so."""
        roomy = self.fontMetrics().averageCharWidth() * 3
        for column in range(4):
            wide = self.list.sizeHintForColumn(column) + roomy
            if self.list.columnWidth(column) < wide:
                self.list.setColumnWidth(column, wide)

    def _enable(self) -> None:
        for each in (self.edit, self.run, self.switch, self.remove):
            each.setEnabled(self.chosen is not None)
        off = any(not row.on for row in self._view_model.rows if row.name == self.chosen)
        self.switch.setText(self._words[off])
        self.undo.setEnabled(self._view_model.removed is not None)

    # --- what a person does -----------------------------------------------------------------------

    def _edit(self) -> None:
        if (name := self.chosen) is not None:
            self._open(self._view_model.edit(name))

    def _open(self, editor: ScheduleEditor) -> None:
        if self.editor is not None:
            self.editor.let_go()
            self.editor.deleteLater()
        self.editor = ScheduleEditorDialog(editor, self)
        self.editor.accepted.connect(self._view_model.touch)
        self.editor.open()

    def _run(self) -> None:
        if (name := self.chosen) is not None:
            start(self._view_model.run_now(name), disabling=self.run)

    def _switch(self) -> None:
        if (name := self.chosen) is not None:
            start(self._view_model.switch(name), disabling=self.switch)

    def _remove(self) -> None:
        if (name := self.chosen) is not None:
            start(self._view_model.remove(name))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            watched is self.list
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Delete
        ):
            self._remove()
            return True
        return super().eventFilter(watched, event)
