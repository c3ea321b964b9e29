"""What lists and details show of a workflow. Plain values, read from a snapshot that is let go at once."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from stepfast.errors import InvalidInput
from stepfast.health import Condition
from stepfast.outcome import Failure, Problem
from stepfast.state import STATES, State

__all__ = [
    "ACTIONS",
    "EVERYTHING",
    "ORDERS",
    "Bulk",
    "Changes",
    "Details",
    "Filter",
    "LogLine",
    "Offer",
    "Order",
    "Progress",
    "Reset",
    "StepRecord",
    "Summary",
    "check_order",
]


@dataclass(frozen=True, slots=True)
class Order:
    """What a list can be ordered by. `indexed`: a page costs the same however long the list is.

    The others are sorted when they are asked for: what changes with every step is not worth an index that
    every step would have to keep, and the rest hardly differs from one workflow to the next.
    """

    meaning: str
    indexed: bool = True


ORDERS: Mapping[str, Order] = {
    "newest": Order("what was started last comes first"),
    "created": Order("what was started first comes first"),
    "pending": Order("what is pending, then what has finished, each with the newest first"),
    "id": Order("by id, character by character"),
    "name": Order("by the name of the definition"),
    "state": Order("by the name of the state"),
    "started": Order("by when its first pass began; what has not begun comes first"),
    "finished": Order("by when it finished; what has not comes first"),
    "version": Order("by the version of the definition", indexed=False),
    "priority": Order("the lowest priority first", indexed=False),
    "problems": Order("those with the fewest problems first", indexed=False),
    "step": Order(
        "what is pending by the step it is at, then what has finished, newest first", indexed=False
    ),
    "progress": Order(
        "what is pending by how much of it is done (unknown first), then what has finished, newest first",
        indexed=False,
    ),
}
"""What lists can be ordered by. Rows that are equal in it come in the order in which they were started."""


def check_order(order: str) -> None:
    """Raise `InvalidInput` for what is no order."""
    if order not in ORDERS:
        raise InvalidInput(f"{order!r} is no order of a list; there are {', '.join(ORDERS)}")


@dataclass(frozen=True, slots=True)
class Filter:
    """Which workflows a list has: those of which all of this is true.

    Args:
        states: it is in one of these; in any, where there is none.
        names: its definition has one of these names; any, where there is none.
        text: its id or name contains this, as `stepfast.finding` has it.
        removed: it was removed, and not brought back. Lists without this have none of those.
    """

    states: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    text: str = ""
    removed: bool = False

    def __init__(
        self, states: Iterable[str] = (), names: Iterable[str] = (), text: str = "", removed: bool = False
    ) -> None:
        for what, given in (("states", states), ("names", names)):
            if isinstance(given, str):
                raise InvalidInput(f"{what} are several, so write {what}=[{given!r}]")
            object.__setattr__(self, what, frozenset(given))
        for each in sorted(self.states.difference(STATES)):
            raise InvalidInput(f"{each!r} is no state; there are {', '.join(STATES)}")
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "removed", removed)


EVERYTHING = Filter()
"""Every workflow but the removed ones."""

ACTIONS = ("pause", "resume", "cancel", "retry", "remove", "restore")
"""What can be asked of many workflows at once."""


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
class Progress:
    """How far a workflow is, in the units its body chose; `total` None where it cannot say.

    `from_done` is how far it was when its last pass first said so, at `from_at` (seconds since the epoch):
    what was done before that, perhaps long ago, says nothing of how fast it goes.
    """

    done: float
    total: float | None
    text: str
    from_done: float = 0.0
    from_at: float | None = None

    @property
    def share(self) -> float | None:
        """How much of it is done, 1 being all; None where that is unknown."""
        return self.done / self.total if self.total else None


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
    """What changed after a number: rows as they stand, ids that are gone, and the number reached.

    `conditions` is what is wrong with the store, as this engine sees it.
    """

    rows: tuple[Summary, ...]
    deleted: tuple[str, ...]
    at: int
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Reset:
    """The number asked from lies before what is still known; read the list anew, then go on from `at`."""

    at: int
