"""The dialog that starts a workflow, on the window's loop, over a real engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QPlainTextEdit, QPushButton

from stepfast import Engine, Run, StoreError, workflow
from stepfast.views import Offer
from stepfast_desktop.qt.new_workflow import NewWorkflowDialog
from stepfast_desktop.viewmodels.new_workflow import NewWorkflowViewModel
from stepfast_desktop.workflows.copy_folder import copy_folder


@workflow("greet", title="Greet <b>&</b> go")
async def greet(run: Run, names: list[str]) -> str:
    """Say hello to everybody."""
    return ", ".join(names)


class Desk:
    """A dialog, with what is behind it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.view_model = NewWorkflowViewModel(engine)
        self.dialog = NewWorkflowDialog(self.view_model)

    def line(self, name: str) -> QLineEdit:
        found = self.dialog.form.editor(name).findChild(QLineEdit)
        assert found is not None
        return found


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.005)


async def desk_over(engine: Engine) -> AsyncIterator[Desk]:
    desk = Desk(engine)
    yield desk
    await desk.view_model.close()
    if shiboken6.isValid(desk.dialog):
        desk.dialog.close()
        desk.dialog.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    async with Engine.open(tmp_path / "data" / "s.db", [copy_folder, greet]) as engine:
        yield engine


@pytest.fixture
async def desk(engine: Engine) -> AsyncIterator[Desk]:
    async for desk in desk_over(engine):
        yield desk


async def test_a_folder_is_copied_by_typing_alone(desk: Desk, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.txt").write_text("a")
    desk.dialog.open()
    await until(desk.dialog.isActiveWindow)
    assert desk.line("source").hasFocus()
    assert not desk.dialog.start_button.isEnabled()
    QTest.keyClicks(desk.line("source"), str(source))
    QTest.keyClick(desk.line("source"), Qt.Key.Key_Tab)
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    QTest.keyClicks(QApplication.focusWidget(), str(tmp_path / "copy"))
    assert desk.dialog.start_button.isEnabled()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    await until(lambda: not desk.dialog.isVisible())
    (started,) = await desk.engine.list()
    await desk.engine.handle(started.id).result()
    assert (tmp_path / "copy" / "a.txt").read_text() == "a"
    desk.dialog.open()
    assert desk.line("source").text() == ""


async def test_enter_says_what_lacks_where_nothing_can_be_started(desk: Desk) -> None:
    desk.dialog.open()
    await until(desk.dialog.isActiveWindow)
    QTest.keyClicks(desk.line("source"), "/a")
    QTest.keyClick(desk.line("source"), Qt.Key.Key_Return)
    assert desk.dialog.form.message("destination").text() == "Choose a folder."
    assert desk.line("destination").hasFocus()
    assert await desk.engine.list() == []


async def test_it_is_not_modal_and_the_loop_goes_on_while_it_is_open(desk: Desk) -> None:
    desk.dialog.open()
    assert not desk.dialog.isModal()
    browse = desk.dialog.form.editor("source").findChild(QPushButton)
    assert browse is not None
    QTest.mouseClick(browse, Qt.MouseButton.LeftButton)
    ticks = 0
    for _ in range(5):
        await asyncio.sleep(0.001)
        ticks += 1
    assert ticks == 5
    files = desk.dialog.findChild(QFileDialog)
    assert files is not None and files.isVisible()
    files.reject()
    await until(lambda: not shiboken6.isValid(files))


async def test_a_double_click_on_start_starts_one(desk: Desk) -> None:
    desk.view_model.choose("greet")
    desk.dialog.open()
    assert desk.view_model.form is not None
    desk.view_model.form.set("names", "Ann")
    await until(desk.dialog.start_button.isEnabled)
    QTest.mouseClick(desk.dialog.start_button, Qt.MouseButton.LeftButton)
    QTest.mouseClick(desk.dialog.start_button, Qt.MouseButton.LeftButton)
    await until(lambda: not desk.dialog.isVisible())
    assert len(await desk.engine.list()) == 1


async def test_control_and_enter_start_from_within_several_lines(desk: Desk) -> None:
    desk.view_model.choose("greet")
    desk.dialog.open()
    await until(desk.dialog.isActiveWindow)
    edit = desk.dialog.form.editor("names").findChild(QPlainTextEdit)
    assert edit is not None and edit.hasFocus()
    QTest.keyClicks(edit, "Ann")
    QTest.keyClick(edit, Qt.Key.Key_Return)
    QTest.keyClicks(edit, "Bob")
    assert desk.dialog.isVisible()
    QTest.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: not desk.dialog.isVisible())
    (started,) = await desk.engine.list()
    assert await desk.engine.handle(started.id).result() == "Ann, Bob"


