"""What went wrong underneath, as an error that says what it is and what to do about it."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from pathlib import Path

from stepfast.errors import (
    Damaged,
    DiskFailing,
    DiskFull,
    FileGone,
    LockedOut,
    Newer,
    NotOurs,
    ReadOnly,
    StoreError,
    StoreUnavailable,
)
from stepfast.health import Disk

__all__ = [
    "TheirError",
    "Unsound",
    "as_damage",
    "damage",
    "damaged_now",
    "disk_of",
    "free_bytes",
    "is_busy",
    "is_damage",
    "is_io",
    "is_missing",
    "is_stale",
    "is_stuck",
    "locked_out",
    "may_not_be_written",
    "newer_now",
    "refused",
    "translate",
]


class TheirError(Exception):
    """Carries what a user's code raised past `translate`: it may be a `sqlite3.Error` of another file."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


class Unsound(Damaged):
    """A database, or a copy, was looked at and is not whole; `why` is what SQLite says."""

    def __init__(self, path: Path, why: object) -> None:
        super().__init__(f"{path} is damaged ({why})")
        self.why = why


# The low byte of an extended result code is its primary code: https://sqlite.org/rescode.html
PRIMARY = 0xFF
# With less than this SQLite cannot make the index of its log (32 KB), and calls that an I/O error.
AS_GOOD_AS_FULL = 64 * 1024


def _code(error: BaseException) -> int:
    return int(getattr(error, "sqlite_errorcode", 0) or 0) & PRIMARY


def is_io(error: BaseException) -> bool:
    """True where a commit that failed so may nevertheless be on disk."""
    return _code(error) == sqlite3.SQLITE_IOERR


def is_stale(error: BaseException) -> bool:
    """Should the connection that raised it be made anew?

    After an I/O error, what it believes of the file may be wrong. One that was opened while the file was
    read-only stays so when the file is not any more.
    """
    return _code(error) in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY)


def is_damage(error: BaseException) -> bool:
    """Is a page not what SQLite wrote?"""
    return _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or _is_of_no_format(error)


def damage(what: str) -> sqlite3.DatabaseError:
    """As SQLite says it, for what only we can know."""
    error = sqlite3.DatabaseError(what)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def as_damage(error: Exception) -> Exception:
    """What an error means where the engine reads what it wrote itself: there, text that is none is damage."""
    if isinstance(error, sqlite3.OperationalError) and str(error).startswith("Could not decode to UTF-8"):
        return damage("a text is not UTF-8")
    if isinstance(error, UnicodeDecodeError):
        return damage("what SQLite says of it is not UTF-8")  # it names something of the schema
    if isinstance(error, json.JSONDecodeError):
        return damage(f"a value is no JSON: {error}")
    return error


def _is_of_no_format(error: BaseException) -> bool:
    """The header names a format that there never was, for which there is no code."""
    return isinstance(error, sqlite3.OperationalError) and str(error) == "unsupported file format"


def is_busy(error: BaseException) -> bool:
    """Does another connection hold the lock?"""
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) or is_stuck(error)


def is_stuck(error: BaseException) -> bool:
    """Has SQLite waited in vain, for ten seconds, for who holds the write lock to finish a word?

    One that was stopped while it wrote where the log ends leaves nobody able to read that either, until it
    goes on or ends: `SQLITE_PROTOCOL`, https://sqlite.org/rescode.html#protocol
    """
    return _code(error) == sqlite3.SQLITE_PROTOCOL


def translate(error: sqlite3.Error, path: Path) -> Exception:
    """The `StoreError` that says what `error` means for the file at `path`.

    An error of a program (a constraint, SQL that does not parse) comes back as it is. What SQLite calls an
    I/O error, or that it cannot open, is looked into: mostly the disk is full or somebody changed something.
    """
    made: StoreError
    match _code(error):
        case sqlite3.SQLITE_FULL:
            made = _full(path)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            made = ReadOnly(may_not_be_written(path) or _read_only(path))
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED | sqlite3.SQLITE_PROTOCOL:
            made = locked_out(path)
        case sqlite3.SQLITE_CANTOPEN:
            made = _by_looking(path) or StoreUnavailable(
                f"{path} cannot be opened: its folder must exist, with permission for you to write, and this "
                "program must not have too many files open"
            )
        case sqlite3.SQLITE_IOERR:
            made = _by_looking(path) or DiskFailing(
                f"the disk that holds {path} reported an error ({error}); check the disk and its cable, and "
                "copy the file away while it can be read"
            )
        case sqlite3.SQLITE_NOTADB:
            made = NotOurs(f"{path} is not a SQLite database; choose another path, nothing was written to it")
        case sqlite3.SQLITE_CORRUPT:
            made = damaged_now(path, str(error))
        case _ if _is_of_no_format(error):
            made = damaged_now(path, str(error))
        case sqlite3.SQLITE_NOMEM | sqlite3.SQLITE_INTERRUPT:
            made = StoreUnavailable(f"{path}: SQLite gave up in the middle ({error}); it is tried again")
        case _:
            return error
    made.__cause__ = error
    return made


