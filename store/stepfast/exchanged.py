"""What an engine and its store hand each other: plain values, as `stepfast.interfaces` speaks of them.

Those of which there are many, and of which nobody makes another with a difference, are named tuples: made
in a third of the time, and defined in a fifth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from stepfast.passes.outcome import Failure, Problem
    from stepfast.state import Wait
    from stepfast.views import Progress, StepRecord

__all__ = [
    "Begun",
    "Checkpoint",
    "Claim",
    "Delivery",
    "Held",
    "Kind",
    "Look",
    "Message",
    "NewRecord",
    "NewSchedule",
    "Notes",
    "Offered",
    "Recorded",
    "Settlement",
    "Signal",
    "Started",
]


class Kind:
    """The kinds of record. A name is unique within its kind, so an answer never passes for a step."""

    STEP = "step"
    SLEEP = "sleep"
    ANSWER = "answer"
    RECEIVED = "received"
    STARTED = "started"
    """A child was started; the text is its id."""
    CHILD = "child"
    """How a child ended; the text is `children.outcome_text`."""
    BEGUN = "begun"
    """An attempt at a step that must not repeat is about to run; named as the attempt is."""
    ATTEMPT = "attempt"
    """An attempt at a step came to no record: `stepfast.body.retrying.Attempted`."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to make a pass at `workflow` (its key), proved by `token` (a fencing token).

    `lock` is the path of the holder's lock file, beside which the processes of its steps hold theirs; empty
    where a store has none.
    """

    workflow: int
    id: str
    token: int
    lock: str = field(default="", compare=False)


class Delivery(NamedTuple):
    """One wakeup taken and not yet answered for; each further wakeup renews the row's `receipt`."""

    workflow: int
    id: str
    receipt: int


class Begun(NamedTuple):
    """A delivery taken and its workflow claimed, in one commit: everything a pass needs to be made.

    `since`: when its first pass began, or a person had it tried again (seconds since the epoch).
    `cleanup`: it was cancelled, and this pass is to tidy up. `checkpoint` is there where the store came by it
    without effort; otherwise it is to be loaded.
    """

    claim: Claim
    receipt: int
    name: str
    version: int
    input: str
    since: float
    cleanup: bool = False
    checkpoint: Checkpoint | None = None


class Message(NamedTuple):
    """One message of a workflow's inbox; positions rise."""

    position: int
    text: str


class Checkpoint(NamedTuple):
    """A workflow's records and messages in the order they were first written, and its bookmarks."""

    records: tuple[StepRecord, ...]
    messages: tuple[Message, ...]
    bookmarks: dict[str, str]

    @property
    def end(self) -> int:
        """The last position in here: `load` from it brings what came later."""
        ends = [each[-1].position for each in (self.records, self.messages) if each]
        return max(ends, default=0)


# One of each of these two is made for each step. As frozen dataclasses, 2.5 us of it; as tuples, 0.7.
class NewRecord(NamedTuple):
    """A record to be written; `started_at` in seconds since the epoch.

    `bookmarked` says that the step has a bookmark, which goes when the step is recorded.
    """

    kind: str
    name: str
    text: str
    started_at: float
    attempts: int = 1
    bookmarked: bool = False


class Recorded(NamedTuple):
    """What the store holds under a name after a write, and whether this write put it there."""

    text: str
    first: bool


@dataclass(frozen=True, slots=True)
class Notes:
    """What changes all the time, carried by a commit that happens anyway: newest values only.

    `step` and `progress` replace what was there, `bookmarks` are by step, `log` lines
    (time, level, step, text) are added.
    """

    step: str | None = None
    progress: Progress | None = None
    bookmarks: tuple[tuple[str, str], ...] = ()
    log: tuple[tuple[float, str, str | None, str], ...] = ()


class Started(NamedTuple):
    """The workflow that has the id now, and whether this call made it."""

    key: int
    id: str
    created: bool


class Settlement(NamedTuple):
    """How a pass is answered for. `state` is one of

    - `tidied`: the clean-up of one that was cancelled is through: it is cancelled, and final;
    - `completed` with `result`, `failed` with `failure`, both with `problems`; `cancelled`: final;
    - `blocked` with `waits`: owed a pass once a person has said what became of an interrupted step;
    - `sleeping` with `due`, `waiting` with `waits` and perhaps `due`: owed a pass again then, or when
      a wakeup comes;
    - `paused`; `queued` (owed a pass at once: the program quits, or the store failed).
    """

    state: str
    due: float | None = None
    waits: tuple[Wait, ...] = ()
    result: str | None = None
    failure: Failure | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Offered:
    """What one engine can run: a definition's name and a version it can start or continue.

    `forgets`: the definition has a `forget`, without which none of its workflows may be swept. `tidies`: it
    has an `on_cancel`, so that cancelling one of its workflows leads to a pass. `at_once`: how many of that
    name may run at once, and `queue_at_once`: how many of its `queue`, in all processes together; None for
    any number.
    """

    name: str
    version: int
    title: str = ""
    form: str = "{}"
    forgets: bool = False
    tidies: bool = False
    at_once: int | None = None
    queue: str | None = None
    queue_at_once: int | None = None


@dataclass(frozen=True, slots=True)
class NewSchedule:
    """A schedule to be kept: `missed` is one of `schedules.MISSED`, `rule` as `schedules.rule_text` has it,
    or `schedules.switched` off.
    """

    name: str
    definition: str
    version: int
    input: str
    rule: str
    missed: str


class Held(NamedTuple):
    """A workflow this engine holds, as the file has it now: has it been woken, is something asked?

    `begun`: its claim is one of `Durable.begin`, so a worker makes a pass of it; not of `Checkpointer.claim`.
    """

    workflow: int
    token: int
    receipt: int
    intent: str | None
    begun: bool = True


class Look(NamedTuple):
    """What a worker wants to know between takes: what it holds, and when the next timer is due."""

    held: tuple[Held, ...]
    next_due: float | None


NO_RESULTS: Mapping[int, str] = MappingProxyType({})


class Signal(NamedTuple):
    """Told to listeners after a commit that changed rows: which, and whether something became ready.

    `keys` None means that anything may have changed (another process wrote). `ready` is also true where
    there is a new timer. A record alone changes no row. Where it is not `urgent`, only views care.
    `went_on` are those of `keys` to which nothing happened but that a pass of them began, or noted something.
    `condition`: no commit, but the store's `health` has changed.
    `begun`: what is ready was begun in that very commit, all of it, by `Durable.begin_next` with this offer.
    `results`: of those of `keys` that completed, what with, as text, where the store has it at hand. Nobody
    has to look for these; what is not in it may have completed too.
    """

    keys: frozenset[int] | None
    ready: bool
    urgent: bool = True
    condition: bool = False
    went_on: frozenset[int] = frozenset()
    begun: Sequence[Offered] | None = None
    results: Mapping[int, str] = NO_RESULTS
