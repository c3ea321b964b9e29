"""The backups of a file: where they lie, when one is made, and which of them stay.

They lie beside it, in `<path>-backups/` (0700), named by the moment, in UTC, and the schema:
`2026-11-29T03-15-00Z-schema-2.db`, and `...-before-migration.db` for one that was made before a migration.

| | |
| --- | --- |
| made | at most one in `DAY`, where a workflow changed since the last; by one of the engines on the file |
| not made | where the disk has no room for two of them |
| kept | the newest `DAYS`, and the newest of each of the last `WEEKS` weeks that have one |
| and | no more than leave as much free on the disk as they take, except for the newest |
| before a migration | the newest `MIGRATIONS_KEPT` of these stay as well |
| of another file | that had the same name before (begun anew): the newest stays |

Only what was read again and found whole gets such a name, so a bad one never takes the place of a good one.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from stepfast.errors import DiskFull, StoreError, StoreUnavailable
from stepfast.sqlite.care.copying import (
    BORN,
    Contents,
    check_copy,
    contents_of,
    copy_database,
)
from stepfast.sqlite.faults import free_bytes, translate
from stepfast.sqlite.file.opening import reading_connection
from stepfast.system.files import PART
from stepfast.system.locks import FileLock

__all__ = [
    "Backup",
    "back_up",
    "back_up_before_migration",
    "back_up_beside",
    "back_up_daily",
    "backups_folder",
    "backups_of",
    "last_good",
    "local",
    "to_go",
]

DAY = timedelta(hours=20)
"""A little less than a day, so that a program that is started each morning makes one each morning."""
DAYS = 3
WEEKS = 4
MIGRATIONS_KEPT = 2
LEFT_OVER = 3600.0
"""Seconds after which a half-made copy is one whose maker was killed."""

LOCK = "backup.lock"
NAME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)-schema-(\d{1,6})(-before-migration)?\.db")
A_SECOND, A_MINUTE = timedelta(seconds=1), timedelta(minutes=1)
STAMP = "%Y-%m-%dT%H-%M-%SZ"


@dataclass(frozen=True, slots=True)
class Backup:
    """One that is kept in the folder, as its name has it."""

    path: Path
    made_at: datetime
    schema: int
    before_migration: bool

    @property
    def size(self) -> int:
        """In bytes; 0 where it has gone."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0


def backups_folder(path: Path) -> Path:
    """Where the backups of a file lie, by whatever link it was reached."""
    return Path(os.path.realpath(path) + "-backups")


def backups_of(path: Path) -> list[Backup]:
    """The backups that are kept of a file, the newest first; none of them is opened."""
    folder = backups_folder(path)
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    found = [
        Backup(folder / name, made_at, int(match[2]), match[3] is not None)
        for name in names
        if (match := NAME.fullmatch(name)) and (made_at := _moment(match[1])) is not None
    ]
    return sorted(found, key=lambda each: (each.made_at, each.schema, each.path), reverse=True)


def last_good(path: Path) -> tuple[Backup, Contents] | None:
    """The newest backup of a file that is whole, with what is in it; those that are not are passed over."""
    for each in backups_of(path):
        with contextlib.suppress(StoreError):
            return each, check_copy(each.path)
    return None


