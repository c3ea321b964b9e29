"""Beside DBOS on its SQLite database: the same work, in turns, in the same run."""

from __future__ import annotations

import importlib.metadata
import statistics
from collections.abc import AsyncIterator
from functools import partial
from random import Random

from measuring import steps, waking
from measuring.children import child
from measuring.figures import Row, microseconds, ranged
from measuring.sizes import Place
from measuring.timing import Timed, timed
from stepfast import Engine

__all__ = ["TITLES", "installed", "measure"]

# How often it looks for messages: what it does by itself, and the most often that it allows.
AS_IT_COMES, MOST_OFTEN = 1.0, 0.001
IN_A_ROW, MANY, WAKING = 5, 40, 100
TITLES = (
    "what",
    "Stepfast: median (range)",
    "DBOS",
    "ratio of the medians",
    "aim",
    "met",
    "CPU us a step, each",
)


def installed() -> str | None:
    """The version of DBOS, where there is one."""
    try:
        return importlib.metadata.version("dbos")
    except importlib.metadata.PackageNotFoundError:
        return None


async def measure(place: Place) -> AsyncIterator[Row]:
    sizes = place.sizes
    definitions = [*steps.DEFINITIONS, *waking.DEFINITIONS]
    async with Engine.open(place.file("peer"), definitions) as engine:
        async for row in _steps(place, engine):
            yield row
        ours = [
            each
            for _ in range(sizes.dbos_rounds)
            for each in await waking.wakes(engine, waking.own(engine), sizes.dbos_wakes, sizes.pause)
        ]
    what = "a message to the body running again, DBOS polling every"
    for seconds, aim in ((AS_IT_COMES, WAKING), (MOST_OFTEN, None)):
        name = f"{what} {seconds:g} s{', as it comes' if aim else ', its shortest'}"
        yield _row(name, ours, await _dbos_wakes(place, seconds), aim)


async def _steps(place: Place, engine: Engine) -> AsyncIterator[Row]:
    sizes = place.sizes
    one: list[tuple[Timed, Timed]] = []
    many: list[tuple[Timed, Timed]] = []
    async with child("dbos_child", place.file("dbos-steps"), AS_IT_COMES) as dbos:
        await dbos.ask("in a row", 5)  # warms caches up, on both sides
        await steps.in_a_row(engine, 5)
        for _ in range(sizes.dbos_rounds):
            ours = await timed(partial(steps.in_a_row, engine, sizes.dbos_in_a_row))
            one.append((ours, Timed(*await dbos.ask("in a row", sizes.dbos_in_a_row))))
            ours = await timed(partial(steps.many_at_once, engine, sizes.workflows, sizes.steps_each))
            many.append((ours, Timed(*await dbos.ask("many at once", sizes.workflows, sizes.steps_each))))
    several = f"{sizes.workflows} workflows x {sizes.steps_each} steps, {sizes.workflows} at once, a step"
    for what, rounds, aim in (("a durable step in a row", one, IN_A_ROW), (several, many, MANY)):
        mine, theirs = zip(*rounds, strict=True)
        cpu = " / ".join(microseconds(each.cpu for each in side) for side in (mine, theirs))
        yield _row(what, [each.seconds for each in mine], [each.seconds for each in theirs], aim, cpu)


async def _dbos_wakes(place: Place, polling_seconds: float) -> list[float]:
    """At moments that have nothing to do with when it looks."""
    moments = Random(polling_seconds)
    async with child("dbos_child", place.file(f"dbos-waking-{polling_seconds:g}"), polling_seconds) as dbos:
        await dbos.ask("wake", 0.1)
        return [await dbos.ask("wake", moments.uniform(0.1, 1.1)) for _ in range(place.sizes.dbos_wakes)]


def _row(what: str, ours: list[float], theirs: list[float], aim: int | None, cpu: str = "") -> Row:
    ratio = statistics.median(theirs) / statistics.median(ours)
    return Row(
        what,
        ranged(ours),
        ranged(theirs),
        f"{ratio:,.1f} x",
        "" if aim is None else f"{aim} x",
        None if aim is None else ratio >= aim,
        cpu,
    )
