"""Where rows stand in the table: of those that were read, asked for or painted, out of a hundred thousand.

Of all of them there would be eight megabytes, and making them would hold up the window's thread for ten
milliseconds and more, also from another one: a `dict` of a whole array is one step of Python's.
"""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Iterator, Set
from typing import Literal

from stepfast import Summary

__all__ = ["Places", "may_move", "places_of", "ranges"]

PIECE = 500
FEW = 4
"""More keys than this are not looked for one by one: each time it may take a millisecond."""


class Places:
    """Of the keys of a table. `put` tells it which they are."""

    def __init__(self) -> None:
        self._keys: array[int] = array("q")
        self._of: dict[int, int | None] = {}

    def put(self, keys: array[int], of: dict[int, int | None]) -> None:
        """These are the keys from now on, and these the places that are known of them (None: not there)."""
        if keys is self._keys:
            self._of.update(of)
        else:
            self._keys, self._of = keys, of

    async def read(self, keys: array[int], rows: Set[int]) -> dict[int, int | None]:
        """What `put` needs to know these rows, of which some may be known already, among keys to come."""
        unknown = rows - self._of.keys() if keys is self._keys else {*rows}
        found = await asyncio.to_thread(places_of, keys, unknown) if unknown else {}
        return {**dict.fromkeys(unknown), **found}

    def see(self, key: int, place: int) -> None:
        """A row stands there."""
        self._of.setdefault(key, place)

    def known(self, key: int) -> int | Literal["nowhere", "unknown"]:
        """The place of a row as far as it is known; nothing is looked for."""
        if key not in self._of:
            return "unknown"
        place = self._of[key]
        return "nowhere" if place is None else place

    def index(self, key: int) -> int | None:
        """The place of a row, if it has one."""
        if key not in self._of:
            try:
                self._of[key] = self._keys.index(key)
            except ValueError:
                self._of[key] = None
        return self._of[key]

    def among(self, keys: Set[int]) -> dict[int, int]:
        """The places of those of these rows that have one, from above."""
        if len(keys) > FEW:
            return places_of(self._keys, keys)
        found = [(place, key) for key in keys if (place := self.index(key)) is not None]
        return {key: place for place, key in sorted(found)}


def places_of(keys: array[int], wanted: Set[int]) -> dict[int, int]:
    """The places of those keys that are wanted and there, from above.

    On another thread, the window's gets its turns between the steps of it.
    """
    found: dict[int, int] = {}
    for start in range(0, len(keys), PIECE):
        piece = keys[start : start + PIECE]
        # What was read lies in pages: most pieces have none of it, and that is seen in half the time.
        if not wanted.isdisjoint(piece):
            found.update((key, place) for place, key in enumerate(piece, start) if key in wanted)
    return found


def may_move(before: Summary, row: Summary) -> bool:
    """Has anything changed that may give a row another place, or none?"""
    return (
        before.state.name != row.state.name
        or before.removed_at != row.removed_at
        or before.started_at != row.started_at
        or (before.priority, before.place) != (row.priority, row.place)
    )


def ranges(indexes: list[int]) -> Iterator[tuple[int, int]]:
    """Neighbouring indexes as ranges, so that many changes are few signals."""
    ordered = sorted(set(indexes))
    start = 0
    for place, index in enumerate(ordered):
        if place + 1 == len(ordered) or ordered[place + 1] != index + 1:
            yield ordered[start], index
            start = place + 1
