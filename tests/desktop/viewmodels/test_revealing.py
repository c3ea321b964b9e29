"""Rows that are brought before a person's eyes, out of a filter too; over a real engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from stepfast import Engine, Run, workflow
from stepfast_desktop.viewmodels.feed import Feed
from stepfast_desktop.viewmodels.table.revealing import Revealing
from stepfast_desktop.viewmodels.table.table import TableViewModel


@workflow("quick")
async def quick(run: Run) -> None:
    """Does nothing."""


@workflow("failing")
async def failing(run: Run) -> None:
    raise ValueError("no")


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.005)


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[TableViewModel]:
    """With one that completed and one that failed."""
    async with Engine.open(tmp_path / "work.db", [quick, failing]) as engine:
        for request in (quick(), failing()):
            await (await engine.start(request, id=request.definition.name)).finished()
        feed = Feed(engine)
        made = TableViewModel(engine, feed)
        await feed.start()
        await made.start()
        yield made
        await made.close()
        await feed.close()


async def test_all_of_them_are_selected_and_gone_to_where_a_filter_has_some(table: TableViewModel) -> None:
    keys = {*table.keys}
    table.filter(states=["failed"])
    await until(lambda: len(table.keys) == 1)
    revealing = Revealing(table)
    gone_to: list[tuple[int, int]] = []
    revealing.revealed.connect(lambda key: gone_to.append((key, len(table.keys))))
    revealing.reveal(sorted(keys))
    await until(lambda: gone_to)
    assert gone_to == [(table.keys[0], 2)], "to the first of all, as they stand without the filter"
    assert table.selection.chosen == keys
    revealing.close()