def local(moment: datetime) -> str:
    """A moment as a person says it."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


# --- making one -----------------------------------------------------------------------------------


def back_up(
    path: Path, target: Path, *, at: float | None = None, unwanted: Callable[[], bool] = lambda: False
) -> tuple[Path, Contents]:
    """Copy the file at `path`, whatever is written to it meanwhile; returns where the copy is.

    Args:
        target: the copy; in a folder, a name with the moment is chosen. In the folder of the automatic
            backups, which is made where it is missing, it is one of them.
        at: that moment; now by default.

    Raises as `copying.copy_database`.
    """
    now = time.time() if at is None else at
    if Path(os.path.realpath(target)) == backups_folder(path):
        target = _beside(path, now).path
    elif target.is_dir():
        target = target / f"{path.stem}-{datetime.fromtimestamp(now, UTC):{STAMP}}{path.suffix or '.db'}"
    return target, copy_database(path, target, unwanted=unwanted)


def back_up_beside(path: Path, now: float, *, unwanted: Callable[[], bool] = lambda: False) -> Backup:
    """Make a backup beside the automatic ones, and kept as long. Raises as `back_up_daily`."""
    new = _beside(path, now)
    copy_database(path, new.path, unwanted=unwanted)
    return new


def _beside(path: Path, now: float) -> Backup:
    """The one that is about to be made."""
    there = _look(path)
    with _folder(path) as folder:
        _refuse_where_there_is_no_room(folder, there.size)
        return _new(path, folder, there.schema, now)


def back_up_before_migration(path: Path, version: int, now: float) -> Backup:
    """Copy the file, which has schema `version`, before that is changed.

    Raises `StoreError`; nothing was changed, and the message says what to do.
    """
    try:
        with _folder(path) as folder:
            made = _new(path, folder, version, now, before_migration=True)
            copy_database(path, made.path)
    except DiskFull as full:
        raise DiskFull(
            f"{path} is to be brought to the schema of this version, and is backed up before that: {full}; "
            "the file is as it was"
        ) from full
    _remove(to_go(backups_of(path), made.made_at)[1])
    return made


def back_up_daily(path: Path, now: float, *, unwanted: Callable[[], bool] = lambda: False) -> Backup | None:
    """Make a backup if it is time for one, and let go of those whose time is over.

    Returns None where it is not time, or another engine is at it.

    Raises:
        Damaged: the file is; the backups that there are stay.
        StoreError: none can be made; the message says why.
    """
    moment = datetime.fromtimestamp(now, UTC)
    if _is_recent(backups_of(path), moment):
        return None
    there = _look(path)
    if there.last_change == 0 or moment - datetime.fromtimestamp(there.born, UTC) < DAY:
        return None
    with _folder(path) as folder:
        lock = FileLock.acquire(folder / LOCK)
        if lock is None:
            return None
        try:
            # Once more: another engine may have been at it until just now.
            if _is_recent(backups_of(path), moment):
                return None
            _remove_left_overs(folder)
            mine, others = _of_this_file(backups_of(path), there.born)
            if any(_last_change(each) == there.last_change for each in mine[:1]):
                return None
            _refuse_where_there_is_no_room(folder, there.size)
            made = _new(path, folder, there.schema, now)
            copy_database(path, made.path, unwanted=unwanted)
            _remove(_to_go_of_all(made, mine, others, moment))
            return made
        finally:
            lock.release(unlink=True)


def _new(path: Path, folder: Path, schema: int, now: float, *, before_migration: bool = False) -> Backup:
    """One that is to be made, with its name."""
    moment = datetime.fromtimestamp(now, UTC).replace(microsecond=0)
    # Each is named later than the one before, also within a second.
    taken = [each.made_at for each in backups_of(path) if moment <= each.made_at < moment + A_MINUTE]
    moment = max(taken, default=moment - A_SECOND) + A_SECOND
    name = f"{moment:{STAMP}}-schema-{schema}{'-before-migration' if before_migration else ''}.db"
    return Backup(folder / name, moment, schema, before_migration)


@contextlib.contextmanager
def _folder(path: Path) -> Iterator[Path]:
    folder = backups_folder(path)
    try:
        folder.mkdir(0o700, exist_ok=True)
        yield folder
    except OSError as error:
        raise StoreUnavailable(
            f"no backup of {path} can be made in {folder}: {error.strerror or error}; make that a folder "
            "this user can write to"
        ) from error


def _refuse_where_there_is_no_room(folder: Path, size: int) -> None:
    free = free_bytes(folder / LOCK)
    if free is not None and free < 2 * size:
        raise DiskFull(
            f"its disk has {free / 1e6:,.1f} MB free, less than two copies of {size / 1e6:,.1f} MB take; "
            "free some space there"
        )


def _look(path: Path) -> Contents:
    try:
        with contextlib.closing(reading_connection(path)) as reader:
            return contents_of(path, reader)
    except sqlite3.Error as error:
        raise translate(error, path) from error


# --- which stay -----------------------------------------------------------------------------------


def to_go(backups: Iterable[Backup], now: datetime) -> tuple[list[Backup], list[Backup]]:
    """Of the backups of one file, those whose time is over: daily ones, and those before a migration.

    One from the future was made while the clock was wrong, and comes behind all others.
    """
    ordered = sorted(backups, key=lambda each: (each.made_at <= now, each.made_at), reverse=True)
    daily = [each for each in ordered if not each.before_migration]
    kept = set(daily[:DAYS])
    weeks: dict[tuple[int, int], Backup] = {}
    for each in daily:
        weeks.setdefault(each.made_at.isocalendar()[:2], each)
    kept.update(list(weeks.values())[:WEEKS])
    before_migrations = [each for each in ordered if each.before_migration]
    return [each for each in daily if each not in kept], before_migrations[MIGRATIONS_KEPT:]


def _to_go_of_all(made: Backup, mine: list[Backup], others: list[Backup], now: datetime) -> list[Backup]:
    going = [each for part in to_go([made, *mine], now) for each in part]
    left = [each for each in [made, *mine] if each not in going]
    free = free_bytes(made.path)
    # The oldest first, of those that are left; what was made just now stays.
    left.sort(key=lambda each: (each is made, each.made_at))
    while (
        free is not None
        and len(left) > 1
        and sum(each.size for each in left) > free + sum(each.size for each in going)
    ):
        going.append(left.pop(0))
    return going + others[1:]


def _of_this_file(backups: list[Backup], born: float) -> tuple[list[Backup], list[Backup]]:
    """The backups of the file that is there now, and those of another one that had its name before.

    One that cannot be read is neither: it stays until a person looks.
    """
    mine: list[Backup] = []
    others: list[Backup] = []
    for each in backups:
        with contextlib.suppress(sqlite3.Error, StoreError):
            with contextlib.closing(reading_connection(each.path, unopened=True)) as reader:
                (theirs,) = reader.execute(BORN).fetchone()
            (mine if theirs == born else others).append(each)
    return mine, others


def _last_change(backup: Backup) -> int | None:
    try:
        with contextlib.closing(reading_connection(backup.path, unopened=True)) as reader:
            return contents_of(backup.path, reader).last_change
    except (sqlite3.Error, StoreError):
        return None


def _is_recent(backups: list[Backup], now: datetime) -> bool:
    return any(timedelta(0) <= now - each.made_at < DAY for each in backups)


def _remove(backups: Iterable[Backup]) -> None:
    for each in backups:
        with contextlib.suppress(OSError):
            each.path.unlink()


def _remove_left_overs(folder: Path) -> None:
    """What somebody who was killed has left half-made; one that is being made is written to all the time."""
    for each in folder.glob(f".*{PART}*"):
        with contextlib.suppress(OSError):
            if time.time() - each.stat().st_mtime > LEFT_OVER:
                each.unlink()


def _moment(stamp: str) -> datetime | None:
    try:
        return datetime.strptime(stamp, STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None
