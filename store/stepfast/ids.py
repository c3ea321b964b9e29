"""What makes the id of a workflow one of its own, where nobody chose it."""

from __future__ import annotations

import os
from collections.abc import Iterator

__all__ = ["random_ends"]

DRAWN = 64


def random_ends() -> Iterator[str]:
    """Eight random digits, again and again; for one loop.

    Many are drawn at once: the system is asked without the interpreter's lock. Asked for each of many that
    are started together, the thread that writes would take it, and commit the first of them alone.
    """
    while True:
        drawn = os.urandom(4 * DRAWN).hex()
        yield from (drawn[at : at + 8] for at in range(0, len(drawn), 8))
