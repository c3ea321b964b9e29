"""`SqliteDurable`: the transitions that cross checkpoint and schedule, each of them one commit."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from stepfast.children import LONGEST_ID
from stepfast.clock import Clock, SystemClock
from stepfast.errors import AlreadyFinished, AlreadyStarted, Fenced, InvalidInput, NotAllowed, UnknownWorkflow
from stepfast.finding import findable
from stepfast.health import Health
from stepfast.interfaces import (
    Begun,
    Checkpoint,
    Claim,
    Held,
    Look,
    NewRecord,
    NewSchedule,
    Offered,
    Settlement,
    Signal,
    Started,
)
from stepfast.retention import Forget, Forgets, Retention, Swept
from stepfast.sqlite import statements
from stepfast.sqlite.asking import ask, ask_many, mark
from stepfast.sqlite.catalogue import SqliteCatalogue
from stepfast.sqlite.checkpointer import (
    SqliteCheckpointer,
    note_size,
    read_checkpoint,
    record_row,
    release_if_ours,
)
from stepfast.sqlite.copying import BORN
from stepfast.sqlite.daily import back_up_now
from stepfast.sqlite.deleting import delete
from stepfast.sqlite.families import after_cancelling, tell_parents
from stepfast.sqlite.neighbours import SLOW_SECONDS
from stepfast.sqlite.owners import BEAT, DYING, DYING_IN_TURN, end_steps, owners_folder, take_out
from stepfast.sqlite.rows import failure_text, waits_text
from stepfast.sqlite.scheduler import SqliteScheduler, ready_keys, room_for, wake
from stepfast.sqlite.schedules import DROP_SCHEDULE, keep_schedule
from stepfast.sqlite.starting import add_workflow
from stepfast.sqlite.store import Store, remove_owner
from stepfast.sqlite.sweeping import sweep
from stepfast.sqlite.upkeep import upkeep
from stepfast.sqlite.writer import WriteTurn
from stepfast.state import FINISHED
from stepfast.threads import once
from stepfast.views import Bulk, Filter

__all__ = ["SqliteDurable", "connect"]

MOST_AT_ONCE = 64  # values of a checkpoint that the thread that writes reads itself


async def connect(path: str | Path, *, clock: Clock | None = None, backups: bool = True) -> SqliteDurable:
    """Open the file at `path`, making or migrating it first.

    Args:
        path: the file; its folder is made where it is missing.
        clock: what the store takes the time from; the machine's own by default.
        backups: may `upkeep` make automatic ones?

    Raises:
        StoreError: the place, the disk, the file or the SQLite of this Python will not do; the message
            says what to do.
    """
    store = await Store.open(Path(path), clock or SystemClock())
    store.backups = backups
    return SqliteDurable(store)


class SqliteDurable:
    """A `stepfast.interfaces.Durable` over one file; made by `connect`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._anew_at = 0.0
        self._limited: set[str] = set()
        self.checkpointer = SqliteCheckpointer(store)
        self.scheduler = SqliteScheduler(store)
        self.catalogue = SqliteCatalogue(store)

    @property
    def health(self) -> Health:
        return self._store.health

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
        _check_id(id)
        asked = {"id": id, "name": name, "version": version, "input": input}
        text = findable(id, name)

        def act(turn: WriteTurn) -> Started:
            for key, *there in turn.execute(statements.FIND, asked):
                _refuse_difference(id, there, [name, version, input])
                return Started(key, id, created=False)
            if join:
                for key, pending in turn.execute(statements.JOINABLE, asked):
                    return Started(key, pending, created=False)
            return _start(turn, {**asked, "due": at, "priority": priority}, text)

        return await self._store.writer.do(act, size=len(input))

    async def arrive(self, id: str, name: str, text: str) -> str:
        def act(turn: WriteTurn) -> str:
            key = wake(turn, id)
            row = {"workflow": key, "name": name, "value": text, "position": turn.position(), "now": turn.now}
            note_size(turn.execute, key, text)
            if turn.execute(statements.ANSWER, row):
                return text
            ((stored,),) = turn.execute(statements.ANSWERED, row)
            return str(stored)

        return await self._store.writer.do(act, size=len(text))

    async def deliver(self, id: str, text: str) -> int:
        def act(turn: WriteTurn) -> int:
            key = wake(turn, id)
            position = turn.position()
            row = {"workflow": key, "position": position, "value": text, "now": turn.now}
            turn.execute(statements.MESSAGE, row)
            note_size(turn.execute, key, text)
            return position

        return await self._store.writer.do(act, size=len(text))

    async def schedule(self, new: NewSchedule) -> float:
        return await self._store.writer.do(lambda turn: keep_schedule(turn, new), size=len(new.input))

    async def unschedule(self, name: str) -> bool:
        return bool(await self._store.writer.do(lambda turn: turn.execute(DROP_SCHEDULE, {"name": name})))

    async def unblock(self, id: str, new: NewRecord) -> None:
        def act(turn: WriteTurn) -> None:
            numbers = {"receipt": turn.number(), "change": turn.number()}
            for (key,) in turn.execute(statements.UNBLOCK, {"id": id, **numbers}):
                row = record_row(key, new)
                turn.execute(statements.KEEP_RECORD, {**row, "position": turn.position(), "now": turn.now})
                note_size(turn.execute, key, new.text)
                turn.changed(key, ready=True)
                return
            for _, state in turn.execute(statements.STATE_OF, {"id": id}):
                if state in FINISHED:
                    raise AlreadyFinished(id, state)
                raise NotAllowed(id, f"workflow {id!r} is {state}, so nothing is asked of a step of it")
            raise UnknownWorkflow(id)

        await self._store.writer.do(act, size=len(new.text))

    async def rerun(self, id: str, step: str, new_id: str) -> Started:
        _check_id(new_id)

        def act(turn: WriteTurn) -> Started:
            for _ in turn.execute(statements.STATE_OF, {"id": new_id}):
                raise AlreadyStarted(new_id, "something else")
            for old, name, version, input in turn.execute(statements.FIND, {"id": id}):
                row = {"id": new_id, "name": name, "version": version, "input": input}
                row |= {"due": None, "priority": 0}
                started = _start(turn, row, findable(new_id, name))
                both = {"old": old, "new": started.key, "step": step}
                for statement in (statements.COPY_RECORDS, statements.COPY_MESSAGES, statements.COPY_WEIGHT):
                    turn.execute(statement, both)
                return started
            raise UnknownWorkflow(id)

        return await self._store.writer.do(act)

    async def reassign(self, id: str, version: int) -> None:
        def act(turn: WriteTurn) -> None:
            row = {"id": id, "version": version, "change": turn.number()}
            for (key,) in turn.execute(statements.REASSIGN, row):
                turn.changed(key, ready=True)
                return
            for _, state in turn.execute(statements.STATE_OF, {"id": id}):
                if state in FINISHED:
                    raise AlreadyFinished(id, state)
                raise NotAllowed(id, f"workflow {id!r} is {state}, so somebody is running it as it is")
            raise UnknownWorkflow(id)

        await self._store.writer.do(act)

    # --- deleting, and what the file needs now and then -------------------------------------------

    async def delete(self, id: str, forget: Forget | None = None, *, known: bool = True) -> None:
        await delete(self._store, id, forget, known=known)

    async def sweep(
        self, retention: Retention, forgets: Forgets, *, limit: int = 25, after: Swept | None = None
    ) -> Swept:
        return await sweep(self._store, retention, forgets, limit=limit, after=after)

    async def upkeep(self) -> bool:
        return await upkeep(self._store)

    async def backup(self, target: str | Path) -> Path:
        """Copy the file to `target`, or into that folder, as it is at this moment; returns where the copy is.

        Writers go on meanwhile. The copy is there when it has been read again and found whole, or not at all.

        Raises `InvalidInput` where there is something at `target`, and `StoreError`.
        """
        return await back_up_now(self._store, Path(target))

    # --- passes -----------------------------------------------------------------------------------

    async def begin(self, offered: Sequence[Offered], limit: int) -> list[Begun]:
        begun: list[Begun] = []
        self._limited |= {each.name for each in offered if each.at_once is not None}

        def act(turn: WriteTurn, owner: int) -> list[Begun]:
            begun.clear()
            ready = ready_keys(turn, offered, limit, room_for(turn, offered))
            for key, offer in ready:
                token = turn.number()
                row = {
                    "workflow": key,
                    "owner": owner,
                    "token": token,
                    "queue": offer.queue,
                    "now": turn.now,
                    "change": turn.number(),
                }
                for id, name, version, *rest in turn.execute(statements.BEGIN_PASS, row):
                    receipt, since, cleanup, given, *size = rest
                    turn.began(key)
                    checkpoint = _at_once(turn, key, *size, alone=len(ready) == 1)
                    claim = Claim(key, id, token, self._store.lock_file)
                    begun.append(
                        Begun(claim, receipt, name, version, given, since, bool(cleanup), checkpoint)
                    )
            return begun

        def give_back(begun: list[Begun]) -> None:
            for each in begun:
                self.checkpointer.give_back(each.claim)

        def undo(turn: WriteTurn, owner: int) -> None:
            release_if_ours(turn, owner, [each.claim for each in begun])

        return await self._store.as_owner(act, undo, give_back)

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
            ((state, name, queue, parent, cleanup),) = written
            if state in ("completed", "failed"):
                self._keep_result(turn, claim, settlement)
            if state == "cancelled" or cleanup:
                after_cancelling(turn, [claim.workflow], tidying=state != "cancelled")
            elif parent is not None and state in FINISHED:
                tell_parents(turn, [claim.workflow])
            # Where there is a limit, others may have been held back by this one.
            made_room = queue is not None or name in self._limited
            turn.changed(claim.workflow, ready=made_room or state in ("queued", "sleeping", "waiting"))
            return str(state)

        return await self._store.writer.do(act, size=len(settlement.result or ""))

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
        return await ask(self._store, "pause", id)

    async def cancel(self, id: str) -> str:
        return await ask(self._store, "cancel", id)

    async def resume(self, id: str) -> str:
        return await ask(self._store, "resume", id)

    async def retry(self, id: str) -> str:
        return await ask(self._store, "retry", id)

    async def remove(self, ids: Sequence[str]) -> list[str]:
        return await mark(self._store, "remove", ids)

    async def restore(self, ids: Sequence[str]) -> list[str]:
        return await mark(self._store, "restore", ids)

    async def bulk(
        self,
        action: str,
        of: Filter | Sequence[int],
        *,
        upto: int | None = None,
        without: Collection[int] = (),
    ) -> Bulk:
        return await ask_many(self._store, action, of, upto=upto, without=without)

    # --- owners -----------------------------------------------------------------------------------

    async def offer(self, offered: Sequence[Offered], command: str = "") -> None:
        def act(turn: WriteTurn, owner: int) -> None:
            turn.execute(statements.WITHDRAW, {"owner": owner})
            for each in offered:
                row = {"owner": owner, "name": each.name, "version": each.version, "title": each.title}
                row |= {"form": each.form, "command": command, "at_once": each.at_once}
                row |= {"queue": each.queue, "queue_at_once": each.queue_at_once}
                turn.execute(statements.OFFER, row)
                if each.tidies:
                    turn.execute(statements.KEEP_CLEANUP, {"name": each.name})
                if each.forgets:
                    turn.execute(statements.KEEP_FORGET, {"name": each.name})

        self._store.introduce = act  # again, should this engine be taken over while it was stopped
        await self._store.as_owner(act)

    async def beat(self) -> None:
        await self._store.beat()

    async def takeover(self) -> list[str]:
        dead = await self._store.neighbours.dead(anew=self._look_anew())
        if not dead:
            return []
        self._anew_at = 0.0  # whoever takes them over, they are soon gone
        folder = owners_folder(self._store.path)

        # No step begins beside its own orphan: what still runs for them is ended first, here where nobody
        # waits for it if possible. In the turn, one whose lease ran out may turn out to live.
        def end_what_runs() -> None:
            for peer in dead:
                if self._store.neighbours.gone(peer):
                    end_steps(folder, peer.file, patience=DYING)

        await once(end_what_runs)
        asked = self._store.clock.monotonic()

        def act(turn: WriteTurn) -> tuple[list[str], list[str]]:
            taken, files = [], []
            for peer in dead:
                if self._store.still_dead(turn, peer.key, asked) and end_steps(
                    folder, peer.file, patience=DYING_IN_TURN
                ):
                    taken += remove_owner(turn, peer.key)
                    files.append(peer.file)
            return taken, files

        taken, files = await self._store.writer.do(act)
        for file in files:
            take_out(folder, file)
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

    @property
    def beat_every(self) -> float:
        return BEAT

    def listen(self, listener: Callable[[Signal], None]) -> Callable[[], None]:
        return self._store.listen(listener)

    async def identity(self) -> str:
        def born(connection: sqlite3.Connection) -> str:
            # The moment, to the microsecond, at which the file was made: copies of it have the same.
            ((moment,),) = connection.execute(BORN).fetchall()
            return f"{moment:.6f}"

        return await self._store.readers.run(born)

    async def close(self, *, keep_alive: bool = False) -> None:
        await self._store.close(keep_alive=keep_alive)


def _check_id(id: str) -> None:
    if not id or len(id) > LONGEST_ID or not id.isprintable():
        raise InvalidInput(f"an id is 1 to {LONGEST_ID} printable characters, and {id!r} is not")


def _start(turn: WriteTurn, asked: dict[str, Any], text: str) -> Started:
    name, version, input = asked["name"], asked["version"], asked["input"]
    key = add_workflow(
        turn, asked["id"], name, version, input, due=asked["due"], priority=asked["priority"], text=text
    )
    return Started(key, asked["id"], created=True)


def _at_once(
    turn: WriteTurn, key: int, light: bool, values: int, bookmarks: int, *, alone: bool
) -> Checkpoint | None:
    """The checkpoint of one whose pass begins, where reading it here keeps nobody waiting."""
    if not values and not bookmarks:
        return Checkpoint((), (), {})
    if not (alone and light) or values + bookmarks > MOST_AT_ONCE:
        return None
    return read_checkpoint(turn.connection, key)


def _refuse_difference(id: str, there: Sequence[object], asked: Sequence[object]) -> None:
    for what, old, new in zip(("definition", "version", "input"), there, asked, strict=True):
        if old != new:
            raise AlreadyStarted(id, f"the {what} {old}, and now {new} is asked for")
