"""The settings' page of how many run at once: a field for each definition and each queue."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea

from stepfast_desktop.qt.tools.settings_dialog import NumberRow, SettingsForm
from stepfast_desktop.viewmodels.tools.limits_page import LimitsPage
from stepfast_desktop.viewmodels.words import translate, without_marks

__all__ = ["LimitsTab"]


class LimitsTab(QScrollArea):
    """Shows a `LimitsPage`; scrolls where the program has many definitions."""

    def __init__(self, page: LimitsPage) -> None:
        super().__init__()
        self._page = page
        self.numbers: dict[str, NumberRow] = {}
        form = self._form = SettingsForm()
        form.tell(
            translate(
                "Settings",
                "How many run at the same time, in all programs on this file together. What runs already "
                "goes on.",
            )
        )
        unit = translate("Settings", "at once at most")
        for limited in (*page.definitions, *page.queues):
            # An & would underline the next letter.
            title = without_marks(limited.title)
            row = self.numbers[limited.field.name] = NumberRow(page, limited.field.name, limited.title, unit)
            row.edit.textEdited.connect(row.refresh)
            form.layout_.addRow(title, row)
        widest = max((row.edit.width() for row in self.numbers.values()), default=0)
        for row in self.numbers.values():
            row.edit.setFixedWidth(widest)
        if not self.numbers:
            form.tell(translate("Settings", "This program has no tasks."))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setWidget(form)
        self.viewport().setAutoFillBackground(False)
        form.setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        # No higher than the other pages because of many definitions.
        whole = self._form.sizeHint()
        return QSize(whole.width() + self.verticalScrollBar().sizeHint().width(), super().sizeHint().height())

    def showEvent(self, event: QShowEvent) -> None:
        self._page.look()
        for row in self.numbers.values():
            row.show_text()
        super().showEvent(event)
