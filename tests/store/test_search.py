"""The search of a file: its index, what a SQLite without FTS5 does, and what becomes of what is deleted."""

from __future__ import annotations

import _sqlite3
import ctypes
import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from stepfast import SqliteDurable, connect
from stepfast.body.run import Transaction
from stepfast.finding import findable, folded
from stepfast.interfaces import Kind, NewRecord
from stepfast.sqlite.file.opening import reading_connection, writing_connection
from stepfast.sqlite.reading import search
from stepfast.views import Filter


def drop_fts5(connection: sqlite3.Connection) -> sqlite3.Connection:
    """The connection as a SQLite has it that was built without FTS5 (sqlite.org/c3ref/drop_modules.html)."""
    library = ctypes.CDLL(_sqlite3.__file__)
    library.sqlite3_drop_modules.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_char_p)]
    # A connection of Python's begins with its `sqlite3 *db`.
    handle = ctypes.c_void_p.from_address(id(connection) + object.__basicsize__)
    kept = (ctypes.c_char_p * 3)(b"json_each", b"json_tree", None)
    assert library.sqlite3_drop_modules(handle, kept) == 0
    modules = {name for (name,) in connection.execute("SELECT name FROM pragma_module_list")}
    assert "json_each" in modules and "fts5" not in modules
    return connection


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(search, "AT_ONCE", 5)
    # However many have it, an index is asked.
    monkeypatch.setattr(search, "SCAN_FROM", 1)
    return tmp_path / "work.db"


@asynccontextmanager
async def opened(path: Path, *, fts5: bool = True) -> AsyncIterator[SqliteDurable]:
    with pytest.MonkeyPatch.context() as patch:
        for name, make in (("reading", reading_connection), ("writing", writing_connection)):
            patch.setattr(f"stepfast.sqlite.store.{name}_connection", make if fts5 else without_fts5(make))
        durable = await connect(path)
        try:
            yield durable
        finally:
            await durable.close()


def without_fts5(make: Callable[..., sqlite3.Connection]) -> Callable[..., sqlite3.Connection]:
    return lambda *arguments, **options: drop_fts5(make(*arguments, **options))


async def found(durable: SqliteDurable, text: str) -> set[str]:
    return {row.id for row in await durable.catalogue.list(Filter(text=text), limit=1000)}


async def keep_up(durable: SqliteDurable) -> int:
    """Have the index brought up to date; how many commits did that take?"""
    pieces = 1
    while await search.index_search(durable._store):
        pieces += 1
    return pieces


