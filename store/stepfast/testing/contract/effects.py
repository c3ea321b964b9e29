"""`transact`: one commit with the record, and contained; `query`: reads, and nothing else.

An effect is code of a user's. It gets SQL over the user's own tables, and no way to end the transaction it
is part of, to change the connection or to name a table of the engine's.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from typing import Any

from stepfast.errors import EffectRefused
from stepfast.interfaces import Claim, Durable, Kind, Notes
from stepfast.run import Row, Transaction
from stepfast.testing.contract.stores import Stores, claimed, new, refused
from stepfast.views import Progress

REFUSED = (
    "BEGIN",
    "BEGIN IMMEDIATE",
    "COMMIT",
    "END",
    "ROLLBACK",
    "SAVEPOINT mine",
    "RELEASE mine",
    "ROLLBACK TO mine",
    "/* quietly */ commit",
    "PRAGMA synchronous = OFF",
    "PRAGMA foreign_keys = ON",
    "PRAGMA writable_schema = ON",
    "PRAGMA user_version",
    "PRAGMA table_info(mine)",
    "ATTACH ':memory:' AS aside",
    "DETACH main",
    "CREATE TEMP TABLE aside (a)",
    "CREATE TABLE stepfast_mine (a)",
    'CREATE TABLE "StepFast_Mine" (a)',
    "CREATE INDEX stepfast_mine ON mine (a)",
    "CREATE VIEW stepfast_mine AS SELECT 1",
    "CREATE TRIGGER stepfast_mine AFTER INSERT ON mine BEGIN SELECT 1; END",
)
"""Each of these is `EffectRefused`; `mine` is a table of the user's."""

FAILING = (
    "VACUUM",
    "SELECT load_extension('mine')",
    "SELECT * FROM stepfast_workflows",
    "DELETE FROM stepfast_workflows",
    "UPDATE sqlite_master SET sql = ''",
    "SELECT 1; COMMIT",
)
"""Each of these is an error, of ours or of SQLite's, as its version has it."""

WRITES = (
    "INSERT INTO mine VALUES (1)",
    "UPDATE mine SET a = 2",
    "DELETE FROM mine",
    "REPLACE INTO mine VALUES (1)",
    "INSERT INTO mine SELECT 1 RETURNING a",
    "CREATE TABLE more (a)",
    "DROP TABLE mine",
    "ALTER TABLE mine ADD COLUMN b",
    "CREATE INDEX by_a ON mine (a)",
)


class Odd(BaseException):
    """Something that `except Exception` does not catch."""


async def an_effect_and_its_record_are_one_commit(stores: Stores) -> None:
    durable = await stores.open()
    claim = await _with_table(durable)

    recorded = await durable.checkpointer.transact(claim, "step", _insert(7), stores.clock.time())

    assert (recorded.text, recorded.first) == ('"inserted"', True), f"transact gave {recorded}"
    await stores.kill(durable)
    other = await stores.open()
    assert await _rows(other) == [(7,)], "what the effect wrote is there for everybody"
    assert await _steps(other, claim) == ["table", "step"], "and so is its record"


async def an_effect_that_raises_leaves_nothing(stores: Stores) -> None:
    durable = await stores.open()
    claim = await _with_table(durable)

    for error in (ValueError("mine"), Odd("mine"), sqlite3.IntegrityError("mine")):

        def effect(transaction: Transaction, error: BaseException = error) -> str:
            transaction.execute("INSERT INTO mine VALUES (7)")
            transaction.execute("CREATE TABLE more (a)")
            raise error

        notes = Notes(step="step", progress=Progress(1, 1, ""))
        call = durable.checkpointer.transact(claim, "step", effect, 0.0, notes)
        raised = await refused(type(error), call, "an effect that raises")

        assert raised.args == error.args, f"what the effect raised reaches the caller, not {raised!r}"
        assert await _rows(durable) == [], f"nothing that it wrote is kept after {error!r}"
        assert await _steps(durable, claim) == ["table"], f"nor is a record after {error!r}"
        row = await durable.catalogue.summary("one")
        assert row.progress is None, "nor are the notes that came along"

    recorded = await durable.checkpointer.transact(claim, "step", _insert(8), 0.0)
    assert recorded.first, "afterwards the same step can be done"
    assert await _rows(durable) == [(8,)], "and only what it wrote is there"


