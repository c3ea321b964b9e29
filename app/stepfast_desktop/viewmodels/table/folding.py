"""Children under their parents: which rows are unfolded, where their children stand, and how many there are.

All are folded at first. Only a table that shows everything folds: what a search or a state picked out is
shown as it is, since a match that is hidden helps nobody, and so is the queue. For the same reason a child
that goes on where its parent has finished stands on top, by itself, until it has finished as well.
"""

from __future__ import annotations

import asyncio
import time
from array import array
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

from stepfast import Engine, StepfastError
from stepfast.state import FINISHED
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.table.places import places_of
from stepfast_desktop.viewmodels.words import listed, translate

__all__ = ["Family", "Folding", "Spread"]

SHARE_OF_TIME = 5.0
"""Counting takes no more than a fifth of the time: a family may have a hundred thousand children."""
NONE: Mapping[str, int] = {}


@dataclass(frozen=True, slots=True)
class Family:
    """The children of a row, by state."""

    states: Mapping[str, int]

    @property
    def children(self) -> int:
        """How many there are."""
        return sum(self.states.values())

    @property
    def failed(self) -> int:
        """How many of them failed."""
        return self.states.get("failed", 0)

    @property
    def finished(self) -> int:
        """How many of them have finished, well or not."""
        return sum(self.states.get(each, 0) for each in FINISHED)

    @property
    def ended(self) -> Family | None:
        """Those of them that have finished; None where none has."""
        states = {state: count for state, count in self.states.items() if state in FINISHED}
        return Family(states) if states else None

    @property
    def short(self) -> str:
        """What stands behind the name: "(12)", "(12, 2 failed)"."""
        if not self.failed:
            return translate("Table", "(%n)", "how many children a row has", self.children)
        failed = translate("Table", "%n failed", "of the children of a row", self.failed)
        return translate("Table", "({children}, {failed})").format(children=self.children, failed=failed)

    @property
    def words(self) -> str:
        """The same for who cannot see where it stands: "12 child workflows, 3 finished, 2 failed"."""
        said = [translate("Table", "%n child workflow(s)", None, self.children)]
        if self.finished:
            said.append(translate("Table", "%n finished", "of the children of a row", self.finished))
        if self.failed:
            said.append(translate("Table", "%n failed", "of the children of a row", self.failed))
        return listed(said)


@dataclass(frozen=True, slots=True)
class Spread:
    """The keys of a table; how deep those stand that are not on top; and below which there are some."""

    keys: array[int]
    depths: Mapping[int, int]
    shown: frozenset[int]


class Folding:
    """What a table knows of families. Belongs to the loop that its engine was opened on."""

    def __init__(self, engine: Engine) -> None:
        self.changed: Event[[set[int]]] = Event()
        """The rows with these keys have other children, or as many in other states."""
        self._engine = engine
        self._ailing: set[int] = set()
        self._counting: asyncio.Task[None] | None = None
        self._unfolded: set[int] = set()
        self._depths: Mapping[int, int] = {}
        self._shown: frozenset[int] = frozenset()
        self._families: dict[int, Family] = {}

    @property
    def shown(self) -> frozenset[int]:
        """The rows whose children stand below them, as the keys were read last."""
        return self._shown

    def depth(self, key: int) -> int:
        """How deep a row stands: 0 on top, 1 under its parent."""
        return self._depths.get(key, 0)

    def family(self, key: int) -> Family | None:
        """The children of a row; None where it has none, or it is not known."""
        return self._families.get(key)

    def is_unfolded(self, key: int) -> bool:
        return key in self._unfolded

    def fold(self, key: int, *, unfold: bool) -> bool:
        """Fold or unfold a row; was it otherwise?"""
        before = key in self._unfolded
        (self._unfolded.add if unfold else self._unfolded.discard)(key)
        return before is not unfold

    async def unfold_above(self, key: int) -> None:
        """Unfold what a row stands under, and what that stands under."""
        above: int | None = key
        while above is not None:
            rows = await self._engine.rows([above])
            above = rows[0].parent if rows and rows[0].parent_id is not None else None
            if above is not None:
                self._unfolded.add(above)

    async def read(self, keys: Iterable[int]) -> set[int]:
        """Count the children of these rows; returns those of which something else was known."""
        asked = [*keys]
        found = await self._engine.families(asked) if asked else {}
        changed: set[int] = set()
        for key in asked:
            states = found.get(key, NONE)
            before = self._families.get(key)
            if states != (NONE if before is None else before.states):
                changed.add(key)
                if states:
                    self._families[key] = Family(states)
                else:
                    del self._families[key]
        return changed

    def count_again(self, keys: Iterable[int]) -> None:
        """The families of these rows have changed, perhaps: count them soon."""
        self._ailing.update(keys)
        if self._ailing and (self._counting is None or self._counting.done()):
            self._counting = asyncio.create_task(self._count(), name="families")

    async def close(self) -> None:
        """Count no more."""
        if self._counting is not None:
            self._counting.cancel()
            await asyncio.wait({self._counting})

    async def _count(self) -> None:
        while self._ailing:
            keys, began = [*self._ailing], time.monotonic()
            self._ailing.clear()
            try:
                changed = await self.read(keys)
            except StepfastError:
                return  # why is shown elsewhere; the next change counts them
            if changed:
                self.changed.emit(changed)
            await asyncio.sleep(SHARE_OF_TIME * (time.monotonic() - began))

    @property
    def any(self) -> bool:
        """Is any row known to have children?"""
        return bool(self._families)

    @property
    def known(self) -> list[int]:
        """The rows that are known to have children."""
        return [*self._families]

    def forget(self, key: int) -> None:
        """A row that nobody looks at any more."""
        self._families.pop(key, None)

    async def spread(self, top: array[int], ask: Callable[[int], Awaitable[array[int]]] | None) -> Spread:
        """The keys of a table: those on top, with the children of what is unfolded below it.

        Args:
            top: the keys of the rows on top, in their order.
            ask: gives the children of one row, in the order of the table; None where nothing folds.
        """
        depths: dict[int, int] = {}
        shown: set[int] = set()

        async def below(key: int, depth: int) -> array[int]:
            assert ask is not None
            children = await ask(key)
            # What goes on where its parent has finished: nothing stands in two places.
            on_top = await asyncio.to_thread(places_of, top, {*children})
            if on_top:
                children = array("q", (each for each in children if each not in on_top))
            level = dict.fromkeys(children, depth)
            if children:
                shown.add(key)
            depths.update(level)
            return await put_in(children, {each for each in self._unfolded if each in level}, depth)

        async def put_in(keys: array[int], unfolded: set[int], depth: int) -> array[int]:
            if not unfolded:
                return keys
            made, done = array("q"), 0
            for place, key in sorted((keys.index(each), each) for each in unfolded):
                made += keys[done : place + 1]
                made += await below(key, depth + 1)
                done = place + 1
            return made + keys[done:]

        unfolded: set[int] = set()
        if self._unfolded and ask is not None:
            # Of a hundred thousand keys: on a thread, so that the window is not held up.
            unfolded = {*await asyncio.to_thread(places_of, top, {*self._unfolded})}
        return Spread(await put_in(top, unfolded, 0), depths, frozenset(shown))

    def put(self, spread: Spread) -> None:
        """These are the rows that are shown from now on."""
        self._depths, self._shown = spread.depths, spread.shown
