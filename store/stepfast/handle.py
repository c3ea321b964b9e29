"""`Handle`: a workflow that was started, or found, and how one waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from stepfast.definition import Definition
from stepfast.errors import WorkflowCancelled, WorkflowFailed
from stepfast.shapes import lift
from stepfast.state import FINISHED
from stepfast.views import Details, Summary

if TYPE_CHECKING:
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
        return (await self._until_finished()).summary

    async def result(self) -> T:
        """Wait for what the body returned.

        Raises:
            WorkflowFailed: it failed; `failure` has type, message and traceback.
            WorkflowCancelled: a person cancelled it.
        """
        details = await self._until_finished()
        match details.summary.state.name:
            case "failed":
                raise WorkflowFailed(self.id, details.failure)
            case "cancelled":
                raise WorkflowCancelled(self.id)
        if self._definition is None:
            value: Any = details.result
        else:
            returns: Any = self._definition.returns
            about = f"the result of workflow {self.id!r}"
            value = lift(details.result, returns, about=about)
        result: T = value
        return result

    async def _until_finished(self) -> Details:
        if self._key is None:
            self._key = (await self.summary()).key
        with self._engine._finishing.watching(self._key) as changed:
            while (details := await self._engine.get(self.id)).summary.state.name not in FINISHED:
                await self._engine._finishing.look_again(changed)
            return details
