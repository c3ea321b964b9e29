"""What a window takes of memory with very many workflows, and whether that grows with what happens.

Eight hours of changes are made as fast as they can be: workflows come, make steps, log, end and are removed,
while rows are scrolled to, searched for and opened. A line is fitted through what the process holds, from
the first quarter on, by when what is kept on purpose is kept.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from measuring.children import child, listen, say
from measuring.window.app import in_window, ours, quick
from measuring.window.figures import Figure
from measuring.window.files import copied, filled_once
from measuring.window.held import held
from measuring.window.launch import launched
from measuring.window.sizes import Place
from stepfast import Engine
from stepfast_desktop.qt.main_window import MainWindow

__all__ = ["measure"]

MOST = 1.3
FLAT = 0.05
"""What the whole run may add, as a share of what was held at the first quarter: an allocator's noise."""
PARTS = 20
STEPS = 20
AT_ONCE = 25
SETTLING = 0.5
# Of one workflow: its start, its steps, their lines in the log, its end and its removal.
CHANGES_EACH = 2 * STEPS + 3


async def measure(place: Place) -> AsyncIterator[Figure]:
    sizes = place.sizes
    folder = copied(await filled_once(place), place.folder / "memory")
    none = place.folder / "memory-none"
    none.mkdir()
    of = {}
    for kind, where in (("empty", None), ("none", none), ("some", folder)):
        found = [(await launched(place, kind, where)).held for _ in range(min(3, sizes.launches))]
        of[kind] = statistics.median(found)
    for kind, beside in (("none", "our window of an empty file"), ("empty", "a plain window of Qt")):
        ratio = of["some"] / of[kind]
        yield Figure(
            f"memory once {sizes.workflows:,} workflows can be used, beside {beside}",
            f"{of['some']:.1f} MB: {ratio:.2f} x",
            f"{of[kind]:.1f} MB",
            f"{MOST} x",
            ratio <= MOST,
        )
    async with child("window.memory", folder) as window:
        series = await window.ask(sizes.changes)
    later = series[len(series) // 4 :]
    grown = slope(later) * (len(later) - 1)
    every = ", ".join(f"{each:.1f}" for each in series[:: len(series) // 10 or 1])
    yield Figure(
        f"the same over {sizes.changes:,} changes, every tenth: {every} MB",
        f"{grown:+.2f} MB from the first quarter on, by a line through {len(later)} points",
        "",
        f"{FLAT * 100:g} %",
        grown <= FLAT * later[0],
    )


def slope(values: list[float]) -> float:
    """Of the line of least squares, per value."""
    middle = (len(values) - 1) / 2
    mean = sum(values) / len(values)
    spread = sum((at - middle) ** 2 for at in range(len(values)))
    return sum((at - middle) * (value - mean) for at, value in enumerate(values)) / spread if spread else 0.0


# --- in a process of its own ----------------------------------------------------------------------


async def answer(folder: Path) -> None:
    async with ours(folder) as (window, engine):
        await asyncio.sleep(1)
        async for (changes,) in listen():
            say(await live(window, engine, changes))


async def live(window: MainWindow, engine: Engine, changes: int) -> list[float]:
    """Make so many changes, and say what is held after each part of them, with all rows in the table."""
    rounds = max(1, changes // (CHANGES_EACH * AT_ONCE * PARTS))
    found = []
    for part in range(PARTS):
        for number in range(part * rounds, (part + 1) * rounds):
            names = [f"live-{number}-{each}" for each in range(AT_ONCE)]
            handles = [await engine.start(quick(STEPS), id=name) for name in names]
            look(window, number)
            for each in handles:
                await each.result()
            await engine.bulk("remove", [(await engine.summary(name)).key for name in names])
            for name in names:
                await engine.delete(name)
        window.search.clear()
        await asyncio.sleep(SETTLING)
        gc.collect()
        found.append(held())
    return found


def look(window: MainWindow, number: int) -> None:
    """What a person does once in a while."""
    table = window.table
    bar = table.verticalScrollBar()
    bar.setValue((number * 7919) % (bar.maximum() + 1))
    model = table.model()
    if model.rowCount():
        table.setCurrentIndex(model.index((number * 131) % model.rowCount(), 0))
    match number % 10:
        case 3:
            window.search.setText(f"completed-{number}")
        case 6:
            window.search.clear()
        case 8:
            window.details.parts.tabs.setCurrentIndex(number % window.details.parts.tabs.count())


if __name__ == "__main__":
    in_window(answer(Path(sys.argv[1])))
