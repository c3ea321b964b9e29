"""One open file: the writer, the readers, this engine's owner row, and who is told of commits.

The views (`checkpointer.py`, `scheduler.py`, `durable.py`, `catalogue.py`) share one of these.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from stepfast.errors import Damaged, FileGone, OutcomeUnknown, StoreError
from stepfast.health import Health
from stepfast.interfaces import Signal
from stepfast.sqlite import statements
from stepfast.sqlite.engines.neighbours import Neighbours
from stepfast.sqlite.engines.owners import BEAT, Peer, Presence
from stepfast.sqlite.faults import newer_now
from stepfast.sqlite.file.migrating import bring_up
from stepfast.sqlite.file.opened import Opened
from stepfast.sqlite.file.opening import reading_connection, writing_connection
from stepfast.sqlite.file.place import Place
from stepfast.sqlite.moves.families import after_cancelling
from stepfast.sqlite.reading.readers import Readers
from stepfast.sqlite.reading.snapshots import Snapshots
from stepfast.sqlite.schema import CURRENT
from stepfast.sqlite.writing.calls import Execute, Slots
from stepfast.sqlite.writing.effects import GuardedConnection
from stepfast.sqlite.writing.guarding import Guarding
from stepfast.sqlite.writing.writer import Writer, WriteTurn
from stepfast.system.clock import Clock
from stepfast.system.mailbox import Mailbox
from stepfast.system.threads import call_on, kept, once

__all__ = ["OwnerLost", "Store"]

T = TypeVar("T")

HEALTH_CHANGED = Signal(frozenset(), ready=False, condition=True)
LOOK_SECONDS = 1.0  # between two looks at the place of the file while something is read


class OwnerLost(Exception):
    """This engine's row is gone: it was stopped for a lease and taken over. It registers again."""


