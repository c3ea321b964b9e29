"""The window over a real engine: a person looks at it, clicks, types, and closes it."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox

from stepfast import Engine, Run, workflow
from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.main_window import MainWindow, until_closed
from stepfast_desktop.qt.table.model import ROW
from stepfast_desktop.workflows import ALL


@workflow("asking")
async def asking(run: Run) -> str:
    return await run.awaiting("word", into=str)


@workflow("quick")
async def quick(run: Run, number: int = 0) -> int:
    return number


@workflow("failing")
async def failing(run: Run) -> None:
    raise ValueError("no")


@workflow("busy")
async def busy(run: Run, steps: int) -> int:
    for number in range(steps):
        run.progress(number, steps, f"step {number}")
        await run.step(f"step-{number}", asyncio.sleep, 0.005)
    return steps


DEFINITIONS = [*ALL, asking, quick, failing, busy]


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))


async def until(holds: Callable[[], bool], what: str = "") -> None:
    """Wait on the window's own loop until a person could see that something holds."""
    try:
        async with asyncio.timeout(60):
            while not holds():
                await asyncio.sleep(0.01)
    except TimeoutError:
        pytest.fail(f"never came: {what or holds}")


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[MainWindow]:
    async with open_window(DEFINITIONS, folder) as window:
        yield window


async def agree(window: MainWindow, button: str) -> None:
    """Press this button of the question that comes up."""
    await until(lambda: bool(window.findChildren(QMessageBox)), "a question")
    (box,) = window.findChildren(QMessageBox)
    assert box.defaultButton().text() == "Keep", "what is pressed without reading ends nothing"
    (pressed,) = [each for each in box.buttons() if each.text() == button]
    QTest.mouseClick(pressed, Qt.MouseButton.LeftButton)


def ids(window: MainWindow) -> list[str]:
    model = window.table.model()
    rows = [model.index(place, 0).data(ROW) for place in range(model.rowCount())]
    return ["..." if row is None else row.id for row in rows]


def cell(window: MainWindow, row: int, column: str) -> str:
    place = window.table.place(column)
    found: str = window.table.model().index(row, place).data() or ""
    return found


def click_row(window: MainWindow, row: int, modifiers: Any = Qt.KeyboardModifier.NoModifier) -> None:
    table = window.table
    at = table.visualRect(table.model().index(row, 0)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, modifiers, at)


def enabled(window: MainWindow) -> set[str]:
    names = ("pause", "resume", "cancel", "retry", "remove")
    return {name for name in names if window.commands[name].isEnabled()}


