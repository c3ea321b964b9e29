"""Steps: in a row, many at once, and replayed."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from measuring.figures import Row, microseconds, ranged, times
from measuring.raw import Raw, Round, measured
from measuring.sizes import Place
from stepfast import Definition, Engine, Run, workflow

__all__ = ["DEFINITIONS", "in_a_row", "many_at_once", "many_row", "measure", "row_row", "steps_in_a_row"]


async def effect() -> int:
    return 1


@workflow("steps-in-a-row")
async def steps_in_a_row(run: Run, count: int) -> int:
    for number in range(count):
        await run.step(f"step-{number}", effect)
    return count


replays: list[float] = []


@workflow("replayed")
async def replayed(run: Run, count: int) -> int:
    """Records `count` steps, then waits; the next pass replays them and says how long that took."""
    began = time.perf_counter()
    for number in range(count):
        await run.step(f"step-{number}", effect)
    took = time.perf_counter() - began
    await run.receive("go on")
    replays.append(took)
    return count


DEFINITIONS: tuple[Definition[..., Any], ...] = (steps_in_a_row, replayed)


async def in_a_row(engine: Engine, count: int) -> int:
    """One workflow, one step after another."""
    await (await engine.start(steps_in_a_row(count))).result()
    return count


async def many_at_once(engine: Engine, workflows: int, steps: int) -> int:
    """Workflows started together and waited for together."""
    handles = await asyncio.gather(*(engine.start(steps_in_a_row(steps)) for _ in range(workflows)))
    await asyncio.gather(*(each.result() for each in handles))
    return workflows * steps


async def replay(engine: Engine, count: int) -> float:
    """Seconds a recorded step costs in a pass, beyond reading the checkpoint."""
    handle = await engine.start(replayed(count))
    await engine.until_idle()
    await engine.deliver(handle.id, None)
    await handle.result()
    return replays.pop() / count


def row_row(rounds: list[Round], what: str = "a durable step in a row") -> Row:
    more = statistics.median(each.seconds - each.raw for each in rounds)
    ratio = statistics.median(each.seconds / each.raw for each in rounds)
    return Row(
        what,
        ranged(each.seconds for each in rounds),
        f"a raw commit: {ranged(each.raw for each in rounds)}",
        f"{more * 1e6:+.0f} us, {times(each.seconds / each.raw for each in rounds)}",
        "1.5 x, or + 150 us",
        ratio <= 1.5 or more <= 150e-6,
        microseconds(each.cpu for each in rounds),
    )


def many_row(rounds: list[Round], workflows: int, steps: int) -> Row:
    return Row(
        f"{workflows} workflows x {steps} steps, {workflows} at once",
        f"{ranged(each.seconds for each in rounds)} a step",
        f"a raw commit: {ranged(each.raw for each in rounds)}",
        times((each.raw / each.seconds for each in rounds), "the rate"),
        "4 x the rate",
        statistics.median(each.raw / each.seconds for each in rounds) >= 4,
        microseconds(each.cpu for each in rounds),
    )


async def measure(place: Place) -> AsyncIterator[Row]:
    sizes = place.sizes
    one: list[Round] = []
    many: list[Round] = []
    again: list[float] = []
    with Raw(place.folder, sizes.raw) as raw:
        async with Engine.open(place.file("steps"), DEFINITIONS) as engine:
            for _ in range(sizes.rounds + 1):
                one.append(await measured(raw, partial(in_a_row, engine, sizes.in_a_row)))
                several = partial(many_at_once, engine, sizes.workflows, sizes.steps_each)
                many.append(await measured(raw, several))
                again.append(await replay(engine, sizes.replayed))
    # The first round warms caches up: files, statements, threads.
    del one[0], many[0], again[0]
    yield row_row(one)
    yield many_row(many, sizes.workflows, sizes.steps_each)
    yield Row(
        f"replaying {sizes.replayed} recorded steps",
        f"{ranged(again)} a step",
        budget="3 us beyond reading them",
        met=statistics.median(again) <= 3e-6,
    )
