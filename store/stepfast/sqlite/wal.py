"""The write-ahead log: when it is copied into the file, so that it neither grows nor holds anybody up.

The log grows until it is copied, and is then started anew by the next commit. A thread of its own does most
of the copying beside everybody's commits. What is left over is a few pages, which the thread that writes
copies between two batches, while nobody writes: about as long as a commit takes. `checkpoints.py` says how.

| what | when |
| --- | --- |
| a checkpoint | `PAGES` were written, or the log grew (large values, others), or a second without writes |
| one that is sooner | the disk is nearly full |
| another try | a reader or writer was in the way: after fewer pages, or a pause that doubles up to a minute |
| nothing | all is copied and the log is small; or the file is damaged; or a checkpoint failed on I/O |

After an I/O error the log may be the only good copy, and what SQLite noted as copied may be lost: nothing is
copied any more, not when the last connection closes either (which SQLite does by itself, unless there is one
that only reads). Whoever opens the file next has SQLite check the log and copy all of it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stepfast.errors import StoreError
from stepfast.health import Health
from stepfast.sqlite.checkpoints import Checkpoints, Copied, Engines, NotNow, SyncFailed, leaves_doubt
from stepfast.sqlite.faults import free_bytes
from stepfast.sqlite.foreign_readers import OldReader
from stepfast.sqlite.opening import WAL_KEPT, reading_connection
from stepfast.sqlite.snapshots import Snapshots

__all__ = ["Pace", "Wal"]

logger = logging.getLogger("stepfast")

PAGES = 1000
FEWEST_PAGES = 16
PAGE = 4096
# From here on readers are held up for a moment, so that the log can be started anew.
LARGE = 12 * 1024 * 1024
ANOTHER_LOOK = 0.01
BETWEEN_LOOKS = 0.05
LONGEST_HOLD_UP = 2.0
# How long the thread that writes may take to come around; it may be in a long transaction of a user's.
TURN_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds."""

    idle: float = 1.0
    """Without writes, before what there is is copied."""
    first_try: float = 1.0
    """Before another try, where somebody was in the way; doubled each time, up to `last_try`."""
    last_try: float = 60.0
    hold_up: float = 0.25
    """For which readers are held up, where there is no moment without any; longer if that was in vain."""
    old: float = 30.0
    """For which a reader is in the way before it is an old one; `old_if_large`: where the log is large."""
    old_if_large: float = 1.0


