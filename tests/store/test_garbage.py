"""What a workflow leaves behind in memory: nothing that only a collector would find.

Each collection goes through all that lives meanwhile, the workflows of the next seconds among that.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from either import Either

from stepfast import Run, WorkflowFailed, workflow

WORKFLOWS = 20


async def effect() -> int:
    return 1


@workflow("in-order")
async def in_order(run: Run) -> int:
    return await run.step("one", effect) + await run.step("two", effect)


@workflow("failing")
async def failing(run: Run) -> None:
    raise ValueError("as it was told to")


@pytest.fixture
def collected() -> Iterator[list[object]]:
    """What collections have found, from here on."""
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield gc.garbage
    finally:
        gc.set_debug(0)
        gc.garbage.clear()


@pytest.mark.parametrize("kind", ["sqlite", "memory"])
async def test_workflows_that_have_finished_leave_nothing_to_a_collector(
    kind: str, tmp_path: Path, collected: list[Any]
) -> None:
    async def run_some(definition: Any) -> None:
        handles = [await engine.start(definition()) for _ in range(WORKFLOWS)]
        for each in handles:
            try:
                await each.result()
            except WorkflowFailed:
                pass
        await engine.until_idle()

    async with Either(kind, tmp_path).at_work([in_order, failing]) as engine:
        await run_some(in_order)
        await run_some(failing)
        gc.collect()
        collected.clear()  # of imports and of the first use
        for definition in (in_order, failing):
            await run_some(definition)
            gc.collect()
            kinds = [type(each).__name__ for each in collected]
            assert len(kinds) < WORKFLOWS, f"{definition.name}: {kinds}"
            collected.clear()
