"""`SqliteCatalogue`: lists for views. Each read is one short snapshot, and no list reads a value."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from stepfast.errors import UnknownWorkflow
from stepfast.late import imported
from stepfast.sqlite import statements
from stepfast.sqlite.checkpointer import step_record
from stepfast.sqlite.moves.schedules import read_schedules
from stepfast.sqlite.reading import list_statements
from stepfast.sqlite.reading.kept_keys import KeptKeys
from stepfast.sqlite.reading.key_arrays import from_text, sifted
from stepfast.sqlite.reading.list_runs import Counts, Group
from stepfast.sqlite.reading.list_statements import Cursor, Statement, groups, select
from stepfast.sqlite.reading.search import Found, find
from stepfast.sqlite.rows import failure_from, summary, when
from stepfast.sqlite.store import Store
from stepfast.state import STATES
from stepfast.values import codec
from stepfast.views import (
    EVERYTHING,
    Changes,
    Filter,
    Listing,
    Offer,
    Reset,
    StepRecord,
    Summary,
    check_order,
)

if TYPE_CHECKING:
    from stepfast.details import Details, Ended, LogLine, LogPart, RecordOutline, Schedule

__all__ = ["SqliteCatalogue"]

HISTORIES = "stepfast.sqlite.reading.histories"
LONG = 64 * 1024  # characters of a value that is not read together with others


class SqliteCatalogue:
    """A `stepfast.interfaces.Catalogue` over one file."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept = KeptKeys()

    async def summary(self, id: str) -> Summary:
        return await self._store.readers.run(lambda connection: _summary(connection, id))

    async def get(self, id: str) -> Details:
        def read(connection: sqlite3.Connection) -> Details:
            from stepfast.details import Details
            from stepfast.passes.outcome import Problem

            row = _summary(connection, id)
            key = {"workflow": row.key}
            given, result, failure = connection.execute(statements.PAYLOAD, key).fetchone()
            (problems,) = connection.execute(statements.PROBLEMS, key).fetchone()
            return Details(
                summary=row,
                input=codec.decode(given),
                result=None if result is None else codec.decode(result),
                failure=failure_from(failure),
                problems=tuple(Problem(*each) for each in json.loads(problems)),
            )

        return await self._store.readers.run(read)

    async def ends(self, keys: Sequence[int]) -> dict[int, Ended | None]:
        def read(connection: sqlite3.Connection) -> dict[int, Ended | None]:
            from stepfast.details import Ended

            def ended(state: str, result: str | None, failure: str | None) -> Ended:
                return Ended(state, None if result is None else codec.decode(result), failure_from(failure))

            asked = {"keys": json.dumps([*keys]), "most": LONG}
            pending, ends = connection.execute(statements.ENDS, asked).fetchone()
            found: dict[int, Ended | None] = dict.fromkeys(json.loads(pending))
            for key, state, short, *values in json.loads(ends):
                if short:
                    found[key] = ended(state, *values)
                else:
                    _, *long = connection.execute(statements.PAYLOAD, {"workflow": key}).fetchone()
                    found[key] = ended(state, *long)
            return found

        return await self._store.readers.run(read)

    async def listing(
        self, filter: Filter = EVERYTHING, *, order: str = "pending", descending: bool = False
    ) -> Listing:
        check_order(order)

        def read(connection: sqlite3.Connection) -> Listing:
            (at,) = connection.execute(statements.COUNTER).fetchone()
            keys = array("q")
            for group, counts, found in _groups(connection, filter, order, descending):
                kept = self._kept.select(connection, group, filter, counts, found, descending=descending)
                if kept is None:
                    asked = select(group, filter, counts, found, descending=descending)
                    kept = _selected(connection, asked)
                keys += kept
            return Listing(keys, at)

        return await self._store.readers.run(read)

    async def rows(self, keys: Sequence[int]) -> list[Summary]:
        return await self._store.readers.run(lambda connection: _summaries(connection, keys))

    async def history(self, id: str) -> list[StepRecord]:
        row = {"workflow": await self._key(id), "after": 0}

        def read(connection: sqlite3.Connection) -> list[StepRecord]:
            # Made here, on the reader's thread: of 20,000 records it takes a tenth of a second.
            (records,) = connection.execute(statements.LOAD_RECORDS, row).fetchone()
            return sorted(map(step_record, json.loads(records)), key=lambda each: each.position)

        return await self._store.readers.run(read)

    async def log(self, id: str, *, after: int = 0, limit: int = 1000) -> list[LogLine]:
        row = {"workflow": await self._key(id), "after": after, "limit": max(0, limit)}

        def read(connection: sqlite3.Connection) -> list[LogLine]:
            from stepfast.sqlite.reading.histories import log_line

            (lines,) = connection.execute(statements.LOG_LINES, row).fetchone()
            return [log_line(each) for each in json.loads(lines)]

        return await self._store.readers.run(read)

    async def outline(self, id: str, *, after: int = 0) -> list[RecordOutline]:
        row = {"workflow": await self._key(id), "after": after}
        await imported(HISTORIES)
        from stepfast.sqlite.reading import histories

        return await self._store.readers.run(lambda connection: histories.outline(connection, row))

    async def record(self, id: str, kind: str, name: str) -> StepRecord | None:
        row = {"workflow": await self._key(id), "kind": kind, "name": name}
        await imported(HISTORIES)
        from stepfast.sqlite.reading import histories

        return await self._store.readers.run(lambda connection: histories.record(connection, row))

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
        await imported(HISTORIES)
        from stepfast.sqlite.reading import histories

        find = partial(
            histories.find_lines,
            workflow=await self._key(id),
            after=after,
            before=before,
            levels=levels,
            text=text,
            limit=limit,
        )
        return await self._store.readers.run(find)

    async def lines(self, id: str, positions: Sequence[int]) -> list[LogLine]:
        key = await self._key(id)
        await imported(HISTORIES)
        from stepfast.sqlite.reading import histories

        return await self._store.readers.run(lambda each: histories.lines_at(each, key, positions))

    async def counts(self) -> dict[str, int]:
        counts = dict.fromkeys(STATES, 0)
        for (state, _), n in (await self._store.readers.run(_counts)).items():
            counts[state] += n
        return counts

    async def families(self, keys: Sequence[int]) -> dict[int, dict[str, int]]:
        def read(connection: sqlite3.Connection) -> dict[int, dict[str, int]]:
            (text,) = connection.execute(list_statements.FAMILIES, {"keys": json.dumps([*keys])}).fetchone()
            found: dict[int, dict[str, int]] = {}
            for parent, state, n in json.loads(text):
                found.setdefault(parent, {})[state] = n
            return found

        return await self._store.readers.run(read)

    async def offers(self) -> list[Offer]:
        # A killed program leaves its offers until somebody takes it over; what is offered here is alive.
        dead = await self.dead()
        return [Offer(*each) for each in await self._rows(statements.OFFERS) if each[0] not in dead]

    async def dead(self) -> set[int]:
        """The keys of owners that have died, of which nobody has taken over yet what they held."""
        return {each.key for each in await self._store.neighbours.dead(anew=True)}

    async def schedules(self) -> list[Schedule]:
        return await self._store.readers.run(read_schedules)

    async def changes(self, after: int, *, limit: int = 1000) -> Changes | Reset:
        window = {"after": after, "limit": max(1, limit)}

        def read(connection: sqlite3.Connection) -> Changes | Reset:
            horizon, counter, *texts = connection.execute(list_statements.CHANGES, window).fetchone()
            if after < horizon:
                return Reset(counter)
            sources = [json.loads(text) for text in texts]
            # A source that reached the limit may have more: everything is certain up to its last number only.
            full = (source[-1][0] for source in sources if len(source) == window["limit"])
            at = min([counter, *full])
            rows, progress, gone = ([each for change, each in source if change <= at] for source in sources)
            changed = _summaries(connection, [*{*rows, *progress}])
            changed.sort(key=lambda each: each.change)
            return Changes(tuple(changed), tuple(gone), at, self._store.health.conditions)

        return await self._store.readers.run(read)

    async def _key(self, id: str) -> int:
        for key, _ in await self._rows(statements.STATE_OF, {"id": id}):
            return int(key)
        raise UnknownWorkflow(id)

    async def _rows(self, sql: str, parameters: dict[str, Any] | None = None) -> list[Any]:
        return await self._store.readers.run(lambda each: each.execute(sql, parameters or {}).fetchall())

    # Last, since below it `list` in an annotation would name this method.
    async def list(
        self,
        filter: Filter = EVERYTHING,
        *,
        order: str = "newest",
        descending: bool = False,
        after: Summary | None = None,
        limit: int = 100,
    ) -> list[Summary]:
        check_order(order)

        def read(connection: sqlite3.Connection) -> list[Summary]:
            behind, keys = after, array("q")
            for group, counts, found in _groups(connection, filter, order, descending):
                cursor = None
                if behind is not None:
                    if behind.state.name not in group.states:
                        continue  # that row lay in a later one
                    cursor, behind = _place(connection, group, behind), None
                left = limit - len(keys)
                if left > 0:
                    keys += _selected(
                        connection,
                        select(group, filter, counts, found, descending=descending, after=cursor, limit=left),
                    )
            return _summaries(connection, keys)

        return await self._store.readers.run(read)


