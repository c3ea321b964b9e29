"""Two views of a memory store: what may be written, and who owes a pass.

What each method MUST do stands in `stepfast.interfaces`; how it is done, in `rows`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from stepfast.body.run import Transaction
from stepfast.errors import AlreadyStarted
from stepfast.interfaces import Checkpoint, Claim, Delivery, Kind, NewRecord, Notes, Offered, Recorded
from stepfast.memory.owner import Owner
from stepfast.memory.rows import Row

__all__ = ["MemoryCheckpointer", "MemoryScheduler"]

T = TypeVar("T")


class MemoryCheckpointer:
    """A `stepfast.interfaces.Checkpointer` over dicts."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._memory = owner.memory
        self.claimed: set[int] = set()
        """The tokens of the claims of `claim` that have not been released."""

    async def load(self, workflow: int, *, after: int = 0) -> Checkpoint:
        await self._owner.turn()
        row = self._memory.rows.get(workflow)
        if row is None:
            return Checkpoint((), (), {})
        return Checkpoint(
            tuple(record for record in row.records.values() if record.position > after),
            tuple(message for message in row.messages if message.position > after),
            dict(row.bookmarks),
        )

    async def claim(self, id: str) -> Claim | None:
        """Claim a workflow outside a worker; None where it is claimed, paused, blocked or finished."""
        await self._owner.turn()
        row = self._memory.named(id)
        if row.state not in ("queued", "sleeping", "waiting"):
            return None
        claim = self._memory.hold(row, self._owner.key, self._owner.clock.time())
        self._owner.changed(row)
        self.claimed.add(claim.token)
        return claim

    async def release(self, claim: Claim) -> None:
        await self._owner.turn()
        self.claimed.discard(claim.token)
        row = self._memory.rows.get(claim.workflow)
        if row is None or row.token is None or row.token != claim.token:
            return
        if row.taken == row.receipt and row.intent is None:
            # A delivery of it is out still: whoever took it answers for it, by `done` or `wake_at`.
            row.state, row.token = "queued", None
            self._memory.touch(row)
        else:
            self._memory.abandon(row, self._owner.clock.time())
        self._owner.changed(row)

    async def record(self, claim: Claim, new: NewRecord, notes: Notes | None = None) -> Recorded:
        await self._owner.turn()
        row = self._memory.held(claim)
        return self._keep(row, new, notes)

    async def transact(
        self,
        claim: Claim,
        name: str,
        effect: Callable[[Transaction], str],
        started_at: float,
        notes: Notes | None = None,
    ) -> Recorded:
        await self._owner.turn()
        row = self._memory.held(claim)
        there = row.records.get((Kind.STEP, name))
        text = self._memory.tables.transact(effect) if there is None else there.text
        # A step that was done in an earlier pass as one of another sort may have left a bookmark.
        return self._keep(row, NewRecord(Kind.STEP, name, text, started_at, bookmarked=True), notes)

    async def query(self, read: Callable[[Transaction], T]) -> T:
        await self._owner.turn()
        return self._memory.tables.query(read)

    async def note(self, claim: Claim, notes: Notes) -> None:
        await self._owner.turn()
        row = self._memory.held(claim)
        self._memory.note(row, notes)
        self._owner.changed(row)

    async def child(
        self, claim: Claim, name: str, id: str, definition: str, version: int, input: str
    ) -> str | None:
        await self._owner.turn()
        memory, now = self._memory, self._owner.clock.time()
        parent = memory.held(claim)
        row = memory.rows.get(memory.ids.get(id, 0))
        if row is None:
            row = Row(
                memory.next(),
                id,
                definition,
                version,
                input,
                parent.priority,
                created_at=now,
                parent=parent.key,
            )
            memory.add(row)
            memory.queue(row)
        elif row.parent != parent.key:
            raise AlreadyStarted(id, f"another parent, or none, and now as a child of {claim.id!r}")
        elif (row.name, row.input) != (definition, input):
            raise AlreadyStarted(id, "another definition or input")
        memory.keep(parent, NewRecord(Kind.STARTED, name, json.dumps(id), now), now)
        if row.finished:
            memory.tell_parent(row, row.state, now)
        self._owner.changed(row)
        ended = parent.records.get((Kind.CHILD, name)) if row.finished else None
        return None if ended is None else ended.text

    def _keep(self, row: Row, new: NewRecord, notes: Notes | None) -> Recorded:
        recorded = self._memory.keep(row, new, self._owner.clock.time())
        self._memory.note(row, notes)
        # A record changes no row of a list, so views and workers are spared the signal.
        self._owner.changed(*(() if notes is None else (row,)))
        return recorded


class MemoryScheduler:
    """A `stepfast.interfaces.Scheduler` over dicts."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._memory = owner.memory

    async def wake(self, id: str) -> None:
        """Wake a workflow; raises `UnknownWorkflow`, and does nothing to one that has finished."""
        await self._owner.turn()
        row = self._memory.named(id)
        self._memory.wake(row)
        self._owner.changed(row)

    async def take(self, offered: Sequence[Offered], limit: int) -> list[Delivery]:
        await self._owner.turn()
        due = self._memory.due(self._owner.clock.time())
        taken = self._memory.ready(offered, limit)
        for row in taken:
            row.taken, row.owner = row.receipt, self._owner.key
        if due or taken or self._memory.also:
            self._owner.changed(*due, *taken)
        return [Delivery(row.key, row.id, row.receipt) for row in taken]

    async def wake_at(self, delivery: Delivery, due: float) -> bool:
        return await self._answer(delivery, "sleeping", due)

    async def done(self, delivery: Delivery) -> bool:
        return await self._answer(delivery, "waiting", None)

    async def next_due(self) -> float | None:
        await self._owner.turn()
        return self._memory.next_due()

    async def _answer(self, delivery: Delivery, state: str, due: float | None) -> bool:
        await self._owner.turn()
        row = self._memory.rows.get(delivery.workflow)
        if row is None or not row.is_out or row.receipt != delivery.receipt:
            return False
        row.state, row.due, row.taken, row.owner = state, due, None, None
        self._memory.touch(row)
        self._owner.changed(row)
        return True