async def a_broken_constraint_is_the_effects_own_affair(stores: Stores) -> None:
    durable = await stores.open()
    claim = await _with_table(durable)

    def effect(transaction: Transaction) -> str:
        transaction.execute("INSERT INTO mine VALUES (1)")
        try:
            transaction.execute("INSERT INTO mine VALUES (1)")
        except sqlite3.IntegrityError:
            transaction.execute("INSERT INTO mine VALUES (2)")
        return '"mended"'

    recorded = await durable.checkpointer.transact(claim, "step", effect, 0.0)

    assert recorded.text == '"mended"', "an effect may catch SQLite's errors and go on"
    assert await _rows(durable) == [(1,), (2,)], "and what it wrote besides is kept"


async def the_effect_of_a_recorded_step_does_not_run(stores: Stores) -> None:
    durable = await stores.open()
    claim = await _with_table(durable)
    await durable.checkpointer.record(claim, new("plain", '"recorded"'))
    await durable.checkpointer.transact(claim, "step", _insert(1), 0.0)

    again = await durable.checkpointer.transact(claim, "step", _insert(2), 0.0)
    plain = await durable.checkpointer.transact(claim, "plain", _insert(3), 0.0)

    assert (again.text, again.first) == ('"inserted"', False), f"transact gave {again}"
    assert (plain.text, plain.first) == ('"recorded"', False), "steps of both sorts share their names"
    assert await _rows(durable) == [(1,)], "an effect runs only where its step is not recorded"


async def an_effect_runs_where_only_an_answer_has_its_name(stores: Stores) -> None:
    durable = await stores.open()
    claim = await _with_table(durable)
    await durable.arrive("one", "step", '"early"')

    recorded = await durable.checkpointer.transact(claim, "step", _insert(1), 0.0)

    assert (recorded.text, recorded.first) == ('"inserted"', True), "an answer must not pass for a step"
    (record,) = [
        record
        for record in (await durable.checkpointer.load(claim.workflow)).records
        if record.text == '"inserted"'
    ]
    assert record.kind == Kind.STEP, "a transacted step is recorded as a step"


async def effects_do_not_run_beside_each_other(stores: Stores) -> None:
    durable = await stores.open()
    claim = await _with_table(durable)
    await durable.checkpointer.transact(claim, "zero", _insert(0), 0.0)
    others = [await claimed(durable, f"other-{n}") for n in range(8)]

    def count(transaction: Transaction) -> str:
        (before,) = transaction.execute("SELECT a FROM mine").fetchone() or (None,)
        transaction.execute("UPDATE mine SET a = ?", (before + 1,))
        return "1"

    await asyncio.gather(*(durable.checkpointer.transact(each, "count", count, 0.0) for each in others))

    assert await _rows(durable) == [(8,)], "what an effect read may not change before it writes"


async def one_effect_of_many_at_once_runs(stores: Stores) -> None:
    durable = await stores.open()
    claim = await _with_table(durable)

    recorded = await asyncio.gather(
        *(durable.checkpointer.transact(claim, "step", _insert(n), 0.0) for n in range(6))
    )

    assert sum(each.first for each in recorded) == 1, "one of them stored the record"
    assert len(await _rows(durable)) == 1, "and one effect ran"


async def notes_ride_along_with_an_effect(stores: Stores) -> None:
    durable = await stores.open()
    claim = await _with_table(durable)

    await durable.checkpointer.transact(
        claim, "step", _insert(1), 0.0, Notes(progress=Progress(1, 2, "half"))
    )

    row = await durable.catalogue.summary("one")
    assert row.progress == Progress(1, 2, "half"), f"the notes were not written; the row has {row.progress}"


