"""The dialog in which a schedule is made or changed: its name, the task and its form, and when it runs."""

from __future__ import annotations

from datetime import time

from PySide6.QtCore import QSize, QTime
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QStackedWidget,
    QTimeEdit,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.message import Message
from stepfast_desktop.qt.slots import start
from stepfast_desktop.qt.starting.form import FormWidget
from stepfast_desktop.viewmodels.tools.schedule_editor import UNITS, ScheduleEditor, day_names
from stepfast_desktop.viewmodels.words import translate

__all__ = ["ScheduleEditorDialog"]

MOST = 9999


class ScheduleEditorDialog(QDialog):
    """Shows a `ScheduleEditor`."""

    def __init__(self, editor: ScheduleEditor, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        new, change = translate("Schedules", "New schedule"), translate("Schedules", "Change a schedule")
        self.setWindowTitle(new if editor.is_new else change)
        unit = self.fontMetrics().height()
        self.name = QLineEdit(editor.name)
        self.name.setEnabled(editor.is_new)
        self.name.setPlaceholderText(translate("Schedules", "for instance: nightly-copy"))
        self._name_message = Message(line=True)
        self.task = QComboBox()
        # As wide as the rest, and not as the longest title that a definition has.
        self.task.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.task.setMinimumContentsLength(24)
        for choice, title in editor.choices:
            self.task.addItem(title, choice)
        self.task.setCurrentIndex(self.task.findData(editor.chosen))
        self._make_rule()
        name, when = translate("Schedules", "&Name"), translate("Schedules", "&When")
        task = translate("Schedules", "&Task")
        make_up = translate("Schedules", "Make &up for missed runs, with one")
        self.make_up = QCheckBox(make_up)
        self.make_up.setChecked(editor.make_up)
        top = QFormLayout()
        top.addRow(name, self.name)
        top.addRow("", self._name_message)
        how = QLabel(when)
        how.setBuddy(self.how)  # a label passes the keyboard to none that only has a proxy
        top.addRow(how, self._rule)
        top.addRow("", self._rule_message)
        top.addRow("", self.make_up)
        top.addRow(task, self.task)
        self.form = FormWidget(beside=(name, when, task, make_up))
        self._elsewhere = Message()
        self._elsewhere.say(
            translate("Schedules", "This task belongs to another program; its input stays as it is.")
        )
        self._error = Message()
        buttons = QDialogButtonBox.StandardButton
        self._box = QDialogButtonBox(buttons.Ok | buttons.Cancel)
        self.save = self._box.button(buttons.Ok)
        self.save.setText(translate("Schedules", "Save"))
        self._box.button(buttons.Cancel).setText(translate("Schedules", "Cancel"))
        for each in self._box.buttons():
            each.setIcon(QIcon())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(unit, unit, unit, unit)
        layout.addLayout(top)
        layout.addSpacing(unit // 2)
        layout.addWidget(self._elsewhere)
        layout.addWidget(self.form, 1)
        layout.addWidget(self._error)
        layout.addSpacing(unit // 2)
        layout.addWidget(self._box)
        self._connect()
        self._stop = editor.changed.connect(self._show)
        self.destroyed.connect(self._stop)
        self._show()
        # After the form is there, whose height decides.
        room = self.screen().availableSize() * 0.85
        self.resize(self.sizeHint().boundedTo(QSize(room.width(), room.height())))

    def let_go(self) -> None:
        """Listen no more."""
        self._stop()
        self.form.let_go()

    def _make_rule(self) -> None:
        editor = self._editor
        self.how = QComboBox()
        for value, label in (
            ("daily", translate("Schedules", "daily at")),
            ("weekly", translate("Schedules", "on some days of the week at")),
            ("every", translate("Schedules", "again and again, every")),
        ):
            self.how.addItem(label, value)
        self.how.setCurrentIndex(self.how.findData(editor.how))
        self.how.setAccessibleName(translate("Schedules", "When"))
        self.at = QTimeEdit(QTime(editor.at.hour, editor.at.minute))
        self.at.setDisplayFormat("HH:mm")
        self.at.setAccessibleName(translate("Schedules", "Time of day"))
        self._value = QStackedWidget()
        self._value.addWidget(self.at)
        self._value.addWidget(self._make_interval())
        self._days = self._make_days()
        self._rule = QWidget()
        first = QHBoxLayout()
        first.addWidget(self.how)
        first.addWidget(self._value)
        first.addStretch(1)
        rows = QVBoxLayout(self._rule)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addLayout(first)
        rows.addWidget(self._days)
        self._rule.setFocusProxy(self.how)
        self._rule_message = Message(line=True)

    def _make_interval(self) -> QWidget:
        editor = self._editor
        self.number = QSpinBox()
        self.number.setRange(1, MOST)
        self.number.setValue(editor.number)
        self.number.setAccessibleName(translate("Schedules", "How many"))
        self.unit = QComboBox()
        labels = {
            "minutes": translate("Schedules", "minutes"),
            "hours": translate("Schedules", "hours"),
            "days": translate("Schedules", "days"),
            "seconds": translate("Schedules", "seconds"),
        }
        for each in UNITS:
            self.unit.addItem(labels[each], each)
        self.unit.setCurrentIndex(self.unit.findData(editor.unit))
        self.unit.setAccessibleName(translate("Schedules", "Of what"))
        interval = QWidget()
        line = QHBoxLayout(interval)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.number)
        line.addWidget(self.unit)
        return interval

    def _make_days(self) -> QWidget:
        self.days = {day: QCheckBox(label) for day, label in day_names().items()}
        days = QWidget()
        line = QHBoxLayout(days)
        line.setContentsMargins(0, 0, 0, 0)
        for day, box in self.days.items():
            box.setChecked(day in self._editor.days)
            line.addWidget(box)
        line.addStretch(1)
        return days

    def _connect(self) -> None:
        set = self._editor.set
        self.name.textEdited.connect(lambda text: set(name=text.strip()))
        self.task.activated.connect(lambda _place: set(chosen=self.task.currentData()))
        self.how.activated.connect(lambda _place: set(how=self.how.currentData()))
        self.unit.activated.connect(lambda _place: set(unit=self.unit.currentData()))
        self.number.valueChanged.connect(lambda value: set(number=value))
        self.at.timeChanged.connect(lambda at: set(at=time(at.hour(), at.minute())))
        self.make_up.clicked.connect(lambda on: set(make_up=on))
        for box in self.days.values():
            box.clicked.connect(self._set_days)
        self._box.accepted.connect(self._save)
        self._box.rejected.connect(self.reject)

    def _set_days(self) -> None:
        self._editor.set(days=frozenset(day for day, box in self.days.items() if box.isChecked()))

    def _show(self) -> None:
        editor = self._editor
        form = editor.form
        problem = editor.name_problem if editor.name_touched and editor.is_new else ""
        hint = "" if editor.is_new else translate("Schedules", "A name stays; its runs are called by it.")
        self._name_message.say(problem or hint, wrong=bool(problem))
        self.name.setAccessibleDescription(problem)
        self._rule_message.say(editor.rule_problem, wrong=True)
        self._value.setCurrentIndex(1 if editor.how == "every" else 0)
        self._days.setVisible(editor.how == "weekly")
        self.form.show_form(form)
        self.form.setVisible(form is not None)
        self._elsewhere.setVisible(form is None)
        error = editor.error or (form.error if form is not None else "")
        self._error.say(error, wrong=True)
        self._error.setVisible(bool(error))

    def _save(self) -> None:
        start(self._saving(), disabling=self.save)

    async def _saving(self) -> None:
        saved = await self._editor.save()
        try:
            if saved:
                self.accept()
            elif self._editor.name_problem:
                self.name.setFocus()
            elif not self._editor.rule_problem:
                self.form.go_to_first()
        except RuntimeError:
            pass  # the window is gone, and so is this dialog
