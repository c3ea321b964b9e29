"""A copy that completed with problems: "Retry these" opens the form for just those."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.workflows import ALL
from stepfast_desktop.workflows.copy_folder import copy_folder


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.005)


async def test_retry_these_starts_a_copy_of_just_what_was_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))
    source, destination = tmp_path / "source", tmp_path / "destination"
    for folder in (source, destination):
        folder.mkdir()
        (folder / "differs").write_text(str(folder))
    (source / "other").write_text("other")
    async with open_window(ALL, tmp_path / "data", "") as window:
        engine = window.view_model.engine
        first = await engine.start(copy_folder(source, destination), id="first")
        assert (await first.result()).problems == 1
        assert await window.view_model.show("first") is None
        button = window.details.parts.overview.retry_these
        await until(button.isVisible)
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        await until(lambda: window._dialog is not None and window._dialog.isVisible())
        dialog = window._dialog
        assert dialog is not None
        assert dialog.form.editor("problems_of").isVisible()
        assert dialog.form.editor("problems_of").field.text == "first"
        form = window.view_model.new_workflow.form
        assert form is not None
        form.set("existing", "overwrite")
        QTest.mouseClick(dialog.start_button, Qt.MouseButton.LeftButton)
        await until(lambda: not dialog.isVisible())
        again = next(each for each in await engine.list() if each.id != "first")
        report = await engine.handle(again.id).result()
        assert (report["files"], report["problems"]) == (1, 0)
        assert (destination / "differs").read_text() == str(source)
        assert await window.view_model.show(again.id) is None
        await until(lambda: not button.isVisible())
