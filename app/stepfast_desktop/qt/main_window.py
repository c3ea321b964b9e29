"""The window: a toolbar, the table, the details below it, and a status line."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QByteArray, QEvent, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent, QIcon, QKeySequence
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QMainWindow,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.details import DetailsPane
from stepfast_desktop.qt.dropping import paths_of
from stepfast_desktop.qt.icons import icon
from stepfast_desktop.qt.new_workflow import NewWorkflowDialog
from stepfast_desktop.qt.slots import start
from stepfast_desktop.qt.table import WorkflowTable
from stepfast_desktop.qt.welcome import Welcome
from stepfast_desktop.viewmodels.actions import ACTIONS
from stepfast_desktop.viewmodels.window import WindowViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["MainWindow"]

MESSAGE_MILLISECONDS = 8000
SEARCH_MILLISECONDS = 120
SHORTCUTS = {
    "pause": "Ctrl+P",
    "resume": "Ctrl+R",
    "cancel": "Ctrl+Backspace",
    "retry": "Ctrl+T",
    "remove": "Del",
}


class MainWindow(QMainWindow):
    """Shows what the view models say. `closed` is told once, when a person closes it."""

    closed = Signal()
    arranged = Signal(dict)
    """Where it is and how it is divided, as values to keep, when that has changed."""

    def __init__(self, view_model: WindowViewModel, arrangement: object = None) -> None:
        super().__init__()
        self.view_model = view_model
        self._dialog: NewWorkflowDialog | None = None
        self.setAcceptDrops(True)
        self.table = WorkflowTable(view_model.table)
        self.details = DetailsPane(view_model.details)
        self.welcome = Welcome(view_model.new_workflow)
        self._nothing = self._nothing_found()
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self.table)
        self._splitter.addWidget(self.details)
        self._splitter.setStretchFactor(0, 3)
        self._splitter.setStretchFactor(1, 2)
        self._pages = QStackedWidget()
        for page in (self._splitter, self.welcome, self._nothing):
            self._pages.addWidget(page)
        self.setCentralWidget(self._pages)
        self._actions = self._make_actions()
        self._make_toolbar()
        self._make_menus()
        self._trouble = self._trouble_line()
        self._counts = QLabel()
        self.statusBar().addPermanentWidget(self._counts)
        # Told once when dragging ends, not for each pixel.
        self._settling = QTimer(self, singleShot=True, interval=500)
        self._settling.timeout.connect(self._tell_arrangement)
        self._connect()
        self.resize(QSize(1200, 760))
        self._arrange(arrangement)
        self._show_page()
        self._show_counts()
        self._show_trouble()
        self._enable()

    # --- making -----------------------------------------------------------------------------------

    def _make_actions(self) -> dict[str, QAction]:
        made = {}
        for action in ACTIONS:
            each = QAction(icon(action.name), action.label(), self)
            each.setShortcut(QKeySequence(SHORTCUTS[action.name]))
            keys = each.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            each.setToolTip(f"{action.hint()} ({keys})")
            each.setStatusTip(action.hint())
            each.triggered.connect(partial(self._perform, action.name))
            made[action.name] = each
        made["new"] = self._action("new", translate("Window", "New workflow ..."), self.open_new, "Ctrl+N")
        made["quit"] = self._action("", translate("Window", "Quit"), self.close, "Ctrl+Q")
        made["undo"] = self._action("", translate("Window", "Undo remove"), self._undo, "Ctrl+Z")
        made["all"] = self._action("", translate("Window", "Select all"), self.table.selectAll, "Ctrl+A")
        made["find"] = self._action("", translate("Window", "Find"), self._find, "Ctrl+F")
        return made

    def _action(self, name: str, text: str, do: Callable[[], object], keys: str) -> QAction:
        made = QAction(icon(name) if name else QIcon(), text, self)
        made.setShortcut(QKeySequence(keys))
        made.triggered.connect(lambda _checked=False: do())
        return made

    def _make_toolbar(self) -> None:
        bar = self.addToolBar(translate("Window", "Actions"))
        bar.setObjectName("actions")
        bar.setMovable(False)
        bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        bar.addAction(self._actions["new"])
        bar.addSeparator()
        for action in ACTIONS:
            bar.addAction(self._actions[action.name])
        space = QWidget()
        space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        bar.addWidget(space)
        self.search = QLineEdit()
        self.search.setPlaceholderText(translate("Window", "Search"))
        self.search.setAccessibleName(translate("Window", "Search by name or kind"))
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(self.fontMetrics().averageCharWidth() * 30)
        bar.addWidget(self.search)
        self._searching = QTimer(self, singleShot=True, interval=SEARCH_MILLISECONDS)
        self._searching.timeout.connect(lambda: self.view_model.table.filter(text=self.search.text().strip()))
        self.search.textChanged.connect(lambda _text: self._searching.start())

    def _make_menus(self) -> None:
        bar = self.menuBar()
        file = bar.addMenu(translate("Window", "&File"))
        file.addActions([self._actions["new"], self._actions["quit"]])
        edit = bar.addMenu(translate("Window", "&Edit"))
        edit.addActions([self._actions["undo"], self._actions["all"], self._actions["find"]])
        self._menu = bar.addMenu(translate("Window", "&Workflow"))
        self._menu.addActions([self._actions[each.name] for each in ACTIONS])

    def _nothing_found(self) -> QWidget:
        page = QWidget()
        layout = QVBoxLayout(page)
        label = QLabel(translate("Window", "No workflow matches."))
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        clear = QPushButton(translate("Window", "Show all"))
        clear.clicked.connect(self._clear_filter)
        layout.addStretch(2)
        layout.addWidget(label)
        layout.addWidget(clear, alignment=Qt.AlignmentFlag.AlignCenter)
        layout.addStretch(3)
        return page

    def _trouble_line(self) -> QLabel:
        label = QLabel()
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setAccessibleName(translate("Window", "What is wrong"))
        # A long path must not decide how wide the window is at least; the whole is in the tip.
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.statusBar().addPermanentWidget(label, 1)
        return label

    def _connect(self) -> None:
        table = self.view_model.table
        self._disconnect = [
            table.reordered.connect(self._show_page),
            table.counts_changed.connect(self._show_counts),
            self.view_model.feed.conditions_changed.connect(self._show_trouble),
            table.selection_changed.connect(self._enable),
            self.view_model.said.connect(self.say),
            self.view_model.new_workflow.started.connect(self._started),
        ]
        self.table.current.connect(self.view_model.choose)
        self.table.menu_asked.connect(self._open_menu)
        self._splitter.splitterMoved.connect(lambda *_: self._settling.start())
        self.table.horizontalHeader().sectionResized.connect(lambda *_: self._settling.start())
        self.table.horizontalHeader().sectionMoved.connect(lambda *_: self._settling.start())
        self.welcome.chosen.connect(self.open_new)

    def let_go(self) -> None:
        """Listen no more, so that nothing keeps this window."""
        for each in self._disconnect:
            each()
        self._settling.stop()
        self._searching.stop()
        self.table.let_go()
        self.details.let_go()
        if self._dialog is not None:
            self._dialog.let_go()

    # --- showing ----------------------------------------------------------------------------------

    def say(self, text: str) -> None:
        """Show something in the status line for a while."""
        self.statusBar().showMessage(text, MESSAGE_MILLISECONDS)

    def _show_page(self) -> None:
        table = self.view_model.table
        if table.empty:
            page: QWidget = self.welcome
        elif table.loaded and not table.keys:
            page = self._nothing
        else:
            page = self._splitter
        self._pages.setCurrentWidget(page)
        self._enable()

    def _show_counts(self) -> None:
        self.setWindowTitle(self.view_model.title)
        self._counts.setText(self.view_model.summary)

    def _show_trouble(self) -> None:
        text = self.view_model.trouble
        self._trouble.setText(text.partition("\n")[0])
        self._trouble.setToolTip(text)
        self._trouble.setVisible(bool(text))

    def _enable(self) -> None:
        table = self.view_model.table
        for action in ACTIONS:
            self._actions[action.name].setEnabled(table.enabled(action))
        self._actions["undo"].setEnabled(table.can_undo)
        count = table.selected_count
        if count > 1:
            self.statusBar().showMessage(translate("Window", "%n workflow(s) selected", None, count))

    # --- doing ------------------------------------------------------------------------------------

    def open_new(self, name: str | None = None) -> None:
        """Open the form for a new workflow, of the definition `name` where one is given."""
        if self._dialog is None:
            self._dialog = NewWorkflowDialog(self.view_model.new_workflow, self)
        if name:
            self.view_model.new_workflow.choose(name)
        self._dialog.open()

    def _started(self, id: str) -> None:
        self.say(translate("Window", "{id} has started").format(id=id))

    def _perform(self, name: str, _checked: bool = False) -> None:
        self.view_model.table.perform(name)

    def _undo(self) -> None:
        self.view_model.table.undo_remove()

    def _find(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _clear_filter(self) -> None:
        self.search.clear()
        self.view_model.table.filter(states=(), text="")

    def _open_menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.addActions([self._actions[each.name] for each in ACTIONS])
        table = self.view_model.table
        table.hold()
        menu.aboutToHide.connect(table.let_go)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(at)

    # --- folders dropped on it --------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        start(self.drop(paths_of(event.mimeData())))

    async def drop(self, paths: list[Path]) -> None:
        """Open the form that these files or folders fit, filled in; or say why there is none."""
        said = await self.view_model.new_workflow.drop(paths)
        if said is None:
            self.open_new()
        else:
            self.say(said)

    # --- where it is, and its end -----------------------------------------------------------------

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_actions"):
            for name in [*[each.name for each in ACTIONS], "new"]:
                self._actions[name].setIcon(icon(name))

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        if self.isVisible():
            self._settling.start()

    def _tell_arrangement(self) -> None:
        parts = {
            "geometry": self.saveGeometry(),
            "columns": self.table.horizontalHeader().saveState(),
            "divided": self._splitter.saveState(),
        }
        self.arranged.emit({name: base64.b64encode(each.data()).decode() for name, each in parts.items()})

    def _arrange(self, arrangement: object) -> None:
        if not isinstance(arrangement, dict):
            return

        def part(name: str) -> QByteArray:
            text = arrangement.get(name)
            return QByteArray.fromBase64(text.encode()) if isinstance(text, str) else QByteArray()

        self.restoreGeometry(part("geometry"))
        self.table.horizontalHeader().restoreState(part("columns"))
        self._splitter.restoreState(part("divided"))

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._settling.isActive():
            self._settling.stop()
            self._tell_arrangement()
        self.closed.emit()
        event.accept()


async def until_closed(window: MainWindow) -> None:
    """Wait until a person has closed the window."""
    closed = asyncio.Event()
    window.closed.connect(closed.set)
    await closed.wait()
