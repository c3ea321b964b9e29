"""The window's status line says what is wrong with the file or its disk, for as long as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel

from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.main_window import MainWindow

LONG = "the disk that holds /" + "a-long-folder/" * 40 + "work.db is full; free some space there"


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))


def shown(window: MainWindow) -> str:
    (label,) = (
        each for each in window.statusBar().findChildren(QLabel) if each.accessibleName() == "What is wrong"
    )
    return label.text() if label.isVisible() else ""


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():
            await asyncio.sleep(0.01)


async def test_a_condition_is_said_while_it_lasts_and_does_not_widen_the_window(
    tmp_path: Path, lapses: Any
) -> None:
    for text in ("another program reads", LONG, "it is over that"):
        lapses.expect(text)
    async with open_window([], tmp_path / "data") as window:
        narrowest = window.minimumSizeHint().width()
        assert shown(window) == ""
        health = window.view_model.engine.health
        health.report("old-reader", "another program reads", stops_work=False)
        await until(lambda: shown(window) == "Another program reads.")
        # One that stops the work is said first; both are in the tip.
        health.report("no-backup", LONG, stops_work=True)
        await until(lambda: shown(window) == f"{LONG[0].upper()}{LONG[1:]}.")
        assert window.minimumSizeHint().width() <= narrowest
        health.clear("no-backup", "old-reader")
        await until(lambda: shown(window) == "")
