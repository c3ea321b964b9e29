"""The limit of the speed: shared, live, and no wait that cannot be ended."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stepfast import Engine
from stepfast_desktop.workflows import ALL
from stepfast_desktop.workflows.copy_folder import copy_folder
from stepfast_desktop.workflows.throttle import SLICE, Throttle, limit

MB = 1_000_000


class Hand:
    """A clock that is moved by whoever waits."""

    def __init__(self) -> None:
        self.now = 100.0
        self.longest = 0.0
        self.then: dict[float, object] = {}

    def wait(self, _event: threading.Event, seconds: float) -> None:
        self.now += seconds
        self.longest = max(self.longest, seconds)


@pytest.fixture
def hand() -> Hand:
    return Hand()


@pytest.fixture
def throttle(hand: Hand) -> Throttle:
    return Throttle(clock=lambda: hand.now, wait=hand.wait)


def test_without_a_limit_nobody_waits(hand: Hand, throttle: Throttle) -> None:
    for _ in range(1000):
        throttle.take(1 << 30)
    assert hand.now == 100.0


@pytest.mark.parametrize("chunk", [1000, 1 << 20, 30 * MB])
def test_as_much_is_moved_as_the_limit_says_however_it_is_cut(
    hand: Hand, throttle: Throttle, chunk: int
) -> None:
    throttle.set(5 * MB)
    moved = 0
    while moved < 150 * MB:
        throttle.take(chunk)
        moved += chunk
    throttle.take(0)
    assert moved / (hand.now - 100.0) == pytest.approx(5 * MB, rel=0.02)
    assert hand.longest <= SLICE


def test_it_is_shared(hand: Hand, throttle: Throttle) -> None:
    throttle.set(10 * MB)
    for _ in range(50):
        throttle.take(1 * MB)
        throttle.take(3 * MB)
    assert hand.now - 100.0 == pytest.approx(20, abs=0.5)


def test_what_was_not_used_is_not_saved_up(hand: Hand, throttle: Throttle) -> None:
    throttle.set(10 * MB)
    hand.now += 3600
    began = hand.now
    for _ in range(20):
        throttle.take(1 * MB)
    throttle.take(0)
    assert hand.now - began == pytest.approx(2, abs=0.3)


def test_a_change_is_felt_within_a_second_also_by_who_waits(hand: Hand, throttle: Throttle) -> None:
    throttle.set(1000)
    throttle.take(1 * MB)  # a debt of a quarter of an hour
    throttle.set(1 * MB)
    before = hand.now
    throttle.take(1)
    assert hand.now - before <= 1
    throttle.take(100 * MB)
    throttle.set(1000)
    before = hand.now
    throttle.take(1)
    assert hand.now - before <= 1.1
    throttle.take(100 * MB)
    throttle.set(0)
    before = hand.now
    throttle.take(1 << 40)
    assert hand.now == before


def test_whoever_waits_can_be_stopped(hand: Hand, throttle: Throttle) -> None:
    class Enough(Exception):
        pass

    def stop() -> None:
        if hand.now > 101:
            raise Enough

    throttle.set(1)
    throttle.take(1 * MB)
    with pytest.raises(Enough):
        throttle.take(1, stop)
    assert hand.now < 101 + 2 * SLICE


def test_a_limit_that_is_followed_is_asked_for_once_a_second(hand: Hand, throttle: Throttle) -> None:
    asked: list[float] = []
    rate = 10.0 * MB

    def ask() -> float:
        asked.append(hand.now)
        return rate

    throttle.follow(ask)
    for _ in range(100):
        throttle.take(1 * MB)
    assert 9 <= len(asked) <= 12
    rate = 0.0
    hand.now += 1
    before = hand.now
    throttle.take(1 << 40)
    assert hand.now == before


def test_on_threads_a_change_wakes_who_waits() -> None:
    waits = threading.Event()

    def wait(changed: threading.Event, _seconds: float) -> None:
        waits.set()
        changed.wait(60)  # no slice is over before

    real = Throttle(wait=wait)
    real.set(1)
    real.take(10)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(real.take, 1)
        assert waits.wait(60) and not waiting.done()
        real.set(0)
        waiting.result(timeout=60)


# --- a copy, and real bytes ---------------------------------------------------------------------------------


@pytest.fixture
def limited() -> Iterator[Throttle]:
    yield limit
    limit.set(0)


def written(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())


async def test_a_copy_keeps_to_it_and_a_change_counts_in_the_middle_of_a_large_file(
    tmp_path: Path, limited: Throttle
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "large").write_bytes(os.urandom(70 * MB))  # longer than a piece: copied by itself
    async with Engine.open(tmp_path / "work.db", ALL) as engine:
        limited.set(4 * MB)
        handle = await engine.start(copy_folder(source, tmp_path / "to", verify=False), id="c")
        async with asyncio.timeout(60):
            while not written(tmp_path / "to"):
                await asyncio.sleep(0.01)
            # However slow the machine is, it can only be less than was allowed in that time.
            began, size = time.monotonic(), written(tmp_path / "to")
            await asyncio.sleep(1)
            while (moved := written(tmp_path / "to") - size) == 0:
                await asyncio.sleep(0.01)
        assert moved / (time.monotonic() - began) <= 6.5 * MB
        # Pausing does not wait for the limit: once there is this debt, the next bytes are minutes away.
        limited.set(1000)
        async with asyncio.timeout(60):
            while limited._level > -200_000:
                await asyncio.sleep(0.01)
            await engine.pause("c")
            while (await engine.summary("c")).state.name != "paused":
                await asyncio.sleep(0.01)
        await engine.resume("c")
        async with asyncio.timeout(60):
            while (await engine.summary("c")).state.name != "running":
                await asyncio.sleep(0.01)
        limited.set(0)
        async with asyncio.timeout(60):
            await handle.result()
    assert (tmp_path / "to" / "large").read_bytes() == (source / "large").read_bytes()
