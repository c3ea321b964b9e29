"""Settling passes: one, whatever it came to, or several that completed, by few statements for all of them."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, NamedTuple

from stepfast.errors import Fenced
from stepfast.interfaces import Claim, Settlement
from stepfast.sqlite import lone_statements, statements
from stepfast.sqlite.moves.families import after_cancelling, tell_parents
from stepfast.sqlite.rows import failure_text, waits_text
from stepfast.sqlite.writing.calls import Lone, Slots, Together, WriteTurn
from stepfast.state import FINISHED

__all__ = ["Settling"]


class NotAllHeld(Exception):
    """One of several claims does not stand any more."""


class Completed(NamedTuple):
    """A claim whose pass came to a result, without a problem."""

    claim: Claim
    result: str


class Settling:
    """What an engine's calls of `settle` do.

    `limited` has the names of definitions of which others may have been held back, as they become known.
    """

    def __init__(self, limited: Collection[str]) -> None:
        self._limited = limited

    def together(self, claim: Claim, settlement: Settlement) -> Together | None:
        """How it is carried out with others of its kind; None where it is by itself."""
        if settlement.state != "completed" or settlement.result is None or settlement.problems:
            return None
        return Together(self._complete, Completed(claim, settlement.result), lone=self._complete_at_once)

    def settle(self, turn: WriteTurn, claim: Claim, receipt: int, settlement: Settlement) -> str:
        """Settle one; gives the state that it comes to. Raises `Fenced`."""
        row = {
            "workflow": claim.workflow,
            "token": claim.token,
            "receipt": receipt,
            "state": settlement.state,
            "due": settlement.due,
            "waits": waits_text(settlement.waits),
            "problems": len(settlement.problems),
        }
        if not turn.write(statements.SETTLE, {**row, "now": turn.now, "change": turn.number()}):
            raise Fenced(f"workflow {claim.id!r} is held by another pass, or was deleted")
        ((state, name, queue, parent, cleanup),) = turn.execute(statements.SETTLED, row)
        if state in ("completed", "failed"):
            _keep_result(turn, claim, settlement)
        if state == "completed" and settlement.result is not None:
            turn.came_to(claim.workflow, settlement.result)
        _tell_of_end(turn, claim.workflow, state, parent, cleanup)
        # Where there is a limit, others may have been held back by this one.
        made_room = queue is not None or name in self._limited
        turn.changed(claim.workflow, ready=made_room or state in ("queued", "sleeping", "waiting"))
        return str(state)

    def _complete(self, turn: WriteTurn, completed: list[Completed]) -> list[str]:
        """Settle several that completed, each for a third of what it would cost; raises `NotAllHeld`."""
        row = self._row(completed)
        numbered = {**row, "number": turn.numbers(len(completed)), "now": turn.now}
        if turn.write(statements.COMPLETE, numbered) != len(completed):
            raise NotAllHeld
        turn.write(statements.RESULTS, row)
        _tell_of_results(turn, completed)
        ((text,),) = turn.execute(statements.COMPLETED, row)
        for key, made_room, parent, cleanup in json.loads(text):
            if parent is not None or cleanup:
                _tell_of_end(turn, key, "completed", parent, cleanup)
            if made_room:
                turn.changed(key, ready=True)
        return ["completed"] * len(completed)

    def _complete_at_once(self, turn: WriteTurn, completed: list[Completed], _slots: Slots | None) -> Lone:
        """The same by one statement, where nobody else is to be told."""
        turn.numbers(len(completed))
        _tell_of_results(turn, completed)
        row = {**self._row(completed), "now": turn.now, "count": len(completed)}
        return Lone(lone_statements.COMPLETE, row, ["completed"] * len(completed))

    def _row(self, completed: list[Completed]) -> dict[str, Any]:
        return {
            "keys": json.dumps([claim.workflow for claim, _ in completed]),
            "tokens": json.dumps([claim.token for claim, _ in completed]),
            "results": json.dumps([[claim.workflow, result] for claim, result in completed]),
            "limited": json.dumps([*self._limited]),
        }


def _keep_result(turn: WriteTurn, claim: Claim, settlement: Settlement) -> None:
    key = {"workflow": claim.workflow}
    failure = failure_text(settlement.failure)
    turn.write(statements.RESULT, {**key, "result": settlement.result, "failure": failure})
    if settlement.failure is not None:
        turn.execute(statements.FAILED_AT, {**key, "step": settlement.failure.step, "change": turn.number()})
    for position, problem in enumerate(settlement.problems):
        row = {**key, "position": position, "about": problem.about, "message": problem.message}
        turn.execute(statements.PROBLEM, row)


def _tell_of_results(turn: WriteTurn, completed: list[Completed]) -> None:
    turn.changed(*(claim.workflow for claim, _ in completed))
    for claim, result in completed:
        turn.came_to(claim.workflow, result)


def _tell_of_end(turn: WriteTurn, key: int, state: str, parent: int | None, cleanup: bool) -> None:
    """What else follows where a workflow has finished, or was cancelled."""
    if state == "cancelled" or cleanup:
        after_cancelling(turn, [key], tidying=state != "cancelled")
    elif parent is not None and state in FINISHED:
        tell_parents(turn, [key])
