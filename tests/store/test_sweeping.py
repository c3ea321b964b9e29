"""Sweeping a SQLite file: small commits that no step waits for, nothing left behind, and space given back."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from waiting_behind import each_commit, waiting_behind

from stepfast import Retention, SqliteDurable, Swept, UnknownWorkflow, connect
from stepfast.body.run import Transaction
from stepfast.interfaces import Checkpoint, Claim, Kind, NewRecord, Notes, Settlement
from stepfast.retention import Forgets
from stepfast.sqlite.care import sweeping, upkeep
from stepfast.sqlite.moves import deleting
from stepfast.testing import VirtualClock

# What is left to be cleared, and what a trigger deletes with the row, or keeps for the index of the search.
OTHERWISE = {"leftovers", "findable", "unfindable"}
EVERYTHING = Retention(keep=0, removed_after=timedelta(0))
DAY = 86_400.0


def rows(durable: SqliteDurable, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
    """What is in the file, as another program sees it."""
    with closing(sqlite3.connect(durable.path, isolation_level=None)) as connection:
        return connection.execute(sql, parameters).fetchall()


def parts(durable: SqliteDurable) -> dict[str, int]:
    """How many rows there are in each table that holds parts of workflows."""
    tables = [*deleting.PARTS, "leftovers", "workflows"]
    return {each: rows(durable, f"SELECT count(*) FROM stepfast_{each}")[0][0] for each in tables}


async def claimed(durable: SqliteDurable, id: str, name: str = "job") -> Claim:
    await durable.start(id, name, 1, "null")
    claim = await durable.checkpointer.claim(id)
    assert claim is not None
    return claim


async def finished(durable: SqliteDurable, *ids: str) -> None:
    async def one(id: str) -> None:
        claim = await claimed(durable, id)
        await durable.checkpointer.record(claim, NewRecord(Kind.STEP, "step", "1", 0.0))
        await durable.settle(claim, 0, Settlement("completed", result="1"))

    await asyncio.gather(*map(one, ids))


async def large(durable: SqliteDurable, records: int, id: str = "large") -> Claim:
    """A finished workflow with so many records, as many log lines, and something in every other table."""
    claim = await claimed(durable, id)
    new = [NewRecord(Kind.STEP, f"step {number}", '"value"', 0.0) for number in range(records)]
    await asyncio.gather(*(durable.checkpointer.record(claim, each) for each in new))
    log = tuple((0.0, "info", None, f"line {number}") for number in range(records))
    await durable.checkpointer.note(claim, Notes("step", bookmarks=(("open", "1"),), log=log))
    await durable.deliver(id, "1")
    await durable.settle(claim, 0, Settlement("completed", result='"result"'))
    return claim


def insert(id: str) -> Callable[[Transaction], str]:
    def effect(transaction: Transaction) -> str:
        transaction.execute("CREATE TABLE IF NOT EXISTS mine (id)")
        transaction.execute("INSERT INTO mine VALUES (?)", (id,))
        return "1"

    return effect


async def sweep_all(
    durable: SqliteDurable, retention: Retention = EVERYTHING, forgets: Forgets | None = None
) -> list[str]:
    deleted: list[str] = []
    after: Swept | None = None
    while after is None or after.more:
        after = await durable.sweep(retention, forgets or {}, after=after)
        deleted += after.deleted
    return deleted


# --- nothing is left behind -----------------------------------------------------------------------------


def test_every_table_with_a_workflows_rows_is_cleared(durable: SqliteDurable) -> None:
    tables = [name for (name,) in rows(durable, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    have = {
        name.removeprefix("stepfast_")
        for name in tables
        if any(column == "workflow" for _, column, *_ in rows(durable, f"PRAGMA table_info({name})"))
    }
    assert have - OTHERWISE == {*deleting.PARTS}
    for name, key in deleting.PARTS.items():
        info = rows(durable, f"PRAGMA table_info(stepfast_{name})")
        primary = sorted((place, column) for _, column, _, _, _, place in info if place)
        assert ", ".join(column for _, column in primary) == key


async def test_a_large_workflow_goes_in_small_commits(durable: SqliteDurable) -> None:
    claim = await large(durable, 2000)
    total = sum(parts(durable).values())
    sizes: list[int] = []
    after: Swept | None = None

    while after is None or after.more:
        after = await durable.sweep(EVERYTHING, {}, after=after)
        sizes.append(total - (total := sum(parts(durable).values())))
        # From the first commit on it is gone for everybody, though most of its rows are still there.
        with pytest.raises(UnknownWorkflow):
            await durable.catalogue.history("large")
        assert await durable.checkpointer.load(claim.workflow) == Checkpoint((), (), {})
        assert [*(await durable.catalogue.listing()).keys] == []

    assert max(sizes) <= deleting.MOST_ROWS + 1
    assert len(sizes) > 2 * 2000 / deleting.MOST_ROWS
    assert set(parts(durable).values()) == {0}


async def test_the_next_sweep_ends_what_a_crash_interrupted(tmp_path: Path, clock: VirtualClock) -> None:
    durable = await connect(tmp_path / "work.db", clock=clock)
    await large(durable, 1000)
    assert (await durable.sweep(EVERYTHING, {})).more
    await durable.close()

    durable = await connect(tmp_path / "work.db", clock=clock)
    assert parts(durable)["records"] > 0
    assert await sweep_all(durable, Retention()) == [], "whatever is to be kept, this was deleted already"
    assert set(parts(durable).values()) == {0}
    await durable.close()


async def test_after_any_commit_of_a_sweep_a_crash_leaves_nothing_without_an_owner(
    durable: SqliteDurable, tmp_path: Path, clock: VirtualClock
) -> None:
    def forget(transaction: Transaction, id: str) -> None:
        transaction.execute("DELETE FROM mine WHERE id = ?", (id,))

    for number in range(8):
        claim = await claimed(durable, f"own {number}", "own")
        await durable.checkpointer.transact(claim, "row", insert(claim.id), 0.0)
        await durable.settle(claim, 0, Settlement("completed", result="1"))
    await finished(durable, *(f"plain {number}" for number in range(60)))
    await large(durable, 600)
    ids = {id for (id,) in rows(durable, "SELECT id FROM stepfast_workflows")}
    copies: list[Path] = []

    def copy() -> None:
        copies.append(tmp_path / f"{len(copies)}.db")
        with (
            closing(sqlite3.connect(f"{durable.path.as_uri()}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(copies[-1])) as target,
        ):
            source.backup(target)

    with each_commit(durable, copy):
        await sweep_all(durable, forgets={("own", 1): forget})

    assert len(copies) > 12
    for number, path in enumerate(copies):
        left = await connect(path, clock=clock)
        kept = "(SELECT key FROM stepfast_workflows UNION SELECT workflow FROM stepfast_leftovers)"
        for part in deleting.PARTS:
            lost = f"SELECT count(*) FROM stepfast_{part} WHERE workflow NOT IN {kept}"
            assert rows(left, lost) == [(0,)], f"{part} after commit {number}"
        there = {id for (id,) in rows(left, "SELECT id FROM stepfast_workflows")}
        gone = {id for (id,) in rows(left, "SELECT id FROM stepfast_tombstones")}
        assert there | gone == ids
        assert not there & gone
        own = {id for id in there if id.startswith("own")}
        assert {id for (id,) in rows(left, "SELECT id FROM mine")} == own, f"after commit {number}"
        await sweep_all(left, forgets={("own", 1): forget})
        assert set(parts(left).values()) == {0}
        await left.close()


async def test_a_large_workflow_is_deleted_whole(durable: SqliteDurable) -> None:
    await large(durable, 1000)
    await durable.delete("large")
    assert set(parts(durable).values()) == {0}


async def test_a_delete_that_is_cut_short_is_ended_by_a_sweep(durable: SqliteDurable) -> None:
    claim = await large(durable, 2000)
    deleting_it = asyncio.ensure_future(durable.delete("large"))
    stop = durable.listen(lambda signal: deleting_it.cancel())  # at its first commit

    with pytest.raises(asyncio.CancelledError):
        await deleting_it
    stop()

    assert await durable.checkpointer.load(claim.workflow) == Checkpoint((), (), {})
    assert parts(durable)["records"] > 0
    again = await durable.start("large", "job", 1, "null")
    assert await sweep_all(durable) == []
    assert {**parts(durable), "payloads": 0, "workflows": 0} == dict.fromkeys(parts(durable), 0)
    assert again.key > claim.workflow


async def test_values_of_megabytes_do_not_gather_in_one_commit(
    durable: SqliteDurable, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = await claimed(durable, "heavy")
    text = '"' + "x" * 200_000 + '"'
    for number in range(40):
        await durable.checkpointer.record(claim, NewRecord(Kind.STEP, f"step {number}", text, 0.0))
    await durable.settle(claim, 0, Settlement("completed", result="1"))
    # A disk that is so slow that any bite takes too long.
    monkeypatch.setattr(deleting, "MOST_SECONDS", -1.0)
    after = await durable.sweep(EVERYTHING, {})
    left = parts(durable)["records"]
    assert left >= 40 - deleting.FIRST_BITE
    while after.more:
        after = await durable.sweep(EVERYTHING, {}, after=after)
        now = parts(durable)["records"]
        assert left - now <= deleting.FIRST_BITE
        left = now
    assert set(parts(durable).values()) == {0}, "however slow, it comes to an end"


# --- nobody waits for it --------------------------------------------------------------------------------


async def test_no_step_waits_for_more_than_one_commit_of_a_sweep(durable: SqliteDurable) -> None:
    await finished(durable, *(f"plain {number}" for number in range(400)))
    for number in range(30):
        await durable.start(f"own {number}", "own", 1, "null")
        await durable.cancel(f"own {number}")
    await large(durable, 1500)

    def forget(transaction: Transaction, id: str) -> None:
        transaction.execute("CREATE TABLE IF NOT EXISTS mine (id)")
        transaction.execute("DELETE FROM mine WHERE id = ?", (id,))

    done = asyncio.Event()

    async def steps(id: str) -> int:
        claim = await claimed(durable, id)
        number = 0
        while not done.is_set():
            number += 1
            await durable.checkpointer.record(claim, NewRecord(Kind.STEP, f"step {number}", "1", 0.0))
            if number % 10 == 0:
                await durable.checkpointer.transact(claim, f"own {number}", lambda _: "1", 0.0)
            if number % 7 == 0:
                await asyncio.sleep(0)
        return number

    async def sweep() -> None:
        after: Swept | None = None
        while after is None or after.more:
            after = await durable.sweep(EVERYTHING, {("own", 1): forget}, after=after)
        done.set()

    with waiting_behind(durable) as waiting:
        *stepped, _, _ = await asyncio.gather(*(steps(f"busy {n}") for n in range(4)), sweep(), sweep())

    assert waiting.commits > 50, "there was something to wait for"
    assert sum(waiting.waits.values()) >= sum(stepped), "each step was seen"
    assert waiting.longest <= 1, f"waits by their length: {dict(waiting.waits)}"
    assert parts(durable)["workflows"] == 4


async def test_closing_carries_out_the_housekeeping_that_waits(tmp_path: Path, clock: VirtualClock) -> None:
    durable = await connect(tmp_path / "work.db", clock=clock)
    calls = [durable._store.writer.do(lambda _, number=number: number, last=True) for number in range(5)]
    await durable.close()
    assert await asyncio.gather(*calls) == [*range(5)]


async def test_a_sweep_with_nothing_to_do_writes_nothing(durable: SqliteDurable) -> None:
    await finished(durable, "a", "b")
    with waiting_behind(durable) as waiting:
        for retention in (Retention(), Retention(age=timedelta(days=1), keep=2)):
            swept = await durable.sweep(retention, {})
            assert (swept.deleted, swept.more) == ((), False)
        assert not await durable.upkeep()
    assert waiting.commits == 0


# --- what is looked at ----------------------------------------------------------------------------------


async def test_neither_parents_nor_children_that_are_needed_go(durable: SqliteDurable) -> None:
    await finished(durable, "child", "parent", "alone")
    for id in ("pending parent", "pending child"):
        await durable.start(id, "job", 1, "null")
    for child, parent in (("child", "pending parent"), ("pending child", "parent")):
        rows(
            durable,
            "UPDATE stepfast_workflows SET parent = (SELECT key FROM stepfast_workflows WHERE id = ?)"
            " WHERE id = ?",
            parent,
            child,
        )

    assert await sweep_all(durable) == ["alone"], "a parent may ask for a result, and a child for its parent"

    await durable.cancel("pending parent")
    await durable.cancel("pending child")
    assert sorted(await sweep_all(durable)) == ["child", "parent", "pending child", "pending parent"]


@pytest.mark.parametrize("statement", ["NEXT_REMOVED", "NEXT_FINISHED", "OLDEST"])
def test_looking_for_what_is_old_costs_what_is_found(durable: SqliteDurable, statement: str) -> None:
    names = ("until", "last", "known", "after", "key", "limit", "offset")
    with closing(sqlite3.connect(durable.path)) as connection:
        plan = connection.execute(
            f"EXPLAIN QUERY PLAN {getattr(sweeping, statement)}", dict.fromkeys(names, 1)
        ).fetchall()
    steps = [step for *_, step in plan]
    assert steps[0].startswith(("SEARCH w USING", "SEARCH stepfast_workflows USING")), steps
    assert not any("TEMP B-TREE" in step or step.startswith("SCAN w") for step in steps), steps


# --- tombstones -----------------------------------------------------------------------------------------


async def test_tombstones_go_by_age_and_by_number(
    durable: SqliteDurable, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "TOMBSTONES_KEPT", 20)
    monkeypatch.setattr(upkeep, "TOMBSTONES_AT_ONCE", 7)
    await finished(durable, *(f"{number}" for number in range(50)))
    await sweep_all(durable)

    def there() -> tuple[int, int, int]:
        ((count, first),) = rows(durable, "SELECT count(*), min(change) FROM stepfast_tombstones")
        ((horizon,),) = rows(durable, "SELECT horizon FROM stepfast_meta")
        return count, first or 0, horizon

    counts = [there()[0]]
    while await durable.upkeep():
        count, first, horizon = there()
        assert horizon < first, "the horizon lies behind all that is known"
        counts.append(count)
    assert counts == [50, 43, 36, 29, 22, 20], "a few at a time, down to the number"

    clock.advance(DAY - 1)
    assert not await durable.upkeep()
    clock.advance(1)
    while await durable.upkeep():
        pass
    assert there()[0] == 0, "after a day, all"
    assert there()[2] <= (await durable.catalogue.changes(2**62)).at


# --- space ----------------------------------------------------------------------------------------------


def pages(durable: SqliteDurable) -> tuple[int, int]:
    """How many pages the file has, and how many of them are free."""
    return rows(durable, "PRAGMA page_count")[0][0], rows(durable, "PRAGMA freelist_count")[0][0]


async def fill(durable: SqliteDurable, workflows: int, start: int = 0) -> None:
    text = '"' + "x" * 8000 + '"'

    async def one(id: str) -> None:
        claim = await claimed(durable, id)
        await durable.checkpointer.record(claim, NewRecord(Kind.STEP, "step", text, 0.0))
        await durable.settle(claim, 0, Settlement("completed", result=text))

    await asyncio.gather(*(one(f"{number}") for number in range(start, start + workflows)))


async def test_space_is_given_back_once_much_is_free(durable: SqliteDurable) -> None:
    await fill(durable, 800)
    full, _ = pages(durable)
    await sweep_all(durable, Retention(keep=100))
    pieces = 0
    with waiting_behind(durable) as waiting:
        while await durable.upkeep():
            pieces += 1

    left, free = pages(durable)
    assert left < full / 2
    assert free <= max(upkeep.FREE_PAGES, left / upkeep.FREE_SHARE), (
        "what is left free is for what comes next"
    )
    assert pieces + 1 >= (full - left) // (upkeep.PAGES_AT_ONCE + 1), "a few pages at a time"
    assert waiting.commits == pieces + 1
    await durable.close()
    assert durable.path.stat().st_size == left * 4096, "and the disk has it back"
    assert rows(durable, "PRAGMA integrity_check") == [("ok",)]


async def test_a_little_free_space_is_kept_for_what_comes_next(durable: SqliteDurable) -> None:
    await fill(durable, 300)
    before, _ = pages(durable)
    await sweep_all(durable, Retention(keep=150))
    while await durable.upkeep():
        pass
    assert pages(durable)[0] == before
    await fill(durable, 150, start=1000)
    assert pages(durable)[0] <= before + 20, "the free pages are used again"


async def test_space_is_given_back_beside_steps_and_reads(durable: SqliteDurable) -> None:
    await fill(durable, 800)
    await sweep_all(durable, Retention(keep=0))
    claim = await claimed(durable, "busy")
    done = asyncio.Event()

    async def steps() -> int:
        number = 0
        while not done.is_set():
            await durable.checkpointer.record(claim, NewRecord(Kind.STEP, f"step {number}", "1", 0.0))
            number += 1
            assert len(await durable.catalogue.history("busy")) == number
        return number

    async def keep_up() -> None:
        while await durable.upkeep():
            pass
        done.set()

    with waiting_behind(durable) as waiting:
        number, _ = await asyncio.gather(steps(), keep_up())
    assert number > 0
    assert waiting.longest <= 1, f"waits by their length: {dict(waiting.waits)}"
    assert len((await durable.checkpointer.load(claim.workflow)).records) == number


async def test_a_file_that_others_made_keeps_its_pages(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (a)")
        connection.commit()
    durable = await connect(path)
    await fill(durable, 700)
    await sweep_all(durable)
    before = pages(durable)
    assert not await durable.upkeep(), "it cannot be made smaller, and that is no reason to go on trying"
    assert pages(durable) == before
    await durable.close()
