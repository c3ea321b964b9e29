"""What the window's loop costs: each figure beside plain asyncio and plain qasync, in the same run.

    python benchmarks/loop.py [--rounds 5] [--only WORD]

Every figure is taken in a process of its own, since what qasync leaves behind, Qt timers above all, would
slow down what comes after it; the three loops take turns, round by round, since a machine's speed drifts.
The table gives the median over the rounds, and of lateness the median, the 99th percentile and the earliest
of all timers of all rounds together: below zero is too early.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

LOOPS = ("asyncio", "window", "qasync")
DELAYS = {1: 300, 10: 100, 50: 40, 500: 6}  # milliseconds, and how many of them in a round

Figures = dict[str, Any]


# ----------------------------------------------------------------------------------- what is measured


async def call_soon(count: int = 100_000) -> Figures:
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    began = time.perf_counter()
    for _ in range(count):
        loop.call_soon(int)
    loop.call_soon(done.set_result, None)
    await done
    return {"ms": (time.perf_counter() - began) * 1e3}


async def sleep_zero(tasks: int, turns: int = 10_000) -> Figures:
    async def steps(count: int) -> None:
        for _ in range(count):
            await asyncio.sleep(0)

    began = time.perf_counter()
    await asyncio.gather(*(steps(turns // tasks) for _ in range(tasks)))
    return {"us a step": (time.perf_counter() - began) / turns * 1e6}


async def one_task() -> Figures:
    return await sleep_zero(1)


async def hundred_tasks() -> Figures:
    return await sleep_zero(100)


async def executor(count: int = 3000) -> Figures:
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, int)
    began = time.perf_counter()
    for _ in range(count):
        await loop.run_in_executor(None, int)
    return {"us": (time.perf_counter() - began) / count * 1e6}


async def threadsafe(count: int = 3000) -> Figures:
    """A thread calls the loop, which answers it: there and back."""
    loop = asyncio.get_running_loop()
    answered = threading.Event()
    took: asyncio.Future[float] = loop.create_future()

    def ask() -> None:
        began = time.perf_counter()
        for _ in range(count):
            answered.clear()
            loop.call_soon_threadsafe(answered.set)
            answered.wait()
        loop.call_soon_threadsafe(took.set_result, time.perf_counter() - began)

    thread = threading.Thread(target=ask)
    thread.start()
    seconds = await took
    thread.join()
    return {"us": seconds / count * 1e6}


async def lateness() -> Figures:
    """One timer at a time, on a loop that does nothing else."""
    loop = asyncio.get_running_loop()
    found: Figures = {}

    def stamp(fired: asyncio.Future[float]) -> None:
        fired.set_result(loop.time())

    for delay, count in DELAYS.items():
        late = []
        for _ in range(count):
            fired: asyncio.Future[float] = loop.create_future()
            when = loop.time() + delay / 1e3
            loop.call_at(when, stamp, fired)
            late.append((await fired - when) * 1e3)
        found[f"{delay} ms"] = late
    return found


async def cancelled(count: int = 20_000) -> Figures:
    """Timeouts of 1,000 s around something that is done at once, as around every read from a socket."""
    before = resident()
    began = time.perf_counter()
    for _ in range(count):
        async with asyncio.timeout(1000):
            await asyncio.sleep(0)
    took = time.perf_counter() - began
    return {"ms": took * 1e3, "MB": (resident() - before) / 2**20, "timers": qt_timers()}


def resident() -> int:
    """Bytes of memory in use; where /proc is missing, the most there ever were."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def qt_timers() -> int | None:
    """How many timers of Qt's the loop has running; None for asyncio."""
    loop: Any = asyncio.get_running_loop()
    if (alarm := getattr(loop, "_alarm", None)) is not None:
        return int(alarm._timer.isActive())
    if (timer := getattr(loop, "_timer", None)) is not None:
        from PySide6.QtCore import QAbstractEventDispatcher

        return len(QAbstractEventDispatcher.instance().registeredTimers(timer))
    return None


