"""Workflows that complete together: few statements for all of them, a third of what each would cost."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import NamedTuple

from stepfast.interfaces import Claim
from stepfast.sqlite import lone_statements, statements
from stepfast.sqlite.moves.families import after_cancelling, tell_parents
from stepfast.sqlite.writing.calls import Lone, WriteTurn
from stepfast.state import FINISHED

__all__ = ["Completed", "NotAllHeld", "complete_at_once", "complete_together", "tell_of_end"]


class NotAllHeld(Exception):
    """One of several claims does not stand any more."""


class Completed(NamedTuple):
    """A claim whose pass came to a result, without a problem."""

    claim: Claim
    result: str


def complete_together(turn: WriteTurn, completed: list[Completed], limited: Collection[str]) -> list[str]:
    """Settle several passes that completed; raises `NotAllHeld`.

    `limited`: names of definitions of which others may have been held back.
    """
    row = {
        "keys": json.dumps([claim.workflow for claim, _ in completed]),
        "tokens": json.dumps([claim.token for claim, _ in completed]),
        "results": json.dumps([[claim.workflow, result] for claim, result in completed]),
        "limited": json.dumps([*limited]),
    }
    numbered = {**row, "number": turn.numbers(len(completed)), "now": turn.now}
    if turn.write(statements.COMPLETE, numbered) != len(completed):
        raise NotAllHeld
    turn.write(statements.RESULTS, row)
    turn.changed(*(claim.workflow for claim, _ in completed))
    for claim, result in completed:
        turn.came_to(claim.workflow, result)
    ((text,),) = turn.execute(statements.COMPLETED, row)
    for key, made_room, parent, cleanup in json.loads(text):
        if parent is not None or cleanup:
            tell_of_end(turn, key, "completed", parent, cleanup)
        if made_room:
            turn.changed(key, ready=True)
    return ["completed"] * len(completed)


def complete_at_once(turn: WriteTurn, completed: list[Completed], limited: Collection[str]) -> Lone:
    """As `complete_together`, by one statement, where nobody is to be told."""
    count = len(completed)
    turn.numbers(count)
    row = {
        "now": turn.now,
        "count": count,
        "keys": json.dumps([claim.workflow for claim, _ in completed]),
        "tokens": json.dumps([claim.token for claim, _ in completed]),
        "results": json.dumps([[claim.workflow, result] for claim, result in completed]),
        "limited": json.dumps([*limited]),
    }
    turn.changed(*(claim.workflow for claim, _ in completed))
    for claim, result in completed:
        turn.came_to(claim.workflow, result)
    return Lone(lone_statements.COMPLETE, row, ["completed"] * count)


def tell_of_end(turn: WriteTurn, key: int, state: str, parent: int | None, cleanup: bool) -> None:
    """What else follows where a workflow has finished, or was cancelled."""
    if state == "cancelled" or cleanup:
        after_cancelling(turn, [key], tidying=state != "cancelled")
    elif parent is not None and state in FINISHED:
        tell_parents(turn, [key])
