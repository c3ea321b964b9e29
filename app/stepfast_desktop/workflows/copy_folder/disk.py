"""What is asked of a disk and has no portable call: each is done as well as the system can."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress

from stepfast_desktop.workflows.copy_folder.errors import writing

__all__ = ["drop_cache", "flush", "flush_folder", "lock", "remove", "rename"]

# What file systems (FUSE, SMB) answer that cannot fsync a folder.
_CANNOT_FSYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EBADF})


def flush(file: int) -> None:
    """Wait until an open file is on disk, its times and permissions included."""
    if sys.platform == "darwin":
        import fcntl

        # fsync on macOS reaches the disk's cache, and not the disk; network drives know only fsync.
        with suppress(OSError):
            fcntl.fcntl(file, fcntl.F_FULLFSYNC)
            return
    os.fsync(file)


def flush_folder(path: str) -> None:
    """Wait until the names in a folder are on disk. Windows has no such call, and its journal no need."""
    if os.name == "nt":
        return
    with writing():
        folder = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0))
        try:
            os.fsync(folder)
        except OSError as error:
            if error.errno not in _CANNOT_FSYNC:
                raise
        finally:
            os.close(folder)


def drop_cache(file: int) -> None:
    """Ask that what is read next comes from the disk and not from memory, where one can ask."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)


def lock(part: int) -> None:
    """Raises BlockingIOError where a process that was thought dead, stopped perhaps, still writes to `part`.

    What it wrote is then not continued: it would write into the same file when it wakes up.
    """
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(part, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:
            pass  # A file system without locks: nothing is known, as on Windows.


def rename(part: str, target: str) -> None:
    """Give a file its name, in place of what has it."""
    try:
        os.replace(part, target)
    except PermissionError:
        if os.name != "nt":
            raise
        # Windows replaces no file that is marked read-only.
        os.chmod(target, stat.S_IWRITE)
        os.replace(part, target)


def remove(path: str) -> None:
    """Remove a temporary file, if it is there. It is ours alone, so one that stays does no harm."""
    with suppress(OSError):
        os.unlink(path)
