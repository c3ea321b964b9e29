"""An engine at work over either store, on a virtual clock, for what is promised of both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from stepfast import Definition, Engine, MemoryDurable, connect
from stepfast.memory import Memory
from stepfast.state import RetryWait
from stepfast.testing import VirtualClock

DAY = 86_400.0


class Either:
    """One file, or one memory, that engines come to and go from."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.clock = VirtualClock()
        self._path = folder / "work.db"
        self._memory = Memory() if kind == "memory" else None

    @asynccontextmanager
    async def at_work(
        self, definitions: Iterable[Definition[..., Any]], **options: Any
    ) -> AsyncIterator[Engine]:
        """An engine that works until the end of the block, where what runs is parked."""
        durable: Any
        if self._memory is None:
            durable = await connect(self._path, clock=self.clock, backups=False)
        else:
            durable = MemoryDurable(self._memory, self.clock)
        async with Engine.over(durable, definitions, clock=self.clock, **options) as engine:
            yield engine

    async def until(self, engine: Engine, id: str, *states: str) -> Any:
        """Wait, told by commits, until the workflow is in one of `states`; gives the state."""
        changed = asyncio.Event()
        stop = engine.durable.listen(lambda _signal: changed.set())
        try:
            async with asyncio.timeout(60):
                while True:
                    changed.clear()
                    state = (await engine.summary(id)).state
                    if state.name in states:
                        return state
                    await changed.wait()
        finally:
            stop()

    async def retrying(self, engine: Engine, id: str, attempt: int) -> RetryWait:
        """Wait until the workflow sleeps before that attempt."""
        async with asyncio.timeout(60):
            while True:
                state = await self.until(engine, id, "sleeping")
                if state.retry is not None and state.retry.attempt == attempt:
                    retry: RetryWait = state.retry
                    return retry
                await asyncio.sleep(0.001)

    async def pass_time(self, seconds: float) -> None:
        """Let time pass for whoever waits by now, and let them go on."""
        for _ in range(20):
            await asyncio.sleep(0)
        self.clock.advance(seconds)
        for _ in range(20):
            await asyncio.sleep(0)
