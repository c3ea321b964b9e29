"""What a store shows, read whole, and compared with what the model knows."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import permutations
from typing import Any

from store_model.rows import MESSAGE, Flow, Model, goes_before, must
from store_model.views import Follower, everything

from stepfast.body.run import Transaction
from stepfast.interfaces import Checkpoint, Durable, Look
from stepfast.state import (
    Cancelled,
    Completed,
    Failed,
    Paused,
    Queued,
    Running,
    Sleeping,
    State,
    Waiting,
)
from stepfast.views import Details, LogLine, Schedule, Summary

__all__ = ["Seen", "compare", "see", "shown"]

MANY = 1000
FACTS = "SELECT workflow, name, text FROM facts ORDER BY place"


@dataclass(frozen=True)
class Seen:
    """What the views of a store show at one moment; None is what was not looked at."""

    rows: dict[str, Summary]
    at: int
    details: dict[str, Details]
    checkpoints: dict[str, Checkpoint]
    logs: dict[str, list[LogLine]]
    looks: dict[int, Look]
    listed: list[Summary] | None
    counts: dict[str, int] | None
    facts: list[tuple[Any, ...]] | None
    schedules: list[Schedule] | None


async def see(
    durable: Durable, follower: Follower, engines: Mapping[int, Durable], ids: Iterable[str], *, whole: bool
) -> Seen:
    """Follow the changes; read what is in these workflows and what engines hold. `whole`: all lists too."""

    def facts(transaction: Transaction) -> list[tuple[Any, ...]]:
        return transaction.execute(FACTS).fetchall()

    catalogue = durable.catalogue
    await follower.follow(durable, MANY)
    rows = dict(follower.rows)
    some = [*rows] if whole else [id for id in ids if id in rows]
    details = await asyncio.gather(*(catalogue.get(id) for id in some))
    checkpoints = await asyncio.gather(*(durable.checkpointer.load(rows[id].key) for id in some))
    logs = await asyncio.gather(*(catalogue.log(id) for id in some))
    return Seen(
        rows=rows,
        at=follower.at,
        details=dict(zip(some, details, strict=True)),
        checkpoints=dict(zip(some, checkpoints, strict=True)),
        logs=dict(zip(some, logs, strict=True)),
        looks={number: await each.look() for number, each in engines.items()},
        listed=await everything(durable) if whole else None,
        counts=await catalogue.counts() if whole else None,
        facts=await durable.checkpointer.query(facts) if whole else None,
        schedules=await catalogue.schedules() if whole else None,
    )


def compare(model: Model, seen: Seen) -> None:
    """Raise `Wrong` where the store shows anything else than the model; then learn the numbers it shows."""
    must(set(seen.rows) == set(model.flows), f"there are {sorted(seen.rows)}, and not {sorted(model.flows)}")
    for flow in [*model.flows.values()]:
        model.learn_key(flow, seen.rows[flow.id].key)
    changes = {row.change for row in seen.rows.values()}
    must(len(changes) == len(seen.rows), f"two rows have one number of a change: {seen.rows}")
    for flow in [*model.flows.values()]:
        _compare_row(model, flow, seen)
        if flow.id in seen.details:
            _compare_contents(model, flow, seen)
    _compare_places(model, seen)
    if seen.listed is not None:
        newest = sorted(model.flows.values(), key=lambda flow: (flow.removed_at is not None, -flow.key))
        wanted = [seen.rows[flow.id] for flow in newest]
        must(seen.listed == wanted, f"listed are {seen.listed}, and whoever follows the changes has {wanted}")
    if seen.counts is not None:
        counts = Counter(flow.state for flow in model.flows.values() if flow.removed_at is None)
        must({state: n for state, n in seen.counts.items() if n} == counts, f"counted are {seen.counts}")
    if seen.facts is not None:
        must(tuple(seen.facts) == model.facts, f"effects wrote {seen.facts}, and not {model.facts}")
    if seen.schedules is not None:
        _compare_plans(model, seen.schedules)
    for number, look in seen.looks.items():
        _compare_look(model, number, look)
    must(seen.at >= model.reached, f"the counter is {seen.at}, and {model.reached} was given out")
    model.reached = model.compared = seen.at


def _compare_plans(model: Model, schedules: Iterable[Schedule]) -> None:
    """What is started by itself, and when."""
    found = [
        (each.name, each.definition, each.version, each.input, json.loads(each.rule), each.missed, each.due)
        for each in schedules
    ]
    wanted = [
        (
            name,
            plan.definition,
            plan.version,
            json.loads(plan.input),
            {"every": plan.every},
            plan.missed,
            _moment(plan.due),
        )
        for name, plan in sorted(model.plans.items())
    ]
    must(found == wanted, f"planned are {found}, and not {wanted}")


def _compare_row(model: Model, flow: Flow, seen: Seen) -> None:
    row = seen.rows[flow.id]
    if flow.holder is not None:
        must(isinstance(row.state, Running), f"{flow.id} is held, and {row.state}")
        owner = row.state.owner if isinstance(row.state, Running) else 0
        must(
            model.owners.setdefault(flow.holder, owner) == owner,
            f"{flow.id} runs with another owner: {owner}",
        )
        must(len(set(model.owners.values())) == len(model.owners), f"two owners are one: {model.owners}")
    expected = shown(model, flow, row.change, row.place)
    if expected != row:
        found = {name: getattr(row, name) for name in Summary.__slots__}
        wrong = [f"{name} {each!r}" for name, each in found.items() if each != getattr(expected, name)]
        must(False, f"{flow.id} shows {', '.join(wrong)}, and not {expected}")


def shown(model: Model, flow: Flow, change: int, place: int | None = None) -> Summary:
    """The row of a list. `place` is the store's, as far as there is to be one."""
    return Summary(
        key=flow.key,
        id=flow.id,
        name=flow.name,
        version=flow.version,
        state=_state(model, flow),
        intent=flow.intent,
        priority=flow.priority,
        problems=len(flow.problems),
        step=None if flow.state in ("completed", "cancelled") else flow.step,
        progress=flow.progress,
        created_at=_moment(flow.created_at),
        started_at=None if flow.started_at is None else _moment(flow.started_at),
        finished_at=None if flow.finished_at is None else _moment(flow.finished_at),
        removed_at=None if flow.removed_at is None else _moment(flow.removed_at),
        change=change,
        place=place if flow.state == "queued" else None,
    )


