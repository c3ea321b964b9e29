"""Files with very many workflows: one of each kind is made by the engine, the rest are copies of its rows.

Whatever columns, triggers and counts the tables have, a copy is a row as the engine writes it. Only what
must differ does: the id, the times, and the numbers that come from the file's one counter. (A position need
not: it orders what belongs to one workflow.)
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

from stepfast import Definition, Engine, Run, workflow

__all__ = ["fill"]

FROM_THE_COUNTER = {"key", "workflow", "receipt", "place", "change"}
APART = 0.01
"""Seconds between two copies; the last is as old as what was copied."""


@workflow("filled-completed")
async def completed(run: Run) -> str:
    return await run.step("only", result)


async def result() -> str:
    return "a result of a usual length, say"


@workflow("filled-sleeping")
async def sleeping(run: Run) -> None:
    await run.sleep("long", timedelta(days=365))


@workflow("filled-waiting")
async def waiting(run: Run) -> None:
    await run.awaiting("go")


@workflow("filled-queued")
async def queued(run: Run) -> None:
    """Nobody offers it, so it stays queued."""


KINDS: dict[str, Definition[[], Any]] = {
    "completed": completed,
    "sleeping": sleeping,
    "waiting": waiting,
    "queued": queued,
}


async def fill(path: Path, **counts: int) -> None:
    """Make a file with so many workflows in each state, with ids like `queued-17`.

    Args:
        path: the file.
        counts: how many `completed`, `sleeping`, `waiting`, `queued`.
    """
    async with Engine.open(path, [completed, sleeping, waiting]) as engine:
        for state in counts:
            await engine.start(KINDS[state](), id=f"{state}-0")
        await engine.until_idle()
        for state in counts:
            assert (await engine.summary(f"{state}-0")).state.name == state
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        # Nobody else has it open, and a file that is half made is of no use: no journal.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA cache_size = -200000")
        connection.execute("BEGIN")
        (stride,) = connection.execute("SELECT counter FROM stepfast_meta").fetchone()
        made = 0
        for state, count in counts.items():
            copies = count - 1
            _copy(connection, f"{state}-0", state, range(made + 1, made + 1 + copies), stride)
            made += copies
        connection.execute("UPDATE stepfast_meta SET counter = counter * ?", (made + 1,))
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")
    async with Engine.open(path, work=False) as engine:
        await engine.sweep()  # what is done in the background otherwise, such as an index for search


def _copy(connection: sqlite3.Connection, template: str, prefix: str, copies: range, stride: int) -> None:
    """Copy what there is of a workflow; the numbers of copy n are those of the template + n * stride."""
    (key,) = connection.execute("SELECT key FROM stepfast_workflows WHERE id = ?", (template,)).fetchone()
    for table, owner in _tables(connection):
        rows = connection.execute(f"SELECT * FROM {table} WHERE {owner} = ?", (key,))
        columns = [each[0] for each in rows.description]
        for row in rows.fetchall():
            values = [_value(column, value, template) for column, value in zip(columns, row, strict=True)]
            connection.execute(
                "WITH RECURSIVE numbers (n) AS "
                "(SELECT :first WHERE :last >= :first UNION ALL SELECT n + 1 FROM numbers WHERE n < :last) "
                f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(values)} FROM numbers",
                {
                    **dict(zip(columns, row, strict=True)),
                    "first": copies.start,
                    "last": copies.stop - 1,
                    "template": template,
                    "prefix": prefix,
                    "stride": stride,
                },
            )


def _value(column: str, value: object, template: str) -> str:
    """What a column of copy number n holds, as SQL over the template's values."""
    if isinstance(value, str) and template in value:
        return f"replace(:{column}, :template, :prefix || '-' || (n - :first + 1))"
    if column in FROM_THE_COUNTER:
        return f":{column} + n * :stride"
    if column.endswith("_at"):
        return f":{column} - (:last - n) * {APART}"
    return f":{column}"


def _tables(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """The engine's tables that hold something of a workflow, with the column that says of which."""
    yield "stepfast_workflows", "key"
    found = connection.execute(
        "SELECT t.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' "
        "AND t.name LIKE 'stepfast%' AND t.sql NOT LIKE 'CREATE VIRTUAL%' AND c.name = 'workflow'"
    )
    for (table,) in found.fetchall():
        yield table, "workflow"
