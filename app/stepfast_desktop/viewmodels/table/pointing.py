"""The row under the pointer: one that finishes there stays where it is until the pointer leaves it."""

from __future__ import annotations

from array import array

from stepfast import Summary
from stepfast.state import FINISHED

__all__ = ["Pointed"]


class Pointed:
    """What the pointer is over, and whether that row is kept where it was."""

    def __init__(self) -> None:
        self.key: int | None = None
        """The row, if it had not finished when the pointer came to it: others move as they like."""
        self.pinned = False

    def point(self, row: Summary | None) -> bool:
        """The pointer is over this row now, or over none; is there one that may move from now on?"""
        self.key = None if row is None or row.state.name in FINISHED else row.key
        was, self.pinned = self.pinned, False
        return was

    def pin(self, keys: array[int], row: Summary | None, place: int | None) -> tuple[array[int], bool]:
        """The keys with the row where it was, at `place`, if it has finished meanwhile; and is it kept there?

        Args:
            keys: in the order that is to come.
            row: that with `key`, as it is now.
            place: where it is shown now, if it is.
        """
        if row is None or place is None or row.state.name not in FINISHED or row.removed_at is not None:
            return keys, False
        there = keys.index(row.key) if row.key in keys else None
        if there == place:
            return keys, False
        keys = keys[:]
        if there is not None:
            del keys[there]
        keys.insert(place, row.key)
        return keys, True
