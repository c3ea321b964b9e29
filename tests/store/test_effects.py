"""What a transacted effect may do, and that nothing it tries breaks the one commit it is part of."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import types
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from stepfast import EffectRefused, Transaction
from stepfast.sqlite import statements
from stepfast.sqlite.reading.search import AT_ONCE

pytestmark = pytest.mark.usefixtures("quiet_loop")

TABLES = ["CREATE TABLE mine (n INTEGER PRIMARY KEY, text TEXT)", "INSERT INTO mine VALUES (1, 'kept')"]


class Ground:
    """A workflow that is claimed, with a table of the user's that has one row."""

    def __init__(self, bench: Any, claim: Any) -> None:
        self.bench = bench
        self.claim = claim
        self.tried = 0

    async def attempt(self, effect: Any) -> Any:
        self.tried += 1
        checkpointer = self.bench.durable.checkpointer
        return await checkpointer.transact(self.claim, f"step-{self.tried}", effect, 0.0)

    async def refuses(self, effect: Any) -> BaseException:
        """The effect raises, and neither its record nor anything else of it is in the file."""
        recorded = await self.bench.recorded()
        with pytest.raises((EffectRefused, sqlite3.Error)) as caught:
            await self.attempt(effect)
        assert await self.bench.recorded() == recorded
        assert self.rows() == [(1, "kept")]
        ((check,),) = self.bench.rows("PRAGMA integrity_check")
        assert check == "ok"

        def go_on(transaction: Transaction) -> str:
            transaction.execute("UPDATE mine SET text = text")
            return "1"

        assert (await self.attempt(go_on)).first  # the connection is as good as before
        return caught.value

    def rows(self) -> Any:
        return self.bench.rows("SELECT n, text FROM mine ORDER BY n")


@pytest.fixture
async def ground(bench: Any) -> Ground:
    made = Ground(bench, await bench.claim())

    def tables(transaction: Transaction) -> str:
        for sql in TABLES:
            transaction.execute(sql)
        return "1"

    await made.attempt(tables)
    return made


CONTROL = [
    "COMMIT",
    "commit",
    " \n\tCoMmIt ; ",
    "/* */ COMMIT",
    "-- x\nCOMMIT",
    "END",
    "END TRANSACTION",
    "COMMIT TRANSACTION",
    "ROLLBACK",
    "ROLLBACK TRANSACTION",
    "BEGIN",
    "BEGIN IMMEDIATE",
    "BEGIN EXCLUSIVE TRANSACTION",
    "SAVEPOINT call",
    "RELEASE call",
    "ROLLBACK TO call",
    "EXPLAIN COMMIT",
    "\ufeffCOMMIT",
    "SELECT 1; COMMIT",
]
OTHERS = [
    "PRAGMA synchronous = OFF",
    "PRAGMA synchronous = FULL",
    "PRAGMA journal_mode = WAL",
    "PRAGMA journal_mode = DELETE",
    "PRAGMA writable_schema = ON",
    "PRAGMA wal_checkpoint(TRUNCATE)",
    "PRAGMA user_version = 7",
    "SELECT * FROM pragma_user_version",
    "SELECT * FROM pragma_table_info('stepfast_meta')",
    "ATTACH ':memory:' AS other",
    "DETACH main",
    "VACUUM",
    "VACUUM INTO '/tmp/stepfast-must-not-be-there.db'",
    "CREATE TEMP TABLE t (n)",
    "CREATE TABLE temp.t (n)",
    "CREATE TEMP TRIGGER t AFTER INSERT ON mine BEGIN SELECT 1; END",
    "CREATE TEMP VIEW v AS SELECT 1",
    "SELECT load_extension('x')",
    "SELECT fts3_tokenizer('simple', x'0000000000000000')",
    "UPDATE sqlite_master SET sql = ''",
    "SELECT * FROM sqlite_stmt",
    "UPDATE sqlite_dbpage SET data = zeroblob(4096) WHERE pgno = 2",
    "ANALYZE",
    "ANALYZE mine",
    "INSERT INTO sqlite_stat1 VALUES ('stepfast_workflows', 'stepfast_ready', '9 9')",
]
ENGINE = [
    "SELECT * FROM stepfast_meta",
    "SELECT * FROM main.stepfast_meta",
    'SELECT * FROM "STEPFAST_meta"',
    "SELECT * FROM [StepFast_Workflows]",
    "UPDATE stepfast_meta SET counter = 0",
    "DELETE FROM stepfast_records",
    "INSERT INTO stepfast_tombstones VALUES (1, '', 0)",
    "REPLACE INTO stepfast_counts VALUES ('queued', 7)",
    "DROP TABLE stepfast_log",
    "DROP INDEX stepfast_ready",
    "DROP TRIGGER stepfast_count_moved",
    "ALTER TABLE stepfast_log RENAME TO mine_now",
    "ALTER TABLE stepfast_log ADD COLUMN x",
    "ALTER TABLE mine RENAME TO stepfast_mine",
    "CREATE TABLE stepfast_mine (n)",
    "CREATE INDEX stepfast_mine ON mine (n)",
    "CREATE INDEX i ON stepfast_log (at)",
    "CREATE TRIGGER t AFTER INSERT ON stepfast_records BEGIN SELECT 1; END",
    "CREATE TRIGGER stepfast_t AFTER INSERT ON mine BEGIN SELECT 1; END",
    "CREATE TABLE copied AS SELECT * FROM stepfast_payloads",
    "WITH x AS (SELECT value FROM stepfast_records) SELECT * FROM x",
    "INSERT INTO mine SELECT key, id FROM stepfast_workflows",
    "SELECT (SELECT count(*) FROM stepfast_records)",
    "ANALYZE stepfast_workflows",
    "REINDEX stepfast_ready",
    "CREATE VIRTUAL TABLE stepfast USING fts4 (a)",
    "INSERT INTO mine VALUES (9, '') RETURNING (SELECT counter FROM stepfast_meta)",
    statements.META,
    statements.KEEP_COUNTER.replace(":counter", "0").replace(":mark", "0"),
    statements.COUNTS,
]


