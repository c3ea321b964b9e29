"""What one workflow has recorded and logged, a part at a time: for views that load what they show.

A log has its workflow and its positions for a key, so a part of it is read where it lies, however long it is.
What is looked for in a log is looked at here and not in Python, which would keep the interpreter's lock.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any

from stepfast.errors import UnstorableValue
from stepfast.finding import small
from stepfast.interfaces import Kind
from stepfast.sqlite.checkpointer import step_record
from stepfast.values import codec
from stepfast.views import LogLine, LogPart, RecordOutline, StepRecord

__all__ = ["find_lines", "lines_at", "log_line", "outline", "record", "until_of"]

# Of an attempt, what is ASCII for certain: its message may hold what SQLite's text cannot.
OUTLINE = f"""
SELECT json_group_array(json_array(
           kind, name, position, started_at, recorded_at, attempts, length(CAST(value AS BLOB)),
           CASE WHEN kind = '{Kind.ATTEMPT}' THEN json_array(
               json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[4]')) END,
           CASE WHEN kind = '{Kind.SLEEP}' THEN value END))
  FROM stepfast_records WHERE workflow = :workflow AND position > :after
"""
RECORD = """
SELECT json_array(kind, name, value, position, started_at, recorded_at, attempts)
  FROM stepfast_records WHERE workflow = :workflow AND kind = :kind AND name = :name
"""
LINES = """
SELECT json_group_array(json_array(position, printf('%.6f', at), level, step, text))
  FROM (SELECT position, at, level, step, text FROM stepfast_log
         WHERE workflow = :workflow AND position IN (SELECT value FROM json_each(:positions))
         ORDER BY position)
"""
# As bytes, since `length` ends at a character that is zero.
_BREAKS = """
CASE WHEN instr(t, char(10))
     THEN length(CAST(t AS BLOB)) - length(CAST(replace(t, char(10), '') AS BLOB)) ELSE 0 END
"""
_FITS = "({no_levels} OR level IN (SELECT value FROM json_each(:levels))) AND ({no_text} OR {contains})"
FIND = """
SELECT count(*), coalesce(min(position), 0), coalesce(max(position), 0),
       json_group_array(position) FILTER (WHERE fits),
       json_group_array(json_array(position, n)) FILTER (WHERE fits AND n > 0)
  FROM (SELECT position, {fits} AS fits, {breaks} AS n
          FROM (SELECT position, level, rtrim(text, char(10)) AS t FROM stepfast_log
                 WHERE workflow = :workflow AND {beyond} LIMIT :limit))
"""


def outline(connection: sqlite3.Connection, row: dict[str, Any]) -> list[RecordOutline]:
    """`Catalogue.outline`, of a row with `workflow` and `after`."""
    (text,) = connection.execute(OUTLINE, row).fetchone()
    return sorted(map(_outline, json.loads(text)), key=lambda each: each.position)


def _outline(row: list[Any]) -> RecordOutline:
    kind, name, position, started_at, recorded_at, attempts, size, attempt, sleep = row
    started, recorded = (datetime.fromtimestamp(each, UTC) for each in (started_at, recorded_at))
    made = None if attempt is None else tuple(json.loads(attempt) if isinstance(attempt, str) else attempt)
    until = None if sleep is None else until_of(sleep)
    return RecordOutline(kind, name, position, started, recorded, attempts, size, made, until)


def until_of(text: str) -> datetime | None:
    """When a sleep with this value is over; None for what is no moment."""
    try:
        until = codec.decode(text)
    except UnstorableValue:
        return None
    return until if isinstance(until, datetime) else None


def record(connection: sqlite3.Connection, row: dict[str, Any]) -> StepRecord | None:
    """`Catalogue.record`, of a row with `workflow`, `kind` and `name`."""
    for (text,) in connection.execute(RECORD, row).fetchall():
        return step_record(json.loads(text))
    return None


def lines_at(connection: sqlite3.Connection, workflow: int, positions: Sequence[int]) -> list[LogLine]:
    """`Catalogue.lines`."""
    row = {"workflow": workflow, "positions": json.dumps([*positions])}
    (text,) = connection.execute(LINES, row).fetchone()
    return [log_line(each) for each in json.loads(text)]


def log_line(row: list[Any]) -> LogLine:
    """A line of a log, as the statements give it."""
    position, at, level, step, text = row
    return LogLine(position, datetime.fromtimestamp(float(at), UTC), level, step, text)


def find_lines(
    connection: sqlite3.Connection,
    workflow: int,
    *,
    after: int,
    before: int | None,
    levels: Collection[str],
    text: str,
    limit: int,
) -> LogPart:
    """`Catalogue.find_lines`."""
    row = {
        "workflow": workflow,
        "levels": json.dumps([*levels]),
        "text": small(text),
        "from": after if before is None else before,
        "limit": max(1, limit),
    }
    beyond = (
        "position > :from ORDER BY position" if before is None else "position < :from ORDER BY position DESC"
    )
    fits = _FITS.format(
        no_levels="FALSE" if levels else "TRUE",
        no_text="FALSE" if text else "TRUE",
        contains="instr(lower(t), :text)" if text else "TRUE",
    )
    sql = FIND.format(fits=fits, breaks=_BREAKS, beyond=beyond)
    count, first, last, found, breaks = connection.execute(sql, row).fetchone()
    positions = array("q", sorted(json.loads(found)))
    return LogPart(positions, dict(json.loads(breaks)), first, last, count == row["limit"])
