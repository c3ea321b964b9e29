"""Waking: from `arrive` to the body running again, in an idle worker; in its process, and from another.

And from `arrive` to the result, for a program that runs nothing itself: there and back between two processes.

The floor is two raw commits after the same pause: a disk (and a core) that was idle takes longer.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from measuring.children import child, listen, say
from measuring.figures import Row, milliseconds, percentile, ranged
from measuring.raw import Raw
from measuring.sizes import Place
from stepfast import Definition, Engine, Handle, Run, workflow

__all__ = ["DEFINITIONS", "another_process", "measure", "own", "rows", "wakes"]

# When it was asked for, in seconds of the clock that all processes of a machine share.
Wake = Callable[[str], Awaitable[float]]
ALLOWED = {"same process": 1e-3, "another process": 1e-3 + 10e-3}

# What the other process says is read by the loop that is measured: not while it is.
ANSWER_LATER = 0.02

running_again: asyncio.Queue[float] = asyncio.Queue()


@workflow("waits-for-a-go")
async def waits_for_a_go(run: Run) -> None:
    """Suspended at the first line: its pass ends, and another one comes this far once it is woken."""
    await run.awaiting("go")
    running_again.put_nowait(time.perf_counter())


DEFINITIONS: tuple[Definition[..., Any], ...] = (waits_for_a_go,)


async def wakes(engine: Engine, wake: Wake, count: int, pause: float) -> list[float]:
    """Seconds from asking to the body running again, of `count` workflows one after the other."""
    handles = [await engine.start(waits_for_a_go()) for _ in range(count)]
    await engine.until_idle()
    took = []
    for handle in handles:
        await _check_waiting(handle)
        await asyncio.sleep(pause)
        asked_at = await wake(handle.id)
        took.append(await running_again.get() - asked_at)
        await engine.until_idle()
    return took


async def _check_waiting(handle: Handle[None]) -> None:
    state = (await handle.summary()).state.name
    if state != "waiting":
        raise RuntimeError(f"{handle.id} should be suspended, and is {state}")


def own(engine: Engine) -> Wake:
    """Woken by the engine that runs it."""

    async def wake(id: str) -> float:
        asked_at = time.perf_counter()
        await engine.arrive(id, "go", True)
        return asked_at

    return wake


@asynccontextmanager
async def another_process(engine: Engine) -> AsyncIterator[Wake]:
    """A process that has the file open, runs nothing, and wakes what it is told to."""
    async with child("waking", engine.path) as other:

        async def wake(id: str) -> float:
            return float(await other.ask("wake", id))

        yield wake


async def results(engine: Engine, count: int, pause: float) -> list[float]:
    """Seconds from asking to the result, both in a process that runs nothing."""
    handles = [await engine.start(waits_for_a_go()) for _ in range(count)]
    await engine.until_idle()
    took = []
    async with child("waking", engine.path) as other:
        for handle in handles:
            await asyncio.sleep(pause)
            took.append(float(await other.ask("result", handle.id)))
            await engine.until_idle()
    return took


async def act_in_another_process(path: str) -> None:
    async with Engine.open(path, work=False) as engine:
        async for what, id in listen():
            asked_at = time.perf_counter()
            await engine.arrive(id, "go", True)
            if what == "result":
                await engine.handle(id).result()
                say(time.perf_counter() - asked_at)
                continue
            await asyncio.sleep(ANSWER_LATER)
            say(asked_at)


def rows(where: str, rounds: list[list[float]], raw: list[list[float]]) -> list[Row]:
    """Median and 99th percentile, each beside that of `raw`; the range is that of the rounds' medians."""
    floors = [each for some in raw for each in some]
    together = [each for some in rounds for each in some]
    what = f"`arrive` to the body running again, {where}"
    figures = {
        "median": (
            statistics.median(together),
            ranged(map(statistics.median, rounds)),
            statistics.median(floors),
        ),
        f"99 % of {len(together)}": (
            percentile(together, 0.99),
            f"{milliseconds(percentile(together, 0.99))} (longest {milliseconds(max(together))})",
            percentile(floors, 0.99),
        ),
    }
    return [
        Row(
            f"{what}: {share}",
            told,
            f"2 raw commits: {milliseconds(floor)}",
            budget=f"+ {ALLOWED[where] * 1e3:.0f} ms: {milliseconds(floor + ALLOWED[where])}",
            met=seconds <= floor + ALLOWED[where],
        )
        for share, (seconds, told, floor) in figures.items()
    ]


async def measure(place: Place) -> AsyncIterator[Row]:
    sizes = place.sizes
    within: list[list[float]] = []
    another: list[list[float]] = []
    floors: list[list[float]] = []
    with Raw(place.folder, sizes.raw) as raw:
        async with Engine.open(place.file("waking"), DEFINITIONS) as engine:
            for _ in range(sizes.rounds + 1):
                floors.append(raw.seconds_of_two(sizes.pause, sizes.wakes))
                within.append(await wakes(engine, own(engine), sizes.wakes, sizes.pause))
            async with another_process(engine) as other:
                for _ in range(sizes.rounds + 1):
                    floors.append(raw.seconds_of_two(sizes.pause, sizes.wakes))
                    another.append(await wakes(engine, other, sizes.wakes, sizes.pause))
            there = await results(engine, sizes.wakes, sizes.pause)
    del within[0], another[0], floors[0]
    floor = statistics.median(each for some in floors for each in some)
    yield Row(
        "`arrive` to the result, in a process that runs nothing: median",
        f"{milliseconds(statistics.median(there))} (99 % {milliseconds(percentile(there, 0.99))})",
        f"2 raw commits: {milliseconds(floor)}",
    )
    for row in [*rows("same process", within, floors), *rows("another process", another, floors)]:
        yield row


if __name__ == "__main__":
    asyncio.run(act_in_another_process(sys.argv[1]))
