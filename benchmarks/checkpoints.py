"""How many steps the checkpoints of the write-ahead log hold up, and for how long.

    python benchmarks/checkpoints.py [--rounds N] [--steps N] [--only NAME] [--folder DIR]

Writers of four kinds take turns. A step is met by the lock where a part of it fell into a time in which a
checkpoint held the write lock; how much longer it took is told beside the median of those that met none. A
disk's speed drifts, so each round also times raw commits of a single row (WAL, synchronous=FULL).
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from measuring.children import child

from stepfast import Engine, Run, workflow
from stepfast.sqlite.log.checkpoints import Checkpoints, Copied

RAW_COMMITS = 300
WORK = 0.003

Span = tuple[float, float]


class Writers(NamedTuple):
    """`at_once` workflows whose steps work for `work` seconds each; `beside`: who else writes to the file."""

    at_once: int
    work: float = 0
    beside: Callable[[Path, list[Span]], AbstractAsyncContextManager[object]] = lambda _path, _spans: (
        nullcontext()
    )


class Figures:
    """Of writers of one kind, over all rounds. Spans of time, as `perf_counter` tells it."""

    def __init__(self) -> None:
        self.steps: list[Span] = []
        self.others: list[Span] = []
        self.held: list[Span] = []
        self.copied: list[Span] = []


async def effect(work: float) -> str:
    if work:
        await asyncio.sleep(work)
    return "a step, as long as they are"


@workflow("row", version=1)
async def row(run: Run, steps: int, work: float) -> None:
    for number in range(steps):
        before = time.perf_counter()
        # What it works is no part of what is timed, and is of the same length in all of them.
        await run.step(f"step-{number}", effect, work)
        STEPS.append((before + work, time.perf_counter()))


STEPS: list[Span] = []


@asynccontextmanager
async def another_process(path: Path, spans: list[Span]) -> AsyncIterator[None]:
    """One that commits a row to the file, again and again."""
    async with child("committing", path, WORK) as other:
        yield
        spans += [(begun, ended) for begun, ended in await other.ask("enough")]


WRITERS = {
    "steps in a row": Writers(1),
    "20 workflows at once": Writers(20),
    f"steps of {WORK * 1000:.0f} ms": Writers(1, WORK),
    "in a row beside another process": Writers(1, beside=another_process),
}


@contextmanager
def timing(figures: Figures) -> Iterator[None]:
    """Note when a checkpoint holds the lock, and when one copies beside commits."""

    def timed(real: Callable[..., Copied], spans: list[Span]) -> Callable[..., Copied]:
        def act(self: Checkpoints, *since: Copied) -> Copied:
            before = time.perf_counter()
            try:
                return real(self, *since)
            finally:
                spans.append((before, time.perf_counter()))

        return act

    with (
        mock.patch.object(Checkpoints, "rest", timed(Checkpoints.rest, figures.held)),
        mock.patch.object(Checkpoints, "most", timed(Checkpoints.most, figures.copied)),
    ):
        yield


async def measure(path: Path, writers: Writers, steps: int, figures: Figures) -> None:
    with timing(figures):
        async with Engine.open(path, [row]) as engine, writers.beside(path, figures.others):
            STEPS.clear()
            requests = [row(steps // writers.at_once, writers.work) for _ in range(writers.at_once)]
            for handle in [await engine.start(each) for each in requests]:
                await handle.result()
            figures.steps += STEPS
            # What is copied at the end is not beside steps.
            at_work = len(figures.held), len(figures.copied)
        del figures.held[at_work[0] :], figures.copied[at_work[1] :]


def raw_commits(folder: Path) -> list[float]:
    with closing(sqlite3.connect(folder / "raw.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("CREATE TABLE IF NOT EXISTS one (n INTEGER PRIMARY KEY, text TEXT)")
        taken = []
        for _ in range(RAW_COMMITS):
            before = time.perf_counter()
            connection.execute("INSERT INTO one (text) VALUES ('a step, as long as they are')")
            taken.append(time.perf_counter() - before)
        return taken


def cell(times: list[float], *shares: float) -> str:
    if not times:
        return "-"
    ordered = sorted(times)
    return " / ".join(f"{ordered[min(len(ordered) - 1, int(len(ordered) * s))] * 1e6:,.0f}" for s in shares)


def lengths(spans: list[Span]) -> list[float]:
    return [ended - begun for begun, ended in spans]


def met(steps: list[Span], by: list[Span]) -> tuple[list[float], list[float]]:
    """How long those took into which a part of `by` fell, and the others."""
    hit: list[float] = []
    missed: list[float] = []
    for begun, ended in steps:
        falls = any(first < ended and last > begun for first, last in by)
        (hit if falls else missed).append(ended - begun)
    return hit, missed


def told(name: str, steps: list[Span], figures: Figures) -> str:
    hit, missed = met(steps, figures.held)
    usual = statistics.median(missed)
    beside, _ = met([each for each in steps if not met([each], figures.held)[0]], figures.copied)
    return (
        f"| {name} | {len(steps)} | {cell(missed, 0.5, 0.99, 0.999)} | {len(figures.copied)} | "
        f"{len(figures.held)}: {cell(lengths(figures.held), 0.5, 0.9, 1)} | {len(hit)} | "
        f"{cell([each - usual for each in hit], 0.5, 0.9, 1)} | "
        f"{len(beside)}: {cell([each - usual for each in beside], 0.5, 0.9, 1)} |"
    )


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--steps", type=int, default=4000, help="in each round, of each kind")
    parser.add_argument("--only", choices=[*WRITERS], metavar="NAME", help=", ".join(WRITERS))
    parser.add_argument("--folder", type=Path, help="on the disk that is to be measured")
    options = parser.parse_args()
    all_figures = {name: Figures() for name in WRITERS if options.only in (None, name)}
    commits: list[float] = []
    for number in range(options.rounds):
        with tempfile.TemporaryDirectory(prefix="stepfast-checkpoints-", dir=options.folder) as place:
            commits += raw_commits(Path(place))
            for name, figures in all_figures.items():
                path = Path(place) / f"{name.replace(' ', '-')}.db"
                await measure(path, WRITERS[name], options.steps, figures)
        if sys.stderr.isatty():
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
    print(f"a raw commit of one row: median / 99 % / 99.9 %: {cell(commits, 0.5, 0.99, 0.999)} us\n")
    print(
        "| us | steps | of those that met no lock: median / 99 % / 99.9 % | copied beside commits |", end=" "
    )
    print("the lock held: median / 90 % / worst | steps met by it |", end=" ")
    print("longer by: median / 90 % / worst | beside copying, longer by: median / 90 % / worst |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, figures in all_figures.items():
        print(told(name, figures.steps, figures))
        if figures.others:
            print(told("the commits of that process", figures.others, figures))


if __name__ == "__main__":
    asyncio.run(main())