async def test_escape_closes_it_and_forgets_what_was_typed(desk: Desk) -> None:
    desk.dialog.open()
    QTest.keyClicks(desk.line("source"), "/a")
    QTest.keyClick(desk.line("source"), Qt.Key.Key_Escape)
    assert not desk.dialog.isVisible()
    desk.dialog.open()
    assert desk.line("source").text() == ""
    assert desk.dialog.form.message("source").text() == "The folder whose contents are copied"


async def test_the_tasks_are_a_list_that_arrows_go_through(desk: Desk) -> None:
    desk.dialog.open()
    await until(desk.dialog.isActiveWindow)
    tasks = desk.dialog.tasks
    assert [tasks.item(at).text() for at in range(tasks.count())] == ["Copy a folder", "Greet <b>&</b> go"]
    tasks.setFocus()
    QTest.keyClick(tasks, Qt.Key.Key_Down)
    assert desk.view_model.chosen == "greet"
    assert desk.dialog.title.text() == "Greet <b>&</b> go"
    assert desk.dialog.title.textFormat() == Qt.TextFormat.PlainText
    assert desk.dialog.summary.text() == "Say hello to everybody."
    assert desk.dialog.form.editor("names")


async def test_tab_leads_from_the_tasks_through_the_form_to_the_buttons_whichever_task(desk: Desk) -> None:
    desk.dialog.open()
    await until(desk.dialog.isActiveWindow)
    dialog = desk.dialog
    for name in ("greet", "copy-folder", "greet"):
        desk.view_model.choose(name)
        assert desk.view_model.form is not None
        desk.view_model.form.set("names", "Ann") if name == "greet" else desk.view_model.form.fill(
            {"source": "/a", "destination": "/b"}
        )
        expected = [dialog.tasks]
        for field in desk.view_model.form.fields:
            expected += dialog.form.editor(field.name).tab_order()
        expected += [dialog.start_button, dialog.cancel_button]
        dialog.tasks.setFocus()
        seen = []
        for _ in expected:
            focused = QApplication.focusWidget()
            assert focused is not None
            seen.append(focused)
            QTest.keyClick(focused, Qt.Key.Key_Tab)
        assert seen == expected
        assert dialog.tasks.hasFocus()


async def test_one_task_needs_no_list(tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "s.db", [copy_folder]) as engine:
        async for desk in desk_over(engine):
            desk.dialog.open()
            assert not desk.dialog.tasks.isVisible()
            assert desk.dialog.title.text() == "Copy a folder"


async def test_a_program_with_nothing_to_start_says_so(tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "s.db", []) as engine:
        async for desk in desk_over(engine):
            desk.dialog.open()
            assert desk.dialog.title.text() == "There is nothing to start"
            assert not desk.dialog.start_button.isEnabled()
            QTest.keyClick(desk.dialog, Qt.Key.Key_Return)


