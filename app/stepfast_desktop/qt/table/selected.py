"""The commands for what is selected: in a menu of the menu bar, a context menu and the toolbar, by keyboard.

All show the same `QAction`s. While a menu is open or a button is pressed, the view model keeps whom they hit.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, QTimer, QUrl
from PySide6.QtGui import QAction, QDesktopServices, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu, QMessageBox, QToolBar, QToolButton, QWidget

from stepfast_desktop.qt.commands import Commands
from stepfast_desktop.qt.slots import start
from stepfast_desktop.qt.table.header import QUEUE_ORDER, USUAL_ORDER
from stepfast_desktop.qt.table.queue_drag import QueueDrag
from stepfast_desktop.qt.table.table import WorkflowTable
from stepfast_desktop.viewmodels.details.folders_of import folder_of
from stepfast_desktop.viewmodels.table.actions import ACTION, ACTIONS, PRIORITIES
from stepfast_desktop.viewmodels.table.agreeing import Question
from stepfast_desktop.viewmodels.window import WindowViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["IN_TOOLBAR", "SelectedCommands"]

IN_TOOLBAR = ("pause", "resume", "cancel", "retry", "remove")
QUEUE = ("first", "up", "down", "last")
ON_LIST = ("pause", "resume", "cancel", "retry", None, "again", "folder", "copy", None, "queue", "priority")
REMOVING = ("remove", "cancel-remove")
WHEN_REMOVED = ("restore", "again", "folder", "copy", None, "delete")

SHORTCUTS = {
    "pause": "Ctrl+P",
    "resume": "Ctrl+R",
    "cancel": "Ctrl+Backspace",
    "retry": "Ctrl+T",
    "remove": "Del",
    "cancel-remove": "Ctrl+Del",
    "delete": "Shift+Del",
    "first": "Alt+Home",
    "up": "Alt+Up",
    "down": "Alt+Down",
    "last": "Alt+End",
    "again": "Ctrl+Shift+N",
    "folder": "Ctrl+Shift+O",
    "copy": "Ctrl+C",
}
ICONS = {"copy": "copy", "folder": "folder"} | {name: name for name in IN_TOOLBAR}


class SelectedCommands(QObject):
    """Adds its commands to those of a window, keeps them true, and carries out what needs a window."""

    def __init__(
        self, window: QWidget, commands: Commands, view_model: WindowViewModel, table: WorkflowTable
    ) -> None:
        super().__init__(window)
        self._window = window
        self._commands = commands
        self._view_model = view_model
        self._doing = view_model.doing
        self._table = table
        self._open = 0  # menus
        self._menus = {
            "queue": self._submenu(translate("Actions", "Queue"), QUEUE),
            "priority": self._submenu(translate("Actions", "Priority"), tuple(PRIORITIES)),
        }
        self._add()
        self.drag = QueueDrag(table, view_model.table, self._doing)
        if view_model.read_only:
            self.drag.let_go()
        for name in PRIORITIES:
            commands[name].setCheckable(True)
        # Only where the table has the focus: elsewhere a text is copied.
        commands["copy"].setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        table.addAction(commands["copy"])
        self._disconnect = [
            self._doing.changed.connect(self.refresh),
            self._doing.asked.connect(self._ask),
            self._doing.copied.connect(_to_clipboard),
        ]
        table.header.arranged.connect(self._tick_order)
        self.refresh()

    def let_go(self) -> None:
        """Listen no more."""
        for each in self._disconnect:
            each()
        self.drag.let_go()

    # --- making -----------------------------------------------------------------------------------

    def _add(self) -> None:
        for name in (*ON_LIST, None, *REMOVING):
            if name in self._menus:
                self._commands.put("workflow", self._menus[name].menuAction())
            elif name is None:
                self._commands.separate("workflow")
            else:
                self._commands.put("workflow", self._command(name))
        doing = self._doing
        self._commands.add(
            "remove-finished",
            translate("Actions", "Remove finished"),
            doing.remove_finished,
            "Ctrl+Shift+Del",
            menu="workflow",
        )
        self._commands.separate("workflow")
        for name in ("restore", "delete"):
            self._commands.put("workflow", self._command(name))
        self._commands.add("undo", doing.undo_label, doing.undo, "Ctrl+Z", menu="edit")
        self._commands.put("edit", self._commands["copy"])
        made = self._commands.add(
            "queue-order",
            translate("Actions", "In the order of the queue"),
            self._show_queue,
            menu="view",
            checkable=True,
        )
        made.setToolTip(translate("Actions", "What runs next comes first; there, rows can be dragged"))

    def _command(self, name: str) -> QAction:
        if name not in self._commands:
            do = {"again": self._run_again, "folder": self._open_folder}.get(
                name, partial(self._doing.perform, name)
            )
            keys, icon_name = SHORTCUTS.get(name, ""), ICONS.get(name, "")
            self._commands.add(name, ACTION[name].label(), do, keys, icon_name=icon_name)
        return self._commands[name]

    def _submenu(self, title: str, names: tuple[str, ...]) -> QMenu:
        menu = QMenu(title, self._window)
        menu.setToolTipsVisible(True)
        for name in names:
            menu.addAction(self._command(name))
        return menu

    def aim_by(self, bar: QToolBar) -> None:
        """Its buttons hit who was selected when they were pressed."""
        for action in bar.actions():
            button = bar.widgetForAction(action)
            if isinstance(button, QToolButton):
                button.pressed.connect(self._doing.take_aim)
                button.released.connect(self._doing.drop_aim)

    def aim_in(self, menu: QMenu) -> None:
        """It hits who was selected when it opened, and no row moves while it is open."""
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(self._opens)
        # A menu goes before it does what was chosen in it; and the next of a menu bar opens before it goes.
        menu.aboutToHide.connect(lambda: QTimer.singleShot(0, self, self._closed))

    def _opens(self) -> None:
        self._view_model.table.hold()
        if not self._open:
            self._doing.take_aim()
        self._open += 1

    def _closed(self) -> None:
        self._view_model.table.let_go()
        self._open -= 1
        if not self._open:
            self._doing.drop_aim()

    # --- keeping them true ------------------------------------------------------------------------

    def refresh(self) -> None:
        """Show what can be done now, to how many, and why not."""
        doing = self._doing
        for each in ACTIONS:
            action = self._commands[each.name]
            action.setEnabled(doing.enabled(each.name))
            action.setText(doing.label(each.name))
            action.setIconText(each.label())
            hint = doing.hint(each.name)
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            action.setToolTip(f"{hint} ({keys})" if keys else hint)
            action.setStatusTip(hint)
        for name in PRIORITIES:
            self._commands[name].setChecked(doing.has_priority(name))
        for menu, first in (("queue", "first"), ("priority", "high")):
            self._menus[menu].menuAction().setEnabled(doing.enabled(first))
        undo, finished = self._commands["undo"], self._commands["remove-finished"]
        undo.setEnabled(doing.can_undo)
        undo.setText(doing.undo_label)
        finished.setEnabled(doing.finished_count != 0)
        finished.setText(_finished_text(doing.finished_count))
        self._tick_order()

    def _tick_order(self) -> None:
        self._commands["queue-order"].setChecked(self._view_model.table.order == QUEUE_ORDER)

    # --- doing ------------------------------------------------------------------------------------

    def open_menu(self, at: QPoint) -> None:
        """The context menu, at a place of the screen."""
        menu = QMenu(self._window)
        self.aim_in(menu)
        removed = self._view_model.table.matching.removed
        for name in WHEN_REMOVED if removed else (*ON_LIST, None, *REMOVING):
            if name is None:
                menu.addSeparator()
            elif name in self._menus:
                menu.addMenu(self._menus[name])
            else:
                menu.addAction(self._commands[name])
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(at)

    def _ask(self, question: Question) -> None:
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setText(question.text)
        box.setInformativeText(question.detail)
        go_on = box.addButton(question.button, QMessageBox.ButtonRole.DestructiveRole)
        keep = box.addButton(translate("Actions", "Keep"), QMessageBox.ButtonRole.RejectRole)
        # What a person presses without reading must not be what ends something.
        box.setDefaultButton(keep)
        box.setEscapeButton(keep)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.buttonClicked.connect(lambda button: question.go_on() if button is go_on else None)
        box.open()

    def _show_queue(self) -> None:
        shown = self._view_model.table.order == QUEUE_ORDER
        self._table.header.sort(USUAL_ORDER if shown else QUEUE_ORDER, "", descending=False)

    def _run_again(self) -> None:
        if (id := self._doing.only) is not None:
            start(self._running_again(id))

    async def _running_again(self, id: str) -> None:
        said = await self._view_model.new_workflow.again(id)
        if said is None:
            self._commands["new"].trigger()
        else:
            self._view_model.said.emit(said)

    def _open_folder(self) -> None:
        if (id := self._doing.only) is not None:
            start(self._opening_folder(id))

    async def _opening_folder(self, id: str) -> None:
        found = await folder_of(self._view_model.engine, id)
        if isinstance(found, str):
            self._view_model.said.emit(found)
        else:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(found)))


def _to_clipboard(text: str) -> None:
    QGuiApplication.clipboard().setText(text)


def _finished_text(count: int | None) -> str:
    if count is None:
        return translate("Actions", "Remove what has finished and matches")
    if not count:
        return translate("Actions", "Remove finished")
    return translate("Actions", "Remove %n finished workflow(s)", None, count)
