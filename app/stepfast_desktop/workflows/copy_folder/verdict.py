"""Is it one item, or the whole disk? What the system refused becomes a problem, or ends the step."""

from __future__ import annotations

import errno
import shutil
from contextlib import suppress

from stepfast_desktop.workflows.copy_folder.errors import (
    FULL,
    GONE,
    CopyError,
    MaybeAway,
    Refused,
    SourceFailed,
    TargetFailed,
    reason,
)
from stepfast_desktop.workflows.copy_folder.places import Places
from stepfast_desktop.workflows.copy_folder.report import size

__all__ = ["ERRORS_IN_A_ROW", "Failed", "Judge"]

Failed = Refused | SourceFailed | TargetFailed

ERRORS_IN_A_ROW = 20
"""After so many files that a disk failed to read, one after another, it is the disk and not the files."""


class Judge:
    """Looks at the two folders whenever something failed, and remembers what failed just before."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._in_a_row = 0
        self.full = False  # the destination takes no more

    def went_well(self) -> None:
        self._in_a_row = 0

    def problem(self, failed: Failed, missing: float) -> str:
        """The problem of the item that failed.

        Args:
            missing: bytes that the destination still has to take, for what to say when it is full.

        Raises:
            CopyError: it is not this item; every other would fail as well.
        """
        if isinstance(failed, Refused):
            return str(failed)
        if isinstance(failed, SourceFailed):
            return self._source(failed.error)
        return self._target(failed.error, missing)

    def _source(self, error: OSError) -> str:
        self._places.require_source()
        self._in_a_row = self._in_a_row + 1 if error.errno == errno.EIO else 0
        if error.errno in GONE or self._in_a_row >= ERRORS_IN_A_ROW:
            raise MaybeAway(
                f"The source {self._places.shown_source} cannot be read any more: {reason(error)}. Connect "
                "its disk and `retry`; what was copied is kept."
            ) from error
        return f"could not be read: {reason(error)}"

    def _target(self, error: OSError, missing: float) -> str:
        shown = self._places.shown_destination
        if error.errno in FULL:
            self.full, free = True, 0
            # A quota leaves less than what the disk has free.
            if error.errno == errno.ENOSPC:
                with suppress(OSError):
                    free = shutil.disk_usage(self._places.destination).free
            more = size(max(missing - free, 1_000_000))
            raise CopyError(
                f"The destination is full: {shown} has no room for the rest. Free {more} more there and "
                "`retry`; what was copied is kept, and it goes on from there."
            ) from error
        self._places.require_destination()
        if error.errno == errno.EROFS:
            raise CopyError(
                f"The destination {shown} has become read-only, as the system does when a disk has errors. "
                "Make it writable and `retry`; what was copied is kept."
            ) from error
        if error.errno in GONE or error.errno == errno.EIO:
            raise MaybeAway(
                f"The destination {shown} fails: {reason(error)}. Look after that disk, or connect it again, "
                "and `retry`; what was copied is kept."
            ) from error
        return f"could not be written: {reason(error)}"