class Wal:
    """The WAL of one file, as one engine sees it.

    Args:
        path: the database.
        open_connection: makes a write connection.
        health: is told of readers that do not end, and of the end of all copying.
        wake: has the thread that writes call `turn` soon.
        allowed: may anything be written to the file? Asked on any thread.
        explain: is told of errors.
        snapshots: the read transactions of this engine.
        open_reading: makes a connection that only reads.
        pace: tests have less time.
    """

    def __init__(
        self,
        path: Path,
        open_connection: Callable[[], sqlite3.Connection],
        health: Health,
        *,
        wake: Callable[[], None],
        allowed: Callable[[], bool] = lambda: True,
        explain: Callable[[BaseException], BaseException] = lambda error: error,
        snapshots: Snapshots | None = None,
        open_reading: Callable[[], sqlite3.Connection] | None = None,
        pace: Pace | None = None,
    ) -> None:
        self._path = path
        self._file = str(path) + "-wal"
        self._health = health
        self._wake = wake
        self._allowed = allowed
        self._explain = explain
        self._snapshots = snapshots or Snapshots()
        self._pace = pace or Pace()
        self._old_reader = OldReader(path, health, self._snapshots, self._pace.old, self._pace.old_if_large)
        self._checkpoints = Checkpoints(path, open_connection)
        self._engines = Engines(path)
        self._using = threading.Lock()  # the checkpoints: by one thread at a time
        self._open_reading = open_reading or (lambda: reading_connection(path))
        self._keeper: sqlite3.Connection | None = None
        self._stopped = False
        # What was written and not copied, as a guess that is learned from what was found.
        self._pages = 0.0
        self._pages_per_call = 2.0
        self._looked_at = 0.0
        self.untold = False
        """Should `tell` be called, once nobody waits for the thread that writes?"""
        self._size = 0
        # Since the last try.
        self._new_pages = 0.0
        self._enough_pages = self._most_pages()
        self._wrote_at = 0.0
        self._pages_were_enough = False
        self._tried_at = 0.0
        self._pause = 0.0
        self._hold_up = self._pace.hold_up
        self._hold_up_at = 0.0
        self._hold_up_pause = 0.0
        # Between the threads.
        self._something = threading.Condition()
        self._thread: threading.Thread | None = None
        self._asleep = True
        self._busy = False
        self._closing = False
        self._asked = False
        self._cutting = False
        self._answered = threading.Event()
        self._answer: Copied | BaseException = NotNow()

    @property
    def may_copy(self) -> bool:
        """Can copying the log make nothing worse?"""
        return not self._stopped and self._allowed()

    # --- on the thread that writes ----------------------------------------------------------------

    def written(self, calls: int) -> None:
        """So many calls were committed."""
        if self._stopped:
            return
        pages = 1 + self._pages_per_call * calls
        self._pages += pages
        self._new_pages += pages
        self._wrote_at = time.monotonic()
        if self._enough_pages < PAGES and self._new_pages >= 2 * self._enough_pages:
            self.checkpoint()  # there is little room, and the other thread does not keep up
        elif not self._busy and (self._new_pages >= self._enough_pages or self._may_have_grown()):
            self.tell()
        else:
            self.untold = self._asleep

    def _may_have_grown(self) -> bool:
        """As `_has_grown`, which not every commit can afford.

        A kernel that keeps fine timestamps only where somebody asks for them (Linux from 6.13 on) gives the
        file a new one at the write after a look, and `fdatasync` then has to write that too: 60 us of 250.
        """
        now = time.monotonic()
        if now < self._looked_at + BETWEEN_LOOKS:
            return False
        self._looked_at = now
        self._enough_pages = min(self._enough_pages, self._most_pages())
        return self._has_grown()

    def _most_pages(self) -> float:
        """To be written before they are copied.

        Where the disk is nearly full, an eighth of what is left: a log that took all of it could not be
        copied any more, where the file has to grow for that.
        """
        free = free_bytes(self._path)
        return PAGES if free is None else min(PAGES, max(FEWEST_PAGES, free / PAGE / 8))

    def tell(self) -> None:
        """The thread that copies is to look what there is to do."""
        self.untold = False
        with self._something:
            if self._thread is None and not self._closing:
                self._thread = threading.Thread(target=self._work, name="stepfast-wal", daemon=True)
                self._thread.start()
            self._something.notify()

    def turn(self) -> None:
        """Between two batches: copy the few pages that are left over, if that is what is waited for."""
        if not self._asked:
            return
        with self._something:
            if not self._asked:
                return
            self._asked = False
        try:
            self._answer = self._copy_rest(self._cutting) if self.may_copy else NotNow()
        except BaseException as error:
            self._answer = error
        self._answered.set()

    def checkpoint(self, *, cut: bool = False) -> None:
        """Copy everything at once, whoever waits; `cut`: and give its room back, where a disk is full."""
        if not self.may_copy:
            return
        try:
            self._copy_rest(cut)
        except NotNow:
            pass
        except (sqlite3.Error, StoreError) as error:
            self._failed(error)

    def close(self) -> None:
        """Copy what there is; waits for no reader. `let_go` is to follow when all connections are closed."""
        with self._something:
            self._closing = True
            if self._asked:
                self._asked, self._answer = False, NotNow()
                self._answered.set()
            self._something.notify()
        if self._thread is not None:
            self._thread.join()
        if self._pages or not self.may_copy:
            with contextlib.suppress(sqlite3.Error, StoreError):
                self._keeper = self._open_reading()
                self._keeper.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
        if self._thread is not None:
            with self._engines.one(last=True) as alone:
                self._copy_last(alone)
        if self.may_copy:
            self.let_go()
        self._checkpoints.close()

    def let_go(self) -> None:
        """Every other connection of this engine is closed: let the last one go, which copies nothing."""
        if self._keeper is not None:
            self._keeper.close()
            self._keeper = None

    def _copy_last(self, alone: bool) -> None:
        if not self._pages or not self.may_copy:
            return
        try:
            if alone:
                self._copy_most()
            self._copy_rest()
        except NotNow:
            pass
        except (sqlite3.Error, StoreError, SyncFailed) as error:
            self._failed(error)

    def _copy_rest(self, cutting: bool = False) -> Copied:
        with self._using:
            copied = self._checkpoints.rest()
            if copied.all:
                if self._pages:
                    # How many pages a call dirties depends on the workload.
                    learned = self._pages_per_call * copied.pages / self._pages
                    self._pages_per_call = min(16.0, max(0.5, learned))
                self._pages = self._new_pages = 0.0
                if cutting:
                    copied = self._checkpoints.cut()
        return copied

    # --- on the thread that copies ----------------------------------------------------------------

    def _work(self) -> None:
        while self._wait():
            self._busy = True
            try:
                self._try()
            except BaseException:
                logger.exception("a fault of Stepfast's in the thread that copies the log, please report it")
                self._later()
            finally:
                self._busy = False

    def _wait(self) -> bool:
        """Wait until there is something to do; False at the end."""
        with self._something:
            while not self._closing:
                self._asleep = True  # whoever writes from here on wakes this thread
                seconds = self._seconds_to_wait()
                if seconds is not None:
                    self._asleep = False
                    if seconds <= 0:
                        return True
                self._something.wait(seconds)
            return False

    def _seconds_to_wait(self) -> float | None:
        if not self.may_copy:
            return None
        if not self._pages and self._size <= WAL_KEPT:
            return None
        if self._is_due():
            return 0
        quiet = max(self._wrote_at + self._pace.idle, self._tried_at + self._pause)
        return max(0.0, quiet - time.monotonic())

    def _is_due(self) -> bool:
        return self._new_pages >= self._enough_pages or self._has_grown()

    def _try(self) -> None:
        self._pages_were_enough = self._is_due()
        self._new_pages = 0.0
        self._tried_at = time.monotonic()
        try:
            with self._engines.one() as alone:
                if alone:
                    self._checkpoint()
                else:
                    self._later()
        except NotNow:
            self._later()
        except (sqlite3.Error, StoreError, SyncFailed) as error:
            self._failed(error)

    def _checkpoint(self) -> None:
        if self._pages:
            copied = self._copy_most()
            if copied.pages * PAGE <= LARGE:
                copied = self._ask_for_rest()
            else:
                copied = self._start_anew()
            over = copied.all
        else:
            with self._using:
                copied = self._checkpoints.cut()
            over = copied.pages == 0
        self._note_size()
        if not over:
            self._later()
            self._old_reader.seen(copied.copied, large=self._size > LARGE)
            return
        self._pause = 0.0
        self._enough_pages = self._most_pages()
        self._old_reader.gone()

    def _start_anew(self) -> Copied:
        """The log is large: it could not be started anew when it was copied, since somebody was reading.

        A commit does that only where nobody began to read before all was copied. Where lists are read all the
        while, there is no such moment by itself, so readers are held up, now and then, until there is one.
        """
        if time.monotonic() >= self._hold_up_at:
            with self._snapshots.none(self._hold_up) as without:
                until = time.monotonic() + self._pace.hold_up
                while without and (left := until - time.monotonic()) > 0:
                    copied = self._ask_for_rest(left, cutting=True)
                    if copied.pages == 0:
                        self._hold_up, self._hold_up_pause = self._pace.hold_up, 0.0
                        return copied
                    time.sleep(ANOTHER_LOOK)
            if without:
                # So it is somebody else, who will not be gone the sooner for it.
                self._hold_up_pause = self._longer(self._hold_up_pause)
            else:
                self._hold_up = min(LONGEST_HOLD_UP, 2 * self._hold_up)
                self._hold_up_pause = 4 * self._hold_up
            self._hold_up_at = time.monotonic() + self._hold_up_pause
        return self._ask_for_rest()

    def _copy_most(self) -> Copied:
        with self._using:
            return self._checkpoints.most()

    def _ask_for_rest(self, seconds: float = TURN_SECONDS, *, cutting: bool = False) -> Copied:
        """Have the thread that writes copy the rest, and cut the log, if it can, and wait until it has."""
        with self._something:
            if self._closing:
                raise NotNow
            self._answered.clear()
            self._asked, self._cutting = True, cutting
        self._wake()
        if not self._answered.wait(seconds):
            with self._something:
                if self._asked:
                    self._asked = False
                    raise NotNow
            self._answered.wait()
        if isinstance(self._answer, BaseException):
            raise self._answer
        return self._answer

    # --- what comes of it -------------------------------------------------------------------------

    def _later(self) -> None:
        """Try again, but not after each batch: the log may be as large as it is until then."""
        if not self._pages_were_enough or not self._pause:
            self._pause = self._longer(self._pause)
        self._enough_pages = self._most_pages() / (8 if self._size > LARGE else 2)
        self._note_size()

    def _longer(self, pause: float) -> float:
        return min(self._pace.last_try, max(self._pace.first_try, 2 * pause))

    def _failed(self, error: Exception) -> None:
        self._later()
        if not leaves_doubt(error):
            explained = self._explain(error)
            # What is a condition now is logged as one, and not each time that this is tried.
            level = logging.DEBUG if self._health.stops_work else logging.WARNING
            logger.log(level, "the log of %s could not be copied: %s", self._path, explained)
        else:
            self._stopped = True
            self._health.report(
                "uncopied",
                f"the disk reported an error while {self._file} was copied into {self._path}; nothing is "
                "lost, but that log only grows now: check the disk, then start this program again",
                stops_work=False,
            )

    def _has_grown(self) -> bool:
        """Is the log larger than the pages that were counted explain? (Large values; another program.)"""
        try:
            size = os.stat(self._file).st_size
        except OSError:
            return False
        self._size = min(self._size, size)
        return size > max(WAL_KEPT, self._size + WAL_KEPT // 2)

    def _note_size(self) -> None:
        # What is copied is written over by the next commits, but for a reader that holds it back.
        try:
            self._size = os.stat(self._file).st_size
        except OSError:
            self._size = 0
