"""The moves of those who hold a claim, or believe so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from store_model.asking import ToOne
from store_model.moves import Move, Need, Pools, Ticket, granted, refused
from store_model.rows import Flow, Model, must

from stepfast.body.run import Transaction
from stepfast.errors import Fenced, UnknownWorkflow
from stepfast.interfaces import Claim, Durable, Kind, NewRecord, Notes, Settlement
from stepfast.passes.outcome import Failure, Problem
from stepfast.state import AnswerWait, MessageWait

__all__ = ["EffectFailed", "Note", "Record", "Release", "Settle", "TakeClaim", "Transact"]


class EffectFailed(Exception):
    """What an effect raises on purpose."""


@dataclass(frozen=True, kw_only=True)
class TakeClaim(ToOne):
    def aim(self, model: Model, pools: Pools, seats: dict[int, int]) -> Move | Need:
        aimed = super().aim(model, pools, seats)
        flow = model.flows.get(aimed.id) if isinstance(aimed, TakeClaim) else None
        if self.seat != 0 and flow is not None and flow.taker is not None:
            # By the engine that has its delivery.
            seat = next((seat for seat, engine in seats.items() if engine == flow.taker[0]), self.seat)
            return replace(aimed, seat=seat)
        return aimed

    def is_for(self, flow: Flow) -> bool:
        return flow.state in ("queued", "sleeping", "waiting")

    def is_best_for(self, flow: Flow) -> bool:
        return flow.taker is not None

    async def call(self, durable: Durable) -> object:
        return await durable.checkpointer.claim(self.id)

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        flow = model.flows.get(self.id)
        if flow is None:
            must(
                answer is None or type(answer) is UnknownWorkflow, f"nothing is there, and it gave {answer!r}"
            )
            return
        owner = model.as_owner(engine)
        model.restless |= {owner}
        if flow.state not in ("queued", "sleeping", "waiting"):
            must(answer is None, f"{self.id} is {flow.state}, and {answer!r} was granted")
            return
        must(isinstance(answer, Claim), f"{self.id} is {flow.state}, and the claim was refused: {answer!r}")
        must((answer.workflow, answer.id) == (flow.key, self.id), f"{answer} is not of {flow}")
        if flow.taker != owner:
            # Nobody else's delivery outlives it: its taker may die while the owner of the claim lives.
            flow = model.set(flow, out=None, taker=None)
        model.hold(model.set(flow, since=None, settled=False), answer.token, owner)

    def given(self, pools: Pools, engine: int, answer: Any) -> None:
        if isinstance(answer, Claim):
            pools.tickets.append(Ticket(answer, 0, engine))


@dataclass(frozen=True, kw_only=True)
class UnderClaim(Move):
    """What needs a claim: one that stands, or any at all. A claim that stands is used by its own engine."""

    pick: int
    stale: bool
    ticket: Ticket | None = None

    def aim(self, model: Model, pools: Pools, seats: dict[int, int]) -> Move | Need:
        seat_of = {engine: seat for seat, engine in seats.items()}
        standing = [each for each in pools.tickets if model.held(each.claim)]
        # Whoever held one and is dead says nothing more.
        some = [each for each in standing if each.engine in seat_of]
        if self.stale:
            # Those first whose workflow is held under another claim now.
            some = [each for each in pools.tickets if each in some or each not in standing]
            held = {flow.key for flow in model.flows.values() if flow.token is not None}
            some.sort(key=lambda each: each not in standing and each.claim.workflow in held)
        else:
            # And those first whose delivery is out as well, by whoever holds them or not.
            out = {flow.key for flow in model.flows.values() if flow.taker is not None}
            some.sort(key=lambda each: each.claim.workflow in out)
        some.sort(key=lambda each: each.claim.id == pools.focus)
        if not some:
            return Need.CLAIM
        ticket = some[-1 - self.pick % len(some)]  # 0 is the youngest
        seat = seat_of.get(ticket.engine)
        return replace(self, ticket=ticket, text=pools.text(), seat=self.seat if seat is None else seat)

    @property
    def claim(self) -> Claim:
        assert self.ticket is not None
        return self.ticket.claim

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        flow = model.held(self.claim)
        if flow is None:
            refused(answer, Fenced, f"{self.claim} does not stand")
        else:
            self.under(model, flow, answer)

    def under(self, model: Model, flow: Flow, answer: Any) -> None:
        """Judge it where the claim stands."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Record(UnderClaim):
    kind: str
    name: str
    bookmarked: bool
    notes: Notes | None

    @property
    def new(self) -> NewRecord:
        return NewRecord(self.kind, self.name, self.text, 5.0, 2, self.bookmarked)

    async def call(self, durable: Durable) -> object:
        return await durable.checkpointer.record(self.claim, self.new, self.notes)

    def under(self, model: Model, flow: Flow, answer: Any) -> None:
        granted(answer)
        there, first = model.write(flow, self.new)
        must((answer.text, answer.first) == (there.text, first), f"{answer}, and there is {there}")
        model.note(flow.id, self.notes)


