"""The dialog that starts a workflow: the tasks at the left, if there are several, the form at the right."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QFont, QIcon, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.labels import ModestLabel
from stepfast_desktop.qt.message import Message
from stepfast_desktop.qt.slots import start
from stepfast_desktop.qt.starting.findings import FindingsView
from stepfast_desktop.qt.starting.form import FormWidget
from stepfast_desktop.qt.starting.presets_menu import PresetsButton
from stepfast_desktop.qt.starting.task_list import TaskList
from stepfast_desktop.viewmodels.starting.new_workflow import NewWorkflowViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["NewWorkflowDialog"]


class NewWorkflowDialog(QDialog):
    """Shows a `NewWorkflowViewModel`. Modal only above what is: folders are dropped on the window behind."""

    def __init__(self, view_model: NewWorkflowViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view_model = view_model
        self.setWindowTitle(translate("NewWorkflow", "New workflow"))
        self.setModal(False)
        self.task_list = TaskList(view_model)
        self.presets = PresetsButton(view_model)
        self.title = ModestLabel()
        self.title.setWordWrap(True)
        self.summary = Message()
        self.note = Message()
        self.form = FormWidget()
        self.findings = FindingsView()
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
        self.task_list.chosen.connect(view_model.choose)
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
        above = QHBoxLayout()
        above.setSpacing(unit)
        above.addWidget(self.title, 1)
        above.addWidget(self.presets, 0, Qt.AlignmentFlag.AlignTop)
        right.addLayout(above)
        right.addWidget(self.summary)
        right.addWidget(self.note)
        right.addSpacing(unit)
        right.addWidget(self.form, 1)
        right.addWidget(self.findings)
        body = QHBoxLayout()
        body.setSpacing(unit * 3 // 2)
        body.addWidget(self.task_list)
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
        self.form.unfold_what_is_used()
        self._come_above_what_is_modal()
        self.show()
        self._grow()
        self.raise_()
        self.activateWindow()
        self.form.go_to_first()

    def _come_above_what_is_modal(self) -> None:
        """Be modal where another dialog is: a launch may hand over a folder while the settings are open, and
        nobody could come to this dialog behind them."""
        modal: QObject | None = QApplication.activeModalWidget()
        wanted = Qt.WindowModality.NonModal if modal is None else Qt.WindowModality.WindowModal
        while modal is not None:
            if modal is self:
                return  # it is that already, or one of its own boxes is open
            modal = modal.parent()
        if wanted != self.windowModality():
            self.hide()  # what is shown stays what it was
            self.setWindowModality(wanted)

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

    def _grow(self) -> None:
        """As high as what is in it by now, within the same; never less high, under a person's pointer."""
        layout = self.layout()
        if layout is None or not self.isVisible():
            return
        room = int(self.screen().availableSize().height() * 0.85)
        # By the width: a sentence may take two lines of it.
        wanted = max(layout.totalHeightForWidth(self.width()), self.sizeHint().height())
        if self.height() < min(wanted, room):
            self.resize(self.width(), min(wanted, room))

    # --- showing ----------------------------------------------------------------------------------

    def _show(self) -> None:
        view_model = self._view_model
        choice, form = view_model.choice, view_model.form
        self.task_list.refresh()
        self.title.setText(choice.title if choice else translate("NewWorkflow", "There is nothing to start"))
        said = (choice.refusal or choice.summary) if choice else ""
        self.summary.say(said)
        self.summary.setVisible(bool(said))
        self.note.say(view_model.note, wrong=True)
        self.note.setVisible(bool(view_model.note))
        self.presets.refresh()
        self.presets.setVisible(form is not None and bool(form.fields))
        options = view_model.options
        if self.form.show_form(form, options.form if options is not None else None):
            self._order_tabs()
        if form is None:
            self.findings.show_findings((), looking=False, watched=False)
        else:
            self.findings.show_findings(form.findings, looking=form.looking, watched=form.watched)
        error = view_model.error or (form.error if form is not None else "")
        self.error.say(error, wrong=True)
        self.error.setVisible(bool(error))
        self.form.setEnabled(not view_model.starting)
        self.start_button.setText(self._start_text())
        self.start_button.setEnabled(view_model.startable)
        leave, close = translate("NewWorkflow", "Cancel"), translate("NewWorkflow", "Close")
        self.cancel_button.setText(close if view_model.starting else leave)

    def _start_text(self) -> str:
        options = self._view_model.options
        later = options is not None and options.at is not None
        return translate("NewWorkflow", "Start later") if later else translate("NewWorkflow", "Start")

    def _order_tabs(self) -> None:
        # What is made later comes later in Qt's order.
        if (last := self.form.last) is not None:
            QWidget.setTabOrder(last, self.start_button)
            QWidget.setTabOrder(self.start_button, self.cancel_button)

    @property
    def tasks(self) -> QListWidget:
        """The list of the tasks."""
        return self.task_list.list

    # --- what a person does -----------------------------------------------------------------------

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

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._grow()
        return handled

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self._view_model.look_again()

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
