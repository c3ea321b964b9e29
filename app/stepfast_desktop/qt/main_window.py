"""The window: a toolbar, the table, the details below it, and a status line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QLabel,
    QMainWindow,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.action_bar import ActionBar
from stepfast_desktop.qt.arrangement import Arrangement
from stepfast_desktop.qt.attention import AttentionButton
from stepfast_desktop.qt.away.afterwards import AfterwardsMenu
from stepfast_desktop.qt.away.raising import raise_window
from stepfast_desktop.qt.commands import Commands
from stepfast_desktop.qt.details.details import DetailsPane
from stepfast_desktop.qt.leaving.quitting import Closing
from stepfast_desktop.qt.leaving.staying import Staying
from stepfast_desktop.qt.notices import NoticeBar
from stepfast_desktop.qt.pages import turn_to
from stepfast_desktop.qt.slots import start
from stepfast_desktop.qt.starting.dropping import paths_of
from stepfast_desktop.qt.tab_order import order_tabs
from stepfast_desktop.qt.table.search_field import SearchField
from stepfast_desktop.qt.table.selected import IN_TOOLBAR, SelectedCommands
from stepfast_desktop.qt.table.sidebar import Sidebar
from stepfast_desktop.qt.table.table import WorkflowTable
from stepfast_desktop.qt.tools.tools import Tools
from stepfast_desktop.viewmodels.window import WindowViewModel
from stepfast_desktop.viewmodels.words import translate

if TYPE_CHECKING:  # what is not seen at a launch is imported where it is opened
    from stepfast_desktop.qt.starting.new_workflow import NewWorkflowDialog
    from stepfast_desktop.qt.starting.welcome import Welcome
    from stepfast_desktop.viewmodels.starting.choices import Card

__all__ = ["MainWindow"]

MESSAGE_MILLISECONDS = 8000
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class MainWindow(QMainWindow):
    """Shows what the view models say. `closed` is told once, when it is decided that the window goes."""

    closed = Signal()
    arranged = Signal(dict)
    """Where it is and how it is divided, as values to keep, when that has changed."""

    def __init__(self, view_model: WindowViewModel, arrangement: object = None) -> None:
        super().__init__()
        self.view_model = view_model
        self._dialog: NewWorkflowDialog | None = None
        self._welcome: Welcome | None = None
        self.can_hide: Callable[[], bool] = lambda: False
        """Can a person find it again when it is hidden? The tray says so, where there is one."""
        self.setAcceptDrops(True)
        self.table = WorkflowTable(view_model.table)
        self.sidebar = Sidebar(view_model.sidebar)
        self.details = DetailsPane(view_model.details)
        self._lay_out()
        self.closing = Closing(self, self.closed.emit)
        self.commands = Commands(self)
        self._add_commands()
        self.tools = Tools(self, view_model, self.commands, self.closing.leave)
        self._selected = SelectedCommands(self, self.commands, view_model, self.table)
        self._staying = Staying(self)
        self._make_toolbar()
        self.menus = self.commands.fill(self.menuBar())
        for name in ("edit", "workflow"):
            self._selected.aim_in(self.menus[name])
        # Apart from what is said: that was done to some of these, and would be gone at once.
        self._chosen = QLabel()
        self._chosen.setContentsMargins(0, 0, self.fontMetrics().averageCharWidth(), 0)
        self.statusBar().addPermanentWidget(self._chosen)
        self._counts = QLabel()
        keys = self.commands["next_question"].shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        self.attention = AttentionButton(view_model.questions, keys)
        self.attention.clicked.connect(lambda _checked=False: self._go_to_question())
        self.statusBar().addPermanentWidget(self.attention)
        self.statusBar().addPermanentWidget(self._counts)
        header = self.table.header
        self._arrangement = Arrangement(
            self,
            {
                "geometry": (self.saveGeometry, self.restoreGeometry),
                "table": (header.arrangement, header.arrange),
                "sidebar": (self.beside.saveState, self.beside.restoreState),
                "divided": (self._splitter.saveState, self._splitter.restoreState),
            },
        )
        self._connect()
        self.resize(self._usual_size())
        self._arrangement.restore(arrangement)
        self._show_page()
        self._show_counts()
        self._say_selected()

    # --- making -----------------------------------------------------------------------------------

    def _usual_size(self) -> QSize:
        """As at the first start: the usual columns and the sidebar side by side, where there is room."""
        letters, room = self.fontMetrics(), self.screen().availableSize()
        wanted = QSize(letters.horizontalAdvance("n") * 160, letters.height() * 54)
        return QSize(min(wanted.width(), room.width()), min(wanted.height(), room.height() * 19 // 20))

    def _lay_out(self) -> None:
        """Notices above; below them, side by side, what stands at the side and the pages."""
        self._nothing = self._nothing_found()
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self.table)
        self._splitter.addWidget(self.details)
        self._splitter.setStretchFactor(0, 3)
        self._splitter.setStretchFactor(1, 2)
        self._pages = QStackedWidget()
        for page in (self._splitter, self._nothing):
            self._pages.addWidget(page)
        self.beside = QSplitter(Qt.Orientation.Horizontal)
        self.beside.setChildrenCollapsible(False)
        self.beside.addWidget(self.sidebar)
        self.beside.addWidget(self._pages)
        self.beside.setStretchFactor(1, 1)
        centre = QWidget()
        self.notices = QVBoxLayout()
        self.notices.setSpacing(0)
        self.notice_bar = NoticeBar(self.view_model.notices)
        self.notices.addWidget(self.notice_bar)
        layout = QVBoxLayout(centre)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self.notices)
        layout.addWidget(self.beside, 1)
        self.setCentralWidget(centre)

    def _add_commands(self) -> None:
        add = self.commands.add
        add(
            "new",
            translate("Window", "New workflow ..."),
            self.open_new,
            "Ctrl+N",
            menu="file",
            icon_name="new",
        )
        self.commands.separate("file")
        add(
            "background",
            translate("Window", "Quit and keep running in the background"),
            self.closing.hand_over,
            menu="file",
        )
        add("quit", translate("Window", "Quit"), self.closing.quit, "Ctrl+Q", menu="file")
        add("all", translate("Window", "Select all"), self.table.selectAll, "Ctrl+A", menu="edit")
        self.afterwards = AfterwardsMenu(self.view_model.when_done, self)
        self.commands.add_menu("tools", self.afterwards)
        add("find", translate("Window", "Find"), self._find, "Ctrl+F", menu="edit")
        self._add_view_commands()
        text = translate("Window", "Next that needs you")
        add("next_question", text, self._go_to_question, "Ctrl+J", menu="view", icon_name="question")

    def _add_view_commands(self) -> None:
        """What is shown of the table, and beside it."""
        add, header = self.commands.add, self.table.header
        shown = add(
            "sidebar",
            translate("Window", "Sidebar"),
            self._toggle_sidebar,
            "F9",
            menu="view",
            checkable=True,
        )
        shown.setChecked(self.view_model.preferences["sidebar"])
        self.sidebar.setVisible(shown.isChecked())
        for name, menu in (("columns", header.columns_menu(self)), ("order", header.order_menu(self))):
            add(name, menu.title(), lambda: None, menu="view").setMenu(menu)
        self.commands.separate("view")

    def _toggle_sidebar(self) -> None:
        shown = self.commands["sidebar"].isChecked()
        self.view_model.preferences.set("sidebar", shown)
        self.sidebar.setVisible(shown)

    def _make_toolbar(self) -> None:
        bar = ActionBar(translate("Window", "Actions"), self)
        bar.setObjectName("actions")
        self.addToolBar(bar)
        bar.addAction(self.commands["new"])
        bar.addSeparator()
        bar.addActions(self.commands.some(IN_TOOLBAR))
        self._selected.aim_by(bar)
        space = QWidget()
        space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        bar.addWidget(space)
        self.search = SearchField(self.view_model.table)
        bar.addWidget(self.search)

    @property
    def welcome(self) -> Welcome:
        """What there is to start, shown while there is no workflow; made when it is first wanted."""
        if self._welcome is None:
            from stepfast_desktop.qt.starting.welcome import Welcome

            made = self._welcome = Welcome(self.view_model.new_workflow)
            self._pages.addWidget(made)
            order_tabs(self._clear, [made])  # of the pages, one is shown
            made.chosen.connect(self.open_new)
            made.preset_chosen.connect(self.open_new)
            made.dropped.connect(lambda card, paths: start(self.drop(paths, card)))
        return self._welcome

    def _nothing_found(self) -> QWidget:
        page = QWidget()
        layout = QVBoxLayout(page)
        label = self._nothing_text = QLabel()
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        clear = self._clear = QPushButton(translate("Window", "Clear"))
        clear.setAccessibleDescription(translate("Window", "Show all workflows again"))
        clear.clicked.connect(self._clear_filter)
        layout.addStretch(2)
        layout.addWidget(label)
        layout.addWidget(clear, alignment=Qt.AlignmentFlag.AlignCenter)
        layout.addStretch(3)
        return page

    def _connect(self) -> None:
        table = self.view_model.table
        self._disconnect = [
            table.reordered.connect(self._show_page),
            table.counts_changed.connect(self._show_counts),
            self.view_model.questions.changed.connect(self._show_counts),
            table.selection_changed.connect(self._say_selected),
            self.view_model.said.connect(self.say),
            self.view_model.new_workflow.started.connect(self.say),
            self.view_model.revealing.asked.connect(self._come_forward),
            self.view_model.revealing.revealed.connect(self.table.go_to),
        ]
        self.table.current.connect(self.view_model.choose)
        self.table.menu_asked.connect(self._selected.open_menu)
        self.details.started.connect(self.view_model.revealing.go)
        self._arrangement.told.connect(self.arranged)
        self._splitter.splitterMoved.connect(self._arrangement.changed)
        self.beside.splitterMoved.connect(self._arrangement.changed)
        self.table.header.arranged.connect(self._arrangement.changed)
        self.table.typed.connect(self.search.go_on)
        self.table.escaped.connect(self.search.take_back)
        self.search.left.connect(self.table.setFocus)
        self.details.answered.connect(self.table.setFocus)
        self.details.retry_asked.connect(lambda: start(self._retry_problems()))

    def let_go(self) -> None:
        """Listen no more, so that nothing keeps this window."""
        for each in self._disconnect:
            each()
        self.closing.let_go()
        self._staying.let_go()
        self._arrangement.tell_now()
        self.sidebar.let_go()
        self._selected.let_go()
        self.table.let_go()
        self.details.let_go()
        self.tools.let_go()
        self.notice_bar.let_go()
        self.attention.let_go()
        self.afterwards.let_go()
        if self._dialog is not None:
            self._dialog.let_go()

    # --- showing ----------------------------------------------------------------------------------

    def in_front(self) -> bool:
        """Does a person look at it now, as far as that can be known?"""
        return self.isActiveWindow() and self.isVisible() and not self.isMinimized()

    def say(self, text: str) -> None:
        """Show something in the status line for a while."""
        self.statusBar().showMessage(text, MESSAGE_MILLISECONDS)

    def _show_page(self) -> None:
        table = self.view_model.table
        if table.empty:
            page: QWidget = self.welcome
        elif table.loaded and not table.keys:
            page = self._nothing
            self._nothing_text.setText(self.view_model.sidebar.nothing)
        else:
            page = self._splitter
        turn_to(self._pages, page)
        self._say_selected()

    def _show_counts(self) -> None:
        self.setWindowTitle(self.view_model.title)
        self._counts.setText(self.view_model.counts)
        self.commands["next_question"].setEnabled(bool(self.view_model.questions.count))

    def _say_selected(self) -> None:
        count = self.view_model.table.selected_count
        self._chosen.setText(translate("Window", "%n selected", None, count) if count > 1 else "")
        self._chosen.setVisible(count > 1)

    # --- doing ------------------------------------------------------------------------------------

    def open_new(self, name: str | None = None, preset: str = "") -> None:
        """Open the form for a new workflow: of the definition `name`, and with a preset, where given."""
        if self._dialog is None:
            from stepfast_desktop.qt.starting.new_workflow import NewWorkflowDialog

            self._dialog = NewWorkflowDialog(self.view_model.new_workflow, self)
        if name:
            self.view_model.new_workflow.choose(name, preset)
        self._dialog.open()

    async def _retry_problems(self) -> None:
        if (id := self.view_model.details.id) is not None:
            said = await self.view_model.new_workflow.again(id, problems=True)
            if said is None:
                self.open_new()
            else:
                self.say(said)

    def _come_forward(self) -> None:
        """Rows are to be shown: in front, and whatever was searched for."""
        self.search.clear()
        raise_window(self)

    def _find(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _go_to_question(self) -> None:
        """To the next workflow that needs a person, and to its question."""
        key = self.view_model.questions.next(self.table.key)
        if key is None:
            return
        if key == self.table.key:
            self.details.parts.questions.focus_first()
        else:
            self.details.parts.questions.focus_next()
            self.view_model.revealing.go(key)

    def _clear_filter(self) -> None:
        self.search.clear()
        self.view_model.table.show_all()

    # --- folders dropped on it --------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        start(self.drop(paths_of(event.mimeData())))

    async def drop(self, paths: list[Path], card: Card | None = None) -> None:
        """Open the form that these files or folders fit, first the card's, filled in; or say why not."""
        said = await self.view_model.new_workflow.drop(paths, card)
        if said is None:
            self.open_new()
        else:
            self.say(said)

    # --- keys, where it is, and its end -----------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Outside of dialogs a button hears only the space bar, and lets Enter by.
        button = self.focusWidget()
        if isinstance(button, QPushButton | QToolButton) and event.key() in ENTER:
            button.click()
            return
        super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "commands"):
            self.commands.draw_icons()

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        if self.isVisible():
            self._arrangement.changed()

    def moveEvent(self, event: object) -> None:
        super().moveEvent(event)  # type: ignore[arg-type]
        if self.isVisible():
            self._arrangement.changed()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.closing.heard(event)

    def keep_arrangement(self) -> None:
        """Tell where it is, if that has not been told yet."""
        self._arrangement.tell_now()


async def until_closed(window: MainWindow) -> None:
    """Wait until it is decided that the window goes."""
    closed = asyncio.Event()
    window.closed.connect(closed.set)
    if not window.closing.going:
        await closed.wait()
