"""Constraints, triggers and views that reach from a user's tables to the engine's, or to a commit's end."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stepfast import EffectRefused, Transaction
from stepfast.sqlite.file.opening import reading_connection, writing_connection

pytestmark = pytest.mark.usefixtures("quiet_loop")


async def transact(bench: Any, claim: Any, name: str, *sql: str) -> Any:
    def effect(transaction: Transaction) -> str:
        for each in sql:
            transaction.execute(each)
        return "1"

    return await bench.durable.checkpointer.transact(claim, name, effect, 0.0)


@pytest.mark.parametrize("connect", [writing_connection, reading_connection])
def test_foreign_keys_are_not_enforced_whatever_this_sqlite_was_built_with(
    tmp_path: Path, connect: Any
) -> None:
    file = tmp_path / "work.db"
    sqlite3.connect(file).close()
    file.touch()
    with closing(writing_connection(file)), closing(connect(file)) as connection:
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (0,)


@pytest.mark.parametrize(
    "action", ["RESTRICT", "CASCADE", "SET NULL", "NO ACTION DEFERRABLE INITIALLY DEFERRED"]
)
async def test_a_foreign_key_to_a_table_of_the_engines_holds_nothing_up_and_takes_nothing_along(
    bench: Any, action: str
) -> None:
    claim = await bench.claim()
    await transact(
        bench,
        claim,
        "tables",
        f"CREATE TABLE mine (id TEXT REFERENCES stepfast_workflows(id) ON DELETE {action})",
        "INSERT INTO mine VALUES ('w'), ('nobody')",
    )
    await bench.durable.delete("w")
    assert bench.rows("SELECT id FROM mine") == [("w",), ("nobody",)]


async def test_a_deferred_constraint_fails_no_commit_and_no_neighbour(bench: Any) -> None:
    claim = await bench.claim()
    await transact(
        bench,
        claim,
        "tables",
        "CREATE TABLE mine (n INTEGER PRIMARY KEY, of INTEGER REFERENCES mine DEFERRABLE INITIALLY DEFERRED)",
    )
    assert (await transact(bench, claim, "orphan", "INSERT INTO mine VALUES (1, 99)")).first
    with pytest.raises(EffectRefused):
        await transact(bench, claim, "switch", "PRAGMA defer_foreign_keys = ON")
    assert await bench.recorded() == ["tables", "orphan"]


TRIGGERS = [
    "UPDATE stepfast_meta SET counter = 0",
    "DELETE FROM stepfast_records",
    "UPDATE stepfast_workflows SET state = 'completed', finished_at = 0, token = NULL",
    "INSERT INTO mine SELECT key, input FROM stepfast_workflows JOIN stepfast_payloads ON workflow = key",
    "SELECT RAISE(ROLLBACK, 'all of it')",
]


@pytest.mark.parametrize("body", TRIGGERS)
async def test_a_trigger_that_another_program_made_on_a_users_table_stays_inside_the_fence(
    bench: Any, body: str
) -> None:
    claim = await bench.claim()
    await transact(bench, claim, "tables", "CREATE TABLE mine (n INTEGER, text TEXT)")
    bench.rows(f"CREATE TRIGGER theirs AFTER INSERT ON mine BEGIN {body}; END")
    before = bench.rows("SELECT * FROM stepfast_workflows"), bench.rows("SELECT * FROM stepfast_records")
    with pytest.raises((EffectRefused, sqlite3.Error)):
        await transact(bench, claim, "step", "INSERT INTO mine VALUES (1, '')")
    assert bench.rows("SELECT * FROM mine") == []
    assert (
        bench.rows("SELECT * FROM stepfast_workflows"),
        bench.rows("SELECT * FROM stepfast_records"),
    ) == before
    bench.rows("DROP TRIGGER theirs")
    assert (await transact(bench, claim, "step", "INSERT INTO mine VALUES (1, '')")).first


async def test_a_view_over_the_engines_tables_may_be_made_and_not_be_read(bench: Any) -> None:
    claim = await bench.claim()
    await transact(bench, claim, "view", "CREATE VIEW mine AS SELECT input FROM stepfast_payloads")
    with pytest.raises(EffectRefused):
        await transact(bench, claim, "read", "SELECT * FROM mine")
    with pytest.raises(EffectRefused):
        await bench.durable.checkpointer.query(lambda each: each.execute("SELECT * FROM mine").fetchall())


async def test_a_virtual_table_over_the_engines_tables_cannot_be_read(bench: Any) -> None:
    claim = await bench.claim()
    table = "CREATE VIRTUAL TABLE mine USING fts4 (content='stepfast_payloads', input)"
    await transact(bench, claim, "table", table)
    for sql in ("SELECT input FROM mine", "INSERT INTO mine (mine) VALUES ('rebuild')"):
        with pytest.raises((EffectRefused, sqlite3.Error)):
            await transact(bench, claim, "read", sql)
    with pytest.raises((EffectRefused, sqlite3.Error)):
        await bench.durable.checkpointer.query(lambda each: each.execute("SELECT * FROM mine").fetchall())


async def test_a_trigger_on_a_table_of_the_engines_fails_what_touches_it_and_nobody_else(bench: Any) -> None:
    """Another program's own doing; what it breaks says so, and its neighbours are carried out."""
    claim = await bench.claim()
    await bench.durable.start("other", "job", 1, "null")
    bench.rows(
        "CREATE TRIGGER theirs BEFORE INSERT ON stepfast_messages"
        " BEGIN SELECT RAISE(ROLLBACK, 'not here'); END"
    )
    with pytest.raises(sqlite3.Error, match="not here"):
        await bench.durable.deliver("other", "1")
    assert (await transact(bench, claim, "step", "CREATE TABLE mine (n)")).first
    assert await bench.state("other") == "queued"
