"""The window and what goes on while nobody looks: the tray, rows brought up, and when all is done."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from stepfast import Run, workflow
from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.away.raising import use_token
from stepfast_desktop.qt.away.tray import Tray
from stepfast_desktop.qt.away.tray_icon import SIZES, tray_icon
from stepfast_desktop.qt.main_window import MainWindow
from stepfast_desktop.viewmodels.away.tray import MOST_SHOWN

gate: dict[str, Any] = {}


@workflow("asking")
async def asking(run: Run) -> str:
    return await run.awaiting("word", into=str)


@workflow("failing")
async def failing(run: Run) -> None:
    raise ValueError("no")


@workflow("holding")
async def holding(run: Run, done: int = 1) -> None:
    run.progress(done, 4, "parts & pieces")
    await run.step("hold", gate["hold"].wait)


DEFINITIONS = [asking, failing, holding]


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))
    gate["hold"] = asyncio.Event()


async def until(holds: Callable[[], bool], what: str = "") -> None:
    try:
        async with asyncio.timeout(60):
            while not holds():
                await asyncio.sleep(0.01)
    except TimeoutError:
        pytest.fail(f"never came: {what or holds}")


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[tuple[MainWindow, Tray]]:
    async with open_window(DEFINITIONS, folder) as window:
        tray = window.findChild(Tray)
        assert tray is not None
        yield window, tray


def selected(window: MainWindow) -> set[int]:
    return {*window.view_model.table.selection.chosen}


def texts(tray: Tray) -> list[str]:
    tray.fill()
    return [each.text() for each in tray.menu.actions() if not each.isSeparator() and each.isVisible()]


# --- the tray -------------------------------------------------------------------------------------


async def test_the_menu_says_what_runs_and_an_entry_brings_up_its_row(tmp_path: Path) -> None:
    async with opened(tmp_path) as (window, tray):
        engine, pending = window.view_model.engine, window.view_model.pending
        plain = ["Hide Stepfast", "New workflow ...", "Pause all", "Resume all", "When all is done", "Quit"]
        assert texts(tray) == plain
        assert not tray.pause_all.isEnabled() and not tray.resume_all.isEnabled()
        for number in range(MOST_SHOWN + 2):
            await engine.start(holding(), id=f"h{number}")
        await until(lambda: len(pending.running) == MOST_SHOWN + 2)
        await until(lambda: all(row.progress is not None for row in pending.running.values()))
        shown = texts(tray)
        assert shown[0] == plain[0] and shown[-5:] == plain[1:]
        assert shown[1] == "h0: 25%, parts && pieces" and shown[6] == "and 2 more" and len(shown) == 12
        window.search.setText("nothing matches this")
        await until(lambda: window.view_model.table.keys.tolist() == [])
        entry = next(each for each in tray.menu.actions() if each.text().startswith("h1:"))
        entry.trigger()
        key = (await engine.summary("h1")).key
        await until(lambda: selected(window) == {key})
        assert window.search.text() == ""
        await until(lambda: window.table.currentIndex().isValid())
        await until(lambda: window.view_model.details.id == "h1")


async def test_pause_all_and_resume_all_reach_what_a_filter_hides(tmp_path: Path) -> None:
    async with opened(tmp_path) as (window, tray):
        engine = window.view_model.engine
        await engine.start(holding(), id="h")
        await engine.start(asking(), id="a")
        counts = window.view_model.table.counts
        window.search.setText("a")

        def states() -> dict[str, int]:
            return {name: n for name, n in window.view_model.table.counts.items() if n}

        await until(lambda: states() == {"running": 1, "waiting": 1})
        assert counts is not None
        tray.fill()
        tray.pause_all.trigger()
        gate["hold"].set()
        await until(lambda: states().get("paused") == 2 or states() == {"paused": 1, "completed": 1})
        tray.fill()
        assert tray.resume_all.isEnabled() and not tray.pause_all.isEnabled()
        tray.resume_all.trigger()
        await until(lambda: not states().get("paused"))


async def test_the_icon_tells_what_failed_until_somebody_looks(tmp_path: Path) -> None:
    async with opened(tmp_path) as (window, tray):
        engine, view_model = window.view_model.engine, tray._view_model
        assert (view_model.state, tray.icon.toolTip()) == ("idle", "Stepfast\nNothing is running")
        await engine.start(holding(2), id="h")
        await until(lambda: tray.icon.toolTip() == "Stepfast\n1 workflow running, 50%")
        assert view_model.state == "running"
        await engine.start(asking(), id="a")
        await until(lambda: view_model.state == "asking")
        window.hide()
        await engine.start(failing(), id="f")
        await until(lambda: view_model.state == "failed")
        await until(lambda: tray.icon.toolTip().splitlines()[1] == "1 workflow failed")
        assert tray.icon.toolTip().splitlines()[2] == "1 workflow waiting for you"
        tray.toggle.trigger()
        await until(lambda: window.isVisible() and view_model.state == "asking")


async def test_where_there_is_no_tray_the_window_is_minimised_and_not_lost(tmp_path: Path) -> None:
    async with opened(tmp_path) as (window, tray):
        assert not window.can_hide()
        tray.show_or_hide()
        assert window.isMinimized() and window.isVisible()
        assert texts(tray)[0] == "Show Stepfast"
        tray.show_or_hide()
        assert not window.isMinimized()


def test_each_state_has_a_shape_of_its_own_at_every_size() -> None:
    for size in SIZES:
        images = [
            tray_icon(state).pixmap(size, size).toImage() for state in ("idle", "running", "asking", "failed")
        ]
        for one, other in combinations(images, 2):
            assert different(one, other) > size * size * 0.04, size


def different(one: QImage, other: QImage) -> int:
    """Pixels that differ clearly even without their colour."""
    one, other = (each.convertToFormat(QImage.Format.Format_Grayscale8) for each in (one, other))
    return sum(
        abs(one.pixelColor(QPoint(x, y)).lightness() - other.pixelColor(QPoint(x, y)).lightness()) > 40
        for x in range(one.width())
        for y in range(one.height())
    )


# --- rows that are brought up ---------------------------------------------------------------------


async def test_many_rows_are_selected_and_a_state_is_filtered(tmp_path: Path) -> None:
    async with opened(tmp_path) as (window, _):
        engine, revealing = window.view_model.engine, window.view_model.revealing
        keys = []
        for number in range(4):
            await engine.start(asking(), id=f"a{number}")
            keys.append((await engine.summary(f"a{number}")).key)
        await engine.start(failing(), id="f")
        await until(lambda: len(window.view_model.table.keys) == 5)
        window.showMinimized()
        revealing.reveal(keys[:3])
        await until(lambda: selected(window) == {*keys[:3]})
        assert not window.isMinimized()
        revealing.reveal_states(["failed"])
        await until(lambda: len(window.view_model.table.keys) == 1)
        revealing.reveal(keys[3:])
        await until(lambda: selected(window) == {keys[3]})


async def test_one_that_is_not_there_yet_is_shown_when_it_comes(tmp_path: Path) -> None:
    async with opened(tmp_path) as (window, _):
        await window.view_model.engine.start(asking(), id="a")
        key = (await window.view_model.engine.summary("a")).key
        window.view_model.revealing.reveal([key])  # before the table has heard of it
        await until(lambda: selected(window) == {key})


def test_the_leave_to_take_the_focus_is_where_qt_looks_for_it() -> None:
    use_token("leave")
    assert os.environ["XDG_ACTIVATION_TOKEN"] == "leave"
    use_token("")
    assert "XDG_ACTIVATION_TOKEN" not in os.environ


# --- when all is done, and after a kill -----------------------------------------------------------


async def test_the_menu_chooses_what_is_done_when_all_is_done(tmp_path: Path) -> None:
    async with opened(tmp_path) as (window, tray):
        menu, when_done = window.afterwards, window.view_model.when_done
        tools = [each.text() for each in window.menus["tools"].actions()]
        assert "When all is done" in tools
        assert menu.choices["nothing"].isChecked()
        tray.afterwards.choices["shut-down"].trigger()
        assert menu.choices["shut-down"].isChecked()
        menu.choices["sleep"].trigger()
        assert tray.afterwards.choices["sleep"].isChecked()
        assert when_done.choice == "sleep"
        when_done._settled, when_done._seconds = 0.0, 60
        gate["hold"].clear()
        await window.view_model.engine.start(holding(), id="h")
        await until(lambda: when_done._armed)
        gate["hold"].set()
        await until(lambda: bool(window.notice_bar.lines))
        line = window.notice_bar.lines[0]
        assert line.text.text().startswith("All is done. The computer goes to sleep in ")
        QTest.mouseClick(line.buttons[0], Qt.MouseButton.LeftButton)
        assert menu.choices["nothing"].isChecked() and not window.notice_bar.isVisible()
