"""The details of a workflow that ends before one's eyes: what came of it comes with what may be done."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

from stepfast import Engine, Run, workflow
from stepfast.definitions.parameters import Again
from stepfast_desktop.viewmodels.details.details import DetailsViewModel
from stepfast_desktop.viewmodels.feed import Feed


@workflow("mending")
async def mending(run: Run, problems_of: Annotated[str, Again()] = "") -> None:
    """Has a problem, once it is told to go on."""
    await run.awaiting("go", into=bool)
    run.problem("file", "cannot be read")


async def test_where_it_is_told_what_came_of_it_its_problems_can_be_tried_again(tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "work.db", [mending]) as engine:
        feed = Feed(engine)
        await feed.start()
        details = DetailsViewModel(engine, feed)
        told = asyncio.Event()
        could: list[bool] = []

        def hear(section: str) -> None:
            if section == "outcome":
                could.append(details.can_retry_problems)
            told.set()

        details.changed.connect(hear)
        await engine.start(mending(), id="one")
        details.show("one")
        async with asyncio.timeout(60):
            while details.state is None or not details.questions:
                told.clear()
                await told.wait()
            await engine.arrive("one", "go", True)
            while not could:
                told.clear()
                await told.wait()
        assert could == [True]
        await details.close()
        await feed.close()
