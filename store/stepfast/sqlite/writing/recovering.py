"""What a writer does about a fault: it says which, keeps from making it worse, and finds out when it is over.

| condition | while it lasts | over when |
| --- | --- | --- |
| full | writes are tried, as one may fit | a probe is committed, and there is more room than when it failed |
| failing, read-only | writes are tried | a probe is committed |
| locked | writes are tried, for 5 s each | the lock is had |
| gone | nothing is written, and what is still open was copied once | the file is back where it was |
| damaged | nothing is written, not even a checkpoint | the file changed from outside, and is whole |
| newer | writes are tried, and write nothing | the file has this program's schema again |

A probe is a commit that changes nothing but the mark. The pause before it grows from `FIRST` to `LONGEST`.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable

from stepfast.errors import (
    Damaged,
    DiskFailing,
    FileGone,
    NotOurs,
    ReadOnly,
    StoreError,
    StoreUnavailable,
)
from stepfast.health import Health
from stepfast.sqlite.faults import TheirError, disk_of, free_bytes, translate
from stepfast.sqlite.file.opened import no_longer_suspect, suspect
from stepfast.sqlite.file.opening import reading_connection
from stepfast.sqlite.file.place import LogGone, Place

__all__ = ["Recovery"]

FIRST = 0.5
LONGEST = 5.0
# One that comes back so soon after it was over was not over: its pause grows on.
RELAPSE = 30.0
ROOM = 64 * 1024
# Some file systems are full of what no count shows: then more room is not waited for, or only so long.
PLENTY = 64 * 1024 * 1024
NO_MORE_ROOM = 30.0

# Under these, whatever would be written could make it worse.
FORBIDDING = {"gone": FileGone, "damaged": Damaged}
# Over once anything was committed.
PASSING = ("locked", "failing", "newer")


class Recovery:
    """The faults of one writer. Used on its thread, but for `explain`, which readers use too.

    Args:
        place: of the file.
        health: where conditions are reported.
    """

    def __init__(self, place: Place, health: Health) -> None:
        self.place = place
        self._health = health
        self._pause = FIRST
        self._probe_at = 0.0
        self._over_at = -RELAPSE
        self._free_when_full: int | None = None
        self._full_since = 0.0
        self._copied = False
        self._damaged_as: tuple[int, int] | None = None

    # --- saying it --------------------------------------------------------------------------------

    def explain(self, error: BaseException) -> BaseException:
        """`error` as callers are to see it; a fault of the environment is reported as a condition."""
        if isinstance(error, TheirError):
            return error.error
        explained = self.translated(error)
        if isinstance(explained, StoreError) and explained.kind is not None:
            self.report(explained)
        return explained

    def explain_reading(self, error: sqlite3.Error) -> BaseException:
        """As `explain`, for a reader's error: only damage shows in a read and must stop the writing too."""
        explained = self.translated(error)
        if isinstance(explained, Damaged):
            self.report(explained)
        return explained

    def translated(self, error: BaseException) -> BaseException:
        if not isinstance(error, sqlite3.Error):
            return error
        explained = translate(error, self.place.path)
        if isinstance(explained, NotOurs):
            # It was ours when it was opened, so its first page has been overwritten.
            return Damaged(f"{self.place.path} is damaged ({error}) and left as it is: see `stepfast doctor`")
        if isinstance(explained, DiskFailing):
            try:
                self.place.look()
            except StoreUnavailable as better:
                better.__cause__ = error
                return better
        return explained

    def report(self, error: StoreError, *, anew: bool = False) -> None:
        """The condition of this error has come; `anew`: what is said of it replaces what was said first."""
        assert error.kind is not None
        if error.kind in FORBIDDING and self._health.has(error.kind) and not anew:
            return
        if not self._health.stops_work:
            now = time.monotonic()
            if now - self._over_at > RELAPSE:
                self._pause = FIRST
            self._probe_at = now + self._pause
        if error.kind == "full" and not self._health.has("full"):
            self._free_when_full, self._full_since = free_bytes(self.place.path), time.monotonic()
        if error.kind == "damaged":
            self._damaged_as = self._state_of_file()
            suspect(self.place.path, str(error))
        disk = disk_of(self.place.path) if error.kind == "full" else None
        self._health.report(error.kind, str(error), stops_work=True, disk=disk)

    # --- keeping from making it worse -------------------------------------------------------------

    def look(self, connection: sqlite3.Connection | None, at: float) -> None:
        """Look at the place; where the file is gone, copy what `connection` has, once, and report it.

        `connection` has no transaction open; `at` names the copy.
        """
        try:
            self.place.look()
        except FileGone as gone:
            if not self._copied:
                self._copied = True
                self.report(FileGone(f"{gone}{self._saved(connection, at, gone)}"), anew=True)
        except ReadOnly as read_only:
            self.report(read_only)

    def _saved(self, connection: sqlite3.Connection | None, at: float, gone: FileGone) -> str:
        """Save what can be saved, and say where it is."""
        if connection is None or self._health.has("damaged"):
            return ""
        try:
            copy = self.place.rescue(connection, at)
        except (sqlite3.Error, OSError) as error:
            return f" (what it held could not be copied: {error})"
        if isinstance(gone, LogGone) and gone.missing:
            # The log that is still open here is the only one. What is in it goes into the file, so that
            # whoever opens that from now on has all of it.
            with contextlib.suppress(sqlite3.Error):
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        return f" (what it held when that was noticed is in {copy})"

    @property
    def may_write(self) -> bool:
        """Can a write, or a checkpoint, make nothing worse?"""
        return not self._health.has(*FORBIDDING)

    def refuse(self) -> None:
        """Raise where nothing may be written at all."""
        if not self._health.stops_work:  # each commit asks
            return
        for each in self._health.conditions:
            if each.kind in FORBIDDING:
                raise FORBIDDING[each.kind](each.message)

    # --- finding out when it is over --------------------------------------------------------------

    @property
    def seconds_to_probe(self) -> float | None:
        """When to call `probe`, or None where all is well."""
        return max(0.0, self._probe_at - time.monotonic()) if self._health.stops_work else None

    def hurry(self) -> None:
        """A person says that it is over: look at once. (From any thread; the writer is then to be woken.)"""
        self._probe_at = 0.0
        self._free_when_full = None

    def probe(self, write: Callable[[], None]) -> None:
        """See whether what stopped the work is over; `write` commits something."""
        self._pause = min(LONGEST, 2 * self._pause)
        self._probe_at = time.monotonic() + self._pause
        try:
            self.place.look()
            if not self._health.has("damaged") or self._is_whole_again():
                write()
                self._health.clear("gone", "damaged")
                self._copied = False
                self._over()
        except (sqlite3.Error, StoreError) as error:
            self.explain(error)

    def _over(self) -> None:
        """A probe was committed. (That others commit shows nothing: what fails may be of one kind.)"""
        over = list(PASSING)
        with contextlib.suppress(StoreUnavailable):
            self.place.look()
            over.append("read-only")
        if self._health.has("full") and self._has_more_room():
            over.append("full")
        self._health.clear(*over)
        if not self._health.stops_work:
            self._over_at = time.monotonic()

    def _has_more_room(self) -> bool:
        free = free_bytes(self.place.path)
        if free is None or self._free_when_full is None or self._free_when_full >= PLENTY:
            return True
        if free >= 2 * self._free_when_full + ROOM:
            return True
        return time.monotonic() - self._full_since >= NO_MORE_ROOM

    def _is_whole_again(self) -> bool:
        state = self._state_of_file()
        if state == self._damaged_as:
            return False
        self._damaged_as = state
        with contextlib.closing(self.place.connect(reading_connection)) as reader:
            found = reader.execute("PRAGMA quick_check(1)").fetchone()
        if found != ("ok",):
            return False
        no_longer_suspect(self.place.path)
        return True

    def _state_of_file(self) -> tuple[int, int] | None:
        try:
            found = self.place.path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size
