"""What one turn of the window's loop runs, also inside a loop of Qt's that a handle has started.

A turn is what asyncio does between two waits. It makes ready what is due, timers and files, and runs the
handles that are ready then, and no others: what they add waits for the next turn, so that two tasks
alternate as on asyncio's own loop. One turn is one Qt event, so that windows get theirs in between. A turn
that takes longer than `LONGEST_TURN` is carried on in the next event, with the same handles in the same
order; `_todo` counts those that are left.

**Nested loops.** `dialog.exec()` or `processEvents()` in a coroutine runs a loop of Qt's inside a handle,
and in there Qt calls for turns as ever. They go on with what the outer turn has left. Three things need care:

- asyncio refuses to step a task while another one is current, so that one is taken off for the while. It is
  never stepped itself: it awaits nothing, it is on the stack.
- A context that is entered cannot be entered again. A handle that needs one is put back until the handle
  that is in it has ended; else its task would lose a wakeup and never run again.
- A callback of a file must not be called from inside itself, though its file may well be ready.

An alarm is set before anything runs, since there is no telling whether a handle will start such a loop.
"""

from __future__ import annotations

import asyncio
import contextvars
import heapq
import selectors
import threading
import time
from asyncio.base_events import _format_handle  # type: ignore[attr-defined]
from asyncio.log import logger
from collections import deque
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QSocketNotifier

from stepfast_desktop.qt.loop.alarm import NEVER, NOW, Alarm, Bell, bell

__all__ = ["LONGEST_TURN", "MOST_NESTED", "SLOTS", "Turns"]

# Seconds after which a turn lets Qt see to its windows: with a painting, and what is heard of other threads
# waiting for Python's lock, that is still within a frame at 60 Hz.
LONGEST_TURN = 0.004

# asyncio's own thresholds, for when cancelled timers are swept out of the heap.
SWEEP_ABOVE = 100
SWEEP_FRACTION = 0.5

# How many loops of Qt's may lie inside each other with turns in all of them. In one that lies deeper only
# Qt goes on: a thousand tasks that process events would else run a thousand deep, too deep for Python.
MOST_NESTED = 20

# How often the files are looked at while their notifier has to be silent, in seconds.
BLIND_POLL = 0.02


