"""What durability costs: each figure beside a raw SQLite commit on the same disk, in the same run.

    python benchmarks/engine.py [--rounds 7] [--folder DIR] [--busy]

The floor is what one thread can do that commits single rows (WAL, synchronous=FULL) and does nothing else.
Floor and engine take turns in short rounds, since a disk's speed drifts; a ratio is of one round, and the
table gives the median over the rounds. `--busy` keeps one more thread busy in Python beside.
"""

from __future__ import annotations

import argparse
import asyncio
import platform
import shutil
import sqlite3
import statistics
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from stepfast import Engine, Run, workflow

STEPS_IN_A_ROW = 500
WORKFLOWS, STEPS_EACH = 200, 10
REPLAYED = 500


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


@dataclass(frozen=True)
class Round:
    """One measurement in seconds per unit, and the raw commit measured right before and after it."""

    seconds: float
    raw: float
    cpu: float = 0.0


class Raw:
    """The floor: single rows committed in a row on a file of its own."""

    def __init__(self, folder: Path) -> None:
        self._connection = sqlite3.connect(folder / "raw.db", isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE rows (key INTEGER PRIMARY KEY, value TEXT)")

    def seconds_per_commit(self, count: int = 300) -> float:
        began = time.perf_counter()
        for _ in range(count):
            self._connection.execute("INSERT INTO rows (value) VALUES ('1234567890123456')")
        return (time.perf_counter() - began) / count

    def close(self) -> None:
        self._connection.close()


async def in_a_row(engine: Engine) -> int:
    await (await engine.start(steps_in_a_row(STEPS_IN_A_ROW))).result()
    return STEPS_IN_A_ROW


async def many_at_once(engine: Engine) -> int:
    handles = await asyncio.gather(*(engine.start(steps_in_a_row(STEPS_EACH)) for _ in range(WORKFLOWS)))
    await asyncio.gather(*(each.result() for each in handles))
    return WORKFLOWS * STEPS_EACH


async def measured(engine: Engine, raw: Raw, work: Callable[[Engine], Awaitable[int]]) -> Round:
    before = raw.seconds_per_commit()
    began, began_cpu = time.perf_counter(), time.process_time()
    units = await work(engine)
    took, cpu = time.perf_counter() - began, time.process_time() - began_cpu
    floor = (before + raw.seconds_per_commit()) / 2
    return Round(took / units, floor, cpu / units)


async def replay(engine: Engine) -> float:
    """Seconds a recorded step costs in a pass, beyond reading the checkpoint."""
    handle = await engine.start(replayed(REPLAYED))
    await engine.until_idle()
    await engine.deliver(handle.id, None)
    await handle.result()
    return replays.pop() / REPLAYED


def row(name: str, budget: str, rounds: list[Round], ratio: Callable[[Round], float], unit: str) -> str:
    took = statistics.median(each.seconds for each in rounds) * 1e6
    raw = statistics.median(each.raw for each in rounds) * 1e6
    cpu = statistics.median(each.cpu for each in rounds) * 1e6
    ratios = sorted(map(ratio, rounds))
    middle = statistics.median(ratios)
    spread = f"{ratios[0]:.2f} to {ratios[-1]:.2f}"
    return f"| {name} | {took:.0f} | {raw:.0f} | {middle:.2f} {unit} ({spread}) | {budget} | {cpu:.0f} |"


async def measure(folder: Path, rounds: int) -> list[str]:
    raw = Raw(folder)
    one, many, again = [], [], []
    async with Engine.open(folder / "work.db", [steps_in_a_row, replayed]) as engine:
        for _ in range(rounds + 1):
            one.append(await measured(engine, raw, in_a_row))
            many.append(await measured(engine, raw, many_at_once))
            again.append(await replay(engine))
    raw.close()
    # The first round warms caches up: files, statements, threads.
    del one[0], many[0], again[0]
    more = statistics.median(each.seconds - each.raw for each in one) * 1e6
    return [
        "| what | us a step | us a raw commit | ratio: median (range) | budget | CPU us a step |",
        "| --- | --- | --- | --- | --- | --- |",
        row(
            f"a durable step in a row (+ {more:.0f} us)",
            "1.5 x, or + 150 us",
            one,
            lambda each: each.seconds / each.raw,
            "x a commit",
        ),
        row(
            f"{WORKFLOWS} workflows x {STEPS_EACH} steps at once",
            "4 x the rate",
            many,
            lambda each: each.raw / each.seconds,
            "x the rate",
        ),
        f"| replaying {REPLAYED} recorded steps | {statistics.median(again) * 1e6:.2f} | | | 3 us | |",
    ]


def keep_busy(until: threading.Event) -> None:
    number = 0
    while not until.is_set():
        number = (number * 31 + 7) % 1_000_003


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--folder", type=Path, help="where the files are made: on the disk to be measured")
    parser.add_argument("--busy", action="store_true", help="with one more thread busy in Python")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="stepfast-benchmark-", dir=given.folder))
    done = threading.Event()
    if given.busy:
        threading.Thread(target=keep_busy, args=(done,), daemon=True).start()
    try:
        today, python = time.strftime("%Y-%m-%d"), platform.python_version()
        print(f"{today}, {platform.system()} {platform.machine()}, Python {python}, ", end="")
        print(f"SQLite {sqlite3.sqlite_version}, {WORKFLOWS} at once, {given.rounds} rounds", end="")
        print(", one more thread busy" if given.busy else "")
        print("\n".join(asyncio.run(measure(folder, given.rounds))))
    finally:
        done.set()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
