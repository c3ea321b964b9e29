"""Processes of steps whose owner has died: found by the locks that they hold, and ended.

The process of a step holds a lock, from before its effect begins until it has ended, on a file beside the
lock of its owner: `<that of the owner>-<pid>-<when it began>.step`. Its order and that of a takeover fit:

    process                             takeover
    locks its file                      sees that the owner is dead
    sees that its owner lives           ends whoever holds such a lock, and waits until it is free
    runs the effect                     makes the workflows ready

One that locks too late to be found sees that its owner is dead, and runs nothing. The process id comes from
the name, so what is ended is first looked at: it leads a session, and began when the name says (Linux).
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from stepfast.system.locks import FileLock, LockState, probe, remove_free

__all__ = ["began", "end_orphans", "hold_lock", "is_step_lock", "owner_of"]

_STEP = r"([0-9]+-[0-9a-f]{16})-([0-9]+)-([0-9]+)\.step"


def hold_lock(owner: Path) -> FileLock:
    """Lock, in the process of a step, the file that says so; `owner` is the owner's own lock file.

    Raises `OSError` where that cannot be done: the owner's folder is gone, say.
    """
    pid = os.getpid()
    if sys.platform != "win32":
        pid = os.getpgrp()  # what is ended is the group
    lock = FileLock.acquire(owner.with_name(f"{owner.stem}-{pid}-{began(pid) or 0}.step"))
    if lock is None:
        raise BlockingIOError(f"the lock of process {pid} is held by another program")
    return lock


def is_step_lock(file: str) -> bool:
    """Is that the name of a step's lock file?"""
    return re.fullmatch(_STEP, file) is not None


def owner_of(file: str) -> str:
    """The name of the lock file of the owner whose step's lock file this is."""
    found = re.fullmatch(_STEP, file)
    return f"{found[1]}.lock" if found else ""


def end_orphans(owner: Path, patience: float) -> bool:
    """End what still runs for an owner that is dead. Blocks for at most `patience` seconds.

    Returns False where something may still run: ask again, and run none of its steps until then.
    """
    deadline = time.monotonic() + patience
    try:
        files = os.listdir(owner.parent)
    except OSError:
        return True  # nothing can have been locked there
    orphans = [owner.parent / each for each in files if owner_of(each) == owner.name]
    ended = [_end(each, deadline) for each in orphans]
    return all(ended)


def began(pid: int) -> int | None:
    """When a process began, in ticks since the boot; None if there is none, 0 where that is not asked."""
    if sys.platform != "linux":
        return 0
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
        return int(
            stat.rpartition(")")[2].split()[19]
        )  # proc(5): starttime, after a name with anything in it
    except (OSError, ValueError, IndexError):
        return None


def _end(lock: Path, deadline: float) -> bool:
    while True:
        try:
            state = probe(lock)
        except OSError:
            state = LockState.HELD  # nothing is known
        if state is not LockState.HELD:
            with suppress(OSError):
                remove_free(lock)
            return True
        _kill(lock.name)
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.002)


def _kill(file: str) -> None:
    """Kill the group of the process that a locked lock file names; nobody where that is another one.

    On Windows its job has ended it already.
    """
    found = re.fullmatch(_STEP, file)
    if found is None or sys.platform == "win32":
        return
    pid = int(found[2])
    with suppress(OSError):
        if began(pid) == int(found[3]) and os.getsid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)
