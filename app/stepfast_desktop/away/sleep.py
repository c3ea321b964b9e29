"""The computer's sleep, as logind announces it: what is under way is written first, and looked at afterwards.

logind waits for those who hold a delay lock, five seconds at most (InhibitDelayMaxSec in logind.conf), so
what is done before must be quick. Without logind, as on Windows and macOS, nothing is announced: bookmarks
are then as old as they are, a quarter of a second behind what steps have said.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable

from stepfast_desktop.away.bus import Bus, Unreachable
from stepfast_desktop.away.waking import LOGIN
from stepfast_desktop.viewmodels.words import translate

__all__ = ["PATIENCE", "Sleep"]

logger = logging.getLogger("stepfast")

PATIENCE = 4.0
"""Seconds that are taken before sleep, at most."""

AGAIN = 60.0
"""Seconds until a bus that was lost is tried again."""


class Sleep:
    """Holds the delay lock while it is awake.

    Args:
        bus: the system's.
        before: done before the computer sleeps.
        after: called when it has woken.
        patience: seconds before the bus is first asked.
    """

    def __init__(
        self,
        bus: Bus,
        before: Callable[[], Awaitable[object]],
        after: Callable[[], object],
        patience: float = 0.0,
    ) -> None:
        self._patience = patience
        self._bus = bus
        self._before, self._after = before, after
        self._lock: int | None = None
        self._task: asyncio.Task[None] | None = None
        self._heard: asyncio.Queue[bool] = asyncio.Queue()
        bus.lost = self._lost

    @property
    def delays(self) -> bool:
        """Is the lock held now?"""
        return self._lock is not None

    def start(self) -> None:
        """Begin, as soon as the bus answers."""
        self._task = asyncio.create_task(self._follow(), name="sleep")

    async def close(self) -> None:
        """Let the lock go, and hear no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        self._let_go()

    async def _follow(self) -> None:
        complained = False
        await asyncio.sleep(self._patience)
        while sys.platform == "linux":
            try:
                await self._bus.hear(LOGIN, "PrepareForSleep", self._heard.put_nowait)
                await self._take()
                await self._listen()
            except Unreachable as error:
                if not complained:
                    complained = True
                    logger.info("the computer's sleep is not announced here: %s", error)
            self._let_go()
            await asyncio.sleep(AGAIN)

    async def _listen(self) -> None:
        """Until the bus is lost."""
        while True:
            about_to_sleep = await self._heard.get()
            if self._lost_it:
                self._lost_it = False
                return
            if about_to_sleep:
                await self._prepare()
            else:
                self._after()
                await self._take()

    async def _prepare(self) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                await self._before()
        except Exception as error:  # the computer sleeps whatever happens
            logger.info(
                "not all was written before the computer slept: %s", str(error) or type(error).__name__
            )
        finally:
            self._let_go()

    async def _take(self) -> None:
        if self._lock is not None:
            return
        why = translate("Away", "Notes how far each workflow is")
        reply = await self._bus.call(LOGIN, "Inhibit", "ssss", "sleep", "Stepfast", why, "delay")
        self._lock, *rest = reply.fds or (None,)
        for each in rest:
            if each is not None:
                os.close(each)

    def _let_go(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)

    _lost_it = False

    def _lost(self) -> None:
        self._lost_it = True
        self._heard.put_nowait(False)
