"""What can be said about a file without changing it: versions, integrity, sizes, owners, counts."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from stepfast.errors import StoreUnavailable
from stepfast.sqlite import statements
from stepfast.sqlite.faults import translate
from stepfast.sqlite.migrating import schema_version
from stepfast.sqlite.opening import reading_connection
from stepfast.sqlite.owners import Peer, Watch, boot_id, owners_folder
from stepfast.sqlite.schema import CURRENT
from stepfast.threads import once

__all__ = ["Examination", "examine"]


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found. `integrity` is empty where SQLite found nothing wrong; sizes in bytes.

    `known_schema` is the schema of this program; `owners` has a line for each engine that is registered.
    """

    sqlite_version: str
    schema_version: int
    known_schema: int
    integrity: tuple[str, ...]
    journal_mode: str
    size: int
    wal_size: int
    workflows: dict[str, int]
    owners: tuple[str, ...]


async def examine(path: Path) -> Examination:
    """Look at the file at `path`, on a thread; it is neither made, migrated nor written to.

    Raises `StoreUnavailable` where there is none, or another `StoreError` where it cannot be read.
    """
    return await once(lambda: _examine(path))


def _examine(path: Path) -> Examination:
    if not path.exists():
        raise StoreUnavailable(
            f"there is no file at {path} yet; it is made when the first workflow is started"
        )
    with contextlib.closing(reading_connection(path)) as connection:
        try:
            return _look(path, connection)
        except sqlite3.Error as error:
            raise translate(error, path) from error


def _look(path: Path, connection: sqlite3.Connection) -> Examination:
    def column(sql: str) -> list[str]:
        return [str(first) for first, *_ in connection.execute(sql)]

    version = schema_version(connection)
    ours = version == CURRENT
    wal = path.with_name(path.name + "-wal")
    return Examination(
        sqlite_version=sqlite3.sqlite_version,
        schema_version=version,
        known_schema=CURRENT,
        integrity=tuple(each for each in column("PRAGMA quick_check") if each != "ok"),
        journal_mode=column("PRAGMA journal_mode")[0],
        size=path.stat().st_size,
        wal_size=wal.stat().st_size if wal.exists() else 0,
        workflows=dict(connection.execute(statements.COUNTS)) if ours else {},
        owners=tuple(_owners(path, connection)) if ours else (),
    )


def _owners(path: Path, connection: sqlite3.Connection) -> list[str]:
    watch = Watch(owners_folder(path), boot_id())
    lines = []
    for key, file, boot, beat, owed, _ in connection.execute(statements.OWNERS).fetchall():
        dead = watch.still_dead(Peer(key, file, boot, beat, bool(owed)))
        lines.append(
            f"process {file.partition('-')[0]}: {'has ended; to be taken over' if dead else 'alive'}"
        )
    return lines
