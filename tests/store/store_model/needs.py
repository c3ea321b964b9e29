"""What brings about what a move needs."""

from __future__ import annotations

from typing import Any, assert_never

from store_model.asking import Ask, Mark, Wake
from store_model.deleting import Delete
from store_model.moves import ALL, IDS, Begin, Move, Need, Start, Take
from store_model.rows import Model

__all__ = ["what_brings"]


def what_brings(need: Need, seat: int, model: Model) -> Move:
    """The next move towards it; it may have needs of its own."""
    match need:
        case Need.READY:
            return _something_ready(seat, model)
        case Need.CLAIM:
            return Begin(seat=seat, offered=ALL, limit=1)
        case Need.DELIVERY:
            return Take(seat=seat, offered=ALL, limit=1)
        case Need.PAUSED:
            return Ask(seat=seat, id=IDS[0], anyway=False, what="pause")
        case Need.FINISHED:
            return Ask(seat=seat, id=IDS[0], anyway=False, what="cancel")
        case Need.REMOVED:
            return Mark(seat=seat, ids=IDS[:1], undo=False)
        case _:
            assert_never(need)


def _something_ready(seat: int, model: Model) -> Move:
    for priority, id in zip((0, 1, 0, -1), IDS, strict=False):
        if id not in model.flows:
            what: dict[str, Any] = {"version": 1, "input": "1", "after": None, "join": False}
            name = "move" if id == IDS[1] else "copy"
            return Start(seat=seat, id=id, name=name, priority=priority, **what)
    order = ["waiting", "sleeping", "queued", "paused", "failed", "cancelled", "completed", "running"]
    flow = min(model.flows.values(), key=lambda flow: order.index(flow.state))
    match flow.state:
        case "paused":
            return Ask(seat=seat, id=flow.id, anyway=True, what="resume")
        case "failed" | "cancelled":
            return Ask(seat=seat, id=flow.id, anyway=True, what="retry")
        case "completed" | "running":
            return Delete(seat=seat, id=flow.id, anyway=True, forget=True, known=True)
        case _:
            return Wake(seat=seat, id=flow.id, anyway=True)
