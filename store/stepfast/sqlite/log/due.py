"""How much of the write-ahead log is not copied into the file yet, and whether that is enough to copy it.

| pages since all was copied | |
| --- | --- |
| `PAGES` | in the next gap between two commits, beside which nobody is held up |
| `MOST_PAGES` | at once: the log would outgrow what is kept of it (`WAL_KEPT`), and growing is dearer |

What was written is counted, in pages that are guessed from what was found in the log before. A look at the
size of the log tells of what is not counted: large values, other programs.
"""

from __future__ import annotations

import math
import os
import sys
import time
from pathlib import Path

from stepfast.sqlite.faults import free_bytes
from stepfast.sqlite.file.opening import WAL_KEPT
from stepfast.sqlite.log.checkpoints import Copied

__all__ = ["Due"]

PAGES = 1000
MOST_PAGES = 1800
FEWEST_PAGES = 16
# After a gap that was too short: before the next one is tried.
PAGES_BETWEEN_GAPS = 100
PAGE = 4096
# From here on readers are held up for a moment, so that the log can be started anew.
LARGE = 12 * 1024 * 1024
BETWEEN_LOOKS = 0.05


class Due:
    """Of one file, as one engine sees it. The thread that writes counts, and both ask."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = str(path) + "-wal"
        self._pages_per_call = 2.0
        self._looked_at = 0.0
        self.written = 0.0
        """Pages, from the beginning; of the thread that writes alone."""
        self._copied = 0.0
        self.size = 0
        """Of the log when all was copied, or could not be; in bytes."""
        # From what was written then on, when so many pages have come.
        self._planned_at, self._planned = 0.0, 0.0
        self._in_a_gap_at = self._at_once_at = self._too_many_at = 0.0
        self._plan(0.0, self._most_pages())

    @property
    def uncopied(self) -> bool:
        """Was anything written since all was copied?"""
        return self.written > self._copied

    @property
    def large(self) -> bool:
        """Is the log so large that readers are held up for it?"""
        return self.size > LARGE

    @property
    def in_a_gap(self) -> bool:
        """Is it to be copied once nobody writes for a moment?"""
        return self.written >= self._in_a_gap_at

    @property
    def at_once(self) -> bool:
        """Is it to be copied whoever writes?"""
        return self.written >= self._at_once_at or self._has_grown()

    def add(self, calls: int) -> bool:
        """So many calls were committed; is there so little room that the log must not grow any more?"""
        self.written += 1 + self._pages_per_call * calls
        return self.written >= self._too_many_at

    def maybe_at_once(self) -> bool:
        """As `at_once`, which not every commit can afford."""
        now = time.monotonic()
        if now < self._looked_at + BETWEEN_LOOKS:
            return self.written >= self._at_once_at
        self._looked_at = now
        if (most := self._most_pages()) < PAGES:
            self._plan(self._planned_at, min(most, self._planned))
        return self.at_once

    def copied(self, found: Copied, written: float) -> None:
        """All that was written when `written` was what it was is in the file."""
        if written > self._copied:
            # How many pages a call dirties depends on the workload.
            learned = self._pages_per_call * found.pages / (written - self._copied)
            self._pages_per_call = min(16.0, max(0.5, learned))
        self._copied = written
        self._plan(written, self._most_pages())

    def try_another_gap(self) -> None:
        """Somebody wrote before all was copied."""
        self._in_a_gap_at = max(self._in_a_gap_at, self.written + PAGES_BETWEEN_GAPS)

    def try_later(self) -> None:
        """Somebody was in the way, and may be for long: the log is as large as it is until then."""
        self._plan(self.written, self._most_pages() / (8 if self.large else 2))
        self.note_size()

    def note_size(self) -> None:
        # What is copied is written over by the next commits, but for a reader that holds it back.
        self.size = log_size(self._log)

    def _plan(self, written: float, pages: float) -> None:
        """From `written` on, copy when so many have come."""
        self._planned_at, self._planned = written, pages
        self._in_a_gap_at = written + pages
        # With little room, or somebody in the way, there is no time to wait for a gap.
        self._at_once_at = written + (pages if pages < PAGES else MOST_PAGES)
        self._too_many_at = written + 2 * pages if pages < PAGES else math.inf

    def _most_pages(self) -> float:
        """To be written before they are copied.

        Where the disk is nearly full, an eighth of what is left: a log that took all of it could not be
        copied any more, where the file has to grow for that.
        """
        free = free_bytes(self._path)
        return PAGES if free is None else min(PAGES, max(FEWEST_PAGES, free / PAGE / 8))

    def _has_grown(self) -> bool:
        """Is the log larger than the pages that were counted explain? (Large values; another program.)"""
        size = log_size(self._log)
        self.size = min(self.size, size)
        return size > max(WAL_KEPT, self.size + WAL_KEPT // 2)


def log_size(log: str) -> int:
    """In bytes; 0 where there is none.

    A kernel that keeps fine timestamps only where somebody asks for them (Linux from 6.13 on) gives the log a
    new one at the write after an `os.stat`, and `fdatasync` then has to write that too: 60 us of 250. To find
    its end asks for none. (No lock of SQLite's is on the log, so that it may be opened, and closed.)
    """
    try:
        if sys.platform == "win32":
            return os.stat(log).st_size
        descriptor = os.open(log, os.O_RDONLY)
    except OSError:
        return 0
    try:
        return os.lseek(descriptor, 0, os.SEEK_END)
    finally:
        os.close(descriptor)
