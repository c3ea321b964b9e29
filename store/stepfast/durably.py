"""`run_durably`: one workflow to its end, in one call."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from stepfast.definitions.definition import Request
from stepfast.engine import Engine
from stepfast.secrets import SecretKeeper

__all__ = ["run_durably"]

T = TypeVar("T")


async def run_durably(
    request: Request[T], *, id: str, path: str | Path | None = None, secrets: SecretKeeper | None = None
) -> T:
    """Start or carry on one workflow, work until it has finished, and return its result.

    Called again with the same id after a crash, it goes on where it was; after the end, it returns the
    result at once.

    Args:
        request: what calling a definition gives.
        id: names the workflow in the file.
        path: the file; the per-user file by default.
        secrets: as for `Engine.open`.

    Raises:
        WorkflowFailed, WorkflowCancelled: as `Handle.result`.
        AlreadyStarted: the id belongs to a workflow with another definition, version or input.
    """
    if not isinstance(request, Request):
        from stepfast.definitions.handed import no_request

        raise no_request(request, "run_durably")
    async with Engine.open(path, [request.definition], secrets=secrets) as engine:
        return await (await engine.start(request, id=id)).result()
