"""`SqliteDurable`: the transitions that cross checkpoint and schedule, each of them one commit."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stepfast.clock import Clock, SystemClock
from stepfast.errors import (
    AlreadyFinished,
    AlreadyStarted,
    Fenced,
    InvalidInput,
    NotAllowed,
    UnknownWorkflow,
)
from stepfast.interfaces import Begun, Claim, Held, Look, Offered, Settlement, Signal, Started
from stepfast.run import Transaction
from stepfast.sqlite import statements
from stepfast.sqlite.catalogue import SqliteCatalogue
from stepfast.sqlite.checkpointer import SqliteCheckpointer
from stepfast.sqlite.effects import GuardedConnection
from stepfast.sqlite.neighbours import SLOW_SECONDS
from stepfast.sqlite.owners import owners_folder, take_out
from stepfast.sqlite.rows import failure_text, waits_text
from stepfast.sqlite.scheduler import SqliteScheduler, ready_keys, wake
from stepfast.sqlite.store import Store, remove_owner
from stepfast.sqlite.writer import WriteTurn
from stepfast.state import FINISHED
from stepfast.threads import kept

__all__ = ["SqliteDurable", "connect"]

LONGEST_ID = 200


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a person may ask of a workflow: the statement where nobody holds it, and where somebody does."""

    done: str
    at_once: str
    of_its_holder: str
    intent: str | None
    nothing_to_do: tuple[str, ...]


PAUSE = _Asked("paused", statements.PAUSE, statements.INTEND, "pause", ("paused", "running"))
CANCEL = _Asked("cancelled", statements.CANCEL, statements.INTEND, "cancel", ("running",))
RESUME = _Asked(
    "resumed",
    statements.RESUME,
    statements.UNINTEND,
    None,
    nothing_to_do=("queued", "running", "sleeping", "waiting"),
)


async def connect(path: str | Path, *, clock: Clock | None = None) -> SqliteDurable:
    """Open the file at `path`, making or migrating it first.

    Args:
        path: the file; its folder is made where it is missing.
        clock: what the store takes the time from; the machine's own by default.

    Raises:
        StoreError: the place, the disk, the file or the SQLite of this Python will not do; the message
            says what to do.
    """
    return SqliteDurable(await Store.open(Path(path), clock or SystemClock()))


