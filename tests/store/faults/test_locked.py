"""Another program that holds the write lock for long."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from children import Starter, children, hears, tell
from patient import Patient, booked, chain, gates, patient, records, soon, takes_nothing, whole

from stepfast import Engine
from stepfast.errors import LockedOut
from stepfast.health import Condition

pytestmark = pytest.mark.usefixtures("quiet_loop")

HOLD = """
import sqlite3
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
say("held")
wait()
connection.execute("COMMIT")
say("let go")
wait()
"""

# What a program leaves that is stopped between the two copies of the word that says where the log ends.
STOPPED_IN_A_WORD = """
import sqlite3
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
with open(sys.argv[1] + "-shm", "r+b", buffering=0) as index:
    index.seek(8)  # the number of its changes, in the first
    index.write(b"half")
    say("held")
    wait()
"""


@pytest.fixture
def starter() -> Iterator[Starter]:
    with children("") as start:
        yield start


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that waits a fifth of a second where it would wait five, and thrice, not twelve times."""
    monkeypatch.setattr("stepfast.sqlite.file.opening.BUSY_MILLISECONDS", 200)
    monkeypatch.setattr("stepfast.sqlite.file.opening.ROUND_MILLISECONDS", 20)
    monkeypatch.setattr("stepfast.sqlite.writing.transacting.ROUNDS", 30)


async def hold(starter: Starter, path: Path) -> subprocess.Popen[bytes]:
    program = starter(HOLD, path)
    assert hears(program) == "held"
    return program


async def is_locked_out(ill: Patient) -> None:
    gates["open"].set()
    condition = await ill.has("locked")
    assert condition.stops_work and str(ill.path) in condition.message
    # Where the system tells whose lock it is, it is said.
    who = "(process " if sys.platform == "linux" else "another program"
    assert who in condition.message and "close it, or wait for it" in condition.message
    with pytest.raises(LockedOut, match="has held the write lock"):
        await ill.engine.start(chain(), id="refused")
    await takes_nothing(ill, "due")
    # Readers are not locked out.
    changes: Any = await ill.engine.changes(0)
    assert [each.kind for each in changes.conditions] == ["locked"]


async def goes_on(ill: Patient, seconds: float = 60) -> None:
    await ill.well(seconds)
    await ill.finishes()
    await ill.finishes("due", 2)
    assert set(ill.ran().values()) == {1}
    assert len(ill.log) == 2 and "going on" in ill.log[1], ill.log


@pytest.mark.usefixtures("impatient")
async def test_a_foreign_lock_stops_the_work_while_it_is_held(tmp_path: Path, starter: Starter) -> None:
    path = tmp_path / "work.db"
    async with patient(path, tmp_path) as ill:
        await ill.in_the_middle()
        await soon(ill, "due")
        program = await hold(starter, path)
        await is_locked_out(ill)
        tell(program)
        assert hears(program) == "let go"
        await goes_on(ill)
    assert records(path, "middle") == ["step-0", "step-1", "booked", "step-2"]
    assert booked(path) == ["middle"] and whole(path)


async def test_a_lock_that_is_held_for_a_moment_is_no_condition(
    tmp_path: Path, starter: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However long this takes here, it is a moment.
    monkeypatch.setattr("stepfast.sqlite.writing.transacting.ROUNDS_UNTIL_SAID", 1000)
    monkeypatch.setattr("stepfast.sqlite.writing.transacting.ROUNDS", 1000)
    path = tmp_path / "work.db"
    async with patient(path, tmp_path) as ill:
        await ill.in_the_middle()
        program = await hold(starter, path)
        gates["open"].set()
        for _ in range(20):
            await ill.engine.counts()
        tell(program)
        await ill.finishes()
        assert ill.told == [] and ill.log == []


@pytest.mark.usefixtures("impatient")
async def test_quitting_while_another_program_holds_the_lock_takes_no_longer_than_one_try(
    tmp_path: Path, starter: Starter
) -> None:
    path = tmp_path / "work.db"
    async with patient(path, tmp_path) as ill:
        await ill.in_the_middle()
        program = await hold(starter, path)
        gates["open"].set()
        await ill.has("locked")
    tell(program)
    assert hears(program) == "let go"
    async with patient(path, tmp_path, gate_open=True) as again:
        await again.finishes()
    assert records(path, "middle") == ["step-0", "step-1", "booked", "step-2"]


async def test_a_lock_that_is_not_said_to_be_held_yet_does_not_keep_a_program_either(
    tmp_path: Path, starter: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It would be said after five seconds, and be an error after a minute.
    monkeypatch.setattr("stepfast.sqlite.writing.transacting.ROUNDS_UNTIL_SAID", 10**6)
    monkeypatch.setattr("stepfast.sqlite.writing.transacting.ROUNDS", 10**6)
    async with asyncio.timeout(60), patient(tmp_path / "work.db", tmp_path) as ill:
        await ill.in_the_middle()
        await hold(starter, tmp_path / "work.db")
        gates["open"].set()
        await asyncio.sleep(0.2)  # its record is asked for by now, or soon
        await ill.engine.park(timedelta(seconds=0.5))


async def test_one_that_is_stopped_in_the_middle_of_a_word_is_a_lock_as_well(
    tmp_path: Path, starter: Starter
) -> None:
    """Not even a reader comes in then, and SQLite gives up with a code of its own."""
    path = tmp_path / "work.db"
    async with patient(path, tmp_path) as ill:
        await ill.in_the_middle()
        program = starter(STOPPED_IN_A_WORD, path)
        assert hears(program) == "held"
        gates["open"].set()

        async def opens() -> None:
            async with Engine.open(path):
                pass

        asked = [opens(), ill.engine.list(), ill.has("locked")]
        *refused, condition = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(each) for each in refused] == [LockedOut] * 2
        assert isinstance(condition, Condition) and condition.stops_work
        program.kill()
        program.wait()
        await ill.well()
        await ill.finishes()
        assert [each.id for each in await ill.engine.list()] == ["middle"]
    assert booked(path) == ["middle"] and whole(path)


@pytest.mark.campaign
@pytest.mark.timeout(300)
async def test_a_foreign_lock_of_more_than_a_minute(tmp_path: Path, starter: Starter) -> None:
    path = tmp_path / "work.db"
    async with patient(path, tmp_path) as ill:
        await ill.in_the_middle()
        await soon(ill, "due")
        program = await hold(starter, path)
        gates["open"].set()
        # Said after 5 s, and an error after 60; who asks then is answered after 5 more.
        await is_locked_out(ill)
        tell(program)
        assert hears(program) == "let go"
        await goes_on(ill)
    assert records(path, "middle") == ["step-0", "step-1", "booked", "step-2"]
    assert booked(path) == ["middle"] and whole(path)
