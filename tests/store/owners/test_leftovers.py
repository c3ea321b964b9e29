"""Files of owners that died at any moment: which are taken away, and which stay."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest
from children import Starter, hears, kill, tell
from presences import PRESENT, files, make_old, peer, stop, watching

from stepfast.sqlite.engines.owners import (
    Peer,
    owners_folder,
    sweep,
    take_out,
)
from stepfast.system import locks
from stepfast.system.locks import LockState, probe

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks, and kills with POSIX signals")

# What is left lying about

# Stops between creating its file and locking it, until it is told to go on.
CREATING = """
really = locks._lock_exclusive
def later(fd):
    locks._lock_exclusive = really
    say("created")
    wait()
    return really(fd)
locks._lock_exclusive = later
presence = Presence(database)
say(presence.file)
wait()
"""


def test_an_owner_killed_between_creating_and_locking_leaves_what_is_swept_when_it_is_old(
    start: Starter, database: Path
) -> None:
    process = start(CREATING)
    assert hears(process) == "created"
    kill(process)
    (file,) = files(database)
    sweep(owners_folder(database), set())
    assert files(database) == {file}
    make_old(owners_folder(database) / file)
    sweep(owners_folder(database), set())
    assert files(database) == set()


def test_an_owner_killed_between_locking_and_registering_leaves_what_is_swept_too(
    start: Starter, database: Path
) -> None:
    process = start(PRESENT)
    file = hears(process)
    make_old(owners_folder(database) / file)
    sweep(owners_folder(database), set())
    assert files(database) == {file}  # it lives
    kill(process)
    sweep(owners_folder(database), set())
    assert files(database) == set()


def test_an_owner_that_was_halted_while_its_file_was_swept_comes_back_with_a_lock_that_counts(
    start: Starter, database: Path
) -> None:
    process = start(CREATING)
    assert hears(process) == "created"
    (file,) = files(database)
    make_old(owners_folder(database) / file)
    sweep(owners_folder(database), set())
    assert files(database) == set()
    tell(process)
    one = peer(hears(process))
    assert probe(owners_folder(database) / one.file) is LockState.HELD
    kill(process)
    assert watching(database).judge([one], 0.0) == [one]


def test_an_owner_that_is_probed_before_it_has_locked_gets_its_lock_all_the_same(
    start: Starter, database: Path
) -> None:
    process = start(CREATING)
    assert hears(process) == "created"
    (file,) = files(database)
    halfway = locks._Descriptor(owners_folder(database) / file, os.O_RDONLY)
    assert locks._lock_shared(halfway.fd)
    tell(process)
    halfway.close()
    assert hears(process) == file
    assert probe(owners_folder(database) / file) is LockState.HELD


def test_a_sweep_leaves_the_registered_the_young_and_what_is_not_ours(start: Starter, database: Path) -> None:
    folder = owners_folder(database)
    process = start(PRESENT)
    registered = hears(process)
    kill(process)
    free, ahead = "1-0123456789abcdef.lock", "2-0123456789abcdef.lock"
    for name in (free, ahead, "notes.txt", "step.lock"):
        (folder / name).touch()
        make_old(folder / name)
    make_old(folder / registered)
    os.utime(folder / ahead, (40_000_000_000, 40_000_000_000))  # by a clock that was wrong
    (folder / "3-0123456789abcdef.lock").symlink_to(folder / "notes.txt")
    sweep(folder, {registered})
    assert files(database) == {registered, "notes.txt", "step.lock", "3-0123456789abcdef.lock"}
    one = peer(registered)
    assert watching(database).judge([one], 0.0) == [one]


def test_a_sweep_of_a_folder_that_is_not_there_does_nothing(database: Path) -> None:
    sweep(owners_folder(database), set())
    assert not owners_folder(database).exists()


def test_a_dead_owners_file_is_taken_out_and_a_stopped_ones_stays_its_own(
    start: Starter, database: Path
) -> None:
    folder = owners_folder(database)
    killed, stopped = start(PRESENT), start(PRESENT)
    dead, asleep = hears(killed), hears(stopped)
    kill(killed)
    stop(stopped)
    for file in (dead, asleep, "1-0123456789abcdef.lock"):
        take_out(folder, file)
    assert files(database) == {asleep}
    assert probe(folder / asleep) is LockState.HELD
    kill(stopped)
    take_out(folder, asleep)
    assert files(database) == set()


def test_two_that_find_the_same_dead_owner_agree_and_either_may_take_it_out(
    start: Starter, database: Path
) -> None:
    process = start(PRESENT)
    one = peer(hears(process))
    kill(process)
    together = threading.Barrier(4)
    found: list[list[Peer]] = []

    def judges() -> None:
        watch = watching(database)
        together.wait()
        found.extend(watch.judge([one], float(now)) for now in range(50))

    threads = [threading.Thread(target=judges) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[one]] * 200
    take_out(owners_folder(database), one.file)
    take_out(owners_folder(database), one.file)
    assert files(database) == set()
