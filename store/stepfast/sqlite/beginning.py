"""Beginning passes: what is ready is claimed, few statements for any number of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from stepfast.interfaces import Begun, Checkpoint, Claim, Offered
from stepfast.sqlite import statements
from stepfast.sqlite.checkpointer import read_checkpoint
from stepfast.sqlite.scheduler import ready_keys, room_for
from stepfast.sqlite.writer import WriteTurn

__all__ = ["begin_passes"]

MOST_AT_ONCE = 64  # values of a checkpoint that the thread that writes reads itself


def begin_passes(
    turn: WriteTurn, owner: int, lock: str, offered: Sequence[Offered], limit: int
) -> list[Begun]:
    """Claim up to `limit` of what is ready and offered, in the order in which it is due.

    `lock`: the path of the owner's lock file.
    """
    begun: list[Begun] = []
    ready = ready_keys(turn, offered, limit, room_for(turn, offered))
    for token, key, id, name, version, *rest in _begin(turn, owner, ready):
        receipt, since, cleanup, given, *size = rest
        turn.begins(key)
        checkpoint = _checkpoint(turn, key, *size, alone=len(ready) == 1)
        claim = Claim(key, id, token, lock)
        begun.append(Begun(claim, receipt, name, version, given, since, bool(cleanup), checkpoint))
    return begun


def _begin(turn: WriteTurn, owner: int, ready: Sequence[tuple[int, Offered]]) -> list[tuple[Any, ...]]:
    """Claim what is ready; gives a row of each, in their order."""
    row: dict[str, Any] = {"owner": owner, "now": turn.now, "number": turn.numbers(2 * len(ready))}
    match ready:
        case []:
            return []
        case [(key, offer)]:
            row |= {"workflow": key, "queue": offer.queue}
            turn.write(statements.BEGIN_PASS, row)
            return turn.execute(statements.BEGUN_PASS, row)
    row["ready"] = json.dumps([(key, offer.queue) for key, offer in ready])
    turn.write(statements.BEGIN_PASSES, row)
    return sorted(turn.execute(statements.BEGUN_PASSES, row))


def _checkpoint(
    turn: WriteTurn, key: int, light: bool, values: int, bookmarks: int, *, alone: bool
) -> Checkpoint | None:
    """The checkpoint of one whose pass begins, where reading it here keeps nobody waiting."""
    if not values and not bookmarks:
        return Checkpoint((), (), {})
    if not (alone and light) or values + bookmarks > MOST_AT_ONCE:
        return None
    return read_checkpoint(turn.connection, key)
