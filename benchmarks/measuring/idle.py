"""An idle engine: what it takes of a core, and how often it is woken, in a process of its own."""

from __future__ import annotations

import asyncio
import resource
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

from measuring import filled
from measuring.children import child, listen, say
from measuring.figures import Row
from measuring.sizes import Place
from stepfast import Engine

__all__ = ["measure"]

ALONE, PEERS = 1, 3
MOST_OF_A_CORE = {ALONE: 0.0005, PEERS: 0.002}
MOST_SWITCHES = 2.0


async def measure(place: Place) -> AsyncIterator[Row]:
    sizes = place.sizes
    path = place.file("idle")
    await filled.fill(path, sleeping=sizes.parked, waiting=sizes.parked)
    for engines in (ALONE, PEERS):
        async with AsyncExitStack() as stack:
            each = [await stack.enter_async_context(child("idle", path)) for _ in range(engines)]
            await asyncio.sleep(sizes.settle_seconds)
            said = await asyncio.gather(*(one.ask(sizes.idle_seconds) for one in each))
        core, switches = (max(figures) for figures in zip(*said, strict=True))
        where = "alone" if engines == ALONE else "beside two peers, the busiest of the three"
        yield Row(
            f"idle engine, {sizes.parked:,} sleeping and {sizes.parked:,} waiting, {where}",
            f"{core * 100:.4f} % of a core over {sizes.idle_seconds:g} s",
            budget=f"{MOST_OF_A_CORE[engines] * 100:g} %",
            met=core <= MOST_OF_A_CORE[engines],
        )
        yield Row(
            f"the same, {where}",
            f"{switches:.2f} context switches a second",
            budget=f"{MOST_SWITCHES:g} a second" if engines == ALONE else "",
            met=switches <= MOST_SWITCHES if engines == ALONE else None,
        )


async def idle_in_another_process(path: str) -> None:
    """The definitions are known here, so all that sleeps and waits is this engine's to look after."""
    async with Engine.open(path, [filled.sleeping, filled.waiting]) as engine:
        await engine.until_idle()
        while await engine.durable.upkeep():
            pass  # the search index of a file that is new to it, and the backup of the day: both are work
        async for (seconds,) in listen():
            before, began = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
            await asyncio.sleep(seconds)
            after, took = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter() - began
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            # Of all threads, whether they waited for something or were interrupted.
            switches = after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw
            say((cpu / took, switches / took))


if __name__ == "__main__":
    asyncio.run(idle_in_another_process(sys.argv[1]))
