"""What is pending, kept from the feed: what runs, what asks a person, and what has just come to an end.

For whoever looks at more than the rows of a table: the tray, notifications, and what keeps the computer
awake. Nothing is told of what was so when this began, so that nothing is told twice after a restart.
"""

from __future__ import annotations

import asyncio
from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime

from stepfast import Engine, StepfastError, Summary
from stepfast.state import BY_THEMSELVES, PENDING, AnswerWait, Blocked, Waiting
from stepfast.views import Filter
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.feed import Changed, Feed

__all__ = ["Pending", "questions"]

MOST_ROWS = 1000
"""So many rows that run, and so many that wait, are looked at when this begins."""

AGAIN = 5.0
"""Seconds until what could not be read is read again."""

BLOCKED = "\0blocked at "


def _nothing() -> None:
    pass


def questions(row: Summary) -> frozenset[str]:
    """What a person is asked by a workflow, a name for each; empty where it asks nobody."""
    match row.state:
        case Waiting(waits):
            return frozenset(each.name for each in waits if isinstance(each, AnswerWait))
        case Blocked(step):
            return frozenset({BLOCKED + step})
        case _:
            return frozenset()


class Pending:
    """Follows what is pending in a file, from `start` to `close`."""

    def __init__(self, engine: Engine, feed: Feed) -> None:
        self.changed: Event[[]] = Event()
        """Other workflows run or ask than before, or one is further; at most ten times a second."""
        self.ended: Event[[tuple[Summary, ...]]] = Event()
        """These were pending and have finished."""
        self.asked: Event[[tuple[Summary, ...]]] = Event()
        """These ask something that they did not ask before."""
        self.running: dict[int, Summary] = {}
        self.asking: dict[int, Summary] = {}
        self._engine = engine
        self._feed = feed
        self._states: dict[int, str] = {}
        self._counts: Counter[str] = Counter()
        self._ids: dict[int, str] = {}
        self._asked: dict[int, frozenset[str]] = {}
        self._finished: dict[int, datetime | None] = {}
        self._newest = 0
        self._before = 0  # the newest there was, until what it asked is known
        self._heard: set[int] = set()  # since what is pending was begun to be read
        self._reading: asyncio.Task[None] | None = None
        self._disconnect: Callable[[], None] = _nothing

    @property
    def going_on(self) -> int:
        """How many there are that go on by themselves: that run, or will."""
        return sum(self._counts[state] for state in BY_THEMSELVES)

    async def start(self) -> None:
        """Follow from now on. What there is already is read meanwhile; nobody waits for it."""
        self._newest = self._before = await self._newest_key()
        self._disconnect = self._feed.changed.connect(self._hear)
        self._read_again(0.0)

    async def close(self) -> None:
        """Follow no more."""
        self._disconnect()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait({self._reading})

    async def _read(self) -> None:
        """What is pending, and those of its rows that matter. What is heard meanwhile is newer, and stays."""
        self._heard.clear()
        keys = {state: await self._engine.keys(Filter([state])) for state in PENDING}
        rows = [
            row
            for wanted in (("running",), ("waiting", "blocked"))
            for row in await self._engine.rows([key for state in wanted for key in keys[state][-MOST_ROWS:]])
        ]
        # Of a hundred thousand keys: on a thread, so that the window is not held up.
        states, counts = await asyncio.to_thread(_states_of, keys)
        for key in self._heard:
            if (state := states.pop(key, None)) is not None:
                counts[state] -= 1
            if (state := self._states.get(key)) is not None:
                states[key] = state
                counts[state] += 1
        self._states, self._counts = states, counts
        for kept in (self.running, self.asking, self._ids):
            for key in [key for key in kept if key not in self._heard]:
                kept.pop(key)
        for row in rows:
            if row.key not in self._heard:
                self._take(row)
                self._asked[row.key] = self._asked.get(row.key, frozenset()) | questions(row)
        self._before = 0
        self.changed.emit()

    async def _newest_key(self) -> int:
        try:
            newest = await self._engine.list(order="newest", limit=1)
        except StepfastError:
            return 0  # what is wrong with the file is said elsewhere
        return newest[0].key if newest else 0

    def _read_again(self, seconds: float) -> None:
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self._read_later(seconds), name="pending")

    async def _read_later(self, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            try:
                await self._read()
                return
            except StepfastError:
                seconds = AGAIN  # what is wrong with the file is said elsewhere

    # --- what changed -----------------------------------------------------------------------------

    def _hear(self, changed: Changed) -> None:
        if changed.reset:
            self._read_again(0.0)
            return
        ended, asked = [], []
        parents: set[str] = set()
        if any("/" in row.id for row in changed.rows):
            # Of a parent that ends in the same moment as its child, both are told of together.
            parents = {*self._ids.values(), *(row.id for row in changed.rows)}
        self._heard.update(row.key for row in changed.rows)
        for row in changed.rows:
            if row.state.name in PENDING:
                if self._asks_anew(row):
                    asked.append(row)
                self._take(row)
            elif self._has_ended(row):
                ended.append(row)
        self._newest = max((self._newest, *(row.key for row in changed.rows)))
        if asked:
            self.asked.emit(tuple(asked))
        if ended:
            self.ended.emit(tuple(row for row in ended if not _is_child(row, parents)))
        if changed.rows:
            self.changed.emit()

    def _take(self, row: Summary) -> None:
        key = row.key
        if (before := self._states.get(key)) is not None:
            self._counts[before] -= 1
        self._counts[row.state.name] += 1
        self._states[key], self._ids[key] = row.state.name, row.id
        _keep(self.running, row, row.state.name == "running")
        _keep(self.asking, row, bool(questions(row)))

    def _asks_anew(self, row: Summary) -> bool:
        now, before = questions(row), self._asked.get(row.key, frozenset())
        if row.state.name in ("queued", "running"):
            # A pass that is made again asks the same as before; a step that is interrupted again does not.
            before = frozenset(each for each in before if not each.startswith(BLOCKED))
        if now or before:
            self._asked[row.key] = before | now
        return not now <= before and row.key > self._before

    def _has_ended(self, row: Summary) -> bool:
        key = row.key
        if (before := self._states.get(key)) is not None:
            self._counts[before] -= 1
        new = before is not None or key > self._newest
        again = key in self._finished and self._finished[key] != row.finished_at
        for each in (self._states, self._ids, self._asked, self.running, self.asking):
            each.pop(key, None)
        if new or again:
            self._finished[key] = row.finished_at
        return new or again


def _states_of(keys: dict[str, array[int]]) -> tuple[dict[int, str], Counter[str]]:
    """The state of each, and how many are in each: one that went on while they were read may be in two."""
    states = {key: state for state, found in keys.items() for key in found}
    return states, Counter(states.values())


def _keep(rows: dict[int, Summary], row: Summary, wanted: bool) -> None:
    if wanted:
        rows[row.key] = row
    else:
        rows.pop(row.key, None)


def _is_child(row: Summary, pending: Iterable[str]) -> bool:
    """Is it a child, as its id says, whose parent is pending or has just ended? Then that is told of."""
    parent, slash, _ = row.id.rpartition("/")
    return bool(slash) and parent in pending
