"""The table of workflows: which are shown, in which order, and what can be done with those selected.

It holds the ordered keys of the current filter, read from the store in one piece, and reads the rows that are
looked at by key. A change of a row that is shown is shown; one that may move rows leads to new keys, read at
most as often as the reading of them takes no more than a fifth of the time. Keys are read from the file as it
is, which may be ahead of what the feed has told: a row that went and came back in between looks unchanged
when it is told of. So it is also compared with where the keys have it, and they are read once more a while
after any change.
"""

from __future__ import annotations

import asyncio
import logging
import time
from array import array
from collections import OrderedDict
from collections.abc import Collection, Coroutine, Iterable, Iterator, Sequence
from typing import Any

from stepfast import Engine, StepfastError, Summary
from stepfast.state import Queued
from stepfast.views import Filter
from stepfast_desktop.viewmodels.actions import ACTIONS, Action, fits
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.feed import Changed, Feed
from stepfast_desktop.viewmodels.format import state_text
from stepfast_desktop.viewmodels.selection import Selection
from stepfast_desktop.viewmodels.words import translate

__all__ = ["TableViewModel"]

logger = logging.getLogger("stepfast")

PAGE = 100
KEPT_ROWS = 3000
BETWEEN_KEYS = 0.1
BETWEEN_OFFERS = 2.0
SETTLING = 2.0
SHARE_OF_TIME = 5.0


