"""Coroutines started by a click.

qasync's `asyncSlot` fails on a free function without arguments, lets a task be collected while it runs, and
runs twice on a double click. `start` is the remedy for all three, from any slot:

    button.clicked.connect(lambda: start(self.copy(), disabling=button))
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar

__all__ = ["start"]

T = TypeVar("T")

# asyncio keeps only weak references: a task that nobody else holds can vanish while it waits.
_started: set[asyncio.Task[Any]] = set()


class Disabling(Protocol):
    """A QWidget or a QAction."""

    def setEnabled(self, enabled: bool, /) -> None: ...


def start(coroutine: Coroutine[Any, Any, T], *, disabling: Disabling | None = None) -> asyncio.Task[T]:
    """Run `coroutine` on the running loop, from a slot.

    Args:
        coroutine: what raises in it goes to the loop's exception handler as soon as it ends.
        disabling: what was clicked; it is disabled before this returns and enabled when the task has ended.

    Returns:
        The task, which is kept until it ends.

    Raises:
        RuntimeError: no loop is running.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        coroutine.close()  # or Python would complain that it was never awaited
        raise
    name = getattr(coroutine, "__qualname__", repr(coroutine))
    task = loop.create_task(coroutine)
    _started.add(task)
    if disabling is not None:
        disabling.setEnabled(False)

    def ended(task: asyncio.Task[T]) -> None:
        _started.discard(task)
        if disabling is not None:
            try:
                disabling.setEnabled(True)
            except RuntimeError:
                pass  # its window is gone, and so is the widget
        if not task.cancelled() and (error := task.exception()) is not None:
            what = f"{name}, started by a slot, failed"
            loop.call_exception_handler({"message": what, "exception": error, "task": task})

    task.add_done_callback(ended)
    return task
