"""The same figures with one more thread busy in Python, which keeps the interpreter's lock for itself."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import partial

from measuring import steps, waking
from measuring.figures import Row, microseconds, ranged, times
from measuring.raw import Raw, Round, measured
from measuring.sizes import Place
from stepfast import Engine

__all__ = ["measure"]


@contextmanager
def busy_thread() -> Iterator[None]:
    done = threading.Event()

    def keep_busy() -> None:
        number = 0
        while not done.is_set():
            number = (number * 31 + 7) % 1_000_003

    thread = threading.Thread(target=keep_busy, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


class Figures:
    """What one kind of round measured."""

    def __init__(self) -> None:
        self.one: list[Round] = []
        self.many: list[Round] = []
        self.within: list[list[float]] = []
        self.another: list[list[float]] = []
        self.floors: list[list[float]] = []


async def measure(place: Place) -> AsyncIterator[Row]:
    sizes = place.sizes
    quiet, busy = Figures(), Figures()
    definitions = [*steps.DEFINITIONS, *waking.DEFINITIONS]
    with Raw(place.folder, sizes.busy_raw) as raw:
        async with Engine.open(place.file("busy"), definitions) as engine:
            await steps.many_at_once(engine, sizes.workflows, 1)  # warms caches up
            for _ in range(sizes.busy_rounds):
                await _round(place, engine, raw, quiet)
                with busy_thread():
                    await _round(place, engine, raw, busy)
    yield _beside(steps.row_row(busy.one), busy.one, quiet.one)
    yield _beside(steps.many_row(busy.many, sizes.workflows, sizes.steps_each), busy.many, quiet.many)
    for where, slow, fast in (
        ("same process", busy.within, quiet.within),
        ("another process", busy.another, quiet.another),
    ):
        for row, before in zip(
            waking.rows(where, slow, busy.floors), waking.rows(where, fast, quiet.floors), strict=True
        ):
            yield Row(row.what, row.measured, f"quiet: {before.measured}", budget="no cliff")


async def _round(place: Place, engine: Engine, raw: Raw, into: Figures) -> None:
    sizes = place.sizes
    into.floors.append(raw.seconds_of_two(sizes.pause, sizes.busy_wakes))
    into.one.append(await measured(raw, partial(steps.in_a_row, engine, sizes.busy_in_a_row)))
    several = partial(steps.many_at_once, engine, sizes.workflows, sizes.steps_each)
    into.many.append(await measured(raw, several))
    count, pause = sizes.busy_wakes, sizes.pause
    into.within.append(await waking.wakes(engine, waking.own(engine), count, pause))
    async with waking.another_process(engine) as other:
        into.another.append(await waking.wakes(engine, other, count, pause))


def _beside(row: Row, busy: list[Round], quiet: list[Round]) -> Row:
    """The row of busy rounds, beside a raw commit that is as busy, and beside the quiet rounds."""
    ratios = [each.seconds / before.seconds for each, before in zip(busy, quiet, strict=True)]
    return Row(
        row.what,
        row.measured,
        f"{row.beside}; quiet: {ranged(each.seconds for each in quiet)}",
        f"{row.ratio}; {times(ratios)} the quiet",
        "no cliff",
        cpu=microseconds(each.cpu for each in busy),
    )
