"""Which workflows a filter lets by, as a set of keys: read once, and kept from what changes after that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from stepfast import Engine, Filter, StepfastError, Summary
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.feed import Changed, Feed

__all__ = ["Tally"]

AGAIN = 2.0


class Tally:
    """Counts what a filter lets by. Belongs to the loop that its engine was opened on.

    Args:
        engine: whose file it is.
        feed: what changes there.
        filter: which workflows.
        fits: does the filter let this row by?
    """

    def __init__(self, engine: Engine, feed: Feed, filter: Filter, fits: Callable[[Summary], bool]) -> None:
        self.changed: Event[[]] = Event()
        """It has others now."""
        self.keys: set[int] = set()
        self.known = False
        """Have they been read?"""
        self._engine = engine
        self._filter = filter
        self._fits = fits
        self._disconnect = feed.changed.connect(self._hear)
        self._heard: dict[int, bool] | None = None
        """What rows say while all are read: do they fit?"""
        self._stale = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None

    async def start(self, after: float = 0.0) -> None:
        """Read which there are, in so many seconds, and follow from then on."""
        self._stale.set()
        self._reading = asyncio.create_task(self._keep_reading(after), name="tally")

    async def close(self) -> None:
        """Follow no more."""
        self._disconnect()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait({self._reading})

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.keys)

    async def _keep_reading(self, after: float) -> None:
        await asyncio.sleep(after)
        while True:
            await self._stale.wait()
            self._stale.clear()
            heard: dict[int, bool] = {}
            self._heard = heard
            try:
                keys = {*await self._engine.keys(self._filter, order="created")}
            except StepfastError:
                self._heard = None
                # Why is shown elsewhere; until it can be read, what was known stands.
                self._stale.set()
                await asyncio.sleep(AGAIN)
                continue
            # What was told meanwhile may be newer than what was read; what is newer still is told yet.
            for key, fits in heard.items():
                (keys.add if fits else keys.discard)(key)
            self._heard = None
            if keys != self.keys or not self.known:
                self.keys, self.known = keys, True
                self.changed.emit()

    def _hear(self, changed: Changed) -> None:
        if changed.reset or (changed.deleted and self.keys):
            self._stale.set()  # what is gone is told of by its id
        other = False
        for row in changed.rows:
            fits = self._fits(row)
            if self._heard is not None:
                self._heard[row.key] = fits
            if fits is not (row.key in self.keys):
                (self.keys.add if fits else self.keys.discard)(row.key)
                other = True
        if other:
            self.changed.emit()
