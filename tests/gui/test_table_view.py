"""The table and what stands beside it, as a person uses them: by mouse, by keyboard, and by ear."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QByteArray, QEvent, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QStyleOptionViewItem

from stepfast import Run, workflow
from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.main_window import MainWindow
from stepfast_desktop.qt.table import model as model_module
from stepfast_desktop.qt.table.model import PLACE
from stepfast_desktop.viewmodels.table.columns import COLUMNS

NONE, CONTROL, SHIFT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)
ACCESSIBLE = Qt.ItemDataRole.AccessibleTextRole


@workflow("asking", title="Ask for a word")
async def asking(run: Run) -> str:
    return await run.awaiting("word", into=str)


@workflow("broken")
async def broken(run: Run) -> None:
    raise ValueError("no")


@workflow("family")
async def family(run: Run) -> None:
    try:
        await run.child("broken", broken())
    except Exception:
        await run.child("asking", asking())


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))


async def until(holds: Callable[[], Any], what: str = "") -> None:
    try:
        async with asyncio.timeout(60):
            while not holds():
                await asyncio.sleep(0.01)
    except TimeoutError:
        pytest.fail(f"never came: {what or holds}")


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[MainWindow]:
    async with open_window([asking, broken, family], folder) as window:
        yield window


def names(window: MainWindow) -> list[str]:
    model, place = window.table.model(), window.table.place("name")
    return [model.index(row, place).data() or "..." for row in range(model.rowCount())]


def cell(window: MainWindow, row: int, column: str, role: int = Qt.ItemDataRole.DisplayRole) -> str:
    return str(window.table.model().index(row, window.table.place(column)).data(role) or "")


def press(window: MainWindow, key: Qt.Key, modifiers: Any = NONE) -> None:
    QTest.keyClick(window.table, key, modifiers)


def go(window: MainWindow, row: int) -> None:
    window.table.setFocus()
    window.table.setCurrentIndex(window.table.model().index(row, window.table.place("name")))


async def start(window: MainWindow, *ids: str) -> None:
    for id in ids:
        await window.view_model.engine.start(asking(), id=id)
    await until(lambda: "..." not in names(window) and set(ids) <= set(names(window)))


def shown_columns(window: MainWindow) -> list[str]:
    header = window.table.header
    order = [header.logicalIndex(visual) for visual in range(header.count())]
    return [COLUMNS[place].name for place in order if not header.isSectionHidden(place)]


# --- columns ----------------------------------------------------------------------------------------------


async def test_columns_are_shown_hidden_moved_and_remembered_by_their_names(tmp_path: Path) -> None:
    first = ["name", "kind", "state", "progress", "step", "started", "elapsed", "remaining", "finished"]
    async with opened(tmp_path) as window:
        assert shown_columns(window) == first
        menu = window.table.header.columns_menu(window)
        ticks = {each.text(): each for each in menu.actions() if each.isCheckable()}
        assert not ticks["Name"].isEnabled(), "a row must be called something"
        menu.aboutToShow.emit()
        ticks["Version"].trigger()
        ticks["Step"].trigger()
        menu.aboutToHide.emit()
        window.table.header.moveSection(0, 2)
        window.table.setColumnWidth(window.table.place("name"), 222)
        wanted = shown_columns(window)
        assert wanted == [*["kind", "state", "name", "progress"], *first[5:], "version"]
        window.table.header.sort("name", "kind", descending=True)
        window.close()
    async with opened(tmp_path) as window:
        assert shown_columns(window) == wanted
        assert window.table.columnWidth(window.table.place("name")) == 222
        assert (window.view_model.table.order, window.view_model.table.descending) == ("name", True)
        assert window.table.header.sortIndicatorSection() == window.table.place("kind")
        window.table.header.lay_out()
        assert shown_columns(window) == first


async def test_another_versions_columns_and_what_is_no_arrangement_break_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        header, before = window.table.header, shown_columns(window)
        for kept in (
            b"",
            b"\x00\xff\x00",
            b"[]",
            b'{"columns": 3}',
            b'{"columns": [{"width": 7}], "sort": []}',
        ):
            header.arrange(QByteArray(kept))
            assert shown_columns(window) == before
        older = {
            "columns": [{"name": "gone", "shown": True}, {"name": "state"}, {"name": "name", "shown": False}]
        }
        header.arrange(QByteArray(json.dumps(older).encode()))
        assert shown_columns(window)[:2] == ["state", "name"], "and what it does not know is there as usual"
        assert set(shown_columns(window)) == set(before)


async def test_a_click_sorts_the_next_turns_it_round_and_the_third_brings_the_usual_order_back(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as window:
        await start(window, "b", "c", "a")
        header = window.table.header
        at = QPoint(header.sectionViewportPosition(window.table.place("name")) + 20, header.height() // 2)
        for expected, shown in ((["a", "b", "c"], True), (["c", "b", "a"], True), (["a", "c", "b"], False)):
            QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, NONE, at)
            await until(lambda expected=expected: names(window) == expected)
            assert header.isSortIndicatorShown() is shown
        elapsed = header.sectionViewportPosition(window.table.place("elapsed")) + 20
        header.sort("id", "name", descending=False)
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, NONE, QPoint(elapsed, at.y()))
        assert window.view_model.table.order == "id"
        assert header.sortIndicatorSection() == window.table.place("name")


async def test_the_view_menu_sorts_and_shows_columns_without_a_mouse(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        await start(window, "b", "c", "a")
        actions = {each.text(): each for each in window.menus["view"].actions()}
        assert {"Sidebar", "Columns", "Sort by"} <= actions.keys()
        menu = actions["Sort by"].menu()
        assert isinstance(menu, QMenu)
        choices = {each.text(): each for each in menu.actions()}
        menu.aboutToShow.emit()
        assert choices["Pending first"].isChecked()
        choices["Name"].trigger()
        menu.aboutToHide.emit()
        await until(lambda: names(window) == ["a", "b", "c"])
        choices["In reverse"].trigger()
        await until(lambda: names(window) == ["c", "b", "a"])
        menu.aboutToShow.emit()
        assert choices["Name"].isChecked() and choices["In reverse"].isChecked()
        menu.aboutToHide.emit()


async def test_the_order_of_the_queue_is_remembered_and_takes_the_place_of_a_column(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        await start(window, "b", "c", "a")
        header, table, command = window.table.header, window.view_model.table, window.commands["queue-order"]
        header.sort("name", "kind", descending=False)
        command.trigger()
        assert (table.order, command.isChecked(), header.isSortIndicatorShown()) == ("queue", True, False)
        header.sort("id", "name", descending=False)
        assert not command.isChecked()
        menu = window.commands["order"].menu()
        assert isinstance(menu, QMenu)
        {each.text(): each for each in menu.actions()}["As they will run"].trigger()
        assert command.isChecked()
        window.close()
    async with opened(tmp_path) as window:
        assert window.view_model.table.order == "queue" and window.commands["queue-order"].isChecked()
        window.commands["queue-order"].trigger()
        assert window.view_model.table.order == "pending"


# --- children ---------------------------------------------------------------------------------------------


async def test_a_family_is_unfolded_and_walked_by_keyboard_and_read_out(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        await window.view_model.engine.start(family(), id="f")
        await until(lambda: names(window) == ["f"] and "2 child" in cell(window, 0, "name", ACCESSIBLE))
        said = "Name: f, collapsed, 2 child workflows, 1 finished, 1 failed"
        await until(lambda: cell(window, 0, "name", ACCESSIBLE) == said)
        go(window, 0)
        press(window, Qt.Key.Key_Right)
        await until(lambda: names(window) == ["f", "asking", "broken"])
        assert "expanded" in cell(window, 0, "name", ACCESSIBLE)
        assert cell(window, 1, "name", ACCESSIBLE) == "Name: asking, child of f"
        press(window, Qt.Key.Key_Down)
        press(window, Qt.Key.Key_Down)
        assert window.table.currentIndex().row() == 2
        press(window, Qt.Key.Key_Left)
        assert window.table.currentIndex().row() == 0, "Left leads to the parent"
        press(window, Qt.Key.Key_Left)
        await until(lambda: names(window) == ["f"])
        press(window, Qt.Key.Key_Plus)
        await until(lambda: len(names(window)) == 3)
        press(window, Qt.Key.Key_Minus)
        await until(lambda: names(window) == ["f"])
        press(window, Qt.Key.Key_End)
        column = window.table.currentIndex().column()
        window.view_model.table.fold(window.view_model.table.keys[0], unfold=True)
        await until(lambda: len(names(window)) == 3)
        press(window, Qt.Key.Key_Right)
        assert window.table.currentIndex().column() == column + 1, "elsewhere it goes from cell to cell"


async def test_the_arrow_unfolds_and_selects_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        await window.view_model.engine.start(family(), id="f")
        model, place = window.table.model(), window.table.place("name")
        await until(lambda: names(window) == ["f"] and model.index(0, place).data(PLACE).family is not None)

        def click_arrow() -> None:
            option = QStyleOptionViewItem()
            window.table.initViewItemOption(option)
            option.rect = window.table.visualRect(model.index(0, place))
            at = window.table._names.parts(option, model.index(0, place).data(PLACE)).arrow.center()
            QTest.mouseClick(window.table.viewport(), Qt.MouseButton.LeftButton, NONE, at)

        window.table.clearSelection()
        click_arrow()
        await until(lambda: len(names(window)) == 3)
        assert window.view_model.table.selected_count == 0
        go(window, 2)
        click_arrow()
        await until(lambda: names(window) == ["f"])
        assert window.table.currentIndex().row() == 0, "what was on a child is on its parent now"


async def test_a_question_of_a_child_is_found_wherever_it_is_folded(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        await window.view_model.engine.start(family(), id="f")
        await start(window, "a")
        await until(lambda: window.view_model.questions.count == 2)
        window.view_model.sidebar.choose("failed")
        await until(lambda: window.view_model.table.row(0) is not None and names(window) == ["f/broken"])
        child = (await window.view_model.engine.summary("f/asking")).key
        window.view_model.revealing.go(child)
        await until(lambda: names(window) == ["a", "f", "asking", "broken"])
        await until(lambda: window.table.key == child and window.view_model.table.selection.has(child))


# --- the sidebar and the search ---------------------------------------------------------------------------


async def test_the_sidebar_counts_filters_by_key_and_says_its_counts(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        await start(window, "a", "b")
        await window.view_model.engine.cancel("a")
        side = window.sidebar
        await until(lambda: side.item_of("cancelled").text(1) == "1" and side.item_of("all").text(1) == "2")
        assert side.item_of("cancelled").data(0, ACCESSIBLE) == "Cancelled, 1"
        side.setFocus()
        QTest.keyClick(side, Qt.Key.Key_End)
        QTest.keyClick(side, Qt.Key.Key_Up)
        assert side.currentItem() is side.item_of("cancelled")
        await until(lambda: names(window) == ["a"])
        at = side.visualItemRect(side.item_of("failed")).center()
        QTest.mouseClick(side.viewport(), Qt.MouseButton.LeftButton, NONE, at)
        await until(lambda: window._pages.currentWidget() is window._nothing)
        assert window._nothing_text.text() == "There are no failed workflows."
        clear = window._nothing.findChild(QPushButton)
        assert isinstance(clear, QPushButton) and clear.text() == "Clear"
        QTest.mouseClick(clear, Qt.MouseButton.LeftButton)
        await until(lambda: len(names(window)) == 2)
        assert side.currentItem() is side.item_of("all")


async def test_the_sidebar_goes_and_comes_back_and_its_width_is_remembered(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        assert window.sidebar.isVisible()
        window.beside.setSizes([231, 900])
        window.beside.splitterMoved.emit(231, 1)
        await asyncio.sleep(0)
        width = window.sidebar.width()
        window.commands["sidebar"].trigger()
        assert not window.sidebar.isVisible()
        window.close()
    async with opened(tmp_path) as window:
        assert not window.sidebar.isVisible()
        window.commands["sidebar"].trigger()
        assert window.sidebar.isVisible()
        await until(lambda: window.sidebar.width() == width, f"{window.sidebar.width()} is {width}")


async def test_typing_in_the_table_searches_and_escape_takes_it_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        await start(window, "photos", "music")
        go(window, 0)
        window.activateWindow()
        press(window, Qt.Key.Key_P)
        assert window.search.text() == "p"
        QTest.keyClicks(window.search, "ho")
        await until(lambda: names(window) == ["photos"])
        QTest.keyClick(window.search, Qt.Key.Key_Return)
        assert window.focusWidget() is window.table
        press(window, Qt.Key.Key_Escape)
        assert window.search.text() == ""
        await until(lambda: len(names(window)) == 2)
        window._find()
        QTest.keyClicks(window.search, "mus")
        QTest.keyClick(window.search, Qt.Key.Key_Escape)
        assert window.search.text() == "" and window.focusWidget() is window.table


# --- rows that keep still ---------------------------------------------------------------------------------


async def test_a_row_under_the_pointer_keeps_its_place_when_it_finishes(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        await start(window, "a", "b", "c")
        view = window.table.viewport()
        rect = window.table.visualRect(window.table.model().index(1, 0))
        QTest.mouseMove(view, rect.center())
        await until(lambda: window.view_model.table._pointed.key is not None)
        await window.view_model.engine.cancel("b")
        await until(lambda: cell(window, 1, "state") == "Cancelled")
        await until(lambda: window.view_model.table.counts.get("cancelled") == 1)
        assert names(window) == ["c", "b", "a"]
        QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
        await until(lambda: names(window) == ["c", "a", "b"])


async def test_while_a_button_or_a_menu_is_down_cells_change_and_no_row_moves(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        await start(window, "a", "b")
        view, model = window.table.viewport(), window.table.model()
        at = window.table.visualRect(model.index(0, 0)).center()
        QTest.mousePress(view, Qt.MouseButton.LeftButton, NONE, at)
        await window.view_model.engine.cancel("b")
        await until(lambda: cell(window, 0, "state") == "Cancelled")
        await asyncio.sleep(0.3)
        assert names(window) == ["b", "a"]
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, NONE, at)
        await until(lambda: names(window) == ["a", "b"])

        QTest.mousePress(view, Qt.MouseButton.LeftButton, NONE, at)
        assert window.view_model.table._held == 1
        window.table.startDrag(Qt.DropAction.MoveAction)
        assert window.view_model.table._held == 0, "a drag ends elsewhere, and nobody tells of the button"

        asked: list[QPoint] = []
        window.table.menu_asked.connect(asked.append)
        go(window, 1)
        event = QContextMenuEvent(
            QContextMenuEvent.Reason.Keyboard, QPoint(3, 3), view.mapToGlobal(QPoint(3, 3))
        )
        QApplication.sendEvent(view, event)
        rect = window.table.visualRect(model.index(1, window.table.currentIndex().column()))
        assert asked == [view.mapToGlobal(rect.bottomLeft())], "by keyboard, it opens at the row"
        assert window.view_model.table._held == 1
        for menu in window.findChildren(QMenu):
            menu.close()
        await until(lambda: window.view_model.table._held == 0)


async def test_a_key_that_moves_the_selection_tells_of_it_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        await start(window, "a", "b", "c")
        go(window, 0)
        told: list[int] = []
        window.view_model.table.selection_changed.connect(lambda: told.append(1))
        press(window, Qt.Key.Key_Down)
        assert len(told) == 1 and window.view_model.table.selected_count == 1
        press(window, Qt.Key.Key_Down, SHIFT)
        assert len(told) == 2 and window.view_model.table.selected_count == 2


async def test_as_time_passes_only_what_says_something_else_is_drawn_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now(UTC)

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Any:
            return now

    monkeypatch.setattr(model_module, "datetime", Clock)
    async with opened(tmp_path) as window:
        await (await window.view_model.engine.start(broken(), id="done")).finished()
        await start(window, "waits")
        table = window.table
        await until(lambda: names(window) == ["waits", "done"])
        await until(lambda: [cell(window, row, "state") for row in (0, 1)] == ["Asks: Word", "Failed"])
        told: list[tuple[int, int, str, str]] = []
        table.model().dataChanged.connect(
            lambda a, b: told.append((a.row(), b.row(), COLUMNS[a.column()].name, COLUMNS[b.column()].name))
        )
        now = datetime.now(UTC) + timedelta(seconds=10)  # after the starts, however long they took
        table._tick()
        told.clear()
        table._tick()
        assert told == []
        now += timedelta(seconds=20)
        table._tick()
        assert told == [(0, 0, "elapsed", "elapsed")]
        told.clear()
        now += timedelta(days=1)
        table._tick()
        assert told == [(0, 1, "started", "finished")]
