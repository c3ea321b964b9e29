"""Just after the computer has slept a disk may not be back yet: what fails then is tried again for a while.

A USB disk that was switched off takes seconds to be there again, and until then whatever is asked of it fails
as if it were broken: files that would be reported as problems, and a copy that would fail overnight.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable

from stepfast.system.suspended import suspended_seconds
from stepfast_desktop.workflows.copy_folder.errors import (
    FULL,
    CopyError,
    SourceFailed,
    TargetFailed,
)

__all__ = ["PATIENCE", "Patience"]

PATIENCE = 60.0
"""Seconds after waking in which what fails is taken for a disk that is not back yet."""

PAUSE = 0.5
"""Seconds between two tries."""

SLEPT = 1.0
"""Seconds from which on the computer has slept; less than that is how exactly two clocks are read."""

# What a disk that is not there never answers.
_OTHER = FULL | {errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.EFBIG, errno.EINVAL, errno.EILSEQ}


class Patience:
    """Knows how long the computer has been awake, and waits for its disks.

    Args:
        stop: raises to stop the copy, when it is asked to.
        tell: called with what to say, whenever it waits; and with "" when it does so no more.
        slept: seconds that the computer has spent asleep so far.
        clock: seconds that pass while it is awake.
        pause: waits for so many seconds.
    """

    def __init__(
        self,
        stop: Callable[[], None],
        tell: Callable[[str], None] = lambda text: None,
        *,
        slept: Callable[[], float] = suspended_seconds,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._stop = stop
        self._tell = tell
        self._asleep = slept
        self._clock = clock
        self._pause = pause
        self._slept = slept()
        self._woke_at = float("-inf")

    def look(self) -> None:
        """Notice that the computer has slept; called with each step forward, else it is noticed late."""
        slept = self._asleep()
        if slept - self._slept >= SLEPT:
            self._slept, self._woke_at = slept, self._clock()

    @property
    def woke_just_now(self) -> bool:
        """May a disk still be on its way back?"""
        self.look()
        return self._clock() - self._woke_at < PATIENCE

    def away(self, failed: Exception) -> bool:
        """Is what failed a disk that may come back? Then this has waited a little, and it is tried again.

        Raises what `stop` raises.
        """
        if not _may_be_away(failed) or not self.woke_just_now:
            return False
        self._stop()
        self._tell(", waiting for the disk to come back after the computer slept")
        self._pause(PAUSE)
        self._stop()
        return True

    def until_there(self, look: Callable[[], None]) -> None:
        """Call `look` until it does not raise, or what it raises is no disk that may come back."""
        while True:
            try:
                look()
                return
            except (CopyError, SourceFailed, TargetFailed) as failed:
                if not self.away(failed):
                    raise


def _may_be_away(failed: Exception) -> bool:
    match failed:
        case SourceFailed(error=error) | TargetFailed(error=error):
            return error.errno not in _OTHER
        case OSError():
            return failed.errno not in _OTHER
        case CopyError():
            cause = failed.__cause__
            return not isinstance(cause, OSError) or cause.errno not in FULL
        case _:
            return False
