"""A damaged file: saying so with what to do, and putting a backup in its place.

Nothing is ever written to a damaged file, and it is not deleted either: with its log it gets other names,
`<path>.damaged-<moment>` (`<path>.replaced-<moment>` where it was whole, and somebody only wanted to go
back), and a copy of the backup takes its place.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from stepfast.errors import Damaged, InvalidInput, Newer, NotOurs, StoreError, StoreUnavailable
from stepfast.sqlite.care.backups import Backup, backups_folder, backups_of, last_good, local
from stepfast.sqlite.care.copying import (
    COMPANIONS,
    Contents,
    Unsound,
    check_copy,
    check_pages,
    contents_of,
    copy_database,
)
from stepfast.sqlite.faults import translate
from stepfast.sqlite.file.opened import (
    keep_restored,
    let_go,
    lock_for_restoring,
    no_longer_suspect,
    restoring_file,
)
from stepfast.sqlite.file.opening import reading_connection
from stepfast.system.files import new_file, sync_folder

__all__ = ["Plan", "Restored", "damaged", "damaged_or_not_ours", "plan_restore", "restore"]

# What was handed out after the backup was made is not known any more, and must not be handed out again.
JUMP = 1 << 30
GO_ON_BEHIND = "UPDATE stepfast_meta SET counter = counter + :jump, horizon = counter + :jump"
# Of its owners none is alive, so what they held is taken over at once.
OWNERS_ARE_DEAD = "UPDATE stepfast_owners SET boot = 'before a backup was restored'"


@dataclass(frozen=True, slots=True)
class Plan:
    """What `restore` would do.

    Attributes:
        path: the file.
        source: the backup that would take its place.
        made_at: when that was made, if its name tells.
        workflows: how many are in it.
        passed_over: newer backups, which are damaged themselves.
        there: what is in its place now: "whole", "newer" (of a newer Stepfast), "damaged" or "gone".
        workflows_now: how many are in that, where it is whole.
    """

    path: Path
    source: Path
    made_at: datetime | None
    workflows: int
    passed_over: tuple[Path, ...]
    there: str
    workflows_now: int | None


@dataclass(frozen=True, slots=True)
class Restored:
    """What `restore` did; `set_aside` are the names that the file and its log have now."""

    plan: Plan
    set_aside: tuple[Path, ...]


def damaged(path: Path, why: object) -> Damaged:
    """The error for a file that cannot be opened, with what there is to be done."""
    found = last_good(path)
    if found is None:
        return Damaged(
            f"{path} is damaged ({why}) and left as it is, and there is no backup of it: copy it away with "
            f"what lies beside it ({path.name}-wal); the program `sqlite3` can read what is left of it "
            "(.recover). Move it away to begin anew"
        )
    backup, contents = found
    workflows = f"{contents.workflows:,} workflow{'' if contents.workflows == 1 else 's'}"
    return Damaged(
        f"{path} is damaged ({why}) and left as it is. The last good backup is of {local(backup.made_at)}, "
        f"with {workflows}: `stepfast restore` (stepfast.restore(path) in a program) puts it in its place, "
        "and keeps the damaged file beside it"
    )


def damaged_or_not_ours(path: Path, error: sqlite3.Error | Unsound) -> Exception:
    """The error for a file that does not read as one of ours.

    Of one with backups we know that it was ours, whatever stands at its beginning now.
    """
    if isinstance(error, Unsound):
        return damaged(path, error.why)
    explained = translate(error, path)
    if isinstance(explained, Damaged) or (isinstance(explained, NotOurs) and backups_of(path)):
        return damaged(path, error)
    return explained


def plan_restore(path: Path, backup: Path | None = None) -> Plan:
    """Which backup would take the place of the file at `path`: `backup`, or the newest that is whole.

    Raises:
        StoreUnavailable: there is none.
        StoreError: `backup` is damaged, no backup, or of a newer Stepfast.
    """
    path = Path(os.path.realpath(path))
    source, contents, passed_over = _choose(path, backup)
    there, workflows_now = _look(path)
    return Plan(
        path=path,
        source=source.path if isinstance(source, Backup) else source,
        made_at=source.made_at if isinstance(source, Backup) else None,
        workflows=contents.workflows,
        passed_over=passed_over,
        there=there,
        workflows_now=workflows_now,
    )


def restore(path: str | Path, backup: str | Path | None = None, *, at: float | None = None) -> Restored:
    """Put a backup in the place of a file that is damaged, or gone; the file is set aside, never deleted.

    For a day nothing is swept from it but what somebody says (`Engine.sweep`).

    Args:
        path: the file.
        backup: the backup; the newest that is whole by default.
        at: the moment that this is done, as the names of what is set aside have it; now by default.

    Raises:
        StoreUnavailable: an engine has the file open, or there is no backup.
        StoreError: the backup is not whole, or the disk is full; the file is as it was.
    """
    path = Path(os.path.realpath(path))
    lock = lock_for_restoring(path)
    try:
        plan = plan_restore(path, None if backup is None else Path(backup))
        _remove_left_overs(path)
        staged = path.with_name(f".{path.name}-restored")
        copy_database(plan.source, staged, closed=True, change=_go_on)
        try:
            if path.exists():
                os.chmod(staged, path.stat().st_mode & 0o777)
            set_aside = _swap(path, staged, plan, at)
        except OSError as error:
            raise StoreUnavailable(
                f"{path} cannot be set aside ({error.strerror or error}); close every program that uses it, "
                "and see that its folder can be written to"
            ) from error
        finally:
            with contextlib.suppress(OSError):
                staged.unlink()
    finally:
        let_go(lock)
    no_longer_suspect(path)
    return Restored(plan, set_aside)


def _choose(path: Path, backup: Path | None) -> tuple[Backup | Path, Contents, tuple[Path, ...]]:
    known = backups_of(path)
    if backup is not None:
        if not backup.is_file():
            raise InvalidInput(f"there is no file at {backup}")
        contents = check_copy(backup)
        same = [each for each in known if each.path == Path(os.path.realpath(backup))]
        return (same[0] if same else backup), contents, ()
    passed_over: list[Path] = []
    for each in known:
        try:
            return each, check_copy(each.path), tuple(passed_over)
        except StoreError:
            passed_over.append(each.path)
    raise StoreUnavailable(
        f"there is no{' good' if passed_over else ''} backup of {path} in {backups_folder(path)}; "
        "name one that lies elsewhere"
    )


def _look(path: Path) -> tuple[str, int | None]:
    """What there is now, and how many workflows are in it."""
    if not path.exists():
        return "gone", None
    try:
        with contextlib.closing(reading_connection(path, unopened=True)) as reader:
            check_pages(path, reader)
            return "whole", contents_of(path, reader).workflows
    except Newer:
        return "newer", None
    except (sqlite3.Error, StoreError):
        return "damaged", None


def _go_on(copy: sqlite3.Connection) -> None:
    copy.execute(GO_ON_BEHIND, {"jump": JUMP})
    copy.execute(OWNERS_ARE_DEAD)


def _swap(path: Path, staged: Path, plan: Plan, at: float | None) -> tuple[Path, ...]:
    """Give what is there another name, then the copy its own. From the first to the last, nobody opens it."""
    sign = restoring_file(path)
    aside = _name_aside(sign, path, plan, at)
    moved: list[Path] = []
    try:
        for suffix in COMPANIONS:
            beside = path.with_name(path.name + suffix)
            if os.path.lexists(beside):
                name = _free_name(path.with_name(aside + suffix))
                os.rename(beside, name)
                moved.append(name)
        # A log that came back after a power cut would be taken for that of the copy.
        sync_folder(path.parent)
        if os.path.lexists(path):
            name = _free_name(path.with_name(aside))
            try:
                os.link(path, name)  # so that there is a file at each moment
            except OSError:
                os.rename(path, name)
            moved.insert(0, name)
        # Before it is so: who is killed in between must not have it swept.
        keep_restored(path, time.time() if at is None else at)
        os.replace(staged, path)
    except OSError:
        if not moved:
            sign.unlink()
        raise
    sync_folder(path.parent)
    sign.unlink()
    return tuple(moved)


def _name_aside(sign: Path, path: Path, plan: Plan, at: float | None) -> str:
    """What the file is to be called; the name from before, where a restore was interrupted."""
    with contextlib.suppress(FileNotFoundError):
        return os.fsdecode(sign.read_bytes())
    moment = datetime.fromtimestamp(time.time() if at is None else at, UTC)
    why = "replaced" if plan.there in ("whole", "newer") else "damaged"
    aside = f"{path.name}.{why}-{moment:%Y-%m-%dT%H-%M-%SZ}"
    with new_file(sign) as (_, descriptor):
        os.write(descriptor, os.fsencode(aside))
    return aside


def _remove_left_overs(path: Path) -> None:
    """What somebody who restored and was killed has left half-made; there is nobody else who does."""
    for each in path.parent.iterdir():
        if each.name.startswith(
            (f".{path.name}-restored", f"..{path.name}-restored-", f".{path.name}.restoring-")
        ):
            with contextlib.suppress(OSError):
                each.unlink()


def _free_name(path: Path) -> Path:
    number, free = 1, path
    while os.path.lexists(free):
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free
