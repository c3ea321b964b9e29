"""Another program that holds the write lock for long."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from children import Starter, children, hears, tell
from patient import Patient, booked, chain, gates, patient, records, soon, takes_nothing, whole

from stepfast.errors import LockedOut

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


@pytest.fixture
def starter() -> Iterator[Starter]:
    with children("") as start:
        yield start


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that waits a fifth of a second where it would wait five, and thrice, not twelve times."""
    monkeypatch.setattr("stepfast.sqlite.opening.BUSY_MILLISECONDS", 200)
    monkeypatch.setattr("stepfast.sqlite.transacting.BUSY_ROUNDS", 3)


async def hold(starter: Starter, path: Path) -> subprocess.Popen[bytes]:
    program = starter(HOLD, path)
    assert hears(program) == "held"
    return program


async def is_locked_out(ill: Patient) -> None:
    gates["open"].set()
    condition = await ill.has("locked")
    assert condition.stops_work and str(ill.path) in condition.message
    assert "another program" in condition.message and "close it, or wait for it" in condition.message
    with pytest.raises(LockedOut, match="another program has held the write lock"):
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


async def test_a_lock_that_is_held_for_a_moment_is_no_condition(tmp_path: Path, starter: Starter) -> None:
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
