"""Sweeping: deleting the finished workflows that a `Retention` lets go, in small commits that delay nobody.

A look by a reader finds the next few, so a sweep with nothing to do writes nothing. Each is looked at again
inside the commit that deletes it, since meanwhile somebody may have retried or restored it, or swept it too.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from stepfast.errors import StoreError
from stepfast.retention import Forget, Forgets, Retention, Swept
from stepfast.sqlite.moves.deleting import ANY_LEFT, MOST_WORKFLOWS, clear, hide
from stepfast.sqlite.store import Store
from stepfast.sqlite.writing.effects import GuardedConnection
from stepfast.sqlite.writing.writer import WriteTurn

__all__ = ["sweep"]

NEVER = float("-inf")
LAST_KEY = 2**63 - 1

# Neither a child whose parent may ask for its result, nor a parent whose children may; and only what this
# program knows how to forget, if anybody ever said that there is something to be forgotten.
_FREE = """
   AND NOT EXISTS (SELECT 1 FROM stepfast_workflows p WHERE p.key = w.parent AND p.finished_at IS NULL)
   AND NOT EXISTS (SELECT 1 FROM stepfast_workflows c WHERE c.parent = w.key AND c.finished_at IS NULL)
   AND (name NOT IN (SELECT name FROM stepfast_forgets)
        OR name || '/' || version IN (SELECT value FROM json_each(:known)))
"""
# The first comparison of each two is for the index, the second for what has the same moment.
_DUE = """
 WHERE finished_at IS NOT NULL AND {at} <= :until AND ({at}, key) <= (:until, :last) AND {which}
"""
_REMOVED = _DUE.format(at="removed_at", which="TRUE") + _FREE
_FINISHED = _DUE.format(at="finished_at", which="removed_at IS NULL") + _FREE
_NEXT = """
SELECT key, id, name, version, {at} FROM stepfast_workflows w {due}
   AND {at} >= :after AND ({at}, key) > (:after, :key)
 ORDER BY {at}, key LIMIT :limit
"""
_STILL = "SELECT key, id FROM stepfast_workflows w {due} AND key IN (SELECT value FROM json_each(:keys))"
NEXT_REMOVED = _NEXT.format(at="removed_at", due=_REMOVED)
NEXT_FINISHED = _NEXT.format(at="finished_at", due=_FINISHED)
STILL_REMOVED = _STILL.format(due=_REMOVED)
STILL_FINISHED = _STILL.format(due=_FINISHED)

FINISHED = "SELECT total(n) FROM stepfast_counts WHERE state IN ('completed', 'failed', 'cancelled')"
OLDEST = """
SELECT finished_at, key FROM stepfast_workflows WHERE finished_at IS NOT NULL AND removed_at IS NULL
 ORDER BY finished_at, key LIMIT 1 OFFSET :offset
