"""`Handle`: a workflow that was started, or found, and how one waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from stepfast.definitions.definition import Definition
from stepfast.errors import WorkflowCancelled, WorkflowFailed
from stepfast.state import FINISHED
from stepfast.values.shapes import lift
from stepfast.views import Summary

if TYPE_CHECKING:
    from stepfast.details import Ended
    from stepfast.engine import Engine

__all__ = ["Handle"]

T = TypeVar("T")


class Handle(Generic[T]):
    """A workflow that was started, or found."""

    def __init__(
        self,
        engine: Engine,
        id: str,
        definition: Definition[..., T] | None,
        created: bool,
        key: int | None = None,
    ) -> None:
        self._engine = engine
        self._key = key
        self._definition = definition
        self.id = id
        self.created = created
        """Did the call that gave this handle start the workflow?"""

    async def summary(self) -> Summary:
        """The workflow as it stands."""
        return await self._engine.summary(self.id)

    async def finished(self) -> Summary:
        """Wait until the workflow has finished, whichever way and in whichever process."""
        while True:
            await self._ended()
            summary = await self.summary()
            if summary.state.name in FINISHED:  # nobody has had it tried again since
                return summary

    async def result(self) -> T:
        """Wait for what the body returned.

        Raises:
            WorkflowFailed: it failed; `failure` has type, message and traceback.
            WorkflowCancelled: a person cancelled it.
        """
        ended = await self._ended()
        match ended.state:
            case "failed":
                raise WorkflowFailed(self.id, ended.failure)
            case "cancelled":
                raise WorkflowCancelled(self.id)
        if self._definition is None:
            value: Any = ended.result
        else:
            returns: Any = self._definition.returns
            value = lift(ended.result, returns, about=f"the result of workflow {self.id!r}")
        result: T = value
        return result

    async def _ended(self) -> Ended:
        if self._key is None:
            self._key = (await self.summary()).key
        return await self._engine._finishing.ended(self.id, self._key)
