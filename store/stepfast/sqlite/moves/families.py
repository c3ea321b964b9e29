"""Parents and children: starting a child, telling its parent how it ended, and whose children are cancelled.

Each is part of the commit of what led to it: a child is there together with its mark in the parent's
checkpoint, and it ends together with its outcome there and the parent's wakeup. So a crash at any point
leaves a parent that waits for a child that is there, or one that has its outcome and is awake.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from stepfast.body.children import MANY, outcome_text, pause_before_waking
from stepfast.errors import AlreadyStarted, Fenced
from stepfast.finding import findable
from stepfast.interfaces import Claim, Kind
from stepfast.passes.tidying import PREFIX
from stepfast.sqlite import statements
from stepfast.sqlite.rows import failure_from
from stepfast.sqlite.writing.writer import WriteTurn
from stepfast.state import FINISHED

__all__ = [
    "after_cancelling",
    "begin_anew",
    "children_to_mark",
    "failed_children",
    "start_child",
    "tell_parents",
]

# Runs one statement on the connection whose transaction is open.
Execute = Callable[..., list[tuple[Any, ...]]]

LARGE = 64 * 1024  # characters, as for other values of a checkpoint

FIND_CHILD = """
SELECT w.key, w.state, w.parent, w.name, p.input FROM stepfast_workflows w
  JOIN stepfast_payloads p ON p.workflow = w.key WHERE w.id = :id
"""
# As urgent as its parent: one that went first would otherwise wait for what goes last.
START_CHILD = """
INSERT INTO stepfast_workflows (key, id, name, version, state, priority, place, receipt, created_at, change,
                                parent)
SELECT :key, :id, :definition, :version, 'queued', priority, :receipt, :receipt, :now, :change, key
  FROM stepfast_workflows WHERE key = :workflow AND token = :token
"""
KEEP = """
INSERT INTO stepfast_records (workflow, kind, name, position, value, started_at, recorded_at, attempts)
VALUES (:workflow, :kind, :name, :position, :value, :started_at, :now, 1)
ON CONFLICT (workflow, kind, name) DO NOTHING RETURNING 1
"""
KEPT = "SELECT value FROM stepfast_records WHERE workflow = :workflow AND kind = 'child' AND name = :name"
# A parent that is being cancelled is not told: its pass would take that for a failure of its own. One that
# tidies up waits for the children of that pass alone. What is deleted before it has finished was cancelled.
TO_BE_TOLD = """
SELECT p.key, substr(c.id, length(p.id) + 2),
       CASE WHEN c.finished_at IS NULL THEN 'cancelled' ELSE c.state END,
       coalesce(c.started_at, c.created_at), result, failure
  FROM stepfast_workflows c
  JOIN stepfast_workflows p ON p.key = c.parent
  LEFT JOIN stepfast_payloads l ON l.workflow = c.key
 WHERE c.key IN (SELECT value FROM json_each(:keys))
   AND (c.finished_at IS NOT NULL OR :deleted)
   AND p.finished_at IS NULL AND p.intent IS NOT 'cancel'
   AND (p.cleanup = 0 OR substr(c.id, length(p.id) + 2, length(:prefix)) = :prefix)
 ORDER BY c.key
"""
PENDING = """
SELECT count(*) FROM (SELECT 1 FROM stepfast_workflows
                       WHERE parent = :parent AND finished_at IS NULL LIMIT :most)
"""
# Only one that waits can be woken later: a pass that runs has to learn of it while it does.
WAKE_LATER = """
UPDATE stepfast_workflows SET due = min(coalesce(due, :due), :due), change = :change
 WHERE key = :key AND state = 'waiting'
RETURNING due
"""
CHILDREN = """
SELECT json_group_array(key) FROM stepfast_workflows
 WHERE parent IN (SELECT value FROM json_each(:keys)) AND {which}
"""
# But for those that a pass which tidies up has started.
UNFINISHED_OF_BODY = """
SELECT json_group_array(c.key) FROM stepfast_workflows c JOIN stepfast_workflows p ON p.key = c.parent
 WHERE c.parent IN (SELECT value FROM json_each(:keys)) AND c.finished_at IS NULL
   AND substr(c.id, length(p.id) + 2, length(:prefix)) <> :prefix
"""
UNFINISHED = CHILDREN.format(which="finished_at IS NULL")
ON_LISTS = CHILDREN.format(which="finished_at IS NOT NULL AND removed_at IS NULL")
REMOVED = CHILDREN.format(which="removed_at IS NOT NULL")
NOT_COMPLETED = CHILDREN.format(which="state IN ('failed', 'cancelled')")
# Of a parent that is tried again: what did not complete is asked for anew.
FORGET_OUTCOMES = """
DELETE FROM stepfast_records
 WHERE workflow IN (SELECT value FROM json_each(:keys)) AND kind = 'child'
   AND value NOT LIKE '["completed",%'
