"""Copies of the file: of one moment, whatever is written meanwhile."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from children import Starter, children, hears, kill
from whole_copies import filler, is_whole, rows

from stepfast import Engine, MemoryDurable, SqliteDurable, connect
from stepfast.definitions.definition import Registry
from stepfast.errors import DiskFailing, DiskFull, InvalidInput, StoreError
from stepfast.sqlite.care import backups, copying
from stepfast.sqlite.care.backups import back_up
from stepfast.sqlite.file.opened import copying as being_copied
from stepfast.sqlite.log.foreign_readers import OldReader
from stepfast.sqlite.reading.snapshots import Snapshots
from stepfast.testing import VirtualClock

pytestmark = pytest.mark.usefixtures("quiet_loop")


@pytest.fixture
async def durable(tmp_path: Path) -> AsyncIterator[SqliteDurable]:
    made = await connect(tmp_path / "work.db")
    await made.start("first", "job", 1, "null")
    yield made
    await made.close()


@pytest.fixture
def child() -> Iterator[Starter]:
    with children("") as start:
        yield start


# --- a copy ---------------------------------------------------------------------------------------


async def test_a_copy_is_one_file_for_its_user_alone_and_needs_nothing_beside_it(
    durable: SqliteDurable, tmp_path: Path
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    before = os.umask(0)
    try:
        copy = await durable.backup(folder / "copy.db")
    finally:
        os.umask(before)
    assert copy == folder / "copy.db" and os.listdir(folder) == ["copy.db"]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert rows(copy, "PRAGMA journal_mode") == [("delete",)], "a log could not be made on a read-only disk"
    assert rows(copy, "PRAGMA auto_vacuum") == [(2,)]
    assert is_whole(copy) and os.listdir(folder) == ["copy.db"]


async def test_in_a_folder_a_name_with_the_moment_is_chosen(tmp_path: Path) -> None:
    clock = VirtualClock(datetime(2026, 11, 29, 3, 15, tzinfo=UTC).timestamp())
    durable = await connect(tmp_path / "work.db", clock=clock)
    assert await durable.backup(tmp_path) == tmp_path / "work-2026-11-29T03-15-00Z.db"
    with pytest.raises(InvalidInput, match="is there already"):
        await durable.backup(tmp_path)
    await durable.close()


WRITER = """
import asyncio
from stepfast import connect
async def main(path, name):
    durable = await connect(path)
    for number in range(100_000):
        await durable.start(f"{name}-{number}", "job", 1, '"' + "x" * 500 + '"')
        if number == 50:
            say("writing")
