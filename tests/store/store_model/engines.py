"""The moves of engines as owners: signs of life, what they can run, and taking over what the dead held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from store_model.moves import Move, granted
from store_model.rows import Model, must

from stepfast.interfaces import Durable, Offered

__all__ = [
    "Beat",
    "Offer",
    "Takeover",
    "after_close",
    "after_crash",
    "after_death",
    "after_keeping_alive",
    "said",
]


def said(offer: Any) -> str:
    """What somebody says that he can run, and within which limits."""
    return f"{offer.name} {offer.version} {offer.at_once} {offer.queue} {offer.queue_at_once}"


@dataclass(frozen=True, kw_only=True)
class Beat(Move):
    async def call(self, durable: Durable) -> object:
        return await durable.beat()

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        granted(answer)
        owner = model.engine(engine)
        if owner in model.signs:
            model.signs[owner] = model.monotonic


@dataclass(frozen=True, kw_only=True)
class Offer(Move):
    offered: tuple[Offered, ...]

    async def call(self, durable: Durable) -> object:
        return await durable.offer(self.offered, "stepfast work")

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        granted(answer)
        model.words[engine] = frozenset(map(said, self.offered))
        owner = model.as_owner(engine)
        model.offers[owner] = model.words[engine]
        model.forgetting |= {each.name for each in self.offered if each.forgets}


@dataclass(frozen=True, kw_only=True)
class Takeover(Move):
    """`look`: hear first what others have written, as a worker does that was rung."""

    look: bool = True

    async def call(self, durable: Durable) -> object:
        if self.look:
            await durable.poll()
        return await durable.takeover()

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        granted(answer)
        must(len(set(answer)) == len(answer), f"taken over twice: {answer}")
        flows = model.flows.values()
        owners = {flow.holder or flow.taker for flow in flows} - {None}
        dead = {owner for owner in owners if owner not in model.alive}
        due = {id for owner in dead if owner is not None for id in model.belongings(owner)}
        must(due <= set(answer), f"dead owners hold {sorted(due)}, and {answer} were taken over")
        # A delivery that a wakeup has overtaken may count as the dead one's or not: it is ready anyway.
        void = {flow.id for flow in flows if flow.taker in dead}
        for id in set(answer) - due - void:
            flow = model.flows.get(id)
            must(flow is not None, f"{id} was taken over, and is not there")
            owner = flow and (flow.holder or flow.taker)
            must(owner is not None, f"{id} was taken over, and nobody held it")
            if owner is None or owner not in model.alive:
                continue  # it went with the rest of its owner
            must(owner != model.engine(engine), f"it took {id} over from itself")
            must(model.stale(owner), f"{id} was taken over from {owner}, which lives and moved a moment ago")
            left = model.belongings(owner) - set(answer)
            must(not left, f"{owner} was taken over, but for {sorted(left)}")
            model.lose(owner)
        for id in answer:
            model.abandon(model.flows[id])
        for owner in [owner for owner in model.offers if owner not in model.alive]:
            del model.offers[owner]


def after_close(before: Model, engine: int) -> list[Model]:
    """What may be there once an engine has closed: it let go of all it held, or leaves it to a takeover."""
    let_go, left = before.copy(), before.copy()
    for model in (let_go, left):
        model.gone(engine)
    for id in let_go.belongings(let_go.engine(engine)):
        let_go.abandon(let_go.flows[id])
    return [let_go, left]


def after_keeping_alive(before: Model, engine: int) -> list[Model]:
    """The same where a thread of it works on: nobody may have what it holds, and it offers nothing."""
    model = before.copy()
    model.kept_alive(engine)
    return [model]


def after_death(before: Model, engine: int) -> list[Model]:
    """SIGKILL: what it holds stays held, until somebody takes it over."""
    model = before.copy()
    model.gone(engine)
    return [model]


def after_crash(before: Model) -> Model:
    """All of them are dead."""
    model = before.copy()
    model.alive = frozenset()
    model.offers = {}
    return model