"""
FORGET_MARKS = """
DELETE FROM stepfast_records
 WHERE workflow IN (SELECT value FROM json_each(:keys)) AND kind = 'started'
"""


def start_child(
    turn: WriteTurn, claim: Claim, name: str, id: str, definition: str, version: int, input: str
) -> str | None:
    """`Checkpointer.child`."""
    ours = {"workflow": claim.workflow, "token": claim.token}
    if not turn.execute(statements.HOLDS, ours):
        raise Fenced(f"workflow {claim.id!r} is held by another pass, or was deleted; this one may not write")
    found = turn.execute(FIND_CHILD, {"id": id})
    for _, _, parent, *there in found:
        if parent != claim.workflow:
            raise AlreadyStarted(id, f"another parent, or none, and now as a child of {claim.id!r}")
        if there != [definition, input]:
            raise AlreadyStarted(id, "another definition or input")
    if not found:
        key = turn.number()
        row = {**ours, "key": key, "id": id, "definition": definition, "version": version, "now": turn.now}
        turn.execute(START_CHILD, {**row, "receipt": turn.number(), "change": turn.number()})
        turn.execute(statements.KEEP_INPUT, {"workflow": key, "input": input})
        turn.execute(statements.KEEP_FINDABLE, {"workflow": key, "text": findable(id, definition)})
        turn.changed(key, ready=True)
    mark = {"workflow": claim.workflow, "kind": Kind.STARTED, "name": name, "value": json.dumps(id)}
    turn.execute(KEEP, {**mark, "position": turn.record_position(), "started_at": turn.now, "now": turn.now})
    ended = [key for key, state, *_ in found if state in FINISHED]
    if not ended:
        return None
    tell_parents(turn, ended)
    for (text,) in turn.execute(KEPT, {"workflow": claim.workflow, "name": name}):
        return str(text)
    return None


def tell_parents(
    turn: WriteTurn, keys: Iterable[int], execute: Execute | None = None, *, deleted: bool = False
) -> None:
    """Record how those of these that have finished did with the parents that may wait for it, and wake them.

    `deleted`: those that have not are about to go. `execute`: runs a statement where the transaction is open
    on another connection than the turn's.
    """
    execute = execute or turn.execute
    for parent, name, state, started_at, result, failure in execute(
        TO_BE_TOLD, {"keys": json.dumps([*keys]), "deleted": deleted, "prefix": PREFIX}
    ):
        text = outcome_text(state, result, failure_from(failure))
        row = {"workflow": parent, "kind": Kind.CHILD, "name": name, "value": text}
        row |= {"position": turn.position(), "started_at": started_at, "now": turn.now}
        execute(KEEP, row)
        if len(text) > LARGE:
            execute(statements.HEAVY, {"workflow": parent})
        ((pending,),) = execute(PENDING, {"parent": parent, "most": MANY})
        woken = {"key": parent, "receipt": turn.number(), "change": turn.number()}
        pause = pause_before_waking(pending)
        later = {**woken, "due": turn.now + pause}
        if pause and (timer := execute(WAKE_LATER, later)):
            turn.changed(parent, ready=timer == [(later["due"],)])  # else there was an earlier one
            continue
        for key, now in execute(statements.WAKE_KEY, woken):
            turn.changed(key, ready=now == "queued", urgent=True)


def after_cancelling(
    turn: WriteTurn, done: Sequence[int], asked: Sequence[int] = (), *, tidying: bool = False
) -> None:
    """What belongs to the commit that cancels the workflows `done`, or asks the holders of `asked` to.

    Their children are cancelled, and theirs; the parents of those that are cancelled are told. `tidying`:
    they are not through yet, and what their clean-ups have started goes on.
    """
    from stepfast.sqlite.moves.asking import ask_keys  # which needs this module

    if done:
        tell_parents(turn, done)
    if children := _children(turn, UNFINISHED_OF_BODY if tidying else UNFINISHED, [*done, *asked]):
        ask_keys(turn, "cancel", children)


def failed_children(turn: WriteTurn, keys: Sequence[int]) -> list[int]:
    """The children of these that failed or were cancelled, by key."""
    return _children(turn, NOT_COMPLETED, keys)


def children_to_mark(turn: WriteTurn, action: str, keys: Sequence[int]) -> list[int]:
    """The children of these that go, or come back, with their parents: `action` is remove or restore."""
    return _children(turn, ON_LISTS if action == "remove" else REMOVED, keys)


def _children(turn: WriteTurn, statement: str, keys: Sequence[int]) -> list[int]:
    ((text,),) = turn.execute(statement, {"keys": json.dumps([*keys]), "prefix": PREFIX})
    return [*json.loads(text)]


def begin_anew(turn: WriteTurn, keys: Sequence[int]) -> None:
    """Forget of these, which are tried again, what their children did not complete."""
    row = {"keys": json.dumps([*keys])}
    turn.execute(FORGET_OUTCOMES, row)
    turn.execute(FORGET_MARKS, row)
