"""Files that are really damaged: what can be read is read, what cannot says so, and nothing is written."""

from __future__ import annotations

import asyncio
import os
import random
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from stepfast import Damaged, Engine, Run, StoreError, UnstorableValue, connect, restore, workflow
from stepfast.errors import NotOurs, StoreUnavailable
from stepfast.sqlite.care.backups import back_up_daily, backups_of
from stepfast.sqlite.file.opened import is_suspect, suspect
from stepfast.sqlite.log import wal
from stepfast.views import ORDERS, Filter

pytestmark = pytest.mark.usefixtures("quiet_loop")

PAGE = 4096
NOW = 4_000_000_000.0


@workflow("filler")
async def filler(run: Run, size: int = 100) -> str:
    await run.step("first", lambda: ["x" * size, {1, 2}])
    await run.step("second", lambda: "y" * size)
    run.log("both are done")
    run.progress(1, 2, "half of it")
    if run.id.endswith("7"):
        await run.awaiting("who")
    if run.id.endswith("3"):
        raise OSError("no disk")
    return "z" * size


async def make(path: Path) -> None:
    """A file with everything in it, free pages too, and two backups: one of before the last workflow, and one
    of before the last but one."""
    sizes = random.Random(1)
    async with Engine.open(path, [filler]) as engine:
        for number in range(60):
            await engine.start(filler(size=sizes.choice([10, 200, 9000])), id=f"w{number}")
        await engine.until_idle()
        for number in range(0, 60, 10):
            await engine.delete(f"w{number}")
        for number in range(2):
            assert await asyncio.to_thread(back_up_daily, path, NOW + number * 86_400)
            await (await engine.start(filler(), id=f"last-{number}")).result()


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("damage") / "work.db"
    asyncio.run(make(path))
    return path


@pytest.fixture
def path(original: Path, tmp_path: Path) -> Path:
    """A copy of the file, with its backups."""
    shutil.copytree(f"{original}-backups", tmp_path / "work.db-backups")
    return Path(shutil.copy(original, tmp_path / "work.db"))


async def complaint(path: Path) -> str | None:
    """What opening the file says is wrong with it."""
    try:
        await (await connect(path)).close()
    except Damaged as error:
        return str(error)
    return None


async def read_all(path: Path) -> int:
    """Open it as a window does, and read all there is; returns how many workflows."""
    async with Engine.open(path, [filler], work=False) as engine:
        await engine.counts()
        rows = await engine.list(limit=1000)
        for order in ORDERS:
            await engine.list(order=order, limit=1000)
            await engine.keys(order=order)
        await engine.list(Filter(text="w1"))
        for row in rows:
            await engine.get(row.id)
            await engine.history(row.id)
            await engine.log(row.id)
        await engine.changes(0)
        await engine.offers()
        return len(rows)


# --- where it is damaged --------------------------------------------------------------------------


def header(file: Any, size: int, chance: random.Random) -> None:
    file.seek(chance.randrange(100))
    file.write(chance.randbytes(chance.choice([1, 4, 50])))


def schema(file: Any, size: int, chance: random.Random) -> None:
    file.seek(100 + chance.randrange(PAGE - 100))
    file.write(chance.randbytes(chance.choice([1, 16, 500])))


