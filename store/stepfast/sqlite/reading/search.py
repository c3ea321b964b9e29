"""Search: where a text is found, through an index of trigrams where this SQLite has FTS5.

`stepfast_findable` has what texts are looked for in, small and folded already (`stepfast.finding`), so that
even without an index a search reads little: 1 ms for 10,000 workflows (measured). The index knows, of each
three characters, in which workflows they are; what it names is looked at again, so it need be neither
complete nor tidy. Workflows are added to it in the order of their keys, in the background (`index_search`);
those that are not in it yet are scanned. A text of one or two characters, or one that is found in many
places, is looked for by a scan of all.
"""

from __future__ import annotations

import sqlite3
from array import array
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from stepfast.finding import folded
from stepfast.sqlite.reading.key_arrays import from_text
from stepfast.sqlite.store import Store
from stepfast.sqlite.writing.writer import WriteTurn

__all__ = ["Found", "find", "index_search"]

# The table keeps no text (`content=''`) and no positions (`detail=none`): a third of the size, and what it
# names is looked at again anyway. The texts are folded as we mean it, which FTS5 must not do in its own way.
MAKE = """
CREATE VIRTUAL TABLE stepfast_search
 USING fts5 (text, content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1')
"""
IS_MADE = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'stepfast_search')"
UPTO = "SELECT searchable FROM stepfast_meta"
CANDIDATES = """
SELECT count(*) FROM (SELECT 1 FROM stepfast_search WHERE stepfast_search MATCH :trigrams LIMIT :most)
"""
# CROSS JOIN: the candidates first, then the text of each.
INDEXED = """
SELECT workflow FROM stepfast_search s CROSS JOIN stepfast_findable f ON workflow = s.rowid
 WHERE stepfast_search MATCH :trigrams AND instr(f.text, :text)
"""
SCANNED = "SELECT workflow FROM stepfast_findable WHERE workflow > :upto AND instr(text, :text)"
MISSED = "SELECT workflow FROM stepfast_findable WHERE NOT instr(text, :text)"
ORDERED = "ORDER BY workflow"
# Of two hundred from all over: names that were counted up have other figures at their beginning.
SHARE = """
WITH RECURSIVE places (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM places WHERE n < 199),
     ends (first, last) AS (SELECT (SELECT min(workflow) FROM stepfast_findable),
                                   (SELECT max(workflow) FROM stepfast_findable))
SELECT total(instr(text, :text) > 0) / max(1, count(text))
  FROM (SELECT (SELECT text FROM stepfast_findable
                 WHERE workflow >= first + CAST((last - first) * (n / 199.0) AS INTEGER)
                 ORDER BY workflow LIMIT 1) AS text
          FROM places, ends)
"""
KEYS = "SELECT '[' || coalesce(group_concat(workflow), '') || ']', count(*) FROM ({})"

TRIGRAM = 3
MOST_TRIGRAMS = 16  # of a long text: each is a condition, and what they leave is looked at again
SCAN_FROM = 5  # a scan is no slower where more than every fifth is found (measured)

AT_ONCE = 250  # with what is merged, 3 ms, or 5 now and then (measured)
# Too few are not worth a commit: they are scanned in no time.
WAITING = """
SELECT (SELECT count(*) FROM (SELECT 1 FROM stepfast_findable WHERE workflow > searchable LIMIT :limit)),
       (SELECT count(*) FROM (SELECT 1 FROM stepfast_unfindable LIMIT :limit))
  FROM stepfast_meta
"""
ADD = """
INSERT INTO stepfast_search (rowid, text)
SELECT workflow, text FROM stepfast_findable
 WHERE workflow > (SELECT searchable FROM stepfast_meta) AND workflow <= :last ORDER BY workflow
"""
LAST = """
SELECT max(workflow)
  FROM (SELECT workflow FROM stepfast_findable WHERE workflow > (SELECT searchable FROM stepfast_meta)
         ORDER BY workflow LIMIT :limit)
"""
ADDED = "UPDATE stepfast_meta SET searchable = :last"
# Without a text of its own, FTS5 must be told what it knew (https://sqlite.org/fts5.html#the_delete_command).
TAKE_OUT = """
INSERT INTO stepfast_search (stepfast_search, rowid, text)
SELECT 'delete', workflow, text FROM stepfast_unfindable ORDER BY workflow LIMIT :limit
"""
TAKEN_OUT = """
DELETE FROM stepfast_unfindable
 WHERE workflow IN (SELECT workflow FROM stepfast_unfindable ORDER BY workflow LIMIT :limit)
"""
NONE_TO_TAKE_OUT = "DELETE FROM stepfast_unfindable"
# FTS5 would merge what was added before in any commit it likes, 60 ms of it (measured). So each of ours does
# a little of that: https://sqlite.org/fts5.html#the_merge_command
MERGE_LATER = """
INSERT INTO stepfast_search (stepfast_search, rank) VALUES ('automerge', 0), ('crisismerge', 64)
"""
MERGE = "INSERT INTO stepfast_search (stepfast_search, rank) VALUES ('merge', 16)"


