"""Waiting for a disk that is away: the work goes on by itself once both folders are back.

It waits on the thread that the work is on, and nothing of it is recorded: after a crash, or a restart
without the disk, the same step comes to the same place and waits again. Who pauses or quits is heard at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from stepfast_desktop.workflows.copy_folder.errors import CopyError, DiskAway, MaybeAway
from stepfast_desktop.workflows.copy_folder.places import Places

__all__ = ["Waiting"]

T = TypeVar("T")

LOOK_SECONDS = 1.0
"""Between two looks whether the disk is back."""

STOP_SECONDS = 0.1
"""Between two looks whether somebody wants to stop."""

GRACE_SECONDS = 3.0
"""A disk that is pulled out fails before its folder is gone; a disk that fails for so long is broken."""


class Waiting:
    """Does work on the two folders, and waits where a disk is away.

    Args:
        places: the two folders.
        stop: raises to stop the wait, when it is asked to.
        tell: shows what is waited for, as `Meter.tell`.
        log: `run.log`.
    """

    def __init__(
        self,
        places: Places,
        *,
        stop: Callable[[], None],
        tell: Callable[[str], None],
        log: Callable[[str, str], None],
    ) -> None:
        self._places = places
        self._stop = stop
        self._tell = tell
        self._log = log

    def do(self, work: Callable[[], T]) -> T:
        """What `work` comes to, which is begun again whenever a disk was away and is back.

        Raises whatever else it raises; `CopyError` where a disk fails and is there.
        """
        while True:
            try:
                return work()
            except DiskAway as away:
                self._wait(away, away)
            except CopyError as failed:
                # A disk that goes in the middle of it shows in many ways.
                away_now = self._within(GRACE_SECONDS if isinstance(failed, MaybeAway) else 0)
                if away_now is None and isinstance(failed, MaybeAway):
                    raise CopyError(str(failed)) from failed
                if away_now is None:
                    raise
                self._wait(away_now, failed)

    def _within(self, seconds: float) -> DiskAway | None:
        """Whether a disk turns out to be away within so many seconds."""
        end = time.monotonic() + seconds
        while True:
            with suppress(CopyError):
                if (away := self._away()) is not None:
                    return away
            if time.monotonic() >= end:
                return None
            self._pause(min(LOOK_SECONDS, GRACE_SECONDS / 10))

    def _wait(self, away: DiskAway, why: Exception) -> None:
        self._log(str(why), "warning")
        while True:
            self._tell(away.waiting)
            self._pause(LOOK_SECONDS)
            now = self._away()
            if now is None:
                break
            away = now
        self._log("The disk is back, and the copy goes on.", "info")

    def _away(self) -> DiskAway | None:
        """Why the folders are not there; None where they are. Raises `CopyError` where waiting is no use."""
        try:
            self._places.require_source()
            self._places.require_destination()
        except DiskAway as away:
            return away
        return None

    def _pause(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._stop()
            time.sleep(min(left, STOP_SECONDS))
        self._stop()
