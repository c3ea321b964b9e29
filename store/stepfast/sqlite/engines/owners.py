"""Which owners are dead: an engine's sign of life, and the judgement of others' signs.

An owner is an engine, not a process. Its `Presence` is a file of its own beside the database, locked as
long as it lives; its row in the database names the file, its boot and a beat that it raises while it
holds claims. There is no SQL here: rows come in as `Peer`, and the dead go out.

| what is seen of a peer | judgement |
| --- | --- |
| its boot and ours are known and differ | dead |
| its lock is free | dead: the kernel dropped it |
| its lock is held, or cannot be looked at | alive, unless it holds claims and did not beat for a lease |
| its file is missing | only the lease decides, also where it holds nothing: a cleaner was there |

One that was sent away because its file is missing, and lives, registers anew with a new file. One whose lease
ran out may have waited all that time for somebody else to let go of the file, as an idle watcher does not:
it has a `CHANCE` to show itself, while the watcher finds the write lock free.

The lease is no deadline. Nobody compares a peer's time with the wall clock; the watcher counts, on its
own monotonic clock, how long *it* has watched one beat. A time in which it did not watch (it was stopped
itself, or the machine slept) may have been no time for the peer either, so it does not count.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from stepfast.errors import StoreUnavailable
from stepfast.processes.orphans import end_orphans, owner_of
from stepfast.system.locks import FileLock, LockState, probe, remove_free

__all__ = [
    "BEAT",
    "CHANCE",
    "DYING",
    "DYING_IN_TURN",
    "GAP",
    "LEASE",
    "Peer",
    "Presence",
    "Watch",
    "boot_id",
    "end_steps",
    "owners_folder",
    "sweep",
    "take_out",
]

BEAT = 20.0
"""Seconds between two beats of an owner that holds claims."""

LEASE = 60.0
"""Seconds for which a beat may stay unchanged under somebody's eyes."""

CHANCE = 5.0
"""Seconds that an owner whose lease ran out has for a beat, in which somebody else could have written one."""

WAITED = 2.0
"""Seconds for the write lock from which on nobody could have written."""

DYING = 0.25
"""Seconds that the process of a step has for dying, once it was killed, until somebody comes back later."""

DYING_IN_TURN = 0.02
"""As `DYING`, in which nobody else can write."""

GAP = 10.0
"""Seconds between two judgements from which on the time between them was not watched."""


def boot_id() -> str:
    """What names this boot of the machine: the same in all its processes, another after a reboot.

    Empty where the system has no such thing (Windows) or does not tell; that never counts as another
    boot. Linux: `random(4)`, boot_id; macOS: the sysctl kern.bootsessionuuid.
    """
    if sys.platform == "linux":
        try:
            return _BOOT_ID.read_text("utf-8").strip()
        except (OSError, ValueError):
            return ""
    if sys.platform == "darwin":
        return _sysctl(b"kern.bootsessionuuid")
    return ""


def owners_folder(database: str | os.PathLike[str]) -> Path:
    """The folder of the lock files of all owners of a database, by whatever link it was reached."""
    return Path(os.path.realpath(database) + "-owners")


class Presence:
    """This engine's own sign of life: a locked file, there before the engine registers itself.

    `folder` and `file`, together `path`, say where it is, `boot` and `pid` whose it is. The name is never
    used again, by anybody, so a lock under it can only be this owner's.

    Raises `StoreUnavailable` where the folder cannot be made, or holds no locks.
    """

    def __init__(self, database: str | os.PathLike[str]) -> None:
        self.folder = owners_folder(database)
        self.pid = os.getpid()
        self.boot = boot_id()
        try:
            self._lock = self._create()
        except OSError as refused:
            raise StoreUnavailable(
                f"cannot keep a lock file in {self.folder}: {refused.strerror or refused}; each program "
                "that runs workflows needs one there, so make that a folder this user can write to, on a "
                "disk with room"
            ) from refused
        self.path = str(self._lock.path)
        self.file = self._lock.path.name
        self._kept = False

    def leave(self, *, registered: bool = False) -> None:
        """Unlock and remove the file, and the folder with the last of them; does nothing after `keep`.

        `registered`: its row is still there, so the file stays too, whose free lock tells that it is dead.
        A second call does nothing, nor does one in a forked child: the file is its parent's.
        """
        if self._kept:
            return
        self._lock.release(unlink=not registered)
        with suppress(OSError):  # not empty, mostly
            self.folder.rmdir()

    def keep(self) -> None:
        """Stay until the process ends: a step's thread still runs, and nobody may run it beside it."""
        self._kept = True

    def _create(self) -> FileLock:
        refused: OSError = BlockingIOError("the lock of each new file was taken by another program")
        for _ in range(_TRIES):
            with suppress(FileExistsError):
                os.mkdir(self.folder, 0o700)
            file = f"{self.pid}-{os.urandom(8).hex()}.lock"
            try:
                lock = FileLock.acquire(self.folder / file)
            except FileNotFoundError as gone:
                refused = gone  # the last owner that left took the empty folder along, just now
                continue
            if lock is not None:
                return lock
        raise refused


