"""The sidebar: what of the workflows one may want to see, and how many there are of it, at any time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stepfast import Engine, Filter, Summary
from stepfast.state import FINISHED, PENDING
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.feed import Feed
from stepfast_desktop.viewmodels.format import Tone, number_text
from stepfast_desktop.viewmodels.questions import Questions
from stepfast_desktop.viewmodels.table.table import TableViewModel
from stepfast_desktop.viewmodels.tally import Tally
from stepfast_desktop.viewmodels.words import translate

__all__ = ["ENTRIES", "Entry", "SidebarViewModel"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the sidebar, and what the table shows when it is chosen.

    Args:
        name: what it is called in code.
        title: what a person reads.
        nothing: what to say where there is nothing of it; and where the search finds nothing, with {text}.
        states: what it has; everything, where there are none.
        level: 0, or one more than that of the one before that it stands below.
        tone: the colour beside it, where it has one.
        needs_answer, removed, problems: as `stepfast.Filter` has them.
    """

    name: str
    title: Callable[[], str]
    nothing: Callable[[], str]
    no_match: Callable[[], str]
    states: tuple[str, ...] = ()
    level: int = 0
    tone: Tone | None = None
    needs_answer: bool = False
    removed: bool = False
    problems: bool = False

    @property
    def filter(self) -> Filter:
        """Which workflows it has."""
        return Filter(
            self.states, removed=self.removed, needs_answer=self.needs_answer, problems=self.problems
        )


ENTRIES: tuple[Entry, ...] = (
    Entry(
        "all",
        lambda: translate("Sidebar", "All"),
        lambda: translate("Sidebar", "There are no workflows."),
        lambda: translate("Sidebar", "No workflows match “{text}”."),
    ),
    Entry(
        "needs-you",
        lambda: translate("Sidebar", "Needs you"),
        lambda: translate("Sidebar", "No workflows need you now."),
        lambda: translate("Sidebar", "No workflows that need you match “{text}”."),
        needs_answer=True,
    ),
    Entry(
        "pending",
        lambda: translate("Sidebar", "Pending"),
        lambda: translate("Sidebar", "There are no pending workflows."),
        lambda: translate("Sidebar", "No pending workflows match “{text}”."),
        tuple(PENDING),
    ),
    Entry(
        "queued",
        lambda: translate("Sidebar", "Queued"),
        lambda: translate("Sidebar", "There are no queued workflows."),
        lambda: translate("Sidebar", "No queued workflows match “{text}”."),
        ("queued",),
        1,
        "quiet",
    ),
    Entry(
        "running",
        lambda: translate("Sidebar", "Running"),
        lambda: translate("Sidebar", "There are no running workflows."),
        lambda: translate("Sidebar", "No running workflows match “{text}”."),
        ("running",),
        1,
        "active",
    ),
    Entry(
        "sleeping",
        lambda: translate("Sidebar", "Sleeping"),
        lambda: translate("Sidebar", "There are no sleeping workflows."),
        lambda: translate("Sidebar", "No sleeping workflows match “{text}”."),
        ("sleeping",),
        1,
        "quiet",
    ),
    Entry(
        "waiting",
        lambda: translate("Sidebar", "Waiting"),
        lambda: translate("Sidebar", "There are no waiting workflows."),
        lambda: translate("Sidebar", "No waiting workflows match “{text}”."),
        ("waiting",),
        1,
        "quiet",
    ),
    Entry(
        "paused",
        lambda: translate("Sidebar", "Paused"),
        lambda: translate("Sidebar", "There are no paused workflows."),
        lambda: translate("Sidebar", "No paused workflows match “{text}”."),
        ("paused",),
        1,
        "quiet",
    ),
    Entry(
        "blocked",
        lambda: translate("Sidebar", "Blocked"),
        lambda: translate("Sidebar", "There are no blocked workflows."),
        lambda: translate("Sidebar", "No blocked workflows match “{text}”."),
        ("blocked",),
        1,
        "asking",
    ),
    Entry(
        "finished",
        lambda: translate("Sidebar", "Finished"),
        lambda: translate("Sidebar", "There are no finished workflows."),
        lambda: translate("Sidebar", "No finished workflows match “{text}”."),
        tuple(FINISHED),
    ),
    Entry(
        "completed",
        lambda: translate("Sidebar", "Completed"),
        lambda: translate("Sidebar", "There are no completed workflows."),
        lambda: translate("Sidebar", "No completed workflows match “{text}”."),
        ("completed",),
        1,
        "good",
    ),
    Entry(
        "problems",
        lambda: translate("Sidebar", "With problems"),
        lambda: translate("Sidebar", "No workflows completed with problems."),
        lambda: translate("Sidebar", "No workflows that completed with problems match “{text}”."),
        ("completed",),
        2,
        "uneven",
        problems=True,
    ),
    Entry(
        "failed",
        lambda: translate("Sidebar", "Failed"),
        lambda: translate("Sidebar", "There are no failed workflows."),
        lambda: translate("Sidebar", "No failed workflows match “{text}”."),
        ("failed",),
        1,
        "bad",
    ),
    Entry(
        "cancelled",
        lambda: translate("Sidebar", "Cancelled"),
        lambda: translate("Sidebar", "There are no cancelled workflows."),
        lambda: translate("Sidebar", "No cancelled workflows match “{text}”."),
        ("cancelled",),
        1,
        "quiet",
    ),
    Entry(
        "removed",
        lambda: translate("Sidebar", "Recently removed"),
        lambda: translate("Sidebar", "Nothing was removed in the last day."),
        lambda: translate("Sidebar", "No removed workflows match “{text}”."),
        removed=True,
    ),
)


