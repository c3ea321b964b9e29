"""Timers: a heap of asyncio's handles over one timer of Qt's."""

from __future__ import annotations

import asyncio
import gc
import math
import time
from typing import Any

import pytest
from PySide6.QtCore import Qt, QTimer

from stepfast_desktop.qt.loop import alarm
from stepfast_desktop.qt.loop.loop import Loop

both = pytest.mark.asyncio(loop_factories=["window", "asyncio"])
RESOLUTION = time.get_clock_info("monotonic").resolution


def qt_timers() -> int:
    return sum(issubclass(type(each), QTimer) for each in gc.get_objects())


def window_loop() -> Any:
    """The running loop, with its insides."""
    return asyncio.get_running_loop()


@both
async def test_no_timer_is_early() -> None:
    """Of qasync's, 17 in 40 of 50 ms were."""
    loop = asyncio.get_running_loop()
    early: list[float] = []
    delays = [0.0005, 0.001, 0.0015, 0.002, 0.005, 0.0101, 0.02, 0.0333, 0.05]
    left = loop.create_future()
    count = 0

    def fired(when: float) -> None:
        nonlocal count
        if loop.time() + RESOLUTION < when:
            early.append(when - loop.time())
        count -= 1
        if not count:
            left.set_result(None)

    for start in range(20):
        for delay in delays:
            when = loop.time() + start * 0.005 + delay
            loop.call_at(when, fired, when)
            count += 1
    await left
    assert early == []


@both
async def test_timers_go_off_in_the_order_of_their_times() -> None:
    loop = asyncio.get_running_loop()
    now = loop.time()
    order: list[int] = []
    for number in (5, 3, 1, 4, 2, 0):
        loop.call_at(now + number * 0.0001, order.append, number)
    loop.call_at(now - 5, order.append, -1)
    await asyncio.sleep(0.02)
    assert order == [-1, 0, 1, 2, 3, 4, 5]


@both
async def test_a_later_call_may_be_due_earlier() -> None:
    loop = asyncio.get_running_loop()
    heard = loop.create_future()
    long = loop.call_later(1000, int)
    await asyncio.sleep(0.01)
    loop.call_later(0.01, heard.set_result, None)
    async with asyncio.timeout(60):
        await heard
    long.cancel()


@both
@pytest.mark.parametrize("days", [24.9, 30, 400, 1e9, math.inf])
async def test_a_delay_may_be_long(days: float) -> None:
    """Qt counts milliseconds in 31 bits: more than 24.8 days was an OverflowError."""
    sleep = asyncio.create_task(asyncio.sleep(days * 24 * 60 * 60))
    await asyncio.sleep(0.01)
    assert not sleep.done()
    sleep.cancel()
    assert await asyncio.gather(sleep, return_exceptions=True)


async def test_a_long_delay_is_looked_at_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alarm, "LONGEST", 0.004)
    loop = asyncio.get_running_loop()
    began = loop.time()
    await asyncio.sleep(0.03)
    assert loop.time() - began >= 0.03


async def test_an_alarm_that_goes_off_early_runs_nothing_and_is_set_again() -> None:
    loop = window_loop()
    ran: list[float] = []
    when = loop.time() + 0.05
    loop.call_at(when, lambda: ran.append(loop.time()))
    await asyncio.sleep(0)
    loop._alarm.off()
    await asyncio.to_thread(int)  # comes back by the bell, not by a timer
    QTimer.singleShot(0, loop._on_alarm)
    async with asyncio.timeout(60):
        while not ran:
            await asyncio.sleep(0.01)
    assert ran[0] + RESOLUTION >= when


def test_the_alarm_is_one_precise_timer_which_no_connection_keeps_alive() -> None:
    """Qt's default is 5 % off: half a second was 26 ms late."""

    class Hears:
        def heard(self) -> None:
            raise AssertionError("it was closed")

    before = qt_timers()
    hears = Hears()
    one = alarm.Alarm(hears.heard)
    assert qt_timers() == before + 1
    assert one._timer.timerType() is Qt.TimerType.PreciseTimer
    one.set(100.0001, 100.0)
    assert one._timer.interval() == 1  # rounded up: never early
    one.set(99.0, 100.0)
    assert one._timer.interval() == 0
    one.set(math.inf, 100.0)
    assert one._timer.interval() == alarm.LONGEST * 1000
    one.close()
    assert qt_timers() == before


@both
async def test_cancelled_timers_are_forgotten() -> None:
    """20,000 timeouts left 81,000 timers of Qt's behind."""
    loop: Any = asyncio.get_running_loop()
    before = qt_timers()
    for _ in range(20_000):
        async with asyncio.timeout(1000):
            await asyncio.sleep(0)
    assert qt_timers() == before
    assert len(loop._scheduled) <= 101  # asyncio's own threshold
    await asyncio.sleep(0.01)
    assert all(handle._scheduled for handle in loop._scheduled)


@both
async def test_timers_that_are_cancelled_between_others_are_swept() -> None:
    loop: Any = asyncio.get_running_loop()
    handles = [loop.call_later(1000 + number, int) for number in range(1000)]
    for handle in handles[1:900]:
        handle.cancel()
    await asyncio.sleep(0.001)
    assert len(loop._scheduled) == 101
    assert loop._timer_cancelled_count == 0
    for handle in handles:
        handle.cancel()
    await asyncio.sleep(0.001)
    assert loop._scheduled == []


async def between_turns() -> float:
    """What the alarm is set for while the loop waits in Qt."""
    loop = window_loop()
    seen: asyncio.Future[float] = loop.create_future()
    loop.call_soon(QTimer.singleShot, 20, lambda: seen.set_result(loop._alarm.at))
    return await seen


async def test_when_no_timer_is_left_the_alarm_is_off() -> None:
    assert await between_turns() == alarm.NEVER
    handle = window_loop().call_later(1000, int)
    assert await between_turns() == handle.when()
    handle.cancel()
    assert await between_turns() == alarm.NEVER


@both
async def test_timeouts_end_what_takes_too_long() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await asyncio.sleep(1000)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.sleep(1000), 0.01)
    assert await asyncio.wait_for(asyncio.sleep(0.001, "in time"), 10) == "in time"
    async with asyncio.timeout(1000) as scope:
        scope.reschedule(asyncio.get_running_loop().time() + 1000)
        await asyncio.sleep(0)


@pytest.fixture
def paused_clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The window's loop on a clock that stands still: `[0.0]` is what it says."""
    now = [time.monotonic()]
    monkeypatch.setattr(Loop, "time", lambda self: now[0])
    return now


def test_the_loops_clock_decides_and_no_other(window: Loop, paused_clock: list[float]) -> None:
    """What QTimer thinks of the time is a hint to look at the clock."""
    ran: list[str] = []
    window.call_later(0.005, ran.append, "due")
    QTimer.singleShot(50, window.stop)
    window.run_forever()
    assert ran == []
    paused_clock[0] += 0.005
    window.stop()
    window.run_forever()
    assert ran == ["due"]
