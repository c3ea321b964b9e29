"""Coroutines started by a click: what `asyncSlot` of qasync does not do."""

from __future__ import annotations

import asyncio
import gc
import weakref
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from stepfast_desktop.qt.slots import start


class Source(QObject):
    happened = Signal()


async def test_a_free_function_without_arguments_can_be_started() -> None:
    ran = asyncio.get_running_loop().create_future()

    async def work() -> None:
        await asyncio.sleep(0)
        ran.set_result("ran")

    source = Source()
    source.happened.connect(lambda: start(work()))
    source.happened.emit()
    assert await ran == "ran"


async def test_a_task_is_kept_until_it_ends() -> None:
    """asyncio keeps weak references only, and a task that waits for itself alone is a cycle."""
    ran: list[str] = []
    reference: weakref.ref[Any] | None = None

    async def work() -> None:
        nonlocal reference
        future = asyncio.get_running_loop().create_future()
        reference = weakref.ref(future)
        await future
        ran.append("ran")

    start(work())
    await asyncio.sleep(0)
    gc.collect()
    assert reference is not None
    future = reference()
    assert future is not None  # nobody but the task holds it
    future.set_result(None)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert ran == ["ran"]


@pytest.mark.parametrize("double", [False, True])
async def test_a_double_click_starts_it_once(double: bool) -> None:
    started: list[str] = []
    gate = asyncio.Event()

    async def work() -> None:
        started.append("started")
        await gate.wait()

    button = QPushButton()
    button.clicked.connect(lambda: start(work(), disabling=button))
    button.show()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    if double:
        QTest.mouseDClick(button, Qt.MouseButton.LeftButton)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not button.isEnabled()
    await asyncio.sleep(0)
    assert started == ["started"]
    gate.set()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert button.isEnabled()
    button.close()


async def test_an_error_is_reported_when_it_happens_and_the_action_is_enabled_again(lapses: Any) -> None:
    lapses.expect("started by a slot, failed")

    async def work() -> None:
        raise ValueError("one")

    action = QAction()
    task = start(work(), disabling=action)
    assert not action.isEnabled()
    await asyncio.wait({task})
    await asyncio.sleep(0)
    assert action.isEnabled()


async def test_a_cancelled_task_is_no_error() -> None:
    task = start(asyncio.sleep(60))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_the_button_may_be_gone_when_the_task_ends() -> None:
    button = QPushButton()
    task = start(asyncio.sleep(0.001), disabling=button)
    shiboken6.delete(button)
    await task


def test_without_a_loop_it_says_so() -> None:
    with pytest.raises(RuntimeError, match="no running event loop"):
        start(asyncio.sleep(0))
