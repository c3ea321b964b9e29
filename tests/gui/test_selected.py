"""Menus, buttons, keys and the mouse, on what is selected; over a real engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QPoint, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QMessageBox, QPushButton, QToolBar, QToolButton

from stepfast import Run, workflow
from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.main_window import MainWindow
from stepfast_desktop.qt.starting.new_workflow import NewWorkflowDialog
from stepfast_desktop.qt.table.model import ROW

LEFT = Qt.MouseButton.LeftButton
NONE, CONTROL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier


@workflow("asking")
async def asking(run: Run) -> str:
    return await run.awaiting("word", into=str)


@workflow("quick")
async def quick(run: Run, target: Path, number: int = 0) -> int:
    """Does next to nothing."""
    return number


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))


async def until(holds: Callable[[], bool], what: str = "") -> None:
    try:
        async with asyncio.timeout(60):
            while not holds():
                await asyncio.sleep(0.005)
    except TimeoutError:
        pytest.fail(f"never came: {what or holds}")


@asynccontextmanager
async def opened(folder: Path, *queued: str) -> AsyncIterator[MainWindow]:
    """A window, with these workflows queued: nobody can run them, so they stay so."""
    async with open_window([asking, quick], folder) as window:
        for id in queued:
            await window.view_model.engine.durable.start(id, "elsewhere", 1, "null")
        if queued:
            await until(lambda: ids(window) == [*reversed(queued)])
        yield window


def ids(window: MainWindow) -> list[str]:
    model = window.table.model()
    rows = [model.index(place, 0).data(ROW) for place in range(model.rowCount())]
    return ["..." if row is None else row.id for row in rows]


def at(window: MainWindow, id: str, part: float = 0.5) -> QPoint:
    """Where its row is."""
    place = window.table.visualRect(window.table.model().index(ids(window).index(id), 0))
    return QPoint(place.center().x(), round(place.top() + place.height() * part))


def click(window: MainWindow, *several: str) -> None:
    for number, id in enumerate(several):
        modifiers = CONTROL if number else NONE
        QTest.mouseClick(window.table.viewport(), LEFT, modifiers, at(window, id))


def button(window: MainWindow, name: str) -> QToolButton:
    (bar,) = window.findChildren(QToolBar, "actions")
    found = bar.widgetForAction(window.commands[name])
    assert isinstance(found, QToolButton)
    return found


async def state(window: MainWindow, id: str) -> str:
    return (await window.view_model.engine.summary(id)).state.name


def question(window: MainWindow) -> QMessageBox:
    (box,) = window.findChildren(QMessageBox)
    return box


async def test_a_button_hits_who_was_selected_when_it_was_pressed(tmp_path: Path) -> None:
    async with opened(tmp_path, "a", "b", "c") as window:
        click(window, "a")
        QTest.mousePress(button(window, "pause"), LEFT)
        # Meanwhile the rows change places, and the selection is another one.
        window.view_model.table.sort("id", descending=False)
        await until(lambda: ids(window) == ["a", "b", "c"], "another order")
        click(window, "b", "c")
        QTest.mouseRelease(button(window, "pause"), LEFT)
        await until(lambda: window.statusBar().currentMessage() == "1 workflow paused")
        assert [await state(window, id) for id in "abc"] == ["paused", "queued", "queued"]
        assert window.commands["pause"].text() == "Pause 2 workflows", "and then it is for the new ones"


async def test_a_menu_hits_who_was_selected_when_it_opened(tmp_path: Path) -> None:
    async with opened(tmp_path, "a", "b", "c") as window:
        click(window, "b")
        window._selected.open_menu(window.mapToGlobal(QPoint(80, 80)))
        menu = window.findChildren(QMenu)[-1]
        await until(menu.isVisible)
        window.view_model.table.sort("id", descending=False)
        window.view_model.table.selection.replace([])
        window.view_model.table.selection_changed.emit()
        await window.view_model.engine.durable.start("d", "elsewhere", 1, "null")
        await asyncio.sleep(0.3)  # what would move, had it moved
        assert ids(window) == ["c", "b", "a"], "no row moves under an open menu"
        pause = next(each for each in menu.actions() if each is window.commands["pause"])
        assert pause.isEnabled()
        QTest.mouseClick(menu, LEFT, NONE, menu.actionGeometry(pause).center())
        await until(lambda: window.statusBar().currentMessage() == "1 workflow paused")
        assert [await state(window, id) for id in "abc"] == ["queued", "paused", "queued"]
        await until(lambda: ids(window) == ["a", "b", "c", "d"], "and moves afterwards")
        assert not window.commands["pause"].isEnabled(), "now nothing is selected"


async def test_the_next_menu_of_the_bar_hits_the_same(tmp_path: Path) -> None:
    async with opened(tmp_path, "a", "b") as window:
        click(window, "a")
        edit, workflow = window.menus["edit"], window.menus["workflow"]
        bar = window.menuBar()
        QTest.mouseClick(bar, LEFT, NONE, bar.actionGeometry(edit.menuAction()).center())
        await until(edit.isVisible)
        window.view_model.table.selection.replace([])
        window.view_model.table.selection_changed.emit()
        view = window.menus["view"]
        QTest.keyClick(edit, Qt.Key.Key_Right)
        await until(lambda: view.isVisible() and not edit.isVisible())
        QTest.keyClick(view, Qt.Key.Key_Right)
        await until(lambda: workflow.isVisible() and not view.isVisible())
        await asyncio.sleep(0.05)  # the first has gone, and would have taken the aim with it
        pause = workflow.actionGeometry(window.commands["pause"]).center()
        QTest.mouseClick(workflow, LEFT, NONE, pause)
        await until(lambda: window.statusBar().currentMessage() == "1 workflow paused")
        assert await state(window, "a") == "paused"
        assert not window.commands["resume"].isEnabled(), "nothing is selected, and nothing is aimed at"


async def test_what_was_done_stays_said_beside_the_number_of_those_selected(tmp_path: Path) -> None:
    async with opened(tmp_path, "a", "b", "c") as window:
        click(window, "a", "b")
        window.commands["pause"].trigger()
        await until(lambda: window.statusBar().currentMessage() == "2 workflows paused")
        await until(window.commands["resume"].isEnabled)
        assert window.statusBar().currentMessage() == "2 workflows paused"
        assert window._chosen.text() == "2 selected"
        click(window, "a")
        assert not window._chosen.isVisible()


async def test_menus_count_and_the_toolbar_keeps_its_words(tmp_path: Path) -> None:
    async with opened(tmp_path, "a", "b", "c") as window:
        click(window, "a", "b")
        assert window.commands["cancel"].text() == "Cancel 2 workflows"
        assert button(window, "cancel").text() == "Cancel"
        assert "cancel it first" in window.commands["remove"].toolTip()
        assert not window.commands["remove"].isEnabled()
        assert window.commands["normal"].isChecked()
        assert not window.commands["high"].isChecked()


async def test_many_are_cancelled_only_when_it_is_agreed_to(tmp_path: Path) -> None:
    async with opened(tmp_path, "a", "b", "c") as window:
        click(window, "a", "b")
        window.commands["cancel"].trigger()
        await until(lambda: bool(window.findChildren(QMessageBox)), "a question")
        assert question(window).text() == "Cancel 2 workflows?"
        QTest.keyClick(question(window), Qt.Key.Key_Return)
        await until(lambda: not window.findChildren(QMessageBox), "Return keeps them")
        window.commands["cancel"].trigger()
        await until(lambda: bool(window.findChildren(QMessageBox)), "a question")
        QTest.keyClick(question(window), Qt.Key.Key_Escape)
        await until(lambda: not window.findChildren(QMessageBox), "Escape does too")
        assert [await state(window, id) for id in "abc"] == ["queued"] * 3

        window.commands["cancel"].trigger()
        await until(lambda: bool(window.findChildren(QMessageBox)), "a question")
        press = next(each for each in question(window).buttons() if each.text() == "Cancel 2 workflows")
        assert isinstance(press, QPushButton)
        QTest.mouseClick(press, LEFT)
        await until(lambda: window.statusBar().currentMessage() == "2 workflows cancelled")
        assert [await state(window, id) for id in "abc"] == ["cancelled", "cancelled", "queued"]


async def test_removals_are_undone_by_keyboard_one_after_the_other(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        for id in ("a", "b"):
            await window.view_model.engine.start(quick(tmp_path), id=id)
        await until(
            lambda: window.view_model.table.counts.get("completed") == 2 and ids(window) == ["b", "a"]
        )
        for id in ("a", "b"):
            click(window, id)
            await until(window.commands["remove"].isEnabled)
            QTest.keyClick(window.table, Qt.Key.Key_Delete)
            await until(lambda id=id: id not in ids(window))  # type: ignore[misc]
        undo = window.commands["undo"]
        await until(lambda: undo.text() == "Undo: bring b back")
        QTest.keyClick(window, Qt.Key.Key_Z, CONTROL)
        await until(lambda: ids(window) == ["b"])
        await until(lambda: undo.text() == "Undo: bring a back")
        QTest.keyClick(window, Qt.Key.Key_Z, CONTROL)
        await until(lambda: ids(window) == ["b", "a"])
        await until(lambda: not undo.isEnabled())

        finished = window.commands["remove-finished"]
        assert finished.text() == "Remove 2 finished workflows"
        finished.trigger()
        await until(lambda: window.view_model.table.empty)
        await until(lambda: undo.text() == "Undo: bring 2 workflows back")


async def test_the_menu_of_what_was_removed_brings_back_and_deletes(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        await window.view_model.engine.start(quick(tmp_path), id="a")
        await until(lambda: window.view_model.table.counts.get("completed") == 1)
        await window.view_model.engine.remove(["a"])
        window.view_model.table.filter(removed=True)
        await until(lambda: ids(window) == ["a"])
        click(window, "a")
        await until(window.commands["delete"].isEnabled)
        window._selected.open_menu(window.mapToGlobal(QPoint(80, 80)))
        menu = window.findChildren(QMenu)[-1]
        texts = [each.text() for each in menu.actions() if each.text()]
        assert texts == ["Bring back", "Run again ...", "Open folder", "Copy name", "Delete for good ..."]
        QTest.keyClick(menu, Qt.Key.Key_Escape)
        await until(lambda: not menu.isVisible())
        QTest.keyClick(window.table, Qt.Key.Key_Delete, Qt.KeyboardModifier.ShiftModifier)
        await until(lambda: bool(window.findChildren(QMessageBox)), "a question, for a single one too")
        press = next(each for each in question(window).buttons() if each.text() == "Delete 1 workflow")
        QTest.mouseClick(press, LEFT)
        await until(lambda: window.statusBar().currentMessage() == "1 workflow deleted for good")


async def test_queued_rows_are_dragged_and_a_line_shows_where(tmp_path: Path) -> None:
    async with opened(tmp_path, "a", "b", "c", "d") as window:
        view, line = window.table.viewport(), window._selected.drag.line
        QTest.mousePress(view, LEFT, NONE, at(window, "a"))
        QTest.mouseMove(view, at(window, "c", 0.2))
        assert not line.isVisible(), "in another order than that of the queue nothing is dragged"
        QTest.mouseRelease(view, LEFT, NONE, at(window, "c", 0.2))
        window.commands["queue-order"].trigger()
        await until(lambda: ids(window) == [*"abcd"])

        def drag(id: str, to: QPoint) -> None:
            QTest.mousePress(view, LEFT, NONE, at(window, id))
            QTest.mouseMove(view, at(window, id) + QPoint(0, 30))
            QTest.mouseMove(view, to)

        click(window, "a")
        drag("d", at(window, "b", 0.2))
        assert line.isVisible()
        assert abs(line.geometry().center().y() - at(window, "b", 0).y()) <= line.height()
        engine = window.view_model.engine
        await engine.line_up([(await engine.summary("a")).key], "last")
        await asyncio.sleep(0.3)  # what would move, had it moved
        assert ids(window) == [*"abcd"], "while it lasts no row moves"
        QTest.mouseRelease(view, LEFT, NONE, at(window, "b", 0.2))
        assert not line.isVisible()
        await until(lambda: ids(window) == [*"dbca"])

        drag("d", at(window, "c", 0.9))
        QTest.keyClick(window.table, Qt.Key.Key_Escape)
        assert not line.isVisible()
        QTest.mouseRelease(view, LEFT, NONE, at(window, "c", 0.9))
        click(window, "d", "a")
        drag("a", at(window, "b", 0.9))
        assert window.view_model.table.selected_count == 2, "those that are selected go together"
        QTest.mouseRelease(view, LEFT, NONE, at(window, "b", 0.9))
        await until(lambda: ids(window) == [*"bdac"], "Escape changed nothing, and two went together")

        click(window, "a")
        assert window.view_model.table.selected_count == 1, "a click on one of several selects it alone"
        await until(lambda: not window.view_model.table._held, "and nothing is held any more")


async def test_queued_rows_are_moved_by_keyboard(tmp_path: Path) -> None:
    async with opened(tmp_path, "a", "b", "c") as window:
        window.commands["queue-order"].trigger()
        await until(lambda: ids(window) == [*"abc"])
        click(window, "c")
        for key, shown in (
            (Qt.Key.Key_Up, "acb"),
            (Qt.Key.Key_Home, "cab"),
            (Qt.Key.Key_Down, "acb"),
            (Qt.Key.Key_End, "abc"),
        ):
            QTest.keyClick(window.table, key, ALT)
            await until(lambda shown=shown: ids(window) == [*shown], f"{key} {shown}")  # type: ignore[misc]
        window.commands["high"].trigger()
        await until(lambda: ids(window) == [*"cab"])
        await until(window.commands["high"].isChecked)


async def test_names_are_copied_where_the_table_has_the_focus(tmp_path: Path) -> None:
    async with opened(tmp_path, "a", "b") as window:
        click(window, "a", "b")
        window.table.setFocus()
        QTest.keyClick(window.table, Qt.Key.Key_C, CONTROL)
        await until(lambda: QGuiApplication.clipboard().text() == "a\nb")
        window.search.setText("words")
        window.search.setFocus()
        window.search.selectAll()
        QTest.keyClick(window.search, Qt.Key.Key_C, CONTROL)
        assert QGuiApplication.clipboard().text() == "words"


async def test_run_again_opens_the_form_with_the_inputs_filled_in(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        await window.view_model.engine.start(quick(tmp_path / "there", 42), id="a")
        await window.view_model.engine.durable.start("b", "elsewhere", 1, "null")
        await until(lambda: ids(window) == ["b", "a"] and "..." not in ids(window))
        click(window, "a")
        window.commands["again"].trigger()
        await until(lambda: any(each.isVisible() for each in window.findChildren(NewWorkflowDialog)))
        form = window.view_model.new_workflow.form
        assert form is not None
        assert (form.field("target").value, form.field("number").value) == (tmp_path / "there", 42)
        (dialog,) = window.findChildren(NewWorkflowDialog)
        dialog.reject()
        click(window, "b")
        window.commands["again"].trigger()
        text = "“elsewhere” is not known here, so it cannot be started anew."
        await until(lambda: window.statusBar().currentMessage() == text)


class Opened(QObject):
    """Where the desktop would open a folder."""

    def __init__(self) -> None:
        super().__init__()
        self.urls: list[QUrl] = []

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        self.urls.append(url)


async def test_the_folder_of_a_workflow_is_opened(tmp_path: Path) -> None:
    desktop = Opened()
    # The types say bytes, which 6.11 refuses.
    QDesktopServices.setUrlHandler("file", desktop, "open")  # type: ignore[call-overload, arg-type]
    try:
        async with opened(tmp_path) as window:
            (tmp_path / "there").mkdir()
            await window.view_model.engine.start(quick(tmp_path / "there"), id="a")
            await window.view_model.engine.start(asking(), id="b")
            await until(lambda: ids(window) == ["b", "a"] and "..." not in ids(window))
            click(window, "a")
            window.commands["folder"].trigger()
            await until(lambda: bool(desktop.urls))
            assert Path(desktop.urls[0].toLocalFile()) == tmp_path / "there"
            click(window, "b")
            window.commands["folder"].trigger()
            text = "Neither its inputs nor its result name a folder"
            await until(lambda: window.statusBar().currentMessage() == text)
            click(window, "a", "b")
            assert not window.commands["folder"].isEnabled()
    finally:
        QDesktopServices.unsetUrlHandler("file")
