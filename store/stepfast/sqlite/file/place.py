"""Whether the file under a path is still the one that was opened, and what is saved when it is not.

SQLite goes on writing to a file that was deleted, moved or replaced, and nobody will ever read that. Worse, a
connection that is opened anew would write to whatever lies there now. So the place is looked at while there
are writes (`EVERY` seconds; each look gives up the interpreter's lock), around each new connection, and
whenever something is read after a pause.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from stepfast.errors import FileGone, ReadOnly
from stepfast.sqlite.faults import may_not_be_written

__all__ = ["EVERY", "LogGone", "Place"]

EVERY = 0.1
"""Seconds between two looks while there are writes. What is committed in between may go to a lost file."""

Identity = tuple[int, int]

# Deleting or replacing SQLite's log loses as much as deleting the file.
COMPANIONS = ("-wal", "-shm")


class LogGone(FileGone):
    """SQLite's log or its index; `missing`: the log, and nobody has made another one yet."""

    def __init__(self, message: str, *, missing: bool) -> None:
        super().__init__(message)
        self.missing = missing


class Place:
    """The path of one open file. Used by several threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # As text: of a path it would have to be made for each look, which takes longer than the look.
        self._file = os.fspath(path)
        self._beside = {suffix: self._file + suffix for suffix in COMPANIONS}
        try:
            self._opened = _identity(self._file)
        except OSError as error:
            raise FileGone(f"{path} is not there any more ({error.strerror}); try again") from error
        self._companions: dict[str, Identity] = {}
        # Is a connection of ours open, so that nobody who closes the file takes its log away?
        self._in_use = True
        self._looking = threading.Lock()
        self._looked = time.monotonic()

    def is_due(self, every: float = EVERY) -> bool:
        """Is it time for another look?"""
        return time.monotonic() - self._looked >= every

    def look(self) -> None:
        """Raise `FileGone` or `ReadOnly` where the file is not there as it was."""
        with self._looking:
            self._check_file()
            for suffix in COMPANIONS:
                self._check_companion(suffix, learn=self._in_use)
        if reason := may_not_be_written(self._file):
            raise ReadOnly(reason)
        self._looked = time.monotonic()

    @contextlib.contextmanager
    def closing(self) -> Iterator[None]:
        """While the writer's connection is closed: where it is the last, SQLite deletes its log by itself.

        Nobody looks meanwhile, nor learns which the log is until `opened`: another process that closes the
        file last may take it away.
        """
        with self._looking:
            with contextlib.suppress(FileGone, ReadOnly):
                for suffix in COMPANIONS:
                    self._check_companion(suffix)
                self._companions.clear()
            self._in_use = False
            yield

    def opened(self) -> None:
        """The writer's connection is there, and with it a log that stays."""
        self._in_use = True

    def connect(
        self, open_connection: Callable[[Path], sqlite3.Connection], *, writing: bool = False
    ) -> sqlite3.Connection:
        """Open the file, provided that it is the one that was opened first."""
        self._check_file()
        if writing:
            for suffix in COMPANIONS:
                # SQLite would make another log, beside the one that is in use. One that nobody here has open
                # yet may go before this connection has it: whoever closes the file last takes it away.
                self._check_companion(suffix, learn=False)
            if reason := may_not_be_written(self.path):
                raise ReadOnly(reason)  # SQLite would open it for reading, and say so with the first write
        connection = open_connection(self.path)
        try:
            self._check_file()
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_file(self) -> None:
        try:
            found = _identity(self._file)
        except (FileNotFoundError, NotADirectoryError):
            raise FileGone(
                f"{self.path} was moved or deleted, or its folder was, while it was open; put it back"
            ) from None
        except OSError as error:
            raise ReadOnly(f"{self.path} cannot be looked at ({error.strerror}); mend its folder") from None
        if found != self._opened:
            raise FileGone(
                f"{self.path} was replaced by another file while it was open; that one is left alone: put "
                "the first one back, or start this program again to work with the other"
            )

    def _check_companion(self, suffix: str, *, learn: bool = True) -> None:
        beside = self._beside[suffix]
        known = self._companions.get(suffix)
        try:
            found = _identity(beside)
        except (FileNotFoundError, NotADirectoryError):
            found = None
        except OSError as error:  # its folder was closed since the file was looked at: nothing is gone
            raise ReadOnly(f"{beside} cannot be looked at ({error.strerror}); mend its folder") from None
        if known is None:
            if found is not None and learn:
                self._companions[suffix] = found
        elif found != known:
            raise LogGone(
                f"{beside}, a part of {self.path}, was deleted or replaced while it was open; nothing is "
                "written any more: start this program again",
                missing=found is None and suffix == "-wal",
            )

    def rescue(self, connection: sqlite3.Connection, at: float) -> Path:
        """Copy what an open connection still has; returns the copy, beside the path or as near as can be."""
        import tempfile

        stamp = datetime.fromtimestamp(at, UTC).strftime("%Y%m%d-%H%M%S")
        name = f"{self.path.name}.rescued-{stamp}"
        near = next((each for each in self.path.parents if each.is_dir()), None)
        for folder in (near, Path(tempfile.gettempdir())):
            if folder is None:
                continue
            target = folder / name
            try:
                os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            except OSError:
                continue
            try:
                with contextlib.closing(sqlite3.connect(target)) as copy:
                    connection.backup(copy)
            except BaseException:
                target.unlink()  # half a copy is none
                raise
            return target
        raise OSError(f"no place for {name}")


def _identity(path: str) -> Identity:
    found = os.stat(path)
    return found.st_dev, found.st_ino
