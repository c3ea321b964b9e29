"""What makes the id of a workflow one of its own, where nobody chose it."""

from __future__ import annotations

import os
from collections.abc import Iterator

__all__ = ["random_ends"]

DRAWN = 256
DIGITS = 8


def random_ends() -> Iterator[str]:
    """Eight digits, again and again; for one loop.

    The first are random, and each that follows is higher by a random step: ids that are made one after the
    other lie beside one another in the index of ids. Random ones dirtied a page each: 120 pages in a commit
    of 128 starts, which are 38 now.
    Many steps are drawn at once: the system is asked without the interpreter's lock. Asked for each of many
    that are started together, the thread that writes would take it, and commit the first of them alone.
    """
    last = int.from_bytes(os.urandom(4), "big")
    while True:
        for step in os.urandom(DRAWN):
            last = (last + 1 + step) % 16**DIGITS
            yield f"{last:0{DIGITS}x}"
