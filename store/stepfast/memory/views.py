"""The three views of a memory store: what may be written, who owes a pass, and lists.

What each method MUST do stands in `stepfast.interfaces`; how it is done, in `rows`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

from stepfast.codec import decode
from stepfast.errors import InvalidInput
from stepfast.interfaces import Checkpoint, Claim, Delivery, Kind, NewRecord, Notes, Offered, Recorded
from stepfast.memory.owner import Owner
from stepfast.memory.rows import Row, moment
from stepfast.run import Transaction
from stepfast.state import (
    STATES,
    Blocked,
    Cancelled,
    Completed,
    Failed,
    Paused,
    Queued,
    Running,
    Sleeping,
    State,
    Waiting,
)
from stepfast.views import ORDERS, Changes, Details, LogLine, Offer, Reset, StepRecord, Summary

__all__ = ["MemoryCatalogue", "MemoryCheckpointer", "MemoryScheduler"]

T = TypeVar("T")


class MemoryCheckpointer:
    """A `stepfast.interfaces.Checkpointer` over dicts."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._memory = owner.memory

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
        return claim

    async def release(self, claim: Claim) -> None:
        await self._owner.turn()
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
        if due or taken:
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


class MemoryCatalogue:
    """A `stepfast.interfaces.Catalogue` over dicts."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._memory = owner.memory

    async def get(self, id: str) -> Details:
        await self._owner.turn()
        row = self._memory.named(id)
        return Details(
            summary=_summary(row),
            input=decode(row.input, about=f"the input of {id!r}"),
            result=None if row.result is None else decode(row.result, about=f"the result of {id!r}"),
            failure=row.failure,
            problems=row.problems,
        )

    async def summary(self, id: str) -> Summary:
        await self._owner.turn()
        return _summary(self._memory.named(id))

    async def history(self, id: str) -> list[StepRecord]:
        await self._owner.turn()
        return [*self._memory.named(id).records.values()]

    async def log(self, id: str, *, after: int = 0, limit: int = 1000) -> list[LogLine]:
        await self._owner.turn()
        lines = self._memory.named(id).log
        return [line for line in lines if line.position > after][: max(0, limit)]

    async def counts(self) -> dict[str, int]:
        await self._owner.turn()
        counts: dict[str, int] = {}
        for row in self._memory.rows.values():
            if row.removed_at is None:
                counts[row.state] = counts.get(row.state, 0) + 1
        return counts

    async def changes(self, after: int, *, limit: int = 1000) -> Changes | Reset:
        await self._owner.turn()
        memory = self._memory
        if after < memory.horizon:
            return Reset(memory.reached)
        found: list[tuple[int, Row | str]] = [(row.change, row) for row in memory.rows.values()]
        found += memory.tombstones
        found = sorted((one for one in found if one[0] > after), key=lambda one: one[0])
        page = found[: max(0, limit)]
        whole = len(page) == len(found)
        at = memory.reached if whole else page[-1][0] if page else after
        rows = tuple(_summary(one) for _, one in page if isinstance(one, Row))
        return Changes(rows, tuple(one for _, one in page if isinstance(one, str)), at)

    async def offers(self) -> list[Offer]:
        await self._owner.turn()
        return [
            Offer(owner, one.name, one.version, one.title, one.form, command)
            for owner, (command, offered) in self._memory.offers.items()
            for one in offered
        ]

    async def keys(
        self,
        *,
        states: Iterable[str] = (),
        text: str = "",
        order: str = "pending",
        descending: bool = False,
        removed: bool = False,
    ) -> array[int]:
        await self._owner.turn()
        if order not in ORDERS:
            raise InvalidInput(f"{order!r} is no order of a list; there are {', '.join(ORDERS)}")
        found = sorted(self._matching(states, text, removed), key=partial(_place, order))
        keys = array("q", (row.key for row in found))
        if descending:
            keys.reverse()
        return keys

    async def rows(self, keys: Sequence[int]) -> list[Summary]:
        await self._owner.turn()
        return [_summary(self._memory.rows[key]) for key in keys if key in self._memory.rows]

    def _matching(self, states: Iterable[str], text: str, removed: bool) -> list[Row]:
        wanted, sought = set(states), text.casefold()
        if unknown := wanted - set(STATES):
            raise InvalidInput(f"{', '.join(sorted(unknown))}: no such state; there are {', '.join(STATES)}")
        return [
            row
            for row in self._memory.rows.values()
            if (not wanted or row.state in wanted)
            and (sought in row.id.casefold() or sought in row.name.casefold())
            and (row.removed_at is not None) == removed
        ]

    # Last, since `list` is this method and no type from here on.
    async def list(
        self,
        *,
        states: Iterable[str] = (),
        text: str = "",
        limit: int = 100,
        before: int | None = None,
        removed: bool = False,
    ) -> list[Summary]:
        """The newest first, from before the key `before`; `text` is part of an id or a name."""
        await self._owner.turn()
        found = [row for row in self._matching(states, text, removed) if before is None or row.key < before]
        found.sort(key=lambda row: row.key, reverse=True)
        return [_summary(row) for row in found[: max(0, limit)]]


def _place(order: str, row: Row) -> tuple[object, ...]:
    """What a row is sorted by; what has not begun or finished comes first, as NULL does in SQL."""
    match order:
        case "pending":
            return (row.finished, -row.key)
        case "id":
            return (row.id,)
        case "created":
            return (row.key,)
        case "started" | "finished":
            at = row.started_at if order == "started" else row.finished_at
            return (at or float("-inf"), row.key)
        case _:
            return (row.name if order == "name" else row.state, row.key)


def _summary(row: Row) -> Summary:
    return Summary(
        key=row.key,
        id=row.id,
        name=row.name,
        version=row.version,
        state=_state(row),
        intent=row.intent,
        priority=row.priority,
        problems=len(row.problems),
        step=None if row.state in ("completed", "cancelled") else row.step,
        progress=row.progress,
        created_at=moment(row.created_at),
        started_at=None if row.started_at is None else moment(row.started_at),
        finished_at=None if row.finished_at is None else moment(row.finished_at),
        removed_at=None if row.removed_at is None else moment(row.removed_at),
        change=row.change,
    )


def _state(row: Row) -> State:
    match row.state:
        case "queued":
            return Queued()
        case "running":
            return Running(row.owner or 0)
        case "sleeping":
            return Sleeping(moment(row.due or 0.0))
        case "waiting":
            return Waiting(row.waits)
        case "paused":
            return Paused()
        case "blocked":
            return Blocked(row.step or "")
        case "completed":
            return Completed(moment(row.finished_at or 0.0), len(row.problems))
        case "failed":
            return Failed(moment(row.finished_at or 0.0), len(row.problems))
        case _:
            return Cancelled(moment(row.finished_at or 0.0))
