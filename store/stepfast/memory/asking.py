"""What a person asks of a workflow of a memory store."""

from __future__ import annotations

from stepfast.errors import AlreadyFinished, NotAllowed
from stepfast.interfaces import Settlement
from stepfast.memory.rows import Memory, Row

__all__ = ["DONE", "HOLDER", "ask", "refuse"]

DONE, HOLDER = "done", "holder"

# In which states there is nothing to do, and nothing wrong with asking either.
AT_EASE = {
    "pause": ("paused", "running"),
    "cancel": ("running",),
    "resume": ("queued", "running", "sleeping", "waiting"),
}
WORDS = {"pause": "paused", "cancel": "cancelled", "resume": "resumed"}


def ask(memory: Memory, row: Row, action: str, now: float) -> str | None:
    """Do it, or ask its holder to; None where its state does not allow it."""
    match action, row.state:
        case (("pause" | "cancel"), "running") if row.intent != "cancel":
            row.intent = action
            memory.touch(row)
            if action == "cancel":
                memory.cancel_children(row, now)
            return HOLDER
        case "pause", ("queued" | "sleeping" | "waiting"):
            memory.let_go(row, Settlement("paused"), now)
        case "cancel", ("queued" | "sleeping" | "waiting" | "paused" | "blocked"):
            memory.let_go(row, Settlement("cancelled"), now, woken=True)
        case "resume", "paused":
            memory.queue(row, in_place=True)
        case "resume", "running" if row.intent == "pause":
            row.intent = None
            memory.touch(row)
        case "retry", ("failed" | "cancelled"):
            memory.renew(row, now)
        case "remove", _ if row.finished and row.removed_at is None:
            _mark(memory, row, now)
        case "restore", _ if row.removed_at is not None:
            _mark(memory, row, None)
        case _:
            return None
    return DONE


def _mark(memory: Memory, row: Row, removed_at: float | None) -> None:
    """Remove it or bring it back, and with it the children that have finished, and theirs."""
    row.removed_at = removed_at
    memory.touch(row)
    for child in memory.children_of(row):
        if child.finished and (child.removed_at is None) != (removed_at is None):
            memory.also.append(child)
            _mark(memory, child, removed_at)


def refuse(row: Row, action: str) -> None:
    """Raise the reason why it was not done, unless there was nothing to do."""
    if row.state in AT_EASE.get(action, ()):
        return
    if action == "retry":
        raise NotAllowed(
            row.id, f"workflow {row.id!r} is {row.state}; only a failed or cancelled one is tried again"
        )
    if row.finished and action != "resume":
        raise AlreadyFinished(row.id, row.state)
    raise NotAllowed(row.id, f"workflow {row.id!r} is {row.state}, so it cannot be {WORDS[action]}")
