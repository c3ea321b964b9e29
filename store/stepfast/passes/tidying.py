"""`@definition.on_cancel`: a pass of its own that tidies up after a workflow that was cancelled.

It is durable like any other: its steps are records, with names that begin with `PREFIX`, so that a step of
the clean-up never finds the record of one of the body. Answers are shared; bookmarks and notes are its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from stepfast.body.children import child_id
from stepfast.body.run import Transaction
from stepfast.interfaces import Checkpoint, Checkpointer, Claim, Kind, NewRecord, Notes, Recorded
from stepfast.views import StepRecord

__all__ = ["PREFIX", "TidyingCheckpointer", "clean_up", "own"]

T = TypeVar("T")

PREFIX = "on_cancel:"
NUMBERED = (Kind.ATTEMPT, Kind.BEGUN)


class TidyingCheckpointer:
    """A `Checkpointer` for a clean-up: what it writes has the prefix, and it sees nothing else."""

    def __init__(self, checkpointer: Checkpointer) -> None:
        self._all = checkpointer

    async def load(self, workflow: int, *, after: int = 0) -> Checkpoint:
        return own(await self._all.load(workflow, after=after))

    async def claim(self, id: str) -> Claim | None:
        return await self._all.claim(id)

    async def release(self, claim: Claim) -> None:
        await self._all.release(claim)

    async def record(self, claim: Claim, new: NewRecord, notes: Notes | None = None) -> Recorded:
        return await self._all.record(claim, new._replace(name=_prefixed(new.kind, new.name)), _notes(notes))

    async def transact(
        self,
        claim: Claim,
        name: str,
        effect: Callable[[Transaction], str],
        started_at: float,
        notes: Notes | None = None,
    ) -> Recorded:
        return await self._all.transact(claim, PREFIX + name, effect, started_at, _notes(notes))

    async def query(self, read: Callable[[Transaction], T]) -> T:
        return await self._all.query(read)

    async def child(
        self, claim: Claim, name: str, id: str, definition: str, version: int, input: str
    ) -> str | None:
        # A child of the body may have the name, and so the id.
        id = child_id(claim.id, PREFIX + name)
        return await self._all.child(claim, PREFIX + name, id, definition, version, input)

    async def note(self, claim: Claim, notes: Notes) -> None:
        await self._all.note(claim, _notes(notes) or notes)


def own(checkpoint: Checkpoint) -> Checkpoint:
    """What a clean-up sees of a checkpoint: its own records and bookmarks, and every answer and message."""
    records = tuple(
        record if record.kind == Kind.ANSWER else replace(record, name=name)
        for record in checkpoint.records
        if (name := _own_name(record)) is not None
    )
    bookmarks = {
        step.removeprefix(PREFIX): text
        for step, text in checkpoint.bookmarks.items()
        if step.startswith(PREFIX)
    }
    return Checkpoint(records, checkpoint.messages, bookmarks)


def _own_name(record: StepRecord) -> str | None:
    if record.kind == Kind.ANSWER:
        return record.name
    number, colon, name = record.name.partition(":") if record.kind in NUMBERED else ("", "", record.name)
    return f"{number}{colon}{name.removeprefix(PREFIX)}" if name.startswith(PREFIX) else None


def _prefixed(kind: str, name: str) -> str:
    if kind in NUMBERED:
        number, _, step = name.partition(":")
        return f"{number}:{PREFIX}{step}"
    return PREFIX + name


def _notes(notes: Notes | None) -> Notes | None:
    if notes is None:
        return None
    return replace(
        notes,
        step=None if notes.step is None else PREFIX + notes.step,
        bookmarks=tuple((PREFIX + step, text) for step, text in notes.bookmarks),
    )


async def clean_up(cleanup: Any, arguments: dict[str, object], run: Any) -> None:
    """The body of such a pass: what `on_cancel` was given, with the inputs that it names."""
    wanted = [*inspect.signature(cleanup).parameters][1:]
    await cleanup(run, **{name: arguments[name] for name in wanted})
