"""The dialog that starts a workflow: the tasks at the left, if there are several, the form at the right."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFont, QIcon, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.form import FormWidget, Message
from stepfast_desktop.qt.palette import quiet
from stepfast_desktop.qt.slots import start
from stepfast_desktop.viewmodels.new_workflow import Choice, NewWorkflowViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["NewWorkflowDialog"]

NAME = Qt.ItemDataRole.UserRole


class NewWorkflowDialog(QDialog):
    """Shows a `NewWorkflowViewModel`. Never modal: a folder can still be dropped on the window behind it."""

    _listed: tuple[Choice, ...] = ()

    def __init__(self, view_model: NewWorkflowViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view_model = view_model
        self.setWindowTitle(translate("NewWorkflow", "New workflow"))
        self.setModal(False)
        self.tasks = QListWidget()
        self.tasks.setAccessibleName(translate("NewWorkflow", "Tasks"))
        self.tasks.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.tasks.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.title = QLabel()
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setWordWrap(True)
        self.summary = Message()
        self.form = FormWidget()
        self.error = Message()
        buttons = QDialogButtonBox.StandardButton
        self._box = QDialogButtonBox(buttons.Ok | buttons.Cancel)
        self.start_button = self._box.button(buttons.Ok)
        self.cancel_button = self._box.button(buttons.Cancel)
        self.start_button.setText(translate("NewWorkflow", "Start"))
        self.start_button.setDefault(True)
        for each in (self.start_button, self.cancel_button):
            each.setIcon(QIcon())  # where the platform has none of its own, Qt draws some of another age
        self.cancel_button.setAutoDefault(False)
        self._arrange()
        self.tasks.currentItemChanged.connect(self._choose)
        self._box.accepted.connect(self._start)
        self._box.rejected.connect(self.reject)
        # Enter goes into the text where there are several lines; this one always starts.
        QShortcut(QKeySequence("Ctrl+Return"), self, self._start)
        self._stop = view_model.changed.connect(self._show)
        # A function that knows the Event alone: `self` is half gone by then.
        stop = self._stop
        self.destroyed.connect(stop)
        self._show()

    def _arrange(self) -> None:
        unit = self.fontMetrics().height()
        self.title.setFont(_larger(self.title))
        right = QVBoxLayout()
        right.setSpacing(unit // 3)
        right.addWidget(self.title)
        right.addWidget(self.summary)
        right.addSpacing(unit)
        right.addWidget(self.form, 1)
        body = QHBoxLayout()
        body.setSpacing(unit * 3 // 2)
        body.addWidget(self.tasks)
        body.addLayout(right, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(unit * 3 // 2, unit * 5 // 4, unit * 3 // 2, unit)
        whole.setSpacing(unit * 3 // 4)
        whole.addLayout(body, 1)
        whole.addWidget(self.error)
        whole.addWidget(self._box)

    # --- opening and closing ----------------------------------------------------------------------

    def open(self) -> None:
        """Show it, in front, and come back at once."""
        if not self.isVisible():
            self._view_model.look()
            self._fit()
        self.show()
        self.raise_()
        self.activateWindow()
        self.form.go_to_first()

    def reject(self) -> None:
        """Closed without a start, or before one has come to its end: that goes on, and its row will show."""
        if not self._view_model.starting:
            self._view_model.discard()
        super().reject()

    def let_go(self) -> None:
        """Listen no more, so that nothing keeps this dialog."""
        self._stop()
        self.form.let_go()

    def _fit(self) -> None:
        """As large as the form, within what the screen has room for."""
        room = self.screen().availableSize() * 0.85
        self.resize(self.sizeHint().boundedTo(QSize(room.width(), room.height())))

    # --- showing ----------------------------------------------------------------------------------

    def _show(self) -> None:
        view_model = self._view_model
        choice, form = view_model.choice, view_model.form
        self._show_tasks()
        self.title.setText(choice.title if choice else translate("NewWorkflow", "There is nothing to start"))
        said = (choice.refusal or choice.summary) if choice else ""
        self.summary.say(said)
        self.summary.setVisible(bool(said))
        if self.form.show_form(form) and (last := self.form.last) is not None:
            # What is made later comes later in Qt's order.
            QWidget.setTabOrder(last, self.start_button)
            QWidget.setTabOrder(self.start_button, self.cancel_button)
        error = view_model.error or (form.error if form is not None else "")
        self.error.say(error, wrong=True)
        self.error.setVisible(bool(error))
        self.form.setEnabled(not view_model.starting)
        self.start_button.setEnabled(view_model.startable)
        leave, close = translate("NewWorkflow", "Cancel"), translate("NewWorkflow", "Close")
        self.cancel_button.setText(close if view_model.starting else leave)

    def _show_tasks(self) -> None:
        choices = self._view_model.choices
        if choices != self._listed:
            self._listed = choices
            self.tasks.blockSignals(True)
            self.tasks.clear()
            metrics = self.tasks.fontMetrics()
            high, unit = metrics.height() * 2, metrics.averageCharWidth()
            for each in choices:
                item = QListWidgetItem(each.title)
                item.setData(NAME, each.name)
                item.setSizeHint(QSize(0, high))
                # It can be chosen all the same, by keyboard too: that is how one reads why not.
                if each.refusal:
                    item.setForeground(quiet(self.palette()))
                self.tasks.addItem(item)
            self.tasks.blockSignals(False)
            widest = max((metrics.horizontalAdvance(each.title) for each in choices), default=0)
            self.tasks.setFixedWidth(min(max(widest + unit * 4, unit * 24), unit * 52))
            self.tasks.setVisible(len(choices) > 1)
        row = next((at for at, each in enumerate(choices) if each.name == self._view_model.chosen), -1)
        if row != self.tasks.currentRow():
            self.tasks.blockSignals(True)
            self.tasks.setCurrentRow(row)
            self.tasks.blockSignals(False)

    # --- what a person does -----------------------------------------------------------------------

    def _choose(self, item: QListWidgetItem | None, _before: object = None) -> None:
        if item is not None:
            self._view_model.choose(item.data(NAME))

    def _start(self) -> None:
        form = self._view_model.form
        if self._view_model.startable:
            start(self._starting())
        elif form is not None and not self._view_model.starting:
            form.show_errors()
            self.form.go_to_first()

    async def _starting(self) -> None:
        started = await self._view_model.start()
        try:
            if started is not None:
                self.accept()
                return
            # It may have been closed meanwhile; what came to nothing must be seen all the same.
            self.show()
            self.start_button.setFocus(Qt.FocusReason.OtherFocusReason)
        except RuntimeError:
            pass  # the window is gone, and so is this dialog

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._listed:
            self._listed = ()
            self._show_tasks()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        entered = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if entered and not self.start_button.isEnabled():
            # A dialog does nothing then, and nobody would know why.
            self._start()
            return
        super().keyPressEvent(event)


def _larger(label: QLabel) -> QFont:
    font = label.font()
    font.setPointSizeF(font.pointSizeF() * 1.3)
    font.setWeight(QFont.Weight.DemiBold)
    return font
