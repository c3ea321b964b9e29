"""A lock on a file that the kernel drops when its process dies, however it dies.

`flock` on POSIX, since it belongs to the open file description: a second lock on the file is refused
within the process that holds the first too (`lockf` would grant it), and closing some other descriptor
of the file gives nothing away (`lockf` would). On Windows one byte is locked with `msvcrt.locking`.

An owner locks exclusively. A probe locks *shared* and lets go at once, so that two who look at the same
moment do not take each other for the owner; and an owner that is refused looks whether anything but
probes is in its way before it believes that the lock is taken. Windows has no shared lock in `msvcrt`:
there a probe may say `HELD` because of another probe, never `FREE` of a lock that is held, and the next
look puts it right.

A descriptor is shared with every child that is forked, and with it the lock: an idle worker of a forked
pool kept a killed engine "alive" for ever (measured). So every descriptor of this module is registered
from the moment it is open, forks wait for that moment, and the child closes its copies. It only closes:
to unlock there would unlock the parent. Children that are spawned never have them (O_CLOEXEC).
"""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import TypeAlias

__all__ = ["FileLock", "LockState", "probe", "remove_free"]

_Path: TypeAlias = str | os.PathLike[str]


class LockState(Enum):
    """What a look at a lock file showed."""

    HELD = "held"
    """Somebody holds the lock: this process perhaps, or one that is stopped."""

    FREE = "free"
    """The file is there and nobody holds its lock: whoever held it has died, or has not locked it yet."""

    MISSING = "missing"
    """There is no such file, which says nothing about its owner: it may have been cleaned away."""


class FileLock:
    """A lock that this process holds, until `release` or its death; see `acquire`.

    One that is forgotten without `release` stays held: a lock must not depend on the garbage collector.
    In a forked child it is not held any more, and `release` there does nothing.
    """

    def __init__(self, path: Path, descriptor: _Descriptor) -> None:
        self.path = path
        self._descriptor = descriptor

    @classmethod
    def acquire(cls, path: _Path) -> FileLock | None:
        """Lock the file at `path`, which is created (0600) where it is missing.

        Returns None when somebody holds it, at once on POSIX and after a quarter of a second on
        Windows. Where only probes are in the way, it waits for them for up to 5 seconds.

        Raises `OSError` where the file cannot be made or opened (a symbolic link is not followed), or
        the file system has no locks.
        """
        path = Path(os.path.abspath(path))
        deadline = time.monotonic() + _PATIENCE
        while True:
            taken = _take(path, create=True)
            if isinstance(taken, _Descriptor):
                return cls(path, taken)
            if (taken is LockState.HELD and _REFUSAL_IS_CERTAIN) or time.monotonic() >= deadline:
                return None
            _pause()

    @property
    def held(self) -> bool:
        """Whether this process still holds it."""
        return self._descriptor.fd >= 0

    def release(self, *, unlink: bool = False) -> None:
        """Let go, and with `unlink` remove the file too; a second call does nothing.

        A file that has taken the place of the locked one meanwhile is left alone, and one that cannot
        be removed stays.
        """
        with _guard:
            if not self.held:
                return
            if unlink and _OPEN_FILES_CAN_GO and _names(self.path, self._descriptor.fd):
                # While the lock is held: after it, the file could be somebody else's already.
                with suppress(OSError):
                    self.path.unlink()
            self._descriptor.close()
            if unlink and not _OPEN_FILES_CAN_GO:
                # The system refuses this when somebody else has opened it by now, as it should.
                with suppress(OSError):
                    self.path.unlink()


def probe(path: _Path) -> LockState:
    """Look whether somebody holds the lock at `path`; takes no time and creates nothing.

    A lock that this process holds through another descriptor is `HELD`.

    Raises `OSError` where there is a file that cannot be opened or locked: then nothing is known.
    """
    for _ in range(_REPLACED_AT_MOST):
        try:
            descriptor = _Descriptor(path, os.O_RDONLY)
        except FileNotFoundError:
            return LockState.MISSING
        try:
            free = _lock_shared(descriptor.fd)
            if _names(path, descriptor.fd):
                return LockState.FREE if free else LockState.HELD
        finally:
            descriptor.close()
    return LockState.HELD  # it is replaced faster than we can look: at any rate somebody lives there


