"""What the window says of the file and its disk."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from stepfast import Engine
from stepfast.errors import FileGone
from stepfast_desktop.viewmodels.window import WindowViewModel


@pytest.mark.skipif(sys.platform == "win32", reason="Windows lets nobody move a file that is open")
async def test_what_is_wrong_with_the_file_is_said_while_it_lasts(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    async with Engine.open(path) as engine:
        window = WindowViewModel(engine)
        await window.start()
        said: asyncio.Queue[str] = asyncio.Queue()
        window.feed.conditions_changed.connect(lambda: said.put_nowait(window.trouble))
        assert window.trouble == ""
        path.rename(tmp_path / "elsewhere.db")
        while not window.trouble:
            with suppress(FileGone):
                await engine.counts()
        async with asyncio.timeout(30):
            text = await said.get()
            assert text.startswith(f"{path} was moved or deleted") and text.endswith(".")
            (tmp_path / "elsewhere.db").rename(path)
            while await said.get():
                pass
        assert window.trouble == "" and window.feed.conditions == ()
        await window.close()


async def test_what_stops_the_work_is_said_first_and_as_sentences(tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "work.db") as engine:
        window = WindowViewModel(engine)
        engine.health.report("old-reader", "another program reads", stops_work=False)
        engine.health.report("full", "the disk is full; free some space", stops_work=True)
        assert window.trouble == "The disk is full; free some space.\nAnother program reads."
        engine.health.clear("full", "old-reader")
