"""The moves that change what runs next: another priority, and another place in the queue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from store_model.asking import AskMany
from store_model.moves import Move, Need, Pools, granted
from store_model.rows import Flow, Model, goes_before, must

from stepfast.interfaces import Durable
from stepfast.placing import Where

__all__ = ["LineUp", "Prioritise"]

GONE = 999_999_999


@dataclass(frozen=True, kw_only=True)
class Prioritise(AskMany):
    """Of all with these keys, or of all that match."""

    priority: int

    def aim(self, model: Model, pools: Pools, seats: dict[int, int]) -> Move:
        # One that is queued in any case, of which others are behind.
        queued = sorted(_queued(model), key=lambda flow: (flow.since is None, flow.since or 0))
        some = (*self.ids, queued[0].id) if queued else self.ids
        return AskMany.aim(replace(self, ids=some), model, pools, seats)

    async def call(self, durable: Durable) -> object:
        upto = 0 if self.long_ago else None
        if self.filter is None:
            return await durable.prioritise(self.keys, self.priority, upto=upto)
        return await durable.prioritise(self.filter, self.priority, upto=upto, without=self.keys)

    def carry_out(self, model: Model, flow: Flow) -> str | None:
        if flow.finished:
            return None
        if flow.priority != self.priority:
            # Where one was put beside others, that says nothing of those of another priority.
            peers = [each for each in _queued(model) if each.priority == self.priority]
            lined = any(each.lined for each in (flow, *peers))
            model.set(flow, priority=self.priority, since=None if lined else flow.since)
        return "done"


@dataclass(frozen=True, kw_only=True)
class LineUp(Move):
    """`beside` says which one they are put before or after: one that is queued, or `anyway` any."""

    ids: tuple[str, ...]
    where: Where
    beside: int
    anyway: bool
    keys: tuple[int, ...] = ()
    other: int | None = None

    def aim(self, model: Model, pools: Pools, seats: dict[int, int]) -> Move | Need:
        queued = [flow.key for flow in _queued(model)]
        if not queued:
            return Need.READY
        other = None
        if self.where in ("before", "after"):
            some = [flow.key for flow in model.flows.values()] if self.anyway else queued
            other = sorted(some)[self.beside % len(some)]
        asked = [model.flows[id].key if id in model.flows else GONE for id in self.ids]
        keys = tuple(key for key in dict.fromkeys([*asked, queued[-1]]) if key != other)
        return replace(self, keys=keys, other=other)

    async def call(self, durable: Durable) -> object:
        return await durable.line_up(self.keys, self.where, self.other)

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        granted(answer)
        asked = {key: model.with_key(key) for key in self.keys}
        moved = {key: flow for key, flow in asked.items() if flow is not None and flow.state == "queued"}
        left = Counter(
            "gone" if flow is None else flow.state for key, flow in asked.items() if key not in moved
        )
        beside = None if self.other is None else model.with_key(self.other)
        if moved and self.other is not None and (beside is None or beside.state != "queued"):
            left["changed"] = len(moved)
            moved.clear()
        must(
            (sorted(answer.done), [*answer.asked], answer.left) == (sorted(moved), [], dict(left)),
            f"of {self.keys}, {sorted(moved)} were to be moved and {dict(left)} left, and it says {answer}",
        )
        if not moved:
            return
        in_order = [moved[key] for key in answer.done]
        for place, flow in enumerate(in_order):
            for behind in in_order[place + 1 :]:
                must(not goes_before(behind, flow), f"{flow.id} was put before {behind.id}, as it was not")
        if beside is not None:
            priority = beside.priority
        else:
            priorities = [each.priority for each in _queued(model)]
            priority = max(priorities) if self.where == "first" else min(priorities)
        self._put(model, in_order, priority, None if beside is None else beside.id)

    def _put(self, model: Model, moved: Sequence[Flow], priority: int, beside: str | None) -> None:
        for flow in moved:
            model.set(flow, priority=priority, since=None)
        for flow in [*model.flows.values()]:
            if flow.state != "queued":  # nobody says where it comes among those that were moved
                model.set(flow, since=None, lined=False)
        model.number_places()
        count = len(moved)
        # Room for them behind each place.
        for flow in [*model.flows.values()]:
            if flow.since is not None:
                model.set(flow, since=flow.since * (count + 1))
        places: list[int | None] = [*range(-count, 0)]
        if self.where == "last":
            furthest = max((flow.since or 0 for flow in model.flows.values()), default=0)
            places = [*range(furthest + 1, furthest + 1 + count)]
        elif beside is not None:
            at = model.flows[beside].since
            peers = [flow for flow in _queued(model) if flow.priority == priority and flow.id != beside]
            if at is None or any(flow.since == at for flow in peers):
                # Which of two that were due at one moment comes first is not known, nor what lies between.
                places = [at] * count
            else:
                first = at - count if self.where == "before" else at + 1
                places = [*range(first, first + count)]
        for flow, place in zip(moved, places, strict=True):
            model.set(model.flows[flow.id], since=place)
        for flow in _queued(model):
            # Those in front of them may have been moved up.
            if flow.priority == priority:
                model.set(flow, lined=True)
        model.number_places()


def _queued(model: Model) -> list[Flow]:
    return [flow for flow in model.flows.values() if flow.state == "queued"]
