"""How long checkpoints of the write-ahead log hold up a step, beside the time of a commit, in one run.

    python benchmarks/checkpoints.py [--rounds N] [--steps N] [--folder DIR]

Steps in a row, timed one by one, in three engines that take turns: one that never checkpoints, one that
copies all while it holds the write lock, and the engine as it is, which copies most beside the commits.
A disk's speed drifts, so each round also times raw commits of a single row (WAL, synchronous=FULL).
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from unittest import mock

from stepfast import Engine, Run, workflow
from stepfast.sqlite import wal
from stepfast.sqlite.checkpoints import Checkpoints, Copied

NEVER, LOCKED, AS_IT_IS = "no checkpoints", "all of it under the lock", "most of it beside commits"
RAW_COMMITS = 300


class Figures:
    """Of one engine, over all rounds. Seconds."""

    def __init__(self) -> None:
        self.steps: list[float] = []
        self.held: list[float] = []
        self.copied: list[float] = []
        self.left: list[int] = []
        self.most = Copied(0, 0)


def effect(number: int) -> str:
    return f"step {number}"


@workflow("row", version=1)
async def row(run: Run, steps: int) -> None:
    for number in range(steps):
        before = time.perf_counter()
        await run.step(f"step-{number}", effect, number)
        TIMES.append(time.perf_counter() - before)


TIMES: list[float] = []


@contextmanager
def kind(name: str, figures: Figures) -> Iterator[None]:
    """Make engines of one kind, and time how long each checkpoint holds the lock."""
    rest, most = Checkpoints.rest, Checkpoints.most

    def timed_rest(self: Checkpoints) -> Copied:
        before = time.perf_counter()
        found = rest(self)
        figures.held.append(time.perf_counter() - before)
        figures.left.append(found.copied - (figures.most.copied if name == AS_IT_IS else 0))
        return found

    def timed_most(self: Checkpoints) -> Copied:
        if name == LOCKED:
            return Copied(0, 0)
        before = time.perf_counter()
        figures.most = most(self)
        figures.copied.append(time.perf_counter() - before)
        return figures.most

    with (
        mock.patch.object(Checkpoints, "rest", timed_rest),
        mock.patch.object(Checkpoints, "most", timed_most),
        mock.patch.object(wal, "PAGES", 10**9 if name == NEVER else wal.PAGES),
        mock.patch.object(wal, "WAL_KEPT", 10**12 if name == NEVER else wal.WAL_KEPT),
    ):
        yield


async def measure(folder: Path, name: str, steps: int, figures: Figures) -> None:
    with kind(name, figures):
        async with Engine.open(folder / f"{name.replace(' ', '-')}.db", [row]) as engine:
            TIMES.clear()
            await (await engine.start(row(steps))).result()
            figures.steps += TIMES
            # What is copied at the end is not beside steps.
            at_work = len(figures.held), len(figures.copied)
        del figures.held[at_work[0] :], figures.left[at_work[0] :], figures.copied[at_work[1] :]


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


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--steps", type=int, default=4000, help="in each round, of each engine")
    parser.add_argument("--folder", type=Path, help="on the disk that is to be measured")
    options = parser.parse_args()
    all_figures = {name: Figures() for name in (NEVER, LOCKED, AS_IT_IS)}
    commits: list[float] = []
    for number in range(options.rounds):
        with tempfile.TemporaryDirectory(prefix="stepfast-checkpoints-", dir=options.folder) as place:
            commits += raw_commits(Path(place))
            for name, figures in all_figures.items():
                await measure(Path(place), name, options.steps, figures)
        if sys.stderr.isatty():
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
    print(f"a raw commit of one row: median / 99 % / 99.9 %: {cell(commits, 0.5, 0.99, 0.999)} us\n")
    print("| us | a step: median / 99 % / 99.9 % / worst | the lock held: median / 90 % / worst |", end=" ")
    print("copied beside commits: median / worst | checkpoints | pages left over |", end=" ")
    print("raw commits that one holds the lock for |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, figures in all_figures.items():
        ratio = f"{statistics.median(figures.held) / statistics.median(commits):.1f}" if figures.held else "-"
        left = f"{statistics.median(figures.left):.0f}" if figures.left else "-"
        print(
            f"| {name} | {cell(figures.steps, 0.5, 0.99, 0.999, 1)} | {cell(figures.held, 0.5, 0.9, 1)} "
            f"| {cell(figures.copied, 0.5, 1)} | {len(figures.held)} "
            f"| {left} | {ratio} |"
        )


if __name__ == "__main__":
    asyncio.run(main())
