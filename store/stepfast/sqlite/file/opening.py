"""How connections to the file are made, and what is looked at before the first one is.

Nothing here opens the database file by hand: closing any descriptor of a file drops every POSIX lock that
this process holds on it, SQLite's included (https://sqlite.org/howtocorrupt.html, section 2.2).
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from stepfast.errors import NetworkFileSystem, NotOurs, SqliteTooOld, StoreUnavailable
from stepfast.sqlite.faults import refused, translate

__all__ = [
    "FLOOR",
    "check_place",
    "check_sqlite",
    "database_uri",
    "is_empty",
    "make_file",
    "reading_connection",
    "writing_connection",
]

# STRICT tables (3.37) and RETURNING (3.35) are what the statements need.
FLOOR = (3, 37, 0)
BUSY_MILLISECONDS = 5000
# Whoever writes waits in many such rounds, so as to hear meanwhile that the program is ending.
ROUND_MILLISECONDS = 500
# Above what is checkpointed (1,800 pages of 4 KB) with what 200 writers add until that is done (2,300): a WAL
# that is reused is cheaper than one that grows.
WAL_KEPT = 10 * 1024 * 1024
REMOTE = frozenset(
    {"nfs", "nfs3", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afs", "ncpfs", "9p", "webdav", "afpfs"}
    | {"fuse.sshfs", "fuse.davfs", "fuse.rclone", "fuse.s3fs", "fuse.glusterfs", "ceph", "lustre", "gfs2"}
)


def check_sqlite(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> None:
    """Raise `SqliteTooOld` where the SQLite of this Python lacks what the store needs."""
    if version < FLOOR:
        have, need = (".".join(map(str, each)) for each in (version, FLOOR))
        raise SqliteTooOld(
            f"Stepfast needs SQLite {need} or later and this Python has {have}; use a newer Python, or one "
            "that is linked to a newer SQLite"
        )


def check_place(path: Path) -> None:
    """Raise for a place where the file cannot work: a folder, or a network file system."""
    try:
        is_folder = path.is_dir()
    except OSError as error:
        raise refused(
            error, f"{path} cannot be looked at ({error.strerror}); mend the permissions of the folder"
        ) from error
    if is_folder:
        raise NotOurs(f"{path} is a folder; give the path of the file, for instance {path / 'stepfast.db'}")
    kind = _file_system(path.parent)
    if kind in REMOTE:
        raise NetworkFileSystem(
            f"{path} is on a network file system ({kind}), where two machines can damage a SQLite file; put "
            "it on a local disk (STEPFAST_DATA names the folder)"
        )


def make_file(path: Path) -> None:
    """Make the file, 0600, and its folder, 0700, where they are missing; neither is changed if there."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.path.lexists(path):
            _make_empty(path)
        kind = path.stat().st_mode
    except OSError as error:
        raise refused(
            error,
            f"{path} cannot be made ({error.strerror}); choose another place with STEPFAST_DATA, or mend the "
            "permissions of the folder",
        ) from error
    if not stat.S_ISREG(kind):
        raise NotOurs(f"{path} is not a regular file; choose another path")


