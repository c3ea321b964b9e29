"""Time, as an argument: the wall clock for what a person set, the monotonic one for everything else."""

from __future__ import annotations

import asyncio
from time import monotonic as _monotonic
from time import time as _time
from typing import Protocol

__all__ = ["Clock", "SystemClock"]

# A timer never sleeps longer than this before it reads the wall clock again, so that a laptop that
# slept, or a clock that was set, is noticed within a minute.
LONGEST_WAIT = 60.0


class Clock(Protocol):
    """What the engine asks for the time. Tests replace it (`stepfast.testing.VirtualClock`)."""

    def time(self) -> float:
        """Seconds since the epoch, UTC: for sleeps, starts and what a person reads."""
        ...

    def monotonic(self) -> float:
        """Seconds that only ever grow: for leases and timeouts."""
        ...

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        """Return once `event` is set or, at the latest, after `seconds` (capped at a minute)."""
        ...


class SystemClock:
    """The machine's own clocks."""

    time = staticmethod(_time)
    monotonic = staticmethod(_monotonic)

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        try:
            async with asyncio.timeout(max(0.0, min(seconds, LONGEST_WAIT))):
                await event.wait()
        except TimeoutError:
            pass