@pytest.mark.parametrize("sql", CONTROL + OTHERS + ENGINE)
async def test_a_statement_that_could_break_the_commit_is_refused_even_if_the_refusal_is_swallowed(
    ground: Ground, sql: str
) -> None:
    def effect(transaction: Transaction) -> str:
        transaction.execute("INSERT INTO mine VALUES (2, 'before')")
        try:
            transaction.execute(sql).fetchall()
        except (EffectRefused, sqlite3.Error):
            transaction.execute("INSERT INTO mine VALUES (3, 'after')")
            raise
        return "1"

    await ground.refuses(effect)

    def swallow(transaction: Transaction) -> str:
        try:
            transaction.execute(sql)
        except EffectRefused:
            pass
        except sqlite3.Error as error:
            raise EffectRefused("as good as refused") from error
        return "1"

    await ground.refuses(swallow)


@pytest.mark.parametrize("sql", [*CONTROL, *OTHERS, *ENGINE])
async def test_a_query_is_refused_the_same(ground: Ground, sql: str) -> None:
    await ground.bench.durable.catalogue.counts()  # so that the readers know statements of the engine's
    await ground.bench.durable.catalogue.history("w")
    for _ in range(3):
        with pytest.raises((EffectRefused, sqlite3.Error)):
            await ground.bench.durable.checkpointer.query(lambda view: view.execute(sql).fetchall())
    assert ground.rows() == [(1, "kept")]


CURSED = [
    "CREATE TABLE cursed (n INTEGER)",
    "CREATE TRIGGER curse BEFORE INSERT ON cursed BEGIN SELECT RAISE(ROLLBACK, 'cursed'); END",
]
ROLLBACKS = ["INSERT OR ROLLBACK INTO mine VALUES (1, 'twice')", "INSERT INTO cursed VALUES (1)"]


@pytest.mark.parametrize("sql", ROLLBACKS)
@pytest.mark.parametrize("go_on", [False, True])
async def test_an_effect_that_swallows_the_rollback_of_all_commits_nothing(
    ground: Ground, sql: str, go_on: bool
) -> None:
    def tables(transaction: Transaction) -> str:
        for each in CURSED:
            transaction.execute(each)
        return "1"

    await ground.attempt(tables)

    def effect(transaction: Transaction) -> str:
        transaction.execute("INSERT INTO mine VALUES (2, 'before')")
        try:
            transaction.execute(sql)
        except sqlite3.Error:
            pass
        if go_on:
            try:
                transaction.execute("INSERT INTO mine VALUES (3, 'after')")
            except EffectRefused:
                pass
        return "1"

    assert isinstance(await ground.refuses(effect), EffectRefused)


