"""What lists and details show of a workflow. Plain values, read from a snapshot that is let go at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from stepfast.errors import InvalidInput
from stepfast.health import Condition
from stepfast.late import given_late
from stepfast.state import STATES, State

if TYPE_CHECKING:
    from array import array

    from stepfast.details import Bulk, Details, Ended, LogLine, LogPart, RecordOutline, Schedule
else:
    __getattr__ = given_late(
        __name__,
        dict.fromkeys(
            ["Bulk", "Details", "Ended", "LogLine", "LogPart", "RecordOutline", "Schedule"],
            "stepfast.details",
        ),
    )

__all__ = [
    "ACTIONS",
    "EVERYTHING",
    "ORDERS",
    "Bulk",
    "Changes",
    "Details",
    "Ended",
    "Filter",
    "Listing",
    "LogLine",
    "LogPart",
    "Offer",
    "Order",
    "Progress",
    "RecordOutline",
    "Reset",
    "Schedule",
    "StepRecord",
    "Summary",
    "check_order",
]


class Order(NamedTuple):
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
    "queue": Order(
        "what is queued as it would run, then what else is pending, then what has finished, newest first",
        indexed=False,
    ),
    "id": Order("by id, character by character"),
    "name": Order("by the name of the definition"),
    "state": Order("by the name of the state"),
    "started": Order("by when its first pass began; what has not begun comes first"),
    "finished": Order("by when it finished; what has not comes first"),
    "version": Order("by the version of the definition", indexed=False),
    "priority": Order("the lowest priority first", indexed=False),
    "problems": Order("those with the fewest problems first", indexed=False),
    "attempts": Order("those of which the fewest attempts came to nothing first", indexed=False),
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
        needs_answer: a person must say something before it goes on: it waits for an answer, or is blocked.
            What waits for a message, a child or a timer alone is not among those.
        problems: something of it was a problem.
        top: it is nobody's child, or its parent is gone, was removed, or has finished while it is pending; or
            it is a child of one of `parents`.
        parents: it is a child of one of these, by key; of anybody or nobody, where there is none.
    """

    states: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    text: str = ""
    removed: bool = False
    needs_answer: bool = False
    problems: bool = False
    top: bool = False
    parents: frozenset[int] = frozenset()

    def __init__(
        self,
        states: Iterable[str] = (),
        names: Iterable[str] = (),
        text: str = "",
        removed: bool = False,
        needs_answer: bool = False,
        top: bool = False,
        parents: Iterable[int] = (),
        problems: bool = False,
    ) -> None:
        for what, given in (("states", states), ("names", names)):
            if isinstance(given, str):
                raise InvalidInput(f"{what} are several, so write {what}=[{given!r}]")
            object.__setattr__(self, what, frozenset(given))
        for each in sorted(self.states.difference(STATES)):
            raise InvalidInput(f"{each!r} is no state; there are {', '.join(STATES)}")
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "removed", removed)
        object.__setattr__(self, "needs_answer", needs_answer)
        object.__setattr__(self, "problems", problems)
        object.__setattr__(self, "top", top)
        object.__setattr__(self, "parents", frozenset(parents))


EVERYTHING = Filter()
"""Every workflow but the removed ones."""

ACTIONS = ("pause", "resume", "cancel", "retry", "remove", "restore")
"""What can be asked of many workflows at once."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a workflow is, in the units its body chose; `total` None where it cannot say.

    `from_done` is how far it was when its last pass began to do something new, at `from_at` (seconds since
    the epoch): what was done before that, perhaps long ago, says nothing of how fast it goes.
    """

    done: float
    total: float | None
    text: str
    from_done: float = 0.0
    from_at: float | None = None

    @property
    def share(self) -> float | None:
        """How much of it is done, 1 being all; None where that is unknown.

        As the body said it, and as lists are ordered by it: it may be below 0, above 1, or no number.
        """
        return self.done / self.total if self.total else None


@dataclass(frozen=True, slots=True)
class Summary:
    """One row of a list. It never carries inputs, results or records.

    `change` is the number of the row's last change; `key` orders rows by when they were started. `parent` is
    the key of the workflow that started it, `parent_id` that one's id; both None where there was none, the id
    also where the parent is gone. `attempts` is how many attempts at its steps or its body have come to
    nothing since it was started, or since a person had it tried again. `place` is where it stands in the
    queue among those of its priority, the lowest first; None where it is not queued.
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
    parent: int | None = None
    parent_id: str | None = None
    attempts: int = 0
    place: int | None = None


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
class Offer:
    """A living owner's word that it can run a definition; read by windows that lack its code.

    `at_once`, `queue` and `queue_at_once` are the limits it keeps, as `interfaces.Offered` has them.
    """

    owner: int
    name: str
    version: int
    title: str
    form: str
    command: str
    at_once: int | None = None
    queue: str | None = None
    queue_at_once: int | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """The ordered keys of all that match a filter, and the number of the change up to which they hold."""

    keys: array[int]
    at: int


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
