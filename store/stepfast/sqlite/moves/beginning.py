"""Beginning passes: what is ready is claimed, few statements for any number of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from stepfast.interfaces import Begun, Checkpoint, Claim, Offered
from stepfast.sqlite import statements
from stepfast.sqlite.checkpointer import read_checkpoint
from stepfast.sqlite.scheduler import ready_keys, room_for
from stepfast.sqlite.writing.writer import WriteTurn

__all__ = ["begin_passes"]

GIVEN = 8  # the place of the input in a row of what began
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
        claim = Claim(key, id, token, lock)
        checkpoint = _checkpoint(turn, key, *size)
        begun.append(Begun(claim, receipt, name, version, given, since, bool(cleanup), checkpoint))
    turn.begins(*(each.claim.workflow for each in begun))
    return begun


def _begin(turn: WriteTurn, owner: int, ready: Sequence[tuple[int, Offered]]) -> list[Sequence[Any]]:
    """Claim what is ready; gives a row of each, in their order."""
    row: dict[str, Any] = {"owner": owner, "now": turn.now}
    if len(ready) == 1:
        ((key, offer),) = ready
        row |= {"workflow": key, "queue": offer.queue, "number": turn.numbers(2)}
        turn.write(statements.BEGIN_PASS, row)
        return [*turn.execute(statements.BEGUN_PASS, row)]
    by_queue: dict[str | None, list[int]] = {}
    for key, offer in ready:
        by_queue.setdefault(offer.queue, []).append(key)
    begun: list[list[Any]] = []
    for queue, keys in by_queue.items():
        row |= {"keys": json.dumps(keys), "queue": queue, "number": turn.numbers(2 * len(keys))}
        turn.write(statements.BEGIN_PASSES, row)
        ((text,),) = turn.execute(statements.BEGUN_PASSES, row)
        begun += json.loads(text)
    for each in begun:
        if each[GIVEN] is None:
            ((each[GIVEN], *_),) = turn.execute(statements.PAYLOAD, {"workflow": each[1]})
    places = {key: place for place, (key, _) in enumerate(ready)}
    return sorted(begun, key=lambda each: places[each[1]])


def _checkpoint(turn: WriteTurn, key: int, light: bool, values: int) -> Checkpoint | None:
    """The checkpoint of one whose pass begins, where reading it here keeps nobody waiting."""
    if not values:
        return Checkpoint((), (), {})
    if not light or values > MOST_AT_ONCE:
        return None
    return read_checkpoint(turn.connection, key)