async def test_rows_that_come_from_a_generator_which_rolls_back_are_not_committed_one_by_one(
    ground: Ground,
) -> None:
    def effect(transaction: Transaction) -> str:
        def rows() -> Iterator[tuple[int, str]]:
            yield (2, "before")
            try:
                transaction.execute("INSERT OR ROLLBACK INTO mine VALUES (1, 'twice')")
            except (sqlite3.Error, EffectRefused):
                pass
            yield (3, "outside of everything")
            yield (4, "outside of everything")

        transaction.executemany("INSERT INTO mine VALUES (?, ?)", rows())
        return "1"

    await ground.refuses(effect)


SHADOWS = [
    "CREATE TABLE temp.t AS SELECT 1 AS version, 0 AS counter",
    "CREATE TABLE temp.mine (n INTEGER PRIMARY KEY, text TEXT)",
    "CREATE VIEW temp.v AS SELECT 1",
]


@pytest.mark.parametrize("sql", SHADOWS)
async def test_nothing_can_be_made_that_outlives_the_effect_and_stands_before_a_table(
    ground: Ground, sql: str
) -> None:
    def effect(transaction: Transaction) -> str:
        transaction.execute(sql)
        return "1"

    await ground.refuses(effect)


async def test_a_temporary_table_cannot_be_renamed_to_catch_the_records(ground: Ground) -> None:
    def effect(transaction: Transaction) -> str:
        columns = "workflow, kind, name, position, value, started_at, recorded_at, attempts"
        transaction.execute(f"CREATE TABLE temp.t ({columns}, PRIMARY KEY (workflow, kind, name))")
        transaction.execute("ALTER TABLE temp.t RENAME TO stepfast_records")
        return "1"

    with suppress(EffectRefused, sqlite3.Error):
        await ground.attempt(effect)
    if (await ground.attempt(lambda _: "2")).first:
        assert "step-3" in await ground.bench.recorded()


async def test_parameters_that_run_statements_of_their_own_stay_inside(ground: Ground) -> None:
    def effect(transaction: Transaction) -> str:
        class Sly:
            def __conform__(self, _protocol: object) -> int:
                transaction.execute("COMMIT")
                return 5

        transaction.execute("INSERT INTO mine VALUES (?, 'sly')", (Sly(),))
        return "1"

    await ground.refuses(effect)


async def test_a_record_that_cannot_be_written_undoes_all_of_it(ground: Ground) -> None:
    def effect(transaction: Transaction) -> str:
        transaction.execute("INSERT INTO mine VALUES (2, 'before')")
        return "\ud800"

    with pytest.raises(UnicodeEncodeError):
        await ground.attempt(effect)
    assert ground.rows() == [(1, "kept")]


async def test_an_effect_cannot_read_the_engines_statements_and_say_one_again(ground: Ground) -> None:
    def effect(transaction: Transaction) -> str:
        transaction.execute("INSERT INTO mine VALUES (2, 'outside of everything')")
        for (sql,) in transaction.execute("SELECT sql FROM sqlite_stmt").fetchall():
            if sql.startswith("COMMIT"):
                transaction.execute(sql)  # prepared already, so that nobody is asked about it
        return "1"

    await ground.refuses(effect)


async def make_index(bench: Any) -> None:
    """Make the index of the search, which is not made for a few."""
    await asyncio.gather(*(bench.durable.start(f"other-{n}", "job", 1, "null") for n in range(AT_ONCE)))
    while await bench.durable.upkeep():
        pass
    assert bench.rows("SELECT 1 FROM sqlite_master WHERE name = 'stepfast_search'")


@pytest.mark.parametrize("searched", [False, True])
async def test_an_effect_may_rename_what_is_its_own(ground: Ground, searched: bool) -> None:
    if searched:
        await make_index(ground.bench)

    def rename(transaction: Transaction) -> str:
        transaction.execute("ALTER TABLE mine RENAME COLUMN text TO words")
        transaction.execute("ALTER TABLE mine RENAME TO ours")
        return "1"

    assert (await ground.attempt(rename)).first
    assert ground.bench.rows("SELECT words FROM ours") == [("kept",)]


RENAMED = [
    ("CREATE TABLE t (a)", "ALTER TABLE t RENAME TO stepfast_t"),
    ("CREATE TABLE t (a)", "ALTER TABLE t RENAME TO stepfast_search_t"),
    ("CREATE VIRTUAL TABLE t USING fts4 (text)", "ALTER TABLE t RENAME TO stepfast"),
    ("CREATE VIRTUAL TABLE t USING fts4 (text)", "ALTER TABLE t RENAME TO stepfast_search"),
]


