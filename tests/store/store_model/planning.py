"""The moves that change what is started by itself: a schedule is kept, or is no more."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from typing import Any

from store_model.moves import Move, granted
from store_model.rows import Model, Plan, must

from stepfast.interfaces import Durable, NewSchedule
from stepfast.schedules import Every, rule_text

__all__ = ["Schedule", "Unschedule"]


@dataclass(frozen=True, kw_only=True)
class Schedule(Move):
    """`every` so many seconds."""

    name: str
    what: tuple[str, int, str]
    every: float
    missed: str

    async def call(self, durable: Durable) -> object:
        rule = rule_text(Every(timedelta(seconds=self.every)))
        return await durable.schedule(NewSchedule(self.name, *self.what, rule, self.missed))

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        granted(answer)
        due = float(ceil(model.now + self.every))
        there = model.plans.get(self.name)
        if there is not None and there.every == self.every:
            due = min(due, there.due)  # asked again, as at each launch: nothing moves
        must(answer == due, f"{self.name} is due at {answer}, and {due} was due, where {there} was planned")
        model.plans[self.name] = Plan(*self.what, self.every, self.missed, due)


@dataclass(frozen=True, kw_only=True)
class Unschedule(Move):
    name: str

    async def call(self, durable: Durable) -> object:
        return await durable.unschedule(self.name)

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        there = model.plans.pop(self.name, None)
        must(answer is (there is not None), f"{there} was planned as {self.name}, and it says {answer!r}")
