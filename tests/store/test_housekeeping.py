"""An engine that works sweeps by itself now and then; what goes wrong there stops neither it nor the work."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from week import NAME, Hours

from stepfast import (
    Engine,
    InvalidInput,
    NotAllowed,
    Retention,
    Run,
    Transaction,
    connect,
    restore,
    workflow,
)
from stepfast.errors import StoreUnavailable
from stepfast.sqlite.file.opened import GRACE_SECONDS
from stepfast.views import Filter
from stepfast.workers.housekeeping import (
    EVERY_SECONDS,
    FAULT_SECONDS,
    FIRST_SECONDS,
    PIECE_SECONDS,
    Housekeeping,
)

DAY = 86_400.0


@workflow("plain")
async def plain(run: Run, number: int = 0) -> int:
    return await run.step("double", lambda: 2 * number)


def forget(transaction: Transaction, id: str) -> None:
    transaction.execute("DELETE FROM mine WHERE id = ?", (id,))


@workflow("own-rows", forget=forget)
async def own_rows(run: Run) -> int:
    def insert(transaction: Transaction) -> int:
        transaction.execute("CREATE TABLE IF NOT EXISTS mine (id)")
        return transaction.execute("INSERT INTO mine VALUES (?)", (run.id,)).rowcount

    return await run.transact("insert", insert)


@pytest.fixture
def clock() -> Hours:
    return Hours()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "work.db"


async def finished(engine: Engine, *ids: str) -> None:
    for id in ids:
        await (await engine.start(plain(), id=id)).result()


async def ids(engine: Engine) -> list[str]:
    shown, hidden = [await engine.durable.catalogue.list(Filter(removed=each)) for each in (False, True)]
    return sorted(row.id for row in [*shown, *hidden])


@pytest.mark.parametrize(
    "wrong",
    [
        {"age": 7},
        {"age": timedelta(seconds=-1)},
        {"keep": -1},
        {"keep": 1.0},
        {"keep": True},
        {"removed_after": None},
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        Retention(**wrong)


async def test_by_default_only_what_was_removed_goes(path: Path, clock: Hours) -> None:
    async with Engine.open(path, [plain], clock=clock) as engine:
        await finished(engine, "a", "b")
        await clock.later(400 * DAY)
        await engine.remove(["a"])
        await clock.later(DAY - 1)
        assert await ids(engine) == ["a", "b"]
        await clock.later(EVERY_SECONDS)
        assert await ids(engine) == ["b"]


async def test_a_policy_is_carried_out_after_a_while_and_every_hour(path: Path, clock: Hours) -> None:
    policy = Retention(age=timedelta(hours=2, seconds=3), keep=2)
    async with Engine.open(path, [plain], clock=clock, retention=policy) as engine:
        await finished(engine, "a", "b", "c")
        await clock.rests.wait()
        clock.advance(FIRST_SECONDS - 1)
        assert await ids(engine) == ["a", "b", "c"], "a program that has just started has better things to do"
        await clock.later(1)
        assert await ids(engine) == ["b", "c"]
        await finished(engine, "d")
        await clock.later(EVERY_SECONDS - 1)
        assert await ids(engine) == ["b", "c", "d"]
        await clock.later(1)
        assert await ids(engine) == ["c", "d"]
        await clock.later(EVERY_SECONDS)
        assert await ids(engine) == ["d"]


async def test_for_a_day_after_a_backup_took_its_place_it_sweeps_only_when_told(
    path: Path, clock: Hours
) -> None:
    policy = Retention(keep=1)
    async with Engine.open(path, [plain], clock=clock) as engine:
        await finished(engine, "a", "b", "c")
        await engine.remove(["c"])
        backup = await engine.backup(path.with_name("backup.db"))
    restore(path, backup, at=clock.time())
    clock.rests.clear()
    async with Engine.open(path, [plain], clock=clock, retention=policy) as engine:
        await clock.later(FIRST_SECONDS)
        await clock.later(GRACE_SECONDS - FIRST_SECONDS - 1)
        assert await ids(engine) == ["a", "b", "c"]
        await clock.later(EVERY_SECONDS)
        assert await ids(engine) == ["b"]
    restore(path, backup, at=clock.time())
    async with Engine.open(path, [plain], clock=clock, retention=policy) as engine:
        assert sorted((await engine.sweep()).deleted) == ["a", "c"]


async def test_a_program_that_does_not_work_sweeps_only_when_told(path: Path, clock: Hours) -> None:
    async with Engine.open(path, [plain, own_rows], clock=clock) as engine:
        await finished(engine, "a", "b")
        await (await engine.start(own_rows(), id="own")).result()
    policy = Retention(keep=1)
    async with Engine.open(path, [plain], work=False, clock=clock, retention=policy) as engine:
        clock.advance(DAY)
        assert await ids(engine) == ["a", "b", "own"]
        assert (await engine.sweep()).deleted == ("a", "b")
        assert (await engine.sweep(Retention(keep=0))).deleted == (), "it cannot forget what is not its own"
        with pytest.raises(NotAllowed, match="own-rows"):
            await engine.delete("own")
    async with Engine.open(path, [own_rows], work=False, clock=clock) as engine:
        assert (await engine.sweep(Retention(keep=0))).deleted == ("own",)
        assert await engine.durable.checkpointer.query(rows_of_mine) == []


def rows_of_mine(view: Transaction) -> list[Any]:
    return view.execute("SELECT id FROM mine").fetchall()


async def test_closing_waits_for_no_pause_and_loses_nothing(path: Path, clock: Hours) -> None:
    stuck = asyncio.Event()

    class Stuck(Hours):
        async def wait(self, event: asyncio.Event, seconds: float) -> None:
            task = asyncio.current_task()
            if task is not None and task.get_name() == NAME and seconds < 2 * PIECE_SECONDS:
                stuck.set()
                await asyncio.Event().wait()
            await super().wait(event, seconds)

    stopping = Stuck()
    policy = Retention(keep=0)
    async with Engine.open(path, [plain], clock=stopping, retention=policy) as engine:
        await finished(engine, *(f"{number:02}" for number in range(60)))
        await stopping.rests.wait()
        stopping.advance(FIRST_SECONDS)
        await stuck.wait()
    async with Engine.open(path, [plain], clock=clock, retention=policy) as engine:
        left = await ids(engine)
        assert 0 < len(left) < 60, "it was in the middle of it"
        await clock.later(FIRST_SECONDS)
        assert await ids(engine) == []


async def test_two_programs_may_sweep_at_once(path: Path) -> None:
    clocks = [Hours(), Hours()]
    policy = Retention(keep=3)
    async with (
        Engine.open(path, [plain], clock=clocks[0], retention=policy) as one,
        Engine.open(path, [plain], clock=clocks[1], retention=policy) as other,
    ):
        await finished(one, *(f"{number:03}" for number in range(120)))
        await asyncio.gather(*(each.later(FIRST_SECONDS) for each in clocks))
        assert await ids(one) == await ids(other) == ["117", "118", "119"]


class Failing:
    """A store whose housekeeping fails as often as it is told to."""

    def __init__(self, durable: Any, *errors: Exception) -> None:
        self._durable = durable
        self.errors = [*errors]
        self.calls = 0

    async def sweep(self, *asked: Any, **options: Any) -> Any:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return await self._durable.sweep(*asked, **options)

    async def upkeep(self) -> bool:
        return bool(await self._durable.upkeep())


@pytest.mark.parametrize("error", [StoreUnavailable("the disk is full"), RuntimeError("a bug")])
async def test_what_fails_is_tried_again_later(
    path: Path, clock: Hours, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    durable = await connect(path, clock=clock)
    failing = Failing(durable, error, error)
    housekeeping: Any = Housekeeping(failing, Retention(), {}, clock)  # type: ignore[arg-type]
    keeping = asyncio.create_task(housekeeping.run(), name=NAME)
    await clock.later(FIRST_SECONDS)
    assert failing.calls == 1
    if isinstance(error, StoreUnavailable):
        assert "housekeeping is put off: the disk is full" in caplog.text
        await clock.later(FAULT_SECONDS)
    else:
        assert "please report it" in caplog.text
        await clock.later(EVERY_SECONDS)
    assert failing.calls == 2
    await clock.later(EVERY_SECONDS)
    assert (failing.calls, failing.errors) == (3, [])
    keeping.cancel()
    await asyncio.wait({keeping})
    await durable.close()


async def test_a_forget_that_raises_is_told_of_and_tried_again(
    path: Path, clock: Hours, caplog: pytest.LogCaptureFixture
) -> None:
    fails = True

    def forget_later(transaction: Transaction, id: str) -> None:
        if fails:
            raise ValueError("not today")

    @workflow("stubborn", forget=forget_later)
    async def stubborn(run: Run) -> int:
        return 1

    caplog.set_level(logging.WARNING, "stepfast")
    async with Engine.open(path, [plain, stubborn], clock=clock, retention=Retention(keep=0)) as engine:
        await (await engine.start(stubborn(), id="stubborn")).result()
        await finished(engine, "plain")
        await clock.later(FIRST_SECONDS)
        assert await ids(engine) == ["stubborn"], "others go"
        assert "workflow stubborn stays, since its `forget` raised ValueError: not today" in caplog.text
        fails = False
        await clock.later(EVERY_SECONDS)
        assert await ids(engine) == []
