"""What `copy-folder` is called, what it takes, and what it comes to.

A program has this of every workflow that it offers as soon as it is started; what does the work is imported
when there is some.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Annotated, Literal

from stepfast import Run, Transaction, workflow
from stepfast.definitions.preview import Finding
from stepfast.hints import Again, Folder, Help, Rare, Title
from stepfast_desktop.workflows.copy_folder.report import CopyReport

__all__ = ["copy_folder"]


def forget(transaction: Transaction, workflow: str) -> None:
    """Delete the plan of a workflow that is being deleted. What it copied stays."""
    from stepfast_desktop.workflows.copy_folder import plan

    plan.forget(transaction, workflow)


def look(source: Path, destination: Path, existing: str, problems_of: str | None) -> Iterator[Finding]:
    """What there is to say of copying `source` to `destination`; see `stepfast.definitions.preview`."""
    from stepfast_desktop.workflows.copy_folder import preview

    yield from preview.look(source, destination, existing, problems_of)


@workflow("copy-folder", version=1, title="Copy a folder", forget=forget, preview=look)
async def copy_folder(
    run: Run,
    source: Annotated[
        Path, Folder(there=True), Title("Source"), Help("The folder whose contents are copied")
    ],
    destination: Annotated[
        Path, Folder(), Title("Destination"), Help("Where they go; it is made if it is not there")
    ],
    verify: Annotated[
        bool, Title("Verify"), Help("Read every copied file back from the disk and compare")
    ] = True,
    existing: Annotated[
        Literal["skip", "overwrite"],
        Title("Files that are there already and differ"),
        Help("Skip leaves them as they are and reports them"),
    ] = "skip",
    problems_of: Annotated[
        str | None,
        Again(),
        Rare(),
        Title("Only the problems of"),
        Help("The name of an earlier copy of this folder: what could not be copied then is tried again"),
    ] = None,
) -> CopyReport:
    """Copy what is in `source` into `destination`, with times, permissions and symbolic links."""
    # When a copy begins, and on a thread: no window waits for it as it opens, and none stands still for it.
    await asyncio.to_thread(import_module, f"{__package__}.workflow")
    from stepfast_desktop.workflows.copy_folder.workflow import copy

    return await copy(run, source, destination, verify=verify, existing=existing, problems_of=problems_of)
