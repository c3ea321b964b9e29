"""The clock of tests: it moves when it is told to, and whoever waits on it returns then."""

from __future__ import annotations

import asyncio

import pytest

from stepfast.system.clock import LONGEST_WAIT, Clock
from stepfast.testing import VirtualClock


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


async def turns() -> None:
    """Let everything happen that can."""
    for _ in range(20):
        await asyncio.sleep(0)


def test_it_stands_still_by_itself(clock: VirtualClock) -> None:
    same: Clock = clock
    assert (same.time(), same.monotonic()) == (clock.time(), clock.monotonic())


def test_time_passes_on_both_clocks(clock: VirtualClock) -> None:
    before = clock.time(), clock.monotonic()
    clock.advance(2.5)
    assert (clock.time(), clock.monotonic()) == (before[0] + 2.5, before[1] + 2.5)


def test_the_wall_clock_can_be_set_alone(clock: VirtualClock) -> None:
    before = clock.time(), clock.monotonic()
    clock.jump_wall(-3600)
    assert (clock.time(), clock.monotonic()) == (before[0] - 3600, before[1])


def test_the_monotonic_clock_never_goes_back(clock: VirtualClock) -> None:
    with pytest.raises(ValueError, match="jump_wall"):
        clock.advance(-1)


async def test_a_wait_ends_when_the_clock_has_been_advanced_that_far(clock: VirtualClock) -> None:
    waiting = asyncio.create_task(clock.wait(asyncio.Event(), 10))
    await turns()
    clock.advance(9)
    await turns()
    assert (waiting.done(), clock.waiting) == (False, 1)
    clock.advance(1)
    await waiting
    assert clock.waiting == 0


async def test_a_wait_ends_when_its_event_is_set(clock: VirtualClock) -> None:
    event = asyncio.Event()
    waiting = asyncio.create_task(clock.wait(event, 10))
    await turns()
    event.set()
    await waiting
    assert clock.waiting == 0
    await clock.wait(event, 10)


async def test_no_wait_is_longer_than_a_minute(clock: VirtualClock) -> None:
    waiting = asyncio.create_task(clock.wait(asyncio.Event(), 3600))
    await turns()
    clock.advance(LONGEST_WAIT)
    await waiting


async def test_a_jump_of_the_wall_clock_wakes_nobody(clock: VirtualClock) -> None:
    waiting = asyncio.create_task(clock.wait(asyncio.Event(), 10))
    await turns()
    clock.jump_wall(1000)
    await turns()
    assert not waiting.done()
    clock.advance(10)
    await waiting


@pytest.mark.parametrize("seconds", [0, -5])
async def test_a_wait_for_no_time_lets_the_loop_turn_once(clock: VirtualClock, seconds: float) -> None:
    await clock.wait(asyncio.Event(), seconds)
    assert clock.waiting == 0


async def test_a_cancelled_wait_is_cancelled(clock: VirtualClock) -> None:
    waiting = asyncio.create_task(clock.wait(asyncio.Event(), 10))
    await turns()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert clock.waiting == 0
    clock.advance(100)


async def test_an_event_and_an_advance_at_once_are_one_return(clock: VirtualClock) -> None:
    event = asyncio.Event()
    waiting = asyncio.create_task(clock.wait(event, 10))
    await turns()
    event.set()
    clock.advance(10)
    await waiting
    await turns()


async def test_it_may_be_advanced_from_another_thread(clock: VirtualClock) -> None:
    waiting = asyncio.create_task(clock.wait(asyncio.Event(), 10))
    await turns()
    await asyncio.to_thread(clock.advance, 10)
    async with asyncio.timeout(60):
        await waiting
