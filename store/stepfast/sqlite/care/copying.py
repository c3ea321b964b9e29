"""One whole and checked copy of a database: what a backup is, and what is put back from one.

A second connection, which only reads, copies in one snapshot: writers go on, and the copy is of one moment.
(Without a snapshot the backup API begins anew whenever another process commits; beside a busy writer it began
5,000 times in 20 seconds and was never done.) The log cannot be started anew meanwhile, so it grows by what
is written. Copied in small pieces, each brought to the disk before the next: beside a gigabyte the longest
commit was one of 44 ms; copied in one go, of 340.

A copy has no log beside it: it is one file, which can be read from a disk that is read-only.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from stepfast.errors import (
    Damaged,
    DiskFailing,
    DiskFull,
    InvalidInput,
    Newer,
    NotOurs,
    ReadOnly,
    StoreError,
    StoreUnavailable,
)
from stepfast.sqlite.faults import Unsound, as_damage, free_bytes, is_damage, may_not_be_written, translate
from stepfast.sqlite.file.opened import copying
from stepfast.sqlite.file.opening import database_uri, is_empty, reading_connection, writing_connection
from stepfast.sqlite.schema import CURRENT, FUNCTIONS, MIGRATIONS, schema_version
from stepfast.system.files import disk_error, explained, new_file, refuse_what_is_there

__all__ = [
    "COMPANIONS",
    "Contents",
    "GivenUp",
    "Unsound",
    "check_copy",
    "check_pages",
    "contents_of",
    "copy_database",
    "first_fault",
]

COMPANIONS = ("-wal", "-shm", "-journal")
PAGES = 64
STEPS_A_SYNC = 4
MARGIN = 1 << 20  # bytes that are to be left free: SQLite needs a few to say that there are none

WORKFLOWS = "SELECT count(*) FROM stepfast_workflows"
# In all schemas. What moves it is worth a backup; a program that starts and ends again does not.
LAST_CHANGE = """
SELECT max((SELECT coalesce(max(change), 0) FROM stepfast_workflows),
           (SELECT coalesce(max(change), 0) FROM stepfast_progress),
           (SELECT coalesce(max(change), 0) FROM stepfast_tombstones))
"""
BORN = "SELECT min(applied_at) FROM stepfast_migrations"


class GivenUp(Exception):
    """Whoever wanted the copy does not want it any more."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What is in a database. `born`, when its tables were made, is the same in a file and all its backups."""

    schema: int
    workflows: int
    last_change: int
    born: float
    size: int


def copy_database(
    source: Path,
    target: Path,
    *,
    closed: bool = False,
    change: Callable[[sqlite3.Connection], object] | None = None,
    unwanted: Callable[[], bool] = lambda: False,
) -> Contents:
    """Copy the database at `source` to `target`, which is there whole and checked, or not at all.

    Args:
        source: may be written to meanwhile, by anybody, unless it is `closed`, as a backup is.
        target: must not be there yet.
        change: what is to be different in the copy.
        unwanted: asked every few milliseconds; once it is true, `GivenUp` is raised.

    Raises:
        InvalidInput: there is something at `target`.
        Damaged: the source is.
        StoreError: the source cannot be read or the target not be written; the message says which.
    """
    if target.name.endswith(COMPANIONS):
        raise InvalidInput(f"{target} is a name that SQLite uses itself; give the copy another one")
    for suffix in COMPANIONS:
        # A log or journal that lies beside it would be taken for the copy's, and spoil it.
        refuse_what_is_there(target.with_name(target.name + suffix))
    log = source.with_name(source.name + "-wal")
    tidy = not (closed or log.exists())
    # Closing the descriptor drops SQLite's locks on the file, of which there are none by then.
    signed = contextlib.nullcontext() if closed else copying(source)
    with signed, new_file(target) as (part, descriptor):
        _copy(source, part, target, descriptor, unwanted, closed=closed)
        if tidy and not is_empty(log) and may_not_be_written(source):
            raise StoreUnavailable(f"{source} was opened elsewhere while it was read; try again")
        if change is not None:
            with _explained(target, target), contextlib.closing(_unshared_connection(part)) as connection:
                change(connection)
        contents = _checked(source, part, target, closed=closed)
        if unwanted():
            raise GivenUp
    if tidy and log.exists():
        _take_log_away(source)
    return contents


