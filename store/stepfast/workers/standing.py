"""Standing by: tasks that each wait to begin, in the very commit that makes something ready, what that is.

Slots are kept for that, so that there is room for what they begin. There are two of them: many that are
started together are more than one commit, and the second comes while the loop is busy with what the first
began.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from stepfast.errors import StoreError

__all__ = ["StandingBy"]

logger = logging.getLogger("stepfast")

TASKS = 2


class StandingBy:
    """Such tasks; at first there is none.

    Args:
        begin: waits until something becomes ready, and begins so much of it at most.
        failed: awaited where it could not, before another may be made.
        ended: called whenever one of them is over.
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
        self._tasks: dict[asyncio.Task[None], int] = {}
        self._told = 0

    @property
    def slots(self) -> int:
        """How many are kept for what they begin; 0 where none stands by."""
        return sum(self._tasks.values())

    @property
    def beginning(self) -> bool:
        """Is one of them known to have begun something that is not on its way yet?"""
        return self._told > 0

    def start(self, free: int) -> None:
        """Stand by, where so many slots are free. Who does so for far fewer is to do it anew.

        The first is to begin half of that, and some are left for what others make ready.
        """
        more = free - max(1, free // 8) - self.slots
        if len(self._tasks) < TASKS:
            first = more if self._tasks else free // 2
            for share in (first, more - first):
                if share > 0:
                    task = asyncio.create_task(self._stand(share), name="stepfast stands by")
                    self._tasks[task] = share
                    task.add_done_callback(self._over)
        elif more > free // 8 and not self.beginning:
            self.cancel()

    def begins(self) -> None:
        """One of them was told that what it waits for has been begun, and is about to learn what that is."""
        self._told = min(self._told + 1, len(self._tasks))

    def cancel(self) -> None:
        """Stand by no more; what has been begun is given back, or handed over."""
        for task in self._tasks:
            task.cancel()

    async def wait(self) -> None:
        """Return once all are over: then nothing that they have begun is on its way any more."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _stand(self, slots: int) -> None:
        try:
            await self._begin(slots)
            return
        except StoreError as error:
            logger.info("nothing was begun with what became ready: %s", error)
        except Exception:
            logger.exception("a fault of Stepfast's in the worker, please report it; the worker goes on")
        await self._failed()

    def _over(self, task: asyncio.Task[None]) -> None:
        # Cancelled before its first line, too.
        del self._tasks[task]
        self._told = max(0, self._told - 1)
        self._ended()
