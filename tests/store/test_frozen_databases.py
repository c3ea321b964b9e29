"""Every schema that was ever released opens for ever, with everything that was in it."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from stepfast import Changes, Engine, Happened, Retention, Retry, Run, restore, workflow
from stepfast.sqlite.schema import CURRENT
from stepfast.state import (
    PENDING,
    AnswerWait,
    Blocked,
    Cancelled,
    Completed,
    Failed,
    MessageWait,
    Paused,
    Sleeping,
    Waiting,
)
from stepfast.testing import VirtualClock, reached
from stepfast.views import ORDERS, Filter

OLD = Filter(names=["frozen"])
"""What there has been since schema 1; what came with another has a definition of its own."""
DATA = Path(__file__).parents[1] / "data"
FROZEN = sorted(DATA.glob("schema-*.db"))


@pytest.fixture(params=FROZEN, ids=lambda path: path.stem)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copy(request.param, tmp_path / "work.db"))


def test_there_is_a_frozen_database_for_every_schema() -> None:
    assert [path.stem for path in FROZEN] == [f"schema-{version}" for version in range(1, CURRENT + 1)]


async def test_each_state_is_read_as_it_was_written(file: Path) -> None:
    async with Engine.open(file, work=False) as engine:
        rows = {row.id: row for row in await engine.list(OLD)}
        assert set(rows) == {
            "sleeping until a start",
            "sleeping",
            "waiting",
            "completed",
            "failed",
            "cancelled",
            "paused",
            "interrupted",
            "queued",
        }
        assert isinstance(rows["sleeping until a start"].state, Sleeping)
        assert isinstance(rows["sleeping"].state, Sleeping)
        match rows["waiting"].state:
            case Waiting((AnswerWait("who", form), MessageWait("mail"), _)):
                assert form == '{"type":"string"}'
            case other:
                pytest.fail(f"read as {other}")
        assert isinstance(rows["completed"].state, Completed)
        assert rows["completed"].problems == 1
        assert isinstance(rows["failed"].state, Failed)
        assert isinstance(rows["cancelled"].state, Cancelled)
        assert isinstance(rows["paused"].state, Paused)
        assert rows["interrupted"].step == "second"
        assert rows["interrupted"].priority == 7


async def test_values_failures_and_logs_are_read_as_they_were_written(file: Path) -> None:
    async with Engine.open(file, work=False) as engine:
        completed = await engine.get("completed")
        assert completed.result["$dollar"] == (1, 2)
        assert [problem.about for problem in completed.problems] == ["a file"]
        failed = await engine.get("failed")
        assert failed.failure is not None
        assert (failed.failure.type, failed.failure.step) == ("builtins.OSError", "second")
        assert [record.name for record in await engine.history("interrupted")] == ["first", "nap", "who"]
        assert [line.text for line in await engine.log("interrupted")] == ["hello"]


async def test_what_was_interrupted_and_what_was_queued_carries_on(file: Path) -> None:
    ran: list[str] = []

    @workflow("frozen", version=1)
    async def frozen(run: Run, number: int = 0) -> str:
        first = await run.step("first", lambda: ran.append(run.id) or "new")
        return str(first)

    async with Engine.open(file, [frozen]) as engine:
        assert await engine.handle("interrupted").result() == "one"
        assert await engine.handle("queued").result() == "new"
        assert ran == ["queued"], "the recorded step did not run again"
        assert await engine.changes(0) is not None


# --- and is right in everything that can be done with it --------------------------------------------

LATER = 4_102_444_800.0  # what sleeps in the file wakes then, in 2100


async def test_what_was_half_done_goes_on_with_what_it_had(file: Path) -> None:
    ran: list[object] = []

    @workflow("frozen", version=1)
    async def frozen(run: Run, number: int = 0) -> object:
        first = await run.step("first", lambda: "anew")
        if run.id != "interrupted":
            return first
        await run.sleep("nap", timedelta(days=365_000))  # it was slept, so it is not again
        who = await run.awaiting("who")
        message = await run.receive("mail")
        second = await run.step("second", lambda: ran.append(run.bookmark.get()) or "second")
        return [first, who, message, second]

    async with Engine.open(file, [frozen]) as engine:
        assert await engine.handle("interrupted").result() == ["one", "Ada", [1, 2], "second"]
        assert ran == [[1]], "the step went on from its bookmark"
        records = await engine.history("interrupted")
        assert [record.name for record in records] == ["first", "nap", "who", "mail", "second"]
        assert [record.position for record in records] == sorted({record.position for record in records})


async def test_all_that_was_pending_comes_to_its_end(file: Path) -> None:
    @workflow("frozen", version=1)
    async def frozen(run: Run, number: int = 0) -> str:
        return f"{await run.step('first', lambda: 'anew')} {number}"

    clock = VirtualClock(LATER + 1)
    async with Engine.open(file, [frozen], clock=clock) as engine:
        await engine.resume("paused")
        await engine.retry("failed")
        await engine.retry("cancelled")
        pending = [row.id for row in await engine.list(Filter(PENDING, ["frozen"]))]
        results = {id: await engine.handle(id).result() for id in pending}
        assert results == {
            "sleeping until a start": "anew 0",
            "sleeping": "1 1",
            "waiting": "1 1",
            "failed": "1 1",
            "cancelled": "anew 0",
            "paused": "anew 0",
            "interrupted": "one 1",
            "queued": "anew 2",
        }
        assert {row.state.name for row in await engine.list(OLD)} == {"completed"}


async def test_answers_and_messages_reach_what_waited_for_them(file: Path) -> None:
    @workflow("frozen", version=1)
    async def frozen(run: Run, number: int = 0) -> object:
        await run.step("first", lambda: "anew")
        if run.id != "waiting":
            return None
        async with asyncio.TaskGroup() as group:
            who = group.create_task(run.awaiting("who"))
            mail = group.create_task(run.receive("mail"))
        return [who.result(), mail.result()]

    async with Engine.open(file, [frozen]) as engine:
        await engine.deliver("waiting", {"from": "Grace"})
        await engine.arrive("waiting", "who", "Ada")
        assert await engine.handle("waiting").result() == ["Ada", {"from": "Grace"}]


async def test_what_changed_is_told_from_the_beginning_and_from_now_on(file: Path) -> None:
    @workflow("frozen", version=1)
    async def frozen(run: Run, number: int = 0) -> None: ...

    async with Engine.open(file, work=False) as engine:
        changes = await engine.changes(0)
        assert isinstance(changes, Changes)
        assert len([row for row in changes.rows if row.name == "frozen"]) == 9
        assert changes.deleted == ("deleted",)
        await engine.start(frozen(), id="new")
        await engine.cancel("queued")
        await engine.delete("completed")
        later = await engine.changes(changes.at)
        assert isinstance(later, Changes)
        assert {row.id for row in later.rows} == {"new", "queued"} and later.deleted == ("completed",)
        assert min(row.change for row in later.rows) > changes.at


async def test_it_is_searched_listed_and_counted_like_a_new_one(file: Path) -> None:
    async with Engine.open(file, work=False) as engine:
        assert {row.id for row in await engine.list(Filter(text="sleep"))} == {
            "sleeping until a start",
            "sleeping",
        }
        there = await engine.list()
        assert len(await engine.list(Filter(text="FROZEN"))) == len(there) >= 9, (
            "by the name of the definition"
        )
        for order in ORDERS:
            assert len(await engine.list(order=order)) == len(there), order
            assert len(await engine.keys(order=order)) == len(there), order
            assert len(await engine.list(OLD, order=order)) == 9, order
        counted = {name: number for name, number in (await engine.counts()).items() if number}
        assert counted == Counter(row.state.name for row in there)
        await engine.remove(["completed"])
        assert [row.id for row in await engine.list(Filter(removed=True))] == ["completed"]
        await engine.restore(["completed"])


async def test_what_has_finished_is_swept_with_all_its_parts(file: Path) -> None:
    async with Engine.open(file, work=False) as engine:
        swept = await engine.sweep(Retention(keep=0))
        assert set(swept.deleted) == {"completed", "failed", "cancelled"}
        assert len(await engine.list(OLD)) == 6
    with closing(sqlite3.connect(file)) as connection:
        for table in ("payloads", "records", "problems", "log", "progress", "findable"):
            left = f"SELECT workflow FROM stepfast_{table} EXCEPT SELECT key FROM stepfast_workflows"
            assert connection.execute(left).fetchall() == [], table
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def test_it_is_backed_up_and_put_back_like_a_new_one(file: Path, tmp_path: Path) -> None:
    async with Engine.open(file, work=False) as engine:
        rows = {row.id: row.state for row in await engine.list()}
        copy = await engine.backup(tmp_path / "copy.db")
    restore(file, copy)
    async with Engine.open(file, work=False) as engine:
        assert {row.id: row.state for row in await engine.list()} == rows


@pytest.mark.parametrize("frozen", FROZEN, ids=lambda path: path.stem)
async def test_a_frozen_file_is_put_back_as_a_backup(frozen: Path, tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    async with Engine.open(path, work=False):
        pass
    restore(path, frozen)
    async with Engine.open(path, work=False) as engine:
        assert len(await engine.list(OLD)) == 9
        assert await engine.durable.takeover() == ["interrupted"], "of its owners none is alive"


# --- what came with schema 3 ------------------------------------------------------------------------


async def test_attempts_interruptions_children_and_schedules_go_on(tmp_path: Path) -> None:
    ran: list[str] = []

    @workflow("frozen-3")
    async def frozen(run: Run, number: int = 0) -> object:
        match run.id:
            case "blocked":
                return await run.step("pay", lambda: "paid", on_interrupt="ask")
            case "trying again":
                return await run.step("upload", lambda: "uploaded", retry=Retry(3))
            case "parent":
                return [await run.child(name, frozen()) for name in ("ended", "pending")]
            case _:
                return await run.awaiting("go")

    @frozen.on_cancel
    async def tidy(run: Run) -> None:
        await run.step("tidy", lambda: ran.append(run.id))

    file = Path(shutil.copy(DATA / "schema-3.db", tmp_path / "work.db"))
    async with Engine.open(file, [frozen], clock=VirtualClock(LATER + 1)) as engine:
        assert [each.name for each in await engine.schedules()] == ["nightly"]
        assert await engine.handle("trying again").result() == "uploaded"
        (record,) = [each for each in await engine.history("trying again") if each.name == "upload"]
        assert record.attempts == 2, "the attempt that failed is counted"
        await reached(engine, "blocked", "blocked")
        assert (await engine.summary("blocked")).state == Blocked("pay")
        await engine.answer("blocked", "pay", Happened("by hand"))
        assert await engine.handle("blocked").result() == "by hand"
        await engine.arrive("parent/pending", "go", "gone")
        assert await engine.handle("parent").result() == ["done", "gone"]
        await reached(engine, "tidying", "cancelled")
        assert ran == ["tidying"]
