"""The digests of a file as it is copied, and the mark that tells how far a large one has come."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["CHUNK", "PIECE", "Digests", "Mark", "Stamp"]

CHUNK = 1 << 20
"""Bytes read and written at once, and the most that is done after a person asked to stop."""

PIECE = 64 * CHUNK
"""Bytes that share one digest; a file as large as this has a batch of its own."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What shows that a file was changed: its size in bytes, and its time in ns."""

    size: int
    mtime_ns: int

    @classmethod
    def of(cls, found: os.stat_result) -> Stamp:
        return cls(found.st_size, found.st_mtime_ns)


class Digests:
    """A digest of each `PIECE` of what was fed, and of the rest; how it was cut into chunks is the same."""

    def __init__(self) -> None:
        self.length = 0
        self._pieces: list[str] = []
        self._rest = _new()

    def feed(self, chunk: bytes) -> None:
        view = memoryview(chunk)
        while view:
            room = PIECE - self.length % PIECE
            part, view = view[:room], view[room:]
            self._rest.update(part)
            self.length += len(part)
            if len(part) == room:
                self._pieces.append(self._rest.hexdigest())
                self._rest = _new()

    def extend(self, piece: Digests) -> None:
        """Add one piece that was fed elsewhere; only the last may be shorter than `PIECE`."""
        self._pieces += piece._pieces
        self._rest = piece._rest
        self.length += piece.length

    def all(self) -> list[str]:
        """One digest a piece; two of equal content are equal."""
        return [*self._pieces, self._rest.hexdigest()] if self.length % PIECE else list(self._pieces)


@dataclass(frozen=True, slots=True)
class Mark:
    """How far the copy of a large file has come: `length` bytes, on disk, with a digest for each piece.

    `stamp` is the source's as it was; a mark of a file that changed is worth nothing.
    """

    stamp: Stamp
    length: int
    digests: tuple[str, ...]

    @classmethod
    def of(cls, stamp: Stamp, digests: Digests) -> Mark:
        return cls(stamp, digests.length, tuple(digests.all()))

    def spans(self) -> Iterator[tuple[str, int]]:
        """Each digest with the number of bytes that it is of."""
        for number, digest in enumerate(self.digests):
            yield digest, min(PIECE, self.length - number * PIECE)

    def as_value(self, position: int) -> dict[str, object]:
        """As a bookmark keeps it, for the file at `position` of the plan."""
        return {
            "position": position,
            "size": self.stamp.size,
            "mtime_ns": self.stamp.mtime_ns,
            "length": self.length,
            "digests": list(self.digests),
        }

    @classmethod
    def from_value(cls, value: object, position: int) -> Mark | None:
        """The mark of the file at `position`; None where the bookmark is of another, or of none."""
        match value:
            case {
                "position": number,
                "size": int(size),
                "mtime_ns": int(mtime_ns),
                "length": int(length),
                "digests": list(digests),
            } if number == position:
                return cls(Stamp(size, mtime_ns), length, tuple(str(digest) for digest in digests))
            case _:
                return None


def _new() -> hashlib.blake2b:
    # 16 bytes tell damage apart as surely as 64, and the digests of a terabyte are half a megabyte.
    return hashlib.blake2b(digest_size=16)
