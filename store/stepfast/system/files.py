"""Writing a file that is there whole or not at all, and takes the place of nothing."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from stepfast.errors import DiskFailing, DiskFull, InvalidInput, ReadOnly, StoreError, StoreUnavailable

__all__ = ["PART", "disk_error", "explained", "new_file", "refuse_what_is_there", "sync_folder"]

PART = ".part"
"""How the names of half-made files end."""


@contextlib.contextmanager
def new_file(target: Path) -> Iterator[tuple[Path, int]]:
    """Gives a file under another name, 0600, with a descriptor of it; at the end it gets its name.

    By then it is on the disk, and so is its name. If anything is raised there is nothing at all.

    Raises `InvalidInput` where there is something at `target`, and `StoreError` where it cannot be written.
    """
    refuse_what_is_there(target)
    part = target.with_name(f".{target.name}-{os.urandom(4).hex()}{PART}")
    try:
        with explained(target):
            descriptor = os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0), 0o600)
        try:
            yield part, descriptor
            with explained(target):
                _sync_to_disk(descriptor)
        finally:
            os.close(descriptor)
        with explained(target):
            _rename_unless_there(part, target)
            sync_folder(target.parent)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def refuse_what_is_there(target: Path) -> None:
    """Raise `InvalidInput` where something has the name."""
    if os.path.lexists(target):
        raise InvalidInput(f"{target} is there already, and nothing is overwritten; give another name")


@contextlib.contextmanager
def explained(target: Path) -> Iterator[None]:
    """Raises what the system says of `target` as a `StoreError`."""
    try:
        yield
    except OSError as error:
        raise disk_error(error, target) from error


def disk_error(error: OSError, target: Path) -> StoreError:
    """What an error in writing `target` means."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return DiskFull(f"the disk that holds {target} is full; free some space there")
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return ReadOnly(f"{target} cannot be written: its folder, or its disk, is read-only for you")
        case errno.EIO:
            return DiskFailing(
                f"the disk that holds {target} reported an error; check it, or use another one"
            )
    return StoreUnavailable(f"{target} cannot be written ({error.strerror or error}); choose another place")


def sync_folder(folder: Path) -> None:
    """So that a new name in it is there after a power cut."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):  # not every file system has it
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _sync_to_disk(descriptor: int) -> None:
    """On macOS `fsync` stops at the cache of the drive."""
    if sys.platform == "darwin":
        import fcntl

        with contextlib.suppress(OSError):  # a network file system has no such thing
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


def _rename_unless_there(part: Path, target: Path) -> None:
    try:
        os.link(part, target)
    except FileExistsError:
        refuse_what_is_there(target)
        raise
    except OSError:  # a file system without hard links: a memory stick, mostly
        refuse_what_is_there(target)
        os.rename(part, target)
    else:
        os.unlink(part)
