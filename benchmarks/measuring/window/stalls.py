"""How long the window's thread stands still: how much later than it should a timer of 5 ms comes."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer

from measuring.children import child, listen, say
from measuring.window.app import empty, in_window, ours, paced
from measuring.window.figures import Figure, spread, worst
from measuring.window.files import copied, filled_once
from measuring.window.sizes import Place
from stepfast import Engine

__all__ = ["locked", "measure"]

BEAT = 5
MOST = 16.0
SHARE = 0.999
# A step takes the time of its commit too.
PAUSE_SHARE = 0.78


async def measure(place: Place) -> AsyncIterator[Figure]:
    sizes = place.sizes
    async with child("window.stalls", "empty", place.folder) as bare:
        alone = await bare.ask("beat", sizes.stall_seconds)
        beside = await bare.ask("beat beside threads", sizes.stall_seconds)
    yield Figure("a stall of an empty window's thread, nothing else", "", spread(alone))
    for what, folder in (
        ("an empty file", place.folder / "stalls"),
        (f"{sizes.workflows:,} finished", copied(await filled_once(place), place.folder / "stalls-filled")),
    ):
        async with child("window.stalls", "ours", folder) as window:
            rate, late = await window.ask("busy", sizes.stall_seconds, sizes.running, sizes.rate)
        yield Figure(
            f"a stall while {sizes.running} workflows make {rate:,.0f} steps/s, {what}",
            spread(late),
            f"beside two busy threads of Python: {spread(beside)}",
            f"99.9 %: {MOST:.0f} ms",
            worst(late, SHARE) <= MOST,
        )


async def locked(place: Place) -> AsyncIterator[Figure]:
    sizes = place.sizes
    async with child("window.stalls", "empty", place.folder) as bare:
        alone = await bare.ask("beat", min(sizes.lock_seconds, sizes.stall_seconds))
    async with child("window.stalls", "ours", place.folder / "locked") as window:
        went_on, late = await window.ask("locked", sizes.lock_seconds, sizes.running)
    yield Figure(
        f"a stall while a foreign program holds the write lock for {sizes.lock_seconds:g} s"
        f" ({went_on} steps in the second after it)",
        spread(late),
        spread(alone),
        f"99.9 %: {MOST:.0f} ms",
        worst(late, SHARE) <= MOST and went_on > 0,
    )


# --- in a process of its own ----------------------------------------------------------------------


class Heartbeat(QObject):
    """Lateness of each beat, in milliseconds."""

    def __init__(self) -> None:
        super().__init__()
        self._late: list[float] = []
        self._timer = QTimer(self, interval=BEAT, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._last = 0.0

    def start(self) -> None:
        self._late.clear()
        self._last = time.perf_counter()
        self._timer.start()

    def stop(self) -> list[float]:
        """End, and give what was measured; the stall that may have begun is counted too."""
        self._beat()
        self._timer.stop()
        return self._late

    def _beat(self) -> None:
        now = time.perf_counter()
        self._late.append(round(max(0.0, (now - self._last) * 1000 - BEAT), 3))
        self._last = now


async def answer_empty() -> None:
    with empty():
        heart = Heartbeat()
        await asyncio.sleep(0.5)
        async for what, seconds in listen():
            with busy_threads(2 if "threads" in what else 0):
                heart.start()
                await asyncio.sleep(seconds)
                say(heart.stop())


@contextlib.contextmanager
def busy_threads(count: int) -> Iterator[None]:
    """Threads that do nothing but compute in Python."""
    over = threading.Event()

    def compute() -> None:
        while not over.is_set():
            sum(range(100))

    threads = [threading.Thread(target=compute) for _ in range(count)]
    for each in threads:
        each.start()
    try:
        yield
    finally:
        over.set()
        for each in threads:
            each.join()


async def answer_ours(folder: Path) -> None:
    heart = Heartbeat()
    async with ours(folder) as (_, engine):
        async for what, *figures in listen():
            say(await (busy if what == "busy" else holding)(engine, heart, *figures))


async def busy(
    engine: Engine, heart: Heartbeat, seconds: float, running: int, rate: int
) -> tuple[float, list[float]]:
    pause = running / rate * PAUSE_SHARE
    handles = [await engine.start(paced(int(seconds / pause) * 2 + 100, pause)) for _ in range(running)]
    await asyncio.sleep(min(2.0, seconds))
    before, began = await steps_of(engine), time.perf_counter()
    heart.start()
    await asyncio.sleep(seconds)
    late = heart.stop()
    made = (await steps_of(engine) - before) / (time.perf_counter() - began)
    for each in handles:
        await engine.cancel(each.id)
    return made, late


async def holding(engine: Engine, heart: Heartbeat, seconds: float, running: int) -> tuple[int, list[float]]:
    handles = [await engine.start(paced(100_000, 0.025)) for _ in range(running)]
    await asyncio.sleep(min(1.0, seconds))
    foreign = await asyncio.create_subprocess_exec(
        sys.executable, "-c", LOCK, str(engine.path), str(seconds), stdout=subprocess.PIPE
    )
    assert foreign.stdout is not None
    await foreign.stdout.readline()
    heart.start()
    await foreign.wait()
    late = heart.stop()
    before = await steps_of(engine)
    await asyncio.sleep(1)
    went_on = await steps_of(engine) - before
    for each in handles:
        await engine.cancel(each.id)
    return went_on, late


async def steps_of(engine: Engine) -> int:
    """How many records there are, counted on a thread and by a connection of its own."""

    def count() -> int:
        assert engine.path is not None
        with contextlib.closing(sqlite3.connect(f"file:{engine.path}?mode=ro", uri=True)) as reader:
            return int(reader.execute("SELECT count(*) FROM stepfast_records").fetchone()[0])

    return await asyncio.to_thread(count)


LOCK = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
time.sleep(float(sys.argv[2]))
connection.execute("ROLLBACK")
"""

if __name__ == "__main__":
    in_window(answer_empty() if sys.argv[1] == "empty" else answer_ours(Path(sys.argv[2])))
