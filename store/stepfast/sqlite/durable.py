"""`SqliteDurable`: the transitions that cross checkpoint and schedule, each of them one commit."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepfast.body.children import check_id
from stepfast.errors import AlreadyFinished, AlreadyStarted, NotAllowed, UnknownWorkflow
from stepfast.finding import findable
from stepfast.health import Health
from stepfast.interfaces import (
    Begun,
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
from stepfast.late import imported
from stepfast.placing import Where
from stepfast.retention import Forget, Forgets, Retention, Swept
from stepfast.sqlite import statements
from stepfast.sqlite.catalogue import SqliteCatalogue
from stepfast.sqlite.checkpointer import (
    SqliteCheckpointer,
    note_attempt,
    note_size,
    record_row,
    release_if_ours,
)
from stepfast.sqlite.engines.neighbours import SLOW_SECONDS
from stepfast.sqlite.engines.owners import BEAT, DYING, DYING_IN_TURN, end_steps, owners_folder, take_out
from stepfast.sqlite.moves.beginning import begin_passes
from stepfast.sqlite.moves.schedules import DROP_SCHEDULE, keep_schedule, switch_schedule
from stepfast.sqlite.moves.settling import Settling
from stepfast.sqlite.moves.starting import New, add_workflow, start_at_once, start_together
from stepfast.sqlite.scheduler import SqliteScheduler, wake
from stepfast.sqlite.store import Store, remove_owner
from stepfast.sqlite.writing.calls import Slots, Together
from stepfast.sqlite.writing.writer import WriteTurn
from stepfast.state import FINISHED
from stepfast.system.clock import Clock, SystemClock
from stepfast.system.threads import once
from stepfast.views import Filter

if TYPE_CHECKING:
    from stepfast.details import Bulk

__all__ = ["SqliteDurable", "connect"]

SHORT = 4096  # characters of an input that is written with others


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
        self._settling = Settling(self._limited)
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
        check_id(id)
        text = findable(id, name)

        def act(turn: WriteTurn) -> Started:
            asked = {"id": id, "name": name, "version": version, "input": input}
            for key, *there in turn.execute(statements.FIND, asked):
                _refuse_difference(id, there, [name, version, input])
                return Started(key, id, created=False)
            if join:
                for key, pending in turn.execute(statements.JOINABLE, asked):
                    return Started(key, pending, created=False)
            return _start(turn, {**asked, "due": at, "priority": priority}, text)

        together = None
        if at is None and not join and len(input) <= SHORT:
            new = New(id, name, version, priority, input, text)
            together = Together(start_together, new, (name, version, priority), start_at_once, ready=True)
        return await self._store.writer.do(act, together=together, size=len(input))

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

    async def switch_schedule(self, name: str, on: bool) -> bool:
        return await self._store.writer.do(lambda turn: switch_schedule(turn, name, on=on))

    async def unblock(self, id: str, new: NewRecord) -> None:
        def act(turn: WriteTurn) -> None:
            numbers = {"receipt": turn.number(), "change": turn.number()}
            for (key,) in turn.execute(statements.UNBLOCK, {"id": id, **numbers}):
                row = record_row(key, new)
                turn.execute(statements.KEEP_RECORD, {**row, "position": turn.position(), "now": turn.now})
                note_size(turn.execute, key, new.text)
                note_attempt(turn.execute, key, new)
                turn.changed(key, ready=True)
                return
            for _, state in turn.execute(statements.STATE_OF, {"id": id}):
                if state in FINISHED:
                    raise AlreadyFinished(id, state)
                raise NotAllowed(id, f"workflow {id!r} is {state}, so nothing is asked of a step of it")
            raise UnknownWorkflow(id)

        await self._store.writer.do(act, size=len(new.text))

    async def rerun(self, id: str, step: str, new_id: str) -> Started:
        check_id(new_id)

        def act(turn: WriteTurn) -> Started:
            for old, name, version, input in turn.execute(statements.FIND, {"id": id}):
                if turn.execute(statements.STATE_OF, {"id": new_id}):
                    raise AlreadyStarted(new_id, "something else")
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
        from stepfast.sqlite.moves.deleting import delete

        await delete(self._store, id, forget, known=known)

    async def sweep(
        self, retention: Retention, forgets: Forgets, *, limit: int = 25, after: Swept | None = None
    ) -> Swept:
        await imported("stepfast.sqlite.care.sweeping")
        from stepfast.sqlite.care.sweeping import sweep

        return await sweep(self._store, retention, forgets, limit=limit, after=after)

    async def upkeep(self) -> bool:
        await imported("stepfast.sqlite.care.upkeep")
        from stepfast.sqlite.care.upkeep import upkeep

        return await upkeep(self._store)

    async def backup(self, target: str | Path | None = None) -> Path:
        """Copy the file as it is now to `target`, or into that folder; else beside the automatic backups.

        Returns where the copy is. Writers go on meanwhile. It is there when it has been read again and found
        whole, or not at all.

        Raises `InvalidInput` where there is something at `target`, and `StoreError`.
        """
        await imported("stepfast.sqlite.care.daily")
        from stepfast.sqlite.care.daily import back_up_now

        return await back_up_now(self._store, None if target is None else Path(target))

    def try_again(self) -> None:
        """Look at once whether what stops the work is over, and not after the pause that has begun."""
        self._store.writer.recovery.hurry()
        self._store.writer.wake()

    def hurry(self) -> None:
        self._store.writer.hurry()

    # --- passes -----------------------------------------------------------------------------------

    async def begin(self, offered: Sequence[Offered], limit: int) -> list[Begun]:
        return await self._begin(offered, limit)

    async def begin_next(self, offered: Sequence[Offered], limit: int) -> list[Begun]:
        return await self._begin(offered, limit, along=True)

    async def _begin(self, offered: Sequence[Offered], limit: int, *, along: bool = False) -> list[Begun]:
        begun: list[Begun] = []
        self._limited |= {each.name for each in offered if each.at_once is not None}

        def act(turn: WriteTurn, owner: int) -> list[Begun]:
            begun.clear()
            if along:
                turn.offered = offered
            begun.extend(begin_passes(turn, owner, self._store.lock_file, offered, limit))
            return begun

        def undo(turn: WriteTurn, owner: int) -> None:
            release_if_ours(turn, owner, [each.claim for each in begun])

        def slots(owner: int) -> Slots:
            return Slots(owner, self._store.lock_file, offered, limit, begun)

        return await self._store.as_owner(act, undo, along=slots if along else None)

    async def settle(self, claim: Claim, receipt: int, settlement: Settlement) -> str:
        return await self._store.writer.do(
            lambda turn: self._settling.settle(turn, claim, receipt, settlement),
            together=self._settling.together(claim, settlement),
            size=len(settlement.result or ""),
        )

    async def look(self) -> Look:
        owner = self._store.owner

        def read(connection: sqlite3.Connection) -> Look:
            held = connection.execute(statements.HELD, {"owner": owner}).fetchall()
            (due,) = connection.execute(statements.NEXT_DUE).fetchone()
            return Look(tuple(Held(*each) for each in held), due)

        look = await self._store.readers.run(read)
        if claimed := self.checkpointer.claimed:
            held = (each._replace(begun=each.token not in claimed) for each in look.held)
            return Look(tuple(held), look.next_due)
        return look

    # --- what a person asks -----------------------------------------------------------------------

    async def pause(self, id: str) -> str:
        return await self._ask("pause", id)

    async def cancel(self, id: str) -> str:
        return await self._ask("cancel", id)

    async def resume(self, id: str) -> str:
        return await self._ask("resume", id)

    async def retry(self, id: str) -> str:
        return await self._ask("retry", id)

    async def remove(self, ids: Sequence[str]) -> list[str]:
        return await self._mark("remove", ids)

    async def restore(self, ids: Sequence[str]) -> list[str]:
        return await self._mark("restore", ids)

    async def _ask(self, action: str, id: str) -> str:
        from stepfast.sqlite.moves.asking import ask

        return await ask(self._store, action, id)

    async def _mark(self, action: str, ids: Sequence[str]) -> list[str]:
        from stepfast.sqlite.moves.asking import mark

        return await mark(self._store, action, ids)

    async def bulk(
        self,
        action: str,
        of: Filter | Sequence[int],
        *,
        upto: int | None = None,
        without: Collection[int] = (),
    ) -> Bulk:
        from stepfast.sqlite.moves.asking import ask_many

        return await ask_many(self._store, action, of, upto=upto, without=without)

    async def prioritise(
        self,
        of: Filter | Sequence[int],
        priority: int,
        *,
        upto: int | None = None,
        without: Collection[int] = (),
    ) -> Bulk:
        from stepfast.sqlite.moves.asking import prioritise_many

        return await prioritise_many(self._store, of, priority, upto=upto, without=without)

    async def line_up(self, keys: Sequence[int], where: Where, other: int | None = None) -> Bulk:
        from stepfast.sqlite.moves.lining_up import line_up

        return await line_up(self._store, keys, where, other)

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

    async def attend(self) -> None:
        await self._store.attend()

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
            from stepfast.sqlite.care.copying import BORN

            # The moment, to the microsecond, at which the file was made: copies of it have the same.
            ((moment,),) = connection.execute(BORN).fetchall()
            return f"{moment:.6f}"

        return await self._store.readers.run(born)

    async def close(self, *, keep_alive: bool = False) -> None:
        await self._store.close(keep_alive=keep_alive)


def _start(turn: WriteTurn, asked: dict[str, Any], text: str) -> Started:
    name, version, input = asked["name"], asked["version"], asked["input"]
    key = add_workflow(
        turn, asked["id"], name, version, input, due=asked["due"], priority=asked["priority"], text=text
    )
    return Started(key, asked["id"], created=True)


def _refuse_difference(id: str, there: Sequence[object], asked: Sequence[object]) -> None:
    for what, old, new in zip(("definition", "version", "input"), there, asked, strict=True):
        if old != new:
            raise AlreadyStarted(id, f"the {what} {old}, and now {new} is asked for")
