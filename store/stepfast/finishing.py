"""Waiting until workflows have finished: one listener, however many wait."""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterator

from stepfast.interfaces import Durable, Signal

__all__ = ["Finishing"]

# A program that runs nothing has no doorbell, so it looks for what it waits for.
LOOK_SECONDS = 1.0


class Finishing:
    """Who waits for which workflow; on one loop.

    Args:
        durable: whose commits are heard.
        rung: is this program told when another process has written?
    """

    def __init__(self, durable: Durable, *, rung: bool) -> None:
        self._durable = durable
        self._seconds = None if rung else LOOK_SECONDS
        self._waiting: defaultdict[int, set[asyncio.Event]] = defaultdict(set)
        self._stop_listening: Callable[[], None] = _nothing

    @contextlib.contextmanager
    def watching(self, key: int) -> Iterator[asyncio.Event]:
        """An event that is set whenever the workflow `key` may have finished."""
        if not self._waiting:
            self._stop_listening = self._durable.listen(self._hear)
        event = asyncio.Event()
        self._waiting[key].add(event)
        try:
            yield event
        finally:
            self._waiting[key].discard(event)
            if not self._waiting[key]:
                del self._waiting[key]
            if not self._waiting:
                self._stop_listening()

    async def look_again(self, event: asyncio.Event) -> None:
        """Return when it is time to look whether it has finished."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._seconds):
                await event.wait()
        event.clear()

    def _hear(self, signal: Signal) -> None:
        if signal.keys is None:
            told = [*self._waiting]
        else:
            told = [key for key in signal.keys - signal.begun if key in self._waiting]
        for key in told:
            for event in self._waiting[key]:
                event.set()


def _nothing() -> None:
    pass
