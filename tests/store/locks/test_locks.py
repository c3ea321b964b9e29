"""Locks that die with their process: tried with processes that really die, by SIGKILL."""

from __future__ import annotations

import gc
import os
import signal
import stat
import sys
import threading
from pathlib import Path

import pytest
from children import Starter, hears, kill

from stepfast.system import locks
from stepfast.system.locks import FileLock, LockState, probe, remove_free

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks, and kills with POSIX signals")

HOLDER = """
lock = FileLock.acquire(path)
say("held" if lock else "refused")
wait()
"""


def test_a_lock_is_held_by_a_living_process_and_free_once_it_was_killed(
    start: Starter, tmp_path: Path
) -> None:
    path = tmp_path / "lock"
    assert probe(path) is LockState.MISSING
    holder = start(HOLDER, path)
    assert hears(holder) == "held"
    assert probe(path) is LockState.HELD
    assert FileLock.acquire(path) is None
    kill(holder)
    assert probe(path) is LockState.FREE
    lock = FileLock.acquire(path)
    assert lock is not None and lock.held
    lock.release()


def test_a_stopped_holder_still_holds(start: Starter, tmp_path: Path) -> None:
    path = tmp_path / "lock"
    holder = start(HOLDER, path)
    assert hears(holder) == "held"
    holder.send_signal(signal.SIGSTOP)
    _, status = os.waitpid(holder.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    assert probe(path) is LockState.HELD
    assert FileLock.acquire(path) is None
    assert not remove_free(path)


def test_a_second_lock_in_the_same_process_is_refused_and_takes_nothing_away(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    lock = FileLock.acquire(path)
    assert lock is not None
    assert FileLock.acquire(path) is None
    assert probe(path) is LockState.HELD
    assert probe(path) is LockState.HELD
    lock.release()
    assert probe(path) is LockState.FREE
    assert probe(path) is LockState.FREE


def test_release_leaves_the_file_unless_asked_and_may_be_repeated(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first = FileLock.acquire(path)
    assert first is not None
    first.release()
    assert not first.held and path.exists()
    second = FileLock.acquire(path)
    assert second is not None
    first.release(unlink=True)
    assert probe(path) is LockState.HELD
    second.release(unlink=True)
    second.release(unlink=True)
    assert probe(path) is LockState.MISSING


def test_release_removes_no_file_that_took_the_place_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first = FileLock.acquire(path)
    path.unlink()  # a cleaner
    second = FileLock.acquire(path)
    assert first is not None and second is not None
    first.release(unlink=True)
    assert probe(path) is LockState.HELD
    second.release(unlink=True)


def test_a_relative_path_names_the_same_file_after_a_change_of_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lock = FileLock.acquire("lock")
    assert lock is not None
    monkeypatch.chdir("/")
    lock.release(unlink=True)
    assert not (tmp_path / "lock").exists()


def test_a_lock_that_is_forgotten_stays_held(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    lock = FileLock.acquire(path)
    assert lock is not None
    forgotten = lock._descriptor
    del lock
    gc.collect()
    assert probe(path) is LockState.HELD
    forgotten.close()


def test_the_file_is_its_users_alone(tmp_path: Path) -> None:
    lock = FileLock.acquire(tmp_path / "lock")
    assert lock is not None
    assert stat.S_IMODE((tmp_path / "lock").stat().st_mode) == 0o600
    lock.release()


def test_neither_a_link_nor_a_pipe_in_the_files_place_is_followed_or_waited_for(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError):
        FileLock.acquire(tmp_path / "link")
    with pytest.raises(OSError):
        probe(tmp_path / "link")
    assert not (tmp_path / "elsewhere").exists()
    os.mkfifo(tmp_path / "pipe")
    assert probe(tmp_path / "pipe") is LockState.FREE


def test_a_free_file_is_removed_and_a_held_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    assert not remove_free(path)
    lock = FileLock.acquire(path)
    assert lock is not None
    assert not remove_free(path) and path.exists()
    lock.release()
    assert remove_free(path) and not path.exists()


def test_a_file_that_goes_between_its_opening_and_its_locking_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lock"
    really = locks._lock_exclusive
    times = []

    def interrupted(fd: int) -> bool:
        times.append(fd)
        if len(times) == 1:
            path.unlink()
        return really(fd)

    monkeypatch.setattr(locks, "_lock_exclusive", interrupted)
    lock = FileLock.acquire(path)
    assert lock is not None and len(times) == 2
    assert probe(path) is LockState.HELD
    lock.release()


def test_a_refusal_on_a_file_that_was_replaced_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lock"
    old = FileLock.acquire(path)
    assert old is not None
    really = locks._lock_exclusive
    times = []

    def interrupted(fd: int) -> bool:
        times.append(fd)
        if len(times) == 1:
            path.unlink()  # `old` goes on locking a file that has no name any more
        return really(fd)

    monkeypatch.setattr(locks, "_lock_exclusive", interrupted)
    new = FileLock.acquire(path)
    assert new is not None and len(times) == 2
    new.release()
    old.release()


def test_a_probe_sees_the_file_that_replaced_the_one_it_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lock"
    path.touch()
    really = locks._lock_shared
    new: list[FileLock | None] = []

    def interrupted(fd: int) -> bool:
        if not new:
            path.unlink()
            new.append(FileLock.acquire(path))
        return really(fd)

    monkeypatch.setattr(locks, "_lock_shared", interrupted)
    assert probe(path) is LockState.HELD
    assert new[0] is not None
    new[0].release()


def test_probes_of_one_moment_do_not_take_each_other_for_the_owner(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.touch()
    halfway = locks._Descriptor(path, os.O_RDONLY)
    assert locks._lock_shared(halfway.fd)
    assert probe(path) is LockState.FREE
    halfway.close()


def test_an_owner_that_is_about_to_lock_waits_for_a_probe_and_gets_its_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lock"
    path.touch()
    halfway = locks._Descriptor(path, os.O_RDONLY)
    assert locks._lock_shared(halfway.fd)
    waits = []

    def pause() -> None:
        waits.append(1)
        if len(waits) == 3:
            halfway.close()

    monkeypatch.setattr(locks, "_pause", pause)
    lock = FileLock.acquire(path)
    assert lock is not None and len(waits) == 3
    assert probe(path) is LockState.HELD
    lock.release()


def test_a_probe_that_never_ends_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lock"
    path.touch()
    halfway = locks._Descriptor(path, os.O_RDONLY)
    assert locks._lock_shared(halfway.fd)
    monkeypatch.setattr(locks, "_PATIENCE", 0.0)
    assert FileLock.acquire(path) is None
    assert not remove_free(path) and path.exists()
    halfway.close()


def test_of_many_who_lock_at_once_beside_many_who_look_one_gets_it(tmp_path: Path) -> None:
    before = set(locks._open)
    rounds = 60
    paths = [tmp_path / f"lock-{number}" for number in range(rounds)]
    together = threading.Barrier(6)
    got: list[list[FileLock]] = [[] for _ in paths]
    seen: list[set[LockState]] = [set() for _ in paths]

    def locks_it() -> None:
        for number, path in enumerate(paths):
            together.wait()
            lock = FileLock.acquire(path)
            if lock is not None:
                got[number].append(lock)

    def looks() -> None:
        for number, path in enumerate(paths):
            together.wait()
            for _ in range(20):
                seen[number].add(probe(path))

    threads = [threading.Thread(target=work) for work in [locks_it] * 4 + [looks] * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(holders) for holders in got] == [1] * rounds
    assert all(probe(path) is LockState.HELD for path in paths)
    for (lock,) in got:
        lock.release()
    assert locks._open == before
