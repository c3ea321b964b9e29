"""The dialog that starts a workflow, on the window's loop, over a real engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import QDateTime, QEvent, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDateTimeEdit,
    QFileDialog,
    QInputDialog,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
)

from stepfast import Engine, Finding, Run, StoreError, workflow
from stepfast.views import Offer
from stepfast_desktop.qt.starting.new_workflow import NewWorkflowDialog
from stepfast_desktop.viewmodels.starting.new_workflow import NewWorkflowViewModel
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
    async with asyncio.timeout(60):
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
    assert desk.line("source").text() == str(source), "as it was used last"


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
        expected = [dialog.tasks, dialog.presets]
        for field in desk.view_model.form.fields:
            if not field.rare:
                expected += dialog.form.editor(field.name).tab_order()
        assert dialog.form.more is not None
        expected += [dialog.form.more, dialog.start_button, dialog.cancel_button]
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
        async with asyncio.timeout(60):
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


# --- what is found, presets, and what stands under More -------------------------------------------


async def test_what_is_wrong_with_a_folder_stands_beside_it_and_the_rest_below(
    desk: Desk, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.txt").write_text("a")
    desk.dialog.open()
    await until(desk.dialog.isActiveWindow)
    QTest.keyClicks(desk.line("source"), str(source))
    QTest.keyClicks(desk.line("destination"), str(source / "in"))
    await until(lambda: "inside the source" in desk.dialog.form.message("destination").text())
    assert not desk.dialog.start_button.isEnabled()
    assert [each.message.text() for each in desk.dialog.findings.lines] == [""], "it is not said twice"
    for _ in range(len("source/in")):
        QTest.keyClick(desk.line("destination"), Qt.Key.Key_Backspace)
    QTest.keyClicks(desk.line("destination"), "copy")
    await until(lambda: desk.dialog.findings.lines[0].message.text().startswith("1 file, 1 bytes. "))
    assert not desk.dialog.findings.lines[0].picture.pixmap().isNull()
    assert desk.dialog.start_button.isEnabled()


async def test_a_warning_says_that_it_is_one_without_its_picture_too(desk: Desk) -> None:
    findings = [Finding("a", "Mind the gap.", "warning"), Finding("b", "All else is well.")]
    desk.dialog.findings.show_findings(findings, looking=False, watched=True)
    names = [each.message.accessibleName() for each in desk.dialog.findings.lines]
    assert names == ["Warning: Mind the gap.", "All else is well."]
    desk.dialog.findings.show_findings((), looking=True, watched=True)
    assert [each.message.text() for each in desk.dialog.findings.lines] == ["Looking ..."]
    desk.dialog.findings.show_findings((), looking=False, watched=False)
    assert desk.dialog.findings.lines == []


async def test_a_start_can_be_put_off_by_keyboard(desk: Desk) -> None:
    desk.view_model.choose("greet")
    desk.dialog.open()
    await until(desk.dialog.isActiveWindow)
    assert desk.view_model.form is not None
    desk.view_model.form.set("names", "Ann")
    more = desk.dialog.form.more
    assert more is not None
    assert not desk.dialog.form.option("at").isVisible()
    more.setFocus()
    QTest.keyClick(more, Qt.Key.Key_Space)
    assert desk.dialog.form.option("at").isVisible()
    name = desk.dialog.form.option("id").findChild(QLineEdit)
    assert name is not None
    QTest.keyClick(more, Qt.Key.Key_Tab)
    assert name.hasFocus()
    QTest.keyClicks(name, "later")
    box, moment = desk.dialog.form.option("at").tab_order()
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert isinstance(moment, QDateTimeEdit)
    assert moment.dateTime() > QDateTime.currentDateTime(), "what it begins from can be started"
    assert desk.dialog.start_button.isEnabled()
    moment.setDateTime(moment.dateTime().addDays(2))
    assert desk.dialog.start_button.text() == "Start later"
    QTest.mouseClick(desk.dialog.start_button, Qt.MouseButton.LeftButton)
    await until(lambda: not desk.dialog.isVisible())
    assert (await desk.engine.summary("later")).state.name == "sleeping"


async def test_what_is_wrong_under_more_is_unfolded_where_one_is_taken_to_it(desk: Desk) -> None:
    desk.view_model.choose("greet")
    desk.dialog.open()
    await until(desk.dialog.isActiveWindow)
    assert desk.view_model.form is not None and desk.view_model.options is not None
    desk.view_model.form.set("names", "Ann")
    desk.view_model.options.form.set("priority", "much")
    assert not desk.dialog.start_button.isEnabled()
    QTest.keyClick(desk.dialog, Qt.Key.Key_Return)
    assert desk.dialog.form.option("priority").isVisible()
    assert desk.dialog.form.message("priority").text() == "Write a whole number, such as 12."
    assert desk.dialog.form.option("priority").focus.hasFocus()


async def test_a_preset_is_saved_and_chosen_from_the_menu_and_the_list(desk: Desk) -> None:
    desk.view_model.choose("greet")
    desk.dialog.open()
    await until(desk.dialog.isActiveWindow)
    assert desk.view_model.form is not None
    desk.view_model.form.set("names", "Ann\nBob")
    actions = {each.text(): each for each in desk.dialog.presets.fill()}
    assert [*actions] == ["Save as preset ...", "Rename preset ...", "Delete preset", "Reset to defaults"]
    assert not actions["Delete preset"].isEnabled()
    actions["Save as preset ..."].trigger()
    asking = desk.dialog.findChild(QInputDialog)
    assert asking is not None and asking.isVisible()
    typed = asking.findChild(QLineEdit)
    assert typed is not None
    QTest.keyClicks(typed, "R&D")
    QTest.keyClick(typed, Qt.Key.Key_Return)
    await until(lambda: not shiboken6.isValid(asking))
    assert desk.dialog.presets.text() == "R&&D"
    assert desk.dialog.presets.accessibleName() == "Preset: R&D"
    tasks = desk.dialog.tasks
    assert [tasks.item(at).text().strip() for at in range(tasks.count())][-1] == "R&D"
    assert tasks.currentRow() == 2
    desk.view_model.form.set("names", "Carl")
    tasks.setCurrentRow(0)
    assert desk.view_model.chosen == "copy-folder"
    tasks.setFocus()
    QTest.keyClick(tasks, Qt.Key.Key_End)
    assert desk.view_model.form.field("names").text == "Ann\nBob"
    actions = {each.text(): each for each in desk.dialog.presets.fill() if each.text()}
    assert actions["R&&D"].isChecked()
    actions["Delete preset"].trigger()
    assert tasks.count() == 2
    assert desk.dialog.presets.text() == "Presets"


async def test_many_tasks_are_searched(tmp_path: Path) -> None:
    def numbered(number: int) -> Any:
        @workflow(f"task-{number}", title=f"Task {number}")
        async def body(run: Run, text: str = "") -> None: ...

        return body

    async with Engine.open(tmp_path / "s.db", [copy_folder, *map(numbered, range(10))]) as engine:
        async for desk in desk_over(engine):
            desk.dialog.open()
            await until(desk.dialog.isActiveWindow)
            search, tasks = desk.dialog.task_list.search, desk.dialog.tasks
            assert search.isVisible()
            search.setFocus()
            QTest.keyClicks(search, "task 7")
            assert [tasks.item(at).text() for at in range(tasks.count())] == ["Task 7"]
            assert desk.view_model.chosen == "copy-folder", "nothing is chosen by typing"
            QTest.keyClick(search, Qt.Key.Key_Down)
            assert tasks.hasFocus() and desk.view_model.chosen == "task-7"
            search.setFocus()
            QTest.keyClick(search, Qt.Key.Key_Escape)
            assert desk.dialog.isVisible() and tasks.count() == 11


async def test_the_tasks_say_to_a_screen_reader_what_each_is_for(desk: Desk) -> None:
    desk.dialog.open()
    reader = QAccessible.queryAccessibleInterface(desk.dialog.tasks)
    said = [reader.child(at).text(QAccessible.Text.Description) for at in range(reader.childCount())]
    assert "Say hello to everybody." in said


def survey(text: str) -> Iterator[Finding]:
    for number in range(3):
        yield Finding(str(number), f"Number {number} " * 20, "warning")


@workflow("surveyed", preview=survey)
async def surveyed(run: Run, text: str) -> None:
    """Is found much of."""


@pytest.fixture
async def surveying(tmp_path: Path) -> AsyncIterator[Desk]:
    async with Engine.open(tmp_path / "s.db", [surveyed]) as engine:
        async for desk in desk_over(engine):
            yield desk


async def test_the_dialog_grows_with_what_it_says_and_every_word_has_room(surveying: Desk) -> None:
    """By way of the view model: what it says next, of what other programs offer, shows all that it knows."""
    dialog, form = surveying.dialog, surveying.view_model.form
    dialog.open()
    await until(dialog.isActiveWindow)
    await until(lambda: not dialog.form.verticalScrollBar().isVisible())
    before = dialog.height()
    assert form is not None
    form.set("text", "a")
    await until(lambda: len(dialog.findings.lines) == 3)
    await until(lambda: dialog.height() > before)
    for line in dialog.findings.lines:
        message = line.message
        await until(lambda message=message: message.height() >= message.heightForWidth(message.width()))
    assert not dialog.form.verticalScrollBar().isVisible()
