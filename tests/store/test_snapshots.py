"""Moments without a read transaction, and who is in the way of them."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from stepfast.health import Health
from stepfast.sqlite.log import foreign_readers, lock_holders
from stepfast.sqlite.log.foreign_readers import OldReader, Reader, readers
from stepfast.sqlite.log.lock_holders import name_of
from stepfast.sqlite.reading.snapshots import LONGEST, Snapshots, waiting_file

SECONDS = 60


@pytest.fixture
def path(tmp_path: Path) -> Path:
    waiting_file(tmp_path / "work.db").parent.mkdir()
    return tmp_path / "work.db"


class Thread:
    """Runs something, and says when it is done."""

    def __init__(self, act: Callable[[], None]) -> None:
        self.done = threading.Event()
        self._act = act
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self._act()
        self.done.set()

    def join(self) -> None:
        assert self.done.wait(SECONDS)
        self._thread.join()


def read(snapshots: Snapshots) -> Thread:
    def act() -> None:
        with snapshots.one():
            pass

    return Thread(act)


# --- a moment without any -------------------------------------------------------------------------


def test_whoever_wants_to_read_waits_until_the_moment_is_over(path: Path) -> None:
    snapshots = Snapshots(path)
    with snapshots.none(SECONDS) as without:
        assert without
        reader = read(snapshots)
        assert not reader.done.wait(0.05)
    reader.join()


def test_whoever_reads_is_waited_for(path: Path) -> None:
    snapshots = Snapshots(path)
    alone = threading.Event()

    def act() -> None:
        with snapshots.none(SECONDS) as without:
            assert without
            alone.set()

    with snapshots.one():
        waiting = Thread(act)
        while not snapshots._held_up:
            time.sleep(0.001)
        later = read(snapshots)
        assert not alone.is_set()
    waiting.join()
    later.join()
    assert alone.is_set()


def test_one_that_does_not_end_holds_nobody_up_for_longer(path: Path) -> None:
    snapshots = Snapshots(path)
    with snapshots.one(), snapshots.none(0.01) as without:
        assert not without
        read(snapshots).join()
        assert not waiting_file(path).exists()


def test_readers_of_another_engine_are_asked_to_wait(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Or one that comes late, for want of a processor, would not wait any more.
    monkeypatch.setattr("stepfast.sqlite.reading.snapshots.LONGEST", 1000.0)
    mine, theirs = Snapshots(path), Snapshots(path)
    with mine.none(SECONDS):
        reader = read(theirs)
        assert not reader.done.wait(0.05)
    reader.join()
    assert not waiting_file(path).exists()


@pytest.mark.parametrize(
    "age", [LONGEST + 1, -3600], ids=["one that was killed", "a clock that was set back"]
)
def test_who_asked_too_long_ago_is_not_waited_for(path: Path, age: float) -> None:
    waiting_file(path).touch()
    then = time.time() - age
    os.utime(waiting_file(path), (then, then))
    read(Snapshots(path)).join()


def test_an_error_inside_lets_readers_go_on(path: Path) -> None:
    snapshots = Snapshots(path)
    with pytest.raises(LookupError), snapshots.none(SECONDS):
        raise LookupError
    with pytest.raises(LookupError), snapshots.one():
        raise LookupError
    with snapshots.none(0) as without:
        assert without


def test_a_folder_that_is_missing_keeps_nobody_from_reading(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path / "nowhere" / "work.db")
    with snapshots.none(SECONDS) as without:
        assert without
    read(snapshots).join()


# --- who is in the way ----------------------------------------------------------------------------


def test_the_kernels_list_of_locks_is_read(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = path.with_name(path.name + "-shm")
    index.touch()
    inode = index.stat().st_ino
    listed = tmp_path / "locks"
    listed.write_text(
        f"1: POSIX  ADVISORY  READ 11 fe:00:{inode} 124 124\n"
        f"2: POSIX  ADVISORY  READ 12 00:2e:{inode} 123 128\n"  # two marks, and the lock of who has it open
        f"2: -> POSIX  ADVISORY  WRITE 13 fe:00:{inode} 124 124\n"
        f"3: POSIX  ADVISORY  WRITE 14 fe:00:{inode} 120 121\n"
        f"4: POSIX  ADVISORY  READ 15 fe:00:{inode} 128 128\n"
        f"5: POSIX  ADVISORY  READ 16 fe:00:{inode + 1} 124 124\n"
        f"6: FLOCK  ADVISORY  READ 17 fe:00:{inode} 0 EOF\n"
        f"7: POSIX  ADVISORY  READ 18 fe:00:{inode} 127 EOF\n"
        "something else\n"
    )
    monkeypatch.setattr(lock_holders, "LOCKS", listed)
    assert readers(path) == {Reader(11, 1), *(Reader(12, mark) for mark in range(5)), Reader(18, 4)}
    monkeypatch.setattr(lock_holders, "LOCKS", tmp_path / "nothing")
    assert readers(path) == frozenset()
    index.unlink()
    assert readers(path) == frozenset()


def test_a_process_is_named_by_what_was_asked_of_it() -> None:
    if sys.platform == "linux":
        assert name_of(os.getpid()).startswith(Path(sys.executable).name[:6])
    assert f"(process {os.getpid()})" in name_of(os.getpid())
    assert "container" in name_of(0)
    assert name_of(2**30) == f"? (process {2**30})"


class Suspects:
    """Whoever a test says reads."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now: frozenset[Reader] = frozenset()
        monkeypatch.setattr(foreign_readers, "readers", lambda _path: self.now)

    def are(self, *processes: int) -> None:
        self.now = frozenset(Reader(each, 1) for each in processes)