def query(path: Path, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return connection.execute(sql, parameters).fetchall()


def indexed(path: Path, text: str) -> int:
    """How many workflows the index has with these three letters, living or not."""
    ((count,),) = query(
        path, "SELECT count(*) FROM stepfast_search WHERE stepfast_search MATCH ?", f'"{text}"'
    )
    return int(count)


def terms(path: Path) -> set[str]:
    """Everything the index knows, in threes."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab (main, stepfast_search, row)")
        return {term for (term,) in connection.execute("SELECT term FROM temp.terms")}


async def test_the_index_is_made_little_by_little_and_then_used(path: Path) -> None:
    async with opened(path) as durable:
        for n in range(23):
            await durable.start(f"release {n}", "job", 1, "null")
        assert await found(durable, "release 7") == {"release 7"}, "before there is an index"
        assert await keep_up(durable) >= 4
        assert indexed(path, "rel") >= 20, "all but the last few"
        await durable.start("release 77", "job", 1, "null")

        asked: list[str] = []
        await durable._store.readers.run(lambda connection: connection.set_trace_callback(asked.append))
        assert await found(durable, "release 7") == {"release 7", "release 77"}, "and what is not in it yet"
        assert any("MATCH" in sql for sql in asked), "the index was asked"
        asked.clear()
        assert await found(durable, "e 7") == {"release 7", "release 77"}
        assert await found(durable, "7") == {"release 7", "release 17", "release 77"}
        assert not any("MATCH" in sql and "'7'" in sql for sql in asked), "it knows nothing of one letter"


async def test_nothing_is_done_for_a_few(path: Path) -> None:
    async with opened(path) as durable:
        for n in range(4):
            await durable.start(f"w{n}", "job", 1, "null")
        assert await search.index_search(durable._store) is False
        assert query(path, "SELECT searchable FROM stepfast_meta") == [(0,)]


async def test_what_is_deleted_leaves_the_index_with_the_next_upkeep(path: Path) -> None:
    async with opened(path) as durable:
        for n in range(10):
            await durable.start(f"secret {n}" if n % 2 else f"plain {n}", "job", 1, "null")
        await keep_up(durable)
        assert "sec" in terms(path)
        for n in range(1, 10, 2):
            await durable.delete(f"secret {n}")
        assert await found(durable, "secret") == set(), "at once"
        await keep_up(durable)
        assert "sec" not in terms(path) and "pla" in terms(path)
        assert query(path, "SELECT * FROM stepfast_unfindable") == []
        assert query(path, "SELECT count(*) FROM stepfast_findable") == [(5,)]
        await durable.start("secret 1", "job", 1, "null")
        assert await found(durable, "secret") == {"secret 1"}, "the id may come again"


async def test_a_sqlite_without_fts5_opens_reads_and_writes_a_file_with_an_index(path: Path) -> None:
    async with opened(path) as durable:
        for n in range(10):
            await durable.start(f"release {n}", "job", 1, "null")
        await keep_up(durable)
        assert indexed(path, "rel") == 10

    async with opened(path, fts5=False) as durable:
        assert await search.index_search(durable._store) is False
        for n in range(10, 20):
            await durable.start(f"release {n}", "job", 1, "null")
        for n in range(6):
            await durable.delete(f"release {n}")
        assert await found(durable, "release 1") == {f"release {n}" for n in range(10, 20)}
        assert await found(durable, "release 0") == set()
        assert await search.index_search(durable._store) is False, "and says that it is done"
        claim = await durable.checkpointer.claim("release 19")
        assert claim is not None
        await durable.checkpointer.record(claim, NewRecord(Kind.STEP, "s", "1", 0.0))

    async with opened(path) as durable:
        assert await found(durable, "release 1") == {f"release {n}" for n in range(10, 20)}
        await keep_up(durable)
        assert indexed(path, "rel") == 14
        assert await found(durable, "release") == {f"release {n}" for n in range(6, 20)}


async def test_a_file_made_without_fts5_is_indexed_by_a_program_that_has_it(path: Path) -> None:
    async with opened(path, fts5=False) as durable:
        for n in range(10):
            await durable.start(f"release {n}", "job", 1, "null")
        for n in range(5):
            await durable.delete(f"release {n}")
        assert query(path, "SELECT * FROM stepfast_unfindable") == [], "nothing waits that nobody will fetch"
        assert await found(durable, "release 7") == {"release 7"}
        async with opened(path) as other:
            await keep_up(other)
            assert indexed(path, "rel") == 5
        assert await found(durable, "release 7") == {"release 7"}, "also beside it"


async def test_an_index_that_is_lost_is_made_anew(path: Path) -> None:
    async with opened(path) as durable:
        for n in range(10):
            await durable.start(f"release {n}", "job", 1, "null")
        await keep_up(durable)
        await durable.delete("release 0")
        query(path, "DROP TABLE stepfast_search")
        assert await found(durable, "release 7") == {"release 7"}, "without it, all is scanned"
        for n in range(10, 20):
            await durable.start(f"release {n}", "job", 1, "null")
        await keep_up(durable)
        assert indexed(path, "rel") >= 15, "all but the last few"
        assert await found(durable, "release 1") == {"release 1"} | {f"release {n}" for n in range(10, 20)}


async def test_an_index_that_comes_while_an_effect_alters_a_table_disturbs_it_not(path: Path) -> None:
    def make(transaction: Transaction) -> str:
        transaction.execute("CREATE TABLE mine (a)")
        return "1"

    def alter(transaction: Transaction) -> str:
        transaction.execute("ALTER TABLE mine ADD COLUMN b")
        return "1"

    async with opened(path) as durable, opened(path) as other:
        await durable.start("w", "job", 1, "null")
        claim = await durable.checkpointer.claim("w")
        assert claim is not None
        await durable.checkpointer.transact(claim, "make", make, 0.0)
        for n in range(10):
            await other.start(f"release {n}", "job", 1, "null")
        await keep_up(other)
        assert indexed(path, "rel") > 5
        assert (await durable.checkpointer.transact(claim, "alter", alter, 0.0)).first


@pytest.mark.parametrize(("text", "others"), [("1", False), ("e", True), ("old", False), ("new", True)])
async def test_everything_is_looked_through_once_whatever_the_first_few_have(
    path: Path, text: str, others: bool
) -> None:
    """Names that are counted up, or were changed at some time, are other ones at the beginning."""
    async with opened(path) as durable:
        names = [f"{'old' if n < 250 else 'new'} {n}" for n in range(5000)]
        query(
            path, "INSERT INTO stepfast_findable SELECT key + 1, value FROM json_each(?)", json.dumps(names)
        )
        scans: list[str] = []

        def look(connection: sqlite3.Connection) -> search.Found | None:
            connection.set_trace_callback(
                lambda sql: scans.append(sql) if "group_concat" in sql and "instr" in sql else None
            )
            return search.find(connection, text, len(names))

        found = await durable._store.readers.run(look)
        assert found is not None and found.others is others
        assert [*found.array] == [n for n, name in enumerate(names, 1) if (text in name) is not others]
        assert found.known == len(found.array)
        assert len(scans) == 1


@pytest.mark.parametrize(
    "text", ["ẞ", "İstanbul", "ﬁn", "\u1e9b\u0323", "e\u0301\u0327", "ΌΣΟΣ", "Ǆ", "한글", "\0\x1f"]
)
def test_folding_once_is_enough_and_gives_what_sqlite_can_keep(text: str) -> None:
    once = folded(text)
    assert folded(once) == once
    assert folded(text.upper()) == folded(text.lower()) or text == "İstanbul"
    assert "\0" not in once and "\x1f" not in once
    once.encode()


@pytest.mark.parametrize("code", range(128))
def test_a_character_is_looked_for_in_one_way_whatever_is_beside_it(code: int) -> None:
    assert folded(chr(code) + "Д") == folded(chr(code)) + folded("Д")


def test_what_can_be_found_is_id_and_name_apart() -> None:
    assert folded("ID") in findable("my id", "name")
    assert folded("dn") not in findable("my id", "name")
    assert folded("d\x1fn") not in findable("my id", "name")
