"""The durable of a memory store: the transitions that cross checkpoint and schedule."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stepfast.clock import Clock, SystemClock
from stepfast.errors import AlreadyFinished, AlreadyStarted, InvalidInput, NotAllowed
from stepfast.interfaces import (
    Begun,
    Claim,
    Held,
    Kind,
    Look,
    Message,
    NewRecord,
    Offered,
    Settlement,
    Signal,
    Started,
)
from stepfast.memory.owner import Owner
from stepfast.memory.rows import Memory, Row
from stepfast.memory.views import MemoryCatalogue, MemoryCheckpointer, MemoryScheduler
from stepfast.run import Transaction

__all__ = ["MemoryDurable"]

LONGEST_ID = 200  # as over SQLite, so that what works here works there
SETTLED = ("completed", "failed", "cancelled", "sleeping", "waiting", "paused", "queued")


class MemoryDurable:
    """A `stepfast.interfaces.Durable` over dicts: for tests, and for trying a body.

    Each is one engine, an owner. Several over one `Memory` are what several processes over one file are;
    `die` ends one as SIGKILL would. All belong to one event loop, and nothing is on any disk.

    Args:
        memory: what to work on; a new one where it is left out.
        clock: what sleeps and times are read from.
    """

    def __init__(self, memory: Memory | None = None, clock: Clock | None = None) -> None:
        self.memory = Memory() if memory is None else memory
        self.clock = SystemClock() if clock is None else clock
        self._owner = Owner(self.memory, self.clock)
        self._checkpointer = MemoryCheckpointer(self._owner)
        self._scheduler = MemoryScheduler(self._owner)
        self._catalogue = MemoryCatalogue(self._owner)

    @property
    def checkpointer(self) -> MemoryCheckpointer:
        return self._checkpointer

    @property
    def scheduler(self) -> MemoryScheduler:
        return self._scheduler

    @property
    def catalogue(self) -> MemoryCatalogue:
        return self._catalogue

    @property
    def owner(self) -> int:
        """The key of this engine as an owner, as `Running` and `Offer` show it."""
        return self._owner.key

    # --- starting, passing, settling

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
        await self._owner.turn()
        memory, now = self.memory, self.clock.time()
        if (key := memory.ids.get(id)) is not None:
            _check_same(memory.rows[key], name, version, input)
            return Started(key, id, created=False)
        if join:
            for row in memory.rows.values():
                same = (row.name, row.version, row.input) == (name, version, input)
                if same and not row.finished and row.removed_at is None:
                    return Started(row.key, row.id, created=False)
        row = Row(memory.next(), id, name, version, input, priority, created_at=now)
        memory.rows[row.key] = row
        memory.ids[id] = row.key
        if at is not None and at > now:
            row.state, row.due = "sleeping", at
            memory.touch(row)
        else:
            memory.queue(row)
        self._owner.changed(row)
        return Started(row.key, id, created=True)

    async def begin(self, offered: Sequence[Offered], limit: int) -> list[Begun]:
        await self._owner.turn()
        now = self.clock.time()
        due = self.memory.due(now)
        ready = self.memory.ready(offered, limit)
        begun = []
        for row in ready:
            claim = self.memory.hold(row, self._owner.key, now)
            row.taken = None
            begun.append(Begun(claim, row.receipt, row.name, row.version, row.input))
        if due or ready:
            self._owner.changed(*due, *ready)
        return begun

    async def settle(self, claim: Claim, receipt: int, settlement: Settlement) -> str:
        await self._owner.turn()
        if settlement.state not in SETTLED or (settlement.state == "sleeping" and settlement.due is None):
            raise ValueError(f"a pass cannot be settled by {settlement}")
        row = self.memory.held(claim)
        self.memory.let_go(row, _outcome(row, receipt, settlement), self.clock.time())
        self._owner.changed(row)
        return row.state

    # --- what comes from outside

    async def arrive(self, id: str, name: str, text: str) -> str:
        await self._owner.turn()
        row, now = self._pending(id), self.clock.time()
        stored = self.memory.keep(row, NewRecord(Kind.ANSWER, name, text, started_at=now), now)
        self.memory.wake(row)
        self._owner.changed(row)
        return stored.text

    async def deliver(self, id: str, text: str) -> int:
        """Append a message and wake the workflow; returns the message's position."""
        await self._owner.turn()
        row = self._pending(id)
        message = Message(self.memory.next(), text)
        row.messages.append(message)
        self.memory.wake(row)
        self._owner.changed(row)
        return message.position

    async def delete(self, id: str, forget: Callable[[Transaction, str], None] | None = None) -> None:
        await self._owner.turn()
        row = self.memory.named(id)
        if forget is not None:
            self.memory.tables.transact(lambda transaction: forget(transaction, id))
        self.memory.remove(row)
        self._owner.changed(row)

    async def pause(self, id: str) -> str:
        await self._owner.turn()
        row = self._pending(id)
        match row.state:
            case "running":
                row.intent = row.intent or "pause"
                self.memory.touch(row)
            case "blocked":
                raise NotAllowed(id, f"workflow {id!r} is blocked: say what happened to its step first")
            case "paused":
                return row.state
            case _:
                self.memory.let_go(row, Settlement("paused"), self.clock.time())
        self._owner.changed(row)
        return row.state

    async def resume(self, id: str) -> str:
        await self._owner.turn()
        row = self.memory.named(id)
        match row.state:
            case "paused":
                self.memory.queue(row)
                self._owner.changed(row)
            case "running" if row.intent == "pause":
                row.intent = None
                self.memory.touch(row)
                self._owner.changed(row)
            case "queued" | "running" | "sleeping" | "waiting":
                pass
            case _:
                raise NotAllowed(id, f"workflow {id!r} is {row.state}, so it cannot be resumed")
        return row.state

    async def cancel(self, id: str) -> str:
        await self._owner.turn()
        row = self._pending(id)
        if row.state == "running":
            row.intent = "cancel"
            self.memory.touch(row)
        else:
            self.memory.let_go(row, Settlement("cancelled"), self.clock.time())
        self._owner.changed(row)
        return row.state

    async def retry(self, id: str) -> str:
        await self._owner.turn()
        row = self.memory.named(id)
        if row.state not in ("failed", "cancelled"):
            raise NotAllowed(id, f"workflow {id!r} is {row.state}; retry is for failed and cancelled ones")
        self.memory.renew(row)
        self._owner.changed(row)
        return row.state

    async def remove(self, ids: Sequence[str]) -> list[str]:
        return await self._mark(ids, self.clock.time())

    async def restore(self, ids: Sequence[str]) -> list[str]:
        return await self._mark(ids, None)

    async def _mark(self, ids: Sequence[str], at: float | None) -> list[str]:
        await self._owner.turn()
        rows = [row for row in self.memory.rows.values() if row.id in ids and row.finished]
        rows = [row for row in rows if (row.removed_at is None) != (at is None)]
        for row in rows:
            row.removed_at = at
            self.memory.touch(row)
        self._owner.changed(*rows)
        return [row.id for row in rows]

    # --- owners

    async def look(self) -> Look:
        await self._owner.turn()
        held = tuple(
            Held(row.key, row.token, row.receipt, row.intent)
            for row in self.memory.rows.values()
            if row.owner == self._owner.key and row.token is not None
        )
        return Look(held, self.memory.next_due())

    async def offer(self, offered: Sequence[Offered], command: str = "") -> None:
        """Say what this engine can run, in place of what it said before."""
        await self._owner.turn()
        self.memory.offers[self._owner.key] = (command, tuple(offered))
        self._owner.changed()

    async def beat(self) -> None:
        """Nothing to raise: an owner here is known to live, or to be dead, and no lease is kept."""
        await self._owner.turn()

    async def takeover(self) -> list[str]:
        await self._owner.turn()
        orphans = self.memory.orphans()
        for row in orphans:
            self.memory.abandon(row, self.clock.time())
        if orphans:
            self._owner.changed(*orphans)
        return [row.id for row in orphans]

    @property
    def look_every(self) -> float:
        return 2.0

    async def poll(self) -> None:
        await self._owner.turn()
        self._owner.hear()

    def listen(self, listener: Callable[[Signal], None]) -> Callable[[], None]:
        return self._owner.listen(listener)

    async def close(self, *, keep_alive: bool = False) -> None:
        """Refuse every later call. What is held then is for others to take over, unless kept alive."""
        self._owner.leave(keep_alive=keep_alive)

    def die(self) -> None:
        """End as SIGKILL ends a process: nothing is said, and what is held stays until a takeover."""
        self._owner.leave()

    def _pending(self, id: str) -> Row:
        row = self.memory.named(id)
        if row.finished:
            raise AlreadyFinished(id, row.state)
        return row


def _check_same(row: Row, name: str, version: int, input: str) -> None:
    if row.name != name:
        raise AlreadyStarted(row.id, f"the definition {row.name!r}, not {name!r}")
    if row.version != version:
        raise AlreadyStarted(row.id, f"version {row.version} of {name!r}, not {version}")
    if row.input != input:
        raise AlreadyStarted(row.id, "another input")


def _outcome(row: Row, receipt: int, settlement: Settlement) -> Settlement:
    """What becomes of a pass, given what was asked and what arrived while it ran."""
    if settlement.state in ("completed", "failed"):
        return settlement
    match row.intent:
        case "cancel":
            return Settlement("cancelled")
        case "pause":
            return Settlement("paused")
        case _ if settlement.state in ("paused", "cancelled"):
            return Settlement("queued")  # nobody asks for it any more, so the workflow goes on
        case _ if row.receipt != receipt:
            return Settlement("queued")
        case _:
            return settlement