async def statements_give_their_rows(stores: Stores) -> None:
    durable = await stores.open()
    claim = await _with_table(durable)

    def effect(transaction: Transaction) -> str:
        inserted = transaction.execute("INSERT INTO mine VALUES (:a)", {"a": 1})
        assert inserted.lastrowid == 1, f"lastrowid must be that of the INSERT, not {inserted.lastrowid}"
        many = transaction.executemany("INSERT INTO mine VALUES (?)", ((n,) for n in range(2, 6)))
        assert many.rowcount == 4, f"rowcount must count the inserted rows, not give {many.rowcount}"
        rows = transaction.execute("SELECT a FROM mine WHERE a >= ? ORDER BY a", (1,))
        assert rows.fetchone() == (1,), "fetchone must give the next row"
        assert rows.fetchmany(2) == [(2,), (3,)], "fetchmany must give as many as asked"
        assert list(rows) == [(4,), (5,)], "iterating must give the rest"
        assert rows.fetchone() is None, "and then there is none"
        half = transaction.execute("SELECT a FROM mine")
        assert half.fetchone() is not None, "a statement that is not read to its end must not be in the way"
        return "1"

    await durable.checkpointer.transact(claim, "step", effect, 0.0)
    assert len(await _rows(durable)) == 5, "what was written is there"


async def what_could_break_the_commit_is_refused(stores: Stores) -> None:
    durable = await stores.open()
    claim = await _with_table(durable)

    for sql in REFUSED:
        call = durable.checkpointer.transact(claim, "step", _insert(1, sql), 0.0)
        await refused(EffectRefused, call, f"an effect that runs {sql!r}")
        assert await _rows(durable) == [], f"nothing is kept of an effect that ran {sql!r}"
    for sql in FAILING:
        call = durable.checkpointer.transact(claim, "step", _insert(1, sql), 0.0)
        await refused(Exception, call, f"an effect that runs {sql!r}")
        assert await _rows(durable) == [], f"nothing is kept of an effect that ran {sql!r}"

    assert await _steps(durable, claim) == ["table"], "no refused effect is recorded"
    await durable.checkpointer.transact(claim, "step", _insert(1), 0.0)
    assert await _rows(durable) == [(1,)], "afterwards the store works as before"


async def a_refusal_that_is_swallowed_commits_nothing(stores: Stores) -> None:
    durable = await stores.open()
    claim = await _with_table(durable)

    for sql in (*REFUSED, "INSERT OR ROLLBACK INTO mine VALUES (1)"):

        def effect(transaction: Transaction, sql: str = sql) -> str:
            for each in (
                "INSERT INTO mine VALUES (1)",
                sql,
                "INSERT INTO mine VALUES (2)",
                "DROP TABLE mine",
            ):
                try:
                    transaction.execute(each)
                except Exception:
                    pass
            return "1"

        call = durable.checkpointer.transact(claim, "step", effect, 0.0)
        await refused(EffectRefused, call, f"an effect that swallows the refusal of {sql!r}")
        assert await _rows(durable) == [], f"what followed the refusal of {sql!r} was committed"
        assert await _steps(durable, claim) == ["table"], f"the step that ran {sql!r} was recorded"


async def a_trigger_cannot_end_the_transaction(stores: Stores) -> None:
    durable = await stores.open()
    claim = await _with_table(durable)
    trigger = "CREATE TRIGGER mean BEFORE INSERT ON mine BEGIN SELECT RAISE(ROLLBACK, 'mean'); END"
    await durable.checkpointer.transact(claim, "trigger", _run(trigger, "CREATE TABLE more (a)"), 0.0)

    def effect(transaction: Transaction) -> str:
        transaction.execute("INSERT INTO more VALUES (1)")
        try:
            transaction.execute("INSERT INTO mine VALUES (1)")
        except Exception:
            pass
        try:
            transaction.execute("INSERT INTO more VALUES (2)")
        except Exception:
            pass
        return "1"

    call = durable.checkpointer.transact(claim, "step", effect, 0.0)
    await refused(EffectRefused, call, "an effect whose trigger rolled everything back")
    rows = await durable.checkpointer.query(lambda view: view.execute("SELECT a FROM more").fetchall())
    assert rows == [], f"{rows} was committed outside of the transaction"
    assert await _steps(durable, claim) == ["table", "trigger"], "and no step is recorded that did not happen"


