"""What a pass knows of its workflow's children, and how it waits for one: `run.child`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Protocol, TypeVar

from stepfast.body.children import child_id, result_of
from stepfast.definitions.definition import Request
from stepfast.errors import InvalidInput
from stepfast.interfaces import Checkpointer, Claim, Kind
from stepfast.passes.passing import Pass
from stepfast.state import ChildWait, SleepWait, Wait
from stepfast.views import StepRecord

__all__ = ["Children"]

T = TypeVar("T")


class Writing(Protocol):
    """Carries a write out, again where the store failed under it; what stops it stops the pass."""

    async def __call__(self, write: Callable[[], Awaitable[T]]) -> T: ...


class Children:
    """The children of one workflow, as one pass sees them.

    Args:
        claim: as whom it starts them.
        making: the pass, which knows about tasks and waits.
        checkpointer: where it starts them.
    """

    def __init__(self, claim: Claim, making: Pass, checkpointer: Checkpointer) -> None:
        self._claim = claim
        self._pass = making
        self._checkpointer = checkpointer
        self._started: set[str] = set()
        self._ended: dict[str, str] = {}

    def absorb(self, record: StepRecord) -> None:
        """Take up that a child was started, or how it ended."""
        if record.kind == Kind.STARTED:
            self._started.add(record.name)
        else:
            self._ended.setdefault(record.name, record.text)

    def over(self, records: Iterable[StepRecord]) -> Callable[[Wait], bool]:
        """Which waits may be over, given what came in: of a thousand that wait for children, perhaps one."""
        ended = {record.name for record in records if record.kind == Kind.CHILD}

        def over(wait: Wait) -> bool:
            return wait.name in ended if isinstance(wait, ChildWait) else not isinstance(wait, SleepWait)

        return over

    async def result(self, name: str, request: Request[Any], writing: Writing) -> Any:
        """Start the child by `writing`, unless an earlier pass did, and wait for what it returned."""
        if not isinstance(request, Request):
            from stepfast.definitions.handed import no_request

            raise no_request(request, "run.child")
        definition = request.definition
        if request.secrets:
            raise InvalidInput(
                f"{definition.name!r} has secrets among its inputs, which a child cannot be given"
            )
        id = child_id(self._claim.id, name)
        if name not in self._ended:
            if name not in self._started:
                await self._start(name, id, request, writing)
            while name not in self._ended:
                await self._pass.park(ChildWait(name))
        return result_of(self._ended[name], id, definition.returns)

    async def _start(self, name: str, id: str, request: Request[Any], writing: Writing) -> None:
        if self._pass.stopping:
            await self._pass.park(None)
        definition = request.definition
        asked = (self._claim, name, id, definition.name, definition.version, request.text)
        with self._pass.flight():
            ended = await writing(lambda: self._checkpointer.child(*asked))
        self._started.add(name)
        if ended is not None:  # by another pass, or before this one was tried again
            self._ended.setdefault(name, ended)