def check_copy(path: Path) -> Contents:
    """What is in a copy, which nobody has open.

    Raises:
        Damaged: its pages, or its tables, are not what they were.
        NotOurs: it is no database, or one without our tables.
        Newer: it is of a newer Stepfast.
    """
    try:
        with contextlib.closing(reading_connection(path, unopened=True)) as connection:
            check_pages(path, connection)
            return contents_of(path, connection)
    except sqlite3.Error as error:
        if is_damage(error):
            raise Unsound(path, error) from error
        raise translate(error, path) from error


def first_fault(connection: sqlite3.Connection, *, thorough: bool = False) -> str | None:
    """What SQLite says of the first page that is not what it wrote; `thorough`: indexes are compared too."""
    check = "integrity_check" if thorough else "quick_check"
    try:
        (found,) = connection.execute(f"PRAGMA {check}(1)").fetchone()
    except UnicodeDecodeError as error:
        raise as_damage(error) from None
    return None if found == "ok" else " ".join(str(found).split())


def check_pages(path: Path, connection: sqlite3.Connection) -> None:
    """Raise `Unsound` where a page is not what SQLite wrote."""
    if fault := first_fault(connection):
        raise Unsound(path, fault)


def _size(connection: sqlite3.Connection) -> int:
    """Of the whole database, what is only in the log too."""
    (pages,), (page,) = (
        connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size")
    )
    return int(pages) * int(page)


# --- making it ------------------------------------------------------------------------------------


def _copy(
    source: Path, part: Path, target: Path, descriptor: int, unwanted: Callable[[], bool], *, closed: bool
) -> None:
    steps = 0

    def each_step(_status: int, _left: int, _total: int) -> None:
        nonlocal steps
        steps += 1
        if unwanted():
            raise GivenUp
        if steps % STEPS_A_SYNC == 0:
            os.fsync(descriptor)

    with contextlib.closing(_open_source(source, closed=closed)) as reader:
        size = _begin(source, reader)
        _refuse_where_there_is_no_room(target, size)
        with contextlib.closing(_unshared_connection(part)) as copy, _explained(source, target):
            reader.backup(copy, pages=PAGES, progress=each_step)
    with explained(target):
        # The copy is not in WAL mode, whose log could not be made on a disk that is read-only: bytes 18 and
        # 19 of the header, https://sqlite.org/fileformat2.html#file_format_version_numbers
        os.lseek(descriptor, 18, os.SEEK_SET)
        os.write(descriptor, b"\1\1")


def _take_log_away(source: Path) -> None:
    """Reading has made a log, which a reader cannot take away; a writer does, if it is the last to close."""
    with (
        contextlib.suppress(sqlite3.Error, StoreError),
        contextlib.closing(writing_connection(source)) as connection,
    ):
        connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()


def _open_source(source: Path, *, closed: bool) -> sqlite3.Connection:
    if not source.is_file():
        raise NotOurs(f"there is no file at {source}")
    return reading_connection(source, unopened=closed or _is_at_rest(source))


def _is_at_rest(source: Path) -> bool:
    """Can it be read although nothing can be written beside it, since nobody writes to it either?

    Reading takes a log and an index of it, which SQLite makes where they are missing. Where it cannot, it
    reads those that are there, or, told that nobody writes, the file alone:
    https://sqlite.org/wal.html#read_only_databases
    Whoever has the file open, through another mount perhaps, has an index.
    """
    reason = may_not_be_written(source)
    log, index = (source.with_name(source.name + suffix) for suffix in ("-wal", "-shm"))
    if reason is None or index.exists():
        return False
    if not is_empty(log):
        raise ReadOnly(
            f"{reason}; until then it cannot be read either, since a part of it is in its log, {log}, of "
            "which SQLite has to make an index: copy both files to a disk that can be written, and look at "
            "them there"
        )
    return True


