"""Putting queued workflows elsewhere in the queue: one commit, however many are moved."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Sequence

from stepfast.placing import Where, check_where, spread
from stepfast.sqlite.moves.asking import left
from stepfast.sqlite.store import Store
from stepfast.sqlite.writing.writer import WriteTurn
from stepfast.views import Bulk

__all__ = ["line_up"]

# How many in front are moved up where there is no room: none, a few, or all.
IN_FRONT = (0, 200, 2**31)

MOVED = """
SELECT key, priority FROM stepfast_workflows
 WHERE key IN (SELECT value FROM json_each(:keys)) AND state = 'queued' ORDER BY priority DESC, place, key
"""
_OTHERS = "state = 'queued' AND key NOT IN (SELECT value FROM json_each(:moved))"
ENDS = f"SELECT max(priority), min(priority) FROM stepfast_workflows WHERE {_OTHERS}"
BESIDE = f"SELECT priority, place FROM stepfast_workflows WHERE key = :other AND {_OTHERS}"
# Two may have one place, if they had different priorities before: the key decides then, here as elsewhere.
NEXT = f"""
SELECT place, key FROM stepfast_workflows
 WHERE {_OTHERS} AND priority = :priority AND (:place IS NULL OR (place, key) > (:place, :other))
 ORDER BY place, key LIMIT 1
"""
FRONT = f"""
SELECT key, place FROM stepfast_workflows
 WHERE {_OTHERS} AND priority = :priority AND (place, key) < (:before, :next)
 ORDER BY place DESC, key DESC LIMIT :limit
"""
PUT = """
UPDATE stepfast_workflows SET priority = :priority, place = :place, change = :change WHERE key = :key
"""


async def line_up(store: Store, keys: Sequence[int], where: Where, other: int | None) -> Bulk:
    """`Durable.line_up`."""
    check_where(where, keys, other)
    asked = [*dict.fromkeys(keys)]

    def act(turn: WriteTurn) -> Bulk:
        moved = [key for key, _ in turn.execute(MOVED, {"keys": json.dumps(asked)})]
        reasons = left(turn, "line up", [key for key in asked if key not in set(moved)])
        if not moved:
            return Bulk(left=dict(reasons))
        found = _before(turn, moved, where, other)
        if found is None:
            return Bulk(left=dict(reasons + Counter({"changed": len(moved)})))
        priority, places = found
        for key, place in places.items():
            turn.execute(PUT, {"key": key, "priority": priority, "place": place, "change": turn.number()})
            turn.changed(key, urgent=False)
        return Bulk(array("q", moved), left=dict(reasons))

    return await store.writer.do(act)


def _before(
    turn: WriteTurn, moved: list[int], where: Where, other: int | None
) -> tuple[int, dict[int, int]] | None:
    """The priority that they get, and the places of all that move; None where `other` is queued no more."""
    row: dict[str, object] = {"moved": json.dumps(moved), "other": other, "place": None}
    priority: int
    behind: list[tuple[int, int]] = []  # the place and key of the one behind them
    if other is not None:
        beside = turn.execute(BESIDE, row)
        if not beside:
            return None
        ((priority, place),) = beside
        row |= {"priority": priority, "place": place}
        behind = [(place, other)] if where == "before" else turn.execute(NEXT, row)
    else:
        ((highest, lowest),) = turn.execute(ENDS, row)
        own = [each for _, each in turn.execute(MOVED, {"keys": row["moved"]})]
        ends = [each for each in (highest, lowest, *own) if each is not None]
        priority = max(ends) if where == "first" else min(ends)
        row["priority"] = priority
        if where == "first":
            behind = turn.execute(NEXT, row)
    if not behind:
        return priority, {key: turn.number() for key in moved}
    ((before, next),) = behind
    return priority, _make_room(turn, row | {"before": before, "next": next}, moved, before)


def _make_room(turn: WriteTurn, row: dict[str, object], moved: list[int], before: int) -> dict[int, int]:
    for most in IN_FRONT:
        front = turn.execute(FRONT, {**row, "limit": most + 1})
        behind = front.pop()[1] if len(front) > most else None
        places = spread([*(key for key, _ in reversed(front)), *moved], before, behind)
        if places is not None:
            return places
    raise AssertionError("in front of all there is room")
