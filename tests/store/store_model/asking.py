"""The moves of those who are outside: what arrives, and what a person asks of one workflow or of many."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from store_model.moves import IDS, Move, Need, Pools, granted, refused
from store_model.rows import MESSAGE, Flow, Model, Written, must

from stepfast.errors import AlreadyFinished, AlreadyStarted, NotAllowed, UnknownWorkflow
from stepfast.interfaces import Durable, Kind
from stepfast.views import Filter

__all__ = ["Arrive", "Ask", "AskMany", "Deliver", "Mark", "Rerun", "ToOne", "Wake"]


@dataclass(frozen=True, kw_only=True)
class ToOne(Move):
    """About one workflow: of those for which it is meant, unless it is to be `anyway`."""

    id: str
    anyway: bool

    def aim(self, model: Model, pools: Pools, seats: dict[int, int]) -> Move | Need:
        if self.anyway:
            return replace(self, text=pools.text())
        if pools.focus in model.flows:
            return replace(self, text=pools.text(), id=pools.focus)
        fit = [flow.id for flow in model.flows.values() if self.is_for(flow)]
        if not fit:
            return self.needs
        fit.sort(key=lambda id: (not self.is_best_for(model.flows[id]), id))
        return replace(self, text=pools.text(), id=fit[IDS.index(self.id) % len(fit)])

    @property
    def needs(self) -> Need:
        """What has to be there first where there is none that it is meant for."""
        return Need.READY

    def is_best_for(self, flow: Flow) -> bool:
        return flow.state == "running" or flow.out is not None

    def is_for(self, flow: Flow) -> bool:
        return not flow.finished


@dataclass(frozen=True, kw_only=True)
class Reaching(ToOne):
    """What needs a workflow that is pending."""

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        flow = model.flows.get(self.id)
        if flow is None:
            return refused(answer, UnknownWorkflow, f"{self.id} was never started, or deleted")
        if flow.finished:
            return self.too_late(answer)
        granted(answer)
        self.reached(model, flow, answer)
        return None

    def too_late(self, answer: Any) -> None:
        refused(answer, AlreadyFinished, f"{self.id} has finished")

    def reached(self, model: Model, flow: Flow, answer: Any) -> None:
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Wake(Reaching):
    async def call(self, durable: Durable) -> object:
        return await durable.scheduler.wake(self.id)

    def too_late(self, answer: Any) -> None:
        must(answer is None or type(answer) is AlreadyFinished, f"{self.id} has finished: {answer!r}")

    def reached(self, model: Model, flow: Flow, answer: Any) -> None:
        model.wake(flow)


@dataclass(frozen=True, kw_only=True)
class Arrive(Reaching):
    name: str

    async def call(self, durable: Durable) -> object:
        return await durable.arrive(self.id, self.name, self.text)

    def reached(self, model: Model, flow: Flow, answer: Any) -> None:
        stored = model.answer(flow, self.name, self.text)
        must(answer == stored, f"the first answer under {self.name!r} is {stored}, and {answer!r} came back")
        model.wake(model.flows[self.id])


@dataclass(frozen=True, kw_only=True)
class Deliver(Reaching):
    async def call(self, durable: Durable) -> object:
        return await durable.deliver(self.id, self.text)

    def reached(self, model: Model, flow: Flow, answer: Any) -> None:
        must(answer > model.furthest, f"the position {answer} is not behind {model.furthest}")
        model.furthest = answer
        message = Written(MESSAGE, "", self.text, model.now, position=answer)
        model.wake(model.set(flow, written=(*flow.written, message)))


# --- what a person asks ---------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Ask(ToOne):
    what: str

    def is_for(self, flow: Flow) -> bool:
        match self.what:
            case "resume":
                return flow.state == "paused" or flow.intent is not None
            case "retry":
                return flow.state in ("failed", "cancelled")
            case _:
                return not flow.finished

    @property
    def needs(self) -> Need:
        return {"resume": Need.PAUSED, "retry": Need.FINISHED}.get(self.what, Need.READY)

    async def call(self, durable: Durable) -> object:
        ask = {
            "pause": durable.pause,
            "resume": durable.resume,
            "cancel": durable.cancel,
            "retry": durable.retry,
        }
        return await ask[self.what](self.id)

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        flow = model.flows.get(self.id)
        if flow is None:
            return refused(answer, UnknownWorkflow, f"{self.id} was never started, or deleted")
        if _carry_out(model, self.what, flow) or flow.state in _AT_EASE.get(self.what, ()):
            state = model.flows[self.id].state
            must(answer == state, f"{self.id} is {state}, and {answer!r} came back")
            return None
        too_late = flow.finished and self.what in ("pause", "cancel")
        return refused(answer, AlreadyFinished if too_late else NotAllowed, f"{self.id} is {flow.state}")


_AT_EASE = {
    "pause": ("paused", "running"),
    "cancel": ("running",),
    "resume": ("queued", "running", "sleeping", "waiting"),
}


def _carry_out(model: Model, what: str, flow: Flow) -> str | None:
    """Do it to one: "done", "asked" of its holder, or None where it cannot be or there is nothing to do."""
    match what, flow.state:
        case "pause" | "cancel", "running" if flow.intent != "cancel":
            model.set(flow, intent=what)
            return "asked"
        case "pause" | "cancel", "queued" | "sleeping" | "waiting":
            model.let_go(flow, "paused" if what == "pause" else "cancelled")
        case "cancel", "paused":
            model.let_go(flow, "cancelled")
        case "resume", "paused":
            resumed = model.queue(flow)
            model.set(resumed, since=flow.since, lined=flow.lined)
        case "resume", "running" if flow.intent == "pause":
            model.set(flow, intent=None)
        case "retry", "failed" | "cancelled":
            # Nothing that is pending may run on unseen, so the mark goes.
            cleared: dict[str, Any] = {"finished_at": None, "removed_at": None, "result": None}
            model.queue(model.set(flow, **cleared, failure=None, problems=()))
        case "remove", "completed" | "failed" | "cancelled" if flow.removed_at is None:
            model.set(flow, removed_at=model.now)
        case "restore", _ if flow.removed_at is not None:
            model.set(flow, removed_at=None)
        case _:
            return None
    return "done"


@dataclass(frozen=True, kw_only=True)
class Rerun(ToOne):
    """A new one goes on from before the step `step`; `new` is its id where each id is taken."""

    step: str
    new: str

    def aim(self, model: Model, pools: Pools, seats: dict[int, int]) -> Move | Need:
        aimed = super().aim(model, pools, seats)
        if isinstance(aimed, Rerun):
            return replace(aimed, new=next((id for id in IDS if id not in model.flows), self.new))
        return aimed

    def is_for(self, flow: Flow) -> bool:
        return True

    def is_best_for(self, flow: Flow) -> bool:
        return flow.record(Kind.STEP, self.step) is not None

    async def call(self, durable: Durable) -> object:
        return await durable.rerun(self.id, self.step, self.new)

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        flow = model.flows.get(self.id)
        if flow is None:
            return refused(answer, UnknownWorkflow, f"{self.id} was never started, or deleted")
        if self.new in model.flows:
            return refused(answer, AlreadyStarted, f"{self.new} is there")
        granted(answer)
        must(answer.created and answer.id == self.new, f"{answer}, and a new workflow was due")
        key = model.fresh(answer.key, "a key")
        step = flow.record(Kind.STEP, self.step)
        before = flow.written if step is None else flow.written[: flow.written.index(step)]
        written = tuple(
            replace(each, position=None)
            for each in flow.written
            if each.kind == MESSAGE or (each in before and each.kind not in (Kind.ATTEMPT, Kind.BEGUN))
        )
        made = Flow(key, self.new, flow.name, flow.version, flow.input, 0, model.now, written=written)
        model.queue(made)
        return None


@dataclass(frozen=True, kw_only=True)
class Mark(Move):
    """`remove`, or `restore` where it is to be undone."""

    ids: tuple[str, ...]
    undo: bool

    def aim(self, model: Model, pools: Pools, seats: dict[int, int]) -> Move | Need:
        fit = [
            flow.id for flow in model.flows.values() if flow.finished and self.undo == bool(flow.removed_at)
        ]
        if fit:
            return replace(self, ids=(*self.ids[:-1], sorted(fit)[len(self.ids) % len(fit)]))
        return Need.REMOVED if self.undo else Need.FINISHED

    async def call(self, durable: Durable) -> object:
        return await (durable.restore if self.undo else durable.remove)(self.ids)

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        granted(answer)
        what = "restore" if self.undo else "remove"
        there = [model.flows[id] for id in self.ids if id in model.flows]
        concerned = {flow.id for flow in there if _carry_out(model, what, model.flows[flow.id])}
        must(sorted(answer) == sorted(concerned), f"it concerns {sorted(concerned)}, and {answer} came back")


@dataclass(frozen=True, kw_only=True)
class AskMany(Move):
    """`bulk`: of all with these keys, or all that match. `long_ago`: as somebody who has seen nothing yet."""

    what: str
    ids: tuple[str, ...]
    filter: Filter | None
    long_ago: bool
    keys: tuple[int, ...] = ()

    def aim(self, model: Model, pools: Pools, seats: dict[int, int]) -> Move:
        keys = [model.flows[id].key if id in model.flows else 999_999_999 for id in dict.fromkeys(self.ids)]
        return replace(self, keys=tuple(dict.fromkeys(keys)))

    async def call(self, durable: Durable) -> object:
        upto = 0 if self.long_ago else None
        if self.filter is None:
            return await durable.bulk(self.what, self.keys, upto=upto)
        return await durable.bulk(self.what, self.filter, upto=upto, without=self.keys)

    def judge(self, model: Model, engine: int, answer: Any) -> None:
        granted(answer)
        asked = self.keys
        if self.filter is not None:
            found = sorted(flow.key for flow in model.flows.values() if _matches(flow, self.filter))
            asked = tuple(key for key in found if key not in self.keys)
        came: dict[str, set[int]] = {"done": set(), "asked": set()}
        left: Counter[str] = Counter()
        for key in asked:
            flow = model.with_key(key)
            if flow is None:
                left["gone"] += 1
            elif self.long_ago:
                left["changed"] += 1
            elif outcome := self.carry_out(model, flow):
                came[outcome].add(key)
            else:
                left["removed" if self.what == "remove" and flow.removed_at is not None else flow.state] += 1
        found_left = {reason: n for reason, n in answer.left.items() if n}
        must(
            (set(answer.done), set(answer.asked), found_left) == (came["done"], came["asked"], dict(left)),
            f"of {asked}, {came} and {dict(left)} were due, and it says {answer}",
        )

    def carry_out(self, model: Model, flow: Flow) -> str | None:
        """Do it to one, as far as it can be done: "done", "asked" of its holder, or None."""
        return _carry_out(model, self.what, flow)


def _matches(flow: Flow, filter: Filter) -> bool:
    return (not filter.states or flow.state in filter.states) and (
        flow.removed_at is not None
    ) == filter.removed