def _make_empty(path: Path) -> None:
    # Under another name first: a second engine of this process may open the file as soon as it is there, and
    # closing a descriptor of it then would drop that engine's locks.
    made = path.with_name(f".{path.name}-{os.urandom(8).hex()}")
    os.close(os.open(made, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    with contextlib.suppress(FileExistsError):
        try:
            os.link(made, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        finally:
            os.unlink(made)


def writing_connection(path: Path) -> sqlite3.Connection:
    """A connection that commits to disk before it returns, and never checkpoints by itself."""
    # "rw": where the file was deleted meanwhile, no empty one is made in its place.
    connection = _connected(path, "mode=rw", cached_statements=256, timeout=0)
    with _closed_on_failure(path, connection):
        connection.execute(f"PRAGMA busy_timeout = {ROUND_MILLISECONDS}")
        # First, since any of what follows may be a commit, which would checkpoint.
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        # Until it has a log, whoever writes to the file keeps everybody out, and so does the switch to one.
        deadline = time.monotonic() + BUSY_MILLISECONDS / 1000
        if _patiently(connection, "PRAGMA page_count", deadline) == (0,):
            # Counts only for a file that is empty, and cannot be turned on later; elsewhere it would be a
            # write, for which a program that only wants to read would have to wait.
            _patiently(connection, "PRAGMA auto_vacuum = INCREMENTAL", deadline)
        _use_wal(connection, deadline)
        _patiently(connection, "PRAGMA synchronous = FULL", deadline)
        if sys.platform == "darwin":
            # fsync on macOS leaves data in the drive's cache: https://sqlite.org/pragma.html#pragma_fullfsync
            connection.execute("PRAGMA fullfsync = ON")
            connection.execute("PRAGMA checkpoint_fullfsync = ON")
        connection.execute(f"PRAGMA journal_size_limit = {WAL_KEPT}")
        # What undoes a savepoint or a statement. On disk, from 16 pages on, it was 20 writes for each
        # statement that ends a pass, and that disk may be full when ours is not.
        connection.execute("PRAGMA temp_store = MEMORY")
        _bounds(connection)
    return connection


def _connected(path: Path, how: str, *, cached_statements: int, timeout: float) -> sqlite3.Connection:
    try:
        return sqlite3.connect(
            f"{database_uri(path)}?{how}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=cached_statements,
            timeout=timeout,
        )
    except sqlite3.Error as error:
        raise translate(error, path) from error


@contextlib.contextmanager
def _closed_on_failure(path: Path, connection: sqlite3.Connection) -> Iterator[None]:
    # At once, and not when it is found to be garbage: one that opened the log and could not map its index was
    # seen to delete the log, when it was closed, under another connection that was writing to it by then.
    try:
        yield
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.Error):
            raise translate(error, path) from error
        raise


def _bounds(connection: sqlite3.Connection) -> None:
    """What somebody else's tables, views and triggers may do to the engine's statements: nothing."""
    connection.execute("PRAGMA trusted_schema = OFF")
    # Off in every SQLite as it comes. Built otherwise, it would have a key of a user's, to a table of
    # the engine's, hold up or take along what is deleted, and a deferred one fail a commit that others share.
    connection.execute("PRAGMA foreign_keys = OFF")


def _use_wal(connection: sqlite3.Connection, deadline: float) -> None:
    # Two processes that open a new file at once: the switch wants the file for itself for a moment, and
    # SQLite reports busy there without asking the busy handler.
    (mode,) = _patiently(connection, "PRAGMA journal_mode = WAL", deadline)
    if mode != "wal":
        raise StoreUnavailable(
            f"the disk does not let SQLite use its write-ahead log (it stays in {mode!r} mode); put the "
            "file on an ordinary local disk"
        )


def _patiently(connection: sqlite3.Connection, statement: str, deadline: float) -> Any:
    """The first row of it; tried anew after each round, up to the deadline, while somebody is in the way."""
    while True:
        try:
            return connection.execute(statement).fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def reading_connection(path: Path, *, unopened: bool = False) -> sqlite3.Connection:
    """A connection that cannot write. `unopened`: make no file beside a database that nobody has open."""
    # Without a WAL nobody has it open in WAL mode, and then "immutable" spares the WAL that reading makes.
    immutable = unopened and is_empty(path.with_name(path.name + "-wal"))
    how = f"mode=ro{'&immutable=1' if immutable else ''}"
    connection = _connected(path, how, cached_statements=128, timeout=BUSY_MILLISECONDS / 1000)
    with _closed_on_failure(path, connection):
        connection.execute("PRAGMA query_only = ON")
        _bounds(connection)
    return connection


def is_empty(log: Path) -> bool:
    """Is nothing in the WAL, or is there none?"""
    try:
        return log.stat().st_size == 0
    except OSError:
        return True


def database_uri(path: Path) -> str:
    """A path as SQLite's URI (https://sqlite.org/uri.html), whatever characters or bytes it is made of."""
    name = path.as_posix() if os.name == "nt" else os.fsencode(path)
    return f"file://{'/' if os.name == 'nt' else ''}{quote(name)}"


def _file_system(folder: Path) -> str:
    """The type of the file system that holds `folder`, or "" where this platform does not say."""
    if sys.platform == "linux":
        return _linux_file_system(folder)
    if sys.platform == "win32":
        import ctypes

        # https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getdrivetypew
        remote = ctypes.windll.kernel32.GetDriveTypeW(folder.resolve().anchor) == 4
        return "smb" if remote else ""
    return ""


def _linux_file_system(folder: Path) -> str:
    # The longest mount point that is a parent wins; later lines cover earlier ones (proc(5), mountinfo).
    folder = folder.resolve()
    best, kind = -1, ""
    try:
        lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return ""
    for line in lines:
        before, _, after = line.partition(b" - ")
        name = re.sub(rb"\\([0-7]{3})", lambda octal: bytes([int(octal[1], 8)]), before.split()[4])
        mount = Path(os.fsdecode(name))
        if len(mount.parts) >= best and (mount == folder or mount in folder.parents):
            best, kind = len(mount.parts), os.fsdecode(after.split()[0])
    return kind