def _begin(source: Path, reader: sqlite3.Connection) -> int:
    """Take the snapshot; returns how large it is."""
    try:
        reader.execute("BEGIN")
        version = schema_version(reader)
        if version == 0:
            raise NotOurs(f"{source} has none of Stepfast's tables; give the path of a file of Stepfast's")
        _refuse_newer(source, version)
        return _size(reader)
    except sqlite3.Error as error:
        raise translate(error, source) from error


def _unshared_connection(path: Path) -> sqlite3.Connection:
    """Writes a file that nobody else knows, so neither locks nor a journal are needed."""
    connection = sqlite3.connect(
        f"{database_uri(path)}?mode=rw&nolock=1", uri=True, isolation_level=None, check_same_thread=False
    )
    for pragma in (
        "locking_mode = EXCLUSIVE",
        "journal_mode = OFF",
        "synchronous = OFF",
        "cache_size = -1000",
    ):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _refuse_where_there_is_no_room(target: Path, size: int) -> None:
    free = free_bytes(target)
    if free is not None and free < size + MARGIN:
        raise DiskFull(
            f"the copy {target} would have {size / 1e6:,.1f} MB, and its disk has {free / 1e6:,.1f} MB free; "
            "free some space there"
        )


def _checked(source: Path, part: Path, target: Path, *, closed: bool) -> Contents:
    """What is in the copy; where that is damaged, find out whose fault it is."""
    try:
        return check_copy(part)
    except Damaged as damaged:
        with contextlib.closing(_open_source(source, closed=closed)) as reader:
            try:
                check_pages(source, reader)
            except sqlite3.Error as error:
                raise translate(error, source) from error
        raise DiskFailing(
            f"the copy {target} does not read as it was written; check its disk, or use another one"
        ) from damaged


# --- looking at it --------------------------------------------------------------------------------


def contents_of(path: Path, connection: sqlite3.Connection) -> Contents:
    """Raises as `check_copy` does, and `sqlite3.Error`."""
    version = schema_version(connection)
    if version == 0:
        raise NotOurs(f"{path} has none of Stepfast's tables")
    _refuse_newer(path, version)
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if missing := sorted(_tables_of(version) - tables):
        raise Unsound(path, f"it has no table {missing[0]}")
    (workflows,), (last_change,), (born,) = (
        connection.execute(sql).fetchone() for sql in (WORKFLOWS, LAST_CHANGE, BORN)
    )
    return Contents(version, int(workflows), int(last_change), float(born or 0), _size(connection))


def _refuse_newer(path: Path, version: int) -> None:
    if version > CURRENT:
        raise Newer(f"{path} has schema {version}, of a newer Stepfast, and this one knows {CURRENT}")


@functools.cache
def _tables_of(version: int) -> frozenset[str]:
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as memory:
        for name, arguments, function in FUNCTIONS:
            memory.create_function(name, arguments, function, deterministic=True)
        for each in range(1, version + 1):
            for statement in MIGRATIONS[each]:
                memory.execute(statement)
        return frozenset(
            name
            for (name,) in memory.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            if name.startswith("stepfast_")
        )


# --- what went wrong ------------------------------------------------------------------------------


@contextlib.contextmanager
def _explained(source: Path, target: Path) -> Iterator[None]:
    """Was it the source, or the target?"""
    try:
        yield
    except sqlite3.Error as error:
        raise translate(error, source if is_damage(error) else target) from error
    except OSError as error:
        raise disk_error(error, target) from error
