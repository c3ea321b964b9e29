"""Waiting until the store is well again, with something in hand that it could not take.

A step whose effect took an hour is not run again because the disk was full for a minute when it was done:
what it came to is kept, and recorded once there is room. The same holds for answers, sleeps, notes and
settlements.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from stepfast.errors import Newer, StoreError
from stepfast.health import Health
from stepfast.system.clock import Clock

__all__ = ["Hold", "Holder", "give_up"]

# Asked after a call of the store failed: True, perhaps much later, where it is to be made again.
Hold: TypeAlias = Callable[[StoreError], Awaitable[bool]]

# The store tells when it is well; this is the net.
LOOK_SECONDS = 5.0
SHORT_PAUSE = 1.0


async def give_up(_error: StoreError) -> bool:
    """Nobody waits: the pass ends, and another one is owed."""
    return False


class Holder:
    """Lets many wait for one store. Belongs to the loop that it was made on.

    Args:
        health: of the store.
        clock: for the pauses.
    """

    def __init__(self, health: Health, clock: Clock) -> None:
        self._health = health
        self._clock = clock
        self._changed = asyncio.Event()
        self._ended = asyncio.Event()

    def look(self) -> None:
        """The store's health may have changed."""
        if not self._health.stops_work:
            self._changed.set()

    def end(self) -> None:
        """Nobody waits any more: the program is ending."""
        self._ended.set()
        self._changed.set()

    async def again(self, error: StoreError) -> bool:
        """After this error: wait until the call can be made again; False where it cannot."""
        if error.kind is None or isinstance(error, Newer):
            return False
        if not self._health.stops_work:
            await self._clock.wait(self._ended, SHORT_PAUSE)  # over already, or a store that does not tell
        return await self.well()

    async def well(self) -> bool:
        """Wait until nothing stops the work; False where that is not waited for any more."""
        while self._health.stops_work and not self._ended.is_set():
            self._changed.clear()
            await self._clock.wait(self._changed, LOOK_SECONDS)
        return not self._ended.is_set()