class SqliteDurable:
    """A `stepfast.interfaces.Durable` over one file; made by `connect`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._anew_at = 0.0
        self.checkpointer = SqliteCheckpointer(store)
        self.scheduler = SqliteScheduler(store)
        self.catalogue = SqliteCatalogue(store)

    @property
    def path(self) -> Path:
        """The file."""
        return self._store.path

    # --- starting, and what comes from outside ----------------------------------------------------

    async def start(
        self,
        id: str,
        name: str,
        version: int,
        input: str,
        *,
        at: float | None = None,
        priority: int = 0,
        join: bool = False,
    ) -> Started:
        if not id or len(id) > LONGEST_ID or not id.isprintable():
            raise InvalidInput(f"an id is 1 to {LONGEST_ID} printable characters, and {id!r} is not")
        asked = {"id": id, "name": name, "version": version, "input": input}

        def act(turn: WriteTurn) -> Started:
            for key, *there in turn.execute(statements.FIND, asked):
                _refuse_difference(id, there, [name, version, input])
                return Started(key, id, created=False)
            if join:
                for key, pending in turn.execute(statements.JOINABLE, asked):
                    return Started(key, pending, created=False)
            row = {**asked, "due": at, "priority": priority, "now": turn.now}
            # A key of the counter: SQLite's own choice would give a deleted workflow's key again.
            row |= {"key": turn.number(), "receipt": turn.number(), "change": turn.number()}
            ((key,),) = turn.execute(statements.START, row)
            turn.execute(statements.KEEP_INPUT, {"workflow": key, "input": input})
            turn.changed(key, ready=True)
            return Started(key, id, created=True)

        return await self._store.writer.do(act, many=True)

    async def arrive(self, id: str, name: str, text: str) -> str:
        def act(turn: WriteTurn) -> str:
            key = wake(turn, id)
            row = {"workflow": key, "name": name, "value": text, "position": turn.number(), "now": turn.now}
            if turn.execute(statements.ANSWER, row):
                return text
            ((stored,),) = turn.execute(statements.ANSWERED, row)
            return str(stored)

        return await self._store.writer.do(act, many=True)

    async def deliver(self, id: str, text: str) -> int:
        def act(turn: WriteTurn) -> int:
            key = wake(turn, id)
            position = turn.number()
            row = {"workflow": key, "position": position, "value": text, "now": turn.now}
            turn.execute(statements.MESSAGE, row)
            return position

        return await self._store.writer.do(act, many=True)

    async def delete(self, id: str, forget: Callable[[Transaction, str], None] | None = None) -> None:
        def remove(execute: Callable[..., list[tuple[Any, ...]]], turn: WriteTurn) -> None:
            found = execute(statements.STATE_OF, {"id": id})
            if not found:
                raise UnknownWorkflow(id)
            key = {"workflow": found[0][0]}
            for part in statements.DELETE_PARTS:
                execute(part, key)
            execute(statements.DELETE, key)
            execute(statements.TOMBSTONE, {"change": turn.number(), "id": id, "now": turn.now})
            turn.changed(found[0][0])

        if forget is None:
            await self._store.writer.do(lambda turn: remove(turn.execute, turn), many=True)
            return
        theirs = forget

        def act(guarded: GuardedConnection, turn: WriteTurn) -> None:
            remove(guarded.ours, turn)
            guarded.theirs(lambda transaction: theirs(transaction, id))

        await self._store.guarded(act)

    # --- passes -----------------------------------------------------------------------------------

    async def begin(self, offered: Sequence[Offered], limit: int) -> list[Begun]:
        def act(turn: WriteTurn, owner: int) -> list[Begun]:
            begun = []
            for key in ready_keys(turn, offered, limit):
                token = turn.number()
                row = {
                    "workflow": key,
                    "owner": owner,
                    "token": token,
                    "now": turn.now,
                    "change": turn.number(),
                }
                for id, name, version, receipt, given in turn.execute(statements.BEGIN_PASS, row):
                    turn.changed(key)
                    begun.append(Begun(Claim(key, id, token), receipt, name, version, given))
            return begun

        def give_back(begun: list[Begun]) -> None:
            for each in begun:
                self.checkpointer.give_back(each.claim)

        return await kept(self._store.as_owner(act), given_back=give_back)

    async def settle(self, claim: Claim, receipt: int, settlement: Settlement) -> str:
        row = {
            "workflow": claim.workflow,
            "token": claim.token,
            "receipt": receipt,
            "state": settlement.state,
            "due": settlement.due,
            "waits": waits_text(settlement.waits),
            "problems": len(settlement.problems),
        }

        def act(turn: WriteTurn) -> str:
            written = turn.execute(statements.SETTLE, {**row, "now": turn.now, "change": turn.number()})
            if not written:
                raise Fenced(f"workflow {claim.id!r} is held by another pass, or was deleted")
            state = str(written[0][0])
            if state in ("completed", "failed"):
                self._keep_result(turn, claim, settlement)
            turn.changed(claim.workflow, ready=state in ("queued", "sleeping", "waiting"))
            return state

        return await self._store.writer.do(act, many=True)

    def _keep_result(self, turn: WriteTurn, claim: Claim, settlement: Settlement) -> None:
        key = {"workflow": claim.workflow}
        failure = failure_text(settlement.failure)
        turn.execute(statements.RESULT, {**key, "result": settlement.result, "failure": failure})
        if settlement.failure is not None:
            turn.execute(
                statements.FAILED_AT, {**key, "step": settlement.failure.step, "change": turn.number()}
            )
        for position, problem in enumerate(settlement.problems):
            row = {**key, "position": position, "about": problem.about, "message": problem.message}
            turn.execute(statements.PROBLEM, row)

    async def look(self) -> Look:
        owner = self._store.owner

        def read(connection: sqlite3.Connection) -> Look:
            held = connection.execute(statements.HELD, {"owner": owner}).fetchall()
            (due,) = connection.execute(statements.NEXT_DUE).fetchone()
            return Look(tuple(Held(*each) for each in held), due)

        return await self._store.readers.run(read)

    # --- what a person asks -----------------------------------------------------------------------

    async def pause(self, id: str) -> str:
        return await self._ask(id, PAUSE)

    async def cancel(self, id: str) -> str:
        return await self._ask(id, CANCEL)

    async def resume(self, id: str) -> str:
        return await self._ask(id, RESUME)

    async def _ask(self, id: str, asked: _Asked) -> str:
        def act(turn: WriteTurn) -> str:
            row = {"id": id, "receipt": turn.number(), "change": turn.number(), "now": turn.now}
            row["intent"] = asked.intent
            for key, state in turn.execute(statements.STATE_OF, row):
                for statement in (asked.at_once, asked.of_its_holder):
                    for (now,) in turn.execute(statement, row):
                        turn.changed(key, ready=now == "queued", urgent=True)
                        return str(now)
                if state in asked.nothing_to_do:
                    return str(state)
                if state in FINISHED and asked is not RESUME:
                    raise AlreadyFinished(id, state)
                raise NotAllowed(id, f"workflow {id!r} is {state}, so it cannot be {asked.done}")
            raise UnknownWorkflow(id)

        return await self._store.writer.do(act, many=True)

    async def retry(self, id: str) -> str:
        def act(turn: WriteTurn) -> str:
            row = {"id": id, "receipt": turn.number(), "change": turn.number()}
            for key, state in turn.execute(statements.RETRY, row):
                turn.execute(statements.CLEAR_RESULT, {"workflow": key})
                turn.execute(statements.CLEAR_PROBLEMS, {"workflow": key})
                turn.changed(key, ready=True)
                return str(state)
            for _, state in turn.execute(statements.STATE_OF, {"id": id}):
                raise NotAllowed(
                    id, f"workflow {id!r} is {state}; only a failed or cancelled one is tried again"
                )
            raise UnknownWorkflow(id)

        return await self._store.writer.do(act, many=True)

    async def remove(self, ids: Sequence[str]) -> list[str]:
        return await self._mark(statements.REMOVE, ids)

    async def restore(self, ids: Sequence[str]) -> list[str]:
        return await self._mark(statements.RESTORE, ids)

    async def _mark(self, statement: str, ids: Sequence[str]) -> list[str]:
        def act(turn: WriteTurn) -> list[str]:
            marked = []
            for id in ids:
                for (key,) in turn.execute(statement, {"id": id, "now": turn.now, "change": turn.number()}):
                    turn.changed(key)
                    marked.append(id)
            return marked

        return await self._store.writer.do(act, many=True)

    # --- owners -----------------------------------------------------------------------------------

    async def offer(self, offered: Sequence[Offered], command: str = "") -> None:
        def act(turn: WriteTurn, owner: int) -> None:
            turn.execute(statements.WITHDRAW, {"owner": owner})
            for each in offered:
                row = {"owner": owner, "name": each.name, "version": each.version, "title": each.title}
                turn.execute(statements.OFFER, {**row, "form": each.form, "command": command})

        self._store.introduce = act  # again, should this engine be taken over while it was stopped
        await self._store.as_owner(act)

    async def beat(self) -> None:
        await self._store.beat()

    async def takeover(self) -> list[str]:
        dead = await self._store.neighbours.dead(anew=self._look_anew())
        if not dead:
            return []

        def act(turn: WriteTurn) -> list[str]:
            taken = []
            for peer in dead:
                if not self._store.still_dead(turn, peer.key):
                    continue
                taken += remove_owner(turn, peer.key)
            return taken

        taken = await self._store.writer.do(act, many=True)
        for peer in dead:
            take_out(owners_folder(self._store.path), peer.file)
        return taken

    def _look_anew(self) -> bool:
        """Is it time for the slow look at who there is? Between two of them, doorbells tell."""
        now = self._store.clock.monotonic()
        anew = now >= self._anew_at
        if anew:
            self._anew_at = now + SLOW_SECONDS
        return anew

    # --- commits, and the end ---------------------------------------------------------------------

    async def poll(self) -> None:
        await self._store.neighbours.poll()

    @property
    def look_every(self) -> float:
        return self._store.neighbours.look_every

    def listen(self, listener: Callable[[Signal], None]) -> Callable[[], None]:
        return self._store.listen(listener)

    async def close(self, *, keep_alive: bool = False) -> None:
        await self._store.close(keep_alive=keep_alive)


def _refuse_difference(id: str, there: Sequence[object], asked: Sequence[object]) -> None:
    for what, old, new in zip(("definition", "version", "input"), there, asked, strict=True):
        if old != new:
            raise AlreadyStarted(id, f"the {what} {old}, and now {new} is asked for")
