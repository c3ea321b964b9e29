"""How the C library keeps memory that was given back to it: in one place, and large blocks not at all.

Lists of a hundred thousand keys, pages of the file and what Qt draws in are taken and given back all day, on
several threads. By default, GNU's has an arena for each thread, of which none uses what is free in another,
and each large block that is given back raises the size from which on blocks go back to the system at once.
Over 43,000 changes a window came to hold 17 MB more, of which it used one (measured); with what is set here
5 MB, and 8 less from the first.
"""

from __future__ import annotations

import sys

__all__ = ["give_memory_back"]

# Of malloc.h.
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8
LARGE = 128 * 1024
"""Bytes from which on a block goes back to the system: as at first, before one has raised it."""


def give_memory_back() -> None:
    """Let the C library do so from now on; to be called while there is one thread: each keeps what it has."""
    if sys.platform != "linux":
        return
    import ctypes

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except AttributeError:
        return  # another C library
    mallopt(M_ARENA_MAX, 1)
    mallopt(M_MMAP_THRESHOLD, LARGE)