async def test_what_only_another_program_has_is_started_from_here(desk: Desk, tmp_path: Path) -> None:
    @workflow("pack", title="Pack")
    async def pack(run: Run, folder: Path) -> str:
        return f"packed {folder}"

    async with Engine.open(desk.engine.path, [pack]) as other:
        while all(each.name != "pack" for each in await other.offers()):
            await asyncio.sleep(0.01)
        desk.dialog.open()
        await until(lambda: desk.dialog.tasks.count() == 3)
        desk.dialog.tasks.setCurrentRow(2)
        assert desk.dialog.summary.text() == "Runs in another program that is open."
        QTest.keyClicks(desk.line("folder"), "/a")
        QTest.mouseClick(desk.dialog.start_button, Qt.MouseButton.LeftButton)
        await until(lambda: not desk.dialog.isVisible())
        (started,) = await desk.engine.list()
        async with asyncio.timeout(10):
            assert await desk.engine.handle(started.id).result() == "packed /a"


async def test_what_cannot_be_started_here_can_be_read_about_by_keyboard(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def offers() -> list[Offer]:
        return [Offer(7, "odd", 1, "Odd job", "{}", "")]

    monkeypatch.setattr(desk.engine, "offers", offers)
    desk.dialog.open()
    await until(lambda: desk.dialog.tasks.count() == 3)
    desk.dialog.tasks.setFocus()
    QTest.keyClick(desk.dialog.tasks, Qt.Key.Key_End)
    assert desk.dialog.title.text() == "Odd job"
    assert "another program" in desk.dialog.summary.text()
    assert not desk.dialog.start_button.isEnabled()


async def test_a_start_that_fails_is_said_and_can_be_tried_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = asyncio.Event()

    async def fail(*_: object, **__: object) -> None:
        await goes_on.wait()
        raise StoreError("the disk is full; make room")

    monkeypatch.setattr(desk.engine, "start", fail)
    desk.view_model.choose("greet")
    desk.dialog.open()
    await until(desk.dialog.isActiveWindow)
    assert desk.view_model.form is not None
    desk.view_model.form.set("names", "Ann")
    QTest.mouseClick(desk.dialog.start_button, Qt.MouseButton.LeftButton)
    await until(lambda: desk.view_model.starting)
    assert not desk.dialog.start_button.isEnabled()
    assert desk.dialog.cancel_button.text() == "Close"
    QTest.keyClick(desk.dialog, Qt.Key.Key_Escape)
    assert not desk.dialog.isVisible()
    goes_on.set()
    await until(desk.dialog.isVisible)  # or nobody would know that nothing was started
    assert desk.dialog.error.text() == "It was not started: the disk is full; make room."
    assert desk.dialog.start_button.isEnabled()
    assert desk.view_model.form.field("names").value == ["Ann"]


async def test_a_folder_dropped_while_it_is_open_goes_into_its_form(desk: Desk, tmp_path: Path) -> None:
    desk.view_model.choose("greet")
    desk.dialog.open()
    await until(desk.dialog.isActiveWindow)
    assert await desk.view_model.drop([tmp_path]) is None
    desk.dialog.open()
    assert desk.line("source").text() == str(tmp_path)
    assert desk.line("destination").hasFocus()


async def test_a_dialog_may_go_while_a_start_is_under_way(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, begin = asyncio.Event(), desk.engine.start

    async def slow(*given: Any, **named: Any) -> Any:
        await goes_on.wait()
        return await begin(*given, **named)

    monkeypatch.setattr(desk.engine, "start", slow)
    desk.view_model.choose("greet")
    desk.dialog.open()
    assert desk.view_model.form is not None
    desk.view_model.form.set("names", "Ann")
    QTest.mouseClick(desk.dialog.start_button, Qt.MouseButton.LeftButton)
    await until(lambda: desk.view_model.starting)
    desk.dialog.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    goes_on.set()
    await until(lambda: not desk.view_model.starting)
    assert len(await desk.engine.list()) == 1


async def test_a_dialog_that_is_gone_listens_to_nothing(desk: Desk) -> None:
    desk.dialog.open()
    desk.dialog.close()
    desk.dialog.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not shiboken6.isValid(desk.dialog)
    desk.view_model.choose("greet")
    assert desk.view_model.form is not None
    desk.view_model.form.set("names", "Ann")
