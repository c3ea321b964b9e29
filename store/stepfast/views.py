"""What lists and details show of a workflow. Plain values, read from a snapshot that is let go at once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from stepfast.outcome import Failure, Problem
from stepfast.state import State

__all__ = ["ORDERS", "Changes", "Details", "LogLine", "Offer", "Progress", "Reset", "StepRecord", "Summary"]

ORDERS = ("pending", "id", "name", "state", "created", "started", "finished")
"""What lists can be ordered by; "pending" is what is pending above what is finished, each newest first."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a workflow is, in the units its body chose; `total` None where it cannot say."""

    done: float
    total: float | None
    text: str


@dataclass(frozen=True, slots=True)
class Summary:
    """One row of a list. It never carries inputs, results or records.

    `change` is the number of the row's last change; `key` orders rows by when they were started.
    """

    key: int
    id: str
    name: str
    version: int
    state: State
    intent: str | None
    priority: int
    problems: int
    step: str | None
    progress: Progress | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    removed_at: datetime | None
    change: int


@dataclass(frozen=True, slots=True)
class Details:
    """One workflow whole, but for its records and log: `input` and `result` as plain values."""

    summary: Summary
    input: object
    result: object
    failure: Failure | None
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One record of a checkpoint. `value` is its stored text; `kind` is a `interfaces.Kind`."""

    kind: str
    name: str
    text: str
    position: int
    started_at: datetime
    recorded_at: datetime
    attempts: int


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of a workflow's log; `step` is the step that was running, if one was."""

    position: int
    at: datetime
    level: str
    step: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A living owner's word that it can run a definition; read by windows that lack its code."""

    owner: int
    name: str
    version: int
    title: str
    form: str
    command: str


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed after a number: rows as they stand, ids that are gone, and the number reached."""

    rows: tuple[Summary, ...]
    deleted: tuple[str, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Reset:
    """The number asked from lies before what is still known; read the list anew, then go on from `at`."""

    at: int
