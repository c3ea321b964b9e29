"""Deleting workflows: the row in one small commit, then what else is kept of them, little by little.

From that first commit on the workflow is gone from every list and for every caller, and its id is free again.
Its parts lie under its key, which is never used again, so nobody comes upon them; the key stays in
`stepfast_leftovers` until they are gone, and so does not get lost in a crash. One of 500,000 records is two
thousand commits that delay nobody, in place of one that everybody waits for.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import Any

from stepfast.errors import NotAllowed, UnknownWorkflow
from stepfast.retention import Forget
from stepfast.sqlite import statements
from stepfast.sqlite.moves.families import tell_parents
from stepfast.sqlite.store import Store
from stepfast.sqlite.writing.effects import GuardedConnection
from stepfast.sqlite.writing.writer import WriteTurn
from stepfast.state import FINISHED

__all__ = ["PARTS", "clear", "delete", "hide"]

# Runs one statement on the connection whose transaction is open.
Execute = Callable[..., list[tuple[Any, ...]]]

PARTS = {
    "payloads": "workflow",
    "problems": "workflow, position",
    "records": "workflow, kind, name",
    "bookmarks": "workflow, step",
    "messages": "workflow, position",
    "log": "workflow, position",
    "progress": "workflow",
}
"""The tables that hold parts of a workflow, each with its primary key."""

# In one commit. A row may have a value of 16 MB, so the time counts as well, and the first bites are small.
MOST_ROWS = 256
MOST_SECONDS = 0.003
FIRST_BITE = 4
MOST_WORKFLOWS = 25

OURS = "workflow IN (SELECT value FROM json_each(:keys))"
CLEAR = {
    part: f"DELETE FROM stepfast_{part} WHERE ({key}) IN"
    f" (SELECT {key} FROM stepfast_{part} WHERE {OURS} LIMIT :bite) RETURNING 1"
    for part, key in PARTS.items()
}
# Which parts there are, in one statement: each gives up the interpreter's lock and has to get it back.
THERE = "SELECT " + ", ".join(f"EXISTS (SELECT 1 FROM stepfast_{part} WHERE {OURS})" for part in PARTS)
LEFTOVERS = """
SELECT json_group_array(workflow)
  FROM (SELECT workflow FROM stepfast_leftovers ORDER BY workflow LIMIT :limit)
"""
CLEARED = f"DELETE FROM stepfast_leftovers WHERE {OURS}"
ANY_LEFT = "SELECT EXISTS (SELECT 1 FROM stepfast_leftovers)"
LEAVE = "INSERT INTO stepfast_leftovers (workflow) SELECT value FROM json_each(:keys)"
TOMBSTONES = """
INSERT INTO stepfast_tombstones (change, id, deleted_at)
SELECT :first + each.key, w.id, :now FROM json_each(:keys) each
  JOIN stepfast_workflows w ON w.key = each.value
"""
HIDE = "DELETE FROM stepfast_workflows WHERE key IN (SELECT value FROM json_each(:keys))"
HAS_FORGET = """
SELECT name FROM stepfast_workflows WHERE key = :key AND name IN (SELECT name FROM stepfast_forgets)
"""


def hide(execute: Execute, turn: WriteTurn, keys: Sequence[int]) -> None:
    """Take the rows of these workflows away, leaving their parts to `clear`. At most `MOST_WORKFLOWS`."""
    first, *_ = [turn.number() for _ in keys]
    row = {"keys": json.dumps([*keys]), "first": first, "now": turn.now}
    for statement in (LEAVE, TOMBSTONES, HIDE):
        execute(statement, row)
    for key in keys:
        turn.changed(key)


def clear(execute: Execute, keys: Sequence[int] | None = None) -> bool:
    """Delete as many parts as one commit may, of these or else of the oldest leftovers; is there more?"""
    if keys is None:
        ((found,),) = execute(LEFTOVERS, {"limit": MOST_WORKFLOWS})
    else:
        found = json.dumps([*keys])
    ours = {"keys": found}
    rows, until = MOST_ROWS, time.perf_counter() + MOST_SECONDS
    (there,) = execute(THERE, ours)
    for statement, is_there in zip(CLEAR.values(), there, strict=True):
        bite = FIRST_BITE if is_there else 0
        while bite:
            gone = len(execute(statement, {**ours, "bite": bite}))
            rows -= gone
            if gone == bite and (rows <= 0 or time.perf_counter() > until):
                return True
            bite = min(4 * bite, rows) if gone == bite else 0
        if rows <= 0:
            return True
    execute(CLEARED, ours)
    ((more,),) = execute(ANY_LEFT) if keys is None else ((0,),)
    return bool(more)


async def delete(store: Store, id: str, forget: Forget | None, *, known: bool) -> None:
    """`Durable.delete`."""

    def act(execute: Execute, turn: WriteTurn) -> tuple[int, bool]:
        for key, state in execute(statements.STATE_OF, {"id": id}):
            for (name,) in () if known else execute(HAS_FORGET, {"key": key}):
                raise NotAllowed(
                    id,
                    f"workflow {id!r} is one of {name!r}, which keeps rows of its own and is not known here: "
                    "delete it from a program that has it, or remove it, and such a program will",
                )
            if state not in FINISHED:
                tell_parents(turn, [key], execute, deleted=True)
            hide(execute, turn, [key])
            turn.changed(key, ready=state == "running")  # which may have held others back
            return key, clear(execute, [key])
        raise UnknownWorkflow(id)

    def act_guarded(guarded: GuardedConnection, turn: WriteTurn) -> tuple[int, bool]:
        done = act(guarded.ours, turn)
        guarded.theirs(lambda transaction: forget(transaction, id) if forget else None)
        return done

    if forget is None:
        key, more = await store.writer.do(lambda turn: act(turn.execute, turn))
    else:
        key, more = await store.guarded(act_guarded)
    while more:
        more = await store.writer.do(lambda turn: clear(turn.execute, [key]), last=True)
