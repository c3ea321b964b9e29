"""What a person asks, of one workflow or of any number: pause, resume, cancel, retry, remove and restore.

There is one statement for both, over a JSON array of keys, so that many are asked exactly as one is; an
`IN (?, ?, ...)` would end at 32,766. Many are asked in small commits, each behind whatever else waits, so
that no step is delayed by more than one of them. A crash in the middle leaves some asked and the others as
they were, each of them whole.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial

from stepfast.errors import AlreadyFinished, InvalidInput, NotAllowed, UnknownWorkflow
from stepfast.interfaces import Kind
from stepfast.sqlite import statements
from stepfast.sqlite.catalogue import SqliteCatalogue
from stepfast.sqlite.moves.families import after_cancelling, begin_anew, children_to_mark, failed_children
from stepfast.sqlite.store import Store
from stepfast.sqlite.writing.writer import WriteTurn
from stepfast.state import FINISHED
from stepfast.views import ACTIONS, Bulk, Filter

__all__ = ["ask", "ask_keys", "ask_many", "left", "mark", "prioritise_many"]

AT_ONCE = 100  # in one commit

# `each.key` is the place in the array: every row has a change number of its own.
ASK = """
UPDATE stepfast_workflows AS w SET {become}, change = :first + each.key
  FROM json_each(:keys) each
 WHERE w.key = each.value AND {when}
RETURNING key, state
"""
CLEAR_RESULTS = """
UPDATE stepfast_payloads SET result = NULL, failure = NULL
 WHERE workflow IN (SELECT value FROM json_each(:keys))
"""
_OF_THEM = "workflow IN (SELECT value FROM json_each(:keys))"
CLEAR_BEGINNINGS = f"""
DELETE FROM stepfast_records AS r
 WHERE {_OF_THEM} AND kind = '{Kind.BEGUN}'
   AND EXISTS (SELECT 1 FROM stepfast_records a
                WHERE a.workflow = r.workflow AND a.kind = '{Kind.ATTEMPT}' AND a.name = r.name)
"""
CLEAR_ATTEMPTS = f"DELETE FROM stepfast_records WHERE {_OF_THEM} AND kind = '{Kind.ATTEMPT}'"
CLEAR_PROBLEMS = "DELETE FROM stepfast_problems WHERE workflow IN (SELECT value FROM json_each(:keys))"
LEFT = """
SELECT json_group_array(json_array(state, removed_at IS NOT NULL))
  FROM stepfast_workflows WHERE key IN (SELECT value FROM json_each(:keys))
"""
MOVED = "SELECT json_group_array(key) FROM stepfast_workflows WHERE change > :upto"
KEYS_OF = """
SELECT json_group_array(json_array(key, id))
  FROM stepfast_workflows WHERE id IN (SELECT value FROM json_each(:ids))
