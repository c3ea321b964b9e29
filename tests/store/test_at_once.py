"""What many ask for alike is one statement that is a commit, and the file is as if it had not been."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from standing import Held, stands_by

from stepfast import SqliteDurable, connect
from stepfast.errors import AlreadyStarted, OutcomeUnknown
from stepfast.interfaces import Begun, Kind, NewRecord, NewSchedule, Offered, Settlement, Started
from stepfast.schedules import Every, rule_text
from stepfast.sqlite import lone_statements
from stepfast.sqlite.writing.batches import WORTH_A_COMMIT
from stepfast.testing import VirtualClock

pytestmark = pytest.mark.usefixtures("quiet_loop")

JOB = Offered("job", 1)
MANY = 3


@pytest.fixture
async def durable(tmp_path: Path) -> AsyncIterator[SqliteDurable]:
    made = await opened(tmp_path / "work.db")
    yield made
    await made.close()


async def opened(path: Path) -> SqliteDurable:
    durable = await connect(path, clock=VirtualClock())
    await durable.offer([JOB])
    return durable


async def together(durable: SqliteDurable, *calls: Awaitable[Any]) -> list[Any]:
    """The calls, all of them in one batch."""
    writer, held = durable._store.writer, Held()
    holding = writer.alone(lambda _turn: held())
    await held.until_reached()
    tasks = [asyncio.ensure_future(each) for each in calls]
    while len(writer._calls) < len(tasks):
        await asyncio.sleep(0)
    held.go_on.set()
    await holding
    return await asyncio.gather(*tasks, return_exceptions=True)


def starts(durable: SqliteDurable, count: int = MANY, **options: Any) -> list[Awaitable[Started]]:
    return [durable.start(f"w{n}", "job", 1, json.dumps(n), **options) for n in range(count)]


@contextmanager
def standing_by(
    durable: SqliteDurable, limit: int, offered: tuple[Offered, ...] = (JOB,)
) -> Iterator[asyncio.Task[list[Begun]]]:
    waiting = asyncio.ensure_future(durable.begin_next(offered, limit))
    yield waiting
    waiting.cancel()


@contextmanager
def statements_of(durable: SqliteDurable) -> Iterator[list[str]]:
    """The statements that the thread that writes runs, without those of triggers."""
    ran: list[str] = []
    connection = durable._store.writer.transacting.connected()

    def note(text: str) -> None:
        if text not in ran[-1:]:  # it is told once more for each statement of its triggers
            ran.append(text)

    connection.set_trace_callback(note)
    yield ran
    connection.set_trace_callback(None)


@contextmanager
def the_longer_way(durable: SqliteDurable) -> Iterator[None]:
    """Nothing is one statement."""
    with mock.patch.object(
        durable._store.writer.transacting,
        "run_lone",
        mock.Mock(side_effect=sqlite3.IntegrityError("not now")),
    ):
        yield


async def warm(durable: SqliteDurable) -> None:
    """Have this engine know the numbers in the file, and its connection what it needs."""
    await durable.start("first", "other", 1, "null")
    await durable.start("second", "other", 1, "null")


# --- one statement --------------------------------------------------------------------------------


async def test_starts_are_one_statement(durable: SqliteDurable) -> None:
    await warm(durable)
    with statements_of(durable) as ran:
        started = await together(durable, *starts(durable))
    assert [each.created for each in started] == [True] * MANY
    assert len(ran) == 1 and "stepfast_starting" in ran[0]


async def test_starts_and_what_begins_with_them_are_one_statement(durable: SqliteDurable) -> None:
    await warm(durable)
    with standing_by(durable, 2) as waiting, statements_of(durable) as ran:
        await stands_by(durable)
        started = await together(durable, *starts(durable))
        begun = await waiting
    assert len(ran) == 1 and "stepfast_starting" in ran[0]
    assert [(each.claim.workflow, each.claim.id, each.input) for each in begun] == [
        (started[n].key, f"w{n}", str(n)) for n in range(2)
    ]
    held = (await durable.look()).held
    assert [(each.workflow, each.token, each.receipt) for each in held] == [
        (each.claim.workflow, each.claim.token, each.receipt) for each in begun
    ]
    assert [each.claim.id for each in await durable.begin([JOB], 9)] == ["w2"]


async def test_completions_are_one_statement(durable: SqliteDurable) -> None:
    await together(durable, *starts(durable))
    begun = await durable.begin([JOB], MANY)
    with statements_of(durable) as ran:
        assert await together(durable, *completions(durable, begun)) == ["completed"] * MANY
    assert len(ran) == 1 and "stepfast_completing" in ran[0]


def completions(durable: SqliteDurable, begun: list[Begun]) -> list[Awaitable[str]]:
    return [
        durable.settle(each.claim, each.receipt, Settlement("completed", result=json.dumps([each.claim.id])))
        for each in begun
    ]


@pytest.mark.parametrize(("of_each", "commits"), [(WORTH_A_COMMIT, 2), (WORTH_A_COMMIT - 1, 1)])
async def test_many_records_and_many_others_are_two_commits(
    durable: SqliteDurable, of_each: int, commits: int
) -> None:
    await together(durable, *starts(durable, 2 * of_each))
    begun = await durable.begin([JOB], 2 * of_each)

    async def record(each: Begun) -> Any:
        return await durable.checkpointer.record(each.claim, NewRecord(Kind.STEP, "a", "1", 0.0))

    with statements_of(durable) as ran:
        results = await together(
            durable,
            *completions(durable, begun[:of_each]),
            *(record(each) for each in begun[of_each:]),
        )
    assert results == ["completed"] * of_each + [("1", True)] * of_each
    assert len(ran) == 2 if commits == 2 else ran.count("COMMIT") == 1


# --- the same, whichever way ------------------------------------------------------------------------


@contextmanager
def as_it_comes(_durable: SqliteDurable) -> Iterator[None]:
    yield


def rows(path: Path) -> dict[str, list[Any]]:
    """All that is in the file, but for numbers of the counter, of which only the order is promised."""
    numbers = ("key", "workflow", "place", "receipt", "token", "change", "position", "counter", "mark")
    random = ("file", "boot", "doorbell", "pid")
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        tables = [
            each["name"]
            for each in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
            if each["name"].startswith("stepfast_") and "search" not in each["name"]
        ]
        return {
            table: [
                {name: row[name] for name in row.keys() if name not in (*numbers, *random, "owner")}  # noqa: SIM118
                | {name: row[name] is None for name in (*numbers, "owner") if name in row.keys()}  # noqa: SIM118
                for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1")
            ]
            for table in tables
        }


async def test_what_is_in_the_file_is_the_same_whichever_way(tmp_path: Path) -> None:
    found = []
    for name, way in (("one", as_it_comes), ("other", the_longer_way)):
        durable = await opened(tmp_path / f"{name}.db")
        await warm(durable)
        with way(durable):
            with standing_by(durable, 2) as waiting:
                await stands_by(durable)
                await together(durable, *starts(durable, priority=3))
                begun = await waiting
            assert [each.claim.id for each in begun] == ["w0", "w1"]
            assert all(each.since == durable._store.clock.time() for each in begun)
            assert all(each.checkpoint is not None and not each.cleanup for each in begun)
            await together(durable, *completions(durable, begun))
        changed = await durable.catalogue.changes(0)
        assert [row.id for row in changed.rows] == ["first", "second", "w2", "w0", "w1"]
        found.append(rows(durable.path))
        await durable.close()
    assert found[0] == found[1]
    states = [(row["id"], row["state"]) for row in found[0]["stepfast_workflows"]]
    assert states[2:] == [("w0", "completed"), ("w1", "completed"), ("w2", "queued")]


# --- what is in the way of it -------------------------------------------------------------------------


async def another_program_has_written(durable: SqliteDurable) -> list[str]:
    other = await connect(durable.path)
    await other.start("theirs", "other", 1, "null")
    await other.close()
    return ["w0", "w1", "w2"]


async def one_is_ready_that_is_more_urgent(durable: SqliteDurable) -> list[str]:
    await durable.start("urgent", "job", 1, "null", priority=1)
    return ["urgent", "w0", "w1"]


async def one_has_waited_for_longer(durable: SqliteDurable) -> list[str]:
    await durable.start("before", "job", 1, "null")
    return ["before", "w0", "w1"]


async def one_is_due_that_is_more_urgent(durable: SqliteDurable) -> list[str]:
    clock: Any = durable._store.clock
    await durable.start("sleeper", "job", 1, "null", at=clock.time() + 5, priority=1)
    clock.advance(10)
    return ["sleeper", "w0", "w1"]


@pytest.mark.parametrize(
    "obstacle",
    [
        another_program_has_written,
        one_is_ready_that_is_more_urgent,
        one_has_waited_for_longer,
        one_is_due_that_is_more_urgent,
    ],
)
async def test_whoever_comes_first_begins_first(
    durable: SqliteDurable, obstacle: Callable[[SqliteDurable], Awaitable[list[str]]]
) -> None:
    await warm(durable)
    expected = await obstacle(durable)
    with standing_by(durable, MANY) as waiting:
        await stands_by(durable)
        started = await together(durable, *starts(durable))
        assert [each.created for each in started] == [True] * MANY
        assert [each.claim.id for each in await waiting] == expected


async def test_a_schedule_that_is_due_begins_with_them(durable: SqliteDurable) -> None:
    await warm(durable)
    rule = rule_text(Every(timedelta(seconds=60)))
    await durable.schedule(NewSchedule("tick", "job", 1, "null", rule, "once"))
    durable._store.clock.advance(120)  # type: ignore[attr-defined]
    with standing_by(durable, MANY + 1) as waiting:
        await stands_by(durable)
        await together(durable, *starts(durable))
        begun = [each.claim.id for each in await waiting]
    assert begun[:MANY] == ["w0", "w1", "w2"] and begun[MANY].startswith("tick")


@pytest.mark.parametrize(
    "limit", [Offered("job", 1, at_once=1), Offered("job", 1, queue="q", queue_at_once=1)]
)
async def test_a_limit_holds(durable: SqliteDurable, limit: Offered) -> None:
    await warm(durable)
    with standing_by(durable, MANY, (limit,)) as waiting:
        await stands_by(durable)
        await together(durable, *starts(durable))
        assert [each.claim.id for each in await waiting] == ["w0"]


async def test_whoever_is_no_owner_any_more_begins_nothing_until_it_is_one(durable: SqliteDurable) -> None:
    """A row that names an owner nobody knows would never be taken over."""
    await warm(durable)
    with standing_by(durable, MANY) as waiting:
        await stands_by(durable)
        with closing(sqlite3.connect(durable.path, isolation_level=None)) as connection:
            connection.execute(
                "DELETE FROM stepfast_owners"
            )  # as a takeover does, while this one was stopped
        await together(durable, *starts(durable))
        await stands_by(durable)
        await durable.start("one more", "job", 1, "null")
        assert [each.claim.id for each in await waiting] == ["w0", "w1", "w2"]
    with closing(sqlite3.connect(durable.path)) as connection:
        held_by = connection.execute("SELECT DISTINCT owner FROM stepfast_workflows WHERE token IS NOT NULL")
        assert held_by.fetchall() == connection.execute("SELECT key FROM stepfast_owners").fetchall()


async def test_an_id_that_is_taken_costs_the_others_nothing(durable: SqliteDurable) -> None:
    await warm(durable)
    await durable.start("w1", "job", 1, '"another input"')
    with standing_by(durable, MANY) as waiting:
        await stands_by(durable)
        results = await together(durable, *starts(durable))
        assert isinstance(results[1], AlreadyStarted)
        assert [each.created for each in (results[0], results[2])] == [True, True]
        assert {each.claim.id for each in await waiting} <= {"w0", "w1", "w2"}


async def test_what_is_not_offered_is_left_to_others(durable: SqliteDurable) -> None:
    await warm(durable)
    with standing_by(durable, MANY, (Offered("something", 1),)) as waiting:
        await stands_by(durable)
        await together(durable, *starts(durable))
        assert await waiting == []
    assert [each.claim.id for each in await durable.begin([JOB], 9)] == ["w0", "w1", "w2"]


async def test_a_claim_that_is_gone_fences_its_holder_and_nobody_else(durable: SqliteDurable) -> None:
    await together(durable, *starts(durable))
    begun = await durable.begin([JOB], MANY)
    await durable.checkpointer.release(begun[1].claim)
    results = await together(durable, *completions(durable, begun))
    assert [str(each) for each in (results[0], results[2])] == ["completed", "completed"]
    assert type(results[1]).__name__ == "Fenced"


# --- a disk that fails -----------------------------------------------------------------------------------


def io_error() -> sqlite3.Error:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
    return error


@contextmanager
def failing(durable: SqliteDurable, *, held: bool) -> Iterator[None]:
    """The next statement that is a commit reports an I/O error, and is there all the same if it `held`."""
    transacting = durable._store.writer.transacting
    run = transacting.run_lone
    failed = False

    def fails(lone: Any) -> None:
        nonlocal failed
        if failed:
            run(lone)
            return
        failed = True
        if held:
            reached, left = transacting._reached, transacting._left
            run(lone)
            transacting._reached, transacting._left = reached, left
        else:
            transacting._found = (transacting._reached, transacting._left)
            transacting._mark = transacting._new_mark()
        raise io_error()

    with mock.patch.object(transacting, "run_lone", fails):
        yield
    assert failed


@pytest.mark.parametrize("held", [True, False])
async def test_after_an_error_of_the_disk_the_file_says_what_has_happened(
    durable: SqliteDurable, held: bool, caplog: pytest.LogCaptureFixture
) -> None:
    await warm(durable)
    with standing_by(durable, 2) as waiting:
        await stands_by(durable)
        with failing(durable, held=held):
            started = await together(durable, *starts(durable))
        begun = await waiting
    assert [each.created for each in started] == [True] * MANY
    assert [each.claim.id for each in begun] == ["w0", "w1"]
    assert [each.workflow for each in (await durable.look()).held] == [each.claim.workflow for each in begun]
    with failing(durable, held=held):
        assert await together(durable, *completions(durable, begun)) == ["completed"] * 2
    assert (await durable.catalogue.counts())["completed"] == 2
    assert ("kept all the same" in caplog.text) is held
    caplog.clear()


async def test_where_the_file_does_not_tell_nobody_is_told_otherwise(durable: SqliteDurable) -> None:
    await warm(durable)
    transacting = durable._store.writer.transacting
    with ExitStack() as patches:
        patches.enter_context(failing(durable, held=False))

        def fate() -> Any:
            from stepfast.sqlite.writing.transacting import Fate

            return Fate.UNKNOWN

        patches.enter_context(mock.patch.object(transacting, "fate", fate))
        results = await together(durable, *starts(durable))
    assert all(isinstance(each, OutcomeUnknown) for each in results)


def test_each_of_them_is_tried_here() -> None:
    """Who adds one adds a test that it is not always the longer way that is taken."""
    assert set(lone_statements.__all__) == {"COMPLETE", "EQUIPMENT", "START"}
