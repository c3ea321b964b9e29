"""What can be done from the details of a workflow: open its folder, run it again, let it go on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QContextMenuEvent, QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QMessageBox

from stepfast import Definition, Engine, Run, workflow
from stepfast.system.paths import default_file
from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.main_window import MainWindow


@workflow("fragile")
async def fragile(run: Run, folder: Path) -> dict[str, object]:
    await run.step("first", lambda: 1)

    def look() -> str:
        if (folder / "cause").exists():
            raise OSError("something is in the way")
        return "mended"

    return {"look": await run.step("look", look), "made": folder / "deep" / "file"}


@workflow("grown", version=1)
async def grown(run: Run) -> str:
    await run.receive("more")
    return "old"


@workflow("grown", version=2)
async def grown_up(run: Run) -> str:
    return "new"


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


@asynccontextmanager
async def opened(folder: Path, *definitions: Definition[..., object]) -> AsyncIterator[MainWindow]:
    async with open_window(definitions, folder) as window:
        yield window


def shows(window: MainWindow, id: str, state: str) -> bool:
    shown = window.view_model.details.state
    return shown is not None and shown.id == id and shown.text == state


class Opened(QObject):
    """What is opened in the system's file manager, in the place of that."""

    def __init__(self) -> None:
        super().__init__()
        self.urls: list[QUrl] = []

    @Slot(QUrl)
    def handle(self, url: QUrl) -> None:
        self.urls.append(url)


async def test_a_failed_one_is_run_again_from_its_step_and_its_folder_is_opened(tmp_path: Path) -> None:
    (tmp_path / "cause").touch()
    async with opened(tmp_path / "data", fragile) as window:
        await window.view_model.engine.start(fragile(tmp_path), id="one")
        assert await window.view_model.show("one") is None
        await until(lambda: shows(window, "one", "Failed"))
        pane = window.details
        assert pane.parts.overview.failure.rerun.text() == "Rerun from “look” ..."

        await until(pane.parts.head.folder.isVisible)
        place = Opened()
        QDesktopServices.setUrlHandler("file", place, "handle")
        try:
            QTest.mouseClick(pane.parts.head.folder, Qt.MouseButton.LeftButton)
        finally:
            QDesktopServices.unsetUrlHandler("file")
        assert [url.toLocalFile() for url in place.urls] == [str(tmp_path)]

        (tmp_path / "cause").unlink()
        for name in ("Cancel", "Run again"):
            QTest.mouseClick(pane.parts.overview.failure.rerun, Qt.MouseButton.LeftButton)
            box = pane.parts.asking
            assert isinstance(box, QMessageBox) and box.text() == "Run again from “look”?"
            button = next(each for each in box.buttons() if each.text().replace("&", "") == name)
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        details = window.view_model.details
        await until(lambda: details.state is not None and details.state.id.startswith("one-"))
        await until(lambda: details.state is not None and details.state.text == "Completed")
        old, new = await window.view_model.engine.list(order="created")
        assert (old.id, old.state.name, window.table.key) == ("one", "failed", new.key)
        assert [each.name for each in await window.view_model.engine.history(new.id)] == ["first", "look"]


@pytest.mark.parametrize("timeline", [False, True])
async def test_the_menu_of_a_step_runs_it_again_from_there(tmp_path: Path, timeline: bool) -> None:
    (tmp_path / "cause").touch()
    async with opened(tmp_path / "data", fragile) as window:
        await window.view_model.engine.start(fragile(tmp_path), id="one")
        assert await window.view_model.show("one") is None
        await until(lambda: shows(window, "one", "Failed"))
        parts = window.details.parts
        parts.tabs.setCurrentIndex(1)
        page = parts.steps_page
        page.as_timeline.setChecked(timeline)
        view = page.timeline if timeline else page.list
        await until(lambda: view.isVisible() and view.model().rowCount() == 2)
        view.selectRow(0)
        at = view.visualRect(view.model().index(0, 0)).center()
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, view.viewport().mapToGlobal(at))
        QApplication.sendEvent(view.viewport(), event)
        (menu,) = view.findChildren(QMenu)
        (again,) = (each for each in menu.actions() if each.text() == "Rerun from here ...")
        assert again.isEnabled()
        again.trigger()
        menu.close()
        box = parts.asking
        assert isinstance(box, QMessageBox) and box.text() == "Run again from “first”?"
        box.close()


async def test_one_whose_version_is_gone_goes_on_with_another_if_a_person_says_so(tmp_path: Path) -> None:
    async with Engine.open(default_file(tmp_path), [grown]) as engine:
        await engine.start(grown(), id="one")
        while (await engine.summary("one")).state.name != "waiting":
            await asyncio.sleep(0.01)
        await engine.pause("one")
        await engine.resume("one")
        await engine.pause("one")
    async with opened(tmp_path, grown_up) as window:
        await window.view_model.engine.resume("one")
        assert await window.view_model.show("one") is None
        await until(lambda: shows(window, "one", "Queued"))
        head = window.details.parts.head
        assert head.go_on.isVisible() and head.go_on.text() == "Continue with version 2"
        assert (
            "version 2, which does not say that it can" in window.details.parts.overview.needs.toPlainText()
        )
        QTest.mouseClick(head.go_on, Qt.MouseButton.LeftButton)
        await until(lambda: shows(window, "one", "Completed"))
        assert head.go_on.isHidden()
