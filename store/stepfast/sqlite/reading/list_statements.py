"""The statements of lists: a page or all the keys of what a filter lets by, in an order, from a place on.

From where the rows come is decided in `list_runs.py`. No statement here reads a table of values: inputs,
results, records and log lines lie apart.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from stepfast.sqlite.reading.list_runs import MOST_NAMES, Counts, Group, Sift, ways
from stepfast.sqlite.reading.search import Found
from stepfast.state import FINISHED, PENDING, STATES
from stepfast.views import Filter

__all__ = [
    "AT",
    "CHANGES",
    "COUNTS",
    "FAMILIES",
    "IN_QUEUE",
    "SUMMARIES",
    "SUMMARY",
    "Cursor",
    "Statement",
    "groups",
    "place_in_queue",
    "select",
]

# Whatever is many rows comes as one: each row by itself gives up the interpreter's lock and, beside a busy
# thread, waits 5 ms to get it back. SQLite's JSON has 15 digits of a number, too few for a moment.
_TIME = "CASE WHEN {0} IS NOT NULL THEN printf('%.6f', {0}) END"
_NUMBER = "CASE WHEN {0} IS NOT NULL THEN printf('%!.17g', {0}) END"
_COLUMNS = (
    *(f"w.{name}" for name in ("key", "id", "name", "version", "state")),
    "CASE WHEN w.cleanup AND w.finished_at IS NULL THEN 'cancel' ELSE w.intent END",
    *("w.priority", "w.problems"),
    *("w.waits", "w.owner", "max(w.change, coalesce(p.change, 0))", "p.step", "p.text"),
    *(_NUMBER.format(f"p.{name}") for name in ("done", "total", "from_done", "from_at")),
    *(_TIME.format(f"w.{name}") for name in ("due", "created_at", "started_at", "finished_at", "removed_at")),
    "w.attempts",
    "w.parent",
    # Looked up for children alone; a join would look for everybody's.
    "CASE WHEN w.parent IS NOT NULL THEN (SELECT id FROM stepfast_workflows a WHERE a.key = w.parent) END",
    "CASE WHEN w.state = 'queued' THEN w.place END",
)
_SUMMARIES = f"""
SELECT json_group_array(json_array({", ".join(_COLUMNS)}))
  FROM stepfast_workflows w LEFT JOIN stepfast_progress p ON p.workflow = w.key
"""
# One value to sort by: what is urgent first, then by place, both in digits of one length.
MOST = 2**31 - 1
PLACES_FROM = 2**62
IN_QUEUE = (
    f"printf('%010d%020d', {MOST} - max(-{MOST} - 1, min({MOST}, w.priority)), w.place + {PLACES_FROM})"
)
SUMMARIES = f"{_SUMMARIES} WHERE w.key IN (SELECT value FROM json_each(:keys))"
SUMMARY = f"{_SUMMARIES} WHERE w.id = :id"
AT = """
SELECT {} FROM stepfast_workflows w LEFT JOIN stepfast_progress p ON p.workflow = w.key WHERE w.key = :key
"""
FAMILIES = """
SELECT json_group_array(json_array(parent, state, n))
  FROM (SELECT parent, state, count(*) AS n FROM stepfast_workflows INDEXED BY stepfast_children
         WHERE parent IN (SELECT value FROM json_each(:keys)) AND removed_at IS NULL GROUP BY parent, state)
"""
COUNTS = "SELECT json_group_array(json_array(state, name, n)) FROM stepfast_counts WHERE n > 0"

# What moved past :after, by the row's own number, by its progress, or by being deleted.
CHANGES = """
SELECT horizon, counter,
       (SELECT json_group_array(json_array(change, key))
          FROM (SELECT change, key FROM stepfast_workflows INDEXED BY stepfast_by_change
                 WHERE change > :after ORDER BY change LIMIT :limit)),
       (SELECT json_group_array(json_array(change, workflow))
          FROM (SELECT change, workflow FROM stepfast_progress INDEXED BY stepfast_progress_by_change
                 WHERE change > :after ORDER BY change LIMIT :limit)),
       (SELECT json_group_array(json_array(change, id))
          FROM (SELECT change, id FROM stepfast_tombstones
                 WHERE change > :after ORDER BY change LIMIT :limit))
  FROM stepfast_meta
