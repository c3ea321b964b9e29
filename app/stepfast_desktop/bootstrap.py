"""The one place that wires things together: paths, engine, view models, windows; begun and ended in order."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from stepfast import Damaged, Definition, Engine, StoreError, restore
from stepfast.paths import default_file
from stepfast.sqlite.backups import last_good, local
from stepfast_desktop.qt.application import make_application
from stepfast_desktop.qt.garbage import collect_on_this_thread_only
from stepfast_desktop.qt.main_window import MainWindow, until_closed
from stepfast_desktop.qt.problem import offer_backup, show_problem
from stepfast_desktop.qt.running import run
from stepfast_desktop.secret_store import SystemKeeper
from stepfast_desktop.settings import Settings
from stepfast_desktop.viewmodels.window import WindowViewModel

__all__ = ["open_window", "run_window"]


def run_window(definitions: Sequence[Definition[..., Any]], folder: Path | None, command: str) -> int:
    """Open the window and return its exit code once it is closed and everything that ran is parked.

    Args:
        definitions: what this program can run.
        folder: the data folder; the per-user one by default.
        command: what starts a program like this one, for other windows to show.
    """
    application = make_application(sys.argv)
    with collect_on_this_thread_only():
        return run(_main(definitions, folder, command), application)


async def _main(definitions: Sequence[Definition[..., Any]], folder: Path | None, command: str) -> int:
    while True:
        try:
            async with open_window(definitions, folder, command) as window:
                await until_closed(window)
            return 0
        except Damaged as damaged:
            if not await _backup_instead(default_file(folder), damaged):
                return 1
        except StoreError as error:
            await show_problem(str(error))
            return 1


async def _backup_instead(file: Path, damaged: Damaged) -> bool:
    """Offer the last good backup of a file that cannot be opened; True once that is in its place."""
    found = await asyncio.to_thread(last_good, file)
    if found is None:
        await show_problem(str(damaged))
        return False
    backup, contents = found
    if not await offer_backup(str(file), local(backup.made_at), contents.workflows):
        return False
    try:
        await asyncio.to_thread(restore, file, backup.path)
    except StoreError as error:
        await show_problem(str(error))
        return False
    return True


@asynccontextmanager
async def open_window(
    definitions: Sequence[Definition[..., Any]],
    folder: Path | None,
    command: str = "",
    *,
    before_showing: Callable[[MainWindow], object] = lambda window: None,
) -> AsyncGenerator[MainWindow]:
    """A window over an engine. What was started is ended in the opposite order, whatever fails in between.

    Leaving it parks what runs, within five seconds. `before_showing` is called with the window made.
    """
    file = default_file(folder)
    settings = Settings(file.parent)
    async with AsyncExitStack() as stack:
        engine = await stack.enter_async_context(
            Engine.open(
                file,
                definitions,
                command=command,
                retention=settings.retention,
                secrets=SystemKeeper(),
            )
        )
        view_model = WindowViewModel(engine)
        stack.push_async_callback(view_model.close)
        await view_model.start()
        window = MainWindow(view_model, settings.get("window"))
        stack.callback(window.deleteLater)
        stack.callback(window.let_go)
        stack.callback(window.hide)
        window.arranged.connect(lambda arrangement: settings.put("window", arrangement))
        before_showing(window)
        window.show()
        yield window
