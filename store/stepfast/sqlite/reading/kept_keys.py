"""Lists of keys that are kept from one read to the next, and what a search leaves of them.

Of 100,000 workflows, reading all keys takes twenty times as long as finding out what has changed since they
were read, which every row says by its number in the feed. A window reads them whenever a row may have moved,
and with each key that is pressed in its search.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from array import array
from collections import OrderedDict

from stepfast.sqlite.reading.key_arrays import FEW, among, from_text, with_changes, without
from stepfast.sqlite.reading.list_runs import TO_PASS, TO_SIFT, TO_SORT, Counts, Group, below
from stepfast.sqlite.reading.list_statements import select
from stepfast.sqlite.reading.search import Found
from stepfast.state import STATES
from stepfast.views import EVERYTHING, Filter

__all__ = ["KeptKeys"]

MOST_LISTS = 4
MOST_CHANGES = 200  # each moves the keys behind it: of more, all are read as fast
# What was deleted is told by its id alone, and below the horizon by nothing: then all are read.
SINCE = """
SELECT counter,
       horizon > :at OR EXISTS (SELECT 1 FROM stepfast_tombstones WHERE change > :at),
       (SELECT json_group_array(json_array(key, state, removed_at IS NULL))
          FROM (SELECT key, state, removed_at FROM stepfast_workflows INDEXED BY stepfast_by_change
                 WHERE change > :at LIMIT :most))
  FROM stepfast_meta
"""
REMOVED = """
SELECT group_concat(key) FROM stepfast_workflows INDEXED BY stepfast_by_removal WHERE removed_at IS NOT NULL
"""


class KeptKeys:
    """The ascending keys of the lists that were read last, each with the counter of the file as it was read.

    Belongs to all readers of a store: what is kept are arrays that nobody changes.
    """

    def __init__(self) -> None:
        self._lists: OrderedDict[frozenset[str], tuple[int, array[int]]] = OrderedDict()
        self._lock = threading.Lock()

    def select(
        self,
        connection: sqlite3.Connection,
        group: Group,
        filter: Filter,
        counts: Counts,
        found: Found | None,
        *,
        descending: bool,
    ) -> array[int] | None:
        """All keys of a group, in its order; None where `list_statements.select` is the one to ask.

        Args:
            connection: one that reads, in its snapshot.
            group, filter, counts, found, descending: as `list_statements.select` has them.
        """
        if group.by is not None or filter.removed or filter.names or filter.needs_answer or filter.problems:
            return None
        if filter.parents and not filter.top:
            return None
        states = group.states & (filter.states or group.states)
        there = sum(n for (state, _), n in counts.items() if state in states)
        if not there:
            return array("q")
        if found is not None and not found.others:
            reading = 0.0 if states in self._lists else TO_PASS * there
            if found.count * TO_SORT < found.count * TO_SIFT + reading:
                return None
        keys = self._found(connection, states, counts, found)
        if filter.top:
            keys = without(keys, _ascending(connection, below(filter)))
        return keys[::-1] if descending != group.newest else keys

    def _found(
        self, connection: sqlite3.Connection, states: frozenset[str], counts: Counts, found: Found | None
    ) -> array[int]:
        """The ascending keys of what is in these states and was found."""
        if found is None:
            return self._read(connection, states, counts)
        keys = found.array
        if found.others:
            return without(self._read(connection, states, counts), keys)
        # What was found is in other states, or was removed, or is wanted. Mostly, few are in other states.
        others = frozenset(STATES) - states
        if len(keys) > FEW * sum(n for (state, _), n in counts.items() if state in others):
            keys = without(keys, self._read(connection, others, counts))
            return without(keys, _ascending(connection, REMOVED))
        return among(self._read(connection, states, counts), keys)

    def _read(self, connection: sqlite3.Connection, states: frozenset[str], counts: Counts) -> array[int]:
        """The ascending keys of what is in these states and was not removed."""
        at, keys = self._lists.get(states, (None, array("q")))
        row = {"at": at, "most": MOST_CHANGES + 1}
        counter, deleted, text = connection.execute(SINCE, row).fetchone()
        changes = json.loads(text)
        # A snapshot may be older than the one in which somebody else read them.
        if at is None or at > counter or deleted or len(changes) > MOST_CHANGES:
            asked = select(Group(states), EVERYTHING, counts, None, descending=False)
            keys = array("q")
            if asked is not None:
                keys = from_text(connection.execute(asked.sql, asked.row).fetchone()[0])
        else:
            keys = with_changes(keys, ((key, bool(on) and state in states) for key, state, on in changes))
        with self._lock:
            self._lists[states] = (counter, keys)
            self._lists.move_to_end(states)
            while len(self._lists) > MOST_LISTS:
                self._lists.popitem(last=False)
        return keys


def _ascending(connection: sqlite3.Connection, sql: str) -> array[int]:
    return array("q", sorted(from_text(connection.execute(sql).fetchone()[0])))
