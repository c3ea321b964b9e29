"""Before the computer sleeps: steps set their bookmarks anew, and all that is not written yet is written."""

from __future__ import annotations

import asyncio
import threading
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from either import Either

from stepfast import Run, workflow
from stepfast.system.suspended import suspended_seconds

gate: dict[str, Any] = {}


def counting(run: Run) -> int:
    """Sets a bookmark at first, and then only when it is wanted."""
    number = 1
    run.bookmark.set(number)
    gate["begun"].set()
    while not gate["end"].is_set() and not run.stopping:
        number += 1
        if run.bookmark.wanted:
            gate["set"].append(number)  # first, since it may be on disk before this thread goes on
            run.bookmark.set(number)
        time.sleep(0.001)
    return number


def deaf(run: Run) -> None:
    run.bookmark.set("once")
    gate["begun"].set()
    gate["end"].wait(100)


def bare(run: Run) -> None:
    run.log("a line that no commit has taken yet")
    gate["begun"].set()
    gate["end"].wait(100)


@workflow("copying")
async def copying(run: Run, how: str) -> None:
    await run.step("copy", {"counting": counting, "deaf": deaf, "bare": bare}[how], run)


@pytest.fixture(autouse=True)
def _fresh_gate() -> None:
    gate.update(begun=threading.Event(), end=threading.Event(), set=[])


@pytest.fixture(params=["sqlite", "memory"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Either:
    return Either(request.param, tmp_path)


async def begun() -> None:
    assert await asyncio.to_thread(gate["begun"].wait, 60)


async def test_a_step_is_asked_and_what_it_sets_is_on_disk(either: Either) -> None:
    async with either.at_work([copying]) as engine:
        await engine.start(copying("counting"), id="w")
        key = (await engine.summary("w")).key
        await begun()
        for _ in range(2):  # each time anew
            assert await engine.write_bookmarks(timedelta(seconds=60))
            saved = (await engine.durable.checkpointer.load(key)).bookmarks
            assert saved == {"copy": str(gate["set"][-1])}
        assert len(gate["set"]) == 2
        gate["end"].set()
        await either.until(engine, "w", "completed")


async def test_a_step_that_does_not_answer_is_not_waited_for_too_long(either: Either) -> None:
    async with either.at_work([copying]) as engine:
        await engine.start(copying("deaf"), id="w")
        await begun()
        assert not await engine.write_bookmarks(timedelta(seconds=0.1))
        assert (await engine.summary("w")).state.name == "running", "it is in its step all the while"
        gate["end"].set()
        await either.until(engine, "w", "completed")


async def test_a_step_without_a_bookmark_is_not_asked_and_its_lines_are_written(either: Either) -> None:
    async with either.at_work([copying]) as engine:
        await engine.start(copying("bare"), id="w")
        await begun()
        assert await engine.write_bookmarks(timedelta(seconds=60))
        assert [line.text for line in await engine.log("w")] == ["a line that no commit has taken yet"]
        gate["end"].set()
        await either.until(engine, "w", "completed")


async def test_nothing_that_runs_is_all_written(either: Either) -> None:
    async with either.at_work([copying]) as engine:
        assert await engine.write_bookmarks()
        assert engine.taken_over == ()
    async with either.at_work([copying], work=False) as engine:
        assert await engine.write_bookmarks()


def test_the_time_asleep_is_known_and_stands_still_while_awake() -> None:
    # What passes between its two readings counts too, so the least of several is what it says.
    before = min(suspended_seconds() for _ in range(20))
    time.sleep(0.01)
    assert before >= 0.0 and abs(min(suspended_seconds() for _ in range(20)) - before) < 0.5
