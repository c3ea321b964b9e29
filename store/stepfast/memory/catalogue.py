"""The catalogue of a memory store: lists, each put together from all the rows there are."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from operator import gt, lt
from typing import Any

from stepfast.body.retrying import Attempted
from stepfast.finding import findable, folded, small
from stepfast.interfaces import Kind
from stepfast.memory.owner import Owner
from stepfast.memory.rows import Row, moment
from stepfast.schedules import is_off, rule_of
from stepfast.sqlite.reading.histories import until_of
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
    needs_answer,
    sleeping,
)
from stepfast.values.codec import decode
from stepfast.views import (
    EVERYTHING,
    Changes,
    Details,
    Ended,
    Filter,
    Listing,
    LogLine,
    LogPart,
    Offer,
    RecordOutline,
    Reset,
    Schedule,
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
            summary=self._summary(row),
            input=decode(row.input, about=f"the input of {id!r}"),
            result=None if row.result is None else decode(row.result, about=f"the result of {id!r}"),
            failure=row.failure,
            problems=row.problems,
        )

    async def summary(self, id: str) -> Summary:
        await self._owner.turn()
        return self._summary(self._memory.named(id))

    async def ends(self, keys: Sequence[int]) -> dict[int, Ended | None]:
        await self._owner.turn()
        rows = [self._memory.rows[key] for key in keys if key in self._memory.rows]
        return {row.key: self._end(row) for row in rows}

    def _end(self, row: Row) -> Ended | None:
        if row.state not in FINISHED:
            return None
        return Ended(row.state, None if row.result is None else decode(row.result), row.failure)

    async def history(self, id: str) -> list[StepRecord]:
        await self._owner.turn()
        return [*self._memory.named(id).records.values()]

    async def log(self, id: str, *, after: int = 0, limit: int = 1000) -> list[LogLine]:
        await self._owner.turn()
        lines = self._memory.named(id).log
        return [line for line in lines if line.position > after][: max(0, limit)]

    async def outline(self, id: str, *, after: int = 0) -> list[RecordOutline]:
        await self._owner.turn()
        records = self._memory.named(id).records.values()
        return [_outline(each) for each in records if each.position > after]

    async def record(self, id: str, kind: str, name: str) -> StepRecord | None:
        await self._owner.turn()
        return self._memory.named(id).records.get((kind, name))

    async def find_lines(
        self,
        id: str,
        *,
        after: int = 0,
        before: int | None = None,
        levels: Collection[str] = (),
        text: str = "",
        limit: int = 10_000,
    ) -> LogPart:
        await self._owner.turn()
        limit = max(1, limit)
        log = self._memory.named(id).log
        if before is None:
            looked = [line for line in log if line.position > after][:limit]
        else:
            looked = [line for line in log if line.position < before][-limit:]
        found = [
            line
            for line in looked
            if (not levels or line.level in levels) and small(text) in small(line.text.rstrip("\n"))
        ]
        breaks = {line.position: line.text.rstrip("\n").count("\n") for line in found}
        return LogPart(
            positions=array("q", (line.position for line in found)),
            breaks={position: count for position, count in breaks.items() if count},
            first=looked[0].position if looked else 0,
            last=looked[-1].position if looked else 0,
            more=len(looked) == limit,
        )

    async def lines(self, id: str, positions: Sequence[int]) -> list[LogLine]:
        await self._owner.turn()
        wanted = frozenset(positions)
        return [line for line in self._memory.named(id).log if line.position in wanted]

    async def counts(self) -> dict[str, int]:
        await self._owner.turn()
        counts: dict[str, int] = {}
        for row in self._memory.rows.values():
            if row.removed_at is None:
                counts[row.state] = counts.get(row.state, 0) + 1
        return counts

    async def families(self, keys: Sequence[int]) -> dict[int, dict[str, int]]:
        await self._owner.turn()
        found: dict[int, dict[str, int]] = {}
        for row in (self._memory.rows[key] for key in keys if key in self._memory.rows):
            states = [each.state for each in self._memory.children_of(row) if each.removed_at is None]
            if states:
                found[row.key] = {state: states.count(state) for state in states}
        return found

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
        rows = tuple(self._summary(one) for _, one in page if isinstance(one, Row))
        gone = tuple(one for _, one in page if isinstance(one, str))
        return Changes(rows, gone, at, self._owner.health.conditions)

    async def offers(self) -> list[Offer]:
        await self._owner.turn()
        return [
            Offer(
                owner,
                one.name,
                one.version,
                one.title,
                one.form,
                command,
                one.at_once,
                one.queue,
                one.queue_at_once,
            )
            for owner, (command, offered) in self._memory.offers.items()
            for one in offered
        ]

    async def schedules(self) -> list[Schedule]:
        await self._owner.turn()
        return [
            Schedule(
                name,
                new.definition,
                new.version,
                decode(new.input, about=f"the input of the schedule {name!r}"),
                rule_of(new.rule),
                new.missed,
                None if due is None else moment(due),
                on=not is_off(new.rule),
            )
            for name, (new, due) in sorted(self._memory.schedules.items())
        ]

    async def listing(
        self, filter: Filter = EVERYTHING, *, order: str = "pending", descending: bool = False
    ) -> Listing:
        await self._owner.turn()
        check_order(order)
        keys = array("q", (row.key for row in self._listed(filter, order, descending)))
        return Listing(keys, self._memory.reached)

    async def rows(self, keys: Sequence[int]) -> list[Summary]:
        await self._owner.turn()
        return [self._summary(self._memory.rows[key]) for key in keys if key in self._memory.rows]

    def _listed(self, filter: Filter, order: str, descending: bool) -> list[Row]:
        rows = [row for row in self._memory.rows.values() if self._matches(row, filter)]
        return sorted(rows, key=lambda row: _place(order, self._summary(row)), reverse=descending)

    def _summary(self, row: Row) -> Summary:
        return _summary(row, self._memory.rows.get(row.parent or 0))

    def _matches(self, row: Row, filter: Filter) -> bool:
        parent = self._memory.rows.get(row.parent or 0)
        left = parent is None or parent.removed_at is not None or (parent.finished and not row.finished)
        on_top = filter.top and left
        wanted = on_top or row.parent in filter.parents or not (filter.top or filter.parents)
        return matches(row, filter) and wanted

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
        found = [self._summary(row) for row in self._listed(filter, order, descending)]
        if after is not None:
            place = _place(order, after)
            behind = lt if descending else gt
            found = [row for row in found if behind(_place(order, row), place)]
        return found[: max(0, limit)]


def _outline(record: StepRecord) -> RecordOutline:
    attempt = None
    if record.kind == Kind.ATTEMPT:
        ended = Attempted.read(record.text)
        attempt = (ended.kind, ended.type, ended.due)
    return RecordOutline(
        record.kind,
        record.name,
        record.position,
        record.started_at,
        record.recorded_at,
        record.attempts,
        len(record.text.encode()),
        attempt,
        until_of(record.text) if record.kind == Kind.SLEEP else None,
    )


def matches(row: Row, filter: Filter) -> bool:
    """Is it one of those that a list has, whoever its parent is?"""
    return (
        (not filter.states or row.state in filter.states)
        and (not filter.names or row.name in filter.names)
        and (row.removed_at is not None) == filter.removed
        and (not filter.needs_answer or needs_answer(_state(row)))
        and (not filter.problems or bool(row.problems))
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
        case "queue":
            if row.place is not None:
                return (0, -row.priority, row.place, row.key)
            return (1 + finished, -row.key)
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


def _summary(row: Row, parent: Row | None) -> Summary:
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
        attempts=sum(kind == Kind.ATTEMPT for kind, _ in row.records),
        parent=row.parent,
        parent_id=None if parent is None else parent.id,
        place=row.place if row.state == "queued" else None,
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