@dataclass(frozen=True, slots=True)
class Peer:
    """Another owner's row. `holds`: it holds claims, since without any it owes nobody a beat."""

    key: int
    file: str
    boot: str
    beat: int
    holds: bool = True


class Watch:
    """Judges the owners of one folder, as the owner of the boot `boot` sees them.

    It wants to be asked about once a second: see `GAP`.
    """

    def __init__(self, folder: Path, boot: str) -> None:
        self._folder = folder
        self._boot = boot
        self._seen: dict[Peer, float] = {}
        self._chance: dict[Peer, float] = {}
        self._last: float | None = None

    def judge(self, peers: Iterable[Peer], now: float) -> list[Peer]:
        """The dead among `peers`, which are all other owners there are.

        `now` is in seconds of this process's monotonic clock. A peer that is not among them any more is
        forgotten.
        """
        watched = self._last is not None and 0 <= now - self._last <= GAP
        # A row that changed in anything is another peer here: its lease begins anew.
        self._seen = {peer: self._seen.get(peer, now) if watched else now for peer in peers}
        chances = self._chance.copy()  # at once: a takeover on the writer's thread may add one
        self._chance = {peer: since for peer, since in chances.items() if watched and peer in self._seen}
        self._last = now
        return [peer for peer in self._seen if self.still_dead(peer)]

    def still_dead(self, peer: Peer) -> bool:
        """Look again, with its row as it is now.

        One that was found dead by its lease is alive again if anything in its row has changed.
        """
        return self.gone(peer) or self._silent(peer)

    def to_be_taken_over(self, peer: Peer, asked: float, now: float) -> bool:
        """As `still_dead`, inside the transaction that takes its workflows over.

        One that is silent has until the end of its chance, which begins with the first of these transactions
        that got the write lock at once: `asked` is when it was asked for, `now` when it had it.
        """
        if self.gone(peer):
            return True
        if not self._silent(peer):
            return False
        if now - asked >= WAITED:
            self._chance[peer] = now
        return now - self._chance.setdefault(peer, now) >= CHANCE

    def gone(self, peer: Peer) -> bool:
        """Has its process ended, for certain?"""
        if self._boot and peer.boot and peer.boot != self._boot:
            return True
        return self._look(peer.file) is LockState.FREE

    def _silent(self, peer: Peer) -> bool:
        """Has its lease run out under our eyes?"""
        since = self._seen.get(peer)
        if since is None or self._last is None or self._last - since < LEASE:
            return False
        return peer.holds or (peer.beat >= 0 and self._look(peer.file) is LockState.MISSING)

    def _look(self, file: str) -> LockState:
        if not _OURS.fullmatch(file):
            return LockState.MISSING  # a row that somebody made up: no path of anybody's choice is opened
        try:
            return probe(self._folder / file)
        except OSError:
            return LockState.HELD  # another user's, or no descriptor is left: nothing is known


def sweep(folder: Path, known: set[str]) -> None:
    """Remove the files of owners that died before they had registered: not in `known`, and unlocked.

    Likewise those of the processes of their steps.

    A dead owner that is registered keeps its file, whose free lock is what tells that it is dead. The
    age is courtesy to one that is just being made (it would have to begin again); what makes this safe is
    that the file is removed under its lock.
    """
    try:
        files = os.listdir(folder)
    except OSError:
        return
    for file in files:
        owner = file if _OURS.fullmatch(file) else owner_of(file)
        if not owner or owner in known:
            continue
        with suppress(OSError):
            if not 0 <= time.time() - os.stat(folder / file, follow_symlinks=False).st_mtime < _YOUNG:
                remove_free(folder / file)


def end_steps(folder: Path, file: str, *, patience: float) -> bool:
    """End the processes of steps of an owner that was declared dead; False where one may live on.

    Blocks until what was killed has died, for at most `patience` seconds.
    """
    return _OURS.fullmatch(file) is None or end_orphans(folder / file, patience)


def take_out(folder: Path, file: str) -> None:
    """Remove the file of an owner that was declared dead and whose row is gone.

    One whose lease ran out while it was stopped still holds its lock: its file stays, to be removed by
    itself when it wakes, or by a `sweep` once it has died.
    """
    if _OURS.fullmatch(file):
        with suppress(OSError):
            remove_free(folder / file)


_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")

_TRIES = 100

_YOUNG = 60.0
"""Seconds in which a file that nobody has locked or registered may just be being made."""

# Names from a database are data: one like ../../thesis.odt must be neither opened nor removed.
_OURS = re.compile(r"[0-9]+-[0-9a-f]{16}\.lock")


def _sysctl(name: bytes) -> str:
    """`sysctlbyname(3)` of a text; empty where there is none of that name."""
    import ctypes

    value = ctypes.create_string_buffer(64)
    size = ctypes.c_size_t(len(value))
    try:
        failed = ctypes.CDLL(None).sysctlbyname(name, value, ctypes.byref(size), None, ctypes.c_size_t(0))
    except (OSError, AttributeError):
        return ""
    return "" if failed else value.value.decode("utf-8", "replace")