@dataclass(frozen=True, kw_only=True)
class Transact(UnderClaim):
    name: str
    raises: bool
    notes: Notes | None

    async def call(self, durable: Durable) -> object:
        def effect(transaction: Transaction) -> str:
            fact = (self.claim.id, self.name, self.text)
            transaction.execute("INSERT INTO facts (workflow, name, text) VALUES (?, ?, ?)", fact)
            if self.raises:
                raise EffectFailed
            return self.text

        return await durable.checkpointer.transact(self.claim, self.name, effect, 6.0, self.notes)

    def under(self, model: Model, flow: Flow, answer: Any) -> None:
        if flow.record(Kind.STEP, self.name) is None:
            if self.raises:
                return refused(answer, EffectFailed, "the effect raised")
            model.facts += ((flow.id, self.name, self.text),)
        granted(answer)
        new = NewRecord(Kind.STEP, self.name, self.text, 6.0, 1, bookmarked=True)
        there, first = model.write(flow, new)
        must((answer.text, answer.first) == (there.text, first), f"{answer}, and there is {there}")
        model.note(flow.id, self.notes)
        return None


@dataclass(frozen=True, kw_only=True)
class Note(UnderClaim):
    notes: Notes

    async def call(self, durable: Durable) -> object:
        return await durable.checkpointer.note(self.claim, self.notes)

    def under(self, model: Model, flow: Flow, answer: Any) -> None:
        granted(answer)
        model.note(flow.id, self.notes)


@dataclass(frozen=True, kw_only=True)
class Release(UnderClaim):
    async def call(self, durable: Durable) -> object:
        return await durable.checkpointer.release(self.claim)

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        must(answer is None, f"release gave {answer!r}")
        flow = model.held(self.claim)
        if flow is None:
            return  # it ends this claim and no other
        if flow.intent is None and flow.out is not None:
            # Whoever took its delivery answers for it still.
            model.let_go(flow, "queued", out=flow.out, taker=flow.taker)
        else:
            taker = flow.taker if flow.intent is None else None
            model.abandon(flow)
            model.set(model.flows[flow.id], taker=taker)


@dataclass(frozen=True, kw_only=True)
class Settle(UnderClaim):
    """`receipt`: the one it began with, the one that is held now, or one that nobody has."""

    state: str
    receipt: str
    after: float
    settlement: Settlement | None = None
    named: int = 0

    def aim(self, model: Model, pools: Pools, seats: dict[int, int]) -> Move | Need:
        aimed = super().aim(model, pools, seats)
        if not isinstance(aimed, Settle) or aimed.ticket is None:
            return aimed
        flow = model.held(aimed.claim)
        held = 0 if flow is None else flow.receipt
        named = {"began": aimed.ticket.receipt or held, "held": held}.get(self.receipt, held - 1)
        return replace(aimed, named=named, settlement=self._settlement(aimed.text, model.now + self.after))

    def _settlement(self, text: str, due: float) -> Settlement:
        problems = (Problem("file", text), Problem("other", "gone")) if self.pick % 2 else ()
        match self.state:
            case "completed":
                return Settlement("completed", result=text, problems=problems)
            case "failed":
                step = "first" if self.pick % 3 else None
                return Settlement("failed", failure=Failure("ValueError", text, step=step), problems=problems)
            case "sleeping":
                return Settlement("sleeping", due=due)
            case "waiting":
                waits = (AnswerWait("answer", '{"type":"string"}'), MessageWait("message"))
                return Settlement("waiting", due=due if self.pick % 2 else None, waits=waits)
            case state:
                return Settlement(state)

    async def call(self, durable: Durable) -> object:
        assert self.settlement is not None
        return await durable.settle(self.claim, self.named, self.settlement)

    def under(self, model: Model, flow: Flow, answer: Any) -> None:
        assert self.settlement is not None
        came = self.settlement
        state = _outcome(flow, came.state, moved=flow.woken or self.named != flow.receipt)
        must(answer == state, f"{answer!r} was written, and {state} was due of {came} and {flow}")
        if state in ("completed", "failed"):
            step = flow.step if came.failure is None else came.failure.step
            model.let_go(
                flow, state, result=came.result, failure=came.failure, problems=came.problems, step=step
            )
        elif state in ("sleeping", "waiting"):
            model.let_go(flow, state, due=came.due, waits=came.waits)
        elif state == "queued" and came.state in ("sleeping", "waiting"):
            model.let_go(flow, state, since=model.place(), lined=False)
        else:
            model.let_go(flow, state)


def _outcome(flow: Flow, state: str, *, moved: bool) -> str:
    if state in ("completed", "failed"):
        return state
    if flow.intent is not None:
        return {"pause": "paused", "cancel": "cancelled"}[flow.intent]
    return state if state in ("sleeping", "waiting") and not moved else "queued"
