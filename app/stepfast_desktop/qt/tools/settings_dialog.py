"""The settings: three pages of fields, each applied as soon as it is right, or left."""

from __future__ import annotations

from functools import partial
from typing import Protocol

from PySide6.QtCore import Qt
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
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.message import Message
from stepfast_desktop.qt.slots import start
from stepfast_desktop.viewmodels.tools.preferences_page import NumberField, PreferencesPage
from stepfast_desktop.viewmodels.words import translate, without_mnemonic

__all__ = ["NumberRow", "SettingsDialog", "SettingsForm"]


class Numbers(Protocol):
    """Where the fields for numbers come from, and what is typed goes to."""

    def number(self, name: str) -> NumberField: ...

    def write(self, name: str, text: str) -> object: ...

    def leave(self, name: str) -> object: ...


class NumberRow(QWidget):
    """A field for a number, its unit, and below it what is wrong."""

    def __init__(self, page: Numbers, name: str, title: str, unit: str) -> None:
        super().__init__()
        self._field: NumberField = page.number(name)
        self.edit = QLineEdit(self._field.text)
        self.edit.setPlaceholderText(self._field.none)
        self.edit.setAccessibleName(f"{title} ({unit})")
        widest = max(self._field.none, str(self._field.most), key=len)
        margins = self.fontMetrics().averageCharWidth() * 5
        self.edit.setFixedWidth(self.fontMetrics().horizontalAdvance(widest) + margins)
        self.message = Message()
        self.message.setWordWrap(False)  # how high a page is that wraps, no tab knows
        self.message.hide()
        label = QLabel(unit)
        label.setBuddy(self.edit)
        line = QHBoxLayout()
        line.addWidget(self.edit)
        line.addWidget(label)
        line.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(line)
        layout.addWidget(self.message)
        self.setFocusProxy(self.edit)
        self.edit.textEdited.connect(partial(page.write, name))
        self.edit.editingFinished.connect(partial(page.leave, name))

    def show_text(self) -> None:
        """Show what the field has in it, which was not typed here."""
        self.edit.setText(self._field.text)
        self.refresh()

    def refresh(self) -> None:
        self.message.say(self._field.error, wrong=True)
        self.message.setVisible(bool(self._field.error))
        self.edit.setAccessibleDescription(self._field.error)


