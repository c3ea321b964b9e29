"""How the write-ahead log is copied into the file: much of it beside everybody's commits, the rest at once.

The WAL-reset bug of SQLite 3.7.0 to 3.51.2 (https://sqlite.org/wal.html#walresetbug, and wal.c): a checkpoint
reads the log's header, then how much of the log is copied. Where all was, and a commit starts the log anew
between the two, it takes the new log for the old one, uncopied: it copies leftovers, and notes as copied what
the new log has yet to get, which then never is. (3.51.3, 3.50.7 and 3.44.6 compare the salts.)

So a checkpoint runs here beside one of two things, each of which excludes that on any version:

- the write lock, held by another connection. All is copied, and meanwhile nobody can write.
- a read transaction of another connection, the guard. Everybody may commit, and what they do is left over.
  Where the log holds what is not copied yet, the guard has a read mark above 0; `walRestartLog` and RESTART
  want all those for themselves, so nobody starts the log anew. Else it has mark 0, which `walCheckpoint`
  wants for itself before it copies or notes anything. It need not be known which of the two it is.

Tried with a 3.40.1 that pauses between the two: the file is malformed without a guard, and whole with one.

A checkpoint that has left something over has not been synced by SQLite, and the next one would have to sync
all of it, under the write lock. So the file is synced here, on SQLite's own descriptor: `opening.py` says why
nobody may open, and close, another. Where that one cannot be found, the next one takes longer.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from stepfast.sqlite.engines.owners import owners_folder
from stepfast.sqlite.faults import is_busy, is_io
from stepfast.sqlite.reading.snapshots import waiting_file
from stepfast.system.locks import FileLock

__all__ = ["Checkpoints", "Copied", "Engines", "NotNow", "SyncFailed", "leaves_doubt"]

LOCK_MILLISECONDS = 50
ROUNDS = 4
FEW_PAGES = 32
LOCK_FILE = "checkpoint.lock"
# Another engine copies for us, unless it was stopped while it did.
PATIENCE = 5.0
# I/O errors of SQLite's after which nothing has been copied yet.
BEFORE_COPYING = frozenset(
    {
        sqlite3.SQLITE_IOERR_NOMEM,
        sqlite3.SQLITE_IOERR_LOCK,
        sqlite3.SQLITE_IOERR_RDLOCK,
        sqlite3.SQLITE_IOERR_UNLOCK,
        sqlite3.SQLITE_IOERR_SHMOPEN,
        sqlite3.SQLITE_IOERR_SHMSIZE,
        sqlite3.SQLITE_IOERR_SHMLOCK,
        sqlite3.SQLITE_IOERR_SHMMAP,
    }
)


class NotNow(Exception):
    """Somebody else writes or copies at this moment."""


class SyncFailed(Exception):
    """What was copied may be lost, and what has not been noted as copied may not be all that is missing."""


class Copied(NamedTuple):
    """How many pages the log holds, and how many of them are in the file.

    `anew`: it held so many, and somebody has started it anew since, which nobody does before all are copied.
    """

    pages: int
    copied: int
    anew: bool = False

    @property
    def all(self) -> bool:
        return self.pages == self.copied


NOTHING = Copied(0, 0)


class Checkpoints:
    """Two connections to one file. May be used on any thread, by one at a time.

    Args:
        path: the database.
        open_connection: makes a write connection that never checkpoints by itself.
    """

    def __init__(self, path: Path, open_connection: Callable[[], sqlite3.Connection]) -> None:
        self._path = path
        self._open = open_connection
        self._locker: sqlite3.Connection | None = None
        self._copier: sqlite3.Connection | None = None
        self._descriptor = -1

    def most(self, before: Copied = NOTHING) -> Copied:
        """Copy beside everybody's commits, again and again until only a few pages are left over.

        `before`: what this has come to just now, where it goes on from there.

        Raises `NotNow`, `SyncFailed`, `sqlite3.Error` and what `open_connection` raises.
        """
        for _ in range(ROUNDS):
            with self._guarded() as copier:
                now = _checkpoint(copier, "PASSIVE")
            self._sync()
            if now.pages < before.pages:
                return Copied(before.pages, before.pages, anew=True)
            few, before = now.copied - before.copied <= FEW_PAGES, now
            if few:
                break
        return before

    def rest(self, begins: Callable[[], None] = lambda: None) -> Copied:
        """Copy what there is, while nobody writes. Raises as `most` does.

        `begins`: called as soon as that may take a while.
        """
        if self._locker is None or self._copier is None:
            begins()
        locker, copier = self._connections()
        self._lock(locker, begins)
        try:
            # Not sooner: whoever goes on at this has the interpreter's lock, which is needed once more here.
            begins()
            return _checkpoint(copier, "PASSIVE")
        finally:
            _end(locker)

    def _lock(self, locker: sqlite3.Connection, waits: Callable[[], None]) -> None:
        """Take the write lock, if it can be had soon."""
        try:
            try:
                locker.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if not is_busy(error):
                    raise
                waits()
                # Whoever has it now would be waited for by the next commit too.
                locker.execute(f"PRAGMA busy_timeout = {LOCK_MILLISECONDS}")
                try:
                    locker.execute("BEGIN IMMEDIATE")
                finally:
                    locker.execute("PRAGMA busy_timeout = 0")
        except sqlite3.OperationalError as error:
            if is_busy(error):
                raise NotNow from error
            raise

    def cut(self) -> Copied:
        """Shrink the log to nothing, where all of it is copied and nobody reads it; else it stays as it is.

        (`journal_size_limit` does that too, but not before the next commit.) Raises as `most` does.
        """
        with self._guarded() as copier:
            before = _checkpoint(copier, "PASSIVE")
            try:
                return _checkpoint(copier, "TRUNCATE")
            except NotNow:
                return before

    def close(self) -> None:
        for connection in (self._locker, self._copier):
            if connection is not None:
                connection.close()
        self._locker = self._copier = None

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[sqlite3.Connection]:
        guard, copier = self._connections()
        guard.execute("BEGIN")
        try:
            # Not before its first read has it a mark.
            guard.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
            yield copier
        finally:
            _end(guard)

    def _connections(self) -> tuple[sqlite3.Connection, sqlite3.Connection]:
        if self._locker is None:
            self._locker = self._open()
            self._locker.execute("PRAGMA busy_timeout = 0")
        if self._copier is None:
            self._copier = self._open()
            # Not even TRUNCATE may wait: it would do so with the write lock in hand.
            self._copier.execute("PRAGMA busy_timeout = 0")
            # A connection without a schema reads it inside its first checkpoint, and then is in its own way.
            self._copier.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
        return self._locker, self._copier

    def _sync(self) -> None:
        """Bring to the disk what was copied, so that the next checkpoint has little left to sync."""
        if sys.platform == "win32":
            # Locks there belong to a handle, so another one may be closed.
            with contextlib.suppress(OSError), self._path.open("r+b") as file:
                os.fsync(file.fileno())  # where it fails, SQLite's own will
            return
        if not self._is_the_file(self._descriptor):
            self._descriptor = self._find_descriptor()
        if self._descriptor < 0:
            return
        try:
            os.fsync(self._descriptor) if sys.platform == "darwin" else os.fdatasync(self._descriptor)
        except OSError as error:
            if error.errno not in (errno.EBADF, errno.EINVAL):  # it was closed just now
                raise SyncFailed(f"the file could not be synced: {error.strerror}") from error

    def _find_descriptor(self) -> int:
        with contextlib.suppress(OSError):
            for name in os.listdir("/dev/fd"):
                if name.isdigit() and self._is_the_file(int(name)):
                    return int(name)
        return -1

    def _is_the_file(self, descriptor: int) -> bool:
        if descriptor < 0:
            return False
        try:
            return os.path.samestat(os.fstat(descriptor), os.stat(self._path))
        except OSError:
            return False


def leaves_doubt(error: Exception) -> bool:
    """After this error of a checkpoint, may the log be the only good copy, of what is noted as copied too?"""
    if isinstance(error, sqlite3.Error):
        return is_io(error) and error.sqlite_errorcode not in BEFORE_COPYING
    return isinstance(error, SyncFailed)


def _checkpoint(connection: sqlite3.Connection, mode: str) -> Copied:
    busy, pages, copied = connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
    if busy:
        raise NotNow
    return Copied(pages, copied)


def _end(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:  # an I/O error may have ended it
        connection.execute("ROLLBACK")


class Engines:
    """Keeps the engines on one file from copying at once: the guard of one holds back what another copies.

    A courtesy, so where the lock cannot be had for want of a folder, or for too long, it is done without.
    """

    def __init__(self, database: Path) -> None:
        self._folder = owners_folder(database)
        self._waiting_file = waiting_file(database)
        self._in_vain_since: float | None = None

    def tidy(self) -> None:
        """Take away what one that was killed has left, where there is any and none copies."""
        if any(map(os.path.exists, (self._folder / LOCK_FILE, self._waiting_file))):
            with self.one(last=True):
                pass

    @contextlib.contextmanager
    def one(self, *, last: bool = False) -> Iterator[bool]:
        """Is it this one's turn? `last`: it leaves no file behind."""
        lock = None
        try:
            with contextlib.suppress(FileExistsError):
                os.mkdir(self._folder, 0o700)
            lock = FileLock.acquire(self._folder / LOCK_FILE)
            turn = lock is not None
        except OSError:
            turn = True
        if turn:
            self._in_vain_since = None
        elif self._in_vain_since is None:
            self._in_vain_since = time.monotonic()
        elif time.monotonic() - self._in_vain_since >= PATIENCE:
            turn = True
        try:
            yield turn
        finally:
            if lock is not None:
                if last:
                    with contextlib.suppress(OSError):
                        self._waiting_file.unlink()  # of one that was killed
                lock.release(unlink=last)
            if last:
                with contextlib.suppress(OSError):
                    self._folder.rmdir()  # not empty, mostly