class TableViewModel:
    """What the table shows and does. Belongs to the loop that its engine was opened on."""

    def __init__(self, engine: Engine, feed: Feed) -> None:
        self.reordered: Event[[]] = Event()
        """The keys changed: other rows, or the same ones elsewhere."""
        self.rows_changed: Event[[int, int]] = Event()
        """The rows of these indexes (first, last) have other contents."""
        self.selection_changed: Event[[]] = Event()
        self.counts_changed: Event[[]] = Event()
        self.message: Event[[str]] = Event()
        """Something to say in the status line: what was done, or why it was not."""
        self.keys: array[int] = array("q")
        self.states: frozenset[str] = frozenset()
        self.text = ""
        self.order, self.descending = "pending", False
        self.counts: dict[str, int] = {}
        self.selection = Selection()
        self.loaded = False
        self._engine = engine
        self._offered: frozenset[tuple[str, int]] | None = None
        self._commands: dict[tuple[str, int], str] = {}
        self._feed = feed
        self._disconnect = feed.changed.connect(self._hear)
        self._keys_at = 0
        self._places: dict[int, int] = {}
        self._rows: OrderedDict[int, Summary] = OrderedDict()
        self._wanted: set[int] = set()
        self._removed = array("q")
        self._held = 0
        self._stale = asyncio.Event()
        self._settling: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._reading_keys: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Read the keys for the first time, and follow from then on."""
        await self._read_keys()
        self._reading_keys = asyncio.create_task(self._keep_keys(), name="table keys")

    async def close(self) -> None:
        """Read nothing more."""
        self._disconnect()
        self._settle(None)
        tasks = {*self._tasks, *filter(None, [self._reading_keys])}
        for each in tasks:
            each.cancel()
        if tasks:
            await asyncio.wait(tasks)

    # --- rows -------------------------------------------------------------------------------------

    def row(self, index: int) -> Summary | None:
        """The row at an index; None where it is not read yet, which this call then brings about."""
        key = self.keys[index]
        row = self._rows.get(key)
        if row is None:
            self._want(index)
        return row

    def state_of(self, row: Summary) -> str:
        """Its state in words; where nothing alive can run it, that."""
        if self._stranded(row):
            return translate("Table", "Queued: nothing running can do this")
        return state_text(row)

    def advice(self, row: Summary) -> str:
        """What would help, where something must be done; a command is text to read, and never run."""
        if not self._stranded(row):
            return ""
        command = self._commands.get((row.name, row.version), "stepfast work --load MODULE:ATTRIBUTE")
        return (
            translate("Table", "Start a program that has {name}, version {version}, for instance:").format(
                name=row.name, version=row.version
            )
            + f"\n{command}"
            + self._other_versions(row)
        )

    def _other_versions(self, row: Summary) -> str:
        versions = sorted(version for name, version in self._offered or () if name == row.name)
        if not versions:
            return ""
        return "\n" + translate(
            "Table",
            "Or let it go on with version {version}, which does not say that it can: {command}",
        ).format(version=versions[-1], command=f"stepfast continue-anyway {row.id}")

    def _stranded(self, row: Summary) -> bool:
        if self._offered is None or not isinstance(row.state, Queued):
            return False
        return (row.name, row.version) not in self._offered

    async def _read_offers(self) -> None:
        try:
            offers = await self._engine.offers()
        except StepfastError as error:
            self.message.emit(str(error))
            return
        # What somebody offered once is remembered: when nobody does any more, it says what would help.
        self._commands.update({(each.name, each.version): each.command for each in offers if each.command})
        offered = frozenset((each.name, each.version) for each in offers)
        if offered != self._offered:
            self._offered = offered
            if self.keys:
                self.rows_changed.emit(0, len(self.keys) - 1)

    def index(self, key: int) -> int | None:
        """Where a row is shown, if it is."""
        return self._places.get(key)

    def _want(self, index: int) -> None:
        first = index - index % PAGE
        if first not in self._wanted:
            self._wanted.add(first)
            self._do(self._read_page(first), "table page")

    async def _read_page(self, first: int) -> None:
        keys = self.keys[first : first + PAGE]
        try:
            rows = await self._engine.rows(keys)
        except StepfastError as error:
            self.message.emit(str(error))
            rows = []
        self._wanted.discard(first)
        self._keep(rows)
        if any(row.change > self._keys_at for row in rows):
            # Newer than the keys, perhaps; and when the feed tells of them, they will look unchanged.
            self._stale.set()
        if rows and self.keys[first : first + PAGE] == keys:
            self.rows_changed.emit(first, first + len(keys) - 1)
        elif rows:
            self.reordered.emit()

    def _keep(self, rows: Iterable[Summary]) -> None:
        for row in rows:
            self._rows[row.key] = row
            self._rows.move_to_end(row.key)
        while len(self._rows) > KEPT_ROWS:
            self._rows.popitem(last=False)

    # --- filter and order -------------------------------------------------------------------------

    def filter(self, *, states: Iterable[str] | None = None, text: str | None = None) -> None:
        """Show only these states (none: all), and only where id or name contains `text`."""
        asked = (self.states if states is None else frozenset(states), self.text if text is None else text)
        if asked != (self.states, self.text):
            self.states, self.text = asked
            self.selection.clear()
            self.selection_changed.emit()
            self._stale.set()

    def sort(self, order: str, *, descending: bool) -> None:
        """Order by one of `stepfast.views.ORDERS`."""
        if (order, descending) != (self.order, self.descending):
            self.order, self.descending = order, descending
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
        return bool(self.states or self.text)

    @property
    def empty(self) -> bool:
        """Is there nothing at all, filter or not? Then the window shows what one can do."""
        return self.loaded and not self.keys and not self.filtered

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
            await self._read_keys()
            took = time.monotonic() - began
            await asyncio.sleep(max(BETWEEN_KEYS, SHARE_OF_TIME * took))

    async def _read_keys(self) -> None:
        asked = (self.states, self.text, self.order, self.descending)
        at = self._feed.at
        try:
            keys = await self._engine.keys(
                Filter(self.states, text=self.text), order=self.order, descending=self.descending
            )
            counts = await self._engine.counts()
            await self._read_offers()
            # Of a hundred thousand keys: on a thread, so that the window is not held up.
            places = await asyncio.to_thread(_places_of, keys)
        except StepfastError as error:
            self.message.emit(str(error))
            return
        if asked != (self.states, self.text, self.order, self.descending) or self._held:
            self._stale.set()
            return
        first_time = not self.loaded
        self.loaded, self._keys_at = True, at
        if counts != self.counts:
            self.counts = counts
            self.counts_changed.emit()
        if keys != self.keys or first_time:
            self.keys, self._places = keys, places
            self._wanted.clear()
            self.reordered.emit()

    # --- what changed -----------------------------------------------------------------------------

    def _hear(self, changed: Changed) -> None:
        if changed.reset:
            self._rows.clear()
            self._stale.set()
            return
        if changed.deleted:
            self._stale.set()
        shown: list[int] = []
        for row in changed.rows:
            before = self._rows.get(row.key)
            if before is None or self._may_move(before, row) or self._shows(row) != (row.key in self._places):
                self._stale.set()
            if before is not None:
                self._rows[row.key] = row
                index = self.index(row.key)
                if index is not None:
                    shown.append(index)
            if row.removed_at is not None:
                self.selection.forget([row.key])
        if self._settling is None:
            self._settle(asyncio.get_running_loop().call_later(SETTLING, self._stale.set))
        for first, last in _ranges(shown):
            self.rows_changed.emit(first, last)
        if shown:
            self.selection_changed.emit()  # what can be done with them may be another thing now

    def _may_move(self, before: Summary, row: Summary) -> bool:
        return (
            before.state.name != row.state.name
            or before.removed_at != row.removed_at
            or before.started_at != row.started_at
        )

    def _settle(self, timer: asyncio.TimerHandle | None) -> None:
        if self._settling is not None:
            self._settling.cancel()
        self._settling = timer

    def _shows(self, row: Summary) -> bool:
        """Has it a place under this filter? Its text never changes, and is left to the keys."""
        of_text = not self.text or row.key in self._places
        return row.removed_at is None and of_text and (not self.states or row.state.name in self.states)

    # --- selection and actions --------------------------------------------------------------------

    @property
    def selected_count(self) -> int:
        return self.selection.count(len(self.keys))

    def enabled(self, action: Action) -> bool:
        """Can `action` do something for at least one selected row? What is not read is believed to fit."""
        if self.selection.everything:
            states = self.states or self.counts.keys()
            return self.selected_count > 0 and any(
                self.counts.get(each, 0) for each in states if each in action.states
            )
        return any((row := self._rows.get(key)) is None or fits(action, row) for key in self.selection.chosen)

    def perform(self, name: str) -> None:
        """Ask it of every selected workflow for which it can do something, and say what came of it."""
        action = next(each for each in ACTIONS if each.name == name)
        if self.selection.everything:
            # What has changed since the table was told of changes last is not what somebody saw and meant.
            of = Filter(action.states & (self.states or action.states), text=self.text)
            work = self._perform(action, of, upto=self._feed.at, without=self.selection.exceptions)
        else:
            work = self._perform(action, self._fitting(action))
        self._do(work, f"table {name}")

    def _fitting(self, action: Action) -> list[int]:
        """The chosen keys, oldest first, without those for which it is known to do nothing."""
        rows = {key: self._rows.get(key) for key in sorted(self.selection.chosen)}
        return [key for key, row in rows.items() if row is None or fits(action, row)]

    def undo_remove(self) -> None:
        """Bring back what was removed last."""
        keys, self._removed = self._removed, array("q")
        if keys:
            self._do(self._restore(keys), "table undo")

    @property
    def can_undo(self) -> bool:
        return bool(self._removed)

    async def _perform(
        self,
        action: Action,
        of: Filter | Sequence[int],
        upto: int | None = None,
        without: Collection[int] = (),
    ) -> None:
        try:
            came = await self._engine.bulk(action.name, of, upto=upto, without=without)
        except StepfastError as error:
            self.message.emit(str(error))
            return
        if action.name == "remove":
            self._removed = came.done
        said = [action.said(len(came.done) + len(came.asked))]
        if left := sum(came.left.values()):
            said.append(translate("Table", "%n workflow(s) left, changed meanwhile", None, left))
        self.message.emit(". ".join(said))
        self.selection_changed.emit()

    async def _restore(self, keys: array[int]) -> None:
        try:
            restored = await self._engine.bulk("restore", keys)
        except StepfastError as error:
            self.message.emit(str(error))
            return
        self.message.emit(translate("Table", "%n workflow(s) brought back", None, len(restored.done)))

    def _do(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _places_of(keys: array[int]) -> dict[int, int]:
    return {key: place for place, key in enumerate(keys)}


def _ranges(indexes: list[int]) -> Iterator[tuple[int, int]]:
    """Neighbouring indexes as ranges, so that many changes are few signals."""
    ordered = sorted(set(indexes))
    start = 0
    for place, index in enumerate(ordered):
        if place + 1 == len(ordered) or ordered[place + 1] != index + 1:
            yield ordered[start], index
            start = place + 1