def is_missing(error: BaseException) -> bool:
    """Is a statement wrong for the tables that are there? (Or wrong altogether.)"""
    return _code(error) == sqlite3.SQLITE_ERROR


def newer_now(path: Path, version: int, known: int) -> Newer:
    """For whoever finds another schema in the file than the one it had when it was opened."""
    return Newer(
        f"{path} was migrated to schema {version} by a newer Stepfast while this one (schema {known}) had it "
        "open; nothing was written: restart with the newer version"
    )


def locked_out(path: Path) -> LockedOut:
    """For whoever has waited in vain: it names who holds it, where the system tells."""
    from stepfast.sqlite.log.lock_holders import who_writes

    who = who_writes(path) or "another program"
    return LockedOut(f"{who} has held the write lock of {path} for too long; close it, or wait for it")


def damaged_now(path: Path, why: str) -> Damaged:
    """For whoever comes upon damage in a file that is open."""
    return Damaged(
        f"{path} is damaged ({why}) and left as it is: close the programs that have it open, then see "
        "`stepfast doctor`"
    )


def _full(path: Path) -> DiskFull:
    mount, free = disk_of(path)
    room = "" if free is None else f", where {free:,} bytes are free"
    return DiskFull(
        f"the disk that holds {path} is full; free some space there, nothing recorded is lost (it is the one "
        f"at {mount}{room})"
    )


def _read_only(path: Path) -> str:
    return f"{path} cannot be written: it, its folder or the disk is read-only; check their permissions"


def _by_looking(path: Path) -> StoreError | None:
    """What the place of the file tells, after an error that says little by itself."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return FileGone(f"{path} is not there any more: it, or its folder, was moved or deleted; put it back")
    except PermissionError:
        return ReadOnly(f"{path} cannot be looked at: its folder allows you nothing; mend its permissions")
    except OSError:
        return None
    if reason := may_not_be_written(path):
        return ReadOnly(reason)
    free = free_bytes(path)
    return _full(path) if free is not None and free < AS_GOOD_AS_FULL else None


def may_not_be_written(path: str | Path) -> str | None:
    """Why this user may not write the file, or make its log beside it; None where nothing forbids it."""
    folder = os.path.dirname(path) or os.curdir  # asked ten times a second: no path is made of it
    try:
        if hasattr(os, "statvfs") and os.statvfs(folder).f_flag & os.ST_RDONLY:
            return f"{path} cannot be written: its disk is mounted read-only; mount it for writing again"
    except OSError:
        return None
    if not os.access(path, os.W_OK):
        return f"{path} is read-only for you; give yourself permission to write it again"
    # On Windows a folder's permissions are not to be had this way.
    if os.name != "nt" and not os.access(folder, os.W_OK | os.X_OK):
        return f"the folder {folder} is read-only for you; SQLite's log lies in it: mend its permissions"
    return None


def refused(error: OSError, message: str) -> StoreUnavailable:
    """What an error of the system's, when a file was made or looked at, is as an error of the store."""
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return ReadOnly(message)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(message)
    return StoreUnavailable(message)


def disk_of(path: Path) -> Disk:
    """The disk that the file is on. It looks there, which may take a while."""
    free, mount = free_bytes(path), os.path.realpath(path.parent)
    while not os.path.ismount(mount) and os.path.dirname(mount) != mount:
        mount = os.path.dirname(mount)
    return Disk(mount, free)


def free_bytes(path: Path) -> int | None:
    """What this user can still write on the disk of `path`, or None where that cannot be told."""
    try:
        if hasattr(os, "statvfs"):
            found = os.statvfs(path.parent)
            return found.f_bavail * found.f_frsize
        import shutil

        return shutil.disk_usage(path.parent).free
    except OSError:
        return None