def _groups(
    connection: sqlite3.Connection, filter: Filter, order: str, descending: bool
) -> Iterator[tuple[Group, Counts, Found | None]]:
    """The groups of an order as they come, and what else there is to know to select from them."""
    counts = _counts(connection)
    found = find(connection, filter.text, sum(counts.values()))
    for group in reversed(groups(order)) if descending else groups(order):
        yield group, counts, found


def _counts(connection: sqlite3.Connection) -> Counts:
    (text,) = connection.execute(list_statements.COUNTS).fetchone()
    return {(state, name): n for state, name, n in json.loads(text)}


def _selected(connection: sqlite3.Connection, asked: Statement | None) -> array[int]:
    if asked is None:
        return array("q")
    keys = from_text(connection.execute(asked.sql, asked.row).fetchone()[0])
    for sift in asked.sifts:
        others = from_text(connection.execute(sift.sql).fetchone()[0] if sift.sql else sift.keys)
        keys = sifted(keys, others, wanted=sift.wanted)
    return keys


def _summary(connection: sqlite3.Connection, id: str) -> Summary:
    (text,) = connection.execute(list_statements.SUMMARY, {"id": id}).fetchone()
    for row in json.loads(text):
        return summary(row)
    raise UnknownWorkflow(id)


def _summaries(connection: sqlite3.Connection, keys: Sequence[int]) -> list[Summary]:
    """The rows of some keys, in that order, without those that are gone."""
    (text,) = connection.execute(list_statements.SUMMARIES, {"keys": json.dumps([*keys])}).fetchone()
    found = {row[0]: row for row in json.loads(text)}
    return [summary(found[key]) for key in keys if key in found]


