"""`SqliteScheduler`: who owes a pass, and when."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Sequence
from functools import cache

from stepfast.errors import AlreadyFinished, UnknownWorkflow
from stepfast.interfaces import Delivery, Offered
from stepfast.sqlite import statements
from stepfast.sqlite.moves.schedules import run_schedules
from stepfast.sqlite.store import Store
from stepfast.sqlite.writing.writer import WriteTurn
from stepfast.workers.limits import Room

__all__ = ["SqliteScheduler"]

# How many sleepers one commit wakes at most, so that ten thousand due at once delay no step for long.
MOST_DUE = 200
# SQLite joins at most 500 SELECTs with UNION ALL (https://sqlite.org/limits.html).
MOST_OFFERED = 200


class SqliteScheduler:
    """A `stepfast.interfaces.Scheduler` over one file."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def wake(self, id: str) -> None:
        await self._store.writer.do(lambda turn: wake(turn, id))

    async def take(self, offered: Sequence[Offered], limit: int) -> list[Delivery]:
        taken: list[Delivery] = []

        def act(turn: WriteTurn, owner: int) -> list[Delivery]:
            taken.clear()
            for key, _ in ready_keys(turn, offered, limit):
                row = {"workflow": key, "owner": owner, "change": turn.number()}
                for id, receipt in turn.execute(statements.TAKE, row):
                    turn.changed(key)
                    taken.append(Delivery(key, id, receipt))
            return taken

        def undo(turn: WriteTurn, _owner: int) -> None:
            for each in taken:  # a renewed receipt leaves a delivery that is out answered for in vain
                with contextlib.suppress(UnknownWorkflow, AlreadyFinished):
                    wake(turn, each.id)

        deliveries = await self._store.as_owner(act, undo)
        self._store.keep_beating()
        return deliveries

    async def wake_at(self, delivery: Delivery, due: float) -> bool:
        return await self._answer(statements.WAKE_AT, delivery, due)

    async def done(self, delivery: Delivery) -> bool:
        return await self._answer(statements.DONE, delivery, None)

    async def _answer(self, statement: str, delivery: Delivery, due: float | None) -> bool:
        def act(turn: WriteTurn) -> bool:
            row = {"workflow": delivery.workflow, "receipt": delivery.receipt, "due": due}
            answered = bool(turn.execute(statement, {**row, "change": turn.number()}))
            if answered:
                turn.changed(delivery.workflow, ready=True)
            return answered

        return await self._store.writer.do(act)

    async def next_due(self) -> float | None:
        def read(connection: sqlite3.Connection) -> float | None:
            due: float | None
            (due,) = connection.execute(statements.NEXT_DUE).fetchone()
            return due

        return await self._store.readers.run(read)


def wake(turn: WriteTurn, id: str) -> int:
    """Renew the receipt of a pending workflow, and make it ready if it sleeps or waits; returns its key."""
    row = {"id": id, "receipt": turn.number(), "change": turn.number()}
    for key, state in turn.execute(statements.WAKE, row):
        turn.changed(key, ready=state == "queued", urgent=True)
        return int(key)
    raise not_pending(turn, id)


def not_pending(turn: WriteTurn, id: str) -> UnknownWorkflow | AlreadyFinished:
    """Why nothing pending has this id."""
    for _, state in turn.execute(statements.STATE_OF, {"id": id}):
        return AlreadyFinished(id, state)
    return UnknownWorkflow(id)


def ready_keys(
    turn: WriteTurn, offered: Sequence[Offered], limit: int, room: Room | None = None
) -> list[tuple[int, Offered]]:
    """Start and make ready what is due, then give what is ready, most urgent first, with the offer it fits.

    `room`: how many more may run, where there are limits.
    """
    run_schedules(turn)
    for (key,) in turn.execute(statements.DUE, {"now": turn.now, "limit": MOST_DUE}):
        row = {"workflow": key, "receipt": turn.number(), "change": turn.number()}
        turn.execute(statements.MAKE_READY, row)
        turn.changed(key, ready=True)
    wanted = [(each, limit if room is None else min(limit, room.of(each))) for each in offered]
    if room is not None:
        # What has no room is not asked for, so that it costs nothing and keeps nobody back.
        wanted = [(each, most) for each, most in wanted if most]
    found: list[tuple[int, int, int, str, int]] = []
    for start in range(0, len(wanted), MOST_OFFERED):
        some = wanted[start : start + MOST_OFFERED]
        parameters = [each for offer, most in some for each in (offer.name, offer.version, most)]
        found += turn.execute(_ready(len(some)), parameters)
    found.sort(key=lambda each: (-each[1], each[2], each[0]))
    by_name = {(each.name, each.version): each for each in offered}
    ready: list[tuple[int, Offered]] = []
    for key, _, _, name, version in found:
        if len(ready) == limit:
            break
        offer = by_name[name, version]
        if room is None or room.take(offer):
            ready.append((key, offer))
    return ready


def room_for(turn: WriteTurn, offered: Sequence[Offered]) -> Room | None:
    """How many more of each may run, as the file has it in this commit; None where nothing has a limit."""
    room = Room(offered)
    if not room.names and not room.queues:
        return None
    if room.names:
        room.running(of=dict(turn.execute(statements.RUNNING_OF, {"names": json.dumps([*room.names])})))
    if room.queues:
        room.running(within=dict(turn.execute(statements.RUNNING_IN, {"queues": json.dumps([*room.queues])})))
    return room


@cache
def _ready(count: int) -> str:
    return " UNION ALL ".join([statements.READY_OF] * count)
