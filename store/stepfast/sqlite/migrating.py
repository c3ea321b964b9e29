"""Bringing a file to the schema of this program: one transaction a migration, with a backup first.

The version stands in a table of the engine's; `user_version` is left to the program that embeds it.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from pathlib import Path

from stepfast.errors import Newer
from stepfast.sqlite.faults import translate
from stepfast.sqlite.opening import (
    check_place,
    check_sqlite,
    make_file,
    reading_connection,
    writing_connection,
)
from stepfast.sqlite.schema import CURRENT, MIGRATIONS

__all__ = ["migrate", "schema_version"]


def migrate(path: Path) -> int:
    """Make the file where it is missing and bring it to this program's schema; returns the version it had.

    A file that is older is first copied to `<path>.before-<version>.backup`. Safe to call from several
    processes at once: whoever comes second finds the work done.

    Raises:
        Newer: the file belongs to a newer Stepfast; it is left untouched.
        StoreError: the place, the disk or the SQLite of this Python will not do.
    """
    check_sqlite()
    check_place(path)
    make_file(path)
    if path.stat().st_size:
        # Looked at without a connection that could write, so that a newer file stays as it is to the byte.
        with contextlib.closing(reading_connection(path, unopened=True)) as reader:
            _refuse_newer(path, _found(path, reader))
    connection = writing_connection(path)
    try:
        found = schema_version(connection)
        for version in range(found + 1, CURRENT + 1):
            _step(path, connection, version, worth_a_backup=found > 0)
        return found
    except sqlite3.Error as error:
        raise translate(error, path) from error
    finally:
        connection.close()


def schema_version(connection: sqlite3.Connection) -> int:
    """The version of the engine's tables in a file; 0 where there are none."""
    there = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'stepfast_meta'").fetchone()
    if there is None:
        return 0
    (version,) = connection.execute("SELECT version FROM stepfast_meta").fetchone()
    return int(version)


def _found(path: Path, connection: sqlite3.Connection) -> int:
    try:
        return schema_version(connection)
    except sqlite3.Error as error:
        raise translate(error, path) from error


def _refuse_newer(path: Path, version: int) -> None:
    if version > CURRENT:
        raise Newer(
            f"{path} has schema {version}, made by a newer Stepfast, and this one knows {CURRENT}; nothing "
            "was written: use the newer version, or another data folder"
        )


def _step(path: Path, connection: sqlite3.Connection, version: int, *, worth_a_backup: bool) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read again under the lock: another process may have migrated, or gone past us, meanwhile.
        found = schema_version(connection)
        _refuse_newer(path, found)
        if found >= version:
            return
        if worth_a_backup:
            _back_up(path, found)
        for statement in MIGRATIONS[version]:
            connection.execute(statement)
        connection.execute("UPDATE stepfast_meta SET version = ?", (version,))
        connection.execute(
            "INSERT INTO stepfast_migrations (version, applied_at, program) VALUES (?, ?, ?)",
            (version, time.time(), "stepfast"),
        )
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _back_up(path: Path, version: int) -> None:
    """Copy the file as it stands, through a second connection: on the writing one it hangs (measured)."""
    target = path.with_name(f"{path.name}.before-{version + 1}.backup")
    with contextlib.suppress(FileExistsError):
        os.close(os.open(target, os.O_CREAT | os.O_EXCL, 0o600))
    with (
        contextlib.closing(reading_connection(path)) as source,
        contextlib.closing(sqlite3.connect(target)) as copy,
    ):
        source.backup(copy)
