"""One open file: the writer, the readers, this engine's owner row, and who is told of commits.

The views (`checkpointer.py`, `scheduler.py`, `durable.py`, `catalogue.py`) share one of these.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from stepfast.clock import Clock
from stepfast.errors import StoreError
from stepfast.interfaces import Signal
from stepfast.sqlite import statements
from stepfast.sqlite.effects import WRITING, GuardedConnection
from stepfast.sqlite.migrating import migrate
from stepfast.sqlite.neighbours import Neighbours
from stepfast.sqlite.opening import reading_connection, writing_connection
from stepfast.sqlite.owners import Peer, Presence
from stepfast.sqlite.readers import Readers
from stepfast.sqlite.schema import CURRENT
from stepfast.sqlite.writer import Writer, WriteTurn
from stepfast.threads import call_on, kept, once

__all__ = ["OwnerLost", "Store"]

T = TypeVar("T")


class OwnerLost(Exception):
    """This engine's row is gone: it was stopped for a lease and taken over. It registers again."""


class Store:
    """What the views share. Made by `Store.open`."""

    def __init__(self, path: Path, clock: Clock, loop: asyncio.AbstractEventLoop) -> None:
        self.path = path
        self.clock = clock
        self._loop = loop
        self._listeners: list[tuple[asyncio.AbstractEventLoop, Callable[[Signal], None]]] = []
        self._ringing: set[asyncio.Task[None]] = set()
        self._guarded: GuardedConnection | None = None
        self._presence: Presence | None = None
        self._owner: int | None = None
        self._registering = asyncio.Lock()
        self.readers = Readers(path, lambda: reading_connection(path))
        self.writer = Writer(
            path,
            lambda: writing_connection(path),
            clock,
            CURRENT,
            committed=lambda signal: call_on(loop, self._committed, signal),
        )
        self.introduce: Callable[[WriteTurn, int], None] = lambda _turn, _owner: None
        """Writes what this engine can run, whenever it registers."""
        self.closed = False

    @classmethod
    async def open(cls, path: Path, clock: Clock) -> Store:
        """Make or migrate the file and open it; the blocking part runs on a thread."""
        loop = asyncio.get_running_loop()

        def make() -> Store:
            whole = path.absolute()
            migrate(whole)
            return cls(whole, clock, loop)

        store = await kept(once(make), given_back=lambda store: once(store._discard))
        wrote = Signal(None, ready=True)
        store.neighbours = Neighbours(store.path, clock.monotonic, lambda: store._tell(wrote))
        try:
            await store.neighbours.poll()
        except BaseException:
            await store.close(keep_alive=False)
            raise
        return store

    def _discard(self) -> None:
        """On a thread: close what was opened for somebody who has gone."""
        self.readers.close()
        self.writer.close()

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
            if loop is self._loop:
                listener(signal)
            else:
                call_on(loop, listener, signal)

    def _committed(self, signal: Signal) -> None:
        """This engine has committed: tell who listens here, and the other engines on the file."""
        self._tell(signal)
        if not self.closed:
            ringing = self._loop.create_task(self._ring(signal))
            self._ringing.add(ringing)
            ringing.add_done_callback(self._ringing.discard)

    async def _ring(self, signal: Signal) -> None:
        with contextlib.suppress(StoreError):  # the file cannot be read: the next call will say so
            await self.neighbours.ring(signal)

    # --- transactions in which code of a user's runs ---------------------------------------------

    async def guarded(self, function: Callable[[GuardedConnection, WriteTurn], T]) -> T:
        """Run `function` in a transaction of its own on the effects' connection; commit unless it raises."""
        return await self.writer.alone(lambda turn: self._guarded_transaction(function, turn))

    def _guarded_transaction(
        self, function: Callable[[GuardedConnection, WriteTurn], T], turn: WriteTurn
    ) -> T:
        if self._guarded is None:
            self._guarded = GuardedConnection(writing_connection(self.path), WRITING)
        guarded = self._guarded
        try:
            self.writer.begin(guarded.ours)
            value = function(guarded, turn)
            self.writer.commit(guarded.ours, moved=True)
        except BaseException as error:
            if guarded.connection.in_transaction:
                guarded.ours("ROLLBACK")
            elif isinstance(error, sqlite3.Error):
                # The commit failed: what this connection believes of the file may be wrong from here on.
                guarded.close()
                self._guarded = None
            raise
        return value

    # --- this engine as an owner ------------------------------------------------------------------

    async def as_owner(self, act: Callable[[WriteTurn, int], T]) -> T:
        """Run `act(turn, owner)` in a commit that has made sure this engine is registered as an owner."""
        while True:
            owner = await self._registered()

            def checked(turn: WriteTurn, owner: int = owner) -> T:
                # A row that names an owner nobody knows would never be taken over.
                if not turn.execute(statements.IS_REGISTERED, {"owner": owner}):
                    raise OwnerLost
                return act(turn, owner)

            try:
                return await self.writer.do(checked, many=True)
            except OwnerLost:
                self._forget_owner(owner)

    @property
    def owner(self) -> int | None:
        """The key of this engine's owner row, once it has one."""
        return self._owner

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
                    presence.leave()
                else:
                    self._owner, self._presence = row.result(), presence

            # A cancelled caller does not undo the commit, so what follows it happens all the same.
            registering = self.writer.do(register, many=True)
            registering.add_done_callback(registered)
            owner = await asyncio.shield(registering)
            await self.neighbours.moved_in(owner)
            return owner

    def _forget_owner(self, owner: int) -> None:
        if self._owner == owner:
            self._owner = None
            if self._presence is not None:
                self._presence.leave()
                self._presence = None

    async def beat(self) -> None:
        """Raise this owner's beat; where its row is gone, the next claim registers anew."""
        owner = self._owner
        if owner is None:
            return
        if not await self.writer.do(lambda turn: turn.execute(statements.BEAT, {"owner": owner})):
            self._forget_owner(owner)

    def still_dead(self, turn: WriteTurn, owner: int) -> bool:
        """Look at an owner's row and lock again, inside the transaction that takes it over."""
        for key, file, boot, beat, owed, _ in turn.execute(statements.OWNER, {"owner": owner}):
            return self.neighbours.still_dead(Peer(key, file, boot, beat, bool(owed)))
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
        owner = self._owner
        if owner is not None:

            def leave(turn: WriteTurn) -> None:
                if keep_alive:
                    turn.execute(statements.WITHDRAW, {"owner": owner})
                    turn.execute(statements.LAST_BEAT, {"owner": owner})
                else:
                    remove_owner(turn, owner)

            with contextlib.suppress(Exception):  # a full disk must not keep a program from quitting
                await self.writer.do(leave, many=True)
        if self._ringing:
            await asyncio.wait(self._ringing)
        await self.neighbours.close()
        await once(self.readers.close)
        # The last connection to go takes the WAL with it, and one that only reads cannot.
        await once(self.writer.close)
        if self._guarded is not None:
            await once(self._guarded.close)
        if self._presence is not None:
            if keep_alive:
                self._presence.keep()
            else:
                self._presence.leave()


def remove_owner(turn: WriteTurn, key: int) -> list[str]:
    """Queue again what an owner holds, and take its row and its offers away; returns the ids."""
    owner = {"owner": key}
    let_go = []
    for workflow, id in turn.execute(statements.HELD_BY, owner):
        numbers = {"receipt": turn.number(), "change": turn.number(), "now": turn.now}
        turn.execute(statements.TAKE_OVER, {**owner, **numbers, "workflow": workflow})
        turn.changed(workflow, ready=True)
        let_go.append(id)
    turn.execute(statements.WITHDRAW, owner)
    turn.execute(statements.UNREGISTER, owner)
    return let_go
