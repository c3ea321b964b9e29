"""Calls that stand by in a store, and a thread that is held up in the middle of what it does."""

from __future__ import annotations

import asyncio
import threading

from stepfast import SqliteDurable

__all__ = ["Held", "stands_by"]


async def stands_by(durable: SqliteDurable, calls: int = 1) -> None:
    """Return once so many calls wait in `durable` for something to become ready."""
    while len(durable._store.writer._riders) < calls:
        await asyncio.sleep(0)


class Held:
    """Holds a thread up in the middle of what it does."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.go_on = threading.Event()

    def __call__(self) -> None:
        self.reached.set()
        self.go_on.wait(100)

    async def until_reached(self) -> None:
        await asyncio.to_thread(self.reached.wait, 60)
