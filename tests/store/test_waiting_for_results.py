"""Who waits for a result is told by the commit that has it, where that is made here, and looks otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from stepfast import Engine, Run, WorkflowCancelled, WorkflowFailed, workflow

LONG = 100_000


@workflow("waits")
async def waits(run: Run) -> object:
    answer = await run.awaiting("go")
    match answer:
        case "fail":
            raise ValueError("as asked")
        case "long":
            return LONG * "x"
    return {"$": (answer, Path("there"))}


class Looks:
    """The looks for who has finished: what was asked for, once it was answered."""

    def __init__(self, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
        self.keys: list[int] = []
        self.go_on = asyncio.Event()
        self.go_on.set()
        ends = engine.durable.catalogue.ends

        async def noted(keys: Sequence[int]) -> object:
            await self.go_on.wait()
            found = await ends(keys)
            self.keys += keys
            return found

        monkeypatch.setattr(engine.durable.catalogue, "ends", noted)

    async def begun(self, count: int) -> None:
        """All who wait have looked whether it is over already."""
        while len(set(self.keys)) < count:
            await asyncio.sleep(0.001)
        self.keys.clear()


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    async with Engine.open(tmp_path / "work.db", [waits]) as engine:
        yield engine


@pytest.mark.parametrize("count", [1, 20])
async def test_what_completes_here_needs_no_look(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    looks = Looks(engine, monkeypatch)
    handles = [await engine.start(waits()) for _ in range(count)]
    await engine.until_idle()
    results = asyncio.gather(*(each.result() for each in [*handles, *handles]))
    await looks.begun(count)
    looks.go_on.clear()
    await asyncio.gather(*(engine.arrive(each.id, "go", n) for n, each in enumerate(handles)))
    assert await results == 2 * [{"$": (n, Path("there"))} for n in range(count)]
    looks.go_on.set()


async def test_however_it_ends_who_waits_is_told(engine: Engine) -> None:
    handles = {name: await engine.start(waits(), id=name) for name in ("long", "fail", "cancel", "short")}
    await engine.until_idle()
    waiting = {name: asyncio.ensure_future(handle.result()) for name, handle in handles.items()}
    await asyncio.sleep(0)
    await asyncio.gather(*(engine.arrive(name, "go", name) for name in ("long", "fail", "short")))
    await engine.cancel("cancel")
    assert await waiting["long"] == LONG * "x"
    assert await waiting["short"] == {"$": ("short", Path("there"))}
    with pytest.raises(WorkflowFailed, match="as asked"):
        await waiting["fail"]
    with pytest.raises(WorkflowCancelled):
        await waiting["cancel"]


async def test_who_goes_on_first_may_do_as_he_likes_with_the_others(engine: Engine) -> None:
    """All are answered in one call of the loop's, in which each goes on at once."""
    handles = [await engine.start(waits()) for _ in range(3)]
    await engine.until_idle()
    went_on: list[str] = []
    waiting: dict[str, asyncio.Task[None]] = {}

    async def one_of(name: str, other: str) -> None:
        await handles[0].result()
        waiting[other].cancel()
        await handles[0].result()  # which adds to those who wait for that one
        went_on.append(name)

    async def another(name: str, number: int) -> None:
        await handles[number].result()
        went_on.append(name)

    for name, other in (("this", "that"), ("that", "this")):  # in whichever order they are answered
        waiting[name] = asyncio.create_task(one_of(name, other))
    for number in range(3):
        waiting[f"w{number}"] = asyncio.create_task(another(f"w{number}", number))
    await asyncio.sleep(0)
    await asyncio.gather(*(engine.arrive(each.id, "go", 1) for each in handles))
    async with asyncio.timeout(60):
        await asyncio.wait(waiting.values())
    (cancelled,) = (name for name, each in waiting.items() if each.cancelled())
    assert cancelled in ("this", "that")
    assert sorted([*went_on, cancelled]) == ["that", "this", "w0", "w1", "w2"]
