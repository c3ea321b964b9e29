"""One file copied by hand, as `transfer` has it done, and somebody who watches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stepfast_desktop.workflows.copy_folder.transfer import Job, Pace, settle, sync, write

__all__ = ["MB", "Stop", "Watching", "content", "copy", "stop"]

MB = 1 << 20


class Watching:
    """Counts what it is told, and does something when so many bytes have moved."""

    def __init__(self, at: int = -1, then: Any = None) -> None:
        self.bytes = self.good = 0
        self.checked = 0
        self._at, self._then = at, then

    def moved(self, count: int) -> None:
        self.bytes += count
        if self.bytes >= self._at >= 0:
            self._then()

    def checking(self, done: int, total: int) -> None:
        self.checked = done

    def found(self, count: int) -> None:
        self.good += count


class Stop(BaseException):
    pass


def stop() -> None:
    raise Stop


def copy(job: Job, watch: Any = None, **options: Any) -> str | None:
    watch = watch or Watching()
    written = write(job, watch, Pace(), **options)
    try:
        lost = sync(written, Pace())
        settle(written, watch, verify=True)
    finally:
        written.close()
    return lost


def content(path: str) -> bytes:
    return Path(path).read_bytes()