async def a_trigger_cannot_reach_the_engines_tables(stores: Stores) -> None:
    durable = await stores.open()
    claim = await _with_table(durable)
    trigger = "CREATE TRIGGER mean AFTER INSERT ON mine BEGIN DELETE FROM stepfast_workflows; END"

    for step, effect in (("trigger", _run(trigger)), ("step", _insert(1))):
        try:
            await durable.checkpointer.transact(claim, step, effect, 0.0)
        except (EffectRefused, sqlite3.Error):
            pass

    recorded = await durable.checkpointer.record(claim, new("after"))
    assert recorded.first, "the workflow and its claim are as they were"
    assert await _rows(durable) in ([], [(1,)]), "the user's table can be read"


async def an_effect_has_no_road_to_the_connection(stores: Stores) -> None:
    durable = await stores.open()
    claim = await _with_table(durable)
    kept: list[Transaction] = []

    def effect(transaction: Transaction) -> str:
        kept.append(transaction)
        rows: object = transaction.execute("INSERT INTO mine VALUES (1)")
        for each in (transaction, rows):
            public = [getattr(each, name) for name in dir(each) if not name.startswith("_")]
            assert not any(isinstance(one, sqlite3.Connection | sqlite3.Cursor) for one in public), (
                f"{each!r} hands out what is underneath"
            )
            assert not hasattr(each, "connection"), f"{each!r} leads to the connection"
        return "1"

    await durable.checkpointer.transact(claim, "step", effect, 0.0)

    try:
        kept[0].execute("INSERT INTO mine VALUES (2)")
    except EffectRefused:
        pass
    else:
        raise AssertionError("a transaction is good until its effect returns, and not after")
    assert await _rows(durable) == [(1,)], "nothing is written by an effect that has returned"


async def a_query_reads(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    claim = await _with_table(durable)
    await durable.checkpointer.transact(claim, "step", _insert(5), 0.0)

    found = await other.checkpointer.query(
        lambda view: view.execute("SELECT a FROM mine WHERE a = :a", {"a": 5}).fetchall()
    )
    assert found == [(5,)], f"a query sees what was committed, and gave {found}"

    def fail(view: Transaction) -> None:
        raise ValueError("mine")

    await refused(ValueError, durable.checkpointer.query(fail), "a query that raises")
    assert await _rows(durable) == [(5,)], "afterwards the next one reads"


async def a_query_refuses_every_write(stores: Stores) -> None:
    durable = await stores.open()
    claim = await _with_table(durable)
    await durable.checkpointer.transact(claim, "step", _insert(5), 0.0)

    for sql in (*WRITES, *REFUSED):
        call = durable.checkpointer.query(_run(sql))
        await refused(EffectRefused, call, f"a query that runs {sql!r}")
        assert await _rows(durable) == [(5,)], f"a query that ran {sql!r} changed the table"
    for sql in FAILING:
        await refused(Exception, durable.checkpointer.query(_run(sql)), f"a query that runs {sql!r}")

    recorded = await durable.checkpointer.transact(claim, "after", _insert(6), 0.0)
    assert recorded.first, "afterwards an effect may write"


def _run(*statements: str) -> Callable[[Transaction], str]:
    def effect(transaction: Transaction) -> str:
        for sql in statements:
            transaction.execute(sql).fetchall()
        return '"ran"'

    return effect


def _insert(value: int, *more: str) -> Callable[[Transaction], str]:
    def effect(transaction: Transaction) -> str:
        transaction.execute("INSERT INTO mine VALUES (?)", (value,))
        for sql in more:
            transaction.execute(sql)
        return '"inserted"'

    return effect


async def _with_table(durable: Durable) -> Claim:
    """A claim on a workflow whose first step made the table `mine`, which is empty."""
    claim = await claimed(durable, "one")
    await durable.checkpointer.transact(claim, "table", _run("CREATE TABLE mine (a PRIMARY KEY)"), 0.0)
    return claim


async def _rows(durable: Durable) -> list[Row]:
    def read(view: Transaction) -> list[Any]:
        return view.execute("SELECT a FROM mine ORDER BY a").fetchall()

    return await durable.checkpointer.query(read)


async def _steps(durable: Durable, claim: Claim) -> list[str]:
    records = (await durable.checkpointer.load(claim.workflow)).records
    return [record.name for record in records if record.kind == Kind.STEP]
