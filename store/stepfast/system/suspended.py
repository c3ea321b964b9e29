"""How long this computer has been asleep: one of its clocks goes on meanwhile, and another does not."""

from __future__ import annotations

import sys
import time

__all__ = ["suspended_seconds"]


def suspended_seconds() -> float:
    """Seconds that this computer has spent suspended since it was started; 0.0 where that cannot be told.

    Only differences of it mean something, of a second and more. Two readings of clocks, and no call of the
    system's; usable on any thread.

    Linux: clock_gettime(2), CLOCK_BOOTTIME "includes any time that the system is suspended". macOS:
    CLOCK_MONOTONIC goes on "while the system is asleep", CLOCK_UPTIME_RAW does not (clock_gettime(3)).
    Windows: QueryInterruptTime and QueryUnbiasedInterruptTime, in units of 100 ns. These two are untested.
    """
    # The one that goes on is read last, so that what passes between the two is not less than nothing.
    if sys.platform == "linux":
        return -time.clock_gettime(time.CLOCK_MONOTONIC) + time.clock_gettime(time.CLOCK_BOOTTIME)
    if sys.platform == "darwin":
        return -time.clock_gettime(time.CLOCK_UPTIME_RAW) + time.clock_gettime(time.CLOCK_MONOTONIC)
    if sys.platform == "win32":
        return _windows()
    return 0.0


def _windows() -> float:
    import ctypes

    biased, unbiased = ctypes.c_ulonglong(), ctypes.c_ulonglong()
    try:
        windll = ctypes.windll  # type: ignore[attr-defined,unused-ignore]
        windll.LoadLibrary("api-ms-win-core-realtime-l1-1-1").QueryInterruptTime(ctypes.byref(biased))
        windll.kernel32.QueryUnbiasedInterruptTime(ctypes.byref(unbiased))
    except (OSError, AttributeError):
        return 0.0
    return float(biased.value - unbiased.value) / 1e7