@dataclass(frozen=True)
class Found:
    """Where a text was found: the keys as a JSON array, `known` of them; or, with `others`, where it was not.

    They are ascending. `count` is how many have it, about; `text` is what was looked for.
    """

    text: str
    keys: str
    known: int
    count: int
    others: bool = False

    @cached_property
    def array(self) -> array[int]:
        """The keys themselves."""
        return from_text(self.keys)


def find(connection: sqlite3.Connection, text: str, there: int) -> Found | None:
    """Where `text` is found; None for one that is empty, which is found everywhere.

    Args:
        connection: one that reads, in its snapshot.
        text: as it was typed.
        there: how many workflows there are, about.
    """
    sought = folded(text)
    if not sought:
        return None
    row: dict[str, Any] = {"text": sought, "upto": 0}
    (upto,) = connection.execute(UPTO).fetchone()
    if upto and len(sought) >= TRIGRAM:
        row |= {"trigrams": _trigrams(sought), "most": there // SCAN_FROM + 1000}
        try:
            (candidates,) = connection.execute(CANDIDATES, row).fetchone()
        except sqlite3.OperationalError as error:
            if not _has_no_index(error):
                raise
        else:
            if candidates < row["most"]:
                indexed = KEYS.format(f"{INDEXED} UNION ALL {SCANNED} {ORDERED}")
                keys, count = connection.execute(indexed, {**row, "upto": upto}).fetchone()
                return Found(sought, keys, count, count)
    # Where it is found in most of them, those are fewer in which it is not. A few tell, and they may be wrong
    # by a quarter: to look through everything once more takes longer than to keep so many.
    row["most"] = there // 4 * 3 + 1000
    (share,) = connection.execute(SHARE, row).fetchone()
    for others in (share > 0.5, share <= 0.5):
        scan = f"{MISSED if others else SCANNED} {ORDERED} LIMIT :most"
        keys, known = connection.execute(KEYS.format(scan), row).fetchone()
        if known < row["most"]:
            return Found(sought, keys, known, max(1, there - known) if others else known, others)
    keys, count = connection.execute(
        KEYS.format(f"{SCANNED} {ORDERED}"), row
    ).fetchone()  # there are more, removed ones
    return Found(sought, keys, count, count)


async def index_search(store: Store) -> bool:
    """One small commit that brings the index nearer to what there is; is there more to do?

    Does nothing where this SQLite has no FTS5.
    """
    limit = {"limit": AT_ONCE}

    def look(connection: sqlite3.Connection) -> bool:
        return AT_ONCE in connection.execute(WAITING, limit).fetchone()

    def act(turn: WriteTurn) -> bool:
        try:
            if turn.execute(IS_MADE) == [(0,)]:
                # Or it was lost, in a file that was copied by something that does not know such tables.
                turn.execute(MAKE)
                turn.execute(MERGE_LATER)
                turn.execute(NONE_TO_TAKE_OUT)
                turn.execute(ADDED, {"last": 0})
            turn.execute(TAKE_OUT, limit)
        except sqlite3.OperationalError as error:
            if _has_no_index(error):
                return False
            raise
        turn.execute(TAKEN_OUT, limit)
        ((last,),) = turn.execute(LAST, limit)
        if last is not None:
            turn.execute(ADD, {"last": last})
            turn.execute(ADDED, {"last": last})
        turn.execute(MERGE)
        return True

    if not await store.readers.run(look):
        return False
    done = await store.writer.do(act, last=True)
    return done and await store.readers.run(look)


def _trigrams(sought: str) -> str:
    """What FTS5 is asked: is each of these three characters there? In quotes, they mean nothing else."""
    trigrams = dict.fromkeys(sought[place : place + TRIGRAM] for place in range(len(sought) - TRIGRAM + 1))
    quoted = ('"{}"'.format(each.replace('"', '""')) for each in trigrams)
    return " AND ".join(islice(quoted, MOST_TRIGRAMS))


def _has_no_index(error: sqlite3.OperationalError) -> bool:
    """Is it that this SQLite has no FTS5, or the file no index?"""
    return str(error).startswith(("no such module", "no such table: stepfast_search"))