"""


class Cursor(NamedTuple):
    """A place in the order of a group: where a row lies that has this key, and `at` as its expression.

    `exact`: `at` is what the file has. Else it is a time that was rounded to a microsecond.
    """

    key: int
    at: Any = None
    exact: bool = True


class Statement(NamedTuple):
    """A SELECT that gives one text of ordered keys, what is bound to it, and what to sift the keys by."""

    sql: str
    row: dict[str, Any]
    sifts: tuple[Sift, ...] = ()


def place_in_queue(priority: int, place: int) -> str:
    """`IN_QUEUE` of a row."""
    return f"{MOST - max(-MOST - 1, min(MOST, priority)):010d}{place + PLACES_FROM:020d}"


def groups(order: str) -> list[Group]:
    """The groups of one of `views.ORDERS`, in their order."""
    pending, finished, every = frozenset(PENDING), frozenset(FINISHED), frozenset(STATES)
    match order:
        case "newest" | "created":
            return [Group(every, newest=order == "newest")]
        case "pending":
            return [Group(pending, newest=True), Group(finished, newest=True)]
        case "state":
            return [Group(frozenset([state])) for state in sorted(STATES)]
        case "queue":
            queued = frozenset({"queued"})
            others = Group(pending - queued, newest=True)
            return [Group(queued, IN_QUEUE), others, Group(finished, newest=True)]
        case "id":
            return [Group(every, "w.id", index="id")]
        case "name":
            return [Group(every, "w.name", index="name")]
        case "started":
            return [Group(every, "w.started_at", index="start")]
        case "finished":
            return [Group(pending), Group(finished, "w.finished_at", index="finish")]
        case "version" | "priority" | "problems" | "attempts":
            return [Group(every, f"w.{order}")]
        case "step":
            return [Group(pending, "p.step"), Group(finished, newest=True)]
        case _:
            assert order == "progress", order
            return [Group(pending, "p.done / p.total"), Group(finished, newest=True)]


def select(
    group: Group,
    filter: Filter,
    counts: Counts,
    found: Found | None,
    *,
    descending: bool,
    after: Cursor | None = None,
    limit: int | None = None,
) -> Statement | None:
    """The statement that reads the rows of a group; None where there are none.

    Args:
        group: one of `groups`.
        filter: which rows.
        counts: what there is; says which way is best.
        found: where its text was found; None where it has none.
        descending: from the end of the order to its beginning.
        after: from behind this place on.
        limit: how many of the rows will be read; None for all.
    """
    way = min(ways(group, filter, counts, found, limit), key=lambda way: way.cost, default=None)
    if way is None:
        return None
    names = sorted(filter.names)
    row: dict[str, Any] = {f"name{place}": name for place, name in enumerate(names[:MOST_NAMES])}
    row["names"], row["parents"] = json.dumps(names), json.dumps([*filter.parents])
    if found is not None:
        row |= {"found": found.keys, "text": found.text}
    key_descending = descending != group.newest
    by_key = f"{'DESC' if key_descending else 'ASC'}"
    columns, order = "w.key AS key", f"1 {by_key}"
    if group.by is not None:
        columns, order = f"{group.by} AS at, w.key AS key", f"1 {'DESC' if descending else 'ASC'}, 2 {by_key}"
    conditions = ["TRUE"]
    if after is not None:
        row |= {"key": after.key, "at": after.at}
        conditions = [*_behind(group.by, after, descending, key_descending)]
    members = [
        f"SELECT {columns} FROM {run.source} WHERE {' AND '.join([*run.where, condition])}"
        for run in way.runs
        for condition in conditions
    ]
    sql = f"{' UNION ALL '.join(members)} ORDER BY {order}"
    if limit is not None:
        sql, row["limit"] = f"{sql} LIMIT :limit", limit
    return Statement(f"SELECT group_concat(key) FROM ({sql})", row, way.sifts)


MAY_BE_NULL = ("w.started_at", "p.step", "p.done / p.total")


def _behind(by: str | None, after: Cursor, descending: bool, key_descending: bool) -> Iterator[str]:
    """What is true of the rows behind a place, as conditions of which each can use the index of an order."""
    behind = f"w.key {'<' if key_descending else '>'} :key"
    if by is None:
        yield behind
    elif after.at is None:  # NULL comes before everything
        yield f"{by} IS NULL AND {behind}"
        if not descending:
            yield f"{by} IS NOT NULL"
    else:
        low, high = ":at", ":at"
        if after.exact:
            yield f"{by} = :at AND {behind}"
        else:
            low, high = "(:at - 5e-7)", "(:at + 5e-7)"
            yield f"{by} BETWEEN {low} AND {high} AND {behind}"
        yield f"{by} < {low}" if descending else f"{by} > {high}"
        if descending and by in MAY_BE_NULL:
            yield f"{by} IS NULL"