def page(file: Any, size: int, chance: random.Random) -> None:
    file.seek(PAGE * chance.randrange(size // PAGE))
    file.write(chance.choice([chance.randbytes(PAGE), bytes(PAGE), b"\xff" * PAGE]))


def few_bytes(file: Any, size: int, chance: random.Random) -> None:
    file.seek(chance.randrange(size - 64))
    file.write(chance.randbytes(chance.choice([1, 8, 64])))


def cut(file: Any, size: int, chance: random.Random) -> None:
    file.truncate(chance.choice([chance.randrange(1, size), PAGE * chance.randrange(1, size // PAGE)]))


WHERE = [header, schema, page, page, few_bytes, few_bytes, cut]


@pytest.mark.parametrize("seed", range(42))
async def test_damaged_anywhere_it_says_so_or_is_read_and_the_last_good_backup_comes_back(
    path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    spoil: Callable[[Any, int, random.Random], None] = WHERE[seed % len(WHERE)]
    with path.open("r+b") as file:
        spoil(file, path.stat().st_size, chance)
    before = path.read_bytes()
    found: Exception | None = None
    try:
        async with asyncio.timeout(60):
            await read_all(path)
    except (Damaged, UnstorableValue) as error:
        found = error
    assert path.read_bytes() == before, "nothing is written to it"
    if isinstance(found, Damaged):
        # Who opens it next is told at once, with the remedy; unless only we could see that a text is no text.
        said = await complaint(path)
        assert said is None or re.search(r"backup is of 2096-10-03.*`stepfast restore`", said)
        assert path.read_bytes() == before
    restored = restore(path)
    assert restored.plan.workflows == 55 and restored.plan.source == backups_of(path)[0].path
    assert restored.set_aside[0].read_bytes() == before, "it is set aside as it was"
    assert restored.set_aside[0].name.startswith(
        f"work.db.{'replaced' if restored.plan.there == 'whole' else 'damaged'}-"
    )
    assert await read_all(path) == 55
    assert not is_suspect(path)


async def test_at_work_on_a_damaged_file_it_stops_and_says_so(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pace = wal.Pace(idle=1000)  # so that nothing is being copied when it is noticed
    monkeypatch.setattr(wal, "Pace", lambda: pace)
    async with Engine.open(path, [filler]) as engine:
        for number in range(5):
            await engine.start(filler(size=9000), id=f"queued-{number}", at=timedelta(days=1000))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE stepfast_workflows SET due = 1 WHERE id LIKE 'queued-%'")
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'stepfast_records'"
        ).fetchone()
        connection.commit()
    with path.open("r+b") as file:
        file.seek(PAGE * (root - 1))
        file.write(b"\xff" * PAGE)
    async with Engine.open(path, [filler]) as engine, asyncio.timeout(60):
        while not engine.health.stops_work:
            await asyncio.sleep(0.01)
        assert [each.kind for each in engine.health.conditions] == ["damaged"]
        # By a process of its own: closing the file in this one would drop the locks that SQLite has on it.
        before = subprocess.run(["cat", path], check=True, capture_output=True).stdout
        with pytest.raises(Damaged):
            await engine.start(filler(), id="refused")
        with pytest.raises(Damaged):
            await engine.backup(path.with_name("copy.db"))
    assert path.read_bytes() == before and not path.with_name("copy.db").exists()
    with pytest.raises(Damaged, match="The last good backup is of 2096-10-03"):
        await connect(path)
    assert len(backups_of(path)) == 2
    restore(path)
    assert await read_all(path) == 55


# --- what stands in its place ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [b"", b"hello, world\n" * 1000, b"SQLite format 3\0" + b"\xff" * 5000, b"\0" * 50_000],
    ids=["nothing", "text", "torn", "zeros"],
)
async def test_what_was_put_in_its_place_is_left_alone_and_the_backup_offered(
    path: Path, content: bytes
) -> None:
    path.write_bytes(content)
    for _ in range(2):
        with pytest.raises(Damaged, match="The last good backup is of 2096-10-03"):
            await connect(path)
        assert path.read_bytes() == content
    assert {each.name for each in path.parent.iterdir()} == {"work.db", "work.db-backups"}
    restored = restore(path)
    assert restored.set_aside[0].read_bytes() == content
    assert await read_all(path) == 55


async def test_without_a_backup_what_is_no_database_was_perhaps_never_ours(path: Path) -> None:
    shutil.rmtree(f"{path}-backups")
    path.write_bytes(b"hello, world\n" * 1000)
    with pytest.raises(NotOurs, match="is not a SQLite database"):
        await connect(path)


async def test_without_a_backup_a_damaged_file_says_what_is_left_to_do(path: Path) -> None:
    shutil.rmtree(f"{path}-backups")
    with path.open("r+b") as file:
        file.truncate(10 * PAGE)
    with pytest.raises(Damaged, match=r"no backup of it: copy it away .*\.recover.* to begin anew"):
        await connect(path)
    with pytest.raises(StoreUnavailable, match=r"there is no backup of .*work\.db-backups; name one that"):
        restore(path)


async def test_a_file_that_is_missing_is_a_new_one_and_its_backups_can_still_be_had(path: Path) -> None:
    path.unlink()
    await (await connect(path)).close()
    restored = restore(path)
    assert restored.plan.there == "whole" and restored.plan.workflows_now == 0
    assert await read_all(path) == 55


# --- the log --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
async def test_a_damaged_or_truncated_log_costs_only_what_stood_in_it(path: Path, seed: int) -> None:
    """A power cut may leave any of it; what SQLite's checksums do not cover is not there."""
    live = path.with_name("live.db")
    shutil.copy(path, live)
    durable = await connect(live)
    for number in range(30):
        await durable.start(f"in-the-log-{number}", "job", 1, "null")
    # As after a power cut: the file and its log as they are now, and nobody who has them open.
    for suffix in ("", "-wal"):
        shutil.copy(f"{live}{suffix}", f"{path}{suffix}")
    await durable.close()
    log, chance = Path(f"{path}-wal"), random.Random(seed)
    size = log.stat().st_size
    assert size > 30 * PAGE
    at = size
    with log.open("r+b") as file:
        match seed % 3:
            case 0:
                at = chance.randrange(size)
                file.truncate(at)
            case 1:
                at = chance.randrange(size - 100)
                file.seek(at)
                file.write(chance.randbytes(100))
            case _:
                at = chance.randrange(32)
                file.seek(at)
                file.write(chance.randbytes(8))
    there = await read_all(path)
    assert 56 <= there <= 86
    if at > size // 2:
        assert there > 60, "what stood before is there"
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


# --- a look that is thorough ----------------------------------------------------------------------


async def test_a_file_that_was_suspected_is_looked_at_whole_and_opens_if_it_is(path: Path) -> None:
    suspect(path, "a page could not be read")
    assert await read_all(path) == 56
    assert not is_suspect(path)


async def test_a_page_that_no_opening_reads_is_found_once_it_is_suspected(path: Path) -> None:
    with path.open("r+b") as file:
        # In the middle of a long value: where the page that goes on with it is named.
        file.seek(file.read().rindex(b"x" * (PAGE - 4)) - 4)
        file.write(b"\xff" * 4)
    await (await connect(path)).close()
    suspect(path, "a page could not be read")
    for _ in range(2):
        with pytest.raises(Damaged, match="The last good backup"):
            await connect(path)
        assert is_suspect(path)


# --- damaged backups ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["few bytes", "cut", "empty", "text", "gone"])
async def test_a_backup_that_is_damaged_itself_is_passed_over(path: Path, kind: str) -> None:
    newest, older = backups_of(path)
    match kind:
        case "few bytes":
            with newest.path.open("r+b") as file:
                file.seek(2 * PAGE)
                file.write(os.urandom(PAGE))
        case "cut":
            os.truncate(newest.path, newest.size // 2)
        case "empty":
            os.truncate(newest.path, 0)
        case "text":
            newest.path.write_text("hello, world\n" * 1000)
        case "gone":
            newest.path.unlink()
    path.write_bytes(b"")
    with pytest.raises(Damaged, match="The last good backup is of 2096-10-02"):
        await connect(path)
    restored = restore(path)
    assert restored.plan.source == older.path
    assert restored.plan.passed_over == (() if kind == "gone" else (newest.path,))
    assert await read_all(path) == 54
    path.write_bytes(b"")
    if kind != "gone":
        with pytest.raises(StoreError):
            restore(path, newest.path)
        assert path.read_bytes() == b""