def _compare_places(model: Model, seen: Seen) -> None:
    """What is to run first stands in front."""
    queued = [flow for flow in model.flows.values() if flow.state == "queued"]
    for one, other in permutations(queued, 2):
        if goes_before(one, other):
            places = [_in_queue(seen.rows[each.id]) for each in (one, other)]
            must(places[0] < places[1], f"{one.id} is to run before {other.id}, and they have {places}")


def _in_queue(row: Summary) -> tuple[int, int, int]:
    must(row.place is not None, f"{row.id} is queued, and has no place")
    return (-row.priority, row.place or 0, row.key)


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _state(model: Model, flow: Flow) -> State:
    finished = _moment(flow.finished_at or 0.0)
    match flow.state:
        case "queued":
            return Queued()
        case "running":
            assert flow.holder is not None
            return Running(model.owners[flow.holder])
        case "sleeping":
            return Sleeping(_moment(flow.due or 0.0))
        case "waiting":
            return Waiting(flow.waits)
        case "paused":
            return Paused()
        case "completed":
            return Completed(finished, len(flow.problems))
        case "failed":
            return Failed(finished, len(flow.problems))
        case _:
            return Cancelled(finished)


def _compare_contents(model: Model, flow: Flow, seen: Seen) -> None:
    details = seen.details[flow.id]
    value, result = json.loads(flow.input), None if flow.result is None else json.loads(flow.result)
    wanted = Details(seen.rows[flow.id], value, result, flow.failure, flow.problems)
    must(details == wanted, f"of {flow.id} is shown {details}, and not {wanted}")
    checkpoint = seen.checkpoints[flow.id]
    records = [
        (each.position, (each.kind, each.name, each.text, each.recorded_at, each.started_at, each.attempts))
        for each in checkpoint.records
    ]
    messages = [(each.position, (MESSAGE, "", each.text)) for each in checkpoint.messages]
    for some in (records, messages):
        must([*some] == sorted(some), f"what {flow.id} has is not in order: {some}")
    found = sorted([*records, *messages])
    wanted = [
        (MESSAGE, "", each.text)
        if each.kind == MESSAGE
        else (each.kind, each.name, each.text, _moment(each.at), _moment(each.started_at), each.attempts)
        for each in flow.written
    ]
    must([each for _, each in found] == wanted, f"{flow.id} has {found}, and not {wanted}")
    positions = [position for position, _ in found]
    must(len(set(positions)) == len(positions), f"{flow.id}: two have one position: {found}")
    known = [each.position for each in flow.written]
    for position, before in zip(positions, known, strict=True):
        must(before in (None, position), f"{flow.id}: what was at {before} is at {position}")
    model.furthest = max([model.furthest, *positions])
    numbered = tuple(replace(one, position=at) for one, at in zip(flow.written, positions, strict=True))
    model.set(flow, written=numbered)
    must(checkpoint.bookmarks == dict(flow.bookmarks), f"{flow.id} has the bookmarks {checkpoint.bookmarks}")
    lines = [(line.at, line.level, line.step, line.text) for line in seen.logs[flow.id]]
    logged = [(_moment(line.at), line.level, line.step, line.text) for line in flow.log]
    must(lines == logged, f"the log of {flow.id} is {lines}, and not {logged}")
    must(_rise(line.position for line in seen.logs[flow.id]), f"the log of {flow.id} is out of order")


def _rise(numbers: Iterable[int]) -> bool:
    listed = [*numbers]
    return listed == sorted(set(listed))


def _compare_look(model: Model, number: int, look: Look) -> None:
    engine = model.engine(number)
    must(look.next_due == model.next_due, f"a look shows {look.next_due} as next due")
    mine = {flow.key: flow for flow in model.flows.values() if flow.holder == engine}
    must({each.workflow for each in look.held} == set(mine), f"engine {number} holds {look.held}, not {mine}")
    for held in look.held:
        flow = model.flows[mine[held.workflow].id]
        must((held.token, held.intent) == (flow.token, flow.intent), f"{held} is not {flow}")
        if flow.settled and not flow.woken:
            must(held.receipt == flow.receipt, f"{flow.id} was not woken, and its receipt moved: {held}")
        model.saw_receipt(flow, held.receipt)
