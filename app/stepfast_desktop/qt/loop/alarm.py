"""How Qt is asked to call the loop back: an alarm for a time, a bell for other threads.

A loop that waits in Qt has no `select(timeout)` to come back from. Two Qt objects stand for it:

- `Alarm`: one single-shot `QTimer` for the whole heap of timers, set for the earliest of them, or for "now"
  where handles wait. A QTimer costs 2 to 3 us a turn, a posted event 6 (measured), and it is
  `Qt.PreciseTimer`, since the default may be 5 % off: 25 ms for half a second.
- `Bell`: a queued signal, which any thread may emit.

A QTimer that is destroyed on another thread than its own takes the process down, and the cyclic garbage
collector runs on whatever thread allocates. So no reference cycle goes through these objects: Qt keeps
only a weak reference to the object whose method a signal is connected to, and `close` drops the rest.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from weakref import WeakMethod

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

__all__ = ["NEVER", "NOW", "Alarm", "Bell", "bell"]

NOW = -math.inf
NEVER = math.inf

# QTimer counts in 31 bits of milliseconds, 24.8 days; what is due later is looked at again once a day.
LONGEST = 24 * 60 * 60.0


class Alarm:
    """One precise single-shot QTimer, and what it is set for.

    Attributes:
        at: in the loop's time: when it goes off at the latest; `NOW` where it is about to, `NEVER` while
            it is off. It may go off earlier: whoever hears it reads the clock again.
    """

    def __init__(self, heard: Callable[[], None]) -> None:
        """`heard` is a method that is called when the alarm goes off; its object is not kept alive."""
        self.at = NEVER
        self._timer = QTimer(singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(heard)

    def set(self, when: float, now: float) -> None:
        """Go off at `when`, in seconds of the clock that says `now`; never early but for `LONGEST`."""
        self.at = when
        self._timer.start(math.ceil(min(max(when - now, 0.0), LONGEST) * 1000))

    def set_now(self) -> None:
        """Go off as soon as Qt has looked at everything else once."""
        self.at = NOW
        self._timer.start(0)

    def went_off(self) -> None:
        """What the method that hears it says first."""
        self.at = NEVER

    def off(self) -> None:
        self.at = NEVER
        self._timer.stop()

    def close(self) -> None:
        self.off()
        self._timer.timeout.disconnect()
        del self._timer


class Bell(QObject):
    """Rung from any thread, heard on the application's.

    There is one for the whole process, and it is never destroyed: a thread may be in the middle of ringing
    it while its loop is closed and freed, and a call that waits in Qt's queue for an object that is gone, or
    goes, crashes (measured). What it holds of a loop is a weak reference, looked at when the call comes.
    """

    rung = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._listeners: list[WeakMethod[Callable[[], None]]] = []
        self.rung.connect(self.heard, Qt.ConnectionType.QueuedConnection)

    def listen(self, heard: Callable[[], None]) -> None:
        """Call `heard`, a method whose object is not kept alive, whenever anybody has rung."""
        self._listeners.append(WeakMethod(heard))

    def ignore(self, heard: Callable[[], None]) -> None:
        self._listeners = [each for each in self._listeners if each() not in (None, heard)]

    @Slot()
    def heard(self) -> None:
        for each in tuple(self._listeners):
            listener = each()
            if listener is not None:
                listener()


@functools.cache
def bell() -> Bell:
    """The one there is, made on the thread that asks first."""
    return Bell()
