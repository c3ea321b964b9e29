"""Copies of the file: of one moment, whatever is written meanwhile; and which automatic ones there are."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
import stat
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from children import Starter, children, hears, kill

from stepfast import Damaged, Engine, MemoryDurable, Run, SqliteDurable, connect, workflow
from stepfast.definition import Registry
from stepfast.errors import DiskFailing, DiskFull, InvalidInput, StoreError
from stepfast.locks import FileLock
from stepfast.sqlite import backups, copying
from stepfast.sqlite.backups import Backup, back_up, back_up_daily, backups_folder, backups_of, to_go
from stepfast.sqlite.foreign_readers import OldReader
from stepfast.sqlite.opened import copying as being_copied
from stepfast.sqlite.snapshots import Snapshots
from stepfast.testing import VirtualClock

pytestmark = pytest.mark.usefixtures("quiet_loop")

DAY = 86_400.0


@workflow("filler")
async def filler(run: Run, size: int = 100) -> str:
    first = await run.step("first", lambda: "x" * size)
    await run.step("second", lambda: "y" * size)
    return first[:1]


def rows(path: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return connection.execute(sql).fetchall()


def is_whole(copy: Path) -> bool:
    """No page and no half of any commit is missing."""
    halves = "SELECT (SELECT count(*) FROM stepfast_workflows), (SELECT count(*) FROM stepfast_payloads)"
    ((workflows, payloads),) = rows(copy, halves)
    return rows(copy, "PRAGMA integrity_check") == [("ok",)] and workflows == payloads


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
    ended: list[threading.Event] = []
    real = copying.copy_database

    def watched(*arguments: Any, **options: Any) -> Any:
        ended.append(threading.Event())
        try:
            return real(*arguments, **options)
        finally:
            ended[-1].set()

    monkeypatch.setattr(backups, "copy_database", watched)
    await durable.start("large", "job", 1, json.dumps("x" * 3_000_000))
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    copy = asyncio.ensure_future(durable.backup(folder / "copy.db"))
    while not os.listdir(folder):
        await asyncio.sleep(0)
    copy.cancel()
    with pytest.raises(asyncio.CancelledError):
        await copy
    assert await asyncio.to_thread(ended[0].wait, 60)
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


# --- the one a day --------------------------------------------------------------------------------


class Days:
    """A file whose clock is the test's, and the housekeeping that makes its backups."""

    def __init__(self, path: Path, clock: VirtualClock) -> None:
        self.path = path
        self.clock = clock
        self.durable: Any = None
        self.numbers = 0

    async def open(self, **options: Any) -> None:
        self.durable = await connect(self.path, clock=self.clock, **options)

    async def work(self) -> None:
        self.numbers += 1
        await self.durable.start(f"w{self.numbers}", "job", 1, "null")

    async def upkeep(self) -> None:
        while await self.durable.upkeep():
            pass

    async def pass_by(self, days: float) -> None:
        self.clock.advance(days * DAY)
        await self.upkeep()

    @property
    def ages(self) -> list[float]:
        """How many days ago each backup was made."""
        now = datetime.fromtimestamp(self.clock.time(), UTC)
        return [round((now - each.made_at) / timedelta(days=1), 3) for each in backups_of(self.path)]


@pytest.fixture
async def days(tmp_path: Path) -> AsyncIterator[Days]:
    made = Days(tmp_path / "work.db", VirtualClock(datetime(2026, 11, 25, 9, 0, tzinfo=UTC).timestamp()))
    await made.open()
    yield made
    await made.durable.close()


