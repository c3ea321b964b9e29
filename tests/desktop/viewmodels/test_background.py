"""When it is looked whether a worker runs in the background: after something was heard, and else rarely."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from stepfast import Engine
from stepfast_desktop.instance.sole import BACKGROUND, Sole, is_held
from stepfast_desktop.viewmodels.leaving import background as module
from stepfast_desktop.viewmodels.leaving.background import BackgroundViewModel
from stepfast_desktop.viewmodels.notices import Notices


class Held:
    """Whether somebody holds the lock of a worker, and how often that was looked at."""

    def __init__(self, folder: Path) -> None:
        self.looks = 0
        self._folder = folder

    def runs(self) -> bool:
        self.looks += 1
        return is_held(self._folder, BACKGROUND)

    def start(self) -> None: ...

    def stop(self) -> bool:
        return True


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


async def test_one_that_comes_is_heard_one_that_is_killed_is_found_and_none_is_not_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BETWEEN_SECONDS", 0.01)
    async with Engine.open(tmp_path / "stepfast.db") as engine:
        held = Held(tmp_path)
        model = BackgroundViewModel(held, Notices(), engine.durable.listen)
        await model.start()
        try:
            await asyncio.sleep(0.5)  # fifty looks, if it looked
            assert held.looks <= 10 and not model.runs
            sole = Sole.take(tmp_path, BACKGROUND)
            assert sole is not None
            async with Engine.open(tmp_path / "stepfast.db"):  # another on the same file, as a worker has
                await until(lambda: model.runs)
            sole.release()
            await until(lambda: not model.runs)
        finally:
            await model.close()
