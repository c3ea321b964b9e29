"""The durable of a memory store: the transitions that cross checkpoint and schedule."""

from __future__ import annotations

import asyncio
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial

from stepfast.body.children import check_id
from stepfast.body.run import Transaction
from stepfast.errors import AlreadyFinished, AlreadyStarted, InvalidInput, NotAllowed
from stepfast.health import Health
from stepfast.interfaces import (
    Begun,
    Claim,
    Held,
    Kind,
    Look,
    Message,
    NewRecord,
    NewSchedule,
    Offered,
    Settlement,
    Signal,
    Started,
)
from stepfast.memory.asking import DONE, ask, refuse
from stepfast.memory.catalogue import MemoryCatalogue
from stepfast.memory.lining_up import line_up
from stepfast.memory.owner import Owner
from stepfast.memory.rows import Memory, Row
from stepfast.memory.views import MemoryCheckpointer, MemoryScheduler
from stepfast.placing import Where
from stepfast.retention import Forget, Forgets, Retention, Swept
from stepfast.schedules import first_run, is_off, planned, rule_from, switched
from stepfast.system.clock import Clock, SystemClock
from stepfast.views import ACTIONS, Bulk, Filter

__all__ = ["MemoryDurable"]

AT_ONCE = 200  # that are asked in one piece, before others have their turn
TOMBSTONE_SECONDS = 86_400.0
SETTLED = ("completed", "failed", "cancelled", "sleeping", "waiting", "blocked", "paused", "queued", "tidied")


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
        self._limited: set[str] = set()
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
    def health(self) -> Health:
        return self._owner.health

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
        check_id(id)
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
        memory.add(row)
        if at is not None and at > now:
            row.state, row.due = "sleeping", at
            memory.touch(row)
        else:
            memory.queue(row)
        self._owner.changed(row)
        return Started(row.key, id, created=True)

    async def begin(self, offered: Sequence[Offered], limit: int) -> list[Begun]:
        await self.attend()
        now = self.clock.time()
        due = self.memory.due(now)
        ready = self.memory.ready_within(offered, limit)
        self._limited |= {each.name for each in offered if each.at_once is not None}
        queues = {(each.name, each.version): each.queue for each in offered}
        begun = []
        for row in ready:
            row.queue = queues.get((row.name, row.version))
            claim = self.memory.hold(row, self._owner.key, now)
            row.taken = None
            since = row.started_at if row.renewed_at is None else row.renewed_at
            begun.append(
                Begun(claim, row.receipt, row.name, row.version, row.input, since or now, row.cleanup)
            )
        if due or ready or self.memory.also:
            self._owner.changed(*due, *ready)
        return begun

    async def begin_next(self, offered: Sequence[Offered], limit: int) -> list[Begun]:
        ready = asyncio.Event()
        stop = self.listen(lambda signal: ready.set() if signal.ready else None)
        try:
            await ready.wait()
        finally:
            stop()
        return await self.begin(offered, limit)

    async def settle(self, claim: Claim, receipt: int, settlement: Settlement) -> str:
        await self._owner.turn()
        if settlement.state not in SETTLED or (settlement.state == "sleeping" and settlement.due is None):
            raise ValueError(f"a pass cannot be settled by {settlement}")
        row = self.memory.held(claim)
        woken = row.intent is None and settlement.state in ("sleeping", "waiting")
        self.memory.let_go(row, _outcome(row, receipt, settlement), self.clock.time(), woken=woken)
        # Where there is a limit, others may have been held back by this one.
        self._owner.changed(row, ready=row.queue is not None or row.name in self._limited)
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

    async def schedule(self, new: NewSchedule) -> float:
        await self._owner.turn()
        there = self.memory.schedules.get(new.name)
        before = None if there is None else (there[0].rule, there[1])
        rule, kept, due = planned(new.rule, before, self.clock.time())
        self.memory.schedules[new.name] = (replace(new, rule=rule), kept)
        self._owner.changed(ready=True)
        return due

    async def switch_schedule(self, name: str, on: bool) -> bool:
        await self._owner.turn()
        there = self.memory.schedules.get(name)
        if there is not None and is_off(there[0].rule) is on:
            new, now = replace(there[0], rule=switched(there[0].rule, on=on)), self.clock.time()
            self.memory.schedules[name] = (new, first_run(rule_from(new.rule), now) if on else None)
            self._owner.changed(ready=True)
        return there is not None

    async def unschedule(self, name: str) -> bool:
        await self._owner.turn()
        self._owner.changed()
        return self.memory.schedules.pop(name, None) is not None

    async def unblock(self, id: str, new: NewRecord) -> None:
        await self._owner.turn()
        row = self._pending(id)
        if row.state != "blocked":
            raise NotAllowed(id, f"workflow {id!r} is {row.state}, so nothing is asked of a step of it")
        self.memory.keep(row, new, self.clock.time())
        self.memory.queue(row)
        self._owner.changed(row)

    async def rerun(self, id: str, step: str, new_id: str) -> Started:
        check_id(new_id)
        await self._owner.turn()
        memory, old = self.memory, self.memory.named(id)
        if new_id in memory.ids:
            raise AlreadyStarted(new_id, "something else")
        now = self.clock.time()
        row = Row(memory.next(), new_id, old.name, old.version, old.input, 0, created_at=now)
        memory.add(row)
        there = old.records.get((Kind.STEP, step))
        row.records = {
            key: record
            for key, record in old.records.items()
            if record.kind not in (Kind.ATTEMPT, Kind.BEGUN, Kind.STARTED)
            and (there is None or record.position < there.position)
        }
        row.messages = [*old.messages]
        memory.queue(row)
        self._owner.changed(row)
        return Started(row.key, new_id, created=True)

    async def reassign(self, id: str, version: int) -> None:
        await self._owner.turn()
        row = self._pending(id)
        if row.token is not None or row.is_out:
            raise NotAllowed(id, f"workflow {id!r} is {row.state}, so somebody is running it as it is")
        row.version = version
        self.memory.touch(row)
        self._owner.changed(row)

    async def delete(self, id: str, forget: Forget | None = None, *, known: bool = True) -> None:
        await self._owner.turn()
        row = self.memory.named(id)
        if not known and row.name in self.memory.forgets:
            raise NotAllowed(id, f"workflow {id!r} is one of {row.name!r}, which keeps rows of its own")
        self._delete(row, forget)

    def _delete(self, row: Row, forget: Forget | None) -> None:
        if forget is not None:
            self.memory.tables.transact(partial(_forget, forget, row.id))
        ran = row.state == "running"
        self.memory.remove(row, self.clock.time())
        self._owner.changed(row, ready=ran)

    async def sweep(
        self, retention: Retention, forgets: Forgets, *, limit: int = 25, after: Swept | None = None
    ) -> Swept:
        # What a sweep is through with, in a set: in memory it need not be a position.
        seen = set(after.mark) if after is not None and isinstance(after.mark, frozenset) else set()
        await self._owner.turn()
        going = [
            row
            for row in self.memory.let_go_of(retention, self.clock.time())
            if row.key not in seen
            and ((row.name, row.version) in forgets or row.name not in self.memory.forgets)
        ]
        deleted: list[str] = []
        failed: list[tuple[str, Exception]] = []
        for row in going[:limit]:
            seen.add(row.key)
            try:
                self._delete(row, forgets.get((row.name, row.version)))
            except Exception as error:
                failed.append((row.id, error))
            else:
                deleted.append(row.id)
        return Swept(tuple(deleted), tuple(failed), more=len(going) > limit, mark=frozenset(seen))

    async def upkeep(self) -> bool:
        await self._owner.turn()
        self.memory.bury(self.clock.time() - TOMBSTONE_SECONDS)
        return False

    async def pause(self, id: str) -> str:
        return await self._ask("pause", id)

    async def resume(self, id: str) -> str:
        return await self._ask("resume", id)

    async def cancel(self, id: str) -> str:
        return await self._ask("cancel", id)

    async def retry(self, id: str) -> str:
        return await self._ask("retry", id)

    async def _ask(self, action: str, id: str) -> str:
        await self._owner.turn()
        row = self.memory.named(id)
        if ask(self.memory, row, action, self.clock.time()) is None:
            refuse(row, action)
        else:
            self._owner.changed(row)
        return row.state

    async def remove(self, ids: Sequence[str]) -> list[str]:
        return await self._mark("remove", ids)

    async def restore(self, ids: Sequence[str]) -> list[str]:
        return await self._mark("restore", ids)

    async def _mark(self, action: str, ids: Sequence[str]) -> list[str]:
        keys = [self.memory.ids[id] for id in ids if id in self.memory.ids]
        came = await self.bulk(action, keys)
        return [self.memory.rows[key].id for key in came.done]

    async def bulk(
        self,
        action: str,
        of: Filter | Sequence[int],
        *,
        upto: int | None = None,
        without: Collection[int] = (),
    ) -> Bulk:
        if action not in ACTIONS:
            raise InvalidInput(f"{action!r} is nothing that can be asked; there are {', '.join(ACTIONS)}")
        return await self._many(action, partial(ask, self.memory, action=action), of, upto, without)

    async def prioritise(
        self,
        of: Filter | Sequence[int],
        priority: int,
        *,
        upto: int | None = None,
        without: Collection[int] = (),
    ) -> Bulk:
        def ask(row: Row, now: float) -> str | None:
            if row.finished:
                return None
            row.priority = priority
            self.memory.touch(row)
            return DONE

        return await self._many("prioritise", ask, of, upto, without)

    async def line_up(self, keys: Sequence[int], where: Where, other: int | None = None) -> Bulk:
        await self._owner.turn()
        came, changed = line_up(self.memory, keys, where, other)
        if changed:
            self._owner.changed(*changed)
        return came

    async def _many(
        self,
        action: str,
        ask_one: Callable[..., str | None],
        of: Filter | Sequence[int],
        upto: int | None,
        without: Collection[int],
    ) -> Bulk:
        keys = (await self.catalogue.listing(of, order="created")).keys if isinstance(of, Filter) else of
        spared = frozenset(without)
        asked = [key for key in dict.fromkeys(keys) if key not in spared]
        done, holders, left = array("q"), array("q"), Counter[str]()
        if upto is not None:  # found once: what moves from now on, moves since others were asked
            rows = self.memory.rows
            moved = {key for key in asked if key in rows and rows[key].moved > upto}
            left["changed"] = len(moved)
            asked = [key for key in asked if key not in moved]
        for start in range(0, len(asked), AT_ONCE):
            await self._owner.turn()
            some = [key for key in asked[start : start + AT_ONCE] if key in self.memory.rows]
            left["gone"] += len(asked[start : start + AT_ONCE]) - len(some)
            changed = []
            for row in map(self.memory.rows.__getitem__, some):
                reason = "removed" if row.removed_at is not None and action == "remove" else row.state
                if (came := ask_one(row=row, now=self.clock.time())) is None:
                    left[reason] += 1
                else:
                    (done if came == DONE else holders).append(row.key)
                    changed.append(row)
            if changed:
                self._owner.changed(*changed)
        return Bulk(done, holders, dict(+left))

    # --- owners

    async def look(self) -> Look:
        await self._owner.turn()
        held = tuple(
            Held(row.key, row.token, row.receipt, row.intent, row.token not in self._checkpointer.claimed)
            for row in self.memory.rows.values()
            if row.owner == self._owner.key and row.token is not None
        )
        return Look(held, self.memory.next_due())

    async def offer(self, offered: Sequence[Offered], command: str = "") -> None:
        """Say what this engine can run, in place of what it said before."""
        await self.attend()
        self.memory.offers[self._owner.key] = (command, tuple(offered))
        self.memory.cleanups |= {each.name for each in offered if each.tidies}
        self.memory.forgets |= {each.name for each in offered if each.forgets}
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

    @property
    def beat_every(self) -> float:
        return 20.0

    async def poll(self) -> None:
        await self._owner.turn()
        self._owner.hear()

    async def attend(self) -> None:
        await self._owner.turn()
        self._owner.attend()

    def listen(self, listener: Callable[[Signal], None]) -> Callable[[], None]:
        return self._owner.listen(listener)

    def hurry(self) -> None:
        """Nothing here waits for another program."""

    async def close(self, *, keep_alive: bool = False) -> None:
        """Refuse every later call. What is held then is for others to take over, unless kept alive."""
        self._owner.leave(keep_alive=keep_alive)

    async def identity(self) -> str:
        await self._owner.turn()
        return self.memory.identity

    def die(self) -> None:
        """End as SIGKILL ends a process: nothing is said, and what is held stays until a takeover."""
        self._owner.leave()

    def _pending(self, id: str) -> Row:
        row = self.memory.named(id)
        if row.finished:
            raise AlreadyFinished(id, row.state)
        return row


def _forget(forget: Forget, id: str, transaction: Transaction) -> None:
    forget(transaction, id)


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
    if settlement.state == "tidied":
        return Settlement("cancelled")
    match row.intent:
        case "cancel":
            return Settlement("cancelled")
        case "pause":
            return Settlement("paused")
        case _ if settlement.state in ("paused", "cancelled"):
            return Settlement("queued")  # nobody asks for it any more, so the workflow goes on
        case _ if row.receipt != receipt and settlement.state != "blocked":
            return Settlement("queued")
        case _:
            return settlement
