"""The catalogue of a memory store: lists, each put together from all the rows there are."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from operator import gt, lt
from typing import Any

from stepfast.codec import decode
from stepfast.finding import findable, folded
from stepfast.memory.owner import Owner
from stepfast.memory.rows import Row, moment
from stepfast.state import (
    FINISHED,
    Cancelled,
    Completed,
    Failed,
    Paused,
    Queued,
    Running,
    State,
    Waiting,
    blocked,
    sleeping,
)
from stepfast.views import (
    EVERYTHING,
    Changes,
    Details,
    Filter,
    LogLine,
    Offer,
    Reset,
    StepRecord,
    Summary,
    check_order,
)

__all__ = ["MemoryCatalogue", "matches"]


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
        found += [(change, id) for change, id, _ in memory.tombstones]
        found = sorted((one for one in found if one[0] > after), key=lambda one: one[0])
        page = found[: max(1, limit)]
        whole = len(page) == len(found)
        at = memory.reached if whole else page[-1][0]
        rows = tuple(_summary(one) for _, one in page if isinstance(one, Row))
        gone = tuple(one for _, one in page if isinstance(one, str))
        return Changes(rows, gone, at, self._owner.health.conditions)

    async def offers(self) -> list[Offer]:
        await self._owner.turn()
        return [
            Offer(owner, one.name, one.version, one.title, one.form, command)
            for owner, (command, offered) in self._memory.offers.items()
            for one in offered
        ]

    async def keys(
        self, filter: Filter = EVERYTHING, *, order: str = "pending", descending: bool = False
    ) -> array[int]:
        await self._owner.turn()
        check_order(order)
        return array("q", (row.key for row in self._listed(filter, order, descending)))

    async def rows(self, keys: Sequence[int]) -> list[Summary]:
        await self._owner.turn()
        return [_summary(self._memory.rows[key]) for key in keys if key in self._memory.rows]

    def _listed(self, filter: Filter, order: str, descending: bool) -> list[Row]:
        rows = [row for row in self._memory.rows.values() if matches(row, filter)]
        return sorted(rows, key=lambda row: _place(order, _summary(row)), reverse=descending)

    # Last, since `list` is this method and no type from here on.
    async def list(
        self,
        filter: Filter = EVERYTHING,
        *,
        order: str = "newest",
        descending: bool = False,
        after: Summary | None = None,
        limit: int = 100,
    ) -> list[Summary]:
        await self._owner.turn()
        check_order(order)
        found = [_summary(row) for row in self._listed(filter, order, descending)]
        if after is not None:
            place = _place(order, after)
            behind = lt if descending else gt
            found = [row for row in found if behind(_place(order, row), place)]
        return found[: max(0, limit)]


def matches(row: Row, filter: Filter) -> bool:
    """Is it one of those that a list has?"""
    return (
        (not filter.states or row.state in filter.states)
        and (not filter.names or row.name in filter.names)
        and (row.removed_at is not None) == filter.removed
        and folded(filter.text) in findable(row.id, row.name)
    )


def _place(order: str, row: Summary) -> tuple[Any, ...]:
    """What a row is sorted by; what is not known comes first, as NULL does in SQL."""
    finished = row.state.name in FINISHED
    share = None if row.progress is None else row.progress.share
    match order:
        case "newest":
            return (-row.key,)
        case "created":
            return (row.key,)
        case "pending":
            return (finished, -row.key)
        case "state":
            return (row.state.name, row.key)
        case "started":
            return (*_known(row.started_at), row.key)
        case "finished":
            return (*_known(row.finished_at), row.key)
        case "step" | "progress":
            if finished:
                return (True, -row.key)
            return (False, *_known(row.step if order == "step" else share), row.key)
        case _:
            return (getattr(row, order), row.key)


def _known(value: object) -> tuple[Any, ...]:
    return (False,) if value is None else (True, value)


def _summary(row: Row) -> Summary:
    return Summary(
        key=row.key,
        id=row.id,
        name=row.name,
        version=row.version,
        state=_state(row),
        intent="cancel" if row.cleanup and not row.finished else row.intent,
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
            return sleeping(moment(row.due or 0.0), row.waits)
        case "waiting":
            return Waiting(row.waits)
        case "paused":
            return Paused()
        case "blocked":
            return blocked(row.waits)
        case "completed":
            return Completed(moment(row.finished_at or 0.0), len(row.problems))
        case "failed":
            return Failed(moment(row.finished_at or 0.0), len(row.problems))
        case _:
            return Cancelled(moment(row.finished_at or 0.0))
