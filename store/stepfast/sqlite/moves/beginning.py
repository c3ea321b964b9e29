"""Beginning passes: what is ready is claimed, few statements for any number of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from stepfast.interfaces import Begun, Checkpoint, Claim, Offered
from stepfast.sqlite import statements
from stepfast.sqlite.checkpointer import as_checkpoint
from stepfast.sqlite.scheduler import ready_keys, room_for
from stepfast.sqlite.writing.writer import WriteTurn

__all__ = ["begin_passes"]

GIVEN = 8  # the place of the input in a row of what began


def begin_passes(
    turn: WriteTurn, owner: int, lock: str, offered: Sequence[Offered], limit: int
) -> list[Begun]:
    """Claim up to `limit` of what is ready and offered, in the order in which it is due.

    `lock`: the path of the owner's lock file.
    """
    begun = _begin(turn, owner, lock, ready_keys(turn, offered, limit, room_for(turn, offered)))
    turn.begins(*(each.claim.workflow for each in begun))
    return begun


def _as_begun(row: Sequence[Any], lock: str, checkpoint: Checkpoint | None) -> Begun:
    token, key, id, name, version, receipt, since, cleanup, given = row
    return Begun(Claim(key, id, token, lock), receipt, name, version, given, since, bool(cleanup), checkpoint)


def _begin(turn: WriteTurn, owner: int, lock: str, ready: Sequence[tuple[int, Offered]]) -> list[Begun]:
    """Claim what is ready; gives what began, in the same order."""
    row: dict[str, Any] = {"owner": owner, "now": turn.now}
    if len(ready) == 1:
        ((key, offer),) = ready
        row |= {"workflow": key, "queue": offer.queue, "number": turn.numbers(2)}
        turn.write(statements.BEGIN_PASS, row)
        ((text,),) = turn.execute(statements.BEGUN_PASS, row)
        *one, values = json.loads(text)
        return [_as_begun(one, lock, None if values is None else as_checkpoint(*values))]
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
    begun.sort(key=lambda each: places[each[1]])
    # Of many, those that have a checkpoint read it elsewhere.
    return [_as_begun(one, lock, None if values else Checkpoint((), (), {})) for *one, values in begun]
