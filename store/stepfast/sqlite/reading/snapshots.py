"""The read transactions that engines have open, so that there can be a moment with none.

The write-ahead log is started anew by a commit that finds it copied, and no reader from before it was copied.
Where lists and histories are read all the while, each briefly, there is no such moment by itself.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stepfast.sqlite.engines.owners import owners_folder

__all__ = ["Snapshots", "waiting_file"]

# Whoever asked the readers of other engines to wait for longer than this was stopped, or has died.
LONGEST = 3.0
LOOK = 0.002


def waiting_file(database: Path) -> Path:
    """While it is there, and young, the readers of all engines on the database wait."""
    return owners_folder(database) / "readers-wait"


class Snapshots:
    """Those of one engine. May be used on any thread.

    Args:
        database: where other engines read too.
    """

    def __init__(self, database: Path | None = None) -> None:
        self._changed = threading.Condition()
        self._open: dict[object, float] = {}
        self._held_up = False
        self._waiting_file = None if database is None else str(waiting_file(database))

    @contextmanager
    def one(self) -> Iterator[None]:
        """Around a read transaction; waits where a moment without any was asked for."""
        self._wait_for_others()
        me = object()
        with self._changed:
            while self._held_up:
                self._changed.wait()
            self._open[me] = time.monotonic()
        try:
            yield
        finally:
            with self._changed:
                del self._open[me]
                if self._held_up and not self._open:
                    self._changed.notify_all()

    @contextmanager
    def none(self, patience: float) -> Iterator[bool]:
        """A time without any, or False where there was still one of this engine's after `patience` seconds.

        Nobody is held up for longer than that and what is done inside. Other engines are only asked: those
        that read already are not waited for.
        """
        with self._changed:
            self._held_up = True
            without = self._changed.wait_for(lambda: not self._open, patience)
        try:
            if without:
                self._ask_others()
            else:
                self._let_go()
            yield without
        finally:
            self._let_go()

    @property
    def oldest(self) -> float | None:
        """For how many seconds the oldest has been open."""
        with self._changed:
            return time.monotonic() - min(self._open.values()) if self._open else None

    def _let_go(self) -> None:
        if self._waiting_file is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._waiting_file)
        with self._changed:
            self._held_up = False
            self._changed.notify_all()

    def _ask_others(self) -> None:
        if self._waiting_file is not None:
            with contextlib.suppress(OSError):
                os.close(os.open(self._waiting_file, os.O_CREAT | os.O_WRONLY, 0o600))
                os.utime(self._waiting_file)

    def _wait_for_others(self) -> None:
        if self._waiting_file is None:
            return
        try:
            while 0 <= time.time() - os.stat(self._waiting_file).st_mtime < LONGEST:
                time.sleep(LOOK)
        except OSError:
            return  # as nearly always
