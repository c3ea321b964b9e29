"""Reading a checkpoint, while nobody writes and while many do."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncIterator

from measuring.figures import Row, ranged, times
from measuring.sizes import Place
from measuring.steps import effect, in_a_row, steps_in_a_row
from stepfast import Engine, Run, workflow

__all__ = ["measure"]

writing = asyncio.Event()
enough = asyncio.Event()


@workflow("writes-until-told")
async def writes_until_told(run: Run) -> int:
    """One step after another for as long as somebody reads beside."""
    number = 0
    while not enough.is_set():
        await run.step(f"step-{number}", effect)
        writing.set()
        number += 1
    return number


async def measure(place: Place) -> AsyncIterator[Row]:
    sizes = place.sizes
    quiet: list[float] = []
    beside: list[float] = []
    rates: list[float] = []
    async with Engine.open(place.file("loading"), [steps_in_a_row, writes_until_told]) as engine:
        await in_a_row(engine, sizes.loaded)
        (there,) = await engine.list(limit=1)

        async def load() -> float:
            began = time.perf_counter()
            for _ in range(sizes.loads):
                checkpoint = await engine.durable.checkpointer.load(there.key)
                assert len(checkpoint.records) == sizes.loaded
            return (time.perf_counter() - began) / sizes.loads

        for _ in range(sizes.rounds + 1):
            quiet.append(await load())
            writing.clear()
            enough.clear()
            writers = [await engine.start(writes_until_told()) for _ in range(sizes.writers)]
            began = time.perf_counter()
            await writing.wait()
            beside.append(await load())
            enough.set()
            made = sum(await asyncio.gather(*(each.result() for each in writers)))
            rates.append(made / (time.perf_counter() - began))
            await engine.until_idle()
    del quiet[0], beside[0], rates[0]
    ratios = [each / alone for each, alone in zip(beside, quiet, strict=True)]
    yield Row(
        f"`load` of {sizes.loaded} records while {sizes.writers} writers commit "
        f"({statistics.median(rates):,.0f} steps a second)",
        ranged(beside),
        f"no writer: {ranged(quiet)}",
        times(ratios),
        "2 x",
        statistics.median(ratios) <= 2,
    )
