"""Standing by: a task that waits to begin, in the very commit that makes something ready, what that is."""

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
        begin: waits until something becomes ready, and begins it.
        failed: awaited where it could not, before another may be made.
        ended: called whenever the task is over.
    """

    def __init__(
        self,
        begin: Callable[[], Awaitable[None]],
        failed: Callable[[], Awaitable[None]],
        ended: Callable[[], None],
    ) -> None:
        self._begin = begin
        self._failed = failed
        self._ended = ended
        self._task: asyncio.Task[None] | None = None
        self.beginning = False
        """Is it known to have begun something that is not on its way yet?"""

    @property
    def active(self) -> bool:
        """Does it wait, or begin something? Then a slot is kept for that."""
        return self._task is not None

    def start(self) -> None:
        """Stand by, unless it does."""
        if self._task is None:
            self._task = asyncio.create_task(self._stand(), name="stepfast stands by")
            self._task.add_done_callback(self._over)

    def begins(self) -> None:
        """It was told that what it waits for has been begun, and is about to learn what that is."""
        self.beginning = self.active

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
            await self._begin()
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
