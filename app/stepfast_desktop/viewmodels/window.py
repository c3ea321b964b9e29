"""The window as a whole: its parts, what its status line says, and what is about to happen when it closes."""

from __future__ import annotations

import asyncio

from stepfast import Engine, StepfastError
from stepfast.state import PENDING
from stepfast_desktop.viewmodels.away.pending import Pending
from stepfast_desktop.viewmodels.away.when_done import WhenDone
from stepfast_desktop.viewmodels.details.details import DetailsViewModel
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.feed import Feed
from stepfast_desktop.viewmodels.leaving.background import Background, BackgroundViewModel, NoBackground
from stepfast_desktop.viewmodels.leaving.login_start import LoginStart, LoginStartViewModel, NoLoginStart
from stepfast_desktop.viewmodels.leaving.quitting import Quitting
from stepfast_desktop.viewmodels.leaving.read_only import hint
from stepfast_desktop.viewmodels.notices import Notices
from stepfast_desktop.viewmodels.preferences import Preferences
from stepfast_desktop.viewmodels.questions import Questions
from stepfast_desktop.viewmodels.starting.new_workflow import NewWorkflowViewModel
from stepfast_desktop.viewmodels.table.doing import DoingViewModel
from stepfast_desktop.viewmodels.table.revealing import Revealing
from stepfast_desktop.viewmodels.table.sidebar import SidebarViewModel
from stepfast_desktop.viewmodels.table.table import TableViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["WindowViewModel"]


GAP = "   "


class WindowViewModel:
    """The view models of one window, made and ended together."""

    def __init__(
        self,
        engine: Engine,
        preferences: Preferences,
        background: Background | None = None,
        login_start: LoginStart | None = None,
        *,
        read_only: bool = False,
    ) -> None:
        self.said: Event[[str]] = Event()
        """Something for the status line."""
        self.read_only = hint() if read_only else ""
        """Why nothing can be changed here; empty where something can."""
        self.engine = engine
        self.preferences = preferences
        self.notices = Notices()
        self.feed = Feed(engine)
        self.pending = Pending(engine, self.feed)
        self.table = TableViewModel(engine, self.feed)
        self.doing = DoingViewModel(engine, self.feed, self.table)
        self.revealing = Revealing(self.table)
        self.details = DetailsViewModel(engine, self.feed, read_only=self.read_only)
        self.questions = Questions(engine, self.feed)
        self.sidebar = SidebarViewModel(engine, self.feed, self.table, self.questions)
        self.when_done = WhenDone(self.pending, self.notices)
        self.new_workflow = NewWorkflowViewModel(engine, preferences.kept)
        self._choosing: asyncio.Task[None] | None = None
        self.details.said.connect(self.said.emit)
        self.table.message.connect(self.said.emit)
        self.background = BackgroundViewModel(
            background or NoBackground(), self.notices, engine.durable.listen
        )
        self.login_start = LoginStartViewModel(login_start or NoLoginStart(), preferences, self.notices)
        self.quitting = Quitting(
            engine, preferences, lambda: self.table.counts, self.notices, lambda: self.background.runs
        )
        self.doing.message.connect(self.said.emit)
        self.doing.at_work.connect(self.said.emit)

    async def start(self) -> None:
        """Read what is shown first, then follow."""
        await self.feed.start()
        await self.pending.start()
        await self.table.start()
        await self.questions.start()
        await self.sidebar.start()
        self.new_workflow.look()
        await self.background.start()

    async def close(self) -> None:
        """Follow and read nothing more."""
        await self.background.close()
        if self._choosing is not None:
            self._choosing.cancel()
            await asyncio.wait({self._choosing})
        await self.sidebar.close()
        await self.details.close()
        await self.new_workflow.close()
        await self.doing.close()
        await self.when_done.close()
        self.revealing.close()
        await self.questions.close()
        await self.table.close()
        await self.pending.close()
        await self.feed.close()

    @property
    def title(self) -> str:
        """What stands before the program's name; the platform adds that."""
        running = self.table.counts.get("running", 0)
        return translate("Window", "%n running", None, running) if running else ""

    @property
    def counts(self) -> str:
        """What there is, in the numbers of the sidebar; questions have a button of their own beside it."""
        return GAP.join(filter(None, [self._pending, self._failed]))

    @property
    def _pending(self) -> str:
        pending = sum(self.table.counts.get(each, 0) for each in PENDING)
        return translate("Window", "%n pending", None, pending) if pending else ""

    @property
    def _failed(self) -> str:
        failed = self.table.counts.get("failed", 0)
        return translate("Window", "%n failed", None, failed) if failed else ""

    async def show(self, id: str) -> str | None:
        """Bring a workflow's row up, with its details; returns what is to be said where there is none."""
        try:
            row = await self.engine.summary(id)
        except StepfastError as error:
            return str(error)
        self.revealing.reveal([row.key])
        return None

    def choose(self, key: int | None) -> None:
        """The row that a person is on: the details show it, as soon as it is read."""
        if self._choosing is not None:
            self._choosing.cancel()
            self._choosing = None
        index = None if key is None else self.table.index(key)
        row = None if index is None else self.table.row(index)
        if row is not None or key is None:
            self.details.show(None if row is None else row.id)
        else:
            self._choosing = asyncio.create_task(self._choose(key), name="the chosen row")

    async def _choose(self, key: int) -> None:
        try:
            rows = await self.engine.rows([key])
        except StepfastError as error:
            self.said.emit(str(error))
            return
        self.details.show(rows[0].id if rows else None)
