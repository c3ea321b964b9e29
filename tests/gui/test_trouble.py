"""What is wrong with the file or its disk stands above the table, for as long as it is."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from stepfast import Engine, Run, workflow
from stepfast.errors import StoreError
from stepfast.views import Filter
from stepfast_desktop.bootstrap import _main, open_window
from stepfast_desktop.qt.main_window import MainWindow
from stepfast_desktop.qt.tools.diagnostics import BackupsDialog

LONG = "a program reads /" + "a-long-folder/" * 40 + "work.db"


class Opener(QObject):
    """Stands for the desktop's file manager."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        self.opened.append(url.toLocalFile())


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))


def shown(window: MainWindow) -> list[str]:
    return [each.text.text() for each in window.notice_bar.lines if each.isVisible()]


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


async def test_a_condition_is_said_while_it_lasts_and_does_not_widen_the_window(
    tmp_path: Path, lapses: Any
) -> None:
    for text in ("a program reads", "the disk is full", "it is over that"):
        lapses.expect(text)
    async with open_window([], tmp_path / "data") as window:
        narrowest = window.minimumSizeHint().width()
        assert shown(window) == []
        health = window.view_model.engine.health
        durable: Any = window.view_model.engine.durable
        # What is only told to be so, is not found to be over by itself.
        durable._store.writer.recovery._probe_at = time.monotonic() + 3600
        durable._store.writer.wal._old_reader.gone = lambda: None
        health.report("old-reader", LONG, stops_work=False)
        await until(lambda: any(LONG[1:] in each for each in shown(window)))
        health.report("full", "the disk is full", stops_work=True)
        await until(lambda: len(shown(window)) == 2 and shown(window)[0].startswith("The disk is full"))
        assert window.minimumSizeHint().width() <= max(narrowest, 900)
        opener = Opener()
        QDesktopServices.setUrlHandler("file", opener, "open")
        try:
            line = window.notice_bar.line("fault full")
            assert line is not None
            QTest.mouseClick(line.buttons[0], Qt.MouseButton.LeftButton)
            assert opener.opened == [str(tmp_path / "data")]
        finally:
            QDesktopServices.unsetUrlHandler("file")
        health.clear("full", "old-reader")
        await until(lambda: shown(window) == [])


@workflow("kept")
async def kept(run: Run) -> str:
    return "kept"


def windows() -> list[MainWindow]:
    return [
        each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow) and each.isVisible()
    ]


def overwrite(path: Path) -> None:
    """All but the first page, by a process of its own: here, closing the file would drop SQLite's locks."""
    size = path.stat().st_size // 4096
    command = f"dd if=/dev/urandom of={path} bs=4096 seek=1 count={size - 1} conv=notrunc status=none"
    subprocess.run(command.split(), check=True)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no dd")
async def test_a_file_that_is_damaged_under_the_window_is_replaced_by_two_clicks(
    tmp_path: Path, lapses: Any
) -> None:
    lapses.expect("is damaged")
    path = tmp_path / "data" / "stepfast.db"
    async with Engine.open(path, [kept]) as engine:
        for number in range(3):
            await (await engine.start(kept(), id=str(number))).result()
        await engine.backup()
    running = asyncio.ensure_future(_main([kept], path.parent, ""))
    await until(windows)
    (first,) = windows()
    await until(lambda: first.view_model.table.counts.get("completed") == 3)
    overwrite(path)

    async def look() -> None:
        while not shown(first):
            with suppress(StoreError):
                await first.view_model.engine.list(Filter(text="something"), limit=1)
            await asyncio.sleep(0.05)

    async with asyncio.timeout(60):
        await look()
    line = first.notice_bar.line("fault damaged")
    assert line is not None and "is damaged. Nothing is written to it." in line.text.text()
    QTest.mouseClick(line.buttons[0], Qt.MouseButton.LeftButton)
    dialog = first.tools.dialog("backups")
    assert isinstance(dialog, BackupsDialog)
    await until(dialog.restore.isEnabled)
    QTest.mouseClick(dialog.restore, Qt.MouseButton.LeftButton)
    await until(lambda: windows() not in ([], [first]))
    (second,) = windows()
    await until(lambda: second.view_model.table.counts.get("completed") == 3)
    (said,), aside = shown(second), [each.name for each in path.parent.glob("stepfast.db.damaged-*")]
    assert any(said.endswith(f"The file before it is kept as {name}.") for name in aside)
    second.close()
    assert await running == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root on Linux can mount a disk of its own")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "stepfast-test", folder], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


async def test_a_disk_that_is_full_is_said_until_there_is_room_and_a_person_says_so(
    small_disk: Path, lapses: Any
) -> None:
    for text in ("is full", "it is over that"):
        lapses.expect(text)
    async with open_window([kept], small_disk) as window:
        engine = window.view_model.engine
        await (await engine.start(kept(), id="before")).result()
        filler = small_disk / "filler"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))

        async def begin() -> None:
            number = 0
            while not shown(window):
                with suppress(StoreError):
                    await engine.start(kept(), id=f"n{number}")
                number += 1

        async with asyncio.timeout(60):
            await begin()
        assert shown(window)[0].startswith(f"The disk at {small_disk.resolve()} is full (")
        line = window.notice_bar.line("fault full")
        assert line is not None and line.close_button is None
        # By itself it does not look for an hour.
        engine.durable._store.writer.recovery._probe_at = time.monotonic() + 3600
        filler.unlink()
        QTest.mouseClick(line.buttons[1], Qt.MouseButton.LeftButton)
        await until(lambda: shown(window) == [])
        assert await (await engine.start(kept(), id="after")).result() == "kept"
