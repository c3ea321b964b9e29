"""The moves after which less is there: delete, sweep, and the upkeep that forgets what was deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from store_model.asking import ToOne
from store_model.moves import Move, granted, refused
from store_model.passes import EffectFailed
from store_model.rows import Flow, Model, must

from stepfast.body.run import Transaction
from stepfast.errors import NotAllowed, UnknownWorkflow
from stepfast.interfaces import Durable
from stepfast.retention import Forget, Retention, Swept

__all__ = ["Delete", "Sweep", "Upkeep"]

MANY = 50


def _forget(transaction: Transaction, id: str) -> None:
    transaction.execute("DELETE FROM facts WHERE workflow = ?", (id,))


def _forget_and_fail(transaction: Transaction, id: str) -> None:
    _forget(transaction, id)
    raise EffectFailed


def _delete(model: Model, id: str, *, forgotten: bool) -> None:
    del model.flows[id]
    if forgotten:
        model.facts = tuple(fact for fact in model.facts if fact[0] != id)


@dataclass(frozen=True, kw_only=True)
class Delete(ToOne):
    forget: bool
    known: bool

    async def call(self, durable: Durable) -> object:
        return await durable.delete(
            self.id, _forget if self.forget and self.known else None, known=self.known
        )

    def is_for(self, flow: Flow) -> bool:
        return True

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        flow = model.flows.get(self.id)
        if flow is None:
            return refused(answer, UnknownWorkflow, f"{self.id} was never started, or deleted")
        if not self.known and flow.name in model.forgetting:
            return refused(answer, NotAllowed, f"{flow.name!r} has something to forget")
        granted(answer)
        return _delete(model, self.id, forgotten=self.forget and self.known)


@dataclass(frozen=True, kw_only=True)
class Sweep(Move):
    """`sweep`, until there is no more to look at. `forgets`: how a "move" is forgotten, if at all."""

    retention: Retention
    limit: int
    forgets: str | None

    async def call(self, durable: Durable) -> object:
        how: dict[str | None, Forget] = {"well": _forget, "badly": _forget_and_fail}
        known: dict[tuple[str, int], Forget | None] = {("copy", 1): None, ("copy", 2): None}
        if self.forgets is not None:
            known["move", 1] = how[self.forgets]
        swept, deleted, failed = Swept(more=True), list[str](), list[str]()
        for _ in range(MANY):
            swept = await durable.sweep(
                self.retention, known, limit=self.limit, after=swept if swept.mark else None
            )
            deleted += swept.deleted
            failed += [id for id, _ in swept.failed]
            if not swept.more:
                return deleted, failed
        raise AssertionError(f"there is always more to look at: {swept}")

    def judge(self, model: Model, engine: int, answer: Any) -> list[Model]:
        granted(answer)
        deleted, failed = answer
        going = {flow.id for flow in _let_go(model, self.retention)}
        kept = {id for id in going if model.flows[id].name == "move" and self.forgets is None}
        due = going - {id for id in kept if "move" in model.forgetting}
        failing = {id for id in due if model.flows[id].name == "move"} if self.forgets == "badly" else set()
        must(sorted(failed) == sorted(failing), f"{sorted(failing)} were to fail, and {failed} did")
        wanted = sorted(due - failing)
        must(sorted(deleted) == wanted, f"{wanted} were to be swept, and {deleted} were")
        on_the_way: list[Model] = []
        for id in deleted:
            on_the_way.append(model.copy())
            _delete(model, id, forgotten=model.flows[id].name == "move" and self.forgets is not None)
        return on_the_way


def _let_go(model: Model, retention: Retention) -> Sequence[Flow]:
    """What a retention lets go now."""
    finished = [flow for flow in model.flows.values() if flow.finished]
    removed = [
        flow
        for flow in finished
        if flow.removed_at is not None
        and flow.removed_at <= model.now - retention.removed_after.total_seconds()
    ]
    shown = [flow for flow in finished if flow.removed_at is None]
    shown.sort(key=lambda flow: (flow.finished_at or 0.0, flow.key))
    keep = len(shown) if retention.keep is None else retention.keep
    old = [
        flow
        for place, flow in enumerate(shown)
        if place < len(shown) - keep
        or (
            retention.age is not None
            and (flow.finished_at or 0.0) <= model.now - retention.age.total_seconds()
        )
    ]
    return [*removed, *old]


@dataclass(frozen=True, kw_only=True)
class Upkeep(Move):
    async def call(self, durable: Durable) -> object:
        for _ in range(MANY):
            if not await durable.upkeep():
                return None
        raise AssertionError("there is always more upkeep")

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        granted(answer)