class SettingsDialog(QDialog):
    """Shows a `PreferencesPage`."""

    def __init__(self, page: PreferencesPage, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._page = page
        self.setWindowTitle(translate("Settings", "Settings"))
        self.numbers: dict[str, NumberRow] = {}
        self.boxes: dict[str, QComboBox] = {}
        self.ticks: dict[str, QCheckBox] = {}
        self.login = QCheckBox(translate("Settings", "&Start Stepfast when I log in"))
        self._login_error = Message()
        self._language_note = Message()
        self.tabs = QTabWidget()
        # On the ground of the window: that of a frame is another one, on which quiet text is hard to read.
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self._general(), translate("Settings", "&General"))
        self.tabs.addTab(self._workflows(), translate("Settings", "&Workflows"))
        self.tabs.addTab(self._notifications(), translate("Settings", "&Notifications"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close = buttons.button(QDialogButtonBox.StandardButton.Close)
        close.setIcon(QIcon())
        close.setText(translate("Settings", "Close"))
        # Enter in a field is how one says that it is filled in.
        close.setAutoDefault(False)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.tabs)
        layout.addWidget(buttons)
        self._stop = page.changed.connect(self._show)
        self.destroyed.connect(self._stop)
        self._show()

    def open(self) -> None:
        """Show it, and see whether the program starts at login by now."""
        if self._page.has_login:
            start(self._page.look_at_login())
        super().open()

    def done(self, result: int) -> None:
        for name in self.numbers:
            self._page.leave(name)
        super().done(result)

    def let_go(self) -> None:
        """Listen no more."""
        self._stop()

    # --- the pages --------------------------------------------------------------------------------

    def _general(self) -> QWidget:
        form = SettingsForm()
        self._choice(form, "appearance", translate("Settings", "&Appearance"))
        self._choice(form, "language", translate("Settings", "&Language"))
        form.note(self._language_note)
        self._choice(form, "closing", translate("Settings", "When the window is &closed"))
        self._choice(form, "log_level", translate("Settings", "Keep in the l&og"))
        form.gap()
        self._tick(form, "tray", translate("Settings", "Show an icon in the &tray, where there is one"))
        if self._page.has_login:
            form.gap()
            form.layout_.addRow(self.login)
            form.note(self._login_error)
            self.login.clicked.connect(self._turn_login)
        return form

    def _workflows(self) -> QWidget:
        form = SettingsForm()
        at_once, most = translate("Settings", "&Run at once"), translate("Settings", "workflows at most")
        self._number(form, "at_once", at_once, most)
        speed = translate("Settings", "&Speed limit for copying")
        self._number(form, "speed_limit", speed, translate("Settings", "MB/s"))
        form.say(
            translate(
                "Settings", "All copying of this program together, at once; checking a copy counts too."
            )
        )
        self._choice(form, "keep_awake", translate("Settings", "Keep the computer &awake while one runs"))
        form.say(translate("Settings", "Closing the lid puts it to sleep all the same."))
        form.gap()
        keep = translate("Settings", "&Keep what has finished for")
        self._number(form, "retention_days", keep, translate("Settings", "days"))
        of_them = translate("Settings", "and at &most")
        self._number(form, "retention_keep", of_them, translate("Settings", "workflows"))
        form.say(
            translate(
                "Settings",
                "What is older goes within the hour, from this list only: files that a workflow made stay.",
            )
        )
        return form

    def _notifications(self) -> QWidget:
        form = SettingsForm()
        form.layout_.addRow(
            QLabel(translate("Settings", "Notify me, while the window is out of sight, when:"))
        )
        self._tick(form, "notify_failed", translate("Settings", "a workflow has &failed"))
        self._tick(form, "notify_question", translate("Settings", "a workflow has a &question for me"))
        self._tick(form, "notify_finished", translate("Settings", "a &long one has finished"))
        long = translate("Settings", "L&ong is what took at least")
        self._number(form, "long_minutes", long, translate("Settings", "minutes"))
        return form

    def _choice(self, form: SettingsForm, name: str, title: str) -> None:
        box = self.boxes[name] = QComboBox()
        for each in self._page.choices(name):
            box.addItem(each.label, each.value)
        box.setAccessibleName(without_mnemonic(title))
        box.activated.connect(lambda _place: self._page.choose(name, box.currentData()))
        form.layout_.addRow(title, box)

    def _number(self, form: SettingsForm, name: str, title: str, unit: str) -> None:
        row = self.numbers[name] = NumberRow(self._page, name, without_mnemonic(title), unit)
        label = QLabel(title)
        label.setBuddy(row.edit)  # a label passes the keyboard to none that only has a proxy
        form.layout_.addRow(label, row)

    def _tick(self, form: SettingsForm, name: str, text: str) -> None:
        tick = self.ticks[name] = QCheckBox(text)
        tick.clicked.connect(lambda on: self._page.choose(name, on))
        form.layout_.addRow(tick)

    # --- showing ----------------------------------------------------------------------------------

    def _show(self) -> None:
        page = self._page
        for name, box in self.boxes.items():
            box.setCurrentIndex(box.findData(page.value(name)))
        for name, tick in self.ticks.items():
            tick.setChecked(bool(page.value(name)))
        for row in self.numbers.values():
            row.refresh()
        self.numbers["long_minutes"].setEnabled(bool(page.value("notify_finished")))
        self._language_note.say(page.language_note)
        self._language_note.setVisible(bool(page.language_note))
        self.login.setEnabled(page.login_on is not None)
        self.login.setChecked(bool(page.login_on))
        self._login_error.say(page.login_error, wrong=True)
        self._login_error.setVisible(bool(page.login_error))
        self._make_room()

    def _make_room(self) -> None:
        """For what is said beside a field."""
        for page in self.findChildren(SettingsForm):
            page.layout_.activate()
        least = self.minimumSizeHint()
        if self.isVisible() and not (self.width() >= least.width() and self.height() >= least.height()):
            self.resize(self.size().expandedTo(least))

    def _turn_login(self, on: bool) -> None:
        start(self._page.turn_login(on), disabling=self.login)


class SettingsForm(QWidget):
    """A page: labels at the left, fields at the right, notes below them."""

    def __init__(self) -> None:
        super().__init__()
        unit = self.fontMetrics().height()
        self.layout_ = QFormLayout(self)
        self.layout_.setContentsMargins(unit, unit, unit, unit)
        self.layout_.setHorizontalSpacing(unit)
        self.layout_.setVerticalSpacing(unit // 2)
        self.layout_.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.FieldsStayAtSizeHint)
        self.layout_.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)

    def note(self, message: Message) -> None:
        """Something below the field before it."""
        self.layout_.addRow("", message)

    def say(self, text: str) -> None:
        """A note that is always there, below the field before it."""
        self.note(self._saying(text))

    def tell(self, text: str) -> None:
        """A line of its own."""
        self.layout_.addRow(self._saying(text))

    def _saying(self, text: str) -> Message:
        message = Message()
        message.say(text)
        width = self.fontMetrics().averageCharWidth() * 60
        message.setMinimumWidth(width)
        message.setMinimumHeight(message.heightForWidth(width))
        return message

    def gap(self) -> None:
        """A line of nothing between two groups."""
        space = QWidget()
        space.setFixedHeight(self.fontMetrics().height() // 2)
        self.layout_.addRow(space)
