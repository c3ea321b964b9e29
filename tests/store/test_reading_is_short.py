"""No read transaction outlives what it was begun for: else the write-ahead log could not be let go."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine, Run, Transaction, workflow
from stepfast.errors import StoreError
from stepfast.sqlite.engines import neighbours
from stepfast.sqlite.log import wal
from stepfast.sqlite.store import Store
from stepfast.system.threads import ThreadExit, once

pytestmark = pytest.mark.usefixtures("quiet_loop")


def make(transaction: Transaction) -> None:
    transaction.execute("CREATE TABLE IF NOT EXISTS mine (n INTEGER PRIMARY KEY)")
    transaction.executemany("INSERT INTO mine (n) VALUES (?)", [(n,) for n in range(100)])


@workflow("asks", version=1)
async def asks(run: Run) -> object:
    await run.transact("make", make)
    try:
        return await run.query(QUERY[0])
    finally:
        AFTERWARDS.set()


QUERY: list[Callable[[Transaction], Any]] = []
AFTERWARDS = asyncio.Event()


@pytest.fixture
async def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Engine]:
    """One that copies nothing, and has something in the log: who reads all the same reads the file alone."""
    pace = wal.Pace(idle=1000)
    monkeypatch.setattr(wal, "Pace", lambda: pace)
    AFTERWARDS.clear()
    async with Engine.open(tmp_path / "work.db", [asks]) as made:
        await made.durable.start("written", "asks", 1, "null", at=time.time() + 86_400)
        yield made


def store_of(engine: Engine) -> Store:
    durable: Any = engine.durable
    store: Store = durable._store
    return store


def nobody_reads(engine: Engine) -> bool:
    """Can the log be emptied by somebody who waits for nobody?"""
    assert engine.path is not None
    with closing(sqlite3.connect(engine.path, isolation_level=None, timeout=0)) as connection:
        connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
        busy, pages, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy and pages == 0


async def until_nobody_reads(engine: Engine) -> None:
    """The engine's own threads may be in the middle of something, for a moment."""
    async with asyncio.timeout(60):
        while not nobody_reads(engine):
            await asyncio.sleep(0.01)


async def test_a_transaction_that_is_left_open_is_seen(engine: Engine) -> None:
    assert engine.path is not None
    with closing(sqlite3.connect(engine.path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM stepfast_workflows").fetchall()
        assert not nobody_reads(engine)
    await until_nobody_reads(engine)


def lazily(transaction: Transaction) -> Iterator[tuple[Any, ...]]:
    yield from transaction.execute("SELECT n FROM mine")


def half_read(transaction: Transaction) -> object:
    rows = transaction.execute("SELECT n FROM mine")
    rows.fetchone()
    return rows


def raises(transaction: Transaction) -> None:
    transaction.execute("SELECT n FROM mine").fetchone()
    raise LookupError("of a user's")


def wrong_sql(transaction: Transaction) -> None:
    transaction.execute("SELECT n FROM mine").fetchone()
    transaction.execute("SELECT nothing FROM nowhere")


def refused(transaction: Transaction) -> None:
    transaction.execute("SELECT n FROM mine").fetchone()
    transaction.execute("COMMIT")


def swallows(transaction: Transaction) -> int:
    rows = transaction.execute("SELECT n FROM mine")
    with suppress(Exception):
        transaction.execute("BEGIN")
    return len(rows.fetchall())


def keeps_it(transaction: Transaction) -> int:
    KEPT.append(transaction)
    KEPT.append(transaction.execute("SELECT n FROM mine"))
    return 1


KEPT: list[Any] = []


@pytest.mark.parametrize("query", [lazily, half_read, raises, wrong_sql, refused, swallows, keeps_it])
async def test_a_query_of_a_users(engine: Engine, query: Callable[[Transaction], Any]) -> None:
    """Its value is of no use to a workflow, mostly; what is looked at is what it leaves behind."""
    QUERY[:] = [query]
    handle = await engine.start(asks(), id="w")
    with suppress(Exception):
        await handle.result()
    assert AFTERWARDS.is_set()
    await until_nobody_reads(engine)
    KEPT.clear()


async def test_what_a_lazy_query_gives_is_used_afterwards_and_reads_nothing(engine: Engine) -> None:
    QUERY[:] = [lambda transaction: transaction.execute("SELECT count(*) FROM mine").fetchone()]
    await (await engine.start(asks(), id="w")).result()
    rows = await store_of(engine).readers.run_theirs(lazily)
    with pytest.raises(Exception, match="while it runs"):
        next(rows)
    await until_nobody_reads(engine)


async def test_a_query_whose_caller_is_cancelled(engine: Engine) -> None:
    entered, go_on = threading.Event(), threading.Event()

    def waits(transaction: Transaction) -> int:
        rows = transaction.execute("SELECT n FROM mine").fetchall()
        entered.set()
        go_on.wait(100)
        return len(rows)

    QUERY[:] = [waits]
    handle = await engine.start(asks(), id="w")
    await once(entered.wait)
    await engine.cancel("w")
    go_on.set()
    with suppress(Exception):
        await handle.result()
    await until_nobody_reads(engine)


async def read_all(engine: Engine) -> None:
    await engine.list()
    await engine.history("w")
    await engine.changes(after=0)


@pytest.mark.parametrize("cancelled", [False, True])
async def test_lists_histories_and_changes(engine: Engine, cancelled: bool) -> None:
    QUERY[:] = [lambda transaction: len(transaction.execute("SELECT n FROM mine").fetchall())]
    assert await (await engine.start(asks(), id="w")).result() == 100
    for turns in range(20):
        reading = asyncio.ensure_future(read_all(engine))
        for _ in range(turns):
            await asyncio.sleep(0)
        if cancelled:
            reading.cancel()
        await asyncio.wait({reading})
    await until_nobody_reads(engine)


async def test_a_read_that_raises(engine: Engine) -> None:
    readers = store_of(engine).readers

    def fails(connection: sqlite3.Connection) -> None:
        connection.execute("SELECT * FROM stepfast_workflows").fetchone()
        raise LookupError

    def exits(connection: sqlite3.Connection) -> None:
        connection.execute("SELECT * FROM stepfast_workflows").fetchone()
        raise SystemExit

    def interrupted(connection: sqlite3.Connection) -> None:
        connection.set_progress_handler(lambda: 1, 1)
        try:
            connection.execute("SELECT count(*) FROM stepfast_workflows a, stepfast_workflows b").fetchall()
        finally:
            connection.set_progress_handler(None, 0)

    for read, error in ((fails, LookupError), (exits, ThreadExit), (interrupted, StoreError)):
        with pytest.raises(error):
            await readers.run(read)
    await until_nobody_reads(engine)


async def test_the_look_at_what_other_programs_wrote(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    store = store_of(engine)
    await engine.until_idle()
    await store.neighbours.poll()
    while store._ringing:  # who is to be told of what was written is looked up, and would meet the error
        await asyncio.sleep(0.001)
    await until_nobody_reads(engine)

    def sweep(*_arguments: object) -> None:
        raise LookupError

    monkeypatch.setattr(neighbours, "sweep", sweep)
    with pytest.raises(LookupError):
        await store.neighbours.dead(anew=True)
    await until_nobody_reads(engine)
    monkeypatch.undo()  # the end looks once more
