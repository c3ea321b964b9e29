"""Which notifications there are: what failed, what asks, and what took long and is done.

Many at once are one. Decided from what `Pending` tells, by what the person prefers, and only while the
window is not in front.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from stepfast import Summary
from stepfast_desktop.viewmodels.away.pending import Pending
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.format import duration_text, readable
from stepfast_desktop.viewmodels.preferences import Preferences
from stepfast_desktop.viewmodels.words import listed, translate

__all__ = ["BETWEEN", "GATHER", "Kind", "Notification", "Notifications", "compose"]

Kind = Literal["failed", "question", "finished"]

GATHER = 1.0
"""Seconds in which what happens is told together."""

BETWEEN = 10.0
"""Seconds between two tellings, in which more may come together."""

STATES: dict[Kind, tuple[str, ...]] = {
    "failed": ("failed",),
    "question": ("waiting", "blocked"),
    "finished": ("completed",),
}


@dataclass(frozen=True, slots=True)
class Notification:
    """What a person is told, and the keys of the rows that a click brings up."""

    kind: Kind
    title: str
    text: str
    keys: tuple[int, ...]


def compose(kind: Kind, rows: list[Summary], title_of: Callable[[Summary], str]) -> Notification:
    """One notification for all that happened of one kind.

    Args:
        rows: one at least.
        title_of: what a workflow does, in words: the title of its definition.
    """
    keys = tuple(row.key for row in rows)
    if len(rows) == 1:
        title = _title_of_one(kind).format(task=title_of(rows[0]))
        return Notification(kind, title, _text_of(rows[0]), keys)
    some = listed(readable(row.id) for row in rows[:3])
    if len(rows) > 3:
        some = translate("Notification", "{some} and others").format(some=some)
    return Notification(kind, _title_of_many(kind, len(rows)), some, keys)


def _title_of_one(kind: Kind) -> str:
    match kind:
        case "failed":
            return translate("Notification", "{task} failed")
        case "question":
            return translate("Notification", "{task} needs your answer")
        case "finished":
            return translate("Notification", "{task} is done")


def _title_of_many(kind: Kind, count: int) -> str:
    match kind:
        case "failed":
            return translate("Notification", "%n workflow(s) failed", None, count)
        case "question":
            return translate("Notification", "%n workflow(s) waiting for your answer", None, count)
        case "finished":
            return translate("Notification", "%n workflow(s) done", None, count)


def _text_of(row: Summary) -> str:
    seconds = _took(row)
    name = readable(row.id)
    if seconds is None:
        return name
    took = duration_text(seconds)
    if row.problems:
        problems = translate("Notification", "%n problem(s)", None, row.problems)
        return translate("Notification", "{name}, after {time}, {problems}").format(
            name=name, time=took, problems=problems
        )
    return translate("Notification", "{name}, after {time}").format(name=name, time=took)


def _took(row: Summary) -> float | None:
    if row.started_at is None or row.finished_at is None:
        return None
    return (row.finished_at - row.started_at).total_seconds()


class Notifications:
    """Gathers what is to be told, and sends it.

    Args:
        pending: tells what has ended and what asks.
        preferences: which kinds are wanted, and how long a long one is.
        seen: is the window in front of a person now?
        title_of: as for `compose`.
        gather, between: seconds, as above.
    """

    def __init__(
        self,
        pending: Pending,
        preferences: Preferences,
        seen: Callable[[], bool],
        title_of: Callable[[Summary], str],
        *,
        gather: float = GATHER,
        between: float = BETWEEN,
    ) -> None:
        self.due: Event[[Notification]] = Event()
        """This is to be shown now."""
        self._preferences = preferences
        self._seen = seen
        self._title_of = title_of
        self._gather, self._between = gather, between
        self._gathered: dict[Kind, dict[int, Summary]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._last = float("-inf")
        self._disconnect = [pending.ended.connect(self._ended), pending.asked.connect(self._asked)]

    def close(self) -> None:
        """Tell nothing more."""
        for each in self._disconnect:
            each()
        if self._timer is not None:
            self._timer.cancel()

    def _ended(self, rows: tuple[Summary, ...]) -> None:
        long = self._preferences["long_minutes"] * 60
        for row in rows:
            if row.state.name == "failed":
                self._add("failed", row)
            elif row.state.name == "completed" and (_took(row) or 0.0) >= long:
                self._add("finished", row)

    def _asked(self, rows: tuple[Summary, ...]) -> None:
        for row in rows:
            self._add("question", row)

    def _add(self, kind: Kind, row: Summary) -> None:
        if not self._preferences[f"notify_{kind}"] or self._seen():
            return
        self._gathered.setdefault(kind, {})[row.key] = row
        if self._timer is None:
            loop = asyncio.get_running_loop()
            wait = max(self._gather, self._last + self._between - loop.time())
            self._timer = loop.call_later(wait, self._tell)

    def _tell(self) -> None:
        self._timer = None
        self._last = asyncio.get_running_loop().time()
        gathered, self._gathered = self._gathered, {}
        if self._seen():
            return  # meanwhile the person has come back
        for kind, rows in gathered.items():
            if self._preferences[f"notify_{kind}"]:
                self.due.emit(compose(kind, [*rows.values()], self._title_of))
