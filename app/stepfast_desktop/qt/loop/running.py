"""Running a program on the window's loop from its first coroutine to the end of everything it began.

`run` is `asyncio.run` for a window: one stay in Qt from beginning to end, so that `aboutToQuit` is sent
once, after `main` has cleaned up; signals and "Quit" ask `main` to end instead of ending it; and nothing
that is still busy then, a task that ignores its cancellation or a thread in a call that never returns, keeps
the program from quitting for longer than its patience.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
import warnings
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

from PySide6.QtCore import QCoreApplication

from stepfast_desktop.qt.loop.loop import Loop

__all__ = ["PATIENCE", "run"]

T = TypeVar("T")

# Seconds that tasks, generators and threads have to end in once `main` is over.
PATIENCE = 5.0

# The handlers that Python starts with.
UNTOUCHED = (signal.SIG_DFL, signal.default_int_handler)

logger = logging.getLogger(__name__)


def run(main: Coroutine[Any, Any, T], application: QCoreApplication, *, patience: float = PATIENCE) -> T:
    """Run `main` on a loop of its own, then end what it left: tasks, asynchronous generators, threads.

    SIGINT, SIGTERM, SIGHUP and Windows' SIGBREAK, where nobody has handled or ignored them before, and
    `QApplication.quit()` cancel `main` once; it may take the time it needs. A second signal ends the
    process there and then, as the system would have done at once.

    Args:
        main: the program. What it cleans up belongs into its `finally`.
        application: made on this thread, which is the main thread if signals are to be heard.
        patience: seconds for what is left when `main` is over; what takes longer is logged and left behind.

    Returns:
        What `main` returns, also after it was asked to end.

    Raises:
        SystemExit: `main` let itself be cancelled by a signal (128 and its number, as shells have it) or
            by `quit()` (0).
    """
    try:
        loop = Loop(application)
    except BaseException:
        main.close()  # or Python would complain that it was never awaited
        raise
    supervisor = _Supervisor(loop, main)
    try:
        loop.announce_quit = True
        try:
            with _asking(loop, supervisor.ask):
                loop.run_until_complete(supervisor.work(patience))
        finally:
            supervisor.retrieve()
            # Nothing is left unless SystemExit, a KeyboardInterrupt or the like went through the loop.
            if asyncio.all_tasks(loop):
                loop.run_until_complete(_wind_down(loop, patience))
        result: T = supervisor.result()
        return result
    finally:
        loop.close()


class _Supervisor:
    """The task that `main` is, and what it was asked by."""

    def __init__(self, loop: Loop, main: Coroutine[Any, Any, Any]) -> None:
        self._loop = loop
        self._task = loop.create_task(main, name="main")
        self._exit_code: int | None = None

    def ask(self, exit_code: int = 0) -> None:
        if self._exit_code is None:
            self._exit_code = exit_code
            self._task.cancel()
            self._loop.end_nested()  # it may be in there, and is cancelled when it comes out

    async def work(self, patience: float) -> None:
        self._loop.on_quit = self.ask
        await asyncio.wait({self._task})
        await _wind_down(self._loop, patience)

    def retrieve(self) -> None:
        """Or asyncio would complain that nobody has looked at what ended the loop."""
        if self._task.done() and not self._task.cancelled():
            self._task.exception()

    def result(self) -> Any:
        if self._task.cancelled() and self._exit_code is not None:
            raise SystemExit(self._exit_code)
        return self._task.result()


async def _wind_down(loop: Loop, patience: float) -> None:
    """End every other task, every generator and every thread, within about `patience` seconds."""
    end = loop.time() + patience

    def left() -> float:
        """Seconds for the next step: a moment at least, whatever the one before has used up."""
        return max(end - loop.time(), patience / 10)

    # Waited for with `asyncio.wait`, which does not insist: a timeout around a `gather` waits until each of
    # its tasks has given in to the cancellation.
    tasks = asyncio.all_tasks(loop) - {asyncio.current_task(loop)}
    for task in tasks:
        task.cancel()
    if tasks:
        done, stubborn = await asyncio.wait(tasks, timeout=left())
        for task in done:
            if not task.cancelled() and (error := task.exception()) is not None:
                what = "unhandled exception in a task that was cancelled at the end"
                loop.call_exception_handler({"message": what, "exception": error, "task": task})
        if stubborn:
            logger.warning("left behind, since they ignore their cancellation: %s", _names(stubborn))
    closing = loop.create_task(loop.shutdown_asyncgens())
    if not (await asyncio.wait({closing}, timeout=left()))[0]:
        closing.cancel()
        logger.warning("left behind: asynchronous generators that do not close")
    with warnings.catch_warnings(record=True) as busy:
        warnings.simplefilter("always", RuntimeWarning)
        await loop.shutdown_default_executor(left())
    if busy:
        threads = [each for each in threading.enumerate() if each.name.startswith("loop-thread-")]
        logger.warning("left behind, since they are still busy: %s", _names(threads))


def _names(things: Any) -> str:
    return ", ".join(sorted(each.get_name() if hasattr(each, "get_name") else each.name for each in things))


@contextmanager
def _asking(loop: Loop, ask: Any) -> Iterator[None]:
    """Turn what asks a program to end into a call of `ask`, once; a second one ends it.

    `signal.signal` and not `loop.add_signal_handler`: it is there on Windows, and it runs while something
    blocks the loop, which is when a person presses Ctrl+C again.
    """
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) in UNTOUCHED:
                before[number] = signal.getsignal(number)

    def handle(number: int, frame: FrameType | None) -> None:
        for each in before:
            signal.signal(each, signal.SIG_DFL)
        loop.call_soon_threadsafe(ask, 128 + number)

    for number in before:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) in (handle, signal.SIG_DFL):  # else it is somebody else's by now
                signal.signal(number, handler)