COUNTED_AFTER = 0.5
"""Seconds from the start until those are read that no count of states tells."""


def _entry(name: str) -> Entry:
    return next(each for each in ENTRIES if each.name == name)


def _completed_with_problems(row: Summary) -> bool:
    return row.state.name == "completed" and row.problems > 0 and row.removed_at is None


class SidebarViewModel:
    """Which entry is chosen, and how many workflows each has. The search of the table stays as it is."""

    def __init__(self, engine: Engine, feed: Feed, table: TableViewModel, questions: Questions) -> None:
        self.counts_changed: Event[[]] = Event()
        self.chosen_changed: Event[[]] = Event()
        """Another entry is chosen, by whatever means."""
        self._table = table
        self._own = {
            "problems": Tally(engine, feed, _entry("problems").filter, _completed_with_problems),
            "removed": Tally(engine, feed, _entry("removed").filter, lambda row: row.removed_at is not None),
        }
        self._tallies = {"needs-you": questions, **self._own}
        self._disconnect = [
            table.counts_changed.connect(self.counts_changed.emit),
            *(each.changed.connect(self.counts_changed.emit) for each in self._tallies.values()),
            table.filter_changed.connect(self.chosen_changed.emit),
        ]

    async def start(self) -> None:
        """Count what the states do not tell. It is not in a hurry: first, there is the table to be read."""
        for each in self._own.values():
            await each.start(after=COUNTED_AFTER)

    async def close(self) -> None:
        """Follow no more."""
        for stop in self._disconnect:
            stop()
        for each in self._own.values():
            await each.close()

    @property
    def chosen(self) -> Entry | None:
        """The entry that the table shows; None where somebody filtered it otherwise."""
        table = self._table
        shown = Filter(
            table.states, removed=table.removed, needs_answer=table.needs_answer, problems=table.problems
        )
        return next((each for each in ENTRIES if each.filter == shown), None)

    def choose(self, name: str) -> None:
        """Show in the table what this entry has."""
        entry = _entry(name)
        self._table.filter(
            states=entry.states,
            needs_answer=entry.needs_answer,
            removed=entry.removed,
            problems=entry.problems,
        )

    def count(self, entry: Entry) -> int | None:
        """How many it has; None where that is not known yet."""
        if (tally := self._tallies.get(entry.name)) is not None:
            return tally.count if tally.known else None
        counts = self._table.counts
        return sum(counts.get(each, 0) for each in entry.states) if entry.states else sum(counts.values())

    def words(self, entry: Entry) -> str:
        """The entry with its count, for who hears it: "Failed, 3"."""
        count = self.count(entry)
        if count is None:
            return entry.title()
        text = translate("Sidebar", "{title}, {count}")
        return text.format(title=entry.title(), count=number_text(count))

    @property
    def nothing(self) -> str:
        """What to say where the table has no rows, of what was filtered."""
        entry, text = self.chosen or ENTRIES[0], self._table.text
        return entry.no_match().format(text=text) if text else entry.nothing()