class Store:
    """What the views share. Made by `Store.open`."""

    def __init__(self, path: Path, clock: Clock, loop: asyncio.AbstractEventLoop, opened: Opened) -> None:
        self.path = path
        self._opened = opened
        self.clock = clock
        self._loop = loop
        self._listeners: list[tuple[asyncio.AbstractEventLoop, Callable[[Signal], None]]] = []
        self._ringing: set[asyncio.Task[None]] = set()
        self._presence: Presence | None = None
        self._owner: int | None = None
        self._registering = asyncio.Lock()
        self._registration: asyncio.Future[int] | None = None
        self._beating: asyncio.Task[None] | None = None
        self._held_anew = False
        self._ending = asyncio.Event()
        self._loose_ends: list[Callable[[WriteTurn, int], None]] = []
        self._undoing: set[asyncio.Task[None]] = set()
        self.health = Health(clock.time, lambda: call_on(loop, self._tell, HEALTH_CHANGED))
        self._mailbox = Mailbox(loop)
        self._place = Place(path)
        self._snapshots = Snapshots(path)
        self.writer = Writer(
            self._place,
            self._open_writing,
            clock,
            CURRENT,
            committed=lambda signal: self._mailbox.post(self._committed, signal),
            mailbox=self._mailbox,
            health=self.health,
            snapshots=self._snapshots,
            finish=self._finish,
        )
        self._guarding = Guarding(self.writer.transacting, self._open_writing)
        self.readers = self.reading()
        self.introduce: Callable[[WriteTurn, int], None] = lambda _turn, _owner: None
        """Writes what this engine can run, whenever it registers."""
        self.closed = False
        self.backups = False
        """Does this engine make automatic backups?"""
        self.backup_look_at = -math.inf

    @classmethod
    async def open(cls, path: Path, clock: Clock) -> Store:
        """Make or migrate the file and open it; the blocking part runs on a thread."""
        loop = asyncio.get_running_loop()

        def make() -> Store:
            whole = path.absolute()
            opened, _ = bring_up(whole, clock.time)
            try:
                store = cls(whole, clock, loop, opened)
            except BaseException:
                opened.leave()
                raise
            try:
                store._place.look()  # the log is there now: learn which one it is
            except BaseException:
                store._discard()
                raise
            return store

        store = await kept(once(make), given_back=lambda store: once(store._discard))
        store._mailbox.open()
        wrote = Signal(None, ready=True)
        store.neighbours = Neighbours(
            store.path,
            clock.monotonic,
            wrote=lambda: store._tell(wrote),
            lost=store._forget_owner,
            reader=store.reading(connections=1),
        )
        try:
            await store.neighbours.poll()
        except BaseException:
            await store.close(keep_alive=False)
            raise
        return store

    def reading(self, connections: int = 3) -> Readers:
        """A pool of readers of this file, whose faults are this store's."""
        return Readers(
            self.path,
            self._open_reading,
            connections,
            explain=self._explain_reading,
            before=self._look_sometimes,
            check=self._refuse_newer,
            snapshots=self._snapshots,
        )

    def _open_reading(self) -> sqlite3.Connection:
        try:
            return self._place.connect(reading_connection)
        except StoreError:
            self.writer.wake()  # which looks, and says why
            raise

    def _open_writing(self) -> sqlite3.Connection:
        return self._place.connect(writing_connection, writing=True)

    def _finish(self) -> None:
        """On the writer's thread, at its end."""
        self._guarding.close()

    def check_file(self) -> None:
        """Raise `FileGone` where the file is not the one that was opened."""
        self._place.connect(reading_connection).close()

    def _discard(self) -> None:
        """On a thread: close what was opened for somebody who has gone."""
        self.readers.close()
        self.writer.close()
        self.writer.wal.let_go()
        self._opened.leave()

    neighbours: Neighbours

    # --- who is told ------------------------------------------------------------------------------

    def listen(self, listener: Callable[[Signal], None]) -> Callable[[], None]:
        entry = (asyncio.get_running_loop(), listener)
        self._listeners.append(entry)

        def stop() -> None:
            with contextlib.suppress(ValueError):
                self._listeners.remove(entry)

        return stop

    def _tell(self, signal: Signal) -> None:
        for loop, listener in list(self._listeners):
            if loop is not self._loop:
                call_on(loop, listener, signal)
                continue
            try:
                listener(signal)
            except Exception as error:  # the others are told all the same, as if the loop had called each
                message = f"Exception in the listener {listener!r}"
                loop.call_exception_handler({"message": message, "exception": error})

    def _committed(self, signal: Signal) -> None:
        """This engine has committed: tell who listens here, and the other engines on the file."""
        self._tell(signal)
        if not self.closed and not self.neighbours.ring_known(signal):
            ringing = self._loop.create_task(self._ring(signal))
            self._ringing.add(ringing)
            ringing.add_done_callback(self._ringing.discard)

    async def _ring(self, signal: Signal) -> None:
        with contextlib.suppress(StoreError):  # the file cannot be read: the next call will say so
            await self.neighbours.ring(signal)

    # --- faults -----------------------------------------------------------------------------------

    def _look_sometimes(self) -> None:
        """On a reader's thread: is the file still there? The writer alone decides what follows."""
        if self._place.is_due(LOOK_SECONDS):
            try:
                self._place.look()
            except StoreError:
                self.writer.wake()

    def _explain_reading(self, error: sqlite3.Error) -> BaseException:
        explained = self.writer.recovery.explain_reading(error)
        if isinstance(explained, Damaged | FileGone):
            self.writer.wake()
        return explained

    def _refuse_newer(self, execute: Execute) -> None:
        """On a reader's thread: what a newer program made of the tables may mean something else by now."""
        ((version,),) = execute(statements.SCHEMA)
        if version > CURRENT:
            newer = newer_now(self.path, version, CURRENT)
            self.writer.recovery.report(newer)
            self.writer.wake()  # which finds out when it is over
            raise newer

    # --- transactions in which code of a user's runs ---------------------------------------------

    async def guarded(
        self, function: Callable[[GuardedConnection, WriteTurn], T], *, last: bool = False
    ) -> T:
        """Run `function` in a transaction of its own on the effects' connection; commit unless it raises.

        `last`: as `Writer.do` has it.
        """
        return await self.writer.alone(lambda turn: self._guarding.run(function, turn), last=last)

    # --- this engine as an owner ------------------------------------------------------------------

    async def as_owner(
        self,
        act: Callable[[WriteTurn, int], T],
        undo: Callable[[WriteTurn, int], None] | None = None,
        *,
        along: Callable[[int], Slots] | None = None,
    ) -> T:
        """Run `act(turn, owner)` in a commit that has made sure this engine is registered as an owner.

        `undo` is called in a later one where nobody gets what `act` took, which would be out for ever, with
        nobody who knows that he has it: if nobody can tell whether the commit of `act` held, or if the caller
        was cancelled.
        `along`: in the commit of a call that makes something ready, as `Writer.along` has it; it gives what
        `act(turn, owner)` begins. Cancelled, it ends when `act` is taken back, or has been undone.
        """
        while True:
            owner = self._owner
            if owner is None:
                owner = await self._registered()

            tied: list[Callable[[WriteTurn, int], None]] = []

            def checked(
                turn: WriteTurn, owner: int = owner, tied: list[Callable[[WriteTurn, int], None]] = tied
            ) -> T:
                # A row that names an owner nobody knows would never be taken over.
                if not turn.execute(statements.IS_REGISTERED, {"owner": owner}):
                    raise OwnerLost
                tied[:] = self._loose_ends
                for each in tied:
                    each(turn, owner)
                return act(turn, owner)

            rider = None if along is None else self.writer.along(checked, partial(self._slots, along(owner)))
            writing = self.writer.do(checked) if rider is None else rider.future
            try:
                value = await asyncio.shield(writing)
            except asyncio.CancelledError:
                if rider is not None and self.writer.take_back(rider):
                    raise
                undoing = asyncio.create_task(self._undone(writing, undo), name="stepfast gives back")
                self._undoing.add(undoing)
                undoing.add_done_callback(self._undoing.discard)
                if rider is not None:
                    await asyncio.wait({undoing})
                raise
            except OwnerLost:
                self._loose_ends.clear()  # whoever took this engine over has seen to them
                self._forget_owner(owner)
            except OutcomeUnknown:
                if undo is not None:
                    self._loose_ends.append(undo)
                raise
            else:
                for each in tied:
                    with contextlib.suppress(ValueError):
                        self._loose_ends.remove(each)
                return value

    def _slots(self, slots: Slots) -> Slots | None:
        """What is begun along with others, if nothing else is to be done with it."""
        return None if self._loose_ends else slots

    async def _undone(
        self, writing: asyncio.Future[Any], undo: Callable[[WriteTurn, int], None] | None
    ) -> None:
        """Undo what `writing` comes to, for which nobody waits any more, at once or with the next commit."""
        try:
            await writing
        except OutcomeUnknown:
            pass
        except Exception:
            return  # nothing was taken
        if undo is not None and not self.closed:
            self._loose_ends.append(undo)
            with contextlib.suppress(StoreError):
                await self.as_owner(lambda _turn, _owner: None)

    @property
    def lock_file(self) -> str:
        """The path of this engine's lock file, once it has one; for claims, read as they are made."""
        presence = self._presence
        return "" if presence is None else presence.path

    @property
    def owner(self) -> int | None:
        """The key of this engine's owner row, once it has one."""
        return self._owner

    async def attend(self) -> None:
        """Be registered as an owner, whom others ring, though it may never hold anything."""
        if self._owner is None:
            await self._registered()

    async def _registered(self) -> int:
        async with self._registering:
            if self._owner is not None:
                return self._owner
            presence = Presence(self.path)
            # Hear, then register, then learn who there is: whoever registers meanwhile rings.
            doorbell = self.neighbours.hang_doorbell()

            def register(turn: WriteTurn) -> int:
                owner = turn.number()
                row = {"owner": owner, "file": presence.file, "boot": presence.boot, "pid": presence.pid}
                turn.execute(statements.REGISTER, {**row, "doorbell": doorbell, "now": turn.now})
                self.introduce(turn, owner)
                return owner

            def registered(row: asyncio.Future[int]) -> None:
                if row.cancelled() or row.exception() is not None:
                    presence.leave(registered=not row.cancelled())  # the row may be there all the same
                else:
                    self._owner, self._presence = row.result(), presence
                    self.neighbours.me = self._owner

            # A cancelled caller does not undo the commit, so what follows it happens all the same.
            self._registration = registering = self.writer.do(register)
            registering.add_done_callback(registered)
            owner = await asyncio.shield(registering)
            await self.neighbours.moved_in()
            return owner

    def _forget_owner(self, owner: int) -> None:
        """The row is gone, and with it every claim: tell the worker, whose passes go on in vain."""
        if self._owner == owner:
            self._owner = None
            if self._presence is not None:
                self._presence.leave()
                self._presence = None
            self._tell(Signal(None, ready=True))

    async def beat(self) -> None:
        """Raise this owner's beat; where its row is gone, the worker is told, and registers anew."""
        owner = self._owner
        if owner is None:
            return
        if not await self.writer.do(lambda turn: turn.execute(statements.BEAT, {"owner": owner})):
            self._forget_owner(owner)

    def keep_beating(self) -> None:
        """Something is held that no worker beats for: beat until nothing is."""
        call_on(self._loop, self._begin_beating)

    def _begin_beating(self) -> None:
        self._held_anew = True
        if self._beating is None and not self.closed:
            self._beating = self._loop.create_task(self._beat_while_held(), name="stepfast beats")

    async def _beat_while_held(self) -> None:
        while self._held_anew:
            await self.clock.wait(self._ending, BEAT)
            if self.closed:
                return
            self._held_anew = False
            try:
                held = await self._holds()
                if held:
                    await self.beat()
            except StoreError:
                held = True  # for all that is known
            self._held_anew = self._held_anew or held
        self._beating = None

    async def _holds(self) -> bool:
        row = {"owner": self._owner}
        return bool(await self.readers.run(lambda each: each.execute(statements.HELD_BY, row).fetchone()))

    def still_dead(self, turn: WriteTurn, owner: int, asked: float) -> bool:
        """Look at an owner's row and lock again, inside the transaction that takes it over.

        `asked`: when that transaction was asked for.
        """
        for key, file, boot, beat, owed, _ in turn.execute(statements.OWNER, {"owner": owner}):
            return self.neighbours.to_be_taken_over(Peer(key, file, boot, beat, bool(owed)), asked)
        return False

    # --- the end ----------------------------------------------------------------------------------

    async def close(self, *, keep_alive: bool) -> None:
        """Finish what is queued and close. `keep_alive`: a step's thread still runs.

        Then the lock and the row stay until the process ends, with a beat that says that none will follow,
        so that nobody runs the step beside its thread once a lease is over.
        """
        if self.closed:
            return
        self.closed = True
        self.writer.hurry()
        self._ending.set()
        if self._beating is not None:
            await asyncio.wait({self._beating})
        if self._registration is not None:
            await asyncio.wait({self._registration})  # whose caller may have been cancelled
        if self._undoing:
            await asyncio.wait(self._undoing)
        owner = self._owner
        registered = owner is not None
        if owner is not None:

            def leave(turn: WriteTurn) -> None:
                if keep_alive:
                    turn.execute(statements.WITHDRAW, {"owner": owner})
                    turn.execute(statements.LAST_BEAT, {"owner": owner})
                else:
                    remove_owner(turn, owner)

            with contextlib.suppress(Exception):  # a full disk must not keep a program from quitting
                await self.writer.do(leave)
                registered = False
        if self._ringing:
            await asyncio.wait(self._ringing)
        # The last connection to go takes the WAL with it, and one that only reads cannot. So readers go
        # first, unless the file is to be left as it is.
        readers_first = self.writer.wal.may_copy
        if readers_first:
            await self._close_readers()
        await once(self.writer.close)
        self._mailbox.close()
        if not readers_first:
            await self._close_readers()
        await once(self.writer.wal.let_go)
        self._opened.leave()
        if self._presence is not None:
            if keep_alive:
                self._presence.keep()
            else:
                self._presence.leave(registered=registered)

    async def _close_readers(self) -> None:
        await self.neighbours.close()
        await once(self.readers.close)


def remove_owner(turn: WriteTurn, key: int) -> list[str]:
    """Queue again what an owner holds, and take its row and its offers away; returns the ids."""
    owner = {"owner": key}
    let_go = []
    for workflow, id in turn.execute(statements.HELD_BY, owner):
        numbers = {"receipt": turn.number(), "change": turn.number(), "now": turn.now}
        taken = turn.execute(statements.TAKE_OVER, {**owner, **numbers, "workflow": workflow})
        turn.changed(workflow, ready=True)
        for state, cleanup in taken:
            if state == "cancelled" or cleanup:
                after_cancelling(turn, [workflow], tidying=state != "cancelled")
        let_go.append(id)
    turn.execute(statements.WITHDRAW, owner)
    turn.execute(statements.UNREGISTER, owner)
    return let_go
