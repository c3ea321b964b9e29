"""Putting queued workflows of a memory store elsewhere in the queue."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence

from stepfast.memory.rows import Memory, Row
from stepfast.placing import Where, check_where, spread
from stepfast.views import Bulk

__all__ = ["line_up"]


def line_up(memory: Memory, keys: Sequence[int], where: Where, other: int | None) -> tuple[Bulk, list[Row]]:
    """Do it; returns what came of it, and the rows that changed."""
    check_where(where, keys, other)
    asked = [*dict.fromkeys(keys)]
    moved = sorted(
        (row for key in asked if (row := memory.rows.get(key)) is not None and row.state == "queued"),
        key=_order,
    )
    left = Counter("gone" if key not in memory.rows else memory.rows[key].state for key in asked)
    left["queued"] -= len(moved)
    others = [row for row in memory.rows.values() if row.state == "queued" and row not in moved]
    beside = next((row for row in others if row.key == other), None)
    if not moved or (other is not None and beside is None):
        return Bulk(left=dict(+(left + Counter({"changed": len(moved)})))), []
    if beside is not None:
        priority = beside.priority
    else:
        ends = [row.priority for row in (*moved, *others)]
        priority = max(ends) if where == "first" else min(ends)
    peers = sorted((row for row in others if row.priority == priority), key=_order)
    at = len(peers) if where == "last" else 0
    if beside is not None:
        at = peers.index(beside) + (where == "after")
    changed = [*moved]
    if at == len(peers):
        places = {row.key: memory.next() for row in moved}
    else:
        front, before = peers[:at], peers[at].place
        behind = front[-1].place if front else None
        room = spread([row.key for row in moved], before, behind)
        if room is None:
            changed = [*front, *moved]
            room = spread([row.key for row in changed], before)
        places = room or {}
    for row in moved:
        row.priority = priority
    for row in changed:
        row.place = places[row.key]
        memory.touch(row)
    return Bulk(array("q", [row.key for row in moved]), left=dict(+left)), changed


def _order(row: Row) -> tuple[int, int, int]:
    return (-row.priority, row.place, row.key)
