"""A new workflow: its row, its input, and what it is found by."""

from __future__ import annotations

from stepfast.finding import findable
from stepfast.sqlite import statements
from stepfast.sqlite.writer import WriteTurn

__all__ = ["add_workflow"]


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
    row |= {"key": turn.number(), "receipt": turn.number(), "change": turn.number()}
    ((key,),) = turn.execute(statements.START, row)
    turn.execute(statements.KEEP_INPUT, {"workflow": key, "input": input})
    found_by = findable(id, name) if text is None else text
    turn.execute(statements.KEEP_FINDABLE, {"workflow": key, "text": found_by})
    turn.changed(key, ready=True)
    return int(key)