@pytest.mark.parametrize("statements", RENAMED)
@pytest.mark.parametrize("searched", [False, True])
async def test_nothing_becomes_the_engines_by_its_name(
    ground: Ground, statements: tuple[str, ...], searched: bool
) -> None:
    if searched:
        await make_index(ground.bench)

    def effect(transaction: Transaction) -> str:
        for sql in statements:
            transaction.execute(sql)
        return "1"

    await ground.refuses(effect)


async def test_an_effect_that_asks_the_engine_for_something_is_told_that_it_would_wait_for_itself(
    ground: Ground,
) -> None:
    def effect(_transaction: Transaction) -> str:
        asyncio.run(ground.bench.durable.start("inner", "job", 1, "null"))
        return "1"

    async with asyncio.timeout(60):
        assert isinstance(await ground.refuses(effect), EffectRefused)


# --- rows and transactions that are kept ----------------------------------------------------------


async def test_rows_that_were_not_read_to_the_end_hold_up_neither_commit_nor_checkpoint(
    ground: Ground,
) -> None:
    kept: list[Any] = []

    def effect(transaction: Transaction) -> str:
        transaction.executemany("INSERT INTO mine VALUES (?, 'x')", ((n,) for n in range(100, 600)))
        rows = transaction.execute("SELECT n FROM mine")
        rows.fetchone()
        kept.extend([rows, iter(rows), transaction.execute("INSERT INTO mine VALUES (2, '') RETURNING n")])
        kept.append(transaction)
        return "1"

    assert (await ground.attempt(effect)).first
    assert len(ground.rows()) == 502
    rows, iterator, returning, transaction = kept
    for use in (
        rows.fetchone,
        rows.fetchall,
        lambda: next(iterator),
        returning.fetchall,
        lambda: transaction.execute("INSERT INTO mine VALUES (3, 'late')"),
        lambda: transaction.executemany("INSERT INTO mine VALUES (?, 'late')", [(3,)]),
    ):
        with pytest.raises((EffectRefused, sqlite3.Error)):
            use()
    assert len(ground.rows()) == 502
    (busy, pages, copied), *_ = ground.bench.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    assert (busy, pages) == (0, copied)


async def test_a_transaction_belongs_to_the_thread_that_it_was_made_on(ground: Ground) -> None:
    outcome: list[object] = []

    def effect(transaction: Transaction) -> str:
        def elsewhere() -> None:
            try:
                transaction.execute("INSERT INTO mine VALUES (2, 'elsewhere')")
                outcome.append("allowed")
            except (EffectRefused, sqlite3.Error) as error:
                outcome.append(error)

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        return "1"

    try:
        await ground.attempt(effect)
    except (EffectRefused, sqlite3.Error):
        pass
    assert outcome != ["allowed"]


# --- roads to the connection ----------------------------------------------------------------------


DULL = types.ModuleType | type | str | int | bytes | types.MethodWrapperType | types.FunctionType


def reachable(*starts: object) -> Iterator[object]:
    """What attributes, items and `__reduce__` lead to, without names that are private to a class."""
    seen: dict[int, object] = {}
    todo = deque(starts)
    while todo and len(seen) < 5000:
        thing = todo.popleft()
        if id(thing) in seen or isinstance(thing, DULL):
            continue
        seen[id(thing)] = thing
        yield thing
        if isinstance(thing, dict | list | tuple | set | frozenset):
            todo.extend(thing.values() if isinstance(thing, dict) else thing)
            continue
        names = [each for each in dir(thing) if not each.startswith("_")]
        names += ["__self__", "__dict__", "__func__", "__wrapped__"]
        for name in names:
            with suppress(Exception):
                todo.append(getattr(thing, name))
        with suppress(Exception):
            todo.append(thing.__reduce__())


async def test_nothing_an_effect_is_handed_leads_to_the_connection(ground: Ground) -> None:
    found: list[object] = []

    def effect(transaction: Transaction) -> str:
        rows = transaction.execute("SELECT n FROM mine")
        things = list(reachable(transaction, rows, iter(rows)))
        found.extend(each for each in things if isinstance(each, sqlite3.Connection | sqlite3.Cursor))
        return "1"

    await ground.attempt(effect)
    assert found == []
