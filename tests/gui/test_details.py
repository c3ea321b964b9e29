"""The details pane in a real window, over a real engine: what it shows, and all of it by keyboard."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
from PySide6.QtCore import QAbstractItemModel, QEvent, QItemSelectionModel, QSize, Qt
from PySide6.QtGui import QAccessible, QColor, QGuiApplication, QPalette, QTextCursor
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from stepfast import Definition, Engine, Run, workflow
from stepfast.errors import Stopped
from stepfast_desktop.qt.details.details import DetailsPane
from stepfast_desktop.qt.details.rows import RowColumn, RowsModel, RowsView
from stepfast_desktop.qt.details.text import TextBlock
from stepfast_desktop.qt.palette import dark, light, tone_colours
from stepfast_desktop.viewmodels.details.details import DetailsViewModel
from stepfast_desktop.viewmodels.details.values import Pair
from stepfast_desktop.viewmodels.feed import Feed

DEADLINE = 60.0
Verdict: Any = Literal["accept", "reject"]  # mypy knows no type for such a form


@workflow("publish", title="Publish a folder")
async def publish(run: Run, folder: Path, files: int = 3) -> dict[str, object]:
    """Publishes."""
    for number in range(files):
        await run.step(f"upload:{number}", lambda: 1)
        run.log(f"uploaded {number}")
    return {"files": files, "place": "here"}


@workflow("fragile")
async def fragile(run: Run, cause: Path) -> str:
    """Fails while a file is there."""

    def look() -> str:
        if cause.exists():
            raise OSError("<b>something</b> is in the way; move it")
        return "mended"

    return await run.step("look", look)


@workflow("flawed")
async def flawed(run: Run, problems: int) -> None:
    """Completes in spite of its problems."""
    for number in range(problems):
        run.problem(f"<i>file-{number}</i>", "cannot be read")


@workflow("growing")
async def growing(run: Run, folder: Path) -> None:
    """Records a step and logs a line for each file that appears."""
    for number in range(1000):

        async def appear(file: Path = folder / str(number)) -> None:
            while not file.exists():
                if run.stopping:
                    raise Stopped
                await asyncio.sleep(0.005)

        await run.step(f"step:{number}", appear)
        run.log(f"line {number}")


@workflow("ask")
async def ask(run: Run) -> list[object]:
    """Waits for answers."""
    async with asyncio.TaskGroup() as group:
        copies = group.create_task(run.awaiting("copies", into=int))
        verdict = group.create_task(run.awaiting("verdict", into=Verdict))
    return [copies.result(), verdict.result()]


ALL: list[Definition[..., Any]] = [publish, fragile, flawed, growing, ask]


class Desk:
    """An engine, and the pane over it in a window of its own."""

    def __init__(self, engine: Engine, model: DetailsViewModel, pane: DetailsPane) -> None:
        self.engine, self.model, self.pane = engine, model, pane
        self._told = asyncio.Event()
        model.changed.connect(lambda _section: self._told.set())
        model.log.added.connect(lambda _front, _back: self._told.set())
        model.log.read.connect(lambda _first, _last: self._told.set())

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(DEADLINE):
            while not condition():
                self._told.clear()
                await self._told.wait()

    async def show(self, request: Any, id: str = "one", state: str = "") -> None:
        """Start it, and show it once it is in a state whose words begin so."""
        await self.engine.start(request, id=id)
        self.model.show(id)
        await self.until(lambda: self.model.state is not None and self.model.state.id == id)
        await self.until(lambda: self.model.state is not None and self.model.state.text.startswith(state))

    def words(self) -> str:
        """Everything that can be read at the moment."""
        said = []
        for each in self.pane.findChildren(QWidget):
            if each.isVisibleTo(self.pane):
                match each:
                    case QTextEdit():
                        said.append(each.toPlainText())
                    case QLabel() | QPushButton():
                        said.append(each.text())
        return "\n".join(said)


@pytest.fixture
async def desk(tmp_path: Path, qapp: QApplication) -> AsyncIterator[Desk]:
    async with Engine.open(tmp_path / "work.db", ALL) as engine:
        feed = Feed(engine)
        await feed.start()
        model = DetailsViewModel(engine, feed)
        pane = DetailsPane(model)
        pane.resize(1000, 320)
        pane.show()
        pane.activateWindow()
        yield Desk(engine, model, pane)
        pane.hide()
        pane.let_go()
        await model.close()
        await feed.close()
        pane.deleteLater()


def press(widget: QWidget, key: Qt.Key, modifier: Qt.KeyboardModifier | None = None) -> None:
    QTest.keyClick(widget, key, modifier or Qt.KeyboardModifier.NoModifier)


# --- what is shown --------------------------------------------------------------------------------------


async def test_nothing_selected_is_one_quiet_line(desk: Desk) -> None:
    assert desk.words() == "Select a workflow to see its details."


async def test_what_came_of_it_is_shown_in_words(desk: Desk, tmp_path: Path) -> None:
    await desk.show(publish(tmp_path), state="Completed")
    words = desk.words()
    for part in ("Publish a folder", "Completed", "one", "Result", "Place\nhere", "Input", str(tmp_path)):
        assert part in words, part
    assert desk.pane.parts.head.retry.isHidden()


async def test_a_failure_is_words_first_and_a_traceback_on_request(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "cause").touch()
    await desk.show(fragile(tmp_path / "cause"), state="Failed")
    words = desk.words()
    assert "The step “look” failed" in words
    assert "<b>something</b> is in the way; move it" in words, "markup from anywhere is text"
    assert "Traceback (most" not in words

    more = desk.pane.parts.overview.failure.more
    more.setFocus()
    press(more, Qt.Key.Key_Space)
    assert "Traceback (most recent call last):" in desk.words()
    assert more.text() == "Hide the traceback"
    press(more, Qt.Key.Key_Space)
    assert "Traceback (most" not in desk.words()


async def test_retry_by_keyboard(desk: Desk, tmp_path: Path) -> None:
    cause = tmp_path / "cause"
    cause.touch()
    await desk.show(fragile(cause), state="Failed")
    cause.unlink()
    assert desk.pane.parts.head.retry.isVisible()
    desk.pane.parts.head.retry.setFocus()
    press(desk.pane.parts.head.retry, Qt.Key.Key_Space)
    assert not desk.pane.parts.head.retry.isEnabled(), "until it is asked for, once"
    await desk.until(lambda: desk.model.state is not None and desk.model.state.text == "Completed")
    assert desk.pane.parts.head.retry.isHidden()
    assert "mended" in desk.words()


def test_a_table_of_many_lines_is_laid_out_once_and_not_for_each_of_them(qtbot: QtBot) -> None:
    block = TextBlock("Input")
    qtbot.addWidget(block)
    block.resize(400, 300)
    block.show()
    laid_out: list[object] = []
    block.document().documentLayout().documentSizeChanged.connect(laid_out.append)
    block.show_pairs([Pair(f"name {n}", f"value {n}") for n in range(200)])
    assert "value 199" in block.toPlainText()
    assert len(laid_out) <= 5
    block.align(block.wanted_labels + 40)
    assert len(laid_out) <= 10


async def test_problems_are_listed_with_how_many_more_there_are(desk: Desk) -> None:
    await desk.show(flawed(203), state="Completed, 203 problems")
    words = desk.words()
    assert "203 problems" in words
    assert "<i>file-0</i>\ncannot be read" in words
    assert "and 3 more" in words


async def test_a_workflow_that_was_deleted_says_so(desk: Desk, tmp_path: Path) -> None:
    await desk.show(publish(tmp_path), state="Completed")
    await desk.engine.delete("one")
    await desk.until(lambda: desk.model.state is None)
    assert "it was deleted" in desk.words()


async def test_another_workflow_begins_at_its_top_with_the_traceback_closed(
    desk: Desk, tmp_path: Path
) -> None:
    (tmp_path / "cause").touch()
    for id in ("one", "two"):
        await desk.show(fragile(tmp_path / "cause"), id, state="Failed")
        assert desk.pane.parts.overview.failure.traceback.isHidden()
        desk.pane.parts.overview.failure.more.click()
        assert not desk.pane.parts.overview.failure.traceback.isHidden()


# --- steps and log --------------------------------------------------------------------------------------


async def test_steps_and_lines_come_as_they_happen(desk: Desk, tmp_path: Path) -> None:
    await desk.show(growing(tmp_path), state="Running")
    await desk.until(lambda: len(desk.model.steps) == 1)
    steps, log = desk.pane.parts.steps, desk.pane.parts.log
    QAbstractItemModelTester(steps.model(), QAbstractItemModelTester.FailureReportingMode.Fatal, desk.pane)
    QAbstractItemModelTester(log.model(), QAbstractItemModelTester.FailureReportingMode.Fatal, desk.pane)
    assert [steps.model().index(0, column).data() for column in (1, 2)] == ["step:0", "running"]
    for number in range(3):
        (tmp_path / str(number)).touch()
    desk.pane.parts.tabs.setCurrentIndex(2)
    await desk.until(lambda: len(desk.model.steps) == 4 and len(desk.model.log) == 3)
    await desk.until(lambda: texts(log.model(), 1)[-1] is not None)
    assert texts(steps.model(), 1) == ["step:0", "step:1", "step:2", "step:3"]
    assert texts(log.model(), 1) == ["line 0", "line 1", "line 2"]
    assert desk.pane.parts.tabs.tabText(1) == "&Steps (4)"

    # What is selected stays selected while the rest goes on.
    steps.selectRow(1)
    (tmp_path / "3").touch()
    await desk.until(lambda: len(desk.model.steps) == 5)
    assert [index.row() for index in steps.selectionModel().selectedRows()] == [1]


async def test_a_row_is_no_widget(desk: Desk, tmp_path: Path) -> None:
    await desk.show(publish(tmp_path, files=1), "small", state="Completed")
    before = len(desk.pane.findChildren(QWidget))
    await desk.show(publish(tmp_path, files=200), "large", state="Completed")
    desk.pane.parts.tabs.setCurrentIndex(2)
    await desk.until(lambda: len(desk.model.log) == len(desk.model.steps) == 200)
    assert desk.pane.parts.steps.model().rowCount() == 200
    assert len(desk.pane.findChildren(QWidget)) == before


async def test_a_log_that_is_read_at_its_end_stays_there(desk: Desk, tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / str(number)).touch()
    await desk.show(growing(tmp_path), state="Running")
    desk.pane.parts.tabs.setCurrentIndex(2)
    await desk.until(lambda: len(desk.model.log) == 60)
    bar = desk.pane.parts.log.verticalScrollBar()
    assert bar.maximum() > 0
    assert bar.value() == bar.maximum()
    (tmp_path / "60").touch()
    await desk.until(lambda: len(desk.model.log) == 61)
    assert bar.value() == bar.maximum()

    bar.setValue(5)
    (tmp_path / "61").touch()
    await desk.until(lambda: len(desk.model.log) == 62)
    assert bar.value() == 5, "somebody reads there"


async def test_lines_are_copied_by_keyboard(desk: Desk, tmp_path: Path) -> None:
    await desk.show(publish(tmp_path), state="Completed")
    desk.pane.parts.tabs.setCurrentIndex(2)
    await desk.until(lambda: len(desk.model.log) == 3)
    log = desk.pane.parts.log
    log.setFocus()
    log.setCurrentIndex(log.model().index(0, 0))
    press(log, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    press(log, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    while "uploaded 1" not in QGuiApplication.clipboard().text():
        await asyncio.sleep(0.01)
    first, second = QGuiApplication.clipboard().text().split("\n")
    assert first.split("\t")[1] == "uploaded 0"
    assert second.split("\t")[1] == "uploaded 1"
    log.clearSelection()
    log.copy()
    assert QGuiApplication.clipboard().text().startswith(first), "nothing selected, nothing copied"


def texts(model: QAbstractItemModel, column: int) -> list[str]:
    return [model.index(row, column).data() for row in range(model.rowCount())]


class Line:
    def __init__(self, text: str) -> None:
        self.text = text


def lines(model: RowsModel[Line]) -> list[str]:
    return texts(model, 0)


def test_rows_follow_whatever_is_shown(qapp: QApplication) -> None:
    """Random lists, each made of the one before as a view model makes them, or not at all of it."""
    model = RowsModel([RowColumn[Line]("", lambda row: row.text, None)], lambda row, column: None)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    dice = random.Random(2026)
    rows: Sequence[Line] = []
    for number in range(400):
        kept = [*rows]
        match dice.randrange(6):
            case 0:
                kept = kept[dice.randint(0, len(kept)) :]
            case 1 if kept:
                kept = kept[:-1]
            case 2:
                kept = []
        kept += [Line(f"{number}.{each}") for each in range(dice.randrange(4))]
        rows = kept
        model.show(rows)
        assert lines(model) == [row.text for row in rows]
    del tester


def test_rows_that_stay_keep_their_selection(qapp: QApplication) -> None:
    rows = [Line(str(number)) for number in range(5)]
    model = RowsModel([RowColumn[Line]("", lambda row: row.text, None)], lambda row, column: None)
    view = RowsView("lines", model, header=False)
    model.show(rows)
    flags = QItemSelectionModel.SelectionFlag
    view.selectionModel().select(model.index(3, 0), flags.Select | flags.Rows)
    model.show([*rows[2:4], Line("new")])
    assert lines(model) == ["2", "3", "new"]
    assert [index.row() for index in view.selectionModel().selectedRows()] == [1]
    view.deleteLater()


# --- for everybody --------------------------------------------------------------------------------------


def stops(window: QWidget) -> list[QWidget]:
    """What Tab leads to, once around."""
    found: list[QWidget] = []
    widget = window.nextInFocusChain()
    while widget is not None and widget is not window:
        tabs = widget.focusPolicy().value & Qt.FocusPolicy.TabFocus.value
        if tabs and widget.isVisible() and widget.isEnabled():
            found.append(widget)
        widget = widget.nextInFocusChain()
    return found


@pytest.mark.parametrize("tab", [0, 1, 2])
async def test_everything_can_be_reached_and_has_a_name(desk: Desk, tmp_path: Path, tab: int) -> None:
    (tmp_path / "cause").touch()
    for request, id, state in (
        (fragile(tmp_path / "cause"), "failed", "Failed"),
        (ask(), "asking", "Asks"),
        (flawed(203), "flawed", "Completed"),
        (publish(tmp_path), "done", "Completed"),
    ):
        await desk.show(request, id, state)
        desk.pane.parts.tabs.setCurrentIndex(tab)
        found = stops(desk.pane)
        for widget in found:
            name = QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)
            assert name, f"{widget!r} has no name for a screen reader"
        wanted: list[type[QWidget]] = [QPushButton, QLineEdit, QComboBox, QAbstractItemView, QTextEdit]
        for kind in wanted:
            for each in desk.pane.findChildren(kind):
                inner = each.parent() is not None and isinstance(each.parent(), QComboBox | QAbstractItemView)
                if each.isVisible() and each.isEnabled() and not inner:
                    assert each in found, f"Tab does not lead to {each!r}"


async def test_tab_leads_out_of_the_rows_and_the_text(desk: Desk, tmp_path: Path) -> None:
    await desk.show(publish(tmp_path), state="Completed")
    for tab, widget in (
        (0, desk.pane.parts.overview.result),
        (1, desk.pane.parts.steps),
        (2, desk.pane.parts.log),
    ):
        desk.pane.parts.tabs.setCurrentIndex(tab)
        widget.setFocus()
        press(widget, Qt.Key.Key_Tab)
        assert desk.pane.focusWidget() is not widget


async def test_text_can_be_selected_and_copied(desk: Desk, tmp_path: Path) -> None:
    await desk.show(publish(tmp_path), state="Completed")
    result = desk.pane.parts.overview.result
    result.setFocus()
    press(result, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    press(result, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    mime = QGuiApplication.clipboard().mimeData()
    assert "Place\nhere" in mime.text()
    assert not mime.hasHtml()


async def test_a_selection_outlives_the_seconds_that_are_counted(desk: Desk, tmp_path: Path) -> None:
    await desk.show(growing(tmp_path), state="Running")
    given = desk.pane.parts.overview.given
    given.moveCursor(QTextCursor.MoveOperation.Start)
    given.moveCursor(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
    chosen = given.textCursor().selectedText()
    assert chosen
    (tmp_path / "0").touch()
    await desk.until(lambda: len(desk.model.steps) == 2)
    assert given.textCursor().selectedText() == chosen


async def test_all_of_it_is_copied_for_a_report(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "cause").touch()
    await desk.show(fragile(tmp_path / "cause"), state="Failed")
    await desk.until(lambda: desk.model.steps)
    copy = desk.pane.parts.head.copy
    copy.setFocus()
    press(copy, Qt.Key.Key_Space)
    assert not copy.isEnabled(), "until it is copied, once"
    while not copy.isEnabled():
        await asyncio.sleep(0.01)
    text = QGuiApplication.clipboard().text()
    assert text == await desk.model.copy_text()
    assert "Traceback (most recent call last):" in text


async def test_bytes_that_are_no_text_do_no_harm(desk: Desk, tmp_path: Path) -> None:
    await desk.show(publish(tmp_path / "\udcff\udc80"), state="Completed")
    assert r"\udcff\udc80" in desk.words()


async def test_another_palette_is_another_colour_everywhere(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "cause").touch()
    await desk.show(fragile(tmp_path / "cause"), state="Failed")
    await desk.until(lambda: desk.model.steps and desk.model.steps[0].took == "failed")
    for palette in (dark(), light(), dark()):
        desk.pane.setPalette(palette)
        QApplication.sendPostedEvents()
        bad = tone_colours("bad", palette).text
        for label in (
            desk.pane.parts.head.state,
            desk.pane.parts.overview.failure.headline,
            desk.pane.parts.error,
        ):
            assert label.palette().color(label.foregroundRole()) == bad
        facts = desk.pane.parts.overview.facts
        cursor = facts.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Start)
        cursor.movePosition(QTextCursor.MoveOperation.Right, n=2)
        assert cursor.charFormat().foreground().color() == palette.color(QPalette.ColorRole.PlaceholderText)
        step = desk.pane.parts.steps.model().index(0, 1)
        assert step.data(Qt.ItemDataRole.ForegroundRole) == palette.color(QPalette.ColorRole.PlaceholderText)
        assert isinstance(step.data(Qt.ItemDataRole.ForegroundRole), QColor)


@pytest.mark.parametrize("size", [QSize(1000, 320), QSize(420, 600)], ids=["below", "beside"])
async def test_nothing_is_cut_off_at_the_side(desk: Desk, tmp_path: Path, size: QSize) -> None:
    deep = tmp_path / ("a_name_without_any_place_to_break_" * 12)
    await desk.show(publish(deep), state="Completed")
    desk.pane.resize(size)
    QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    page = desk.pane.parts.overview.widget()
    assert page is not None
    assert page.width() <= desk.pane.parts.overview.viewport().width()
    for block in desk.pane.parts.overview.findChildren(QTextEdit):
        if block.isVisible():
            assert block.document().size().width() <= block.viewport().width() + 1
            assert block.document().size().height() <= block.viewport().height() + 1
