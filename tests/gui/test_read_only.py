"""Beside a window that does not answer: asked what to do, and a window in which nothing can be done."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

from stepfast import Engine, Run, workflow
from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.leaving.frozen import ask_about_frozen


@workflow("asking")
async def asking(run: Run) -> str:
    return await run.awaiting("word", into=str)


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))


async def test_everything_is_shown_and_nothing_can_be_done(tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "stepfast.db", [asking]) as engine:
        await engine.start(asking(), id="one")
        while (await engine.summary("one")).state.name != "waiting":
            await asyncio.sleep(0.01)
        async with open_window((), tmp_path, read_only=True) as window:
            while window.view_model.table.row(0) is None:
                await asyncio.sleep(0.01)
            window.table.selectAll()
            enabled = {name for name in window.commands if window.commands[name].isEnabled()}
            assert "one" in window.table.model().index(0, 0).data()
            assert "copy" in enabled, "nothing is changed by it"
            assert enabled <= {"quit", "all", "find", "copy", "folder"} | {
                each
                for each in window.commands
                if window.commands[each] in window.commands.of_menu("view")
                or window.commands[each] in window.commands.of_menu("help")
            }
            assert not window.acceptDrops() and not window.welcome.isEnabled()
            line = window.notice_bar.line("read-only")
            assert line is not None and "Nothing is started or changed here" in line.text.text()
            window.view_model.doing.perform("cancel")  # past its command, which is disabled
            geometry = window.geometry()
            window.resize(geometry.width() - 50, geometry.height())
        assert (await engine.summary("one")).state.name == "waiting"
    assert not (tmp_path / "config" / "settings.json").exists(), "it keeps nothing either"


async def shown() -> QMessageBox:
    async with asyncio.timeout(20):
        while True:
            for each in QApplication.topLevelWidgets():
                if isinstance(each, QMessageBox) and each.isVisible():
                    return each
            await asyncio.sleep(0.01)


async def never() -> Any:
    await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("text", "answer"), [("Open read-only", "look"), ("End the frozen one", "end"), ("Do not open", "close")]
)
async def test_what_is_pressed_is_what_comes_of_it(text: str, answer: str) -> None:
    asked = asyncio.ensure_future(ask_about_frozen("/home/ann/data", True, never))
    box = await shown()
    assert "/home/ann/data" in box.informativeText()
    (button,) = [each for each in box.buttons() if each.text().replace("&", "") == text]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert await asked == answer


async def test_enter_only_looks_escape_does_nothing_and_nobody_unknown_is_ended() -> None:
    for key, answer in ((Qt.Key.Key_Return, "look"), (Qt.Key.Key_Escape, "close")):
        asked = asyncio.ensure_future(ask_about_frozen("/data", False, never))
        box = await shown()
        assert not any("End" in each.text() for each in box.buttons())
        QTest.keyClick(box, key)
        assert await asked == answer


async def test_the_box_goes_once_the_other_one_answers() -> None:
    answers: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def comes_back() -> str:
        return await answers

    asked = asyncio.ensure_future(ask_about_frozen("/data", True, comes_back))
    await shown()
    answers.set_result("it is there")
    assert await asked == ("it is there",)
    assert not any(each.isVisible() for each in QApplication.topLevelWidgets())


async def test_what_came_of_it_while_a_button_was_pressed_is_not_lost() -> None:
    async def comes_back() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "it is ours by now"  # as a thread that had begun to look
        return ""

    asked = asyncio.ensure_future(ask_about_frozen("/data", True, comes_back))
    QTest.keyClick(await shown(), Qt.Key.Key_Escape)
    assert await asked == ("it is ours by now",)
