"""A file that is damaged: the window offers the last good backup, and opens it where a person wants that."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton, QStyle

from stepfast import Engine, Run, workflow
from stepfast.sqlite.care.backups import backups_folder
from stepfast_desktop.bootstrap import _main
from stepfast_desktop.qt import problem
from stepfast_desktop.qt.main_window import MainWindow


@workflow("quick")
async def quick(run: Run) -> str:
    return "done"


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))


@pytest.fixture
async def damaged(tmp_path: Path) -> Path:
    """A file that cannot be opened, with a backup that has one workflow."""
    path = tmp_path / "data" / "stepfast.db"
    async with Engine.open(path, [quick]) as engine:
        await (await engine.start(quick(), id="kept")).result()
        backups_folder(path).mkdir()
        await engine.backup(backups_folder(path) / "2026-11-28T12-00-00Z-schema-2.db")
    path.write_bytes(b"not what SQLite wrote" * 1000)
    return path


def shown(kind: type) -> Any:
    found = [each for each in QApplication.topLevelWidgets() if isinstance(each, kind) and each.isVisible()]
    return found[0] if found else None


async def comes(kind: type, text: str = "") -> Any:
    """Wait for a box, or the window, that a person sees."""
    async with asyncio.timeout(60):
        while (found := shown(kind)) is None or (text and text not in found.text()):
            await asyncio.sleep(0.01)
    return found


def button(box: QMessageBox, text: str) -> QPushButton:
    (found,) = [each for each in box.findChildren(QPushButton) if text in each.text()]
    return found


def click(pressed: QPushButton) -> None:
    QTest.mouseClick(pressed, Qt.MouseButton.LeftButton)


async def test_the_backup_is_offered_with_its_date_and_opened_by_one_click(damaged: Path) -> None:
    opening = asyncio.ensure_future(_main([quick], damaged.parent, ""))
    box = await comes(QMessageBox, "is damaged. Nothing was written to it")
    assert "There is a backup of 28 Nov 2026 " in box.informativeText()
    assert "with 1 workflow." in box.informativeText() and str(damaged) in box.informativeText()
    click(button(box, "Open the backup of 28 Nov 2026 "))
    window = await comes(MainWindow)
    async with asyncio.timeout(60):
        while window.view_model.table.counts.get("completed") != 1:
            await asyncio.sleep(0.01)
    (aside,) = damaged.parent.glob("stepfast.db.damaged-*")
    assert aside.read_bytes() == b"not what SQLite wrote" * 1000
    window.close()
    assert await opening == 0


@pytest.mark.parametrize("how", ["the button", "Escape", "Enter"])
async def test_unless_it_is_wanted_nothing_is_done(damaged: Path, how: str) -> None:
    before = damaged.read_bytes()
    opening = asyncio.ensure_future(_main([quick], damaged.parent, ""))
    box = await comes(QMessageBox)
    match how:
        case "the button":
            click(button(box, "Close"))
        case "Escape":
            QTest.keyClick(box, Qt.Key.Key_Escape)
        case _:
            QTest.keyClick(box, Qt.Key.Key_Return)
    assert await opening == 1
    assert damaged.read_bytes() == before
    assert sorted(each.name for each in damaged.parent.iterdir()) == ["stepfast.db", "stepfast.db-backups"]


async def test_where_the_backup_cannot_be_put_there_it_is_said_why(
    damaged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stepfast.sqlite.file import opened

    monkeypatch.setattr(opened, "who_has_it_open", lambda path: [4321])
    opening = asyncio.ensure_future(_main([quick], damaged.parent, ""))
    box = await comes(QMessageBox)
    click(button(box, "Open the backup"))
    box = await comes(QMessageBox, "is open in process 4321; close that program first")
    box.close()
    assert await opening == 1


async def test_without_a_backup_it_is_said_what_else_there_is_to_do(damaged: Path) -> None:
    (kept,) = backups_folder(damaged).iterdir()
    kept.write_bytes(b"damaged too")
    opening = asyncio.ensure_future(_main([quick], damaged.parent, ""))
    box = await comes(QMessageBox, "there is no backup of it")
    assert ".recover" in box.text()
    assert [each.text() for each in box.findChildren(QPushButton)] in (["Close"], ["&Close"])
    box.close()
    assert await opening == 1


async def test_no_button_of_a_box_has_an_icon_of_qts_own(monkeypatch: pytest.MonkeyPatch) -> None:
    # Here the platform wants none; where it knows nothing of that, Qt puts some there.
    kept = QMessageBox.open
    seen: list[bool] = []

    def opened(box: QMessageBox) -> None:
        seen.extend(each.icon().isNull() for each in box.findChildren(QPushButton))
        kept(box)

    class WithIcons(QMessageBox):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            for each in self.buttons():
                each.setIcon(self.style().standardIcon(QStyle.StandardPixmap.SP_DialogCloseButton))

        open = opened

    monkeypatch.setattr(problem, "QMessageBox", WithIcons)
    showing = asyncio.ensure_future(problem.show_problem("no"))
    await until_any(seen)
    shown(QMessageBox).close()
    await showing
    assert seen == [True]


async def until_any(seen: list[bool]) -> None:
    async with asyncio.timeout(60):
        while not (seen and shown(QMessageBox)):
            await asyncio.sleep(0.01)
