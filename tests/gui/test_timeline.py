"""Steps as a list and as a timeline in a real window: zoomed, walked through, read aloud, run again from."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication

from stepfast import Retry, Run, workflow
from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.main_window import MainWindow


@workflow("uploading")
async def uploading(run: Run, folder: Path, files: int) -> None:
    async def upload(number: int) -> None:
        with (folder / str(number)).open("a") as file:
            file.write("x")
        if number == 1 and len((folder / "1").read_text()) < 3:
            raise OSError("no connection")

    for number in range(files):
        retry = Retry(3, first=timedelta(seconds=0.05), jitter=0)
        await run.step(f"upload:{number}", upload, number, retry=retry)
    await run.sleep("a moment", timedelta(seconds=0.05))


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


@asynccontextmanager
async def shown(folder: Path, files: int) -> AsyncIterator[MainWindow]:
    """A window with the timeline of one that is through."""
    async with open_window([uploading], folder / "data") as window:
        details = window.view_model.details
        await window.view_model.engine.start(uploading(folder, files), id="one")
        await until(lambda: window.view_model.table.keys)
        window.view_model.revealing.go(window.view_model.table.keys[0])
        await until(lambda: details.state is not None and details.state.text == "Completed")
        window.details.parts.tabs.setCurrentIndex(1)
        QTest.mouseClick(window.details.parts.steps_page.as_timeline, Qt.MouseButton.LeftButton)
        timeline = window.details.parts.steps_page.timeline
        await until(lambda: timeline.lanes.rowCount() == files + 1)
        yield window


async def test_each_step_is_a_row_that_says_what_became_of_it(tmp_path: Path) -> None:
    async with shown(tmp_path, 3) as window:
        page = window.details.parts.steps_page
        model = page.timeline.lanes
        QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, page)
        assert [model.index(row, 0).data() for row in range(4)] == [
            "upload:0",
            "upload:1",
            "upload:2",
            "Sleep: a moment",
        ]
        said = model.index(1, 1).data(Qt.ItemDataRole.AccessibleTextRole)
        assert said.startswith("upload:1, 3 attempts, ")
        assert "attempt 2, failed" in model.index(1, 1).data(Qt.ItemDataRole.ToolTipRole)
        await asyncio.sleep(0.02)
        image = page.timeline.grab().toImage()
        colours = {
            image.pixelColor(x, y).name() for x in range(0, image.width(), 2) for y in range(image.height())
        }
        assert len(colours) > 5, "something is painted"

        page.timeline.setFocus()
        page.timeline.selectRow(0)
        QTest.keyClick(page.timeline, Qt.Key.Key_Down)
        assert page.selected == "upload:1" and page.again.isEnabled()
        for _ in range(2):
            QTest.keyClick(page.timeline, Qt.Key.Key_Down)
        assert page.selected == "" and not page.again.isEnabled(), "nobody reruns from a sleep"


async def test_it_is_zoomed_and_moved_by_keys_wheel_and_bar(tmp_path: Path) -> None:
    async with shown(tmp_path, 3) as window:
        page, view = window.details.parts.steps_page, window.details.parts.steps_page.timeline
        whole = view.seen
        assert page.pan.isHidden()
        view.setFocus()
        QTest.keyClicks(view, "++++")
        near = view.seen
        assert near.end - near.start < (whole.end - whole.start) / 2
        assert page.pan.isVisible()
        QTest.keyClick(view, Qt.Key.Key_Right)
        assert view.seen.start > near.start
        page.pan.setValue(0)
        assert view.seen.start == pytest.approx(whole.start, abs=1e-3)
        QTest.keyClick(view, Qt.Key.Key_0)
        assert view.seen == whole and page.pan.isHidden()

        x = view.columnViewportPosition(1) + view.columnWidth(1) * 3 // 4
        moment = whole.start + (whole.end - whole.start) * 0.75
        before = view.x_of(moment)
        at = QPointF(x, view.viewport().height() / 2)
        event = QWheelEvent(
            at,
            view.viewport().mapToGlobal(at),
            QPoint(),
            QPoint(0, 240),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.ControlModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(view.viewport(), event)
        assert view.seen != whole
        assert view.x_of(moment) == pytest.approx(before, abs=2)
        QTest.keyClicks(view, "-" * 10)
        assert view.seen == whole
        QTest.mouseClick(page.nearer, Qt.MouseButton.LeftButton)
        QTest.mouseClick(page.whole, Qt.MouseButton.LeftButton)
        assert view.seen == whole


async def test_what_comes_just_as_a_layout_has_ended_is_laid_out_too(tmp_path: Path) -> None:
    async with shown(tmp_path, 1) as window:
        page = window.details.parts.steps_page
        await until(lambda: page._drawing is None)
        page.draw()
        drawing = page._drawing
        assert drawing is not None
        while not drawing.done():
            await asyncio.sleep(0)
        assert page._drawing is drawing, "nobody has heard yet that it has ended"
        page.draw()
        await until(lambda: page._drawing is None and not page._stale)


async def test_one_reruns_from_a_step_of_the_list(tmp_path: Path) -> None:
    async with shown(tmp_path, 2) as window:
        page = window.details.parts.steps_page
        QTest.mouseClick(page.as_list, Qt.MouseButton.LeftButton)
        assert page.list.isVisible() and not page.timeline.isVisible()
        model = page.list.model()
        names = [model.index(row, 1).data() for row in range(model.rowCount())]
        page.list.selectRow(names.index("upload:1"))
        assert page.selected == "upload:1"
        QTest.mouseClick(page.again, Qt.MouseButton.LeftButton)
        box = window.details.parts.asking
        assert box is not None and box.text() == "Run again from “upload:1”?"
        button = next(each for each in box.buttons() if each.text().replace("&", "") == "Run again")
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        details = window.view_model.details
        await until(lambda: details.state is not None and details.state.id.startswith("one-"))
        await until(lambda: details.state is not None and details.state.text == "Completed")
        assert (tmp_path / "0").read_text() == "x" and (tmp_path / "1").read_text() == "xxxx"