async def test_a_first_launch_shows_what_can_be_done_and_that_one_may_quit(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        assert window._pages.currentWidget() is window.welcome
        texts = " ".join(each.text() for each in window.welcome.findChildren(QLabel))
        assert "Copy a folder" in texts + " ".join(each.card.title for each in window.welcome.cards)
        assert "Quit or crash whenever you like" in texts
        await window.view_model.engine.start(asking(), id="a")
        await until(lambda: window._pages.currentWidget() is window._splitter)


async def test_a_card_opens_the_form_and_start_starts_it(tmp_path: Path) -> None:
    (tmp_path / "from").mkdir()
    (tmp_path / "from" / "file").write_text("content")
    async with opened(tmp_path / "data") as window:
        card = next(each for each in window.welcome.cards if each.card.name == "copy-folder")
        QTest.mouseClick(card, Qt.MouseButton.LeftButton)
        dialog = window._dialog
        assert dialog is not None and dialog.isVisible()
        assert not dialog.start_button.isEnabled()
        form = window.view_model.new_workflow.form
        assert form is not None
        form.fill({"source": tmp_path / "from", "destination": tmp_path / "to"})
        await until(dialog.start_button.isEnabled)
        QTest.mouseClick(dialog.start_button, Qt.MouseButton.LeftButton)
        await until(lambda: (tmp_path / "to" / "file").exists() and not dialog.isVisible())
        await until(lambda: ids(window) != [] and cell(window, 0, "state") == "Completed")


async def test_a_folder_that_is_dropped_fills_the_form(tmp_path: Path) -> None:
    (tmp_path / "from").mkdir()
    async with opened(tmp_path / "data") as window:
        await window.drop([tmp_path / "from"])
        assert window._dialog is not None and window._dialog.isVisible()
        form = window.view_model.new_workflow.form
        assert form is not None
        assert {each.name: each.text for each in form.fields}["source"] == str(tmp_path / "from")
        window._dialog.reject()


async def test_a_folder_that_is_dropped_on_a_card_fills_the_form_of_that(tmp_path: Path) -> None:
    async with opened(tmp_path / "data") as window:
        card = next(each for each in window.welcome.cards if each.card.name == "copy-folder")
        card.dropped.emit(card.card, [tmp_path])
        await until(lambda: window._dialog is not None and window._dialog.isVisible())
        assert window.view_model.new_workflow.form is not None
        assert window.view_model.new_workflow.form.field("source").text == str(tmp_path)
        assert window._dialog is not None
        window._dialog.reject()


async def test_a_folder_handed_over_while_the_settings_are_open_opens_a_form_above_them(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path / "data") as window:
        for other in (False, True):
            if other:  # and while the form was there already, behind them
                window.open_new()
            window.commands["settings"].trigger()
            settings = window.tools.dialog("settings")
            assert settings is not None
            await window.drop([tmp_path])
            form = window._dialog
            assert form is not None
            await until(form.isActiveWindow)
            assert QApplication.activeModalWidget() is form
            # By the window system, which brings nothing to a window that a modal one blocks.
            at = form.cancel_button.mapTo(form, form.cancel_button.rect().center())
            QTest.mouseClick(form.windowHandle(), Qt.MouseButton.LeftButton, pos=at)
            await until(lambda form=form: not form.isVisible())
            assert settings.isVisible()
            settings.close()
        window.open_new()
        assert not form.isModal(), "where nothing is modal, folders can be dropped on the window behind it"
        form.reject()


async def test_enter_presses_the_button_that_has_the_keyboard(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        card = next(each for each in window.welcome.cards if each.card.name == "quick")
        card.setFocus()
        QTest.keyClick(card, Qt.Key.Key_Return)
        await until(lambda: window._dialog is not None and window._dialog.isVisible())
        assert window._dialog is not None
        window._dialog.reject()

        engine = window.view_model.engine
        await engine.start(failing(), id="f")
        await until(lambda: ids(window) == ["f"] and cell(window, 0, "state") == "Failed")
        click_row(window, 0)
        failure = window.details.parts.overview.failure
        await until(failure.more.isVisible)
        failure.more.setFocus()
        QTest.keyClick(failure.more, Qt.Key.Key_Enter)
        assert failure.traceback.isVisible()

        window.search.setText("nothing has this")
        await until(window._clear.isVisible)
        window._clear.setFocus()
        QTest.keyClick(window._clear, Qt.Key.Key_Return)
        await until(lambda: ids(window) == ["f"])


async def test_actions_are_enabled_where_they_can_do_something_and_do_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        engine = window.view_model.engine
        await engine.start(asking(), id="a")
        await until(lambda: ids(window) == ["a"] and cell(window, 0, "state") == "Asks: Word")
        # The keyboard came to the table, with the first row: its details show, and the buttons are for it.
        await until(lambda: enabled(window) == {"pause", "cancel"})
        assert window.view_model.table.selected_count == 1
        window.table.clearSelection()
        await until(lambda: enabled(window) == set())
        click_row(window, 0)
        await until(lambda: enabled(window) == {"pause", "cancel"})
        window.commands["pause"].trigger()
        await until(lambda: enabled(window) == {"resume", "cancel"})
        await until(lambda: window.statusBar().currentMessage() == "1 workflow paused")
        window.commands["cancel"].trigger()
        await until(lambda: enabled(window) == {"retry", "remove"})
        window.commands["remove"].trigger()
        await until(lambda: window._pages.currentWidget() is window.welcome)
        await until(window.commands["undo"].isEnabled)  # the list may have heard of it before the click has
        window.commands["undo"].trigger()
        await until(lambda: ids(window) == ["a"])


async def test_rows_are_selected_by_mouse_and_keyboard_also_those_that_are_not_read(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        engine = window.view_model.engine
        for number in range(12):
            await engine.start(asking(), id=f"w{number:02}")
        await until(lambda: window.view_model.table.counts.get("waiting") == 12)
        await until(lambda: ids(window) == [f"w{number:02}" for number in reversed(range(12))])
        # What the window was not told of yet, it would spare.
        last = max(row.change for row in await engine.list())
        await until(lambda: window.view_model.feed.at >= last)
        selection = window.view_model.table
        click_row(window, 1)
        click_row(window, 3, Qt.KeyboardModifier.ShiftModifier)
        assert selection.selected_count == 3
        click_row(window, 2, Qt.KeyboardModifier.ControlModifier)
        assert selection.selected_count == 2
        QTest.keyClick(window.table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        assert selection.selection.everything and selection.selected_count == 12
        click_row(window, 5, Qt.KeyboardModifier.ControlModifier)
        assert selection.selected_count == 11
        window.commands["cancel"].trigger()
        await agree(window, "Cancel 11 workflows")
        await until(lambda: selection.counts.get("cancelled") == 11)
        assert (await engine.summary("w06")).state.name == "waiting"


async def test_the_selection_stays_with_its_rows_when_they_move(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        engine = window.view_model.engine
        await engine.start(asking(), id="a")
        await engine.start(asking(), id="b")
        await until(lambda: ids(window) == ["b", "a"])
        click_row(window, 1)
        key = window.view_model.table.keys[1]
        await engine.start(asking(), id="c")
        await until(lambda: ids(window) == ["c", "b", "a"])
        assert window.view_model.table.selection.has(key)
        rows = {index.row() for index in window.table.selectionModel().selectedIndexes()}
        assert rows == {2}
        await until(lambda: window.details.findChild(QLabel) is not None)


async def test_searching_shows_what_matches_and_says_so_where_nothing_does(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        engine = window.view_model.engine
        await engine.start(asking(), id="photos")
        await engine.start(asking(), id="music")
        await until(lambda: sorted(ids(window)) == ["music", "photos"])
        QTest.keyClicks(window.search, "phot")
        await until(lambda: ids(window) == ["photos"])
        QTest.keyClicks(window.search, "x")
        await until(lambda: window._pages.currentWidget() is window._nothing)
        window._clear_filter()
        await until(lambda: sorted(ids(window)) == ["music", "photos"])


async def test_what_another_process_does_shows_and_what_is_done_here_reaches_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as window, Engine.open(tmp_path / "stepfast.db", work=False) as other:
        await other.start(quick(3), id="theirs")
        await until(lambda: ids(window) == ["theirs"] and cell(window, 0, "state") == "Completed")
        assert await other.handle("theirs").result() == 3


async def test_closing_the_window_parks_what_runs_and_the_next_one_carries_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepfast_desktop.viewmodels.leaving.quitting.PATIENCE_SECONDS", 60.0)
    async with opened(tmp_path) as window:
        closed = asyncio.ensure_future(until_closed(window))
        await window.view_model.engine.start(busy(100_000), id="long")
        await until(lambda: cell(window, 0, "step") != "", "a step that runs")
        window.view_model.preferences.set("told_parked", True)
        window.close()
        await closed
    async with Engine.open(tmp_path / "stepfast.db", work=False) as engine:
        assert (await engine.summary("long")).state.name == "queued"
        before = len(await engine.history("long"))
        assert before > 0
    async with opened(tmp_path) as window:
        await until(lambda: window.view_model.table.counts.get("running") == 1)
        await window.view_model.engine.cancel("long")
        await until(lambda: window.view_model.table.counts.get("cancelled") == 1)
        assert len(await window.view_model.engine.history("long")) >= before


async def test_whatever_fails_while_it_opens_what_was_opened_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no window today")

    monkeypatch.setattr("stepfast_desktop.bootstrap.MainWindow", broken)
    with pytest.raises(RuntimeError, match="no window today"):
        async with opened(tmp_path):
            pass
    assert sorted(each.name for each in tmp_path.iterdir() if each.name != "config") == ["stepfast.db"]


async def test_the_window_looks_next_time_as_it_was_left(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        await window.view_model.engine.start(asking(), id="a")
        await until(lambda: ids(window) == ["a"])
        window.table.setColumnWidth(0, 321)
        window.close()
    async with opened(tmp_path) as window:
        assert window.table.columnWidth(0) == 321


async def use(window: MainWindow, seconds: float) -> None:
    """Do what a person does, again and again, while workflows come, run and go."""
    rng = random.Random(7)
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    number = 0
    while loop.time() < end:
        number += 1
        await window.view_model.engine.start(busy(rng.randint(5, 60)), id=f"w{number}")
        await window.view_model.engine.start(
            rng.choice([quick(number), failing(), asking()]), id=f"x{number}"
        )
        match number % 6:
            case 0:
                QTest.keyClicks(window.search, str(number))
            case 1:
                window.search.clear()
            case 2 if window.table.model().rowCount():
                click_row(window, min(3, window.table.model().rowCount() - 1))
            case 3:
                window.table.verticalScrollBar().setValue(rng.randint(0, number))
            case 4:
                window.commands["pause"].trigger()
            case _:
                window._selected.open_menu(window.mapToGlobal(QPoint(50, 50)))
                await asyncio.sleep(0.02)
                QTest.keyClick(window.table, Qt.Key.Key_Escape)
                for menu in window.findChildren(type(window.menus["workflow"])):
                    menu.close()
        await asyncio.sleep(0.03)


@pytest.mark.parametrize(
    "seconds", [3, pytest.param(30, marks=pytest.mark.campaign)], ids=["a sample", "half a minute"]
)
async def test_use_under_load_leaves_no_timer_no_warning_and_no_line_in_the_log(
    tmp_path: Path, seconds: float
) -> None:
    async with opened(tmp_path) as window:
        await use(window, seconds)


async def test_a_scrolling_table_loses_no_reference_to_none(tmp_path: Path) -> None:
    """PySide6 6.12.0 on Python 3.11 loses one in most calls that return None, and then the process dies."""
    async with opened(tmp_path) as window:
        engine = window.view_model.engine
        for number in range(300):
            await engine.start(quick(number), id=f"w{number}")
        await until(lambda: window.view_model.table.counts.get("completed") == 300)
        model = window.table.model()
        before = sys.getrefcount(None)
        for round in range(20):
            window.table.verticalScrollBar().setValue(round * 7)
            for row in range(0, model.rowCount(), 2):
                for role in (
                    Qt.ItemDataRole.DecorationRole,
                    Qt.ItemDataRole.FontRole,
                    Qt.ItemDataRole.CheckStateRole,
                ):
                    assert model.index(row, 1).data(role) is None
            await asyncio.sleep(0.005)
        lost = before - sys.getrefcount(None)
        # A row that is read anew has six; three hundred of them may be let go meanwhile.
        assert lost < 3000, f"{lost} of the references that 9,000 calls gave back are gone"


async def test_a_file_that_cannot_be_opened_is_said_in_a_box(tmp_path: Path) -> None:
    from PySide6.QtWidgets import QApplication, QMessageBox

    from stepfast_desktop.bootstrap import _main

    (tmp_path / "stepfast.db").write_text("a letter, and no database at all" * 100)
    opening = asyncio.ensure_future(_main(DEFINITIONS, tmp_path, ""))

    def box() -> QMessageBox | None:
        found = [each for each in QApplication.topLevelWidgets() if isinstance(each, QMessageBox)]
        return found[0] if found and found[0].isVisible() else None

    await until(lambda: box() is not None)
    shown = box()
    assert shown is not None and "is not a SQLite database" in shown.text()
    shown.close()
    assert await opening == 1
