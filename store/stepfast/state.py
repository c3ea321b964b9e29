"""The states of a workflow: one class each, holding only what is legal in it.

Pending are `Queued`, `Running`, `Sleeping`, `Waiting`, `Paused` and `Blocked`; finished are
`Completed`, `Failed` and `Cancelled`. `docs/life-of-a-workflow.md` draws how one leads to another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, TypeAlias

__all__ = [
    "FINISHED",
    "PENDING",
    "STATES",
    "AnswerWait",
    "Blocked",
    "Cancelled",
    "Completed",
    "Failed",
    "InterruptWait",
    "MessageWait",
    "Paused",
    "Queued",
    "RetryWait",
    "Running",
    "SleepWait",
    "Sleeping",
    "State",
    "Wait",
    "Waiting",
    "blocked",
    "sleeping",
]


@dataclass(frozen=True, slots=True)
class SleepWait:
    """Waits until a moment (`run.sleep`)."""

    name: str
    until: datetime


@dataclass(frozen=True, slots=True)
class RetryWait(SleepWait):
    """Until the step `name` ("" for the body) is tried again: `attempt` of `attempts`, after `error`."""

    attempt: int
    attempts: int
    error: str


@dataclass(frozen=True, slots=True)
class InterruptWait:
    """The program died under the step `name`: a person must say whether its effect happened."""

    name: str


@dataclass(frozen=True, slots=True)
class AnswerWait:
    """Waits for `arrive(id, name, value)` (`run.awaiting`); `form` is the JSON schema of the answer."""

    name: str
    form: str | None = None


@dataclass(frozen=True, slots=True)
class MessageWait:
    """Waits for the next `deliver(id, value)` (`run.receive`)."""

    name: str


Wait: TypeAlias = SleepWait | AnswerWait | MessageWait | InterruptWait


@dataclass(frozen=True, slots=True)
class Queued:
    """Owed a pass, and nobody makes one yet."""

    name: ClassVar = "queued"


@dataclass(frozen=True, slots=True)
class Running:
    """The engine `owner` holds the claim and makes a pass."""

    owner: int
    name: ClassVar = "running"


@dataclass(frozen=True, slots=True)
class Sleeping:
    """Nothing to do before `until`: a sleep, a start at a time, or (`retry`) another attempt."""

    until: datetime
    retry: RetryWait | None = None
    name: ClassVar = "sleeping"


@dataclass(frozen=True, slots=True)
class Waiting:
    """Needs an answer or a message; `waits` has every branch that waits, sleeps among them."""

    waits: tuple[Wait, ...]
    name: ClassVar = "waiting"


@dataclass(frozen=True, slots=True)
class Paused:
    """A person paused it."""

    name: ClassVar = "paused"


@dataclass(frozen=True, slots=True)
class Blocked:
    """The step `step` was interrupted, and a person must say whether its effect happened."""

    step: str
    name: ClassVar = "blocked"


@dataclass(frozen=True, slots=True)
class Completed:
    """Its body returned, at `at`, with so many problems reported on the way."""

    at: datetime
    problems: int
    name: ClassVar = "completed"


@dataclass(frozen=True, slots=True)
class Failed:
    """A step or the body raised, at `at`."""

    at: datetime
    problems: int
    name: ClassVar = "failed"


@dataclass(frozen=True, slots=True)
class Cancelled:
    """A person cancelled it, at `at`."""

    at: datetime
    name: ClassVar = "cancelled"


State: TypeAlias = Queued | Running | Sleeping | Waiting | Paused | Blocked | Completed | Failed | Cancelled

PENDING = ("queued", "running", "sleeping", "waiting", "paused", "blocked")
FINISHED = ("completed", "failed", "cancelled")
STATES = PENDING + FINISHED


def sleeping(until: datetime, waits: Sequence[Wait]) -> Sleeping:
    """The state of one that sleeps; what it waits for says whether an attempt is next."""
    retries = [each for each in waits if isinstance(each, RetryWait)]
    return Sleeping(until, min(retries, key=lambda each: each.until, default=None))


def blocked(waits: Sequence[Wait]) -> Blocked:
    """The state of one that is blocked, by the first of its steps that was interrupted."""
    return Blocked(next((each.name for each in waits if isinstance(each, InterruptWait)), ""))