class Turns:
    """The part of `Loop` that Qt calls."""

    # asyncio's, in the words of `BaseEventLoop.__init__`.
    _ready: deque[Any]
    _scheduled: list[Any]
    _timer_cancelled_count: int
    _clock_resolution: float
    _selector: selectors.BaseSelector
    _current_handle: Any
    _thread_id: int | None
    _stopping: bool
    _debug: bool
    slow_callback_duration: float
    time: Callable[[], float]
    _process_events: Callable[[Any], None]
    # `Loop`'s: make Qt return to `_run_once`, and raise an error from there.
    _leave: Callable[[], None]
    _fail: Callable[[BaseException], None]

    def __init__(self) -> None:
        self._todo = 0  # how many of `_ready` the turn that has begun is to run
        self._leaving = False  # Qt is asked to come back to `_run_once`, and nothing runs any more
        self._rung = False  # the bell is on its way
        self._files_ready = False  # the notifier has said so
        self._blind = False  # the notifier is silent, see `_look_at_files`
        self._suspended: list[asyncio.Handle] = []  # the handles that nested loops run inside of
        self._deferred: list[tuple[int, asyncio.Handle]] = []  # with the depth they were met at
        self._alarm = Alarm(self._on_alarm)
        self._bell = bell()
        self._bell.listen(self._on_bell)
        self._notifier: QSocketNotifier | None = None

    def _begin(self) -> None:
        """Before each stay in Qt: the last one may have ended anywhere, by a signal handler's exception."""
        self._leaving = self._rung = self._blind = False
        self._files_ready = True
        self._todo = 0
        self._current_handle = None
        self._suspended.clear()
        self._put_back()

    # -------------------------------------------------------------------------------- what Qt calls

    def _on_alarm(self) -> None:
        self._alarm.went_off()
        self._turn()

    def _on_bell(self) -> None:
        if self._rung:  # or another loop was meant
            self._rung = False
            self._turn()

    def _on_files(self) -> None:
        # No parameters: PySide would make an enum of one of them, which is Python code, and where a signal
        # handler raises in there, it crashes.
        self._files_ready = True
        self._turn()

    def _write_to_self(self) -> None:
        """asyncio's name for waking the loop from any thread."""
        if not self._rung and self._thread_id is not None:
            self._rung = True
            self._bell.rung.emit()

    def _wake(self) -> None:
        """Have a turn come."""
        if threading.get_ident() == self._thread_id:
            self._alarm.set_now()
        else:
            self._write_to_self()

    # ---------------------------------------------------------------------------------------- a turn

    def _turn(self) -> None:
        if self._thread_id is None or self._leaving:
            return
        try:
            if self._current_handle is None:
                self._run_ready()
            elif len(self._suspended) < MOST_NESTED:
                self._run_nested()
        except BaseException as error:  # Qt cannot pass it on, and PySide would end the process
            self._fail(error)

    def _run_nested(self) -> None:
        loop: Any = self
        outer, task = self._current_handle, asyncio.current_task(loop)
        if task is not None:
            asyncio.tasks._leave_task(loop, task)
        self._suspended.append(outer)
        try:
            self._run_ready()
        finally:
            self._suspended.pop()
            self._current_handle = outer
            if task is not None:
                asyncio.tasks._enter_task(loop, task)

    def _run_ready(self) -> None:
        ready = self._ready
        if not self._todo:
            if self._files_ready or self._blind:
                self._look_at_files()
            if self._scheduled:
                self._look_at_timers()
            self._todo = len(ready)
        # Before anything runs: if it starts a loop of Qt's, that one must find its way here.
        self._set_alarm(more=self._todo > 1)
        end = time.monotonic() + LONGEST_TURN
        try:
            while self._todo:
                self._todo -= 1
                handle = ready.popleft()
                if handle._cancelled:
                    continue
                if self._suspended and _is_entered(handle._context):
                    self._deferred.append((len(self._suspended), handle))
                    continue
                self._current_handle = handle
                if self._debug:
                    self._run_watched(handle)
                else:
                    handle._run()
                if self._leaving or time.monotonic() >= end:
                    break
        finally:
            self._current_handle = handle = None  # or an exception would keep them in a cycle
            if self._deferred:
                self._put_back()
        if self._leaving:
            return
        if self._stopping and not self._todo:
            self._leave()
            return
        if self._blind and not self._suspended and self._notifier is not None:
            self._blind = False
            self._notifier.setEnabled(True)
        self._set_alarm(more=bool(ready))

    def _run_watched(self, handle: asyncio.Handle) -> None:
        began = self.time()
        handle._run()
        took = self.time() - began
        if took >= self.slow_callback_duration:
            logger.warning("Executing %s took %.3f seconds", _format_handle(handle), took)

    def _look_at_files(self) -> None:
        """Make ready what waits for files; on Windows the completion port's thread does."""
        self._files_ready = False
        if self._notifier is None:
            return
        found = self._selector.select(0)
        if self._suspended:
            # A callback that runs a nested loop, with its file still ready: the notifier would call this
            # for nothing as fast as it can. Silence it until the callback is over, and look now and then.
            inside = [each for each in found if any(one in self._suspended for one in each[0].data)]
            if inside:
                self._blind = True
                self._notifier.setEnabled(False)
                found = [each for each in found if each not in inside]
        self._process_events(found)

    def _look_at_timers(self) -> None:
        """Make ready what is due, and forget what was cancelled, both exactly as asyncio does."""
        scheduled = self._scheduled
        count = len(scheduled)
        if count > SWEEP_ABOVE and self._timer_cancelled_count / count > SWEEP_FRACTION:
            kept = []
            for handle in scheduled:
                if handle._cancelled:
                    handle._scheduled = False
                else:
                    kept.append(handle)
            heapq.heapify(kept)
            self._scheduled = scheduled = kept
            self._timer_cancelled_count = 0
        due = self.time() + self._clock_resolution
        while scheduled and (scheduled[0]._cancelled or scheduled[0]._when < due):
            handle = heapq.heappop(scheduled)
            handle._scheduled = False
            if handle._cancelled:
                self._timer_cancelled_count -= 1
            else:
                self._ready.append(handle)

    def _set_alarm(self, more: bool) -> None:
        """For now if there is `more` to run, else for the earliest timer; what is set for earlier stays."""
        alarm = self._alarm
        if more:
            if alarm.at > NOW:
                alarm.set_now()
            return
        scheduled = self._scheduled
        while scheduled and scheduled[0]._cancelled:
            heapq.heappop(scheduled)._scheduled = False
            self._timer_cancelled_count -= 1
        when = scheduled[0]._when if scheduled else NEVER
        if self._blind:
            when = min(when, self.time() + BLIND_POLL)
        if when == NEVER:
            if alarm.at < NEVER:
                alarm.off()
        elif when < alarm.at or alarm.at == NOW:
            alarm.set(when, self.time())

    def _put_back(self) -> None:
        """Make ready again what could not run while the handle that has just ended was on the stack."""
        depth = len(self._suspended)
        back = [handle for level, handle in self._deferred if level > depth]
        self._deferred = [each for each in self._deferred if each[0] <= depth]
        self._ready.extendleft(reversed(back))
        self._todo += len(back) if self._todo else 0


# What Qt calls, for `raised_to`.
SLOTS = [each.__code__ for each in (Turns._on_alarm, Turns._on_files, Bell.heard)]


def _is_entered(context: contextvars.Context) -> bool:
    """Whether a frame below is inside `context`, so that entering it is refused."""
    try:
        context.run(int)
    except RuntimeError:
        return True
    return False