"""


@dataclass(frozen=True, slots=True)
class _Mark:
    """How far a sweep has come: the last one it looked at, among the removed or then among the finished.

    `removed` and `finished` are the last (moment, key) of each that goes: what came later stays this time.
    """

    removed: tuple[float, int]
    finished: tuple[float, int]
    among_finished: bool = False
    after: tuple[float, int] = (NEVER, 0)

    @property
    def last(self) -> tuple[float, int]:
        return self.finished if self.among_finished else self.removed


@dataclass(frozen=True, slots=True)
class _Candidate:
    key: int
    id: str
    forget: Forget | None


@dataclass(frozen=True, slots=True)
class _Found:
    """What a look found: what may go now, where the next look begins, and whether there will be one."""

    mark: _Mark
    candidates: list[_Candidate]
    next_mark: _Mark
    more: bool


async def sweep(
    store: Store, retention: Retention, forgets: Forgets, *, limit: int, after: Swept | None
) -> Swept:
    """`Durable.sweep`: one call is a few small commits, or none where there is nothing to do."""
    known = json.dumps([f"{name}/{version}" for name, version in forgets])
    begun = after.mark if after is not None else None
    now = store.clock.time()

    def look(connection: sqlite3.Connection) -> tuple[bool, _Found]:
        mark = begun if isinstance(begun, _Mark) else _begin(connection, retention, now)
        if connection.execute(ANY_LEFT).fetchone() == (1,):
            return True, _Found(mark, [], mark, more=True)
        return False, _look(connection, mark, forgets, known, limit)

    left_over, found = await store.readers.run(look)
    if left_over:  # by an earlier call, or by a crash
        await store.writer.do(lambda turn: clear(turn.execute), last=True)
        return Swept(more=True, mark=found.mark)

    going = _Going(found.mark, known)
    deleted: list[str] = []
    failed: list[tuple[str, Exception]] = []
    more = found.more
    plain = [each for each in found.candidates if each.forget is None]
    for first in range(0, len(plain), MOST_WORKFLOWS):
        some = plain[first : first + MOST_WORKFLOWS]
        gone, left_over = await store.writer.do(partial(going.delete, some=some), last=True)
        deleted, more = deleted + gone, more or left_over
    for one in found.candidates:
        if one.forget is None:
            continue
        try:
            forgotten = partial(going.delete_and_forget, one=one, forget=one.forget)
            gone, left_over = await store.guarded(forgotten, last=True)
        except StoreError:
            raise
        except Exception as error:
            failed.append((one.id, error))
        else:
            deleted, more = deleted + gone, more or left_over
    return Swept(tuple(deleted), tuple(failed), more, found.next_mark)


class _Going:
    """What a commit deletes: those of some candidates that are to go still.

    Each gives the ids of those that went, and whether something of them is left for another commit.
    """

    def __init__(self, mark: _Mark, known: str) -> None:
        self._still = STILL_FINISHED if mark.among_finished else STILL_REMOVED
        until, last = mark.last
        self._row = {"until": until, "last": last, "known": known}

    def delete(self, turn: WriteTurn, some: list[_Candidate]) -> tuple[list[str], bool]:
        going = turn.execute(self._still, self._row_of(some))
        if not going:
            return [], False
        hide(turn.execute, turn, [key for key, _ in going])
        return [id for _, id in going], clear(turn.execute)

    def delete_and_forget(
        self, guarded: GuardedConnection, turn: WriteTurn, one: _Candidate, forget: Forget
    ) -> tuple[list[str], bool]:
        if not guarded.ours(self._still, self._row_of([one])):
            return [], False
        hide(guarded.ours, turn, [one.key])
        guarded.theirs(lambda transaction: forget(transaction, one.id))
        return [one.id], clear(guarded.ours)

    def _row_of(self, some: list[_Candidate]) -> dict[str, object]:
        return {**self._row, "keys": json.dumps([each.key for each in some])}


def _begin(connection: sqlite3.Connection, retention: Retention, now: float) -> _Mark:
    """Which go in this round: fixed at its beginning, so that it comes to an end."""
    finished = (NEVER, 0)
    if retention.age is not None:
        finished = (now - retention.age.total_seconds(), LAST_KEY)
    if retention.keep is not None:
        (there,) = connection.execute(FINISHED).fetchone()
        if there > retention.keep:
            row = {"offset": int(there) - retention.keep - 1}
            finished = max(finished, *connection.execute(OLDEST, row))
    return _Mark((now - retention.removed_after.total_seconds(), LAST_KEY), finished)


def _look(connection: sqlite3.Connection, mark: _Mark, forgets: Forgets, known: str, limit: int) -> _Found:
    def candidates() -> list[tuple[Any, ...]]:
        (until, last), (after, key) = mark.last, mark.after
        row = {"until": until, "last": last, "after": after, "key": key, "known": known, "limit": limit}
        return connection.execute(NEXT_FINISHED if mark.among_finished else NEXT_REMOVED, row).fetchall()

    rows = candidates()
    if not rows and not mark.among_finished:
        mark = replace(mark, among_finished=True, after=(NEVER, 0))
        rows = candidates()
    next_mark = mark
    if rows:
        next_mark = replace(mark, after=(rows[-1][-1], rows[-1][0]))
    found = [_Candidate(key, id, forgets.get((name, version))) for key, id, name, version, _ in rows]
    return _Found(mark, found, next_mark, more=bool(rows) and (len(rows) == limit or not mark.among_finished))
