"""A lock belongs to the process that took it: forked children neither keep it nor let it go."""

from __future__ import annotations

import select
import subprocess
import sys
from pathlib import Path

import pytest
from children import Starter, hears, kill, tell

from stepfast.system.locks import LockState, probe, remove_free

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks, and kills with POSIX signals")


def somebody_outlives(process: subprocess.Popen[bytes]) -> bool:
    """Whether a descendant still has the standard output of a process that is dead."""
    assert process.poll() is not None and process.stdout is not None
    return select.select([process.stdout], [], [], 0)[0] == []


# The child lives on when its parent was killed, as long as nobody tells it to go on.
FORKED = """
lock = FileLock.acquire(path)
child = os.fork()
if not child:
    say("child", probe(path).name, lock.held)
    wait()
    lock.release(unlink=True)
    say("released", probe(path).name)
    wait()
    os._exit(0)
os.wait()
say("child has gone")
wait()
"""


def test_a_forked_child_does_not_keep_a_dead_holders_lock(start: Starter, tmp_path: Path) -> None:
    path = tmp_path / "lock"
    holder = start(FORKED, path)
    assert hears(holder) == "child HELD False"
    kill(holder)
    assert probe(path) is LockState.FREE
    assert somebody_outlives(holder)


def test_a_forked_child_neither_releases_nor_removes_its_parents_lock(start: Starter, tmp_path: Path) -> None:
    path = tmp_path / "lock"
    holder = start(FORKED, path)
    assert hears(holder) == "child HELD False"
    tell(holder)
    assert hears(holder) == "released HELD"
    tell(holder)
    assert hears(holder) == "child has gone"
    assert probe(path) is LockState.HELD


def test_a_forked_child_can_take_locks_of_its_own_and_so_can_its_child(
    start: Starter, tmp_path: Path
) -> None:
    script = """
lock = FileLock.acquire(path)
if not os.fork():
    mine = FileLock.acquire(path + "-child")
    if not os.fork():
        say(probe(path).name, probe(path + "-child").name, FileLock.acquire(path + "-grandchild").held)
    signal.pause()
signal.pause()
"""
    path = tmp_path / "lock"
    holder = start(script, path)
    assert hears(holder) == "HELD HELD True"
    kill(holder)
    assert probe(path) is LockState.FREE
    assert probe(f"{path}-child") is LockState.HELD
    assert probe(f"{path}-grandchild") is LockState.HELD


def test_a_fork_between_opening_and_locking_does_not_keep_the_lock(start: Starter, tmp_path: Path) -> None:
    script = """
really = locks._lock_exclusive
def forks_first(fd):
    if not os.fork():
        say("child")
        signal.pause()
    return really(fd)
locks._lock_exclusive = forks_first
lock = FileLock.acquire(path)
say("held")
signal.pause()
"""
    path = tmp_path / "lock"
    holder = start(script, path)
    assert {hears(holder), hears(holder)} == {"child", "held"}
    assert probe(path) is LockState.HELD
    kill(holder)
    assert probe(path) is LockState.FREE
    assert somebody_outlives(holder)


def test_a_fork_in_the_middle_of_a_probe_does_not_keep_what_the_probe_took(
    start: Starter, tmp_path: Path
) -> None:
    script = """
really = locks._lock_shared
def forks_then(fd):
    free = really(fd)
    if not os.fork():
        say("child")
        signal.pause()
    return free
locks._lock_shared = forks_then
say(probe(path).name)
signal.pause()
"""
    path = tmp_path / "lock"
    path.touch()
    holder = start(script, path)
    assert {hears(holder), hears(holder)} == {"child", "FREE"}
    kill(holder)
    assert somebody_outlives(holder)
    assert remove_free(path)


def test_a_fork_waits_until_a_file_that_is_being_opened_is_registered(start: Starter, tmp_path: Path) -> None:
    # The other thread may fork only once the descriptor is known; it is given every chance to do so
    # before, since it asks while the file is open and registers what it saw.
    script = """
import time
opened, asked = threading.Event(), threading.Event()
really = os.open
def slowly(*arguments, **more):
    fd = really(*arguments, **more)
    opened.set()
    asked.wait()
    for _ in range(1000): time.sleep(0)
    return fd
def forks():
    opened.wait()
    asked.set()
    if not os.fork():
        say("child")
        signal.pause()
threading.Thread(target=forks, daemon=True).start()
locks.os.open = slowly
lock = FileLock.acquire(path)
say("held")
signal.pause()
"""
    path = tmp_path / "lock"
    holder = start(script, path)
    assert {hears(holder), hears(holder)} == {"child", "held"}
    kill(holder)
    assert probe(path) is LockState.FREE
    assert somebody_outlives(holder)


def test_forks_of_one_thread_beside_locks_of_another_keep_none_of_them(
    start: Starter, tmp_path: Path
) -> None:
    script = """
def forks():
    for _ in range(20):
        if not os.fork():
            say("child")
            signal.pause()
thread = threading.Thread(target=forks)
thread.start()
number = 0
while thread.is_alive() or not number:  # (where the threads took turns, all were forked before)
    assert FileLock.acquire(f"{path}-{number}")
    if number % 2: FileLock.acquire(f"{path}-released").release(unlink=True)
    number += 1
say("held", number)
signal.pause()
"""
    path = tmp_path / "lock"
    holder = start(script, path)
    words = [hears(holder).split() for _ in range(21)]
    numbers = [int(more[0]) for _, *more in words if more]
    kill(holder)
    assert somebody_outlives(holder)
    files = list(tmp_path.iterdir())
    assert len(files) == numbers[0] > 0
    assert {probe(file) for file in files} == {LockState.FREE}


@pytest.mark.parametrize("pool", ["Pool", "ProcessPoolExecutor"])
def test_a_forked_pool_that_outlives_its_program_does_not_keep_its_lock(
    start: Starter, tmp_path: Path, pool: str
) -> None:
    script = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
def busy(number):
    say("worker")
    signal.pause()
lock = FileLock.acquire(path)
context = multiprocessing.get_context("fork")
if sys.argv[2] == "Pool":
    # In the middle of a task, since idle ones see their pipe's end and go by themselves.
    pool = context.Pool(2)
    pool.map_async(busy, [1, 2], chunksize=1)
else:
    # Idle: these hold the writing end of their own pipe, and wait for ever.
    pool = ProcessPoolExecutor(2, context, say, ["worker"])
    list(pool.map(abs, range(4)))
signal.pause()
"""
    path = tmp_path / "lock"
    program = start(script, path, pool)
    assert [hears(program), hears(program)] == ["worker", "worker"]
    assert probe(path) is LockState.HELD
    kill(program)
    assert probe(path) is LockState.FREE
    assert somebody_outlives(program)


def test_a_program_that_was_spawned_does_not_keep_its_parents_lock(start: Starter, tmp_path: Path) -> None:
    script = """
lock = FileLock.acquire(path)
subprocess.Popen(
    [sys.executable, "-c", "import os, signal; os.write(1, b'spawned\\\\n'); signal.pause()"], close_fds=False
)
signal.pause()
"""
    path = tmp_path / "lock"
    holder = start(script, path)
    assert hears(holder) == "spawned"
    assert probe(path) is LockState.HELD
    kill(holder)
    assert probe(path) is LockState.FREE
    assert somebody_outlives(holder)
