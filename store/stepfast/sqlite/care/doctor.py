"""What can be said about a file without changing it: versions, integrity, sizes, owners, counts."""

from __future__ import annotations

import contextlib
import glob
import re
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from stepfast.errors import StoreError, StoreUnavailable
from stepfast.sqlite import statements
from stepfast.sqlite.care.backups import Backup, backups_of
from stepfast.sqlite.care.copying import check_copy
from stepfast.sqlite.care.restoring import damaged, damaged_or_not_ours
from stepfast.sqlite.engines.owners import Peer, Watch, boot_id, owners_folder
from stepfast.sqlite.file.migrating import schema_version
from stepfast.sqlite.file.opening import reading_connection
from stepfast.sqlite.schema import CURRENT
from stepfast.system.threads import once

__all__ = ["Examination", "Kept", "examine", "examine_backups", "set_aside"]


ASIDE = re.compile(r"\.(damaged|replaced)-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(-\d+)?$")


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found. `integrity` is empty where SQLite found nothing wrong; sizes in bytes.

    `known_schema` is the schema of this program; `owners` has a line for each engine that is registered.
    """

    sqlite_version: str
    schema_version: int
    known_schema: int
    integrity: tuple[str, ...]
    size: int
    wal_size: int
    workflows: dict[str, int]
    owners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """A backup: `workflows` is how many are in it, or None where it is damaged itself."""

    path: Path
    made_at: datetime
    size: int
    workflows: int | None


async def examine_backups(path: Path) -> list[Kept]:
    """The backups of the file at `path`, the newest first, each of them read; on a thread."""

    def look(backup: Backup) -> Kept:
        try:
            workflows: int | None = check_copy(backup.path).workflows
        except StoreError:
            workflows = None
        return Kept(backup.path, backup.made_at, backup.size, workflows)

    return await once(lambda: [look(each) for each in backups_of(path)])


async def examine_copy(path: Path) -> Kept:
    """A backup that lies anywhere, read whole, on a thread; it was made when it was written last.

    Raises `StoreError` where it is damaged, or none.
    """

    def look() -> Kept:
        contents = check_copy(path)
        return Kept(
            path, datetime.fromtimestamp(path.stat().st_mtime, UTC), contents.size, contents.workflows
        )

    return await once(look)


def set_aside(path: Path) -> list[Path]:
    """What was put aside when a backup took the place of the file, the newest first."""
    names = path.parent.glob(f"{glob.escape(path.name)}.*")
    return sorted((each for each in names if ASIDE.search(each.name)), reverse=True)


async def examine(path: Path) -> Examination:
    """Look at the file at `path`, on a thread; it is neither made, migrated nor written to.

    Raises `StoreUnavailable` where there is none, `Damaged` (which says what to do) where it does not read as
    it should, or another `StoreError`.
    """
    return await once(lambda: _examine(path))


def _examine(path: Path) -> Examination:
    if not path.exists():
        raise StoreUnavailable(
            f"there is no file at {path} yet; it is made when the first workflow is started"
        )
    if not path.stat().st_size and backups_of(path):
        raise damaged(path, "it is empty")
    with contextlib.closing(reading_connection(path, unopened=True)) as connection:
        try:
            return _look(path, connection)
        except sqlite3.Error as error:
            raise damaged_or_not_ours(path, error) from error


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
