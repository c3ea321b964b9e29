"""The window as a whole: its parts, what its status line says, and what is about to happen when it closes."""

from __future__ import annotations

from stepfast import Engine
from stepfast_desktop.viewmodels.details import DetailsViewModel
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.feed import Feed
from stepfast_desktop.viewmodels.new_workflow import NewWorkflowViewModel
from stepfast_desktop.viewmodels.table import TableViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["WindowViewModel"]


class WindowViewModel:
    """The view models of one window, made and ended together."""

    def __init__(self, engine: Engine) -> None:
        self.said: Event[[str]] = Event()
        """Something for the status line."""
        self.engine = engine
        self.feed = Feed(engine)
        self.table = TableViewModel(engine, self.feed)
        self.details = DetailsViewModel(engine, self.feed)
        self.new_workflow = NewWorkflowViewModel(engine)
        self.table.message.connect(self.said.emit)

    async def start(self) -> None:
        """Read what is shown first, then follow."""
        await self.feed.start()
        await self.table.start()
        self.new_workflow.look()

    async def close(self) -> None:
        """Follow and read nothing more."""
        await self.details.close()
        await self.new_workflow.close()
        await self.table.close()
        await self.feed.close()

    @property
    def title(self) -> str:
        """What stands before the program's name; the platform adds that."""
        running = self.table.counts.get("running", 0)
        return translate("Window", "%n running", None, running) if running else ""

    @property
    def summary(self) -> str:
        """What there is, for the end of the status line."""
        counts = self.table.counts
        pending = sum(counts.get(each, 0) for each in ("queued", "running", "sleeping"))
        waiting = counts.get("waiting", 0) + counts.get("blocked", 0)
        failed = counts.get("failed", 0)
        parts = {
            translate("Window", "%n pending", None, pending): pending,
            translate("Window", "%n waiting for you", None, waiting): waiting,
            translate("Window", "%n failed", None, failed): failed,
        }
        return "   ".join(part for part, number in parts.items() if number)

    @property
    def trouble(self) -> str:
        """What is wrong with the file or its disk, first what stops the work; empty where all is well."""
        return "\n".join(_sentence(each.message) for each in self.feed.conditions)

    def choose(self, key: int | None) -> None:
        """The row that a person is on: the details show it."""
        index = None if key is None else self.table.index(key)
        row = None if index is None else self.table.row(index)
        self.details.show(None if row is None else row.id)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
