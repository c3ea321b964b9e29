"""How far the copy is, for `run.progress`: bytes and files done, and the rate since this start."""

from __future__ import annotations

import time
from collections.abc import Callable

from stepfast_desktop.workflows.copy_folder.report import size

__all__ = ["Meter"]

EVERY = 0.25
"""Seconds between two reports; the engine writes no more than that."""


class Meter:
    """Counts what the copying thread does, on top of what the recorded steps did.

    Args:
        report: `run.progress`.
        files, total: what was planned, in files and bytes.
        weight: what one byte moved counts; 1/2 where each is moved twice, once there and once read back,
            so that the last file is not shown as done while it is being verified.
        clock: seconds that only rise.
    """

    def __init__(
        self,
        report: Callable[[float, float | None, str], None],
        files: int,
        total: int,
        *,
        weight: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._report = report
        self._files, self._total = files, total
        self._weight = weight
        self._clock = clock
        self._done_files, self._done_bytes = 0, 0
        self._under_way: dict[int, float] = {}
        self._began: float | None = None
        self._free = 0.0
        self._reported = 0.0

    @property
    def undone(self) -> float:
        """Bytes of all files that are not done, those under way included."""
        return self._total - self._done_bytes

    def begin(self, files: int, done: int) -> None:
        """A batch begins after so many files and bytes were done and recorded."""
        self._done_files, self._done_bytes = files, done
        self._under_way.clear()
        if self._began is None:
            self._began, self._free = self._clock(), done
        self.tell()

    def moved(self, item: int, count: int, most: int) -> None:
        """So many bytes more of `item` were moved; it is planned with `most` bytes."""
        self._under_way[item] = min(self._under_way.get(item, 0.0) + count * self._weight, most)
        self._tell_now_and_then()

    def checking(self, done: int, total: int) -> None:
        """What an earlier start wrote of a file is read back, before the rest is copied."""
        self._tell_now_and_then(f", checking what is there: {size(done, total)}")

    def found(self, item: int, count: int) -> None:
        """An earlier start had copied so much of `item`: done, but not at today's rate."""
        done = count * self._weight
        self._under_way[item] = done
        self._free += done

    def restart(self, item: int) -> None:
        """`item` is copied once more, from its beginning."""
        self._under_way.pop(item, None)

    def finish(self, item: int, files: int, done: int) -> None:
        """Nothing is left to do for `item`, which was planned as so many files and bytes."""
        self._under_way.pop(item, None)
        self._done_files += files
        self._done_bytes += done
        self._tell_now_and_then()

    def waits(self, text: str) -> None:
        """Nothing goes on, and `text` says why."""
        self._report(self._now(), self._total or None, text)

    def tell(self, more: str = "") -> None:
        now, done = self._clock(), self._now()
        self._reported = now
        text = f"{self._done_files:,} of {self._files:,} files"
        if self._total:
            text += f", {size(done, self._total)}"
        passed = now - self._began if self._began is not None else 0.0
        if passed >= 1 and done > self._free:
            text += f", {size((done - self._free) / passed)}/s"
        self._report(done, self._total or None, text + more)

    def _tell_now_and_then(self, more: str = "") -> None:
        if self._clock() - self._reported >= EVERY:
            self.tell(more)

    def _now(self) -> float:
        return self._done_bytes + sum(self._under_way.values())
