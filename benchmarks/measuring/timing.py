"""What some work takes: seconds and seconds of CPU, a unit."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple

__all__ = ["Timed", "timed"]


class Timed(NamedTuple):
    """Seconds a unit of work, by the clock and of this process's CPU, all threads together."""

    seconds: float
    cpu: float


async def timed(work: Callable[[], Awaitable[int]]) -> Timed:
    """Do some work; `work` returns how many units it did."""
    began, began_cpu = time.perf_counter(), time.process_time()
    units = await work()
    took, cpu = time.perf_counter() - began, time.process_time() - began_cpu
    return Timed(took / units, cpu / units)
