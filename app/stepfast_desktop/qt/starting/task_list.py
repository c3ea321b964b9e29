"""The list of what can be started, with a field to search in where it is long."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from stepfast_desktop.qt.palette import quiet
from stepfast_desktop.viewmodels.starting.new_workflow import Choice, NewWorkflowViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["TaskList"]

NAME = Qt.ItemDataRole.UserRole
PRESET = Qt.ItemDataRole.UserRole + 1

FEW = 8
"""So many are seen at one glance; of more, one searches."""


class TaskList(QWidget):
    """Shows the choices of a view model. `chosen` is told the name, and the title of a preset or nothing."""

    chosen = Signal(str, str)

    _listed: tuple[Choice, ...] = ()  # of the class too: Qt sends events from within __init__

    def __init__(self, view_model: NewWorkflowViewModel) -> None:
        super().__init__()
        self._view_model = view_model
        self.search = QLineEdit()
        self.search.setPlaceholderText(translate("NewWorkflow", "Search"))
        self.search.setAccessibleName(translate("NewWorkflow", "Search the tasks"))
        self.search.setClearButtonEnabled(True)
        self.list = QListWidget()
        self.list.setAccessibleName(translate("NewWorkflow", "Tasks"))
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        self.setFocusProxy(self.list)
        self.search.textChanged.connect(lambda _text: self.refresh())
        self.search.installEventFilter(self)
        self.list.currentItemChanged.connect(self._chose)

    def refresh(self) -> None:
        """Show what the view model says."""
        every = self._view_model.choices
        self.search.setVisible(len(every) > FEW)
        self.setVisible(len(every) > 1)
        choices = tuple(self._view_model.matching(self.search.text()))
        if choices != self._listed:
            self._listed = choices
            self._fill(choices)
        self._mark()

    def _fill(self, choices: tuple[Choice, ...]) -> None:
        self.list.blockSignals(True)
        self.list.clear()
        metrics = self.list.fontMetrics()
        high, unit = metrics.height() * 2, metrics.averageCharWidth()
        titles = [f"    {each.title}" if each.preset else each.title for each in choices]
        for each, title in zip(choices, titles, strict=True):
            item = QListWidgetItem(title)
            item.setData(NAME, each.name)
            item.setData(PRESET, each.preset)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, each.title)
            item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, each.refusal or each.summary)
            item.setToolTip(each.summary)
            item.setSizeHint(QSize(0, high))
            # It can be chosen all the same, by keyboard too: that is how one reads why not.
            if each.refusal:
                item.setForeground(quiet(self.palette()))
            self.list.addItem(item)
        self.list.blockSignals(False)
        if not self.search.text():
            widest = max((metrics.horizontalAdvance(each) for each in titles), default=0)
            self.setFixedWidth(min(max(widest + unit * 4, unit * 24), unit * 52))

    def _mark(self) -> None:
        wanted = (self._view_model.chosen or "", self._view_model.preset)
        places = {(each.name, each.preset): at for at, each in enumerate(self._listed)}
        row = places.get(wanted, places.get((wanted[0], ""), -1))
        if row != self.list.currentRow():
            self.list.blockSignals(True)
            self.list.setCurrentRow(row)
            self.list.blockSignals(False)

    def _chose(self, item: QListWidgetItem | None, _before: object = None) -> None:
        if item is not None:
            self.chosen.emit(item.data(NAME), item.data(PRESET))

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
                # What was found is what one wants next.
                if self.list.count():
                    self.list.setCurrentRow(max(self.list.currentRow(), 0))
                    self.list.setFocus(Qt.FocusReason.OtherFocusReason)
                return True
            if event.key() == Qt.Key.Key_Escape and self.search.text():
                self.search.clear()
                return True
        return False

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._listed:
            self._fill(self._listed)
            self._mark()
