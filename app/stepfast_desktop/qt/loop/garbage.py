"""Where cyclic garbage may be collected.

CPython collects cycles on whatever thread allocates the object too many. If a QTimer is in one, it is then
destroyed on a thread that is not its own: a segmentation fault (3 of 3 tries). Our own Qt objects are kept
out of cycles, but a lambda that is connected to a signal of the object it uses is enough to make one.

`gc.callbacks` cannot help: they are told of a collection and cannot refuse it. So the collector is
switched off, and a timer on the window's thread does what it would have done, by CPython's own counts.
What it cannot prevent is `gc.collect()` or `gc.enable()` called by somebody else on another thread.

A collection stops the window, and a full one goes through everything there is: 25 ms for the 32,000 objects
of the modules alone. Those will be there to the end, so they are frozen: what is collected later is what
was made later.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt, QTimer

__all__ = ["INTERVAL", "LONGEST", "collect_on_this_thread_only"]

# Milliseconds between two looks at the counts. One look costs about a microsecond, and to wake up for it a
# hundred: where there was nothing to do, the next one is after twice as long, up to the longest.
INTERVAL = 2000
LONGEST = 8000


@contextmanager
def collect_on_this_thread_only(interval: int = INTERVAL) -> Iterator[None]:
    """Meanwhile, collect cyclic garbage on this thread only, while Qt's loop runs on it.

    What there is when it begins is not looked at again before it ends.

    Args:
        interval: milliseconds between two looks whether there is enough of it, while there is.
    """
    was_enabled = gc.isenabled()
    timer = QTimer(interval=interval, timerType=Qt.TimerType.CoarseTimer)

    def look() -> None:
        wait = interval if _collect() else min(2 * timer.interval(), max(interval, LONGEST))
        if wait != timer.interval():
            timer.setInterval(wait)

    timer.timeout.connect(look)
    gc.disable()
    gc.freeze()
    timer.start()
    try:
        yield
    finally:
        timer.stop()
        timer.timeout.disconnect(look)  # which holds the timer: a cycle
        gc.unfreeze()
        if was_enabled:
            gc.enable()


def _collect() -> bool:
    """What CPython would have done by now: the oldest generation whose count is over its threshold.

    Was there one?
    """
    counts, thresholds = gc.get_count(), gc.get_threshold()
    if thresholds[0] == 0 or counts[0] <= thresholds[0]:  # 0: somebody wants none
        return False
    if thresholds[2] == 0:
        gc.collect(1)  # the incremental collector: the young ones, and the next piece of the old
    elif counts[2] > thresholds[2]:
        gc.collect(2)
    elif counts[1] > thresholds[1]:
        gc.collect(1)
    else:
        gc.collect(0)
    return True
