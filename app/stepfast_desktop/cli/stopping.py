"""Ctrl+C and its relatives as a value to wait for, so that work is parked and not torn down.

The first signal asks; a second one ends the process there and then, as the system would have done at
once. Nothing is lost by that: it is what every workflow here survives anyway.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

__all__ = ["Interruption", "interruptible"]

T = TypeVar("T")


class Interruption:
    """Whether, and by which signal, a person or the system asked this process to stop."""

    def __init__(self, asked: asyncio.Future[int]) -> None:
        self._asked = asked

    @property
    def exit_code(self) -> int | None:
        """128 and the signal's number, as shells have it; None while nothing was asked."""
        return 128 + self._asked.result() if self._asked.done() else None

    async def unless(self, awaited: Coroutine[Any, Any, T]) -> T | None:
        """What `awaited` returns, or None once this process is asked to stop; then it is cancelled."""
        task = asyncio.ensure_future(awaited)
        try:
            first: set[asyncio.Future[Any]] = {task, self._asked}
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
            return task.result() if task.done() else None
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})

    async def comes(self) -> None:
        """Return once it is asked."""
        await asyncio.wait({self._asked})


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Turn signals that ask to stop into an `Interruption`, on the running loop of the main thread."""
    loop = asyncio.get_running_loop()
    asked: asyncio.Future[int] = loop.create_future()
    previous = {number: signal.getsignal(number) or signal.SIG_DFL for number in _numbers()}

    def settle(number: int) -> None:
        if not asked.done():
            asked.set_result(number)

    def handle(number: int, frame: FrameType | None) -> None:
        for each in previous:
            signal.signal(each, signal.SIG_DFL)
        loop.call_soon_threadsafe(settle, number)

    for number in previous:
        # The loop's own handlers do nothing while something blocks the loop, which is when a person
        # presses Ctrl+C again; but they alone make a signal wake a loop that sleeps.
        try:
            loop.add_signal_handler(number, lambda: None)
        except NotImplementedError:
            pass  # Windows, whose loop is woken by every signal
        signal.signal(number, handle)
    try:
        yield Interruption(asked)
    finally:
        for number, handler in previous.items():
            try:
                loop.remove_signal_handler(number)
            except NotImplementedError:
                pass
            signal.signal(number, handler)


def _numbers() -> list[signal.Signals]:
    """What asks a program to stop, on this system.

    A hangup that is ignored stays so: that is what `nohup` is for. An interrupt does not: a shell that
    runs a script starts what it puts in the background with SIGINT ignored, and `kill -INT` of a script
    should park what it meant to park.
    """
    numbers = [signal.SIGINT, signal.SIGTERM]
    for name in ("SIGHUP", "SIGBREAK"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            numbers.append(number)
    return numbers
