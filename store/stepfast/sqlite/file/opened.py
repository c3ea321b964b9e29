"""Who has a file open, so that nothing is put in its place under anybody; and what is left to be told.

| beside the file | means |
| --- | --- |
| `<path>-owners/open-<pid>-<random>.lock`, locked | an engine has it open, one that only looks too |
| `<path>-owners/copy-<pid>-<random>.lock`, locked | a copy of it is being made, which reads one old state |
| `<path>-owners/migrate.lock`, locked | it is being brought to a newer schema; whoever would too waits |
| `<path>-owners/restore.lock`, locked | a backup is being put in its place; nobody opens it |
| `<path>.restoring` | and something was moved; once interrupted, nobody opens it until it is done again |
| `<path>.suspect` | an engine came upon a damaged page; who opens it next looks at all of them |
| `<path>.restored` | when a backup took its place, as seconds since the epoch; see `GRACE_SECONDS` |

An engine makes its sign and then looks whether somebody restores; whoever restores locks and then looks who
has it open. So at least one of the two sees the other.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from stepfast.errors import Damaged, StoreUnavailable
from stepfast.sqlite.engines.owners import owners_folder
from stepfast.system.locks import FileLock, LockState, probe, remove_free

__all__ = [
    "GRACE_SECONDS",
    "Opened",
    "copying",
    "is_being_copied",
    "is_suspect",
    "keep_restored",
    "let_go",
    "lock_for_restoring",
    "migrating_alone",
    "no_longer_suspect",
    "others_have_it_open",
    "restoring_file",
    "suspect",
    "was_just_restored",
    "who_has_it_open",
]

SIGN = r"(open|copy)-([0-9]+)-[0-9a-f]{16}\.lock"
RESTORE_LOCK = "restore.lock"
MIGRATE_LOCK = "migrate.lock"
TRIES = 100
BETWEEN_TRIES = 0.002
"""Seconds. A lock that was refused may be one under which another engine removes what nobody holds."""
GRACE_SECONDS = 86_400.0
"""For so long after a backup took its place, nothing is swept from a file by itself: what is wanted back may
be older than what is kept."""


class Opened:
    """This engine's sign that it has the file open, until `leave` or the end of its process.

    Raises `StoreUnavailable` where none can be made, or a backup is being put in the place of the file;
    `Damaged` where that was interrupted.
    """

    def __init__(self, path: Path) -> None:
        self._lock = _lock_in(owners_folder(path), lambda: _new_sign("open"))
        try:
            _refuse_while_restoring(path)
        except BaseException:
            self.leave()
            raise

    def leave(self) -> None:
        """A second call does nothing."""
        let_go(self._lock)


@contextmanager
def copying(path: Path) -> Iterator[None]:
    """While a copy of the file is made: nobody need wonder who reads an old state of it for so long."""
    lock = None
    with suppress(StoreUnavailable):  # on a disk that is read-only, say; it is read all the same
        lock = _lock_in(owners_folder(path), lambda: _new_sign("copy"))
    try:
        yield
    finally:
        if lock is not None:
            let_go(lock)


def is_being_copied(path: Path) -> bool:
    """Is somebody making a copy of the file?"""
    return bool(_held(path, "copy"))


def lock_for_restoring(path: Path) -> FileLock:
    """Keep everybody from opening the file, until `let_go`.

    Raises `StoreUnavailable` where somebody has it open.
    """
    lock = _lock_in(owners_folder(path), lambda: RESTORE_LOCK)
    if processes := who_has_it_open(path):
        let_go(lock)
        raise StoreUnavailable(
            f"{path} is open in process {' and '.join(map(str, processes))}; close that program first, since "
            "a backup is to take the place of the file"
        )
    return lock


@contextmanager
def migrating_alone(path: Path, patience: float) -> Iterator[bool]:
    """While the file is brought to a newer schema: others who would do that wait for whoever does.

    SQLite's lock is let go of between two migrations, and who took it then would back up a file that is
    half way, and count as another backup of what was there before.

    Args:
        patience: seconds to wait for another program.

    Gives False where that one is still at it. Raises `StoreUnavailable` where no lock can be kept.
    """
    lock, deadline = None, time.monotonic() + patience
    while lock is None and time.monotonic() < deadline:
        lock = _try_lock_in(owners_folder(path), lambda: MIGRATE_LOCK)
    try:
        yield lock is not None
    finally:
        if lock is not None:
            let_go(lock)


def who_has_it_open(path: Path) -> list[int]:
    """The processes in which an engine has the file open, this one too; each once."""
    return sorted(set(_held(path, "open")))


def others_have_it_open(path: Path) -> bool:
    """Has another engine than the one that asks, which has made its sign, the file open?"""
    return len(_held(path, "open")) > 1


def _lock_in(folder: Path, name: Callable[[], str]) -> FileLock:
    """`name`: of the file, each time it is tried."""
    lock = _try_lock_in(folder, name)
    if lock is None:
        raise StoreUnavailable(f"another process has {folder / name()} locked; try again when it is done")
    return lock


def _try_lock_in(folder: Path, name: Callable[[], str]) -> FileLock | None:
    """As `_lock_in`; None where another process has it for longer than a look takes."""
    refused: OSError = BlockingIOError("the folder goes again and again")
    for left in reversed(range(TRIES)):
        file = name()
        try:
            with suppress(FileExistsError):
                os.mkdir(folder, 0o700)
            _sweep(folder)
            lock = FileLock.acquire(folder / file)
        except FileNotFoundError as gone:
            refused = gone  # the last engine that left took the empty folder along, just now
            continue
        except OSError as error:
            refused = error
            break
        if lock is not None or not left:
            return lock
        time.sleep(BETWEEN_TRIES)
    raise StoreUnavailable(
        f"cannot keep a lock file in {folder}: {refused.strerror or refused}; each program that opens the "
        "file needs one there, so make that a folder this user can write to, on a disk with room"
    ) from refused


def let_go(lock: FileLock) -> None:
    """Unlock, and remove the lock file, with what those who were killed have left."""
    lock.release(unlink=True)
    _sweep(lock.path.parent)
    with suppress(OSError):  # not empty, mostly
        lock.path.parent.rmdir()


def _sweep(folder: Path) -> None:
    """Remove what those who were killed have left."""
    for file in [*_signs(folder), MIGRATE_LOCK, RESTORE_LOCK]:
        with suppress(OSError):
            remove_free(folder / file)


def _new_sign(kind: str) -> str:
    return f"{kind}-{os.getpid()}-{os.urandom(8).hex()}.lock"


def _held(path: Path, kind: str) -> list[int]:
    """The processes that hold signs of this kind, once for each sign."""
    folder = owners_folder(path)
    found = []
    for file in _signs(folder):
        match = re.fullmatch(SIGN, file)
        with suppress(OSError):
            if match is not None and match[1] == kind and probe(folder / file) is LockState.HELD:
                found.append(int(match[2]))
    return found


def _signs(folder: Path) -> list[str]:
    try:
        return [each for each in os.listdir(folder) if re.fullmatch(SIGN, each)]
    except OSError:
        return []


# --- while a backup is put in its place -----------------------------------------------------------


def restoring_file(path: Path) -> Path:
    """Beside the file itself, by whatever link it was reached. It has the name that is being set aside."""
    return Path(os.path.realpath(path) + ".restoring")


def _refuse_while_restoring(path: Path) -> None:
    with suppress(OSError):
        for _ in range(TRIES):
            if probe(owners_folder(path) / RESTORE_LOCK) is not LockState.HELD:
                break
            time.sleep(BETWEEN_TRIES)
        else:
            raise StoreUnavailable(
                f"a backup of {path} is being put in its place at this moment; try again when that is done"
            )
    if restoring_file(path).exists():
        raise Damaged(
            f"putting a backup in the place of {path} was interrupted; do it again: `stepfast restore` (in a "
            "program: stepfast.restore(path))"
        )


# --- that a page was found damaged ----------------------------------------------------------------


def suspect(path: Path, why: str) -> None:
    """Have whoever opens the file next look at every page of it; can be called on any thread."""
    with suppress(OSError):
        _suspect_file(path).write_text(f"{why}\n", "utf-8", "replace")


def is_suspect(path: Path) -> bool:
    return _suspect_file(path).exists()


def no_longer_suspect(path: Path) -> None:
    with suppress(OSError):
        _suspect_file(path).unlink()


def _suspect_file(path: Path) -> Path:
    return Path(os.path.realpath(path) + ".suspect")


# --- that a backup took its place -----------------------------------------------------------------


def keep_restored(path: Path, at: float) -> None:
    """A backup takes the place of the file at this moment, in seconds since the epoch."""
    with suppress(OSError):
        _restored_file(path).write_text(f"{at}\n", "utf-8")


def was_just_restored(path: Path, now: float) -> bool:
    """Has a backup taken the place of the file within the last `GRACE_SECONDS`, give or take the clock?"""
    try:
        return abs(now - float(_restored_file(path).read_text("utf-8"))) < GRACE_SECONDS
    except (OSError, ValueError):
        return False


def _restored_file(path: Path) -> Path:
    return Path(os.path.realpath(path) + ".restored")
