"""The table of workflows: which are shown, in which order, and which of them are selected.

It holds the ordered keys of the current filter, read from the store in one piece, and reads the rows that are
looked at by key. A change of a row that is shown is shown; one that may move rows leads to new keys, read at
most as often as the reading of them takes no more than a fifth of the time. Keys are read from the file as it
is, which may be ahead of what the feed has told: a row that went and came back in between looks unchanged
when it is told of. So it is also compared with where the keys have it, and they are read once more a while
after any change.
"""

from __future__ import annotations

import asyncio
import time
from array import array
from collections import OrderedDict
from collections.abc import Coroutine, Iterable, Set
from dataclasses import replace
from functools import partial
from typing import Any

from stepfast import Engine, StepfastError, Summary
from stepfast.state import FINISHED, needs_answer
from stepfast.views import Filter
from stepfast_desktop.viewmodels.asking import asking_text
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.feed import Changed, Feed
from stepfast_desktop.viewmodels.format import readable, state_text
from stepfast_desktop.viewmodels.table.ahead import Ahead
from stepfast_desktop.viewmodels.table.folding import Family, Folding
from stepfast_desktop.viewmodels.table.places import Places, may_move, ranges
from stepfast_desktop.viewmodels.table.pointing import Pointed
from stepfast_desktop.viewmodels.table.runnable import Runnable
from stepfast_desktop.viewmodels.table.selection import Selection
from stepfast_desktop.viewmodels.words import translate

__all__ = ["TableViewModel"]

PAGE = 100
KEPT_ROWS = 3000
BETWEEN_KEYS = 0.1
BETWEEN_OFFERS = 2.0
SETTLING = 2.0
VOLATILE = frozenset({"progress", "step", "state"})
BETWEEN_VOLATILE = 2.0
"""Seconds between two orders by what changes all the time: else nobody could read it."""
SHARE_OF_TIME = 5.0
UNFILTERED: tuple[object, ...] = (frozenset(), "", False, False, False)


