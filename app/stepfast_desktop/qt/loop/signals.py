"""Signals of the operating system while Qt waits, and what raises out of Qt.

Python runs a signal's handler between two of its own instructions. While Qt waits in the kernel there are
none, so Ctrl+C would be seen when the next timer fires, which may be never. CPython can write a byte to a
file descriptor the moment a signal comes (`signal.set_wakeup_fd`); the loop reads the other end, so a byte
there makes Qt call Python, and whatever handler is installed runs at once: those of
`loop.add_signal_handler`, those of `signal.signal`, asyncio.Runner's and the default of SIGINT alike.
asyncio sets that descriptor only while it has handlers of its own, since its `select` is interrupted by
signals anyhow; Qt's is not, so here it is set for as long as the loop runs on the main thread.

A handler may raise: KeyboardInterrupt for Ctrl+C, pytest-timeout's failure. If that happens inside a
method that Qt has called, there is no Python caller to raise it to, and PySide hands it to
`sys.excepthook`. There it is picked up and raised out of `run_forever`, as on asyncio's own loop.

On Windows `add_signal_handler` raises NotImplementedError, as asyncio's does there: use `signal.signal`,
as `running.py` does. The descriptor is asyncio's own self-pipe there too, read through the proactor.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from types import CodeType, TracebackType

__all__ = ["hear_at_once", "heard_at_once", "raised_to"]


def hear_at_once(fd: int) -> int | None:
    """Have CPython write a byte to `fd` for each signal; what it wrote to before, None on other threads."""
    try:
        return signal.set_wakeup_fd(fd, warn_on_full_buffer=False)
    except ValueError:  # only the main thread hears signals
        return None


@contextmanager
def heard_at_once(fd: int, still_wanted: Callable[[], bool]) -> Iterator[None]:
    """The same for a while.

    `still_wanted` is asked at the end whether to leave `fd` in place, as asyncio expects if it has handlers.
    """
    before = hear_at_once(fd)
    try:
        yield
    finally:
        if before is not None and not still_wanted():
            signal.set_wakeup_fd(-1 if before == fd else before)


@contextmanager
def raised_to(pick_up: Callable[[BaseException], None], slots: Collection[CodeType]) -> Iterator[None]:
    """Meanwhile, hand `pick_up` what was raised where only Qt could have caught it, and ends programs.

    Args:
        pick_up: called with the error, on the thread that raised it.
        slots: the code of the loop's own methods that Qt calls. They let nothing out, so what was raised
            there is a signal handler's, and ends the loop even where it is an ordinary `Exception`. Any
            other `Exception` goes where it went before. SystemExit in somebody's slot never comes here:
            PySide ends the process.
    """
    before = sys.excepthook
    # Taken away at the end: every thread that is made meanwhile holds on to the hook for as long as it lives.
    ends: Callable[[BaseException], None] | None = pick_up

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        is_ours = not isinstance(error, Exception) or (trace is not None and trace.tb_frame.f_code in slots)
        if is_ours and ends is not None:
            ends(error)
        else:
            before(kind, error, trace)

    sys.excepthook = hook
    try:
        yield
    finally:
        ends = None
        if sys.excepthook is hook:  # or somebody's by now who calls this one
            sys.excepthook = before
