"""A plain model of a store: dicts, and the rules of `stepfast.interfaces` in their simplest form.

It is told what a store answered, says whether a store may answer that, and then knows what must be there.
Where the interfaces leave a choice, the answer decides. Numbers are the store's: the model knows only which
of them must be new, and which must not have moved.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from stepfast.interfaces import Claim, Kind, NewRecord, Notes, Offered
from stepfast.outcome import Failure, Problem
from stepfast.state import FINISHED, Wait
from stepfast.views import Progress

__all__ = ["CHANCE", "LEASE", "MESSAGE", "Engine", "Flow", "Line", "Model", "Written", "Wrong", "must"]

LEASE = 60.0  # seconds that an owner may stay unmoved
CHANCE = 20.0  # and those after which it is taken over at the latest, where it is looked at all the while
MESSAGE = "message"

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


class Model:
    def __init__(self) -> None:
        self.now = 0.0
        self.monotonic = 0.0
        self.flows: dict[str, Flow] = {}
        self.facts: tuple[tuple[str, str, str], ...] = ()  # what effects wrote to a table of their own
        self.reached = 0  # the largest number seen
        self.furthest = 0  # the same of positions
        self._places = 0
        self.lives: dict[int, int] = {}  # how often each engine was taken over while it lived
        self.alive: frozenset[Engine] = frozenset()
        self.signs: dict[Engine, float] = {}  # when an owner last gave a sign of life
        self.restless: frozenset[Engine] = (
            frozenset()
        )  # what may move by itself, as what holds a claim of `claim`
        self.offers: dict[Engine, frozenset[tuple[str, int]]] = {}
        self.words: dict[int, frozenset[tuple[str, int]]] = {}  # what each engine last said that it can run
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
        return min((flow.due for flow in self.flows.values() if flow.due is not None), default=None)

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

    def queue(self, flow: Flow) -> Flow:
        """Ready by a wakeup, from now on."""
        return self.set(
            flow, state="queued", due=None, waits=(), out=None, woken=True, since=self.place(), intent=None
        )

    def wake(self, flow: Flow) -> None:
        if flow.state in ("sleeping", "waiting") or (flow.state == "queued" and flow.out is not None):
            self.queue(flow)
        else:
            self.set(flow, woken=True, out=None)

    def make_due(self) -> None:
        due = [flow for flow in self.flows.values() if flow.due is not None and flow.due <= self.now]
        places: dict[float | None, int] = {}
        for flow in sorted(due, key=lambda flow: flow.due or 0.0):
            # Of two that were due at one moment, either may come first.
            place = places.setdefault(flow.due, self.place())
            self.set(self.queue(flow), since=place)

    def hand_out(self, ids: Sequence[str], offered: Iterable[Offered], limit: int) -> list[Flow]:
        """Are these the workflows to be handed out next? Gives them."""
        self.make_due()
        can = {(each.name, each.version) for each in offered}
        ready = {
            flow.id: flow for flow in self.flows.values() if flow.ready and (flow.name, flow.version) in can
        }
        must(set(ids) <= set(ready), f"{ids} were handed out, and ready are {sorted(ready)}")
        must(len(set(ids)) == len(ids), f"handed out twice: {ids}")
        must(
            len(ids) == min(limit, len(ready)), f"{ids} of {sorted(ready)} were handed out, {limit} asked for"
        )
        chosen = [ready[id] for id in ids]
        for place, flow in enumerate(chosen):
            behind = [*chosen[place + 1 :], *(each for each in ready.values() if each.id not in ids)]
            for each in behind:
                must(not _goes_before(each, flow), f"{flow.id} was handed out before {each.id}")
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
        finished = self.now if state in FINISHED else None
        free: dict[str, Any] = dict.fromkeys(("token", "holder", "intent", "out", "taker", "since", "due"))
        return self.set(flow, **{**free, "state": state, "waits": (), "finished_at": finished, **changes})

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


def _goes_before(one: Flow, other: Flow) -> bool:
    if one.priority != other.priority:
        return one.priority > other.priority
    return one.since is not None and other.since is not None and one.since < other.since
