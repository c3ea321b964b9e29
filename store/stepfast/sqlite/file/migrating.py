"""Opening a file for the first time in a program: it is looked at, made or brought to this program's schema.

Each migration is one transaction, and before the first of them the file is backed up (`backups.py`). The
version stands in a table of the engine's; `user_version` is left to the program that embeds it.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from stepfast.errors import Damaged, Newer, NotOurs, ReadOnly
from stepfast.sqlite.faults import (
    Unsound,
    is_busy,
    is_damage,
    is_stuck,
    locked_out,
    may_not_be_written,
    translate,
)
from stepfast.sqlite.file.opened import (
    Opened,
    is_suspect,
    migrating_alone,
    no_longer_suspect,
    others_have_it_open,
)
from stepfast.sqlite.file.opening import (
    check_place,
    check_sqlite,
    make_file,
    reading_connection,
    writing_connection,
)
from stepfast.sqlite.schema import CURRENT, FUNCTIONS, MIGRATIONS, schema_version

__all__ = ["bring_up", "migrate", "schema_version"]

PATIENCE = 60.0  # seconds: somebody else may be migrating a large file
BUSY_ROUNDS = 120  # of the connection's busy timeout (0.5 s), for as long
LOOKS = 3
LOOK_SECONDS = 0.05
MAKING_SECONDS = 5.0


def migrate(path: Path) -> int:
    """Make the file where it is missing and bring it to this program's schema; returns the version it had.

    A file that is older is backed up first, into `<path>-backups/`. Safe to call from several processes at
    once: whoever comes second finds the work done.

    Raises:
        Newer: the file belongs to a newer Stepfast; it is left untouched.
        Damaged: the file is; it is left untouched, and the message names the last good backup.
        StoreError: the place, the disk or the SQLite of this Python will not do.
    """
    opened, found = bring_up(path)
    opened.leave()
    return found


def bring_up(path: Path, now: Callable[[], float] = time.time) -> tuple[Opened, int]:
    """As `migrate`, with the sign that the file is open, for who goes on with it; `now` is noted."""
    check_sqlite()
    check_place(path)
    there = os.path.lexists(path)
    make_file(path)
    if reason := may_not_be_written(path):
        raise ReadOnly(reason)
    opened = Opened(path)
    try:
        _look(path, there)
        return opened, _migrate(path, now)
    except BaseException:
        opened.leave()
        raise


# --- looking at it, before any connection could write -----------------------------------------------


def _look(path: Path, there: bool) -> None:
    """Raise for a file that is newer, or damaged: it stays as it is to the byte.

    No more is read than what tells, but for a file that is to be migrated, or in which an engine has come
    upon a damaged page: of those, every page is.

    Args:
        there: it was there before we came.
    """
    if not path.stat().st_size:
        if there:
            _refuse_emptied(path)
        return
    for looks_left in reversed(range(LOOKS)):
        try:
            _look_once(path)
            return
        except (sqlite3.Error, Unsound) as error:
            if isinstance(error, sqlite3.Error) and not is_damage(error):
                raise translate(error, path) from error
            # Nobody had it open when we looked, so it was read without locks; somebody may have come since.
            if not looks_left:
                raise _damaged_or_not_ours(path, error) from error
            time.sleep(LOOK_SECONDS)


def _refuse_emptied(path: Path) -> None:
    from stepfast.sqlite.care.backups import backups_of
    from stepfast.sqlite.care.restoring import damaged

    if backups_of(path) and not _is_being_made(path):
        raise damaged(path, "it is empty")


def _is_being_made(path: Path) -> bool:
    """Is somebody else just making the tables in a file that is empty?"""
    deadline = time.monotonic() + MAKING_SECONDS
    while others_have_it_open(path) and time.monotonic() < deadline:
        if path.stat().st_size:
            return True
        time.sleep(LOOK_SECONDS)
    return path.stat().st_size > 0


def _look_once(path: Path) -> None:
    with contextlib.closing(reading_connection(path, unopened=True)) as reader:
        version = schema_version(reader)
        _refuse_newer(path, version)
        doubted = is_suspect(path)
        if doubted or 0 < version < CURRENT:
            from stepfast.sqlite.care.copying import first_fault

            if fault := first_fault(reader, thorough=doubted):
                raise Unsound(path, fault)
    if doubted:
        no_longer_suspect(path)


def _refuse_newer(path: Path, version: int) -> None:
    if version > CURRENT:
        raise Newer(
            f"{path} has schema {version}, made by a newer Stepfast, and this one knows {CURRENT}; nothing "
            "was written: use the newer version, or another data folder"
        )


def _damaged_or_not_ours(path: Path, error: sqlite3.Error | Unsound) -> Exception:
    from stepfast.sqlite.care.restoring import damaged_or_not_ours

    return damaged_or_not_ours(path, error)


# --- changing it ------------------------------------------------------------------------------------


def _migrate(path: Path, now: Callable[[], float]) -> int:
    try:
        with contextlib.closing(writing_connection(path)) as connection:
            found = schema_version(connection)
            if found < CURRENT:
                _all_steps(path, connection, now)
            return found
    except (sqlite3.Error, Unsound) as error:
        raise _damaged_or_not_ours(path, error) from error
    except (Damaged, NotOurs) as error:
        if isinstance(error.__cause__, sqlite3.Error):
            raise _damaged_or_not_ours(path, error.__cause__) from error
        raise


def _all_steps(path: Path, connection: sqlite3.Connection, now: Callable[[], float]) -> None:
    with migrating_alone(path, PATIENCE) as alone:
        if not alone:
            raise locked_out(path)
        found = schema_version(connection)  # another process may have been at it until just now
        backed_up = found == 0  # there is nothing to be lost yet
        for version in range(found + 1, CURRENT + 1):
            backed_up = _step(path, connection, version, backed_up, now())


def _step(path: Path, connection: sqlite3.Connection, version: int, backed_up: bool, now: float) -> bool:
    """Make `version` of the one before; returns whether there is a backup of what was before the first."""
    _take_lock(path, connection)
    try:
        # Read again under the lock: another process may have migrated, or gone past us, meanwhile.
        found = schema_version(connection)
        _refuse_newer(path, found)
        if found >= version:
            return backed_up
        if not backed_up:
            from stepfast.sqlite.care.backups import back_up_before_migration

            back_up_before_migration(path, found, now)
        for name, arguments, function in FUNCTIONS:
            connection.create_function(name, arguments, function, deterministic=True)
        for statement in MIGRATIONS[version]:
            connection.execute(statement)
        connection.execute("UPDATE stepfast_meta SET version = ?", (version,))
        connection.execute(
            "INSERT INTO stepfast_migrations (version, applied_at, program) VALUES (?, ?, ?)",
            (version, now, "stepfast"),
        )
        connection.execute("COMMIT")
        return True
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _take_lock(path: Path, connection: sqlite3.Connection) -> None:
    for _ in range(BUSY_ROUNDS):
        try:
            connection.execute("BEGIN IMMEDIATE")
            return
        except sqlite3.OperationalError as error:
            if not is_busy(error) or is_stuck(error):
                raise
    raise locked_out(path)
