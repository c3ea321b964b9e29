"""The copies that are made by themselves: when, where there is room, and which of them stay."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
import stat
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from whole_copies import filler, is_whole

from stepfast import Damaged, Engine, connect
from stepfast.errors import StoreError
from stepfast.sqlite.care import backups, copying
from stepfast.sqlite.care.backups import Backup, back_up, back_up_daily, backups_folder, backups_of, to_go
from stepfast.sqlite.care.restoring import plan_restore
from stepfast.system.locks import FileLock
from stepfast.testing import VirtualClock

pytestmark = pytest.mark.usefixtures("quiet_loop")

DAY = 86_400.0


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
            async with asyncio.timeout(60):
                seconds = 0  # its first housekeeping comes after five
                while not backups_of(path) if wanted else seconds < 200:
                    clock.advance(1)
                    seconds += 1
                    await asyncio.sleep(0.005)
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


async def test_one_that_is_asked_for_without_a_place_is_beside_the_automatic_ones(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    async with Engine.open(path) as engine:
        made = [await engine.backup() for _ in range(3)]
    assert len(set(made)) == 3
    assert [each.path for each in backups_of(path)] == made[::-1]
    assert all(copying.check_copy(each) for each in made)


@pytest.mark.parametrize("there", [True, False], ids=["that is there", "that is not there yet"])
async def test_one_that_is_put_into_their_folder_by_hand_is_one_of_them(tmp_path: Path, there: bool) -> None:
    path = tmp_path / "work.db"
    if there:
        backups_folder(path).mkdir()
    (tmp_path / "link").symlink_to(backups_folder(path))
    async with Engine.open(path) as engine:
        made = [await engine.backup(each) for each in (backups_folder(path), tmp_path / "link")]
    made.append(back_up(path, backups_folder(path))[0])  # as `stepfast backup` does
    assert [each.path for each in backups_of(path)] == made[::-1]
    assert plan_restore(path).source == made[-1]