def remove_free(path: _Path) -> bool:
    """Remove the file at `path` unless somebody holds its lock; says whether it did.

    It is removed under its lock, so an owner that is just about to lock it sees that it is gone.

    Raises `OSError` where there is a file that cannot be opened or locked.
    """
    taken = _take(path, create=False)
    if not isinstance(taken, _Descriptor):
        return False
    lock = FileLock(Path(path), taken)
    lock.release(unlink=True)
    return not lock.path.exists()


_REPLACED_AT_MOST = 100

# Every descriptor that is open here. Not a WeakSet: what is dropped without being closed is still locked.
_open: set[_Descriptor] = set()

# Held while a descriptor is open and not yet registered, or registered and no longer open; a fork waits
# for it. Reentrant, because a signal's handler may fork in the middle of either.
_guard = threading.RLock()


class _Descriptor:
    """An open file whose copies are closed in every forked child. `fd` is -1 once it is closed."""

    def __init__(self, path: _Path, flags: int) -> None:
        with _guard:
            self.fd = os.open(path, flags | _FLAGS, 0o600)
            _open.add(self)

    def close(self) -> None:
        """Unlock and close. Only in the process that opened it: a child's unlocking is its parent's."""
        with _guard:
            if self.fd < 0:
                return
            fd, self.fd = self.fd, -1
            _open.discard(self)
            # Closing would do, but for a child between its fork and its exec, which has a copy.
            with suppress(OSError):
                _unlock(fd)
            os.close(fd)


def _close_in_child() -> None:
    for descriptor in _open:
        with suppress(OSError):
            os.close(descriptor.fd)
        descriptor.fd = -1
    _open.clear()
    _guard.release()  # taken before the fork, by the one thread that there is in a child


def _take(path: _Path, *, create: bool) -> _Descriptor | LockState:
    """Try once to lock `path`: the descriptor, or what the lock was found to be.

    `FREE` is: not taken, but no owner is in the way either, so that it is worth another try.
    """
    try:
        descriptor = _Descriptor(path, os.O_RDWR | (os.O_CREAT if create else 0))
    except FileNotFoundError:
        if create:
            raise  # the folder is missing
        return LockState.MISSING
    kept = False
    try:
        locked = _lock_exclusive(descriptor.fd)
        # Between the opening and the lock it may have been removed, and then the lock is worth nothing:
        # the next one locks another file under this name. A refusal is worth nothing then either.
        if not _names(path, descriptor.fd):
            return LockState.FREE
        if locked:
            kept = True
            return descriptor
        return LockState.FREE if _lock_shared(descriptor.fd) else LockState.HELD
    finally:
        if not kept:
            descriptor.close()


def _pause() -> None:
    # Not always the same, or two who try would get in each other's way again and again.
    time.sleep(0.001 + os.urandom(1)[0] / 100_000)


if sys.platform == "win32":
    import msvcrt

    _FLAGS = os.O_BINARY | os.O_NOINHERIT
    _OPEN_FILES_CAN_GO = False
    _REFUSAL_IS_CERTAIN = False  # it may have been a probe
    _PATIENCE = 0.25

    def _lock_exclusive(fd: int) -> bool:
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)  # at the position, which nothing here moves from 0
        except OSError as refused:
            if refused.errno in (errno.EACCES, errno.EDEADLK, errno.EAGAIN):
                return False
            raise
        return True

    _lock_shared = _lock_exclusive

    def _unlock(fd: int) -> None:
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

    def _names(path: _Path, fd: int) -> bool:
        return True  # a file that is open here can be neither removed nor replaced

else:
    import fcntl

    # O_NONBLOCK: a named pipe in the file's place must not hang us.
    _FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    _OPEN_FILES_CAN_GO = True
    _REFUSAL_IS_CERTAIN = True
    _PATIENCE = 5.0

    def _lock_exclusive(fd: int) -> bool:
        return _flock(fd, fcntl.LOCK_EX)

    def _lock_shared(fd: int) -> bool:
        return _flock(fd, fcntl.LOCK_SH)

    def _flock(fd: int, kind: int) -> bool:
        try:
            fcntl.flock(fd, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_UN)

    def _names(path: _Path, fd: int) -> bool:
        try:
            there = os.stat(path, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return os.path.samestat(there, os.fstat(fd))

    os.register_at_fork(before=_guard.acquire, after_in_parent=_guard.release, after_in_child=_close_in_child)
