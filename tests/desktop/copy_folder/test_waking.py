"""The computer slept, and a disk is not back yet: it is waited for, and nothing is reported as a problem."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepfast.errors import Stopped
from stepfast_desktop.workflows.copy_folder import batch, folders, walk, workflow
from stepfast_desktop.workflows.copy_folder.errors import CopyError, Refused, SourceFailed, TargetFailed
from stepfast_desktop.workflows.copy_folder.waking import PATIENCE, PAUSE, Patience

Snap = Callable[[Path], dict[str, object]]


class Machine:
    """A computer that sleeps when it is told to; its clock stands still meanwhile."""

    def __init__(self) -> None:
        self.asleep, self.now = 100.0, 5000.0
        self.told: list[str] = []
        self.stopping = False
        self.woken: Callable[[], None] = lambda: None

    def stop(self) -> None:
        if self.stopping:
            raise Stopped

    def pause(self, seconds: float) -> None:
        self.now += seconds
        self.woken()

    def patience(self) -> Patience:
        return Patience(
            self.stop,
            self.told.append,
            slept=lambda: self.asleep,
            clock=lambda: self.now,
            pause=self.pause,
        )


@pytest.fixture
def machine() -> Machine:
    return Machine()


def gone(number: int = errno.EIO) -> OSError:
    return OSError(number, os.strerror(number))


# --- what is waited for, and how long -------------------------------------------------------------


def test_an_error_is_an_error_where_the_computer_did_not_sleep(machine: Machine) -> None:
    patience = machine.patience()
    machine.now += 1e6
    machine.asleep += 0.5  # two clocks read a little apart
    assert not patience.away(SourceFailed(gone()))
    assert machine.told == []


def test_after_waking_it_is_tried_again_for_a_while_and_then_it_is_one(machine: Machine) -> None:
    patience = machine.patience()
    machine.asleep += 3600
    tries = 0
    while patience.away(TargetFailed(gone())):
        tries += 1
    assert tries == PATIENCE / PAUSE
    assert "waiting for the disk" in machine.told[0]


def test_what_no_missing_disk_says_is_an_error_at_once(machine: Machine) -> None:
    patience = machine.patience()
    machine.asleep += 3600
    for failed in (TargetFailed(gone(errno.ENOSPC)), SourceFailed(gone(errno.EACCES)), Refused("no")):
        assert not patience.away(failed)


def test_a_person_who_pauses_meanwhile_does_not_wait(machine: Machine) -> None:
    patience = machine.patience()
    machine.asleep += 3600
    machine.stopping = True
    with pytest.raises(Stopped):
        patience.away(CopyError("not there"))


def test_a_disk_that_stays_away_says_so_in_the_end(machine: Machine) -> None:
    patience = machine.patience()
    machine.asleep += 3600

    def require() -> None:
        raise CopyError("The destination is not there any more.")

    with pytest.raises(CopyError):
        patience.until_there(require)
    assert machine.now == 5000 + PATIENCE


# --- a whole copy ---------------------------------------------------------------------------------


@pytest.fixture
def asleep(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """The copy runs on `machine`."""
    monkeypatch.setattr(workflow, "Patience", lambda *_: machine.patience())
    return machine


async def test_a_source_that_comes_back_late_loses_no_file(
    many: Path,
    destination: Path,
    monkeypatch: pytest.MonkeyPatch,
    asleep: Machine,
    details: Any,
    snap: Snap,
) -> None:
    away = many.with_name("away")
    write, waits = batch.write, 0

    def writing(job: Any, *args: Any, **options: Any) -> Any:
        if job.source.endswith("3") and not waits:
            many.rename(away)  # what is left of a mount is nothing
            asleep.asleep += 3600
        return write(job, *args, **options)

    def woken() -> None:
        nonlocal waits
        waits += 1
        if waits == 3:
            away.rename(many)

    asleep.woken = woken
    monkeypatch.setattr(batch, "write", writing)
    found = await details(many, destination)
    assert found.summary.state.name == "completed" and not found.problems
    assert waits == 3
    assert snap(destination) == snap(many)


async def test_without_sleep_the_same_source_ends_the_copy(
    many: Path, destination: Path, monkeypatch: pytest.MonkeyPatch, asleep: Machine, details: Any
) -> None:
    """So the test above can fail."""
    write = batch.write

    def writing(job: Any, *args: Any, **options: Any) -> Any:
        if job.source.endswith("3"):
            many.rename(many.with_name("away"))
        return write(job, *args, **options)

    monkeypatch.setattr(batch, "write", writing)
    found = await details(many, destination)
    assert found.summary.state.name == "failed"


async def test_a_file_that_was_open_when_its_disk_went_is_written_anew(
    many: Path,
    destination: Path,
    monkeypatch: pytest.MonkeyPatch,
    asleep: Machine,
    details: Any,
    snap: Snap,
) -> None:
    sync, lost = batch.sync, []

    def syncing(written: Any, pace: Any) -> Any:
        if written.job.source.endswith("3") and len(lost) < 3:
            lost.append(written)
            asleep.asleep += 3600
            raise TargetFailed(gone())
        return sync(written, pace)

    monkeypatch.setattr(batch, "sync", syncing)
    found = await details(many, destination)
    assert found.summary.state.name == "completed" and not found.problems
    assert len(lost) == 3 and snap(destination) == snap(many)


async def test_a_folder_that_cannot_be_listed_just_after_waking_is_listed_later(
    tree: Path,
    destination: Path,
    monkeypatch: pytest.MonkeyPatch,
    asleep: Machine,
    details: Any,
) -> None:
    listdir, failed = os.listdir, []

    def listing(path: Any) -> Any:
        if str(path).endswith("deep") and len(failed) < 2:
            failed.append(path)
            asleep.asleep += 3600
            raise gone()
        return listdir(path)

    monkeypatch.setattr(walk.os, "listdir", listing)
    found = await details(tree, destination)
    assert found.summary.state.name == "completed" and not found.problems
    assert len(failed) == 2
    assert (destination / "deep" / "06").read_bytes() == (tree / "deep" / "06").read_bytes()


async def test_a_folder_that_cannot_be_finished_just_after_waking_is_finished_later(
    tree: Path,
    destination: Path,
    monkeypatch: pytest.MonkeyPatch,
    asleep: Machine,
    details: Any,
    snap: Snap,
) -> None:
    finish, failed = folders._finish, []

    def finishing(places: Any, folder: Any) -> Any:
        if len(failed) < 3:
            failed.append(folder)
            asleep.asleep += 3600
            raise TargetFailed(gone())
        return finish(places, folder)

    monkeypatch.setattr(folders, "_finish", finishing)
    found = await details(tree, destination)
    assert found.summary.state.name == "completed" and not found.problems
    assert len(failed) == 3
