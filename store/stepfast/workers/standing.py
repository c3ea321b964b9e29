"""Standing by: a task that waits to begin, in the very commit that makes something ready, what that is.

Slots are kept for that, so that there is room for what it begins.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from stepfast.errors import StoreError

__all__ = ["StandingBy"]

logger = logging.getLogger("stepfast")


class StandingBy:
    """One such task, or none.

    Args:
        begin: waits until something becomes ready, and begins so much of it at most.
        failed: awaited where it could not, before another may be made.
        ended: called whenever the task is over.
    """

    def __init__(
        self,
        begin: Callable[[int], Awaitable[None]],
        failed: Callable[[], Awaitable[None]],
        ended: Callable[[], None],
    ) -> None:
        self._begin = begin
        self._failed = failed
        self._ended = ended
        self._task: asyncio.Task[None] | None = None
        self._slots = 0
        self.beginning = False
        """Is it known to have begun something that is not on its way yet?"""

    @property
    def slots(self) -> int:
        """How many are kept for what it begins; 0 where it does not stand by."""
        return 0 if self._task is None else self._slots

    def start(self, slots: int) -> None:
        """Stand by, to begin so many at once. Whoever does so for half of that or less is to do it anew."""
        if self._task is None:
            self._slots = slots
            self._task = asyncio.create_task(self._stand(), name="stepfast stands by")
            self._task.add_done_callback(self._over)
        elif slots >= 2 * self._slots and not self.beginning:
            self._task.cancel()

    def begins(self) -> None:
        """It was told that what it waits for has been begun, and is about to learn what that is."""
        self.beginning = self._task is not None

    def cancel(self) -> None:
        """Stand by no more; what has been begun is given back, or handed over."""
        if self._task is not None:
            self._task.cancel()

    async def wait(self) -> None:
        """Return once it is over: then nothing that it has begun is on its way any more."""
        if self._task is not None:
            await asyncio.wait({self._task})

    async def _stand(self) -> None:
        try:
            await self._begin(self._slots)
            return
        except StoreError as error:
            logger.info("nothing was begun with what became ready: %s", error)
        except Exception:
            logger.exception("a fault of Stepfast's in the worker, please report it; the worker goes on")
        await self._failed()

    def _over(self, task: asyncio.Task[None]) -> None:
        # Cancelled before its first line, too.
        self._task = None
        self.beginning = False
        self._ended()
