"""`SqliteCheckpointer`: what may be written to a workflow, and who may write it."""

from __future__ import annotations

import json
import sqlite3
from asyncio import get_running_loop
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

from stepfast.body.run import Transaction
from stepfast.errors import Fenced
from stepfast.interfaces import Checkpoint, Claim, Kind, Message, NewRecord, Notes, Recorded
from stepfast.sqlite import statements
from stepfast.sqlite.moves.families import after_cancelling, start_child
from stepfast.sqlite.store import Store
from stepfast.sqlite.writing.calls import Insert
from stepfast.sqlite.writing.effects import GuardedConnection
from stepfast.sqlite.writing.writer import WriteTurn
from stepfast.views import StepRecord

__all__ = [
    "SqliteCheckpointer",
    "as_checkpoint",
    "record_row",
    "release_if_ours",
    "step_record",
    "stored",
    "write_notes",
]

T = TypeVar("T")

# Runs one statement on the connection whose transaction is open.
Execute = Callable[..., list[tuple[Any, ...]]]


LARGE = 64 * 1024  # characters of a value
ATTEMPT = Kind.ATTEMPT


class SqliteCheckpointer:
    """A `stepfast.interfaces.Checkpointer` over one file."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.claimed: set[int] = set()
        """The tokens of the claims of `claim` that have not been released."""

    async def load(self, workflow: int, *, after: int = 0) -> Checkpoint:
        # All of it on the reader's thread: the loop has better things to do than parsing.
        return await self._store.readers.run(lambda connection: read_checkpoint(connection, workflow, after))

    async def claim(self, id: str) -> Claim | None:
        claims: list[Claim] = []

        def act(turn: WriteTurn, owner: int) -> Claim | None:
            claims.clear()
            token = turn.number()
            row = {"id": id, "token": token, "owner": owner, "now": turn.now, "change": turn.number()}
            for (key,) in turn.execute(statements.CLAIM, row):
                turn.changed(key)
                claims.append(Claim(key, id, token, self._store.lock_file))
                return claims[0]
            return None

        claim = await self._store.as_owner(act, lambda turn, owner: release_if_ours(turn, owner, claims))
        self._store.keep_beating()
        if claim is not None:
            self.claimed.add(claim.token)
        return claim

    async def release(self, claim: Claim) -> None:
        await self._store.writer.do(lambda turn: _release(turn, claim))
        self.claimed.discard(claim.token)

    def record(self, claim: Claim, new: NewRecord, notes: Notes | None = None) -> Awaitable[Recorded]:
        kind, name, text, started_at, attempts, bookmarked = new
        if notes is None and not bookmarked and kind != ATTEMPT and len(text) <= LARGE:
            row = (claim.workflow, claim.token, kind, name, text, started_at, attempts)
            return self._store.writer.put(_NewRow(claim, new, row, _recorded((text, True))))

        def act(turn: WriteTurn) -> Recorded:
            recorded = _record(turn.execute, turn, claim, new)
            if notes is not None:
                write_notes(turn.execute, turn, claim, notes)
            return recorded

        return self._store.writer.do(act, size=len(text))

    async def transact(
        self,
        claim: Claim,
        name: str,
        effect: Callable[[Transaction], str],
        started_at: float,
        notes: Notes | None = None,
    ) -> Recorded:
        def act(guarded: GuardedConnection, turn: WriteTurn) -> Recorded:
            text = stored(guarded.ours, claim, Kind.STEP, name)
            if text is not None:
                if notes is not None:
                    write_notes(guarded.ours, turn, claim, notes)
                return Recorded(text, first=False)
            text = guarded.theirs(effect)
            recorded = _record(
                guarded.ours, turn, claim, NewRecord(Kind.STEP, name, text, started_at, 1, True)
            )
            if notes is not None:
                write_notes(guarded.ours, turn, claim, notes)
            return recorded

        return await self._store.guarded(act)

    async def query(self, read: Callable[[Transaction], T]) -> T:
        return await self._store.readers.run_theirs(read)

    async def note(self, claim: Claim, notes: Notes) -> None:
        def act(turn: WriteTurn) -> None:
            if not turn.execute(statements.HOLDS, {"workflow": claim.workflow, "token": claim.token}):
                raise Fenced(f"workflow {claim.id!r} is held by another pass")
            write_notes(turn.execute, turn, claim, notes)

        await self._store.writer.do(act)

    async def child(
        self, claim: Claim, name: str, id: str, definition: str, version: int, input: str
    ) -> str | None:
        def act(turn: WriteTurn) -> str | None:
            return start_child(turn, claim, name, id, definition, version, input)

        return await self._store.writer.do(act, size=len(input))


class _NewRow(Insert[Recorded]):
    """A record: one object for each step."""

    statement = staticmethod(statements.record_rows)

    def __init__(self, claim: Claim, new: NewRecord, row: tuple[Any, ...], inserted: Recorded) -> None:
        # What `Call` does, without a call of that.
        self.loop = loop = get_running_loop()
        self.future = loop.create_future()
        self._claim = claim
        self._new = new
        self.row = row
        self.inserted = inserted

    def function(self, turn: WriteTurn) -> Recorded:
        return _record(turn.execute, turn, self._claim, self._new)


# As `Recorded` called, which is a function in Python: 0.3 us less for each step.
_recorded: Callable[[tuple[str, bool]], Recorded] = partial(tuple.__new__, Recorded)


def _release(turn: WriteTurn, claim: Claim) -> None:
    row = {"workflow": claim.workflow, "token": claim.token, "change": turn.number()}
    for state, cleanup in turn.execute(statements.RELEASE, {**row, "now": turn.now}):
        turn.changed(claim.workflow, ready=True)
        if state == "cancelled" or cleanup:
            after_cancelling(turn, [claim.workflow], tidying=state != "cancelled")


def release_if_ours(turn: WriteTurn, owner: int, claims: Sequence[Claim]) -> None:
    """End those of these claims that were granted; if they were not, somebody else may have the token."""
    for claim in claims:
        row = {"workflow": claim.workflow, "token": claim.token, "owner": owner}
        if turn.execute(statements.HOLDS_AS, row):
            _release(turn, claim)


def read_checkpoint(connection: sqlite3.Connection, workflow: int, after: int = 0) -> Checkpoint:
    """What is recorded of a workflow."""
    row = connection.execute(statements.LOAD, {"workflow": workflow, "after": after}).fetchone()
    if row is None:
        return Checkpoint((), (), {})
    return as_checkpoint(*map(json.loads, row))


def as_checkpoint(records: list[Any], messages: list[Any], bookmarks: dict[str, str]) -> Checkpoint:
    """What is recorded of a workflow, as it was read."""
    return Checkpoint(
        records=tuple(sorted(map(step_record, records), key=lambda each: each.position)),
        messages=tuple(Message(*each) for each in sorted(messages)),
        bookmarks=bookmarks,
    )


def note_size(execute: Execute, workflow: int, text: str) -> None:
    """Note that a workflow has a value that takes a while to read, if this is one."""
    if len(text) > LARGE:
        execute(statements.HEAVY, {"workflow": workflow})


def note_attempt(execute: Execute, workflow: int, new: NewRecord) -> None:
    """Count an attempt that came to nothing, for lists, if this record is one."""
    if new.kind == Kind.ATTEMPT:
        execute(statements.ATTEMPTED, {"workflow": workflow})


def step_record(row: list[Any]) -> StepRecord:
    kind, name, value, position, started_at, recorded_at, attempts = row
    started, recorded = (datetime.fromtimestamp(each, UTC) for each in (started_at, recorded_at))
    return StepRecord(kind, name, value, position, started, recorded, attempts)


def stored(execute: Execute, claim: Claim, kind: str, name: str) -> str | None:
    """What is recorded under a name, or None; raises `Fenced` where the claim does not stand."""
    row = {"workflow": claim.workflow, "token": claim.token, "kind": kind, "name": name}
    found = execute(statements.RECORDED, row)
    if not found:
        raise Fenced(f"workflow {claim.id!r} is held by another pass, or was deleted; this one may not write")
    text: str | None = found[0][0]
    return text


def _record(execute: Execute, turn: WriteTurn, claim: Claim, new: NewRecord) -> Recorded:
    row = {**record_row(claim.workflow, new), "token": claim.token}
    row |= {"position": turn.record_position(), "now": turn.now}
    if not execute(statements.RECORD, row):
        text = stored(execute, claim, new.kind, new.name)
        assert text is not None, "a record that was refused for being there is there"
        return Recorded(text, first=False)
    note_size(execute, claim.workflow, new.text)
    note_attempt(execute, claim.workflow, new)
    if new.bookmarked:
        execute(statements.FORGET_BOOKMARK, {"workflow": claim.workflow, "step": new.name})
    return Recorded(new.text, first=True)


def record_row(workflow: int, new: NewRecord) -> dict[str, Any]:
    """The parameters of a statement that writes a record."""
    return {
        "workflow": workflow,
        "kind": new.kind,
        "name": new.name,
        "value": new.text,
        "started_at": new.started_at,
        "attempts": new.attempts,
    }


def write_notes(execute: Execute, turn: WriteTurn, claim: Claim, notes: Notes) -> None:
    """Write what changes all the time, in a transaction that has checked the claim."""
    for step, value in notes.bookmarks:
        note_size(execute, claim.workflow, value)
        execute(statements.BOOKMARK, {"workflow": claim.workflow, "step": step, "value": value})
    for at, level, step_name, text in notes.log:
        line = {"workflow": claim.workflow, "position": turn.number(), "at": at, "level": level}
        execute(statements.LOG, {**line, "step": step_name, "text": text})
    if notes.step is not None or notes.progress is not None:
        progress = notes.progress
        row = {
            "workflow": claim.workflow,
            "step": notes.step,
            "done": progress.done if progress else None,
            "total": progress.total if progress else None,
            "text": progress.text if progress else "",
            "from_done": progress.from_done if progress else None,
            "from_at": progress.from_at if progress else None,
            "change": turn.number(),
        }
        execute(statements.PROGRESS, row)
    turn.goes_on(claim.workflow)