def _place(connection: sqlite3.Connection, group: Group, row: Summary) -> Cursor:
    """The place in the order of a group where a row lay when it was read."""
    match group.by:
        case None:
            return Cursor(row.key)
        case list_statements.IN_QUEUE:
            return Cursor(row.key, list_statements.place_in_queue(row.priority, row.place or 0))
        case "p.step":
            return Cursor(row.key, row.step)
        case "p.done / p.total":
            at = None if row.progress is None else row.progress.share
            return _exactly(connection, group.by, row.key, at, lambda kept: kept == at)
        case "w.started_at" | "w.finished_at":
            moment = row.started_at if group.by == "w.started_at" else row.finished_at
            at = None if moment is None else moment.timestamp()
            return _exactly(connection, group.by, row.key, at, lambda kept: when(kept) == moment)
        case column:
            return Cursor(row.key, getattr(row, column.removeprefix("w.")))


def _exactly(
    connection: sqlite3.Connection, by: str, key: int, at: float | None, same: Callable[[Any], bool]
) -> Cursor:
    """The place as the file has it; what a row says of it may have been rounded."""
    for (kept,) in connection.execute(list_statements.AT.format(by), {"key": key}):
        if same(kept):
            return Cursor(key, kept)
    return Cursor(key, at, exact=at is None)  # it lies elsewhere by now, or is gone
