"""What views show beside lists: one workflow whole, its records and its log, and what else there is to read.

`stepfast.views` gives these names too, and has this module imported when somebody first asks for one.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from stepfast.passes.outcome import Failure, Problem
from stepfast.views import Summary

__all__ = ["Bulk", "Details", "Ended", "LogLine", "LogPart", "RecordOutline", "Schedule"]


@dataclass(frozen=True, slots=True)
class Details:
    """One workflow whole, but for its records and log: `input` and `result` as plain values."""

    summary: Summary
    input: object
    result: object
    failure: Failure | None
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """What a workflow that has finished came to; `state` is the name of its state."""

    state: str
    result: object
    failure: Failure | None


@dataclass(frozen=True, slots=True)
class RecordOutline:
    """A record without its value, which has `size` characters as it is stored.

    Of an attempt that came to no record, `attempt` says what became of it, as `retrying.Attempted` has it:
    its kind, the type of what it raised, and when the next one begins (seconds since the epoch), if one does.
    Of a sleep, `until` is when it is over.
    """

    kind: str
    name: str
    position: int
    started_at: datetime
    recorded_at: datetime
    attempts: int
    size: int
    attempt: tuple[str, str, float | None] | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of a workflow's log; `step` is the step that was running, if one was."""

    position: int
    at: datetime
    level: str
    step: str | None
    text: str


@dataclass(frozen=True, slots=True)
class LogPart:
    """Where, in a part of a log, the lines are that were looked for.

    Args:
        positions: of those lines, rising.
        breaks: how many line breaks those have that have any, but for those at their end, by position.
        first, last: the positions of the first and the last line that was looked at; 0 where none was.
        more: may there be lines beyond, in the direction in which one looked?
    """

    positions: array[int]
    breaks: Mapping[int, int]
    first: int
    last: int
    more: bool


@dataclass(frozen=True, slots=True)
class Bulk:
    """What came of an action on many workflows.

    Args:
        done: the keys of those to which it was done.
        asked: the keys of those that run, whose holders were asked and will do it.
        left: how many were left as they are, by reason: the state that does not allow it, "removed",
            "changed" (since the number that was given) or "gone".
    """

    done: array[int] = field(default_factory=lambda: array("q"))
    asked: array[int] = field(default_factory=lambda: array("q"))
    left: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Schedule:
    """What is started again and again: `rule` as `stepfast.schedules.rule_text` has it.

    `due` is the next run; None where it is not `on`, or no engine could tell when that is.
    """

    name: str
    definition: str
    version: int
    input: object
    rule: str
    missed: str
    due: datetime | None
    on: bool = True
