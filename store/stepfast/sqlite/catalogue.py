"""`SqliteCatalogue`: lists for views. Each read is one short snapshot, and no list reads a value."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from stepfast import codec
from stepfast.errors import InvalidInput, UnknownWorkflow
from stepfast.outcome import Problem
from stepfast.sqlite import statements
from stepfast.sqlite.checkpointer import step_record
from stepfast.sqlite.rows import failure_from, summary
from stepfast.sqlite.store import Store
from stepfast.state import STATES
from stepfast.views import Changes, Details, LogLine, Offer, Reset, StepRecord, Summary

__all__ = ["SqliteCatalogue"]


class SqliteCatalogue:
    """A `stepfast.interfaces.Catalogue` over one file."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def summary(self, id: str) -> Summary:
        for row in await self._rows(f"{statements.SUMMARY} WHERE w.id = :id", {"id": id}):
            return summary(row)
        raise UnknownWorkflow(id)

    async def get(self, id: str) -> Details:
        def read(connection: sqlite3.Connection) -> Details:
            row = connection.execute(f"{statements.SUMMARY} WHERE w.id = :id", {"id": id}).fetchone()
            if row is None:
                raise UnknownWorkflow(id)
            key = {"workflow": row[0]}
            given, result, failure = connection.execute(statements.PAYLOAD, key).fetchone()
            problems = connection.execute(statements.PROBLEMS, key).fetchall()
            return Details(
                summary=summary(row),
                input=codec.decode(given),
                result=None if result is None else codec.decode(result),
                failure=failure_from(failure),
                problems=tuple(Problem(*each) for each in problems),
            )

        return await self._store.readers.run(read)

    async def keys(
        self,
        *,
        states: Iterable[str] = (),
        text: str = "",
        order: str = "pending",
        descending: bool = False,
        removed: bool = False,
    ) -> array[int]:
        if order not in statements.ORDERS:
            raise InvalidInput(f"{order!r} is no order of a list; there are {', '.join(statements.ORDERS)}")
        conditions, row = _matching(states, text, removed)
        sql = statements.KEYS.format(conditions=" AND ".join(conditions), order=statements.ORDERS[order])

        def read(connection: sqlite3.Connection) -> array[int]:
            (joined,) = connection.execute(sql, row).fetchone()
            found = array("q", map(int, joined.split(",")) if joined else ())
            if descending:
                found.reverse()
            return found

        return await self._store.readers.run(read)

    async def rows(self, keys: Sequence[int]) -> list[Summary]:
        sql = f"{statements.SUMMARY} WHERE w.key IN (SELECT value FROM json_each(:keys))"
        found = {row[0]: row for row in await self._rows(sql, {"keys": json.dumps([*keys])})}
        return [summary(found[key]) for key in keys if key in found]

    async def history(self, id: str) -> list[StepRecord]:
        row = {"workflow": await self._key(id), "after": 0}

        def read(connection: sqlite3.Connection) -> list[StepRecord]:
            # Made here, on the reader's thread: of 20,000 records it takes a tenth of a second.
            (records,) = connection.execute(statements.LOAD_RECORDS, row).fetchone()
            return sorted(map(step_record, json.loads(records)), key=lambda each: each.position)

        return await self._store.readers.run(read)

    async def log(self, id: str, *, after: int = 0, limit: int = 1000) -> list[LogLine]:
        row = {"workflow": await self._key(id), "after": after, "limit": limit}
        return [
            LogLine(position, datetime.fromtimestamp(at, UTC), level, step, text)
            for position, at, level, step, text in await self._rows(statements.LOG_LINES, row)
        ]

    async def counts(self) -> dict[str, int]:
        found = dict(await self._rows(statements.COUNTS))
        return {state: int(found.get(state, 0)) for state in STATES}

    async def offers(self) -> list[Offer]:
        # A killed program leaves its offers until somebody takes it over; what is offered here is alive.
        dead = {each.key for each in await self._store.neighbours.dead(anew=True)}
        return [Offer(*each) for each in await self._rows(statements.OFFERS) if each[0] not in dead]

    async def changes(self, after: int, *, limit: int = 1000) -> Changes | Reset:
        window = {"after": after, "limit": limit}

        def read(connection: sqlite3.Connection) -> Changes | Reset:
            horizon, counter = connection.execute(statements.HORIZON).fetchone()
            if after < horizon:
                return Reset(counter)
            sources = [
                connection.execute(each, window).fetchall()
                for each in (statements.CHANGED_ROWS, statements.CHANGED_PROGRESS, statements.TOMBSTONES)
            ]
            # A source that reached the limit may have more: everything is certain up to its last number only.
            at = min([counter, *(source[-1][0] for source in sources if len(source) == limit)])
            rows, progress, gone = ([each for each in source if each[0] <= at] for source in sources)
            keys = dict.fromkeys(key for _, key in sorted(rows + progress))
            found = connection.execute(
                f"{statements.SUMMARY} WHERE w.key IN (SELECT value FROM json_each(:keys))",
                {"keys": json.dumps(list(keys))},
            ).fetchall()
            changed = sorted(map(summary, found), key=lambda each: each.change)
            return Changes(tuple(changed), tuple(id for _, id in gone), at)

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
        *,
        states: Iterable[str] = (),
        text: str = "",
        limit: int = 100,
        before: int | None = None,
        removed: bool = False,
    ) -> list[Summary]:
        conditions, row = _matching(states, text, removed)
        if before is not None:
            conditions.append("w.key < :before")
        sql = f"{statements.SUMMARY} WHERE {' AND '.join(conditions)} ORDER BY w.key DESC LIMIT :limit"
        found = await self._rows(sql, {**row, "before": before, "limit": limit})
        return [summary(each) for each in found]


def _matching(states: Iterable[str], text: str, removed: bool) -> tuple[list[str], dict[str, Any]]:
    """The conditions of a filter on `stepfast_workflows w`, and the parameters that they name."""
    wanted = [*states]
    for each in wanted:
        if each not in STATES:
            raise InvalidInput(f"{each!r} is no state; there are {', '.join(STATES)}")
    conditions = [f"w.removed_at IS {'NOT ' if removed else ''}NULL"]
    if wanted:
        conditions.append("w.state IN (SELECT value FROM json_each(:states))")
    if text:
        conditions.append("(instr(lower(w.id), lower(:text)) OR instr(lower(w.name), lower(:text)))")
    return conditions, {"states": json.dumps(wanted), "text": text}
