"""Views that live on: one that follows the changes, and lists in every order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from store_model.engines import said
from store_model.rows import Flow, Model, must

from stepfast.interfaces import Checkpoint, Durable, Kind
from stepfast.views import ORDERS, Changes, Filter, Reset, Summary

__all__ = ["Follower", "check_lists", "check_offers", "check_parts", "everything"]

MANY = 1000
TEXTS = ("ann", "OP", "dORA", "o", "oo", "nothing")


async def everything(durable: Durable) -> list[Summary]:
    """All rows, those that were removed last; each list from the newest to the oldest."""
    catalogue = durable.catalogue
    return [*await catalogue.list(limit=MANY), *await catalogue.list(Filter(removed=True), limit=MANY)]


class Follower:
    """A view that applies the changes it is told, and reads the list only where it is told to."""

    def __init__(self) -> None:
        self.at = 0
        self.rows: dict[str, Summary] = {}

    async def follow(self, durable: Durable, limit: int) -> None:
        """Catch up, in pages of `limit`."""
        while True:
            before = self.at
            match await durable.catalogue.changes(self.at, limit=limit):
                case Reset(at):
                    self.rows = {row.id: row for row in await everything(durable)}
                    self.at, whole = at, True
                case Changes(changed, deleted, at):
                    for id in deleted:
                        self.rows.pop(id, None)
                    self.rows |= {row.id: row for row in changed}
                    self.at, whole = at, len(changed) + len(deleted) < limit
            must(self.at >= before, f"changes after {before} say to go on from {self.at}")
            if whole:
                return
            must(self.at > before, f"changes after {before} say to go on from {self.at}")

    def check(self, rows: dict[str, Summary]) -> None:
        """Does it show these rows?"""
        if self.rows != rows:
            late = {id for id in self.rows.keys() | rows.keys() if self.rows.get(id) != rows.get(id)}
            shows = {id: (self.rows.get(id), rows.get(id)) for id in late}
            must(False, f"who follows the changes shows, and should show: {shows}")


async def check_lists(
    model: Model, durable: Durable, *, states: tuple[str, ...], removed: bool, descending: bool, limit: int
) -> None:
    """Hold `keys`, `rows` and the pages of `list` to the model, in every order."""
    catalogue = durable.catalogue
    some = [flow for flow in model.flows.values() if (flow.removed_at is not None) == removed]
    some = [flow for flow in some if not states or flow.state in states]
    for text in TEXTS:
        found = [
            flow for flow in some if text.lower() in flow.id.lower() or text.lower() in flow.name.lower()
        ]
        wanted = [flow.key for flow in sorted(found, key=_PLACES["id"])]
        keys = [*(await catalogue.listing(Filter(states, text=text, removed=removed), order="id")).keys]
        must(keys == wanted, f"with {text!r} in them are found {keys}, and not {wanted}")
    queued = [row for row in await everything(durable) if row.place is not None]
    seats = {row.key: (-row.priority, row.place) for row in queued}
    in_line = {flow.key for flow in model.flows.values() if flow.state == "queued"}
    must(in_line == set(seats), f"queued are {in_line}, and a place in the queue have {seats}")
    in_queue = {"queue": lambda flow: seats.get(flow.key, (MANY + flow.finished, -flow.key))}
    for order, place in (_PLACES | in_queue).items():
        wanted = [flow.key for flow in sorted(some, key=place, reverse=descending)]
        filter = Filter(states, removed=removed)
        keys = [*(await catalogue.listing(filter, order=order, descending=descending)).keys]
        must(keys == wanted, f"the keys by {order} are {keys}, and not {wanted}")
        pages: list[Summary] = []
        while page := await catalogue.list(
            filter, order=order, descending=descending, after=pages[-1] if pages else None, limit=limit
        ):
            pages += page
            must(
                len(page) <= limit and len(pages) <= len(wanted), f"pages of {limit} by {order} give {pages}"
            )
        must([row.key for row in pages] == wanted, f"pages by {order} give {pages}, and not {wanted}")
    newest = sorted(flow.key for flow in some)
    rows = await catalogue.rows([999_999_999, *newest, 0])
    must([row.key for row in rows] == newest, f"asked for the rows of {newest}, got those of {rows}")


async def check_parts(model: Model, durable: Durable, which: int) -> None:
    """What is read in parts is what is read whole, from there on."""
    if not model.flows:
        return
    flow = [*model.flows.values()][which % len(model.flows)]
    whole = await durable.checkpointer.load(flow.key)
    must(await durable.catalogue.history(flow.id) == [*whole.records], f"the history of {flow.id} is another")
    for after in {each.position for each in (*whole.records, *whole.messages)}:
        part = await durable.checkpointer.load(flow.key, after=after)
        wanted = Checkpoint(
            tuple(each for each in whole.records if each.position > after),
            tuple(each for each in whole.messages if each.position > after),
            whole.bookmarks,
        )
        must(part == wanted, f"after {after}, {flow.id} has {part}, and not {wanted}")
    lines = await durable.catalogue.log(flow.id)
    for place, line in enumerate(lines):
        part = await durable.catalogue.log(flow.id, after=line.position, limit=which)
        must(part == lines[place + 1 :][:which], f"after {line}, the log of {flow.id} goes on with {part}")


async def check_offers(model: Model, durable: Durable) -> None:
    """What is offered is what living owners said last."""
    by_owner: dict[int, frozenset[str]] = {}
    for each in await durable.catalogue.offers():
        by_owner[each.owner] = by_owner.get(each.owner, frozenset()) | {said(each)}
    shown = sorted(map(sorted, by_owner.values()))
    # Of one that has not moved for a lease, nobody knows.
    certain = [model.offers[owner] for owner in model.offers if not model.stale(owner)]
    possible = sorted(map(sorted, filter(None, model.offers.values())))
    for offers in certain:
        must(not offers or sorted(offers) in shown, f"{sorted(offers)} is offered, and the list has {shown}")
    must(all(each in possible for each in shown), f"offered are {possible}, and the list has {shown}")
    must(len(shown) <= len(possible), f"offered are {possible}, and the list has {shown}")


def _of_pending(flow: Flow, place: Any) -> tuple[Any, ...]:
    return (1, 0, -flow.key) if flow.finished else (0, place, flow.key)


def _share(flow: Flow) -> float:
    progress = flow.progress
    return progress.done / progress.total if progress is not None and progress.total else -1.0


_PLACES: dict[str, Callable[[Flow], tuple[Any, ...]]] = {
    "newest": lambda flow: (-flow.key,),
    "created": lambda flow: (flow.key,),
    "pending": lambda flow: (flow.finished, -flow.key),
    "id": lambda flow: (flow.id,),
    "name": lambda flow: (flow.name, flow.key),
    "state": lambda flow: (flow.state, flow.key),
    "started": lambda flow: (flow.started_at or 0.0, flow.key),
    "finished": lambda flow: (flow.finished_at or 0.0, flow.key),
    "version": lambda flow: (flow.version, flow.key),
    "priority": lambda flow: (flow.priority, flow.key),
    "problems": lambda flow: (len(flow.problems), flow.key),
    "attempts": lambda flow: (sum(each.kind == Kind.ATTEMPT for each in flow.written), flow.key),
    "step": lambda flow: _of_pending(flow, flow.step or ""),
    "progress": lambda flow: _of_pending(flow, _share(flow)),
}
assert {*_PLACES, "queue"} == set(ORDERS)
