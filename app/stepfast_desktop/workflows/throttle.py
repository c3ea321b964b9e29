"""A limit on how fast bytes are moved, shared by all copying in this process and changed while it goes on.

    limit.set(20_000_000)       # bytes a second, from now on
    limit.take(len(chunk), stop)  # on the thread that copies: comes back when there is room for them

Each process has its own: two programs at work on one file may move twice as much together. `limit` is the one
of this process; a program without a window has it follow the settings (`follow`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

__all__ = ["Throttle", "limit"]

SLICE = 0.1
"""Seconds after which whoever waits looks again whether he is to stop."""

BURST = 0.25
"""Seconds that what was not used is remembered for."""

LOOK_EVERY = 1.0


def _go_on() -> None:
    pass


class Throttle:
    """A bucket that fills with so many bytes a second. Who finds it above zero takes all he wants of it, and
    leaves a debt that the next one waits for; so a chunk may be larger than what a second allows.

    Args:
        clock: seconds that only rise.
        wait: waits so many seconds, or until the event is set.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[threading.Event, float], object] = threading.Event.wait,
    ) -> None:
        self._clock = clock
        self._wait = wait
        self._lock = threading.Lock()
        self._changed = threading.Event()
        self._rate = 0.0
        self._level = 0.0
        self._filled = clock()
        self._asked: Callable[[], float] | None = None
        self._asked_at = -LOOK_EVERY

    @property
    def rate(self) -> float:
        """Bytes a second; 0 for no limit."""
        return self._rate

    def set(self, rate: float) -> None:
        """Move at most `rate` bytes a second from now on, also for who waits now; 0 for no limit."""
        with self._lock:
            if rate == self._rate:
                return
            self._fill()
            self._rate = max(0.0, rate)
            # What was taken before is paid at the new rate within a second, or a low limit that is raised,
            # and a high one that is lowered, would both be felt for long.
            self._level = max(self._level, -self._rate)
            self._changed.set()
            self._changed = threading.Event()

    def follow(self, rate: Callable[[], float]) -> None:
        """Ask for the rate once a second, while bytes are moved; on the thread that moves them."""
        self._asked = rate

    def take(self, count: int, stop: Callable[[], None] = _go_on) -> None:
        """Come back when `count` bytes more may be moved. On any thread but that of a loop.

        Args:
            stop: called ten times a second meanwhile; raises where the copying is to end.
        """
        while True:
            self._look()
            with self._lock:
                if not self._rate:
                    return
                self._fill()
                if self._level > -1:  # of a byte, so that no rounding is waited for
                    self._level -= count
                    return
                seconds, changed = -self._level / self._rate, self._changed
            self._wait(changed, min(seconds, SLICE))
            stop()

    def _fill(self) -> None:
        now = self._clock()
        most = self._rate * BURST
        self._level = min(most, self._level + (now - self._filled) * self._rate)
        self._filled = now

    def _look(self) -> None:
        if self._asked is not None and self._clock() - self._asked_at >= LOOK_EVERY:
            self._asked_at = self._clock()
            self.set(self._asked())


limit = Throttle()
"""The limit of this process."""
