"""A window that only looks: nothing it can be asked changes anything."""

from __future__ import annotations

import asyncio
import inspect
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from stepfast import Engine, Run, workflow
from stepfast.errors import StoreUnavailable
from stepfast.looking import Looking
from stepfast_desktop.instance.spectator import CHANGING, Spectator
from stepfast_desktop.viewmodels.feed import Feed

# What an engine is asked that changes nothing that a person would see.
HARMLESS = {"backup", "export", "park", "until_begun", "until_idle", "write_bookmarks"}


@workflow("quick")
async def quick(run: Run) -> int:
    return 1


def test_all_that_changes_something_is_known() -> None:
    asked = {
        name
        for name, value in inspect.getmembers(Engine)
        if not name.startswith("_") and inspect.iscoroutinefunction(value)
    }
    looking = {name for name, _ in inspect.getmembers(Looking)}
    assert asked - looking - HARMLESS <= set(CHANGING)


async def test_it_looks_and_refuses(tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "work.db", [quick]) as engine:
        await (await engine.start(quick(), id="one")).result()
    async with Spectator.open(tmp_path / "work.db", work=False) as engine:
        assert (await engine.summary("one")).state.name == "completed"
        with pytest.raises(StoreUnavailable, match="read-only"):
            await engine.delete("one")
        with pytest.raises(StoreUnavailable, match="read-only"):
            await engine.bulk("remove", [1])


async def test_it_follows_what_others_do_and_writes_nothing_for_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepfast.attending.LOOK_SECONDS", 0.05)
    async with Spectator.open(tmp_path / "work.db", work=False) as engine, asyncio.timeout(60):
        feed, told = Feed(engine), asyncio.Event()
        await feed.start()
        feed.changed.connect(lambda changed: told.set())
        async with Engine.open(tmp_path / "work.db", [quick], work=False) as other:
            await other.start(quick(), id="one")
            await told.wait()
            await feed.close()
            with closing(sqlite3.connect(tmp_path / "work.db")) as connection:
                assert connection.execute("SELECT count(*) FROM stepfast_owners").fetchone() == (0,)