async def test_a_backup_is_made_each_day_on_which_something_changed(days: Days) -> None:
    await days.work()
    await days.upkeep()
    assert days.ages == [] and not backups_folder(days.path).exists(), "a file of today is not backed up"
    await days.pass_by(1)
    assert days.ages == [0]
    await days.work()
    await days.pass_by(0.5)
    assert days.ages == [0.5], "one a day is enough"
    await days.pass_by(0.5)
    assert days.ages == [0, 1]
    await days.pass_by(1)
    await days.pass_by(1)
    assert days.ages == [2, 3], "nothing has changed since"
    await days.work()
    await days.pass_by(0)
    assert days.ages == [2, 3], "it is looked every ten minutes"
    await days.pass_by(0.01)
    assert days.ages == [0, 2.01, 3.01]
    for each in backups_of(days.path):
        assert is_whole(each.path) and stat.S_IMODE(each.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(backups_folder(days.path).stat().st_mode) == 0o700
    assert len(os.listdir(backups_folder(days.path))) == 3, "and nothing else lies there"


async def test_a_program_that_is_started_each_morning_makes_one_each_morning(days: Days) -> None:
    for _ in range(3):
        await days.durable.close()
        days.clock.advance(DAY - 600)  # ten minutes earlier than yesterday
        await days.open()
        await days.work()
        await days.upkeep()
    assert len(days.ages) == 3


async def test_a_program_that_only_starts_and_ends_makes_no_backup(days: Days) -> None:
    await days.work()
    await days.pass_by(1)
    for _ in range(3):
        await days.durable.close()
        await days.open()
        await days.durable.offer([])  # it registers, as each program that works does
        await days.pass_by(1)
    assert days.ages == [3]


async def test_of_several_engines_one_makes_the_backup(days: Days) -> None:
    await days.work()
    others = [await connect(days.path, clock=days.clock) for _ in range(4)]
    days.clock.advance(DAY)
    await asyncio.gather(*(each.upkeep() for each in [days.durable, *others]))
    assert days.ages == [0]
    days.clock.advance(DAY)
    await days.work()
    lock = FileLock.acquire(backups_folder(days.path) / backups.LOCK)
    assert lock is not None
    await asyncio.gather(*(each.upkeep() for each in [days.durable, *others]))
    assert days.ages == [1], "somebody else is at it"
    lock.release(unlink=True)
    await asyncio.gather(*(each.close() for each in others))


async def test_an_engine_that_wants_no_backups_makes_none(tmp_path: Path) -> None:
    days = Days(tmp_path / "work.db", VirtualClock())
    await days.open(backups=False)
    await days.work()
    await days.pass_by(2)
    assert days.ages == [] and not backups_folder(days.path).exists()
    await days.durable.close()


async def test_a_working_engine_makes_its_backups_by_itself(tmp_path: Path) -> None:
    path, clock = tmp_path / "work.db", VirtualClock()
    for wanted in (False, True):
        async with Engine.open(path, [filler], clock=clock, backups=wanted) as engine:
            await (await engine.start(filler(), id=f"w-{wanted}")).result()
            with closing(sqlite3.connect(path)) as connection:
                connection.execute("UPDATE stepfast_migrations SET applied_at = ?", (clock.time() - DAY,))
                connection.commit()
            for _ in range(200):  # its first housekeeping comes after five seconds
                clock.advance(1)
                await asyncio.sleep(0.005)
                if wanted and backups_of(path):
                    break
        assert len(backups_of(path)) == wanted
    assert is_whole(backups_of(path)[0].path)


async def test_where_there_is_no_room_for_two_copies_none_is_made_and_health_says_so(
    days: Days, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await days.work()
    monkeypatch.setattr(backups, "free_bytes", lambda path: 250_000)
    await days.pass_by(1)
    (condition,) = days.durable.health.conditions
    assert (condition.kind, condition.stops_work) == ("no-backup", False)
    assert "no automatic backup" in condition.message and "free some space" in condition.message
    assert "no automatic backup" in caplog.text
    assert days.ages == [] and os.listdir(backups_folder(days.path)) == []
    await days.work()
    monkeypatch.undo()
    await days.pass_by(0.5)
    assert days.ages == [0] and not days.durable.health.conditions


async def test_a_damaged_file_is_not_backed_up_and_its_backups_stay(days: Days) -> None:
    await days.durable.start("large", "job", 1, json.dumps("x" * 100_000))
    for _ in range(4):
        await days.work()
        await days.pass_by(1)
    good = backups_of(days.path)
    await days.work()
    await days.durable.close()
    with days.path.open("r+b") as file:
        # In the middle of a long value, which nobody reads: where the page that goes on with it is named.
        file.seek(file.read().rindex(b"x" * 4092) - 4)
        file.write(b"\xff" * 4)
    await days.open()
    await days.pass_by(1)
    assert backups_of(days.path) == good and all(is_whole(each.path) for each in good)
    assert [each.kind for each in days.durable.health.conditions] == ["damaged"]
    await days.durable.close()
    with pytest.raises(Damaged, match=r"The last good backup is of .* `stepfast restore`"):
        await connect(days.path)
    shutil.copy(good[0].path, days.path)
    await days.open()


async def test_what_a_killed_program_left_half_made_goes_and_what_is_being_made_stays(days: Days) -> None:
    await days.work()
    folder = backups_folder(days.path)
    folder.mkdir()
    old, new = (folder / f".2026-11-01T00-00-00Z-schema-2.db-{name}.part" for name in ("old", "new"))
    for each in (old, new, folder / "notes.txt"):
        each.write_text("half")
    os.utime(old, (1, 1))
    await days.pass_by(1)
    assert sorted(each.name for each in folder.iterdir()) == sorted(
        [new.name, "notes.txt", backups_of(days.path)[0].path.name]
    )


async def test_the_backups_of_a_file_that_was_deleted_stay_beside_those_of_the_new_one(days: Days) -> None:
    for _ in range(5):
        await days.work()
        await days.pass_by(1)
    last = backups_of(days.path)[0]
    await days.durable.close()
    for each in days.path.parent.glob("work.db*"):
        if each.is_file():
            each.unlink()
    await days.open()
    for _ in range(40):
        await days.work()
        await days.pass_by(1)
    assert last in backups_of(days.path), "somebody may still want it"
    assert len(backups_of(days.path)) <= 8


# --- which stay -----------------------------------------------------------------------------------


def made(at: datetime, *, before_migration: bool = False) -> Backup:
    return Backup(Path(f"{at:%Y-%m-%d}"), at, 2, before_migration)


def test_a_year_of_days_leaves_the_last_three_days_and_the_last_four_weeks() -> None:
    kept: list[Backup] = []
    now = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)
    for _ in range(365):
        now += timedelta(days=1)
        kept.append(made(now))
        kept = [each for each in kept if each not in to_go(kept, now)[0]]
        assert len(kept) <= 6
        ages = sorted((now - each.made_at).days for each in kept)
        assert ages[0] == 0
    assert f"{now:%a}" == "Fri"
    # Friday, Thursday and Wednesday, and the Sundays of the three weeks before.
    assert ages == [0, 1, 2, 5, 12, 19]


def test_one_now_and_then_keeps_as_many() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    kept = []
    for _ in range(50):
        now += timedelta(days=30)
        kept.append(made(now))
        kept = [each for each in kept if each not in to_go(kept, now)[0]]
    assert [(now - each.made_at).days for each in kept] == [90, 60, 30, 0]


def test_those_made_while_the_clock_was_wrong_do_not_push_out_the_others() -> None:
    now = datetime(2026, 1, 31, tzinfo=UTC)
    right = [made(now - timedelta(days=each)) for each in range(3)]
    wrong = [made(now + timedelta(days=400 + each)) for each in range(9)]
    going, _ = to_go([*right, *wrong], now)
    assert not set(right) & set(going)
    assert len(going) >= 5


def test_those_before_a_migration_do_not_count_as_daily_ones() -> None:
    now = datetime(2026, 1, 31, tzinfo=UTC)
    daily = [made(now - timedelta(days=each)) for each in range(3)]
    before = [made(now - timedelta(days=each), before_migration=True) for each in range(4)]
    assert to_go([*daily, *before], now) == ([], before[2:])


async def test_together_they_leave_as_much_free_as_they_take(
    days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(6):
        await days.work()
        await days.pass_by(1)
    assert len(days.ages) > 2
    size = backups_of(days.path)[0].size
    monkeypatch.setattr(backups, "free_bytes", lambda path: 3 * size)
    await days.work()
    await days.pass_by(1)
    assert days.ages[0] == 0
    assert len(days.ages) == 3


async def test_a_newer_file_is_not_backed_up_by_an_older_program(days: Days) -> None:
    await days.work()
    days.clock.advance(DAY)
    with closing(sqlite3.connect(days.path)) as newer:
        newer.execute("UPDATE stepfast_meta SET version = 99")
        newer.commit()
        with pytest.raises(StoreError, match="schema 99"):
            await asyncio.to_thread(back_up_daily, days.path, days.clock.time())
        newer.execute("UPDATE stepfast_meta SET version = 2")
        newer.commit()
    assert days.ages == []
