"""The catalogue: what a table that scrolls asks of it."""

from __future__ import annotations

import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial

from measuring import filled
from measuring.figures import Row, ranged
from measuring.finished import finished_file
from measuring.sizes import Place
from stepfast import Engine
from stepfast.views import ORDERS, Filter

__all__ = ["measure"]

PAGE = 100
PAGES = 5e-3
SEARCH = 50e-3
KEYS = 50e-3


async def measure(place: Place) -> AsyncIterator[Row]:
    async for row in pages(place):
        yield row
    async for row in keys(place):
        yield row


async def pages(place: Place) -> AsyncIterator[Row]:
    """A page in the middle of a long list: its rows, in any order that is indexed, and by their keys."""
    of = f"of {place.sizes.finished:,}"
    async with Engine.open(await finished_file(place), work=False) as engine:
        every = await engine.keys()
        middle = len(every) // 2
        (after,) = await engine.rows(every[middle : middle + 1])
        by_order = {
            name: await _times(place, partial(engine.list, order=name, after=after, limit=PAGE))
            for name, order in ORDERS.items()
            if order.indexed
        }
        yield _row(f"a page of {PAGE} after a row, {of}", PAGES, by_order["newest"])
        yield _slowest(PAGES, by_order)
        by_key = partial(engine.rows, every[middle : middle + PAGE])
        yield _row(f"{PAGE} rows by key, {of}", PAGES, await _times(place, by_key))
        yield _row(f"counts by state, {of}", PAGES, await _times(place, engine.counts))


async def keys(place: Place) -> AsyncIterator[Row]:
    """What a table that scrolls holds, and what it holds after a keystroke in search."""
    sizes = place.sizes
    of = f"of {sizes.listed:,}"
    path = place.file("listed")
    some = sizes.listed // 100
    await filled.fill(path, completed=sizes.listed - 2 * some, waiting=some, sleeping=some)
    async with Engine.open(path, work=False) as engine:
        by_order = {name: await _times(place, partial(engine.keys, order=name)) for name in ORDERS}
        yield _row(f"the ordered keys {of}", KEYS, by_order["pending"])
        yield _slowest(KEYS, by_order)
        for text in (f"ted-{sizes.listed // 10}", "nowhere", "comp"):
            search = partial(engine.keys, Filter(text=text))
            what = f"search {of}, `{text}` ({len(await search()):,} found)"
            yield _row(what, SEARCH, await _times(place, search))


def _slowest(budget: float, by_order: dict[str, list[float]]) -> Row:
    slowest = max(by_order, key=lambda each: statistics.median(by_order[each]))
    return _row(f"the same in the slowest of {len(by_order)} orders, `{slowest}`", budget, by_order[slowest])


async def _times(place: Place, ask: Callable[[], Awaitable[object]]) -> list[float]:
    took = []
    for _ in range(place.sizes.rounds + 1):
        began = time.perf_counter()
        await ask()
        took.append(time.perf_counter() - began)
    return took[1:]


def _row(what: str, budget: float, took: list[float]) -> Row:
    return Row(what, ranged(took), budget=f"{budget * 1e3:g} ms", met=statistics.median(took) <= budget)
