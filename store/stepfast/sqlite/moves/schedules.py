"""Schedules: kept in the file, and run by whichever engine comes upon one that is due.

What is due is started, and the schedule moved to its next run, in one commit; the id says for which moment it
is. So a crash leaves both or neither, and two engines start one.
"""

from __future__ import annotations

import logging
import sqlite3
from typing import TYPE_CHECKING

from stepfast.errors import StepfastError
from stepfast.interfaces import NewSchedule
from stepfast.sqlite import statements
from stepfast.sqlite.moves.starting import add_workflow
from stepfast.sqlite.rows import when
from stepfast.sqlite.writing.writer import WriteTurn
from stepfast.values.codec import decode

if TYPE_CHECKING:
    from stepfast.details import Schedule

__all__ = ["DROP_SCHEDULE", "keep_schedule", "read_schedules", "run_schedules", "switch_schedule"]

logger = logging.getLogger("stepfast")

MOST_DUE = 50  # that one commit starts

FIND_SCHEDULE = "SELECT rule, due FROM stepfast_schedules WHERE name = :name"
KEEP_SCHEDULE = """
INSERT INTO stepfast_schedules (name, definition, version, input, rule, missed, due, change)
VALUES (:name, :definition, :version, :input, :rule, :missed, :due, :change)
ON CONFLICT (name) DO UPDATE SET definition = excluded.definition, version = excluded.version,
    input = excluded.input, rule = excluded.rule, missed = excluded.missed, due = excluded.due,
    change = excluded.change
"""
DROP_SCHEDULE = "DELETE FROM stepfast_schedules WHERE name = :name RETURNING 1"
SCHEDULES_DUE = """
SELECT name, definition, version, input, rule, missed, due FROM stepfast_schedules
 WHERE due <= :now ORDER BY due LIMIT :limit
"""
MOVE_SCHEDULE = "UPDATE stepfast_schedules SET due = :due, change = :change WHERE name = :name"
SWITCH_SCHEDULE = """
UPDATE stepfast_schedules SET rule = :rule, due = :due, change = :change WHERE name = :name
"""
SCHEDULES = """
SELECT name, definition, version, input, rule, missed, due FROM stepfast_schedules ORDER BY name
"""


def keep_schedule(turn: WriteTurn, new: NewSchedule) -> float:
    """`Durable.schedule`."""
    from stepfast.schedules import planned

    there = next(iter(turn.execute(FIND_SCHEDULE, {"name": new.name})), None)
    rule, kept, due = planned(new.rule, there, turn.now)
    row = {"name": new.name, "definition": new.definition, "version": new.version, "input": new.input}
    row |= {"rule": rule, "missed": new.missed, "due": kept, "change": turn.number()}
    turn.execute(KEEP_SCHEDULE, row)
    turn.timer()
    return due


def switch_schedule(turn: WriteTurn, name: str, *, on: bool) -> bool:
    """`Durable.switch_schedule`."""
    from stepfast.schedules import first_run, is_off, rule_from, switched

    for rule, _ in turn.execute(FIND_SCHEDULE, {"name": name}):
        if is_off(rule) is on:
            due = first_run(rule_from(rule), turn.now) if on else None
            row = {"name": name, "rule": switched(rule, on=on), "due": due, "change": turn.number()}
            turn.execute(SWITCH_SCHEDULE, row)
            turn.timer()
        return True
    return False


def run_schedules(turn: WriteTurn) -> None:
    """Start what is due, and move each of those schedules to its next run."""
    for name, definition, version, input, rule, missed, due in turn.execute(
        SCHEDULES_DUE, {"now": turn.now, "limit": MOST_DUE}
    ):
        from stepfast.schedules import next_run, rule_from, run_id

        row = {"name": name, "change": turn.number()}
        try:
            run = next_run(rule_from(rule), missed, due, turn.now)
        except (StepfastError, ValueError, OverflowError) as error:
            logger.error("the schedule %s has stopped, set it anew: %s", name, error)
            turn.execute(MOVE_SCHEDULE, {**row, "due": None})
            continue
        turn.execute(MOVE_SCHEDULE, {**row, "due": run.due})
        id = run_id(name, due)
        if run.start and not turn.execute(statements.STATE_OF, {"id": id}):
            logger.info("the schedule %s starts %s", name, id)
            add_workflow(turn, id, definition, version, input)


def read_schedules(connection: sqlite3.Connection) -> list[Schedule]:
    """`Catalogue.schedules`."""
    from stepfast.details import Schedule
    from stepfast.schedules import is_off, rule_of

    return [
        Schedule(
            name,
            definition,
            version,
            decode(input, about=f"the input of the schedule {name!r}"),
            rule_of(rule),
            missed,
            when(due),
            on=not is_off(rule),
        )
        for name, definition, version, input, rule, missed, due in connection.execute(SCHEDULES)
    ]
