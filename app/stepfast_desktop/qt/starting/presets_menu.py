"""The button with the presets of a task: to choose, save, rename or delete one, or begin from defaults."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QInputDialog, QLineEdit, QMenu, QPushButton, QWidget

from stepfast_desktop.qt.bare_buttons import bare_buttons
from stepfast_desktop.viewmodels.starting.new_workflow import NewWorkflowViewModel
from stepfast_desktop.viewmodels.words import translate, without_marks

__all__ = ["PresetsButton"]


class PresetsButton(QPushButton):
    """Says the preset that the form was filled in from; its menu is made when it opens."""

    def __init__(self, view_model: NewWorkflowViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view_model = view_model
        self.setAutoDefault(False)
        # Made by hand and not of the title, which is a person's own text and may have an & in it.
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self.fill)
        self.setMenu(self._menu)
        self.refresh()

    def refresh(self) -> None:
        """Show what the view model says."""
        preset = self._view_model.preset
        self.setText(without_marks(preset) if preset else translate("Presets", "Presets"))
        text = translate("Presets", "Preset: {title}").format(title=preset)
        self.setAccessibleName(text if preset else translate("Presets", "Presets"))

    def fill(self) -> list[QAction]:
        """Make the menu anew, and give what is in it."""
        view_model, menu = self._view_model, self._menu
        menu.clear()
        for title in view_model.presets:
            action = menu.addAction(without_marks(title))
            action.setCheckable(True)
            action.setChecked(title == view_model.preset)
            action.triggered.connect(partial(self._choose, title))
        if view_model.presets:
            menu.addSeparator()
        chosen = bool(view_model.preset)
        for text, do, enabled in (
            (translate("Presets", "Save as preset ..."), self._ask_to_save, True),
            (translate("Presets", "Rename preset ..."), self._ask_to_rename, chosen),
            (translate("Presets", "Delete preset"), view_model.delete_preset, chosen),
            (translate("Presets", "Reset to defaults"), view_model.reset, True),
        ):
            action = menu.addAction(text)
            action.setEnabled(enabled)
            action.triggered.connect(partial(_do, do))
        return menu.actions()

    def _choose(self, title: str, _checked: bool = False) -> None:
        if self._view_model.chosen is not None:
            self._view_model.choose(self._view_model.chosen, title)

    def _ask_to_save(self) -> None:
        label = translate("Presets", "Name of the preset (one of that name is replaced):")
        self._ask(translate("Presets", "Save as preset"), label, self._view_model.save_preset)

    def _ask_to_rename(self) -> None:
        label = translate("Presets", "New name:")
        self._ask(translate("Presets", "Rename preset"), label, self._view_model.rename_preset)

    def _ask(self, title: str, label: str, then: Callable[[str], None]) -> None:
        asking = QInputDialog(self)
        asking.setInputMode(QInputDialog.InputMode.TextInput)
        asking.setTextEchoMode(QLineEdit.EchoMode.Normal)
        asking.setWindowTitle(title)
        asking.setLabelText(label)
        asking.setTextValue(self._view_model.preset)
        asking.textValueSelected.connect(then)
        asking.finished.connect(asking.deleteLater)
        # Never exec(): it would stop every task of the loop it is called from.
        QDialog.open(asking)
        bare_buttons(asking)


def _do(what: Callable[[], None], _checked: bool = False) -> None:
    what()
