"""Effects and queries are contained: SQL over the user's own tables, and nothing else.

An effect is code of a user's. It must not end the transaction that it is part of, change the connection
under it or name a table of the engine's; and no query writes.
"""

from __future__ import annotations

import sqlite3

from stepfast.body.run import Transaction
from stepfast.errors import EffectRefused
from stepfast.testing.contract.stores import Stores, new, refused
from stepfast.testing.contract.tables import insert, rows_of, run, steps_of, with_table

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
    "DROP TABLE stepfast_workflows",
    "ALTER TABLE stepfast_workflows ADD COLUMN mine",
    "CREATE INDEX mean ON stepfast_workflows (id)",
    "CREATE TRIGGER mean AFTER UPDATE ON stepfast_workflows BEGIN SELECT 1; END",
    "CREATE TABLE more AS SELECT * FROM stepfast_workflows",
    "UPDATE sqlite_master SET sql = ''",
    "SELECT * FROM pragma_table_info('mine')",
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


async def what_could_break_the_commit_is_refused(stores: Stores) -> None:
    durable = await stores.open()
    claim = await with_table(durable)

    for sql in REFUSED:
        call = durable.checkpointer.transact(claim, "step", insert(1, sql), 0.0)
        await refused(EffectRefused, call, f"an effect that runs {sql!r}")
        assert await rows_of(durable) == [], f"nothing is kept of an effect that ran {sql!r}"
    for sql in FAILING:
        call = durable.checkpointer.transact(claim, "step", insert(1, sql), 0.0)
        await refused(Exception, call, f"an effect that runs {sql!r}")
        assert await rows_of(durable) == [], f"nothing is kept of an effect that ran {sql!r}"

    assert await steps_of(durable, claim) == ["table"], "no refused effect is recorded"
    await durable.checkpointer.transact(claim, "step", insert(1), 0.0)
    assert await rows_of(durable) == [(1,)], "afterwards the store works as before"


async def a_refusal_that_is_swallowed_commits_nothing(stores: Stores) -> None:
    durable = await stores.open()
    claim = await with_table(durable)

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
        assert await rows_of(durable) == [], f"what followed the refusal of {sql!r} was committed"
        assert await steps_of(durable, claim) == ["table"], f"the step that ran {sql!r} was recorded"


async def a_trigger_cannot_end_the_transaction(stores: Stores) -> None:
    durable = await stores.open()
    claim = await with_table(durable)
    trigger = "CREATE TRIGGER mean BEFORE INSERT ON mine BEGIN SELECT RAISE(ROLLBACK, 'mean'); END"
    await durable.checkpointer.transact(claim, "trigger", run(trigger, "CREATE TABLE more (a)"), 0.0)

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
    assert await steps_of(durable, claim) == ["table", "trigger"], (
        "and no step is recorded that did not happen"
    )


async def a_trigger_cannot_reach_the_engines_tables(stores: Stores) -> None:
    durable = await stores.open()
    claim = await with_table(durable)
    trigger = "CREATE TRIGGER mean AFTER INSERT ON mine BEGIN DELETE FROM stepfast_workflows; END"

    for step, effect in (("trigger", run(trigger)), ("step", insert(1))):
        try:
            await durable.checkpointer.transact(claim, step, effect, 0.0)
        except (EffectRefused, sqlite3.Error):
            pass

    recorded = await durable.checkpointer.record(claim, new("after"))
    assert recorded.first, "the workflow and its claim are as they were"
    assert await rows_of(durable) in ([], [(1,)]), "the user's table can be read"


async def a_view_does_not_show_the_engines_tables(stores: Stores) -> None:
    durable = await stores.open()
    claim = await with_table(durable)
    view = "CREATE VIEW mean AS SELECT * FROM stepfast_workflows"
    try:
        await durable.checkpointer.transact(claim, "view", run(view), 0.0)
    except (EffectRefused, sqlite3.Error):
        pass

    peek = run("SELECT * FROM mean")
    await refused(Exception, durable.checkpointer.query(peek), "a query of a view of the engine's tables")
    call = durable.checkpointer.transact(claim, "peek", peek, 0.0)
    await refused(Exception, call, "an effect that reads a view of the engine's tables")


async def an_effect_has_no_road_to_the_connection(stores: Stores) -> None:
    durable = await stores.open()
    claim = await with_table(durable)
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
    assert await rows_of(durable) == [(1,)], "nothing is written by an effect that has returned"


async def a_query_refuses_every_write(stores: Stores) -> None:
    durable = await stores.open()
    claim = await with_table(durable)
    await durable.checkpointer.transact(claim, "step", insert(5), 0.0)

    for sql in (*WRITES, *REFUSED):
        call = durable.checkpointer.query(run(sql))
        await refused(EffectRefused, call, f"a query that runs {sql!r}")
        assert await rows_of(durable) == [(5,)], f"a query that ran {sql!r} changed the table"
    for sql in FAILING:
        await refused(Exception, durable.checkpointer.query(run(sql)), f"a query that runs {sql!r}")

    recorded = await durable.checkpointer.transact(claim, "after", insert(6), 0.0)
    assert recorded.first, "afterwards an effect may write"
