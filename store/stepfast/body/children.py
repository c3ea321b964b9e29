"""What a parent keeps of a child: the child's id, and how it ended, as the text of a record.

The record of kind `child` is a JSON array: `["completed", <result>]`, `["failed", [type, message, traceback,
step]]` or `["cancelled"]`. It is a copy, so that a parent replays what it saw whatever becomes of the child.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from stepfast.errors import ChildCancelled, ChildFailed, InvalidInput
from stepfast.values.shapes import decode_as

if TYPE_CHECKING:
    from stepfast.passes.outcome import Failure

__all__ = [
    "COMPLETED",
    "LONGEST_ID",
    "MANY",
    "check_id",
    "child_id",
    "outcome_text",
    "pause_before_waking",
    "result_of",
]

LONGEST_ID = 200
COMPLETED = '["completed",'
FEW, MANY = 64, 1000


def pause_before_waking(pending: int) -> float:
    """Seconds in which ends of other children gather before a parent is woken that has so many pending.

    Each pass of a parent goes by all its children. A pass for each end would make a thousand children cost a
    million, which is half a minute; where only a few are left, the parent is woken at once.
    """
    return 0.0 if pending < FEW else min(pending, MANY) / MANY


def check_id(id: object) -> None:
    """Raise `InvalidInput` for what can be no workflow's id."""
    if not isinstance(id, str) or not 1 <= len(id) <= LONGEST_ID or not id.isprintable():
        raise InvalidInput(f"an id is 1 to {LONGEST_ID} printable characters, and {id!r} is not")


def child_id(parent: str, name: str) -> str:
    """The id of the child `name` of the workflow `parent`; raises `InvalidInput` where it can be none."""
    id = f"{parent}/{name}"
    if len(id) > LONGEST_ID:
        raise InvalidInput(
            f"the child {name!r} of {parent!r} would have an id of {len(id)} characters, since a child's is "
            f"its parent's, a slash and its name; {LONGEST_ID} is the most, so use a shorter name, or start "
            "the parent with a shorter id"
        )
    if not name or not name.isprintable():
        raise InvalidInput(
            f"{name!r} cannot name a child: its id is its parent's, a slash and its name, and an id is 1 to "
            f"{LONGEST_ID} printable characters"
        )
    return id


def outcome_text(state: str, result: str | None, failure: Failure | None) -> str:
    """How a child ended, for its parent's record. `state` is a finished one, `result` its stored text."""
    match state:
        case "completed":
            return f"{COMPLETED}{result or 'null'}]"
        case "failed" if failure is not None:
            row = [failure.type, failure.message, failure.traceback, failure.step]
            return json.dumps(["failed", row])
        case "failed":
            return json.dumps(["failed", ["Exception", "", "", None]])
        case _:
            return '["cancelled"]'


def result_of(text: str, id: str, returns: Any) -> Any:
    """What the child with this id returned, from `outcome_text`.

    `returns` is what its definition returns. Raises `ChildFailed` or `ChildCancelled` where it did not.
    """
    if text.startswith(COMPLETED):
        return decode_as(text[len(COMPLETED) : -1], returns, about=f"the result of workflow {id!r}")
    match json.loads(text):
        case ["failed", [kind, message, traceback, step]]:
            from stepfast.passes.outcome import Failure

            raise ChildFailed(id, Failure(kind, message, traceback, step))
        case _:
            raise ChildCancelled(id)
