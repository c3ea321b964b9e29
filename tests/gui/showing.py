"""Every window of the program on the screen, one after the other, for tests that look at each.

The dialogs are found by the commands of the window: each whose text ends in dots opens one, and so do
their buttons. A command that is added is looked at without a word; one that can do nothing with a failed
workflow is left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QPushButton, QTabWidget, QWidget

from stepfast import Run, workflow
from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.main_window import MainWindow
from stepfast_desktop.viewmodels.words import without_mnemonic
from stepfast_desktop.workflows import ALL

__all__ = ["asking", "choose", "closed", "dialogs", "each_tab", "failing", "lasting", "opened", "until"]


@workflow("asking")
async def asking(run: Run) -> str:
    run.progress(1, 2, "half")
    run.log("one line")
    await run.step("one", int, 3)
    return await run.awaiting("word", into=str)


@workflow("failing")
async def failing(run: Run, number: int = 0) -> None:
    await run.step("one", int, number)
    raise ValueError("no")


OTHERS = ("shortcuts", "about")
"""Commands that open a dialog and have no dots, since it asks nothing."""


@workflow("lasting")
async def lasting(run: Run) -> None:
    await run.step("wait", asyncio.sleep, 600)


DEFINITIONS = [*ALL, asking, failing, lasting]


async def until(holds: Callable[[], object], what: str) -> None:
    """Wait until it holds; the test fails where it never does."""
    try:
        async with asyncio.timeout(60):
            while not holds():
                await asyncio.sleep(0.01)
    except TimeoutError:
        pytest.fail(f"never came: {what}")


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[MainWindow]:
    """The window, with a definition that asks and one that fails beside those that are shipped."""
    async with open_window(DEFINITIONS, folder) as window:
        yield window


async def choose(window: MainWindow, id: str) -> None:
    """Put the current row and the selection on a workflow."""
    table = window.view_model.table
    key = (await window.view_model.engine.summary(id)).key
    await until(lambda: table.index(key) is not None, f"{id} in the table")
    place = table.index(key)
    assert place is not None
    await until(lambda: table.row(place) is not None, f"the row of {id}")
    window.table.setFocus()
    window.table.setCurrentIndex(window.table.model().index(place, 0))
    await until(lambda: (state := window.view_model.details.state) and state.id == id, f"the details of {id}")


async def each_tab(window: QWidget) -> AsyncIterator[str]:
    """Bring each tab of a window to the front, the one that is there first; yields its text, or none."""
    yield ""
    for tabs in window.findChildren(QTabWidget):
        for place in range(tabs.count() if tabs.isVisible() else 0):
            if tabs.isTabEnabled(place):
                tabs.setCurrentIndex(place)
                await asyncio.sleep(0.02)  # what a tab shows, it loads when it is in front
                yield tabs.tabText(place)


async def dialogs(window: MainWindow) -> AsyncIterator[tuple[str, QWidget]]:
    """Open each dialog in turn, and each that a button of one opens; yields what opens it, and the dialog."""
    for name in window.commands:
        action = window.commands[name]
        if not (name in OTHERS or opens(action.text())) or not action.isEnabled() or action.menu():
            continue
        dialog = await opening(action.trigger, name)
        yield name, dialog
        for button in dialog.findChildren(QPushButton):
            if opens(button.text()) and button.isVisible() and button.isEnabled():
                further = await opening(button.click, button.text())
                yield f"{name}, {button.text()}", further
                await closed(further)
        await closed(dialog)


def opens(text: str) -> bool:
    """Does a command or a button say that it opens something?"""
    return without_mnemonic(text).endswith(("...", "…"))


async def opening(do: Callable[[], object], name: str) -> QWidget:
    """The window that is opened by this."""

    def windows() -> list[QWidget]:
        return [
            each
            for each in QApplication.topLevelWidgets()
            if each.isVisible() and not isinstance(each, QMenu | QMainWindow)
        ]

    before = windows()
    do()
    await until(lambda: [each for each in windows() if each not in before], f"a window by {name!r}")
    return next(each for each in windows() if each not in before)


async def closed(dialog: QWidget) -> None:
    dialog.close()
    await until(lambda: not dialog.isVisible(), f"the end of {dialog.windowTitle()!r}")
