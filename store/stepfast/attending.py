"""An engine that carries nothing out is told of what others commit, from when somebody first asks to be.

One that works is registered on its file, so others ring it. One that does not is left alone, and writes
nothing about itself, until somebody listens or waits for a result.
"""

from __future__ import annotations

import asyncio
import logging

from stepfast.errors import StoreError
from stepfast.interfaces import Durable
from stepfast.system.clock import Clock

__all__ = ["Attending"]

logger = logging.getLogger("stepfast")

NET_SECONDS = 30.0  # between two looks for what no doorbell told
LOOK_SECONDS = 1.0  # the same where there is no doorbell: the file cannot be written, or must not be


class Attending:
    """Belongs to the loop of its engine.

    Args:
        durable: whose listeners are to be told.
        clock: that of the store.
        registers: may that be written in the file? Where not, this looks for what others write.
    """

    def __init__(self, durable: Durable, clock: Clock, *, registers: bool) -> None:
        self._durable = durable
        self._clock = clock
        self._registers = registers
        self._over = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """From about now on; asked again, this does nothing."""
        if self._task is None and not self._over.is_set():
            self._task = asyncio.get_running_loop().create_task(self._attend(), name="stepfast attends")

    async def end(self) -> None:
        """Look no more."""
        self._over.set()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _attend(self) -> None:
        while not self._over.is_set():
            seconds = LOOK_SECONDS
            try:
                if self._registers and await self._is_registered():
                    seconds = NET_SECONDS
                await self._durable.poll()
            except StoreError:
                pass  # whoever asks next is told
            except Exception:
                logger.exception("a fault of Stepfast's in who hears of others, please report it; it goes on")
            await self._clock.wait(self._over, seconds)

    async def _is_registered(self) -> bool:
        try:
            await self._durable.attend()
        except StoreError as error:
            logger.debug("others cannot ring this program, so it looks every second: %s", error)
            return False
        return True
