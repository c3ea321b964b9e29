"""What goes wrong in the program itself is shown once, and the window lives; a crash is offered later."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.main_window import MainWindow
from stepfast_desktop.qt.slots import start
from stepfast_desktop.reports import Reports, log_folder

ROOT = Path(__file__).parents[2]


class Opener(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        self.opened.append(url.toLocalFile())


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STEPFAST_CONFIG", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))


@pytest.fixture
def _hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own in the place of pytest's, which would fail the test for what it is about."""
    monkeypatch.setattr(sys, "excepthook", lambda *_: None)
    monkeypatch.setattr(threading, "excepthook", lambda *_: None)


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


@asynccontextmanager
async def opened(tmp_path: Path) -> AsyncIterator[MainWindow]:
    with Reports(log_folder()) as reports:
        async with open_window([], tmp_path / "data", reports=reports) as window:
            yield window


def texts(window: MainWindow) -> list[str]:
    return [each.text.text() for each in window.notice_bar.lines]


def press(window: MainWindow, starts: str, label: str) -> None:
    (line,) = [each for each in window.notice_bar.lines if starts in each.text.text()]
    (button,) = [each for each in line.buttons if each.text() == label]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.mark.usefixtures("_hooks")
async def test_an_exception_is_shown_once_and_the_window_lives(tmp_path: Path, lapses: Any) -> None:
    for text in (
        "an exception that nobody handled",
        "in the thread",
        "started by a slot",
        "for the 10th time",
    ):
        lapses.expect(text)

    def fails() -> None:
        raise ValueError("in a slot")

    async def fails_later() -> None:
        raise LookupError("in a task")

    def fails_elsewhere() -> None:
        raise ArithmeticError("in a thread")

    async with opened(tmp_path) as window:
        button = QPushButton("fails")
        button.clicked.connect(fails)
        for _ in range(12):
            button.click()
        await until(lambda: len(texts(window)) == 1)
        assert texts(window)[0].endswith("your workflows go on. ValueError: in a slot")
        start(fails_later())
        await until(lambda: len(texts(window)) == 2)
        thread = threading.Thread(target=fails_elsewhere)
        thread.start()
        await until(lambda: len(texts(window)) == 3)
        thread.join()
        press(window, "in a task", "Copy details")
        details = QGuiApplication.clipboard().text()
        assert "in fails_later" in details and "Stepfast" in details and "Python" in details
        opener = Opener()
        QDesktopServices.setUrlHandler("file", opener, "open")
        try:
            press(window, "in a slot", "Open the log")
        finally:
            QDesktopServices.unsetUrlHandler("file")
        log = log_folder() / "stepfast.log"
        assert opener.opened == [str(log)]
        text = log.read_text("utf-8")
        assert text.count("ValueError: in a slot") >= 1 and "LookupError: in a task" in text
        assert len(texts(window)) == 1
        # The window lives.
        assert window.isVisible() and (await window.view_model.engine.counts())["failed"] == 0
        button.deleteLater()


CRASHES = """
import asyncio, faulthandler, os, sys
from pathlib import Path
from stepfast_desktop import bootstrap
from stepfast_desktop.workflows import ALL

before = bootstrap.until_closed

async def until_closed(window):
    assert window.isVisible()
    dies = {"abort": os.abort, "segv": faulthandler._sigsegv, "well": window.close}[sys.argv[2]]
    asyncio.get_running_loop().call_later(0.05, dies)
    await before(window)

bootstrap.until_closed = until_closed
bootstrap.run_window(ALL, Path(sys.argv[1]), "")
"""


async def window_that(ends: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Open a window in a process of its own, which ends so."""
    roots = os.pathsep.join(str(ROOT / each) for each in ("store", "app", "resources"))
    environment = {**os.environ, "PYTHONPATH": roots, "QT_QPA_PLATFORM": "offscreen"}
    return await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", CRASHES, str(folder), ends],
        capture_output=True,
        text=True,
        timeout=100,
        env=environment,
    )


async def test_a_window_that_is_closed_leaves_its_log_and_nothing_else(tmp_path: Path) -> None:
    done = await window_that("well", tmp_path / "data")
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    assert [each.name for each in log_folder().iterdir()] == ["stepfast.log"]
    assert " begins, process " in (log_folder() / "stepfast.log").read_text("utf-8")
    async with opened(tmp_path) as window:
        assert texts(window) == []


@pytest.mark.parametrize("how", ["abort", "segv"])
async def test_a_crash_of_the_window_is_offered_at_the_next_start(tmp_path: Path, how: str) -> None:
    done = await window_that(how, tmp_path / "data")
    assert done.returncode < 0 or sys.platform == "win32", done.stderr
    async with opened(tmp_path) as window:
        (text,) = texts(window)
        assert text.startswith("Stepfast crashed ")  # a moment ago, mostly
        opener = Opener()
        QDesktopServices.setUrlHandler("file", opener, "open")
        try:
            press(window, "crashed", "Show file")
        finally:
            QDesktopServices.unsetUrlHandler("file")
        (file,) = opener.opened
        found = Path(file).read_text("utf-8")
        assert "Fatal Python error" in found and "run_window" in found
        assert texts(window) == []
    async with opened(tmp_path) as window:
        assert texts(window) == []
