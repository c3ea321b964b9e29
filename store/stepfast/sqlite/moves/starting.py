"""A new workflow: its row, its input, and what it is found by."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from stepfast.finding import findable
from stepfast.interfaces import Begun, Checkpoint, Claim, Started
from stepfast.sqlite import lone_statements, statements
from stepfast.sqlite.writing.calls import Lone, Slots, WriteTurn, is_limited

__all__ = ["New", "add_workflow", "start_at_once", "start_together"]


class New(NamedTuple):
    """A workflow that is to be ready at once, if nobody has the id."""

    id: str
    name: str
    version: int
    priority: int
    input: str
    text: str
    """What it is found by."""


def add_workflow(
    turn: WriteTurn,
    id: str,
    name: str,
    version: int,
    input: str,
    *,
    due: float | None = None,
    priority: int = 0,
    text: str | None = None,
) -> int:
    """Add one under an id that nobody has, ready now or at `due`; returns its key.

    `text` is what it is found by, where the caller has worked that out already.
    """
    row = {"id": id, "name": name, "version": version, "due": due, "priority": priority, "now": turn.now}
    # A key of the counter: SQLite's own choice would give a deleted workflow's key again.
    key = turn.number()
    row |= {"key": key, "receipt": turn.number(), "change": turn.number()}
    turn.write(statements.START, row)
    turn.write(statements.KEEP_INPUT, {"workflow": key, "input": input})
    found_by = findable(id, name) if text is None else text
    turn.write(statements.KEEP_FINDABLE, {"workflow": key, "text": found_by})
    turn.changed(key, ready=True)
    return key


def start_together(turn: WriteTurn, new: list[New]) -> list[Started]:
    """Add several of one definition and priority; fails with all of them where somebody has an id of them."""
    number = turn.numbers(3 * len(new))
    row = {**_row(turn, new), "number": number}
    for statement in (statements.START_MANY, statements.KEEP_INPUTS, statements.KEEP_FINDABLES):
        turn.write(statement, row)
    return _started(turn, new, range(number + 1, number + 1 + 3 * len(new), 3))


def start_at_once(turn: WriteTurn, new: list[New], slots: Slots | None) -> Lone | None:
    """As `start_together`, by one statement, which also begins as many of them as there are slots."""
    _, name, version, *_ = new[0]
    number = turn.numbers(4 * len(new))
    keys = range(number + 1, number + 1 + 4 * len(new), 4)
    row = _row(turn, new)
    if slots is None:
        row |= {"owner": None, "queue": None, "offered": "[]", "slots": 0}
        return Lone(lone_statements.START, row, _started(turn, new, keys))
    offer = next((each for each in slots.offered if (each.name, each.version) == (name, version)), None)
    if offer is not None and is_limited(offer):
        return None
    most, queue = (0, None) if offer is None else (slots.limit, offer.queue)
    slots.begun[:] = (
        Begun(
            Claim(key, each.id, key + 3, slots.lock),
            key + 1,
            name,
            version,
            each.input,
            turn.now,
            checkpoint=Checkpoint((), (), {}),
        )
        for key, each in zip(keys[:most], new, strict=False)
    )
    row |= {"owner": slots.owner, "queue": queue, "offered": slots.text, "slots": most}
    return Lone(lone_statements.START, row, _started(turn, new, keys))


def _row(turn: WriteTurn, new: list[New]) -> dict[str, Any]:
    _, name, version, priority, _, _ = new[0]
    return {
        "now": turn.now,
        "name": name,
        "version": version,
        "priority": priority,
        "ids": json.dumps([each.id for each in new]),
        "inputs": json.dumps([each.input for each in new]),
        "texts": json.dumps([each.text for each in new]),
    }


def _started(turn: WriteTurn, new: list[New], keys: range) -> list[Started]:
    turn.changed(*keys, ready=True)
    return [Started(key, each.id, created=True) for key, each in zip(keys, new, strict=True)]
