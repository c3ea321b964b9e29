"""What only one process at a time is on a data folder: its window, or its worker in the background.

The kernel says who: the lock is that of the engine's owners (`stepfast.system.locks`), and it goes with its
process, however that dies, so that nothing stale is ever in the way. Nobody is taken for the holder because a
file names its process id. Beside the lock lies a file with what the holder tells others (where it listens);
it holds a second lock on that, of the kind of which the kernel names the holder (F_GETLK of fcntl(2)), since
it names none of a `flock`. Windows has nothing like it: there the file says who, emptied by each holder
first.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from stepfast.system.locks import FileLock, LockState, probe

__all__ = ["BACKGROUND", "WINDOW", "Sole", "end", "is_held", "pid_of", "told"]

WINDOW = "window"
BACKGROUND = "background"

MOST_TOLD = 4096
PAUSE_SECONDS = 0.02

# A second look at a file in the process that holds it would drop its lock: fcntl(2), as for the database.
_mine: dict[Path, Mapping[str, Any]] = {}


class Sole:
    """That this process is it; until `release`, or its death."""

    def __init__(self, lock: FileLock, file: Path, descriptor: int) -> None:
        self._lock = lock
        self._file = file
        self._descriptor = descriptor
        _mine[file] = {}

    @classmethod
    def take(cls, folder: Path, name: str) -> Sole | None:
        """Become it in the data folder, which is made where it is missing; None where somebody is.

        Raises `OSError` where the folder, or the file system, lets nobody.
        """
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            lock = FileLock.acquire(_lock(folder, name))
        except OSError:
            if is_held(folder, name):
                return None  # by one that was before the disk became read-only
            raise
        if lock is None:
            return None
        file = _file(folder, name)
        try:
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT | _FLAGS, 0o600)
        except OSError:
            lock.release()
            raise
        os.ftruncate(descriptor, 0)
        _lock_named(descriptor)
        return cls(lock, file, descriptor)

    def tell(self, **what: Any) -> None:
        """Tell others something, as JSON values; it takes the place of what was told before.

        Raises `OSError` where the disk does not take it.
        """
        text = json.dumps({"pid": os.getpid(), **what}).encode()
        assert len(text) <= MOST_TOLD
        os.ftruncate(self._descriptor, 0)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, text)
        _mine[self._file] = what

    def release(self) -> None:
        """Be it no more; a second call does nothing."""
        if self._descriptor < 0:
            return
        with suppress(OSError):
            os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)
        self._descriptor = -1
        _mine.pop(self._file, None)
        self._lock.release()


def is_held(folder: Path, name: str) -> bool:
    """Whether somebody is it now. Where that cannot be looked at, nobody is."""
    try:
        return probe(_lock(folder, name)) is LockState.HELD
    except OSError:
        return False


def told(folder: Path, name: str) -> Mapping[str, Any]:
    """What the holder tells; empty where it has told nothing yet, or there is none."""
    file = _file(folder, name)
    if file in _mine:
        return _mine[file]
    try:
        with open(file, "rb") as opened:
            found = json.loads(opened.read(MOST_TOLD))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    pid = found.pop("pid", None)
    # What one that was killed has left there is nobody's word.
    return found if pid == pid_of(folder, name) else {}


def pid_of(folder: Path, name: str) -> int | None:
    """The process id of the holder, as the kernel has it; None where it names none."""
    file = _file(folder, name)
    if file in _mine:
        return os.getpid()
    if not is_held(folder, name):
        return None
    try:
        descriptor = os.open(file, os.O_RDONLY | _FLAGS)
    except OSError:
        return None
    try:
        return _holder_of(descriptor)
    finally:
        os.close(descriptor)


def end(folder: Path, name: str, *, patience: float) -> bool:
    """End the process that is it: asked to for `patience` seconds, then killed; blocks meanwhile.

    One that is stopped is let go on, to end by itself. True once nobody is it any more.

    Raises `OSError` where the process is not one's own.
    """
    pid = pid_of(folder, name)
    if pid is None:
        return not is_held(folder, name)
    if pid == os.getpid():
        return False
    with _Process(pid) as process:
        # The number may have passed to another process before it was opened, not after.
        if pid_of(folder, name) != pid:
            return not is_held(folder, name)
        process.send(signal.SIGTERM)
        if sys.platform != "win32":
            process.send(signal.SIGCONT)
        if not _gone(folder, name, pid, patience) and sys.platform != "win32":
            process.send(signal.SIGKILL)
    return _gone(folder, name, pid, patience)


class _Process:
    """A process that a signal can be sent to, and no other that has got its number, where the system can."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._descriptor = -1

    def __enter__(self) -> _Process:
        if sys.platform == "linux":
            with suppress(ProcessLookupError):
                self._descriptor = os.pidfd_open(self._pid)
        return self

    def __exit__(self, *_: object) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)

    def send(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            if sys.platform != "linux":
                os.kill(self._pid, number)
            elif self._descriptor >= 0:
                signal.pidfd_send_signal(self._descriptor, number)


def _gone(folder: Path, name: str, pid: int, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while is_held(folder, name) and pid_of(folder, name) in (pid, None):
        if time.monotonic() >= until:
            return False
        time.sleep(PAUSE_SECONDS)
    return True


def _lock(folder: Path, name: str) -> Path:
    return folder / f"{name}.lock"


def _file(folder: Path, name: str) -> Path:
    return Path(os.path.realpath(folder)) / f"{name}.json"


if sys.platform == "win32":
    _FLAGS = os.O_BINARY | os.O_NOINHERIT

    def _lock_named(descriptor: int) -> None:
        pass

    def _holder_of(descriptor: int) -> int | None:
        try:
            found = json.loads(os.read(descriptor, MOST_TOLD))
        except ValueError:
            return None  # not told yet
        pid = found.get("pid") if isinstance(found, dict) else None
        return pid if isinstance(pid, int) and pid > 0 else None

else:
    import fcntl

    _FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK

    # struct flock: fcntl(2) of Linux (64 bits) and of macOS.
    _FLOCK = "qqihh" if sys.platform == "darwin" else "hhqqi4x"

    def _lock_named(descriptor: int) -> None:
        # Beside the first lock nobody can be in the way for longer than a look takes.
        fcntl.lockf(descriptor, fcntl.LOCK_EX)

    def _holder_of(descriptor: int) -> int | None:
        if sys.platform == "darwin":
            asked = struct.pack(_FLOCK, 0, 0, 0, fcntl.F_WRLCK, os.SEEK_SET)
        else:
            asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        found = struct.unpack(_FLOCK, fcntl.fcntl(descriptor, fcntl.F_GETLK, asked))
        if sys.platform == "darwin":
            _, _, pid, kind, _ = found
        else:
            kind, _, _, _, pid = found
        # 0 and less: a process of another namespace, which has no number here.
        return pid if kind != fcntl.F_UNLCK and pid > 0 else None
