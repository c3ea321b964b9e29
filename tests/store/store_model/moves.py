"""What a move is, and the moves of workers that hold nothing yet: start, begin, take and answer.

`aim` finds what a move is about (a claim, a delivery) among what the machine was given so far. `call` calls
the store. `judge` raises `Wrong`, or brings the model to what must be there now.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from store_model.rows import Flow, Model, must

from stepfast.errors import AlreadyStarted
from stepfast.interfaces import Checkpoint, Claim, Delivery, Durable, Offered

__all__ = [
    "ALL",
    "IDS",
    "LIMITED",
    "Along",
    "Begin",
    "Done",
    "Move",
    "Need",
    "Pools",
    "Start",
    "Take",
    "Ticket",
    "granted",
    "refused",
]


IDS = ("ann", "bob", "cleo", "Dora", "eve")
ALL = (Offered("copy", 1, "Copy"), Offered("copy", 2), Offered("move", 1, forgets=True))

_DISK = {"queue": "disk"}
LIMITED = (
    # One of a definition, the smallest limit of its versions; two of it, with a queue that bounds nobody.
    (Offered("copy", 1, "Copy", at_once=1), Offered("copy", 2, at_once=2), ALL[2]),
    (Offered("copy", 1, "Copy", at_once=2, **_DISK), Offered("copy", 2, **_DISK), ALL[2]),
    # A queue of two definitions; and one that is shared, beside a limit.
    (Offered("copy", 1, "Copy", **_DISK, queue_at_once=1), replace(ALL[2], **_DISK, queue_at_once=1)),
    (
        Offered("copy", 1, "Copy", at_once=1, **_DISK, queue_at_once=2),
        Offered("copy", 2, **_DISK, queue_at_once=3),
        replace(ALL[2], queue="net", queue_at_once=1),
    ),
)
"""What an engine may run that keeps to limits: engines that differ, and one that was given others."""


class Need(Enum):
    """What has to be there before a move makes sense."""

    READY = "a workflow that is ready"
    CLAIM = "a claim"
    DELIVERY = "a delivery that is out"
    PAUSED = "a workflow that is paused"
    FINISHED = "a workflow that has finished"
    REMOVED = "a workflow that was removed"


@dataclass(frozen=True)
class Ticket:
    """A claim that was granted, to whom, and the receipt that came with it."""

    claim: Claim
    receipt: int
    engine: int


@dataclass
class Pools:
    """What the machine was given and may come back with."""

    focus: str | None = None  # the workflow that the next moves are about
    tickets: list[Ticket] = field(default_factory=list)
    deliveries: list[Delivery] = field(default_factory=list)
    texts: int = 0

    def came(self, ids: Iterable[str]) -> None:
        """These were handed out: if the next moves are about one workflow, it is the first of them."""
        if self.focus is not None:
            self.focus = next(iter(ids), self.focus)

    def text(self) -> str:
        """JSON that was never stored before, so that nothing can pass for it."""
        self.texts += 1
        return f'"text {self.texts}"'

    def forget_after(self, number: int) -> None:
        """What was given out by a future that a crash took back was never given out."""
        self.tickets = [each for each in self.tickets if each.claim.token <= number]
        self.deliveries = [each for each in self.deliveries if each.receipt <= number]


@dataclass(frozen=True, kw_only=True)
class Move:
    """One call, of the engine that lives in `seat`."""

    seat: int
    text: str = ""

    def aim(self, model: Model, pools: Pools, seats: dict[int, int]) -> Move | Need:
        """This, about something that fits, or what is to be there first; `seats`: which engine sits where."""
        return replace(self, text=pools.text())

    async def call(self, durable: Durable) -> object:
        raise NotImplementedError

    def judge(self, model: Model, engine: int, answer: Any) -> list[Model] | None:
        """Raise `Wrong`, or bring the model to what is there now; gives what was there on the way."""
        raise NotImplementedError

    def given(self, pools: Pools, engine: int, answer: Any) -> None:
        """Keep what the answer gave."""


def refused(answer: object, error: type[BaseException], why: str) -> None:
    must(type(answer) is error, f"{why}: {error.__name__} was due, and the answer is {answer!r}")


def granted(answer: object) -> None:
    must(not isinstance(answer, BaseException), f"nothing speaks against it, and it was refused: {answer!r}")


@dataclass(frozen=True, kw_only=True)
class Start(Move):
    id: str
    name: str
    version: int
    input: str
    after: float | None
    priority: int
    join: bool
    at: float | None = None

    def aim(self, model: Model, pools: Pools, seats: dict[int, int]) -> Move | Need:
        # One that may join another has an id of its own.
        id = next((id for id in IDS if id not in model.flows), self.id) if self.join else self.id
        return replace(self, id=id, at=None if self.after is None else model.now + self.after)

    async def call(self, durable: Durable) -> object:
        options: dict[str, Any] = {"at": self.at, "priority": self.priority, "join": self.join}
        return await durable.start(self.id, self.name, self.version, self.input, **options)

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        there = model.flows.get(self.id)
        if there is not None and not self._same(there):
            return refused(answer, AlreadyStarted, f"{self.id} was started otherwise")
        granted(answer)
        if there is not None:
            must((answer.key, answer.id, answer.created) == (there.key, self.id, False), f"{there} is there")
            return None
        alike = {
            flow.id: model.learn_key(flow, answer.key).key if flow.id == answer.id else flow.key
            for flow in [*model.flows.values()]
            if self._same(flow) and not flow.finished and flow.removed_at is None
        }
        if self.join and alike:
            must(not answer.created and alike.get(answer.id) == answer.key, f"{answer} joins none of {alike}")
            return None
        must(answer.created and answer.id == self.id, f"{answer}, and a new workflow was due")
        key = model.fresh(answer.key, "a key")
        flow = Flow(key, self.id, self.name, self.version, self.input, self.priority, model.now)
        if self.at is not None and self.at > model.now:
            model.set(flow, state="sleeping", due=self.at, woken=False)
        else:
            model.queue(flow)
        return None

    def _same(self, flow: Flow) -> bool:
        return (flow.name, flow.version, flow.input) == (self.name, self.version, self.input)


@dataclass(frozen=True, kw_only=True)
class Begin(Move):
    offered: tuple[Offered, ...]
    limit: int

    def aim(self, model: Model, pools: Pools, seats: dict[int, int]) -> Move | Need:
        can = {(each.name, each.version) for each in self.offered}
        if self.limit == 3 or any(
            flow.ready and (flow.name, flow.version) in can for flow in model.flows.values()
        ):
            return self
        return Need.READY

    async def call(self, durable: Durable) -> object:
        return await durable.begin(self.offered, self.limit)

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        granted(answer)
        owner = model.as_owner(engine)
        ids = [each.claim.id for each in answer]
        flows = model.hand_out(ids, self.offered, self.limit, limited=True)
        queues = {(each.name, each.version): each.queue for each in self.offered}
        # What begins in one commit has numbers in any order.
        for ready, begun in sorted(zip(flows, answer, strict=True), key=lambda pair: pair[1].claim.token):
            flow = model.learn_key(ready, begun.claim.workflow)
            found = (begun.claim.workflow, begun.name, begun.version, begun.input)
            must(found == (flow.key, flow.name, flow.version, flow.input), f"{begun} is not {flow}")
            if begun.checkpoint is not None:
                _check_checkpoint(flow, begun.checkpoint)
            seen = model.saw_receipt(flow, begun.receipt)
            queue = queues[flow.name, flow.version]
            model.hold(model.set(seen, out=None, taker=None, queue=queue), begun.claim.token, owner)

    def given(self, pools: Pools, engine: int, answer: Any) -> None:
        pools.tickets += [Ticket(each.claim, each.receipt, engine) for each in answer]
        pools.came(each.claim.id for each in answer)


@dataclass(frozen=True, kw_only=True)
class Along(Move):
    """What another move makes ready is begun along with it, by the same engine, which stands by."""

    ready: Move
    begin: Begin

    def aim(self, model: Model, pools: Pools, seats: dict[int, int]) -> Move | Need:
        aimed = self.ready.aim(model, pools, seats)
        return replace(self, ready=aimed) if isinstance(aimed, Move) else aimed

    async def call(self, durable: Durable) -> object:
        standing = asyncio.ensure_future(durable.begin_next(self.begin.offered, self.begin.limit))
        await _turns()
        answer: object
        try:
            answer = await self.ready.call(durable)
        except Exception as error:
            answer = error
        await _turns()  # what has begun is answered in the same one
        standing.cancel()
        (begun,) = await asyncio.gather(standing, return_exceptions=True)
        return answer, None if isinstance(begun, asyncio.CancelledError) else begun

    def judge(self, model: Model, engine: int, answer: Any) -> list[Model] | None:
        made, begun = answer
        between = self.ready.judge(model, engine, made)
        if begun is None:
            return between
        between = [*(between or ()), model.copy()]
        self.begin.judge(model, engine, begun)
        return between

    def given(self, pools: Pools, engine: int, answer: Any) -> None:
        made, begun = answer
        self.ready.given(pools, engine, made)
        if begun is not None:
            self.begin.given(pools, engine, begun)


async def _turns() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def _check_checkpoint(flow: Flow, checkpoint: Checkpoint) -> None:
    """What comes with a claim is what `load` would give."""
    found = [(each.position, each.text) for each in (*checkpoint.records, *checkpoint.messages)]
    wanted = [each.text for each in flow.written]
    must(
        [text for _, text in sorted(found)] == wanted, f"{flow.id} began with {checkpoint}, and not {wanted}"
    )
    must(checkpoint.bookmarks == dict(flow.bookmarks), f"{flow.id} began with {checkpoint.bookmarks}")


@dataclass(frozen=True, kw_only=True)
class Take(Begin):
    async def call(self, durable: Durable) -> object:
        return await durable.scheduler.take(self.offered, self.limit)

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        granted(answer)
        owner = model.as_owner(engine)
        model.restless |= {owner}
        flows = model.hand_out([each.id for each in answer], self.offered, self.limit, limited=False)
        for ready, taken in zip(flows, answer, strict=True):
            flow = model.learn_key(ready, taken.workflow)
            must(taken.workflow == flow.key, f"{taken} is not {flow}")
            model.set(model.saw_receipt(flow, taken.receipt), out=taken.receipt, taker=owner)

    def given(self, pools: Pools, engine: int, answer: Any) -> None:
        pools.deliveries += answer
        pools.came(each.id for each in answer)


def _nearly_out(flow: Flow | None, delivery: Delivery) -> int:
    """How easily it could be taken for one that is out."""
    if flow is None:
        return 0
    return (flow.taker is not None) + 2 * (flow.state == "queued" and flow.receipt == delivery.receipt)


@dataclass(frozen=True, kw_only=True)
class Done(Move):
    """`done`, or `wake_at` where there is a time."""

    pick: int
    stale: bool
    after: float | None
    delivery: Delivery | None = None
    due: float | None = None

    def aim(self, model: Model, pools: Pools, seats: dict[int, int]) -> Move | Need:
        flows = {flow.key: flow for flow in model.flows.values()}
        some = [
            each
            for each in pools.deliveries
            if each.workflow in flows and flows[each.workflow].out == each.receipt
        ]
        if self.stale:
            # Those first whose workflow is taken, or was woken, since.
            some = [each for each in pools.deliveries if each not in some]
            some.sort(key=lambda each: _nearly_out(flows.get(each.workflow), each))
        some.sort(key=lambda each: each.id == pools.focus)
        if not some:
            return Need.DELIVERY
        due = None if self.after is None else model.now + self.after
        return replace(self, delivery=some[-1 - self.pick % len(some)], due=due)

    async def call(self, durable: Durable) -> object:
        assert self.delivery is not None
        if self.due is None:
            return await durable.scheduler.done(self.delivery)
        return await durable.scheduler.wake_at(self.delivery, self.due)

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        assert self.delivery is not None
        flow = model.with_key(self.delivery.workflow)
        out = flow is not None and flow.state == "queued" and flow.out == self.delivery.receipt
        must(answer is out, f"the delivery is {'' if out else 'not '}out, and the answer is {answer!r}")
        if flow is not None and out:
            state = "waiting" if self.due is None else "sleeping"
            model.set(flow, state=state, due=self.due, out=None, taker=None)