@pytest.fixture
def suspects(monkeypatch: pytest.MonkeyPatch) -> Suspects:
    return Suspects(monkeypatch)


@pytest.fixture
def health() -> Health:
    return Health(time.time, lambda: None)


def test_readers_that_come_and_go_are_no_old_reader(path: Path, suspects: Suspects, health: Health) -> None:
    old = OldReader(path, health, Snapshots(), 0, 0)
    for copied in range(1, 50):
        suspects.are(2**30 + copied)
        old.seen(copied, large=True)
    assert not health.conditions


def test_only_who_was_there_all_the_time_is_named(path: Path, suspects: Suspects, health: Health) -> None:
    old = OldReader(path, health, Snapshots(), 0, 0)
    me = os.getpid()
    suspects.are(me, 2**30, 2**30 + 1)
    old.seen(7, large=False)
    assert not health.conditions
    suspects.are(me, 2**30, 2**30 + 2)
    old.seen(7, large=False)
    (condition,) = health.conditions
    assert condition.kind == "old-reader" and not condition.stops_work
    assert f"(process {2**30})" in condition.message and condition.message.count("(process") == 1
    old.seen(7, large=False)
    assert health.conditions == (condition,)
    # One that ends while it is looked at is not another one.
    suspects.are(me)
    old.seen(7, large=False)
    assert health.conditions == (condition,)
    old.gone()
    assert not health.conditions


def test_a_read_of_the_engines_own_is_not_taken_for_somebody_elses(
    path: Path, suspects: Suspects, health: Health
) -> None:
    snapshots = Snapshots()
    old = OldReader(path, health, snapshots, 0, 0)
    suspects.are(os.getpid())
    old.seen(7, large=False)
    with snapshots.one():
        began = time.monotonic()
        while time.monotonic() == began:
            pass
        old._since = time.monotonic() - SECONDS  # it has been in the way for longer than this one reads
        old.seen(7, large=False)
        assert not health.conditions
    old.seen(7, large=False)
    (condition,) = health.conditions
    assert "on a connection that is not Stepfast's" in condition.message


def test_where_the_system_does_not_tell_it_is_another_program(
    path: Path, suspects: Suspects, health: Health
) -> None:
    assert suspects.now == frozenset()
    old = OldReader(path, health, Snapshots(), 0, 1000)
    old.seen(7, large=True)
    old.seen(7, large=True)
    assert not health.conditions
    old.seen(7, large=False)
    (condition,) = health.conditions
    assert condition.message.startswith("another program has been reading an old state of")
