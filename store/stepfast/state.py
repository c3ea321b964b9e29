"""The states of a workflow: one class each, holding only what is legal in it.

Pending are `Queued`, `Running`, `Sleeping`, `Waiting`, `Paused` and `Blocked`; finished are
`Completed`, `Failed` and `Cancelled`. `docs/life-of-a-workflow.md` draws how one leads to another.

Classes that hold the same are made of one dataclass, since every program that starts pays for each of those.
That they have a base in common makes no two of them equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, TypeAlias

__all__ = [
    "BY_THEMSELVES",
    "FINISHED",
    "PENDING",
    "STATES",
    "AnswerWait",
    "Blocked",
    "Cancelled",
    "ChildWait",
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
    "needs_answer",
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
class _Named:
    name: str


class InterruptWait(_Named):
    """The program died under the step `name`: a person must say whether its effect happened."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class AnswerWait:
    """Waits for `arrive(id, name, value)` (`run.awaiting`); `form` is the JSON schema of the answer."""

    name: str
    form: str | None = None


class MessageWait(_Named):
    """Waits for the next `deliver(id, value)` (`run.receive`)."""

    __slots__ = ()


class ChildWait(_Named):
    """Waits for a child to finish (`run.child`), whose id is this workflow's, a slash and `name`."""

    __slots__ = ()


Wait: TypeAlias = SleepWait | AnswerWait | MessageWait | InterruptWait | ChildWait


@dataclass(frozen=True, slots=True)
class _Bare:
    pass


class Queued(_Bare):
    """Owed a pass, and nobody makes one yet."""

    __slots__ = ()
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
    """Needs an answer, a message or a child; `waits` has every branch that waits, sleeps among them."""

    waits: tuple[Wait, ...]
    name: ClassVar = "waiting"


class Paused(_Bare):
    """A person paused it."""

    __slots__ = ()
    name: ClassVar = "paused"


@dataclass(frozen=True, slots=True)
class Blocked:
    """The step `step` was interrupted, and a person must say whether its effect happened."""

    step: str
    name: ClassVar = "blocked"


@dataclass(frozen=True, slots=True)
class _Ended:
    at: datetime
    problems: int


class Completed(_Ended):
    """Its body returned, at `at`, with so many problems reported on the way."""

    __slots__ = ()
    name: ClassVar = "completed"


class Failed(_Ended):
    """A step or the body raised, at `at`."""

    __slots__ = ()
    name: ClassVar = "failed"


@dataclass(frozen=True, slots=True)
class Cancelled:
    """A person cancelled it, at `at`."""

    at: datetime
    name: ClassVar = "cancelled"


State: TypeAlias = Queued | Running | Sleeping | Waiting | Paused | Blocked | Completed | Failed | Cancelled

BY_THEMSELVES = ("queued", "running", "sleeping")
"""What is in one of these goes on though nobody does anything."""
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


def needs_answer(state: State) -> bool:
    """Must a person say something before it goes on? `views.Filter(needs_answer=True)` has those.

    What waits for a message, a child or a moment goes on without anybody.
    """
    match state:
        case Blocked():
            return True
        case Waiting(waits):
            return any(isinstance(each, AnswerWait) for each in waits)
    return False
