"""What must not cost more where there is much: steps beside a million finished, the next of many ready."""

from __future__ import annotations

import statistics
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

from measuring import filled
from measuring.figures import Row, microseconds, ranged, times
from measuring.sizes import Place
from measuring.steps import DEFINITIONS, in_a_row, many_at_once
from measuring.timing import Timed, timed
from stepfast import Engine, connect
from stepfast.interfaces import Offered

__all__ = ["finished_file", "measure"]

THE_SAME = "1 x (met up to 1.25)"
MOST = 1.25


async def finished_file(place: Place) -> Path:
    """The file with a million finished workflows; made once."""
    path = place.file("finished")
    if not place.has("finished"):
        await filled.fill(path, completed=place.sizes.finished)
    return path


class Rounds:
    """What was measured in one file."""

    def __init__(self) -> None:
        self.one: list[Timed] = []
        self.many: list[Timed] = []


async def measure(place: Place) -> AsyncIterator[Row]:
    async for row in steps_beside_finished(place):
        yield row
    yield await taking(place)


async def steps_beside_finished(place: Place) -> AsyncIterator[Row]:
    sizes = place.sizes
    path = await finished_file(place)
    in_empty, in_full = Rounds(), Rounds()
    async with (
        Engine.open(place.file("beside-finished"), DEFINITIONS) as empty,
        Engine.open(path, DEFINITIONS) as full,
    ):
        for _ in range(sizes.rounds + 1):
            for engine, rounds in ((empty, in_empty), (full, in_full)):
                rounds.one.append(await timed(partial(in_a_row, engine, sizes.in_a_row)))
                rounds.many.append(
                    await timed(partial(many_at_once, engine, sizes.workflows, sizes.steps_each))
                )
    several = f"{sizes.workflows} workflows x {sizes.steps_each} steps at once"
    for what, there, beside in (
        ("a durable step in a row", in_full.one[1:], in_empty.one[1:]),
        (several, in_full.many[1:], in_empty.many[1:]),
    ):
        yield _row(
            f"{what}, {sizes.finished:,} finished in the file",
            [each.seconds for each in there],
            f"an empty file (CPU {microseconds(each.cpu for each in beside)})",
            [each.seconds for each in beside],
            microseconds(each.cpu for each in there),
        )


async def taking(place: Place) -> Row:
    """Beginning a pass at the next that is ready, which is given back each time, outside what is measured."""
    sizes = place.sizes
    took: dict[int, list[float]] = {}
    for count in (sizes.few, sizes.ready):
        await filled.fill(place.file(f"ready-{count}"), queued=count)
    for _ in range(sizes.rounds + 1):
        for count in (sizes.few, sizes.ready):
            took.setdefault(count, []).append(await _take(place.file(f"ready-{count}"), sizes.takes))
    many, few = took[sizes.ready][1:], took[sizes.few][1:]
    return _row(f"taking the next of {sizes.ready:,} ready", many, f"of {sizes.few}", few)


async def _take(path: Path, count: int) -> float:
    durable = await connect(path)
    try:
        offered = [Offered(filled.queued.name, filled.queued.version)]
        await durable.offer(offered)
        spent = 0.0
        for _ in range(count):
            began = time.perf_counter()
            (begun,) = await durable.begin(offered, 1)
            spent += time.perf_counter() - began
            await durable.checkpointer.release(begun.claim)
        return spent / count
    finally:
        await durable.close()


def _row(what: str, there: list[float], name: str, beside: list[float], cpu: str = "") -> Row:
    ratios = [each / alone for each, alone in zip(there, beside, strict=True)]
    return Row(
        what,
        ranged(there),
        f"{name}: {ranged(beside)}",
        times(ratios),
        THE_SAME,
        statistics.median(ratios) <= MOST,
        cpu,
    )