"""


@dataclass(frozen=True, slots=True)
class _Move:
    """What becomes of the rows of which `when` is true; with `holder`, what their holders are asked."""

    become: str
    when: str
    holder: bool = False

    @property
    def sql(self) -> str:
        return ASK.format(become=self.become, when=self.when)


@dataclass(frozen=True, slots=True)
class _Action:
    """`at_ease` are the states in which there is nothing to do, and nothing wrong with asking either."""

    done: str
    moves: tuple[_Move, ...]
    at_ease: tuple[str, ...] = ()


LET_GO = "due = NULL, waits = NULL, taken = NULL, owner = NULL"
QUEUED = "state = 'queued', receipt = :first + each.key, place = :first + each.key"
UNHELD = "'queued', 'sleeping', 'waiting'"
MOVES = {
    # What nobody holds, at once; what is running is its holder's to pause or cancel.
    "pause": _Action(
        "paused",
        (
            _Move(f"state = 'paused', {LET_GO}", f"state IN ({UNHELD})"),
            _Move("intent = 'pause'", "state = 'running' AND intent IS NOT 'cancel'", holder=True),
        ),
        at_ease=("paused", "running"),
    ),
    "cancel": _Action(
        "cancelled",
        (
            # What is cancelled for good goes first: what owes a pass that tidies up looks like it afterwards.
            _Move(
                f"state = 'cancelled', {LET_GO}, intent = NULL, finished_at = :now",
                f"state IN ({UNHELD}, 'paused', 'blocked') AND NOT {statements.TIDIES}",
            ),
            _Move(
                f"{QUEUED}, {LET_GO}, intent = NULL, cleanup = 1",
                f"state IN ({UNHELD}, 'paused', 'blocked') AND {statements.TIDIES}",
            ),
            _Move("intent = 'cancel'", "state = 'running' AND intent IS NOT 'cancel'", holder=True),
        ),
        at_ease=("running",),
    ),
    "resume": _Action(
        "resumed",
        (
            # In its place, since to pause all and resume all is to leave the queue as it was.
            _Move("state = 'queued', receipt = :first + each.key", "state = 'paused'"),
            _Move("intent = NULL", "state = 'running' AND intent = 'pause'"),
        ),
        at_ease=("queued", "running", "sleeping", "waiting"),
    ),
    # Records stay, so the next pass goes on from the step that failed and no earlier. One that was removed is
    # on the lists again, since what is pending must not run on unseen.
    "retry": _Action(
        "tried again",
        (
            _Move(
                f"{QUEUED}, finished_at = NULL, problems = 0, attempts = 0, removed_at = NULL, "
                "renewed_at = :now, cleanup = CASE WHEN state = 'cancelled' THEN 0 ELSE cleanup END",
                "state IN ('failed', 'cancelled')",
            ),
        ),
    ),
    # A mark, and its undo. Only of what has finished: a pending one that nobody sees would run on unseen.
    "remove": _Action(
        "removed", (_Move("removed_at = :now", "finished_at IS NOT NULL AND removed_at IS NULL"),)
    ),
    "restore": _Action("restored", (_Move("removed_at = NULL", "removed_at IS NOT NULL"),)),
}
assert set(MOVES) == set(ACTIONS)
PRIORITISE = _Move("priority = :priority", "finished_at IS NULL").sql


@dataclass(frozen=True, slots=True)
class _Asked:
    """The rows to which it was done and those whose holders were asked, each with the state it has now."""

    done: dict[int, str] = field(default_factory=dict)
    holders: dict[int, str] = field(default_factory=dict)


def ask_keys(turn: WriteTurn, action: str, keys: Sequence[int]) -> _Asked:
    """Ask it of the rows with these keys that allow it."""
    asked = _Asked()
    numbers = [turn.number() for _ in keys]
    row = {"keys": json.dumps([*keys]), "first": numbers[0], "now": turn.now}
    for move in MOVES[action].moves:
        into = asked.holders if move.holder else asked.done
        into.update(turn.execute(move.sql, row))
    for key, state in (asked.done | asked.holders).items():
        turn.changed(key, ready=state == "queued", urgent=action not in ("remove", "restore"))
    if action == "retry" and asked.done:
        again = {"keys": json.dumps([*asked.done])}
        turn.execute(CLEAR_RESULTS, again)
        turn.execute(CLEAR_PROBLEMS, again)
        turn.execute(CLEAR_BEGINNINGS, again)
        turn.execute(CLEAR_ATTEMPTS, again)
        begin_anew(turn, [*asked.done])
        if children := failed_children(turn, [*asked.done]):
            ask_keys(turn, "retry", children)
    marked = [*asked.done] if action in ("remove", "restore") else []
    if marked and (children := children_to_mark(turn, action, marked)):
        ask_keys(turn, action, children)
    if action == "cancel" and (asked.done or asked.holders):
        after_cancelling(turn, [*asked.done], [*asked.holders])
    return asked


async def ask(store: Store, action: str, id: str) -> str:
    """Ask it of one workflow; returns the state it has then, and raises where it cannot be."""

    def act(turn: WriteTurn) -> str:
        for key, state in turn.execute(statements.STATE_OF, {"id": id}):
            asked = ask_keys(turn, action, [key])
            for now in (asked.done | asked.holders).values():
                return now
            if state in MOVES[action].at_ease:
                return str(state)
            if action == "retry":
                raise NotAllowed(
                    id, f"workflow {id!r} is {state}; only a failed or cancelled one is tried again"
                )
            if state in FINISHED and action != "resume":
                raise AlreadyFinished(id, state)
            raise NotAllowed(id, f"workflow {id!r} is {state}, so it cannot be {MOVES[action].done}")
        raise UnknownWorkflow(id)

    return await store.writer.do(act)


async def ask_many(
    store: Store, action: str, of: Filter | Sequence[int], *, upto: int | None, without: Collection[int]
) -> Bulk:
    """`Durable.bulk`."""
    if action not in MOVES:
        raise InvalidInput(f"{action!r} is nothing that can be asked; there are {', '.join(ACTIONS)}")

    def act(turn: WriteTurn, some: Sequence[int]) -> _Asked:
        return ask_keys(turn, action, some)

    return await _many(store, action, act, of, upto, without)


async def prioritise_many(
    store: Store, of: Filter | Sequence[int], priority: int, *, upto: int | None, without: Collection[int]
) -> Bulk:
    """`Durable.prioritise`."""

    def act(turn: WriteTurn, some: Sequence[int]) -> _Asked:
        numbers = [turn.number() for _ in some]
        row = {"keys": json.dumps([*some]), "first": numbers[0], "priority": priority}
        asked = _Asked(done=dict(turn.execute(PRIORITISE, row)))
        for key in asked.done:
            turn.changed(key, urgent=False)
        return asked

    return await _many(store, "prioritise", act, of, upto, without)


async def _many(
    store: Store,
    action: str,
    ask_some: Callable[[WriteTurn, Sequence[int]], _Asked],
    of: Filter | Sequence[int],
    upto: int | None,
    without: Collection[int],
) -> Bulk:
    keys = (await SqliteCatalogue(store).listing(of, order="created")).keys if isinstance(of, Filter) else of
    spared = frozenset(without)
    asked = [*dict.fromkeys(key for key in keys if key not in spared)]
    done, holders, others = array("q"), array("q"), Counter[str]()
    if upto is not None:
        # Found once, before anything is asked: what moves from now on, moves since others were asked. Where
        # hundreds are paused, those that run make room, and what begins in their place is to be paused too.
        moved = await _moved(store, upto)
        others["changed"] = sum(key in moved for key in asked)
        asked = [key for key in asked if key not in moved]

    def act(turn: WriteTurn, some: Sequence[int]) -> tuple[_Asked, Counter[str]]:
        came = ask_some(turn, some)
        rest = [key for key in some if key not in came.done and key not in came.holders]
        return came, left(turn, action, rest)

    for start in range(0, len(asked), AT_ONCE):
        some = asked[start : start + AT_ONCE]
        came, reasons = await store.writer.do(partial(act, some=some), last=True)
        done.extend(came.done)
        holders.extend(came.holders)
        others += reasons
    return Bulk(done, holders, dict(+others))


async def _moved(store: Store, upto: int) -> frozenset[int]:
    """The keys of what has changed since, in more than its progress."""

    def read(connection: sqlite3.Connection) -> frozenset[int]:
        ((keys,),) = connection.execute(MOVED, {"upto": upto})
        return frozenset(json.loads(keys))

    return await store.readers.run(read)


def left(turn: WriteTurn, action: str, keys: Sequence[int]) -> Counter[str]:
    """How many of these were left as they are, by reason."""
    if not keys:
        return Counter()
    ((rows,),) = turn.execute(LEFT, {"keys": json.dumps([*keys])})
    reasons = Counter[str]()
    for state, removed in json.loads(rows):
        reasons["removed" if removed and action == "remove" else state] += 1
    gone = len(keys) - reasons.total()
    return reasons + Counter({"gone": gone})


async def mark(store: Store, action: str, ids: Sequence[str]) -> list[str]:
    """`Durable.remove` and `restore`: returns those of the ids to which it was done, in their order."""

    def act(turn: WriteTurn, some: Sequence[str]) -> list[str]:
        ((rows,),) = turn.execute(KEYS_OF, {"ids": json.dumps([*some])})
        ids = dict(json.loads(rows))
        done = ask_keys(turn, action, [*ids]).done if ids else {}
        return [ids[key] for key in done]

    marked: set[str] = set()
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        marked.update(await store.writer.do(partial(act, some=some), last=len(ids) > AT_ONCE))
    return [id for id in dict.fromkeys(ids) if id in marked]
