"""Beside a window that does not answer: asked what to do, and a window in which nothing can be done."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QMessageBox,
    QWidget,
)

from stepfast import Engine, Run, workflow
from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.leaving.frozen import ask_about_frozen
from stepfast_desktop.qt.main_window import MainWindow
from stepfast_desktop.qt.tools.diagnostics import DiagnosticsDialog
from stepfast_desktop.viewmodels.leaving.read_only import beside_a_frozen_one


@workflow("asking")
async def asking(run: Run) -> str:
    return await run.awaiting("word", into=str)


FROZEN = beside_a_frozen_one()


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))


async def test_everything_is_shown_and_nothing_can_be_done(tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "stepfast.db", [asking]) as engine:
        await engine.start(asking(), id="one")
        while (await engine.summary("one")).state.name != "waiting":
            await asyncio.sleep(0.01)
        async with open_window((), tmp_path, read_only=FROZEN) as window:
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
            why = "This window is read-only: nothing is started or changed in it"
            closed = [window.commands[name] for name in window.commands if name not in enabled]
            assert {each.toolTip() for each in closed if each not in in_menus_for_looking(window)} == {why}
            assert not window.acceptDrops() and not window.welcome.isEnabled()
            assert window.welcome.toolTip() == why
            line = window.notice_bar.line("read-only")
            assert line is not None and "Nothing is started or changed here" in line.text.text()
            window.view_model.doing.perform("cancel")  # past its command, which is disabled
            geometry = window.geometry()
            window.resize(geometry.width() - 50, geometry.height())
        assert (await engine.summary("one")).state.name == "waiting"
    assert not (tmp_path / "config" / "settings.json").exists(), "it keeps nothing either"


def in_menus_for_looking(window: MainWindow) -> list[QAction]:
    return [each for menu in ("view", "help") for each in window.commands.of_menu(menu)]


def can_be_used(card: QWidget) -> list[QWidget]:
    """What in it can be pressed or filled in."""
    kinds = (QAbstractButton, QLineEdit, QAbstractSpinBox, QComboBox)
    return [each for kind in kinds for each in card.findChildren(kind) if each.isEnabled()]


@workflow("choosing")
async def choosing(run: Run) -> bool:
    return await run.awaiting("sure", into=bool)


@workflow("free")
async def free(run: Run) -> object:
    return await run.awaiting("anything")


@workflow("falling")
async def falling(run: Run) -> None:
    await run.step("begun", begin)
    await run.step("falls", fall)


def begin() -> None: ...


def fall() -> None:
    raise OSError("there is no such disk")


@pytest.mark.parametrize(
    ("definition", "paused"),
    [(asking, False), (choosing, False), (free, False), (falling, False), (falling, True)],
)
async def test_nothing_in_the_details_can_be_pressed_that_would_change_something(
    definition: Any, paused: bool, tmp_path: Path
) -> None:
    async with Engine.open(tmp_path / "stepfast.db", [definition], work=not paused) as engine:
        await engine.start(definition(), id="one")
        if paused:
            await engine.pause("one")
        while (await engine.summary("one")).state.name not in ("waiting", "failed", "paused"):
            await asyncio.sleep(0.01)
        async with open_window((), tmp_path, read_only=FROZEN) as window:
            while window.view_model.table.row(0) is None:
                await asyncio.sleep(0.01)
            window.table.selectRow(0)
            details, parts = window.view_model.details, window.details.parts
            while details.state is None:
                await asyncio.sleep(0.01)
            parts.tabs.setCurrentWidget(parts.steps_page)
            if not paused and not details.questions:
                while not details.steps:
                    await asyncio.sleep(0.01)
                parts.steps.selectRow(0)
                assert parts.steps_page.selected and not parts.steps_page.again.isEnabled()
                assert "read-only" in parts.steps_page.again.toolTip()
                assert not parts.overview.failure.rerun.isHidden() and not parts.head.retry.isHidden()
            assert paused is not parts.head.resume.isHidden()
            for each in (*parts.head.doing, *parts.overview.doing):
                assert not each.isEnabled() and "read-only" in each.toolTip()
            for card in parts.questions.cards:
                assert not can_be_used(card)
                assert "read-only" in card.message.text() and card.title.isEnabled()
            assert len(parts.questions.cards) == len(details.questions)


async def test_no_backup_takes_the_place_of_a_file_that_another_window_has_open(tmp_path: Path) -> None:
    async with (
        Engine.open(tmp_path / "stepfast.db", [asking]),
        open_window((), tmp_path, read_only=FROZEN) as window,
    ):
        window.commands["diagnostics"].trigger()
        dialog = window.tools.dialog("diagnostics")
        assert isinstance(dialog, DiagnosticsDialog)
        assert dialog.check.isEnabled() and not dialog.restore.isEnabled()
        assert "read-only" in dialog.restore.toolTip()
        await window.tools._diagnostics().look()
        assert not dialog.restore.isEnabled()
        dialog.close()


async def test_a_row_of_the_queue_is_not_taken_up(tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "stepfast.db", [asking], work=False) as engine:
        for id in ("one", "two"):
            await engine.start(asking(), id=id)
        async with open_window((), tmp_path, read_only=FROZEN) as window:
            while window.view_model.table.row(1) is None:
                await asyncio.sleep(0.01)
            window.commands["queue-order"].trigger()
            while not window.view_model.doing.queue.shown:
                await asyncio.sleep(0.01)
            place = window.table.visualRect(window.table.model().index(0, 0)).center()
            viewport = window.table.viewport()
            QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=place)
            below = QPoint(place.x(), place.y() + 4 * QApplication.startDragDistance())
            event = QMouseEvent(
                QEvent.Type.MouseMove,
                QPointF(below),
                QPointF(viewport.mapToGlobal(below)),
                Qt.MouseButton.LeftButton,
                Qt.MouseButton.LeftButton,
                Qt.KeyboardModifier.NoModifier,
            )
            QApplication.sendEvent(viewport, event)
            assert not window._selected.drag.dragging
            QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=place)


async def shown() -> QMessageBox:
    async with asyncio.timeout(60):
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
