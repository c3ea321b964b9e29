"""Cyclic garbage with live QTimers in it, which crashed when a worker thread collected it: 3 times of 3."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QTimer

from stepfast_desktop.qt.loop import garbage
from stepfast_desktop.qt.loop.garbage import collect_on_this_thread_only

# Makes cycles with live timers on the window's thread, and garbage on another until it would be collected.
PROGRAM = """
import asyncio, gc, sys, threading
from contextlib import nullcontext
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from stepfast_desktop.qt.loop.garbage import collect_on_this_thread_only
from stepfast_desktop.qt.loop.running import run

class Holder:
    ended = 0
    def __init__(self):
        self.itself = self
        self.timer = QTimer()
        self.timer.start(100000)
    def __del__(self):
        Holder.ended += 1
        threads.add(threading.get_ident())

threads = set()

def litter():
    for _ in range(300000):
        cycle = []
        cycle.append(cycle)

async def main():
    for _ in range(10):
        for _ in range(20):
            Holder()
        await asyncio.to_thread(litter)
    for _ in range(6000):
        if Holder.ended == 200:
            break
        await asyncio.sleep(0.01)

application = QApplication([])
kept = collect_on_this_thread_only(interval=10) if sys.argv[1] == "here" else nullcontext()
with kept:
    run(main(), application)
print(Holder.ended, threads == {threading.get_ident()})
"""


def outcome(where: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, where],
        capture_output=True,
        text=True,
        timeout=100,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )


def test_timers_in_cycles_are_collected_on_their_own_thread() -> None:
    done = outcome("here")
    assert (done.stdout, done.stderr, done.returncode) == ("200 True\n", "", 0)


def test_without_it_they_are_not() -> None:
    """Else the test above would show nothing. It need not crash: it is enough that it may."""
    done = outcome("anywhere")
    assert done.returncode < 0 or "another thread" in done.stderr or "False" in done.stdout


@pytest.fixture
def collected() -> Iterator[list[tuple[int, int]]]:
    """The generation and the thread of each collection."""
    seen: list[tuple[int, int]] = []

    def note(phase: str, info: dict[str, Any]) -> None:
        if phase == "start":
            seen.append((info["generation"], threading.get_ident()))

    gc.collect()
    gc.callbacks.append(note)
    yield seen
    gc.callbacks.remove(note)


async def test_it_collects_when_there_is_enough_and_puts_back_what_was(
    collected: list[tuple[int, int]],
) -> None:
    assert gc.isenabled()
    with collect_on_this_thread_only(interval=5):
        assert not gc.isenabled()
        kept = [[] for _ in range(gc.get_threshold()[0] + 100)]  # type: ignore[var-annotated]
        async with asyncio.timeout(60):
            while not collected:
                await asyncio.sleep(0.005)
        del kept
    assert gc.isenabled()
    assert {thread for _, thread in collected} == {threading.get_ident()}


async def test_it_looks_less_often_while_there_is_nothing_to_collect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "LONGEST", 40)
    made: list[QTimer] = []

    class Made(QTimer):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            made.append(self)

    monkeypatch.setattr(garbage, "QTimer", Made)
    after: list[int] = []  # milliseconds, as asked for: what comes of them is the machine's affair
    enough = False

    def look() -> bool:
        after.append(made[0].interval())
        return enough

    monkeypatch.setattr(garbage, "_collect", look)
    with collect_on_this_thread_only(interval=10):
        while len(after) < 6:
            await asyncio.sleep(0.005)
        assert after[:6] == [10, 20, 40, 40, 40, 40]
        enough, before = True, len(after)
        while len(after) < before + 4:
            await asyncio.sleep(0.005)
    assert after[before:][:4] == [40, 10, 10, 10], "and as often as ever once there is"
    made.clear()


def test_what_is_there_when_it_begins_stops_no_window_later() -> None:
    with collect_on_this_thread_only():
        assert gc.get_freeze_count() > 1000
        kept = [[] for _ in range(1000)]  # type: ignore[var-annotated]
        assert len(gc.get_objects()) < 10_000
        del kept
    assert gc.get_freeze_count() < 1000


@pytest.mark.parametrize(
    ("counts", "thresholds", "generation"),
    [
        ((0, 0, 0), (700, 10, 10), None),
        ((700, 10, 10), (700, 10, 10), None),
        ((701, 0, 0), (700, 10, 10), 0),
        ((701, 11, 0), (700, 10, 10), 1),
        ((0, 11, 0), (700, 10, 10), None),
        ((701, 0, 11), (700, 10, 10), 2),
        ((701, 11, 11), (700, 10, 10), 2),
        ((10_000, 11, 11), (0, 10, 10), None),  # gc.set_threshold(0): somebody wants none
        ((2001, 3, 0), (2000, 10, 0), 1),  # the incremental collector of Python 3.14
        ((1999, 30, 0), (2000, 10, 0), None),
    ],
)
def test_the_generation_is_the_one_that_python_would_collect(
    monkeypatch: pytest.MonkeyPatch,
    counts: tuple[int, int, int],
    thresholds: tuple[int, int, int],
    generation: int | None,
) -> None:
    collected: list[int] = []
    monkeypatch.setattr(gc, "get_count", lambda: counts)
    monkeypatch.setattr(gc, "get_threshold", lambda: thresholds)
    monkeypatch.setattr(gc, "collect", collected.append)
    garbage._collect()
    monkeypatch.undo()
    assert collected == ([] if generation is None else [generation])
