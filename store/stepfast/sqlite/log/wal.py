"""The write-ahead log: when it is copied into the file, so that it neither grows nor holds anybody up.

The log grows until it is copied, and is then started anew by the next commit. A thread of its own copies it
beside everybody's commits; where nobody commits meanwhile, that is all of it, and nobody was held up. So it
is done in a gap, a millisecond without a commit, which whoever does anything between two steps leaves. Who
leaves none until the log would outgrow what is kept of it is held up once: a few pages are left over, which
the thread that writes copies between two batches, with the write lock. `checkpoints.py` says how, `due.py`
how much.

| what | when |
| --- | --- |
| a checkpoint | in a gap after `PAGES`, or after a second without writes |
| one at once | after `MOST_PAGES`, or where the log grew (large values, others) |
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
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from stepfast.errors import StoreError
from stepfast.health import Health
from stepfast.sqlite.file.opening import WAL_KEPT, reading_connection
from stepfast.sqlite.log.checkpoints import (
    NOTHING,
    Checkpoints,
    Copied,
    Engines,
    NotNow,
    SyncFailed,
    leaves_doubt,
)
from stepfast.sqlite.log.due import LARGE, PAGE, Due
from stepfast.sqlite.log.foreign_readers import OldReader
from stepfast.sqlite.reading.snapshots import Snapshots

__all__ = ["Pace", "Wal"]

logger = logging.getLogger("stepfast")

# Without a commit, and it is a gap. What follows may be shorter, and the next one is tried.
GAP_SECONDS = 0.001
QUIET_SECONDS = 0.05  # from here on another thread that wants the interpreter's lock is in nobody's way
ROUNDS = 2
ANOTHER_LOOK = 0.01
LONGEST_HOLD_UP = 2.0
# How long the thread that writes may take to come around; it may be in a long transaction of a user's.
TURN_SECONDS = 2.0


class Pace(NamedTuple):
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


class _Rest(NamedTuple):
    """What was copied with the write lock in hand."""

    written: float
    """As `Due` has it, when that began."""
    copied: Copied
    left: Copied
    """What there is of the log now, which may have been cut."""


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
        let_go: has those go on who were in the last commit; `turn` calls it before what may take a while.
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
        let_go: Callable[[], None] = lambda: None,
    ) -> None:
        self._path = path
        self._file = str(path) + "-wal"
        self._health = health
        self._wake = wake
        self._let_go = let_go
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
        self._due = Due(path)
        self._unseen = self._too_many = False
        self.writing = False
        """Is the thread that writes at a batch?"""
        self.tell_after: float | None = None
        """Seconds without calls after which the thread that writes should call `tell`, if it should."""
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
        self._answer: _Rest | BaseException = NotNow()

    @property
    def may_copy(self) -> bool:
        """Can copying the log make nothing worse?"""
        return not self._stopped and self._allowed()

    # --- on the thread that writes ----------------------------------------------------------------

    def written(self, calls: int) -> None:
        """So many calls were committed. They are answered before `turn` sees to what follows."""
        if self._stopped:
            return
        self._wrote_at = time.monotonic()
        self._too_many = self._due.add(calls)
        self._unseen = True

    def _see(self) -> None:
        """Something was written since the last turn."""
        self._unseen = False
        if self._too_many:
            self.checkpoint()  # there is little room, and the other thread does not keep up
        elif self._busy:
            self.tell_after = None  # it looks again by itself
        elif self._due.maybe_at_once():
            self.tell()
        elif self._due.in_a_gap:
            self.tell_after = GAP_SECONDS
        else:
            self.tell_after = QUIET_SECONDS if self._asleep else None

    def tell(self) -> None:
        """The thread that copies is to look what there is to do."""
        self.tell_after = None
        with self._something:
            if self._thread is None and not self._closing:
                self._thread = threading.Thread(target=self._work, name="stepfast-wal", daemon=True)
                self._thread.start()
            self._something.notify()

    def turn(self, *, idle: bool = True) -> None:
        """Between two batches: copy the few pages that are left over, if that is what is waited for.

        `idle`: there is no other batch yet. If there is, its beginning has those go on who were in the last.
        """
        if self._too_many or (idle and not self._asked):
            self._let_go()
        if self._unseen:
            self._see()
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
        self._let_go()
        self._answered.set()

    def checkpoint(self, *, cut: bool = False) -> None:
        """Copy everything at once, whoever waits; `cut`: and give its room back, where a disk is full."""
        if not self.may_copy:
            return
        try:
            self._note(self._copy_rest(cut))
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
        if self._due.uncopied or not self.may_copy:
            with contextlib.suppress(sqlite3.Error, StoreError):
                self._keeper = self._open_reading()
                self._keeper.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
        if self._thread is None:
            self._engines.tidy()
        else:
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
        if not self._due.uncopied or not self.may_copy:
            return
        try:
            if alone:
                self._copy_beside()
            if self._due.uncopied:
                self._note(self._copy_rest())
        except NotNow:
            pass
        except (sqlite3.Error, StoreError, SyncFailed) as error:
            self._failed(error)

    def _copy_rest(self, cutting: bool = False) -> _Rest:
        with self._using:
            written = self._due.written
            copied = left = self._checkpoints.rest(self._let_go)
            if copied.all and cutting:
                left = self._checkpoints.cut()
        return _Rest(written, copied, left)

    def _note(self, rest: _Rest) -> Copied:
        if rest.copied.all:
            self._due.copied(rest.copied, rest.written)
        return rest.left

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
        if not self._due.uncopied and self._due.size <= WAL_KEPT:
            return None
        now = time.monotonic()
        if self._due.at_once or (self._due.in_a_gap and now >= self._wrote_at + GAP_SECONDS):
            return 0
        idle = self._pace.idle
        return max(0.0, max(self._wrote_at + idle, self._tried_at + max(idle, self._pause)) - now)

    def _try(self) -> None:
        at_once = self._due.at_once
        self._pages_were_enough = at_once or self._due.in_a_gap
        self._tried_at = time.monotonic()
        try:
            with self._engines.one() as alone:
                if alone:
                    self._checkpoint(at_once)
                else:
                    self._later()
        except NotNow:
            self._later()
        except (sqlite3.Error, StoreError, SyncFailed) as error:
            self._failed(error)

    def _checkpoint(self, at_once: bool) -> None:
        if self._due.uncopied:
            copied, alone = self._copy_beside()
            if copied.pages * PAGE > LARGE:
                copied = self._start_anew()
            elif not alone and not at_once:
                self._due.try_another_gap()
                return
            elif not alone:
                copied = self._ask_for_rest()
            over = copied.all
        else:
            with self._using:
                copied = self._checkpoints.cut()
            over = copied.pages == 0
        self._due.note_size()
        logger.debug("the log of the file was copied into it: %d pages", copied.pages)
        if not over:
            self._later()
            self._old_reader.seen(copied.copied, large=self._due.large)
            return
        self._pause = 0.0
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

    def _copy_beside(self) -> tuple[Copied, bool]:
        """Copy beside everybody's commits; was nothing written here meanwhile, or into a log begun anew?

        Then what was found to be all of it still is, and the next commit starts the log anew, or one has.
        """
        at_first = self._due.written
        copied = NOTHING
        for _ in range(ROUNDS):  # the second has few pages to copy, and is short
            with self._using:
                writing, written = self.writing, self._due.written
                copied = self._checkpoints.most(copied)
                if copied.anew:
                    self._due.copied(copied, at_first)
                    return copied, True
                if not (writing or self.writing) and self._due.written == written:
                    if copied.all:
                        self._due.copied(copied, written)
                    return copied, True
        return copied, False

    def _ask_for_rest(self, seconds: float = TURN_SECONDS, *, cutting: bool = False) -> Copied:
        """Have the thread that writes copy the rest, and cut the log, if it can, and wait until it has."""
        with self._something:
            if self._closing:
                raise NotNow
            self._answered.clear()
            self._asked, self._cutting = True, cutting
        # Behind the next commit: of all moments, its writer is furthest from another one then.
        if not self._answered.wait(GAP_SECONDS):
            self._wake()
        if not self._answered.wait(seconds):
            with self._something:
                if self._asked:
                    self._asked = False
                    raise NotNow
            self._answered.wait()
        if isinstance(self._answer, BaseException):
            raise self._answer
        return self._note(self._answer)  # here, as somebody who writes may wait for the other thread

    # --- what comes of it -------------------------------------------------------------------------

    def _later(self) -> None:
        """Try again, but not after each batch: the log may be as large as it is until then."""
        if not self._pages_were_enough or not self._pause:
            self._pause = self._longer(self._pause)
        self._due.try_later()

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