class TableViewModel:
    """What the table shows. Belongs to the loop that its engine was opened on."""

    def __init__(self, engine: Engine, feed: Feed) -> None:
        self.reordered: Event[[]] = Event()
        """The keys changed: other rows, or the same ones elsewhere."""
        self.rows_changed: Event[[int, int]] = Event()
        """The rows of these indexes (first, last) have other contents."""
        self.selection_changed: Event[[]] = Event()
        self.counts_changed: Event[[]] = Event()
        self.filter_changed: Event[[]] = Event()
        """Something else is to be shown: other states, another text, what was removed."""
        self.message: Event[[str]] = Event()
        """Something to say in the status line: why something cannot be read."""
        self.keys: array[int] = array("q")
        self.states: frozenset[str] = frozenset()
        self.text = ""
        self.removed = self.needs_answer = self.problems = False
        self.folding = Folding(engine)
        self.folding.changed.connect(self._tell_families)
        self.order, self.descending = "pending", False
        self.counts: dict[str, int] = {}
        self.selection = Selection()
        self.loaded = False
        self._engine = engine
        self._runnable = Runnable(engine)
        self._feed = feed
        self._disconnect = feed.changed.connect(self._hear)
        self._keys_at = 0
        self._places = Places()
        self._rows: OrderedDict[int, Summary] = OrderedDict()
        self._wanted: set[int] = set()
        self._ahead = Ahead()
        self._read_for: tuple[object, ...] = ()
        self._arrows = False
        self._held = 0
        self._pointed = Pointed()
        self._stale = asyncio.Event()
        self._asked = asyncio.Event()
        self._settling: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._reading: asyncio.Task[None] | None = None
        self._reading_keys: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Read the keys for the first time, and follow from then on."""
        await self._read_keys()
        self._reading_keys = asyncio.create_task(self._keep_keys(), name="table keys")

    async def close(self) -> None:
        """Read nothing more."""
        self._disconnect()
        self._settle(None)
        await self.folding.close()
        tasks = {*self._tasks, *filter(None, [self._reading, self._reading_keys])}
        for each in tasks:
            each.cancel()
        if tasks:
            await asyncio.wait(tasks)

    # --- rows -------------------------------------------------------------------------------------

    def row(self, index: int) -> Summary | None:
        """The row at an index; None where it is not read yet, which this call then brings about."""
        key = self.keys[index]
        self._places.see(key, index)
        row = self._rows.get(key)
        if row is None:
            self._want(index)
        return row

    def state_of(self, row: Summary) -> str:
        """Its state in words; where nothing alive can run it, that."""
        if self._runnable.stranded(row):
            return translate("Table", "Queued: nothing running can do this")
        return (asking_text(row.state) if row.intent is None else "") or state_text(row)

    def advice(self, row: Summary) -> str:
        """What would help, where something must be done; a command is text to read, and never run."""
        return self._runnable.advice(row)

    def kind_of(self, row: Summary) -> str:
        """What its definition is called where one starts it."""
        return self._runnable.title(row.name)

    def name_of(self, row: Summary) -> str:
        """What it is called: its id, without the parent's where it stands below that."""
        if row.parent_id is not None and self.folding.depth(row.key):
            return readable(row.id.removeprefix(f"{row.parent_id}/"))
        return readable(row.id)

    async def _read_offers(self) -> None:
        try:
            changed = await self._runnable.read()
        except StepfastError as error:
            self.message.emit(str(error))
            return
        if changed and self.keys:
            self.rows_changed.emit(0, len(self.keys) - 1)

    def index(self, key: int) -> int | None:
        """Where a row is shown, if it is."""
        return self._places.index(key)

    def places(self, keys: Set[int]) -> dict[int, int]:
        """Where those of these rows are shown that are, from above."""
        return self._places.among(keys)

    def _want(self, index: int) -> None:
        first = index - index % PAGE
        if first not in self._wanted:
            self._wanted.add(first)
            for place, key in enumerate(self.keys[first : first + PAGE], first):
                self._places.see(key, place)
            self._do(self._read_page(first), "table page")

    def scrolled(self, first: int, last: int) -> None:
        """These rows can be seen now; the next in that direction are read ahead."""
        for index in self._ahead.of(first, last):
            if 0 <= index < len(self.keys) and self.keys[index] not in self._rows:
                self._want(index)

    async def _read_page(self, first: int) -> None:
        keys = self.keys[first : first + PAGE]
        try:
            rows, families = await asyncio.gather(self._engine.rows(keys), self.folding.read(keys))
        except StepfastError as error:
            self.message.emit(str(error))
            rows, families = [], set()
        self._wanted.discard(first)
        self._keep(rows)
        if rows and self.keys[first : first + PAGE] == keys:
            self.rows_changed.emit(first, first + len(keys) - 1)
        elif rows:
            self.reordered.emit()
        if self._arrows is not self.folding.any:
            self._tell_families(families)

    def _keep(self, rows: Iterable[Summary]) -> None:
        """Keep what was read, where nothing newer was told of meanwhile."""
        for row in rows:
            if (kept := self._rows.get(row.key)) is None or kept.change <= row.change:
                self._rows[row.key] = row
            self._rows.move_to_end(row.key)
            if row.change > self._keys_at:
                # Newer than the keys, perhaps; and when the feed tells of it, it will look unchanged.
                self._stale.set()
        while len(self._rows) > KEPT_ROWS:
            self.folding.forget(self._rows.popitem(last=False)[0])

    # --- filter and order -------------------------------------------------------------------------

    def filter(
        self,
        *,
        states: Iterable[str] | None = None,
        text: str | None = None,
        removed: bool | None = None,
        needs_answer: bool | None = None,
        problems: bool | None = None,
    ) -> None:
        """Show only these states (none: all), and only where id or name contains `text`.

        `removed`: what was removed in place of what was not. `needs_answer`: what waits for a person alone;
        `problems`: what had some alone. What is None stays as it is.
        """
        before = self._wants
        self.states = self.states if states is None else frozenset(states)
        self.text = self.text if text is None else text
        self.removed = self.removed if removed is None else removed
        self.needs_answer = self.needs_answer if needs_answer is None else needs_answer
        self.problems = self.problems if problems is None else problems
        if before != self._wants:
            self._ask(others=True)
            self.filter_changed.emit()

    def show_all(self) -> None:
        """Filter nothing any more."""
        self.filter(states=(), text="", removed=False, needs_answer=False, problems=False)

    def sort(self, order: str, *, descending: bool) -> None:
        """Order by one of `stepfast.views.ORDERS`."""
        if (order, descending) != (self.order, self.descending):
            folded = self.folds
            self.order, self.descending = order, descending
            self._ask(others=self.folds is not folded)

    def _ask(self, *, others: bool = False) -> None:
        """Show something else at once, and give up what is read for nobody. Of `others` none is selected."""
        if others:
            self.selection.clear()
            self.selection_changed.emit()
        self._pointed.point(None)
        self._asked.set()
        self._stale.set()
        if self._reading is not None:
            self._reading.cancel()

    def hover(self, key: int | None) -> None:
        """The pointer is over this row now, or over none: one that finishes meanwhile stays where it is."""
        if self._pointed.point(None if key is None else self._rows.get(key)):
            self._stale.set()

    def hold(self) -> None:
        """While a button is pressed, or a menu or an editor is open: cells change, and no row moves."""
        self._held += 1

    def let_go(self) -> None:
        """What `hold` began is over; rows that waited move now."""
        self._held -= 1
        if not self._held:
            self._stale.set()

    @property
    def filtered(self) -> bool:
        """Is anything hidden by a filter?"""
        return self._wants != UNFILTERED

    @property
    def empty(self) -> bool:
        """Is there nothing at all, filter or not? Then the window shows what one can do."""
        return self.loaded and not self.keys and not self.filtered and self._read_for == self._wants

    @property
    def _wants(self) -> tuple[object, ...]:
        return (self.states, self.text, self.removed, self.needs_answer, self.problems)

    async def _keep_keys(self) -> None:
        while True:
            try:
                # While something is queued, somebody may come or go that can run it; no row tells of that.
                async with asyncio.timeout(BETWEEN_OFFERS if self.counts.get("queued") else None):
                    await self._stale.wait()
            except TimeoutError:
                await self._read_offers()
                continue
            self._stale.clear()
            if self._held:
                continue
            self._settle(None)
            began = time.monotonic()
            self._reading = asyncio.create_task(self._read_keys(), name="table keys now")
            await asyncio.wait({self._reading})
            if not self._reading.cancelled():
                self._reading.result()
            self._reading = None
            took = time.monotonic() - began
            least = BETWEEN_VOLATILE if self.order in VOLATILE else BETWEEN_KEYS
            try:
                async with asyncio.timeout(max(least, SHARE_OF_TIME * took)):
                    await self._asked.wait()
            except TimeoutError:
                pass

    async def _read_keys(self) -> None:
        self._asked.clear()
        read = partial(self._engine.listing, order=self.order, descending=self.descending)
        top = replace(self.matching, parents=frozenset())

        async def children(key: int) -> array[int]:
            return (await read(Filter(parents=[key]))).keys

        try:
            listing, counts = await asyncio.gather(read(top), self._engine.counts())
            spread = await self.folding.spread(listing.keys, children if self.folds else None)
            pointed = self._pointed.key
            keys, pinned = await self._pin(spread.keys)
            keys = self.keys if keys == self.keys else keys
            # What one looks at after a search comes with the places of what is read, and not after them.
            new = [each for each in keys[:PAGE] if each not in self._rows]
            places, first, families = await asyncio.gather(
                self._places.read(keys, self._rows.keys()), self._engine.rows(new), self.folding.read(new)
            )
        except StepfastError as error:
            self.message.emit(str(error))
            return
        if self._asked.is_set() or self._held or (pinned and pointed != self._pointed.key):
            self._stale.set()
            return
        self.folding.put(spread)
        self._pointed.pinned = pinned
        first_time = not self.loaded
        self.loaded, self._keys_at = True, listing.at
        self._keep(first)
        if counts != self.counts:
            self.counts = counts
            self.counts_changed.emit()
        self._places.put(keys, places)
        if keys is not self.keys or first_time or self._read_for != self._wants:
            self._read_for = self._wants
            self.keys = keys
            self._wanted.clear()
            self.reordered.emit()
        if self._arrows is not self.folding.any:
            self._tell_families(families)
        await self._read_offers()

    async def _pin(self, keys: array[int]) -> tuple[array[int], bool]:
        key = self._pointed.key
        if key is None or self.folding.is_unfolded(key):
            return keys, False
        # Read after the keys: they may be ahead of what was told of the row.
        rows = await self._engine.rows([key])
        return self._pointed.pin(keys, rows[0] if rows else None, self.index(key))

    # --- children under their parents --------------------------------------------------------------

    @property
    def folds(self) -> bool:
        """Do children stand under their parents? What a filter picked out is shown as it is, and so is the
        queue, where each child has its own place."""
        return not self.filtered and self.order != "queue"

    def family(self, key: int) -> Family | None:
        """The children that stand below a row, if some do."""
        family, row = self.folding.family(key), self._rows.get(key)
        if family is not None and row is not None and row.state.name in FINISHED:
            return family.ended
        return family

    def fold(self, key: int, *, unfold: bool) -> None:
        """Show the children of a row below it, or hide them; what is hidden is selected no more."""
        if not self.folds or not self.folding.fold(key, unfold=unfold):
            return
        first, last = self.below(key)
        if not unfold and first < last and not self.selection.everything:
            self.selection.take_away(self.keys[first:last])
            self.selection_changed.emit()
        self._ask()

    def reveal(self, key: int) -> None:
        """Unfold what a row stands under, whoever that is; it is seen then where nothing is filtered."""
        self._do(self._reveal(key), "table reveal")

    async def _reveal(self, key: int) -> None:
        try:
            await self.folding.unfold_above(key)
        except StepfastError as error:
            self.message.emit(str(error))
        self._ask()

    def below(self, key: int) -> tuple[int, int]:
        """Where what stands under a row begins, and where it has ended."""
        place, depth = self.index(key), self.folding.depth(key)
        if place is None:
            return 0, 0
        last = place + 1
        while last < len(self.keys) and self.folding.depth(self.keys[last]) > depth:
            last += 1
        return place + 1, last

    def _tell_families(self, keys: set[int]) -> None:
        if self.keys and self._arrows is not self.folding.any:
            # Every name makes room for an arrow now, or for none.
            self._arrows = self.folding.any
            self.rows_changed.emit(0, len(self.keys) - 1)
            return
        for first, last in ranges([index for key in keys if (index := self.index(key)) is not None]):
            self.rows_changed.emit(first, last)

    # --- what changed -----------------------------------------------------------------------------

    def _hear(self, changed: Changed) -> None:
        if changed.reset:
            self._rows.clear()
            self._stale.set()
            return
        if changed.deleted:
            self._stale.set()
            self.folding.count_again(self.folding.known)
        shown: list[int] = []
        for row in changed.rows:
            before = self._rows.get(row.key)
            moved = before is None or may_move(before, row)
            if moved and row.parent is not None and row.parent in self._rows:
                self.folding.count_again([row.parent])
            place = self._places.known(row.key)
            there = place != "nowhere"
            if moved or place == "unknown" or self._shows(row, there) != there:
                self._stale.set()
            # While rows are being read, those that come may be older than what is told now.
            if before is not None or self._wanted or self._reading is not None:
                self._rows[row.key] = row
                # One without a place has not been painted, and is when it is looked for.
                if isinstance(place, int):
                    shown.append(place)
            if (row.removed_at is not None) is not self.removed:
                self.selection.forget([row.key])
        if self._settling is None:
            self._settle(asyncio.get_running_loop().call_later(SETTLING, self._stale.set))
        for first, last in ranges(shown):
            self.rows_changed.emit(first, last)
        if shown:
            self.selection_changed.emit()  # what can be done with them may be another thing now

    def _settle(self, timer: asyncio.TimerHandle | None) -> None:
        if self._settling is not None:
            self._settling.cancel()
        self._settling = timer

    def _shows(self, row: Summary, there: bool) -> bool:
        """Has it a place under this filter? Its text never changes: whether it is `there` by that is so."""
        if (row.removed_at is not None) is not self.removed:
            return False
        if self.text or (self.folds and row.parent is not None):
            return there
        if (self.needs_answer and not needs_answer(row.state)) or (self.problems and not row.problems):
            return False
        return not self.states or row.state.name in self.states

    # --- selection --------------------------------------------------------------------------------

    @property
    def at(self) -> int:
        """The number of the last change that is shown: what has changed since is not what somebody meant."""
        return max(self._feed.at, self._keys_at)

    @property
    def selected_count(self) -> int:
        return self.selection.count(len(self.keys))

    def known(self, key: int) -> Summary | None:
        """The row of a key, where it is read; nothing is brought about by asking."""
        return self._rows.get(key)

    def known_among(self, keys: Set[int]) -> list[Summary]:
        """Those of the rows of these keys that are read."""
        if len(keys) < len(self._rows):
            return [row for key in keys if (row := self._rows.get(key)) is not None]
        return [row for key, row in self._rows.items() if key in keys]

    @property
    def matching(self) -> Filter:
        """What is shown: the filter as it stands, without what is folded away."""
        return Filter(
            self.states,
            text=self.text,
            removed=self.removed,
            needs_answer=self.needs_answer,
            problems=self.problems,
            top=self.folds,
            parents=self.folding.shown if self.folds else (),
        )

    def _do(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
