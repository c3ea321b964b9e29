"""A disk that is really full: a tmpfs of 2 MB, filled and emptied while an engine works on it."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from patient import Patient, booked, chain, gates, patient, records, soon, takes_nothing, whole

from stepfast import Engine, migrate
from stepfast.errors import DiskFull

pytestmark = pytest.mark.usefixtures("quiet_loop")


async def finds_no_room(ill: Patient) -> None:
    """Ask for more than its log ever had room for; small things fit where the beginning of that is free."""
    with pytest.raises(DiskFull, match="free some space there"):
        await ill.engine.durable.start("refused", "chain", 1, f'"{1_000_000 * "x"}"')


async def test_work_stops_while_the_disk_is_full_and_goes_on_when_there_is_room(
    small_disk: Any, tmp_path: Path
) -> None:
    path = small_disk.folder / "work.db"
    async with patient(path, tmp_path) as ill:
        await ill.in_the_middle()
        await soon(ill, "due")
        small_disk.fill()
        await finds_no_room(ill)
        gates["open"].set()
        condition = await ill.has("full")
        assert condition.stops_work and str(path) in condition.message and "is full" in condition.message
        assert condition.disk is not None and condition.disk.mount == str(small_disk.folder.resolve())
        assert condition.disk.free is not None and condition.disk.free < 100_000
        await takes_nothing(ill, "due")
        # What can be read is read, and says what is wrong.
        changes: Any = await ill.engine.changes(0)
        assert [each.kind for each in changes.conditions] == ["full"]
        small_disk.empty()
        await ill.well()
        await ill.finishes("middle")
        await ill.finishes("due", 2)
        # The effect that was done when there was no room was kept and recorded, and did not run again.
        assert set(ill.ran().values()) == {1}
        assert ill.told[0] == ("full",) and ill.told[-1] == ()
        assert [line for line in ill.log if "going on" in line] == [ill.log[-1]]
        assert len(ill.log) == 2, ill.log
        with pytest.raises(Exception, match="no workflow 'refused'"):
            await ill.engine.summary("refused")
    assert records(path, "middle") == ["step-0", "step-1", "booked", "step-2"]
    assert booked(path) == ["middle"]
    assert whole(path)


async def test_many_at_work_when_the_disk_fills_up_lose_nothing_and_repeat_nothing(
    small_disk: Any, tmp_path: Path
) -> None:
    path = small_disk.folder / "work.db"
    async with patient(path, tmp_path) as ill:
        for number in range(20):
            await ill.engine.start(chain(10, 200, gate=True), id=f"many-{number}")
        await gates["reached"].wait()
        small_disk.fill()
        gates["open"].set()
        await ill.has("full")
        small_disk.empty()
        for number in range(20):
            await ill.finishes(f"many-{number}", 10)
        await ill.well()
        assert ill.ran() == {f"many-{n}:{step}": 1 for n in range(20) for step in range(10)}
    assert whole(path)


async def test_a_log_that_would_not_fit_is_copied_before_it_has_filled_the_disk(
    small_disk: Any, tmp_path: Path
) -> None:
    async with patient(small_disk.folder / "work.db", tmp_path) as ill:
        await ill.engine.start(chain(220, 3000), id="many")
        await ill.finishes("many", 220)
        assert ill.told == []


async def test_a_program_that_quits_while_the_disk_is_full_goes_on_the_next_time(
    small_disk: Any, tmp_path: Path
) -> None:
    path = small_disk.folder / "work.db"
    async with patient(path, tmp_path) as ill:
        await ill.in_the_middle()
        small_disk.fill()
        await finds_no_room(ill)
        gates["open"].set()
        await ill.has("full")
    small_disk.fill_again()  # quitting may have given room back
    with pytest.raises(DiskFull, match="is full"):
        async with Engine.open(path):
            pass
    small_disk.empty()
    async with patient(path, tmp_path, gate_open=True) as again:
        await again.finishes()
        # The effect had run, but nobody could record it: at least once.
        assert again.ran() == {"middle:0": 1, "middle:1": 2, "middle:2": 1}
    assert records(path, "middle") == ["step-0", "step-1", "booked", "step-2"]
    assert booked(path) == ["middle"]


async def test_a_call_for_which_there_is_no_room_costs_its_neighbours_nothing(
    small_disk: Any, tmp_path: Path
) -> None:
    path = small_disk.folder / "work.db"
    reserve = small_disk.folder / "reserve"
    reserve.write_bytes(b"x" * 500_000)
    async with patient(path, tmp_path) as ill:
        await ill.in_the_middle()
        # 8 MB of values go through SQLite's cache into the log before the commit, and the disk has 2.
        asked = [ill.engine.deliver("middle", "x" * (8_000_000 if n == 5 else 10)) for n in range(10)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(each) for each in answers] == [DiskFull if n == 5 else type(None) for n in range(10)], (
            answers
        )
        # The log keeps the room that it took in vain, until it could be copied.
        reserve.unlink()
        gates["open"].set()
        await ill.finishes()
        await ill.well()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM stepfast_messages").fetchone() == (9,)
    assert whole(path)


async def test_a_transacted_effect_for_which_there_is_no_room_leaves_nothing(
    small_disk: Any, tmp_path: Path
) -> None:
    path = small_disk.folder / "work.db"
    async with patient(path, tmp_path) as ill:
        await ill.in_the_middle()
        claim = next(iter((await ill.engine.durable.look()).held))
        assert claim is not None
        small_disk.fill()
        gates["open"].set()
        await ill.has("full")
        small_disk.empty()
        await ill.finishes()
        await ill.well()
    assert booked(path) == ["middle"]


async def test_a_new_file_on_a_full_disk_says_so(small_disk: Any) -> None:
    small_disk.fill()
    with pytest.raises(DiskFull, match="is full; free some space there"):
        migrate(small_disk.folder / "new.db")
    small_disk.empty()
    migrate(small_disk.folder / "new.db")
