"""What is pending, over a real engine: what runs, what asks, what ends; and nothing twice after a restart."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine, Filter, Run, workflow
from stepfast_desktop.viewmodels.away.pending import Pending
from stepfast_desktop.viewmodels.feed import Changed, Feed

gate: dict[str, Any] = {}


@workflow("asking")
async def asking(run: Run, name: str = "word") -> str:
    answer = await run.awaiting(name, into=str)
    if answer == "again":
        answer = await run.awaiting("another", into=str)
    return answer


@workflow("holding")
async def holding(run: Run) -> None:
    await run.step("hold", gate["hold"].wait)
    run.progress(1, 2)


@workflow("failing")
async def failing(run: Run) -> None:
    raise ValueError("no")


@workflow("quick")
async def quick(run: Run) -> int:
    return 1


@workflow("family")
async def family(run: Run) -> str:
    await run.child("bad", failing())
    return "never"


DEFINITIONS = [asking, holding, failing, quick, family]


class Told:
    """What was told, in words."""

    def __init__(self, pending: Pending) -> None:
        self.lines: list[str] = []
        pending.ended.connect(lambda rows: self.lines.extend(f"{row.id} {row.state.name}" for row in rows))
        pending.asked.connect(lambda rows: self.lines.extend(f"{row.id} asks" for row in rows))


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[tuple[Engine, Pending, Told]]:
    async with Engine.open(path / "work.db", DEFINITIONS, backups=False) as engine:
        feed = Feed(engine)
        pending = Pending(engine, feed)
        told = Told(pending)
        await feed.start()
        await pending.start()
        yield engine, pending, told
        await pending.close()
        await feed.close()


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


async def quiet() -> None:
    """Long enough for the feed to have told, so that what was not told is not told."""
    await asyncio.sleep(0.3)


@pytest.fixture(autouse=True)
def _gate() -> None:
    gate["hold"] = asyncio.Event()


async def test_what_runs_is_known_while_it_runs_and_its_end_is_told(tmp_path: Path) -> None:
    async with opened(tmp_path) as (engine, pending, told):
        await engine.start(holding(), id="h")
        await until(lambda: [row.id for row in pending.running.values()] == ["h"])
        assert pending.going_on == 1
        gate["hold"].set()
        await until(lambda: told.lines == ["h completed"])
        assert pending.running == {} and pending.going_on == 0


async def test_one_that_was_over_before_the_feed_told_of_its_start_is_told(tmp_path: Path) -> None:
    async with opened(tmp_path) as (engine, _, told):
        await engine.start(failing(), id="f")
        await engine.start(quick(), id="q")
        await until(lambda: sorted(told.lines) == ["f failed", "q completed"])
        await engine.retry("f")  # and fails again, which is another failure
        await until(lambda: told.lines.count("f failed") == 2)


async def test_a_question_is_told_once_and_the_next_one_too(tmp_path: Path) -> None:
    async with opened(tmp_path) as (engine, pending, told):
        await engine.start(asking(), id="a")
        await until(lambda: told.lines == ["a asks"])
        assert [row.id for row in pending.asking.values()] == ["a"] and pending.going_on == 0
        await engine.pause("a")
        await engine.resume("a")
        await quiet()
        assert told.lines == ["a asks"]
        await engine.arrive("a", "word", "again")
        await until(lambda: told.lines == ["a asks", "a asks"])
        await engine.arrive("a", "another", "done")
        await until(lambda: told.lines[-1] == "a completed" and not pending.asking)


async def test_nothing_is_told_again_after_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as (engine, _, told):
        await engine.start(asking(), id="a")
        await engine.start(failing(), id="f")
        await until(lambda: sorted(told.lines) == ["a asks", "f failed"])
    async with opened(tmp_path) as (engine, pending, told):
        await until(lambda: [row.id for row in pending.asking.values()] == ["a"])
        await engine.remove(["f"])
        await engine.restore(["f"])  # rows that change, and are no news
        await engine.pause("a")
        await engine.resume("a")
        await quiet()
        assert told.lines == []
        await engine.cancel("a")
        await until(lambda: told.lines == ["a cancelled"])


async def test_how_many_go_on_is_counted_from_what_there_was_and_what_is_heard(tmp_path: Path) -> None:
    async with opened(tmp_path) as (engine, pending, _):
        for number in range(3):
            await engine.start(holding(), id=f"h{number}", at=timedelta(hours=1))
        await until(lambda: pending.going_on == 3)
    async with opened(tmp_path) as (engine, pending, _):
        await engine.start(holding(), id="now")  # heard while the others are being read, or not
        await until(lambda: pending.going_on == 4 and len(pending.running) == 1)
        await engine.cancel("h0")
        await engine.pause("h1")
        await until(lambda: pending.going_on == 2)
        gate["hold"].set()
        await until(lambda: pending.going_on == 1 and not pending.running)


async def test_one_that_goes_on_while_they_are_read_is_counted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Engine.open(tmp_path / "work.db", DEFINITIONS, backups=False) as engine:
        await engine.start(holding(), id="h", at=timedelta(hours=1))
        feed = Feed(engine)  # which tells nothing before it is all read
        pending = Pending(engine, feed)
        keys, read = engine.keys, asyncio.Event()

        async def slow(filter: Filter) -> Any:
            if filter.states == {"paused"}:
                await engine.pause("h")  # it was among those that sleep a moment ago
            return await keys(filter)

        monkeypatch.setattr(engine, "keys", slow)
        pending.changed.connect(read.set)
        await pending.start()
        await read.wait()
        assert pending.going_on == 0
        feed.changed.emit(Changed((await engine.summary("h"),), ()))
        assert pending.going_on == 0
        await engine.resume("h")
        feed.changed.emit(Changed((await engine.summary("h"),), ()))
        assert pending.going_on == 1
        await pending.close()


async def test_a_child_is_told_of_by_its_parent(tmp_path: Path) -> None:
    async with opened(tmp_path) as (engine, _, told):
        await engine.start(family(), id="p")
        await until(lambda: "p failed" in told.lines)
        assert told.lines == ["p failed"]
