"""How long the window's thread stands still: a heartbeat timer, beside the same in an empty window.

    QT_QPA_PLATFORM=offscreen python benchmarks/window.py [--seconds 15] [--lock 30] [--finished 100000]

Three windows, each in a process of its own: an empty one; ours while 50 workflows make 2,000 steps a second;
ours while a foreign program holds the write lock of the file. The heartbeat is a precise timer of 5 ms; what
is printed is how much later than that it came.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow

from stepfast import Engine, Run, workflow
from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.application import make_application
from stepfast_desktop.qt.garbage import collect_on_this_thread_only
from stepfast_desktop.qt.running import run

BEAT = 5
WORKFLOWS, RATE = 50, 2000


class Heartbeat(QObject):
    """Lateness of each beat, in milliseconds."""

    def __init__(self) -> None:
        super().__init__()
        self.late: list[float] = []
        self._timer = QTimer(self, interval=BEAT, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._last = time.perf_counter()

    def start(self) -> None:
        self.late.clear()
        self._last = time.perf_counter()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _beat(self) -> None:
        now = time.perf_counter()
        self.late.append(max(0.0, (now - self._last) * 1000 - BEAT))
        self._last = now

    def told(self) -> str:
        late = sorted(self.late)

        def at(share: float) -> float:
            return late[min(len(late) - 1, int(len(late) * share))]

        shares = f"median {at(0.5):.2f}, 99 % {at(0.99):.2f}, 99.9 % {at(0.999):.2f}"
        return f"{len(late)} beats, {shares}, max {late[-1]:.2f} ms"


async def pace(seconds: float) -> None:
    await asyncio.sleep(seconds)


@workflow("paced")
async def paced(run: Run, steps: int, seconds: float) -> int:
    """Makes steps at a rate."""
    for number in range(steps):
        run.progress(number, steps, f"step {number} of {steps}")
        await run.step(f"step-{number}", pace, seconds)
    return steps


@contextlib.asynccontextmanager
async def ours(folder: Path) -> AsyncIterator[Engine]:
    async with open_window([paced], folder) as window:
        yield window.view_model.engine


async def empty(seconds: float, _folder: Path) -> str:
    window = QMainWindow()
    window.resize(1080, 700)
    window.show()
    heart = Heartbeat()
    await asyncio.sleep(1)
    heart.start()
    await asyncio.sleep(seconds)
    heart.stop()
    window.close()
    return heart.told()


async def busy(seconds: float, folder: Path) -> str:
    heart = Heartbeat()
    async with ours(folder) as engine:
        # A step takes the time of its commit too.
        pause = WORKFLOWS / RATE * 0.78
        handles = [await engine.start(paced(int(seconds / pause) * 2, pause)) for _ in range(WORKFLOWS)]
        await asyncio.sleep(2)
        before = await steps_of(engine)
        began = time.perf_counter()
        heart.start()
        await asyncio.sleep(seconds)
        heart.stop()
        rate = (await steps_of(engine) - before) / (time.perf_counter() - began)
        for each in handles:
            await engine.cancel(each.id)
    return f"{rate:.0f} steps/s: {heart.told()}"


async def steps_of(engine: Engine) -> int:
    assert engine.path is not None
    with contextlib.closing(sqlite3.connect(f"file:{engine.path}?mode=ro", uri=True)) as reader:
        (count,) = reader.execute("SELECT count(*) FROM stepfast_records").fetchone()
    return int(count)


LOCK = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
time.sleep(float(sys.argv[2]))
connection.execute("ROLLBACK")
"""


async def locked(seconds: float, folder: Path) -> str:
    heart = Heartbeat()
    async with ours(folder) as engine:
        for _ in range(WORKFLOWS):
            await engine.start(paced(100_000, 0.025))
        await asyncio.sleep(1)
        foreign = await asyncio.create_subprocess_exec(
            sys.executable, "-c", LOCK, str(engine.path), str(seconds), stdout=subprocess.PIPE
        )
        assert foreign.stdout is not None
        await foreign.stdout.readline()
        heart.start()
        await foreign.wait()
        heart.stop()
        before = await steps_of(engine)
        await asyncio.sleep(1)
        went_on = await steps_of(engine) - before
        for row in await engine.list(limit=WORKFLOWS):
            await engine.cancel(row.id)
    return f"locked for {seconds:.0f} s, {went_on} steps in the second after it: {heart.told()}"


def fill(folder: Path, count: int) -> None:
    """Put finished workflows into the file, by hand and in one commit, since a benchmark has no hours."""

    async def make() -> None:
        async with Engine.open(folder / "stepfast.db", [paced]) as engine:
            await (await engine.start(paced(0, 0.0), id="first")).result()

    asyncio.run(make())
    with contextlib.closing(sqlite3.connect(folder / "stepfast.db")) as file:
        columns = [row[1] for row in file.execute("PRAGMA table_info(stepfast_workflows)")]
        copied = ", ".join({"key": "1000 + n", "id": "'w' || n"}.get(each, each) for each in columns)
        numbers = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)"
        file.execute(
            f"{numbers} INSERT INTO stepfast_workflows SELECT {copied} FROM stepfast_workflows, numbers"
            " WHERE id = 'first'",
            (count,),
        )
        file.execute("UPDATE stepfast_meta SET counter = ?", (1001 + count,))
        file.commit()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--lock", type=float, default=30)
    parser.add_argument("--finished", type=int, default=0, help="finished workflows in the file")
    parser.add_argument("--one", choices=["empty", "busy", "locked"], help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is None:
        for one in ("empty", "busy", "locked"):
            subprocess.run([sys.executable, __file__, "--one", one, *sys.argv[1:]], check=True)
        return
    folder = Path(tempfile.mkdtemp(prefix="stepfast-benchmark-"))
    if given.finished and given.one != "empty":
        fill(folder, given.finished)
    work = {"empty": empty(given.seconds, folder), "busy": busy(given.seconds, folder)}
    work["locked"] = locked(given.lock, folder)
    for name, each in work.items():
        if name != given.one:
            each.close()
    try:
        application = QApplication.instance() or make_application(sys.argv[:1])
        assert isinstance(application, QApplication)
        with collect_on_this_thread_only():
            print(f"{given.one:7} {run(work[given.one], application)}", flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
