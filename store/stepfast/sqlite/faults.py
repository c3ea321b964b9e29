"""What went wrong underneath, as an error that says what it is and what to do about it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from stepfast.errors import NotOurs, OutcomeUnknown, StoreError, StoreUnavailable

__all__ = ["TheirError", "is_io", "translate"]


class TheirError(Exception):
    """Carries what a user's code raised past `translate`: it may be a `sqlite3.Error` of another file."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


# The low byte of an extended result code is its primary code: https://sqlite.org/rescode.html
PRIMARY = 0xFF


def _code(error: BaseException) -> int:
    return int(getattr(error, "sqlite_errorcode", 0) or 0) & PRIMARY


def is_io(error: BaseException) -> bool:
    """True where a commit that failed so may nevertheless be on disk."""
    return _code(error) == sqlite3.SQLITE_IOERR


def translate(error: sqlite3.Error, path: Path) -> Exception:
    """The `StoreError` that says what `error` means for the file at `path`.

    An error of a program (a constraint, SQL that does not parse) comes back as it is.
    """
    made: StoreError
    match _code(error):
        case sqlite3.SQLITE_FULL:
            made = StoreUnavailable(
                f"the disk that holds {path} is full; free some space there, nothing recorded is lost"
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            made = StoreUnavailable(
                f"{path} cannot be written: it, its folder or the disk is read-only; check their permissions"
            )
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            made = StoreUnavailable(
                f"another program has held the write lock of {path} for too long; close it, or wait for it"
            )
        case sqlite3.SQLITE_CANTOPEN:
            made = StoreUnavailable(
                f"{path} cannot be opened: its folder must exist, with permission for you to write"
            )
        case sqlite3.SQLITE_IOERR:
            made = OutcomeUnknown(
                f"the disk that holds {path} reported an error ({error}); what was being written may or may "
                "not be there, and is looked up again when the file is read"
            )
        case sqlite3.SQLITE_NOTADB:
            made = NotOurs(f"{path} is not a SQLite database; choose another path, nothing was written to it")
        case sqlite3.SQLITE_CORRUPT:
            made = StoreUnavailable(
                f"{path} is damaged ({error}) and left as it is: copy it away, then see `stepfast doctor`"
            )
        case sqlite3.SQLITE_NOMEM | sqlite3.SQLITE_INTERRUPT:
            made = StoreUnavailable(f"{path}: SQLite gave up in the middle ({error}); it is tried again")
        case _:
            return error
    made.__cause__ = error
    return made
