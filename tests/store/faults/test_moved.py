"""The file is deleted, moved away, or replaced by another one, while an engine works on it."""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from patient import Patient, booked, chain, gates, patient, records, soon, takes_nothing, whole

from stepfast import Engine
from stepfast.errors import FileGone

pytestmark = [
    pytest.mark.usefixtures("quiet_loop"),
    # Windows lets nobody delete, move or replace a file that is open.
    pytest.mark.skipif(sys.platform == "win32", reason="not possible on Windows"),
]

COMPANIONS = ("", "-wal", "-shm")


async def is_gone(ill: Patient, says: str) -> str:
    """With a workflow in the middle of a step, and the file gone: what is said, and that nothing is taken."""
    gates["open"].set()
    await ill.until(lambda: any("is in" in each.message for each in ill.engine.health.conditions))
    condition = await ill.has("gone")
    assert condition.stops_work and str(ill.path) in condition.message and says in condition.message
    with pytest.raises(FileGone, match=says):
        await ill.engine.start(chain(), id="refused")
    await takes_nothing(ill, "due")
    return condition.message


async def goes_on(ill: Patient) -> None:
    await ill.well()
    await ill.finishes()
    await ill.finishes("due", 2)
    assert set(ill.ran().values()) == {1}
    assert len(ill.log) == 2 and "going on" in ill.log[1], ill.log
    with pytest.raises(Exception, match="no workflow 'refused'"):
        await ill.engine.summary("refused")


def copy_in(message: str) -> Path:
    """The copy that a message names."""
    return Path(message.rpartition("is in ")[2].removesuffix(")"))


def is_complete(path: Path) -> None:
    assert records(path, "middle") == ["step-0", "step-1", "booked", "step-2"]
    assert booked(path) == ["middle"] and whole(path)


@pytest.mark.parametrize("what", ["the file", "the file and its log", "the folder"])
async def test_what_is_moved_away_and_put_back_goes_on(tmp_path: Path, what: str) -> None:
    path = tmp_path / "data" / "work.db"
    async with patient(path, tmp_path) as ill:
        await ill.in_the_middle()
        await soon(ill, "due")
        moves = {
            "the file": [(path, tmp_path / "elsewhere.db")],
            "the file and its log": [
                (Path(f"{path}{each}"), tmp_path / f"elsewhere.db{each}") for each in COMPANIONS
            ],
            "the folder": [(path.parent, tmp_path / "elsewhere")],
        }[what]
        for here, there in moves:
            here.rename(there)
        message = await is_gone(ill, "moved or deleted")
        assert not path.exists()
        # What is still open was copied, with all that was recorded before.
        assert records(copy_in(message), "middle")[0] == "step-0"
        for here, there in moves:
            there.rename(here)
        await goes_on(ill)
    is_complete(path)


async def test_a_deleted_file_is_copied_from_what_is_still_open(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    async with patient(path, tmp_path) as ill:
        await ill.in_the_middle()
        await soon(ill, "due")
        for each in COMPANIONS:
            Path(f"{path}{each}").unlink()
        message = await is_gone(ill, "moved or deleted")
        copy = copy_in(message)
        assert copy.name.startswith("work.db.rescued-") and copy.stat().st_mode & 0o777 == 0o600
    assert not path.exists(), "nothing is made in its place"
    # As the message says: put back, it goes on.
    copy.rename(path)
    async with patient(path, tmp_path, gate_open=True) as again:
        await again.finishes()
        again.clock.leap()
        await again.finishes("due", 2)
    is_complete(path)


async def test_another_file_in_its_place_is_left_alone(tmp_path: Path) -> None:
    path, other, aside = tmp_path / "work.db", tmp_path / "other.db", tmp_path / "aside.db"
    async with Engine.open(other) as engine:
        await engine.start(chain(), id="theirs")
    async with patient(path, tmp_path) as ill:
        await ill.in_the_middle()
        await soon(ill, "due")
        before = other.read_bytes()
        # First a name of its own for the file that is open, so that it can be put back.
        os.link(path, aside)
        other.replace(path)
        await is_gone(ill, "replaced by another file")
        assert path.read_bytes() == before, "nothing is written to what lies there now"
        aside.replace(path)
        await goes_on(ill)
    is_complete(path)


async def test_an_engine_that_ends_while_another_file_lies_there_leaves_it_alone(tmp_path: Path) -> None:
    path, other = tmp_path / "work.db", tmp_path / "other.db"
    async with Engine.open(other) as engine:
        await engine.start(chain(), id="theirs")
    before = other.read_bytes()
    async with patient(path, tmp_path) as ill:
        await ill.in_the_middle()
        await soon(ill, "due")
        other.replace(path)  # before its log goes, which would be missed first by a look in between
        for each in COMPANIONS[1:]:
            Path(f"{path}{each}").unlink()
        copy = copy_in(await is_gone(ill, "replaced by another file"))
    assert path.read_bytes() == before
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT id FROM stepfast_workflows").fetchall() == [("theirs",)]
    assert records(copy, "middle")[0] == "step-0"


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
async def test_a_log_that_is_deleted_under_it_is_noticed_and_what_was_in_it_is_in_the_file(
    tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / "work.db"
    async with patient(path, tmp_path) as ill:
        await ill.in_the_middle()
        await soon(ill, "due")
        Path(f"{path}{suffix}").unlink()
        message = await is_gone(ill, "start this program again")
        assert records(copy_in(message), "middle")[0] == "step-0"
    async with patient(path, tmp_path, gate_open=True) as again:
        await again.finishes()
        again.clock.leap()
        await again.finishes("due", 2)
        assert again.ran()["middle:0"] == 1, "what was recorded is not done again"
    is_complete(path)


async def test_an_older_copy_written_over_it_is_noticed(tmp_path: Path) -> None:
    path, old = tmp_path / "work.db", tmp_path / "old.db"
    async with patient(path, tmp_path) as ill:
        with closing(sqlite3.connect(path)) as live, closing(sqlite3.connect(old)) as copy:
            live.backup(copy)
        await ill.in_the_middle()
        await soon(ill, "due")
        # As a program does that restores a file page by page.
        with closing(sqlite3.connect(old)) as copy, closing(sqlite3.connect(path)) as live:
            copy.backup(live)
        gates["open"].set()
        condition = await ill.has("gone")
        assert "overwritten by an older copy" in condition.message
        with pytest.raises(FileGone, match="older copy"):
            await ill.engine.start(chain(), id="refused")


async def test_a_file_that_is_deleted_before_anything_is_open_says_so(tmp_path: Path) -> None:
    from stepfast.sqlite.file.opening import writing_connection
    from stepfast.sqlite.file.place import Place

    path = tmp_path / "work.db"
    with pytest.raises(FileGone):
        Place(path)
    with pytest.raises(FileGone, match="not there any more"):
        writing_connection(path)
    assert not path.exists()


async def test_an_idle_engine_notices_when_it_looks(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    async with patient(path, tmp_path) as ill:
        path.rename(tmp_path / "elsewhere.db")
        while not ill.engine.health.has("gone"):
            changes: Any = await ill.engine.changes(0)  # what is open can still be read
        assert changes.at > 0
        (tmp_path / "elsewhere.db").rename(path)
        await ill.well()