MEASURED: dict[str, tuple[str, Callable[[], Coroutine[Any, Any, Figures]]]] = {
    "call_soon": ("`call_soon` of 100,000", call_soon),
    "one": ("10,000 `sleep(0)` in one task", one_task),
    "hundred": ("10,000 `sleep(0)` in 100 tasks", hundred_tasks),
    "executor": ("`run_in_executor`, there and back", executor),
    "threadsafe": ("`call_soon_threadsafe`, there and back", threadsafe),
    "cancelled": ("20,000 cancelled timeouts", cancelled),
    "lateness": ("lateness of timers", lateness),
}


# ------------------------------------------------------------------------------- one figure, one process


def measure(kind: str, what: str) -> Figures:
    factory: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
    if kind != "asyncio":
        from PySide6.QtWidgets import QApplication

        application = QApplication([])
        if kind == "window":
            from stepfast_desktop.qt.loop.loop import Loop

            factory = Loop
        else:
            import qasync  # type: ignore[import-untyped]

            def factory() -> asyncio.AbstractEventLoop:
                return qasync.QEventLoop(application)  # type: ignore[no-any-return]

    found: Figures = {}

    async def main() -> None:
        found.update(await MEASURED[what][1]())

    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(main())
    return found


def measured(kind: str, what: str) -> Figures:
    command = [sys.executable, __file__, "--measure", kind, what]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: Figures = json.loads(done.stdout)
    return figures


# --------------------------------------------------------------------------------------------- the table


def row(name: str, unit: str, rounds: dict[str, list[Figures]]) -> str:
    def middle(kind: str) -> float:
        return float(statistics.median(each[unit] for each in rounds[kind]))

    ratios = sorted(w[unit] / a[unit] for w, a in zip(rounds["window"], rounds["asyncio"], strict=True))
    spread = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
    figures = " | ".join(f"{middle(kind):,.1f}" for kind in LOOPS)
    return f"| {name} | {unit} | {figures} | {spread} |"


def memory_row(rounds: dict[str, list[Figures]]) -> list[str]:
    def cells(unit: str, form: str) -> str:
        found = {kind: [each[unit] for each in rounds[kind]] for kind in LOOPS}
        return " | ".join(
            "none" if values[0] is None else format(statistics.median(values), form)
            for values in found.values()
        )

    return [
        f"| ... memory afterwards | MB more | {cells('MB', '.1f')} | |",
        f"| ... timers of Qt afterwards | | {cells('timers', ',.0f')} | |",
    ]


def lateness_rows(rounds: dict[str, list[Figures]]) -> list[str]:
    lines = []
    for delay in DELAYS:
        cells = []
        for kind in LOOPS:
            late = sorted(value for each in rounds[kind] for value in each[f"{delay} ms"])
            percentile = late[min(len(late) - 1, round(len(late) * 0.99))]
            cells.append(f"{statistics.median(late):.2f} / {percentile:.2f} / {late[0]:+.2f}")
        lines.append(f"| a timer of {delay} ms | ms: median / p99 / earliest | {' | '.join(cells)} | |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="a word of the names of what is measured")
    parser.add_argument("--measure", nargs=2, metavar=("LOOP", "WHAT"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(measure(*arguments.measure)))
        return
    print(f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} processors,")
    print(f"{arguments.rounds} rounds\n")
    print("| what | unit | asyncio | window | qasync | window to asyncio: median (range) |")
    print("| --- | --- | --- | --- | --- | --- |")
    for what, (name, _) in MEASURED.items():
        if arguments.only not in what:
            continue
        rounds: dict[str, list[Figures]] = {kind: [] for kind in LOOPS}
        for _ in range(arguments.rounds):
            for kind in LOOPS:
                rounds[kind].append(measured(kind, what))
        if what == "lateness":
            print("\n".join(lateness_rows(rounds)), flush=True)
            continue
        unit = next(iter(rounds["window"][0]))
        print(row(name, unit, rounds), flush=True)
        if what == "cancelled":
            print("\n".join(memory_row(rounds)), flush=True)


if __name__ == "__main__":
    main()
