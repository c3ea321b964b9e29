"""What a copy came to, batch by batch and as a whole, and the wording of numbers."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CopyReport", "Tally", "counted", "duration", "size"]


@dataclass(frozen=True, slots=True)
class CopyReport:
    """What a copy did.

    A file that was there already, with the same content, is counted in `already_there` and not in
    `files`; one that was there and differs, and was left as it is, in `skipped` and among the `problems`.
    `seconds` is the time spent copying, over all starts, without what a crash threw away.
    """

    files: int
    folders: int
    links: int
    bytes: int
    already_there: int
    skipped: int
    problems: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Tally:
    """What one batch did; two of them add up.

    `done_files` and `done_bytes` are what was planned and needs no more work, whatever came of it.
    `unkept` counts what has its content but not its times or permissions, `why` is the first reason.
    """

    files: int = 0
    folders: int = 0
    links: int = 0
    bytes: int = 0
    already_there: int = 0
    skipped: int = 0
    problems: int = 0
    unkept: int = 0
    why: str = ""
    done_files: int = 0
    done_bytes: int = 0
    seconds: float = 0.0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            files=self.files + other.files,
            folders=self.folders + other.folders,
            links=self.links + other.links,
            bytes=self.bytes + other.bytes,
            already_there=self.already_there + other.already_there,
            skipped=self.skipped + other.skipped,
            problems=self.problems + other.problems,
            unkept=self.unkept + other.unkept,
            why=self.why or other.why,
            done_files=self.done_files + other.done_files,
            done_bytes=self.done_bytes + other.done_bytes,
            seconds=self.seconds + other.seconds,
        )


_UNITS = ("kB", "MB", "GB", "TB", "PB")


def size(count: float, of: float | None = None) -> str:
    """`count` bytes as people read it: "2.1 GB", or with `of` "2.1 of 6.0 GB". Units are of a thousand."""
    unit, scale = "bytes", 1
    for name in _UNITS:
        # What would be shown as 1000.0 is one of the next.
        if (count if of is None else of) < 999.95 * scale:
            break
        unit, scale = name, scale * 1000
    values = (count,) if of is None else (count, of)
    texts = [f"{value / scale:,.1f}" if scale > 1 else f"{value:,.0f}" for value in values]
    return f"{' of '.join(texts)} {unit}"


def counted(count: int, noun: str) -> str:
    """ "1 file", "1,234 files"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def duration(seconds: float) -> str:
    """ "0.4 s", "12 s", "3 min 5 s", "2 h 7 min"."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"
