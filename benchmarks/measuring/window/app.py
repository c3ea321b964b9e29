"""A window in a process of its own: ours, or an empty one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Coroutine, Iterator
from pathlib import Path

from PySide6.QtWidgets import QApplication, QMainWindow

from measuring.filled import completed, sleeping, waiting
from stepfast import Engine, Run, workflow
from stepfast_desktop.__main__ import SWITCH_SECONDS
from stepfast_desktop.allocator import give_memory_back
from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.application import make_application
from stepfast_desktop.qt.loop.garbage import collect_on_this_thread_only
from stepfast_desktop.qt.loop.running import run
from stepfast_desktop.qt.main_window import MainWindow
from stepfast_desktop.workflows import ALL

__all__ = ["SIZE", "empty", "in_window", "ours", "paced", "quick"]

SIZE = (1200, 760)


async def pace(seconds: float) -> None:
    await asyncio.sleep(seconds)


@workflow("paced")
async def paced(run: Run, steps: int, seconds: float) -> int:
    """Makes steps at a rate."""
    for number in range(steps):
        run.progress(number, steps, f"step {number} of {steps}")
        await run.step(f"step-{number}", pace, seconds)
    return steps


@workflow("quick")
async def quick(run: Run, steps: int) -> int:
    """Makes steps as fast as it can."""
    for number in range(steps):
        run.progress(number, steps)
        await run.step(f"step-{number}", int, number)
        run.log(f"made step {number}")
    return steps


DEFINITIONS = [*ALL, completed, sleeping, waiting, paced, quick]


def in_window(main: Coroutine[object, object, None]) -> None:
    """Run `main` as the program runs its window."""
    sys.setswitchinterval(SWITCH_SECONDS)
    give_memory_back()
    application = QApplication.instance() or make_application(sys.argv[:1])
    assert isinstance(application, QApplication)
    with collect_on_this_thread_only():
        run(main, application)


@contextlib.asynccontextmanager
async def ours(folder: Path) -> AsyncIterator[tuple[MainWindow, Engine]]:
    """Our window over the file of a folder."""
    os.environ["STEPFAST_CONFIG"] = str(folder / "config")
    async with open_window(DEFINITIONS, folder, before_showing=lambda window: window.resize(*SIZE)) as window:
        yield window, window.view_model.engine


@contextlib.contextmanager
def empty() -> Iterator[QMainWindow]:
    """A window of the same size that has nothing in it."""
    window = QMainWindow()
    window.resize(*SIZE)
    window.show()
    yield window
    window.close()
