"""A plain model of a store: dicts, and the rules of `stepfast.interfaces` in their simplest form.

It is told what a store answered, says whether a store may answer that, and then knows what must be there.
Where the interfaces leave a choice, the answer decides. Numbers are the store's: the model knows only which
of them must be new, and which must not have moved.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import inf
from typing import Any

from store_model.limits import Limits

from stepfast.interfaces import Claim, Kind, NewRecord, Notes, Offered
from stepfast.passes.outcome import Failure, Problem
from stepfast.state import FINISHED, Wait
from stepfast.views import Progress

__all__ = [
    "CHANCE",
    "LEASE",
    "MESSAGE",
    "Engine",
    "Flow",
    "Line",
    "Model",
    "Plan",
    "Written",
    "Wrong",
    "goes_before",
    "must",
]

LEASE = 60.0  # seconds that an owner may stay unmoved
CHANCE = 20.0  # and those after which it is taken over at the latest, where it is looked at all the while
MESSAGE = "message"
UNKNOWN = 0  # the key of a workflow that nobody was told of yet
LATE = 300.0  # seconds from which on a run of a schedule was missed

Engine = tuple[int, int]
"""An engine as an owner: which one, and how often it was taken over before while it lived."""


class Wrong(AssertionError):
    """The store did what no store may."""


def must(holds: object, what: str) -> None:
    if not holds:
        raise Wrong(what)


@dataclass(frozen=True, slots=True)
class Written:
    """A record or a message; its position is known once it was read."""

    kind: str
    name: str
    text: str
    at: float
    started_at: float = 0.0
    attempts: int = 1
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Line:
    at: float
    level: str
    step: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Flow:
    """One workflow. Each change makes another value, so that a copy of the dict is a snapshot."""

    key: int
    id: str
    name: str
    version: int
    input: str
    priority: int
    created_at: float
    state: str = "queued"
    due: float | None = None
    waits: tuple[Wait, ...] = ()
    since: int | None = None  # its place in the queue, where one is promised
    lined: bool = False  # it holds among those of its priority only
    receipt: int = 0  # the last one seen
    woken: bool = True  # since then
    settled: bool = False  # it can move by a wakeup only
    out: int | None = None  # the receipt of the delivery that is out
    taker: Engine | None = None  # whom a delivery was handed to, out or overtaken by a wakeup
    token: int | None = None
    holder: Engine | None = None
    intent: str | None = None
    started_at: float | None = None
    finished_at: float | None = None
    removed_at: float | None = None
    result: str | None = None
    failure: Failure | None = None
    problems: tuple[Problem, ...] = ()
    queue: str | None = None  # that it was begun in the last time
    step: str | None = None
    progress: Progress | None = None
    written: tuple[Written, ...] = ()
    bookmarks: tuple[tuple[str, str], ...] = ()
    log: tuple[Line, ...] = ()

    @property
    def finished(self) -> bool:
        return self.state in FINISHED

    @property
    def ready(self) -> bool:
        return self.state == "queued" and self.out is None

    def record(self, kind: str, name: str) -> Written | None:
        return next((each for each in self.written if (each.kind, each.name) == (kind, name)), None)


@dataclass(frozen=True, slots=True)
class Plan:
    """A schedule: what is started `every` so many seconds, for the next time when it is `due`."""

    definition: str
    version: int
    input: str
    every: float
    missed: str
    due: float


class Model:
    def __init__(self) -> None:
        self.now = 0.0
        self.monotonic = 0.0
        self.flows: dict[str, Flow] = {}
        self.plans: dict[str, Plan] = {}  # by the names of schedules
        self.facts: tuple[tuple[str, str, str], ...] = ()  # what effects wrote to a table of their own
        self.reached = 0  # the largest number seen
        self.compared = 0  # the same when all that shows was compared last
        self.furthest = 0  # the same of positions
        self._places = 0
        self.lives: dict[int, int] = {}  # how often each engine was taken over while it lived
        self.alive: frozenset[Engine] = frozenset()
        self.signs: dict[Engine, float] = {}  # when an owner last gave a sign of life
        self.restless: frozenset[Engine] = (
            frozenset()
        )  # what may move by itself, as what holds a claim of `claim`
        self.offers: dict[Engine, frozenset[str]] = {}
        self.words: dict[int, frozenset[str]] = {}  # what each engine last said that it can run
        self.forgetting: frozenset[str] = frozenset()  # names of definitions that have a `forget`
        self.owners: dict[Engine, int] = {}  # the store's key of an owner, once it was seen

    def copy(self) -> Model:
        made = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, dict):
                setattr(made, name, dict(value))
        return made

    # --- finding

    def with_key(self, key: int) -> Flow | None:
        return next((flow for flow in self.flows.values() if flow.key == key), None)

    def held(self, claim: Claim) -> Flow | None:
        """The workflow, if this claim stands."""
        flow = self.with_key(claim.workflow)
        return flow if flow is not None and flow.token == claim.token else None

    def pending(self, id: str) -> Flow | None:
        flow = self.flows.get(id)
        return None if flow is None or flow.finished else flow

    @property
    def next_due(self) -> float | None:
        timers = [*(flow.due for flow in self.flows.values()), *(plan.due for plan in self.plans.values())]
        return min((due for due in timers if due is not None), default=None)

    # --- changing

    def set(self, flow: Flow, **changes: Any) -> Flow:
        made = replace(flow, **changes)
        self.flows[flow.id] = made
        return made

    def place(self) -> int:
        self._places += 1
        return self._places

    def number_places(self) -> None:
        """Number the places in the queue anew, so that two models that mean the same are equal."""
        used = sorted({flow.since for flow in self.flows.values() if flow.since is not None})
        for flow in self.flows.values():
            if flow.since is not None:
                self.flows[flow.id] = replace(flow, since=used.index(flow.since) + 1)
        self._places = len(used)

    def fresh(self, number: int, what: str) -> int:
        """A number that was never given out before."""
        must(number > self.reached, f"{what} is {number}, and {self.reached} was given out before")
        self.reached = number
        return number

    def learn_key(self, flow: Flow, key: int) -> Flow:
        """The same, with its key, which shows only now where nobody was told of its start."""
        if flow.key != UNKNOWN:
            return flow
        must(key > self.compared, f"the key of {flow.id} is {key}, and {self.compared} was given out before")
        must(self.with_key(key) is None, f"two have the key {key}, and {flow.id} is one of them")
        return self.set(flow, key=key)

    def queue(self, flow: Flow) -> Flow:
        """Ready by a wakeup, from now on."""
        free: dict[str, Any] = {"due": None, "waits": (), "out": None, "intent": None}
        return self.set(flow, state="queued", **free, woken=True, since=self.place(), lined=False)

    def wake(self, flow: Flow) -> None:
        if flow.state in ("sleeping", "waiting") or (flow.state == "queued" and flow.out is not None):
            self.queue(flow)
        else:
            self.set(flow, woken=True, out=None)

    def run_plans(self) -> None:
        """Start what is due, once however many runs were missed, and plan the first run after now."""
        places: dict[float, int] = {}
        due = [(plan.due, name) for name, plan in self.plans.items() if plan.due <= self.now]
        for moment, name in sorted(due):
            plan = self.plans[name]
            id = f"{name}@{datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%SZ}"
            missed = self.now - moment > LATE or moment + plan.every <= self.now
            if id not in self.flows and (plan.missed == "once" or not missed):
                new = Flow(UNKNOWN, id, plan.definition, plan.version, plan.input, 0, self.now)
                # Of two that are due at one moment, either may come first.
                place = places.setdefault(moment, self.place())
                self.set(self.queue(new), since=place)
            runs = (self.now - moment) // plan.every + 1
            self.plans[name] = replace(plan, due=moment + runs * plan.every)

    def make_due(self) -> None:
        self.run_plans()
        due = [flow for flow in self.flows.values() if flow.due is not None and flow.due <= self.now]
        places: dict[float | None, int] = {}
        for flow in sorted(due, key=lambda flow: flow.due or 0.0):
            # Of two that were due at one moment, either may come first.
            place = places.setdefault(flow.due, self.place())
            self.set(self.queue(flow), since=place)

    def hand_out(
        self, ids: Sequence[str], offered: Sequence[Offered], limit: int, *, limited: bool
    ) -> list[Flow]:
        """Are these the workflows to be handed out next? Gives them. `limited`: as far as there is room."""
        self.make_due()
        running = [flow for flow in self.flows.values() if flow.token is not None]
        limits = Limits(offered if limited else (), running)
        can = {(each.name, each.version) for each in offered}
        ready = {
            flow.id: flow for flow in self.flows.values() if flow.ready and (flow.name, flow.version) in can
        }
        must(set(ids) <= set(ready), f"{ids} were handed out, and ready are {sorted(ready)}")
        must(len(set(ids)) == len(ids), f"handed out twice: {ids}")
        must(len(ids) <= limit, f"{ids} were handed out, {limit} asked for")
        chosen = [ready[id] for id in ids]
        left = [each for each in ready.values() if each.id not in ids]
        for place, flow in enumerate(chosen):
            must(limits.has_room(flow), f"{ids} were handed out, and for {flow.id} there was no room")
            for each in (*chosen[place + 1 :], *left):
                first = goes_before(each, flow) and limits.has_room(each)
                must(not first, f"{flow.id} was handed out before {each.id}")
            limits.take(flow)
        kept = [each.id for each in left if limits.has_room(each)]
        must(
            len(ids) == limit or not kept,
            f"{ids} of {sorted(ready)} were handed out, {limit} asked for, with room for {kept}",
        )
        return chosen

    def saw_receipt(self, flow: Flow, receipt: int) -> Flow:
        if flow.woken:
            must(receipt > flow.receipt, f"{flow.id} was woken, and its receipt is {receipt} still")
        else:
            must(
                receipt >= flow.receipt,
                f"the receipt of {flow.id} went back from {flow.receipt} to {receipt}",
            )
        return self.set(flow, receipt=receipt, woken=False, settled=True)

    def hold(self, flow: Flow, token: int, engine: Engine) -> Flow:
        started = self.now if flow.started_at is None else flow.started_at
        self.fresh(token, f"the token of {flow.id}")
        return self.set(
            flow, state="running", due=None, waits=(), token=token, holder=engine, started_at=started
        )

    def let_go(self, flow: Flow, state: str, **changes: Any) -> Flow:
        """What is ready then, or when a pause is over, has the place that it had."""
        finished = self.now if state in FINISHED else None
        free: dict[str, Any] = dict.fromkeys(("token", "holder", "intent", "out", "taker", "due"))
        free |= {"waits": ()}
        if state not in ("queued", "paused"):
            free |= {"since": None, "lined": False}
        return self.set(flow, **{**free, "state": state, "finished_at": finished, **changes})

    def abandon(self, flow: Flow) -> None:
        """Its holder, or who was to answer for its delivery, is gone."""
        asked = {"pause": "paused", "cancel": "cancelled"}.get(flow.intent or "", "queued")
        self.let_go(flow, asked if flow.state == "running" else flow.state)

    def write(self, flow: Flow, new: NewRecord) -> tuple[Written, bool]:
        """The record that is there afterwards, and whether it is this one."""
        there = flow.record(new.kind, new.name)
        if there is not None:
            return there, False
        made = Written(new.kind, new.name, new.text, self.now, new.started_at, new.attempts)
        marks = tuple(mark for mark in flow.bookmarks if not (new.bookmarked and mark[0] == new.name))
        self.set(flow, written=(*flow.written, made), bookmarks=marks)
        return made, True

    def note(self, id: str, notes: Notes | None) -> None:
        if notes is None:
            return
        flow = self.flows[id]
        self.set(
            flow,
            bookmarks=tuple((dict(flow.bookmarks) | dict(notes.bookmarks)).items()),
            log=(*flow.log, *(Line(*line) for line in notes.log)),
            step=flow.step if notes.step is None else notes.step,
            progress=notes.progress or flow.progress,
        )

    def answer(self, flow: Flow, name: str, text: str) -> str:
        """The answer that is there afterwards."""
        new = NewRecord(Kind.ANSWER, name, text, self.now)
        return self.write(flow, new)[0].text

    # --- engines

    def engine(self, number: int) -> Engine:
        return (number, self.lives[number])

    def opened(self, number: int) -> None:
        self.lives[number] = 0
        self.alive |= {(number, 0)}

    def gone(self, number: int) -> None:
        engine = self.engine(number)
        self.alive -= {engine}
        self.offers.pop(engine, None)

    def kept_alive(self, number: int) -> None:
        """From now on it moves no more, and counts as alive as long as its process lives."""
        self.signs[self.engine(number)] = inf
        self.offers.pop(self.engine(number), None)

    def as_owner(self, number: int) -> Engine:
        """An engine that does what only owners do is one from then on, with what it said it can run."""
        engine = self.engine(number)
        if engine not in self.signs:
            self.signs[engine] = self.monotonic
            if number in self.words:
                self.offers[engine] = self.words[number]
        return engine

    def stale(self, engine: Engine) -> bool:
        return engine in self.signs and self.monotonic - self.signs[engine] >= LEASE

    def overdue(self, engine: Engine) -> bool:
        """Must it have been taken over, where somebody has watched?"""
        return self.stale(engine) and self.monotonic - self.signs[engine] >= LEASE + CHANCE

    def belongings(self, engine: Engine) -> set[str]:
        """What an owner holds, or has taken and not answered for."""
        return {
            flow.id
            for flow in self.flows.values()
            if flow.holder == engine or (flow.out is not None and flow.taker == engine)
        }

    def lose(self, engine: Engine) -> None:
        """It lives, and was taken over all the same: what it does next it does as another owner."""
        self.gone(engine[0])
        self.lives[engine[0]] += 1
        self.alive |= {self.engine(engine[0])}


def goes_before(one: Flow, other: Flow) -> bool:
    """Must the one be handed out before the other?"""
    if one.priority != other.priority:
        return one.priority > other.priority
    return one.since is not None and other.since is not None and one.since < other.since
