"""The whole window with a desktop's services on a bus of the test's own: notified, clicked, asleep, awake."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# With importlib as the import mode, a module that tests share is found only this way.
sys.path.insert(0, str(Path(__file__).parents[1] / "desktop" / "away"))

from desktop import GNOME, LOGIN, NOTIFICATIONS
from private_bus import bus, services

from stepfast import Run, workflow
from stepfast_desktop.bootstrap import open_window

__all__ = ["bus", "services"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the bus is Linux's")

gate: dict[str, Any] = {}


@workflow("failing", title="Fail at once")
async def failing(run: Run) -> None:
    raise ValueError("no")


async def hold(run: Run) -> None:
    run.bookmark.set(1)
    while not gate["end"].is_set():
        await asyncio.sleep(0.005)
        if run.bookmark.wanted:
            run.bookmark.set(2)


@workflow("holding")
async def holding(run: Run) -> None:
    await run.step("hold", hold, run)


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))
    gate["end"] = asyncio.Event()


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


async def test_a_notification_that_is_clicked_opens_its_row(services: Any, tmp_path: Path) -> None:
    desktop = await services(NOTIFICATIONS)
    async with open_window([failing], tmp_path / "data") as window:
        window.hide()
        engine = window.view_model.engine
        await engine.start(failing(), id="f")
        shown = await desktop.until("Notify")
        assert (shown[3], shown[4].partition(",")[0]) == ("Fail at once failed", "f")
        await desktop.held()  # its number has come back by then
        desktop.tell("click", id=1, action="default", token="leave")
        await until(window.isVisible)
        key = (await engine.summary("f")).key
        await until(lambda: {*window.view_model.table.selection.chosen} == {key})
        await until(lambda: window.view_model.details.id == "f")


async def test_it_keeps_awake_writes_before_sleep_and_leaves_no_lock(services: Any, tmp_path: Path) -> None:
    desktop = await services(LOGIN, GNOME)
    async with open_window([holding], tmp_path / "data") as window:
        window.view_model.preferences.set("keep_awake", "always")
        engine = window.view_model.engine
        await desktop.until_held("sleep/delay")
        await engine.start(holding(), id="h")
        await desktop.until_held("idle/block", "sleep/delay")
        key = (await engine.summary("h")).key

        async def bookmark() -> object:
            return (await engine.durable.checkpointer.load(key)).bookmarks.get("hold")

        async with asyncio.timeout(60):
            while await bookmark() != "1":
                await asyncio.sleep(0.01)
        desktop.tell("sleep", begin=True)
        await desktop.until_held("idle/block")
        assert await bookmark() == "2"  # on disk before the lock went
        desktop.tell("sleep", begin=False)
        await desktop.until_held("idle/block", "sleep/delay")
        gate["end"].set()
    await desktop.until_held()
    assert await desktop.until("Uninhibit") == [1]
