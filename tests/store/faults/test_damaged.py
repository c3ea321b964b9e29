"""Pages that are not what SQLite wrote: nothing is written any more, until the file is mended."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from patient import as_is, booked, chain, gates, patient, records, soon, takes_nothing, whole

from stepfast import Transaction, connect
from stepfast.errors import Damaged
from stepfast.sqlite.log import wal

pytestmark = pytest.mark.usefixtures("quiet_loop")

PAGE = 4096
GARBAGE = os.urandom(PAGE // 2) * 2


class Pages:
    """The pages of a table of a file, overwritten behind SQLite's back and put back."""

    def __init__(self, path: Path, *names: str) -> None:
        # All that is in the log goes into the file first: what is in the log is read from there.
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            assert connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
            sql = "SELECT rootpage FROM sqlite_schema WHERE tbl_name IN (SELECT value FROM json_each(?))"
            roots = [page for (page,) in connection.execute(sql, ('["' + '","'.join(names) + '"]',))]
        self._path = path
        self._pages = [page for page in roots if page]
        self._before = [self._read(page) for page in self._pages]

    def overwrite(self) -> None:
        for page in self._pages:
            self._write(page, GARBAGE)

    def put_back(self) -> None:
        for page, before in zip(self._pages, self._before, strict=True):
            self._write(page, before)

    # By a process of its own: closing the file in this one would drop the locks that SQLite has on it.
    def _read(self, page: int) -> bytes:
        return _elsewhere(f"dd if={self._path} bs={PAGE} skip={page - 1} count=1 status=none")

    def _write(self, page: int, content: bytes) -> None:
        _elsewhere(f"dd of={self._path} bs={PAGE} seek={page - 1} conv=notrunc status=none", content)


def _elsewhere(command: str, given: bytes = b"") -> bytes:
    return subprocess.run(command.split(), input=given, check=True, capture_output=True).stdout


async def test_a_page_that_a_write_runs_into_stops_everything_until_it_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    async with patient(path, tmp_path) as ill:
        await ill.in_the_middle()
        await soon(ill, "due")
        pages = Pages(path, "stepfast_records")
        pages.overwrite()
        forget_cached(ill)
        gates["open"].set()
        condition = await ill.has("damaged")
        assert condition.stops_work and str(path) in condition.message
        assert "stepfast doctor" in condition.message
        with pytest.raises(Damaged, match="is damaged"):
            await ill.engine.start(chain(), id="refused")
        await takes_nothing(ill, "due")
        pages.put_back()
        await ill.well()
        await ill.finishes()
        await ill.finishes("due", 2)
        assert set(ill.ran().values()) == {1}
        assert len(ill.log) == 2 and "going on" in ill.log[1], ill.log
    assert records(path, "middle") == ["step-0", "step-1", "booked", "step-2"]
    assert booked(path) == ["middle"] and whole(path)


async def test_a_page_that_only_a_read_runs_into_stops_the_writing_too(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    async with patient(path, tmp_path) as ill:
        await ill.in_the_middle()
        pages = Pages(path, "stepfast_log")
        pages.overwrite()
        with pytest.raises(Damaged, match="is damaged"):
            await ill.engine.log("middle")
        await ill.has("damaged")
        with pytest.raises(Damaged):
            await ill.engine.start(chain(), id="refused")
        pages.put_back()
        await ill.well()
        gates["open"].set()
        await ill.finishes()
        assert [line.text for line in await ill.engine.log("middle")] == [
            "before the gate",
            "behind the gate",
        ]


@pytest.mark.parametrize("swallowed", [False, True])
async def test_a_page_of_a_users_table_that_an_effect_comes_upon_is_damage_too(
    tmp_path: Path, swallowed: bool
) -> None:
    path = tmp_path / "work.db"
    durable = await connect(path)
    await durable.start("one", "job", 1, "null")
    claim = await durable.checkpointer.claim("one")
    assert claim is not None

    def tables(transaction: Transaction) -> str:
        for table in ("whole", "broken"):
            transaction.execute(f"CREATE TABLE {table} (n)")
            transaction.execute(f"INSERT INTO {table} VALUES (1)")
        return "1"

    def read(transaction: Transaction) -> str:
        # The first row is read at once, and what is broken only with the second.
        rows = transaction.execute("SELECT n FROM whole UNION ALL SELECT n FROM broken")
        with suppress(*[sqlite3.DatabaseError] * swallowed):
            rows.fetchall()
        return "1"

    await durable.checkpointer.transact(claim, "tables", tables, 0.0)
    Pages(path, "broken").overwrite()
    with pytest.raises(Damaged):
        await durable.checkpointer.query(read)
    with pytest.raises(Damaged):
        await durable.checkpointer.transact(claim, "read", read, 0.0)
    assert durable.health.has("damaged")
    assert [each.name for each in await durable.catalogue.history("one")] == ["tables"]
    await durable.close()


@pytest.mark.parametrize("what", ["a page", "the first page"])
async def test_a_damaged_file_is_left_as_it_is_to_the_byte_also_by_quitting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    pace = wal.Pace(idle=1000)  # so that nothing is being copied when it is noticed
    monkeypatch.setattr(wal, "Pace", lambda: pace)
    path = tmp_path / "work.db"
    async with patient(path, tmp_path) as ill:
        await ill.in_the_middle()
        pages = Pages(path, "stepfast_log" if what == "a page" else "sqlite_schema")
        if what == "the first page":
            pages._pages = [1]
        pages.overwrite()
        forget_cached(ill)
        gates["open"].set()
        for number in range(100):
            with suppress(Damaged):
                await ill.engine.log("middle")
                await ill.engine.start(chain(1), id=f"more-{number}")
        await ill.has("damaged")
        with pytest.raises(Damaged):  # behind a commit that was under way when a reader came upon it
            await ill.engine.start(chain(1), id="one-more")
        before = as_is(path)
    assert as_is(path) == before


def forget_cached(ill: Any) -> None:
    """Have every connection read its pages again: a machine that was off would too."""
    store = ill.engine.durable._store
    connection = store.writer.transacting.connection
    connection.execute("PRAGMA shrink_memory")
