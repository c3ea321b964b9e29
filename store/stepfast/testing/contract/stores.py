"""What the contract asks of a test: stores over one storage, engines that die, and a clock that it moves."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

from stepfast.errors import UnknownWorkflow
from stepfast.interfaces import Begun, Claim, Durable, Kind, NewRecord, Offered, Settlement, Started
from stepfast.testing.clock import VirtualClock

__all__ = [
    "JOB",
    "WAIT",
    "Stores",
    "begin",
    "begun",
    "claimed",
    "finish",
    "ids",
    "moment",
    "new",
    "only",
    "refused",
    "start",
    "state",
]

T = TypeVar("T")
E = TypeVar("E", bound=BaseException)

JOB = Offered("job", 1)
"""The definition of every workflow here, unless a promise is about definitions."""

WAIT = Settlement("waiting")
"""A pass that waits for whatever comes next."""


class Stores(Protocol):
    """One storage, empty at first, and the engines over it; write one for your store.

    - `open` gives another engine over the same storage each time it is called, as another process would
      have it. It reads the time from `clock`.
    - `kill` ends one as SIGKILL would: its locks are dropped, and it says nothing to anybody.

    What was opened and not killed is closed by whoever made this, after the promise.
    """

    @property
    def clock(self) -> VirtualClock: ...
    async def open(self) -> Durable: ...
    async def kill(self, durable: Any) -> None: ...  # Any: yours takes what your `open` gives


async def refused(error: type[E], call: Awaitable[object], what: str) -> E:
    """Hold `call` to raising `error`, and give what was raised. Another error goes through as it is."""
    try:
        await call
    except error as raised:
        return raised
    raise AssertionError(f"{what}: this must raise {error.__name__}, and raised nothing")


async def start(durable: Durable, id: str, input: str = "null", **options: float) -> Started:
    """Start a `JOB`; `options` are `at` and `priority`."""
    at, priority = options.get("at"), int(options.get("priority", 0))
    return await durable.start(id, JOB.name, JOB.version, input, at=at, priority=priority)


async def begin(durable: Durable, limit: int = 100, offered: Sequence[Offered] = (JOB,)) -> list[Begun]:
    """Begin whatever is ready."""
    return await durable.begin(offered, limit)


async def begun(durable: Durable, id: str, input: str = "null") -> Begun:
    """A workflow of that id, started unless it is there, and begun."""
    await start(durable, id, input)
    found = await begin(durable)
    assert ids(found) == [id], f"begin must hand out {id!r}, which alone is ready; it gave {ids(found)}"
    return only(found)


async def claimed(durable: Durable, id: str) -> Claim:
    """A claim on a workflow of that id, started unless it is there."""
    await start(durable, id)
    claim = await durable.checkpointer.claim(id)
    assert claim is not None, f"claim must grant {id!r}, which nobody holds"
    return claim


async def finish(durable: Durable, id: str, settlement: Settlement | None = None) -> None:
    """Start, begin and settle a workflow; it completes unless something else is said."""
    one = await begun(durable, id)
    await durable.settle(one.claim, one.receipt, settlement or Settlement("completed", result="null"))


async def state(durable: Durable, id: str) -> str:
    """The state of a workflow, in one word; "gone" where there is none."""
    try:
        return (await durable.catalogue.summary(id)).state.name
    except UnknownWorkflow:
        return "gone"


def new(name: str, text: str = '"value"', kind: str = Kind.STEP, **options: bool) -> NewRecord:
    """A record to be written; `bookmarked` may be given."""
    return NewRecord(
        kind, name, text, started_at=1_800_000_000.0, bookmarked=options.get("bookmarked", False)
    )


def ids(begun: Sequence[Begun]) -> list[str]:
    """Which workflows were begun, in order."""
    return [one.claim.id for one in begun]


def moment(seconds: float) -> datetime:
    """Seconds since the epoch as what views show."""
    return datetime.fromtimestamp(seconds, UTC)


def only(found: Sequence[T]) -> T:
    """The one thing that must be there."""
    assert len(found) == 1, f"one was expected here, and there are {len(found)}: {found}"
    return found[0]