asyncio.run(main(*sys.argv[1:]))
"""


async def test_copies_made_while_others_write_are_each_of_one_moment(
    durable: SqliteDurable, tmp_path: Path, child: Starter
) -> None:
    writers = [child(WRITER, durable.path, name) for name in ("one", "other")]
    assert [hears(each) for each in writers] == ["writing"] * 2
    sizes = []
    for number in range(6):
        copy, _ = await asyncio.gather(
            durable.backup(tmp_path / f"copy-{number}.db"),
            asyncio.gather(*(durable.start(f"{number}-{each}", "job", 1, "null") for each in range(100))),
        )
        assert is_whole(copy)
        sizes += rows(copy, "SELECT count(*) FROM stepfast_workflows")
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1]
    for each in writers:
        assert each.poll() is None
        kill(each)


async def test_nobody_who_writes_waits_for_a_copy(durable: SqliteDurable, tmp_path: Path) -> None:
    await durable.start("large", "job", 1, json.dumps("x" * 3_000_000))
    copying_now, go_on = threading.Event(), threading.Event()

    def unwanted() -> bool:
        copying_now.set()
        assert go_on.wait(60)
        return False

    copy = asyncio.create_task(
        asyncio.to_thread(back_up, durable.path, tmp_path / "copy.db", unwanted=unwanted)
    )
    await asyncio.to_thread(copying_now.wait, 60)
    for number in range(20):
        await durable.start(f"meanwhile-{number}", "job", 1, "null")
    assert not copy.done()
    go_on.set()
    made, contents = await copy
    assert contents.workflows == 2, "as it was when the copy was begun"
    assert is_whole(made)
    assert (await durable.catalogue.counts())["queued"] == 22


async def test_who_copies_is_not_taken_for_a_reader_that_was_forgotten(durable: SqliteDurable) -> None:
    old = OldReader(durable.path, durable.health, Snapshots(), seconds=0, seconds_if_large=0)
    with being_copied(durable.path):
        for _ in range(3):
            old.seen(7, large=True)
        assert not durable.health.conditions
    old.seen(7, large=True)
    assert [each.kind for each in durable.health.conditions] == ["old-reader"]
    old.gone()


async def test_a_copy_that_nobody_waits_for_any_more_leaves_nothing(
    durable: SqliteDurable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_the_middle, cancelled, ended = threading.Event(), threading.Event(), threading.Event()
    real = copying.copy_database

    def watched(*arguments: Any, unwanted: Callable[[], bool]) -> Any:
        def asked() -> bool:
            in_the_middle.set()
            assert cancelled.wait(60)
            return unwanted()

        try:
            return real(*arguments, unwanted=asked)
        finally:
            ended.set()

    monkeypatch.setattr(backups, "copy_database", watched)
    await durable.start("large", "job", 1, json.dumps("x" * 3_000_000))
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    copy = asyncio.ensure_future(durable.backup(folder / "copy.db"))
    assert await asyncio.to_thread(in_the_middle.wait, 60)
    assert os.listdir(folder) != []
    copy.cancel()
    with pytest.raises(asyncio.CancelledError):
        await copy
    cancelled.set()
    assert await asyncio.to_thread(ended.wait, 60)
    assert os.listdir(folder) == []


@pytest.mark.parametrize("suffix", ["", "-wal", "-journal", "-shm"])
async def test_nothing_that_is_there_is_overwritten_or_taken_for_the_copys_own(
    durable: SqliteDurable, tmp_path: Path, suffix: str
) -> None:
    there = tmp_path / f"copy.db{suffix}"
    there.write_text("my thesis")
    with pytest.raises(InvalidInput, match=f"{there.name} is there already, and nothing is overwritten"):
        await durable.backup(tmp_path / "copy.db")
    assert there.read_text() == "my thesis"
    with pytest.raises(InvalidInput, match="is there already"):
        await durable.backup(durable.path)


async def test_a_name_that_sqlite_uses_is_refused(durable: SqliteDurable, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="a name that SQLite uses itself"):
        await durable.backup(tmp_path / "other.db-wal")


async def test_what_comes_while_it_is_copied_is_not_overwritten_either(
    durable: SqliteDurable, tmp_path: Path
) -> None:
    target = tmp_path / "copy.db"

    def unwanted() -> bool:
        target.write_text("my thesis")
        return False

    with pytest.raises(InvalidInput, match="is there already"):
        await asyncio.to_thread(back_up, durable.path, target, unwanted=unwanted)
    assert target.read_text() == "my thesis"
    assert not list(tmp_path.glob("*.part"))


async def test_a_place_where_no_file_can_be_is_named_with_what_to_do(
    durable: SqliteDurable, tmp_path: Path
) -> None:
    with pytest.raises(StoreError, match=r"missing.copy\.db cannot be written \(No such file"):
        await durable.backup(tmp_path / "missing" / "copy.db")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidInput, match="is there already"):
        await durable.backup(tmp_path / "pipe")


async def test_where_there_is_no_room_nothing_is_begun(
    durable: SqliteDurable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "free_bytes", lambda path: 200_000)
    with pytest.raises(DiskFull, match=r"would have 0\.\d MB, and its disk has 0\.2 MB free"):
        await durable.backup(tmp_path / "copy.db")
    assert not list(tmp_path.glob("*copy*"))


async def test_a_copy_that_does_not_read_as_it_was_written_is_none(
    durable: SqliteDurable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = copying.check_copy

    def after_the_disk_forgot(part: Path) -> Any:
        with part.open("r+b") as file:
            file.seek(3 * 4096)
            file.write(os.urandom(4096))
        return real(part)

    monkeypatch.setattr(copying, "check_copy", after_the_disk_forgot)
    with pytest.raises(DiskFailing, match="does not read as it was written; check its disk"):
        await durable.backup(tmp_path / "copy.db")
    assert not list(tmp_path.glob("*copy*"))
    assert not durable.health.conditions


async def test_an_engine_copies_and_one_in_memory_says_that_there_is_nothing_to_copy(tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "work.db", [filler]) as engine:
        await (await engine.start(filler())).result()
        copy = await engine.backup(str(tmp_path / "copy.db"))
    async with Engine.open(copy, [filler]) as engine:
        assert (await engine.counts())["completed"] == 1
    engine = Engine(MemoryDurable(), Registry([]), VirtualClock())
    with pytest.raises(InvalidInput, match="in no file"):
        await engine.backup(tmp_path / "other.db")
