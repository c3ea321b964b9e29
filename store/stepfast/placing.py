"""Where in the queue a workflow is put, and the numbers of the places that it takes.

What is ready goes by priority, and by its place among equals. Places are whole numbers, and the next one
behind all others is the next of the store's counter; so there may be no number left between two neighbours.
Then the nearest few in front are moved up a little, and all of them where that does not do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from stepfast.errors import InvalidInput

__all__ = ["Where", "check_where", "spread"]

Where: TypeAlias = Literal["first", "last", "before", "after"]
STEP = 1024  # left between two that come before all others


def check_where(where: str, keys: Sequence[int], other: int | None) -> None:
    """Raise `InvalidInput` for what is no place in the queue."""
    if where not in get_args(Where):
        raise InvalidInput(f"{where!r} is no place in the queue; there are {', '.join(get_args(Where))}")
    if (other is None) != (where in ("first", "last")):
        raise InvalidInput(f"{where!r} needs {'no' if other is not None else 'an'} other workflow beside it")
    if other in keys:
        raise InvalidInput("a workflow cannot be put beside itself")


def spread(keys: Sequence[int], before: int, behind: int | None = None) -> dict[int, int] | None:
    """Places for `keys`, in their order, in front of the place `before`.

    Args:
        keys: of those that get a place.
        before: the place in front of which all of them come.
        behind: the place behind which they come; None where nothing is in front of them.

    Returns:
        the place of each; None where there is no room.
    """
    if behind is None:
        return {key: before - STEP * (len(keys) - at) for at, key in enumerate(keys)}
    if before - behind <= len(keys):
        return None
    return {key: behind + (at + 1) * (before - behind) // (len(keys) + 1) for at, key in enumerate(keys)}
