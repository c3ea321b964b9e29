"""A disk that is really full while a file is migrated, backed up or put back: the file is as it was."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stepfast import connect, migrate, restore
from stepfast.errors import DiskFull
from stepfast.sqlite.care import backups, copying
from stepfast.sqlite.care.backups import back_up, backups_folder, backups_of
from stepfast.sqlite.schema import CURRENT

pytestmark = pytest.mark.usefixtures("quiet_loop")

FROZEN = Path(__file__).parents[2] / "data" / "schema-1.db"


def old_file(folder: Path, size: int) -> Path:
    """A file of schema 1 with about so many bytes."""
    path = Path(shutil.copy(FROZEN, folder / "work.db"))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (value)")
        connection.execute("INSERT INTO theirs VALUES (zeroblob(?))", (size,))
        connection.commit()
    return path


def is_untouched(path: Path, before: bytes) -> bool:
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as connection:
        whole = connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        version = connection.execute("SELECT version FROM stepfast_meta").fetchone()
    # But for the two bytes that say that it has a log.
    return whole and version == (1,) and path.read_bytes()[100:] == before[100:]


@pytest.mark.parametrize("known", [True, False], ids=["seen before", "in the middle"])
async def test_where_the_backup_before_a_migration_has_no_room_nothing_is_migrated(
    small_disk: Any, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    path = old_file(small_disk.folder, 1_100_000)
    before = path.read_bytes()
    if not known:
        monkeypatch.setattr(copying, "free_bytes", lambda path: None)
    for _ in range(2):
        with pytest.raises(
            DiskFull, match=r"backed up before that: .*; free some space .*; the file is as it"
        ):
            migrate(path)
        assert is_untouched(path, before)
        assert list(backups_folder(path).iterdir()) == [], "nothing is left half-made"
    small_disk.remount("size=10m")
    assert migrate(path) == 1
    assert len(backups_of(path)) == 1


async def test_where_the_migration_itself_has_no_room_nothing_of_it_is_there(
    small_disk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = old_file(small_disk.folder, 100)
    before = path.read_bytes()
    real = backups.back_up_before_migration

    def then_the_disk_fills(*arguments: Any) -> Any:
        made = real(*arguments)
        small_disk.fill()
        return made

    monkeypatch.setattr(backups, "back_up_before_migration", then_the_disk_fills)
    monkeypatch.setattr(copying, "MARGIN", 0)
    with pytest.raises(DiskFull, match=r"is full; free some space there, nothing recorded is lost"):
        migrate(path)
    monkeypatch.undo()
    assert is_untouched(path, before)
    small_disk.empty()
    small_disk.remount("size=10m")
    assert migrate(path) == 1 and migrate(path) == CURRENT


async def test_a_copy_to_a_full_disk_leaves_nothing_there(
    small_disk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    durable = await connect(tmp_path / "work.db")
    await durable.start("large", "job", 1, '"' + "x" * 3_000_000 + '"')
    with pytest.raises(DiskFull, match=r"copy\.db would have 3\.\d MB, and its disk has 2\.\d MB free"):
        await durable.backup(small_disk.folder / "copy.db")
    monkeypatch.setattr(copying, "free_bytes", lambda path: None)
    with pytest.raises(DiskFull, match=r"the disk that holds .*copy\.db is full; free some space there"):
        await durable.backup(small_disk.folder / "copy.db")
    assert list(small_disk.folder.iterdir()) == []
    assert not durable.health.conditions, "it is not the file's own disk"
    await durable.close()


async def test_a_backup_that_has_no_room_to_be_put_back_leaves_the_damaged_file_as_it_is(
    small_disk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    durable = await connect(small_disk.folder / "work.db")
    await durable.start("large", "job", 1, '"' + "x" * 700_000 + '"')
    path = durable.path
    copy, _ = await asyncio.to_thread(back_up, path, tmp_path / "copy.db")
    await durable.close()
    path.write_bytes(b"damaged")
    monkeypatch.setattr(copying, "free_bytes", lambda path: None)
    small_disk.fill()
    with pytest.raises(DiskFull, match="free some space there"):
        restore(path, copy)
    assert path.read_bytes() == b"damaged"
    small_disk.empty()
    assert sorted(each.name for each in small_disk.folder.iterdir()) == ["work.db"]
    restore(path, copy)
    durable = await connect(path)
    assert (await durable.catalogue.counts())["queued"] == 1
    await durable.close()
