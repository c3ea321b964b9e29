"""What the window is called, and says at the end of its status line."""

from __future__ import annotations

from pathlib import Path

from stepfast import Engine, Run, workflow
from stepfast_desktop.settings import Settings
from stepfast_desktop.viewmodels.preferences import Preferences
from stepfast_desktop.viewmodels.window import WindowViewModel


@workflow("asking")
async def asking(run: Run) -> str:
    return await run.awaiting("word", into=str)


async def test_what_there_is_is_said_at_the_end(tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "work.db", [asking], work=False) as engine:
        await engine.start(asking(), id="a")
        window = WindowViewModel(engine, Preferences(Settings(tmp_path, tmp_path / "settings.json")))
        await window.start()
        assert window.counts == "1 pending" and window.title == ""
        await window.close()
