"""Arrays of keys: from the texts in which SQLite hands them over, and sifted by one another.

All of it is done in pieces, between which the interpreter's lock is let go: of 100,000 keys, each step here
would else hold up every other thread for ten milliseconds.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import filterfalse

__all__ = ["FEW", "among", "from_text", "sifted", "with_changes", "without"]

PIECE = 5_000  # keys, about, that are looked at without letting go of the interpreter's lock
FEW = 16
"""Keys are few beside so many times as many: they are looked up one by one, where those are ascending."""


def from_text(text: str | None) -> array[int]:
    """The keys in a text of them, with or without the brackets of JSON."""
    keys = array("q")
    text = (text or "").strip("[]")
    start = 0
    while start < len(text):
        end = text.find(",", start + 8 * PIECE)
        end = len(text) if end < 0 else end
        keys += array("q", json.loads(f"[{text[start:end]}]"))
        start = end + 1
    return keys


def sifted(keys: array[int], others: array[int], *, wanted: bool) -> array[int]:
    """Those of `keys` that are among the others, or are not where they are not `wanted`; in their order."""
    found: set[int] = set()
    for piece in _pieces(others):
        found.update(piece)
    passes, left = found.__contains__, array("q")
    for piece in _pieces(keys):
        left.extend(filter(passes, piece) if wanted else filterfalse(passes, piece))
    return left


def among(keys: array[int], others: array[int]) -> array[int]:
    """Those of ascending keys that are among the others, which ascend too."""
    few, many = sorted((keys, others), key=len)
    if len(few) * FEW > len(many):
        return sifted(many, few, wanted=True)
    return array("q", (each for each in few if _is_there(many, each, bisect_left(many, each))))


def without(keys: array[int], others: array[int]) -> array[int]:
    """Those of ascending keys that are not among the others, which ascend too."""
    if not others:
        return keys
    if len(others) * FEW > len(keys):
        return sifted(keys, others, wanted=False)
    left, done = array("q"), 0
    for each in others:
        place = bisect_left(keys, each, done)
        if _is_there(keys, each, place):
            left += keys[done:place]
            done = place + 1
    return left + keys[done:]


def with_changes(keys: array[int], changes: Iterable[tuple[int, bool]]) -> array[int]:
    """Ascending keys with those that belong to them by now, and without those that do not any more."""
    changed = keys
    for key, belongs in changes:
        place = bisect_left(changed, key)
        if _is_there(changed, key, place) is not belongs:
            if changed is keys:
                changed = keys[:]  # others may be reading it
            if belongs:
                changed.insert(place, key)
            else:
                del changed[place]
    return changed


def _is_there(keys: array[int], key: int, place: int) -> bool:
    return place < len(keys) and keys[place] == key


def _pieces(keys: array[int]) -> Iterator[array[int]]:
    return (keys[start : start + PIECE] for start in range(0, len(keys), PIECE))
