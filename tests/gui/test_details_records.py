"""The records in a real window: opened and copied by keyboard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest

from stepfast import Run, workflow
from stepfast_desktop.bootstrap import open_window


@workflow("making")
async def making(run: Run) -> None:
    await run.step("scan", lambda: {"files": ["a", "b"], "count": 2})
    await run.step("large", lambda: ["y" * 200_000])
    await run.step("last", lambda: "done")
    await run.receive("more")


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


async def test_a_value_is_opened_and_copied_by_keyboard(tmp_path: Path) -> None:
    async with open_window([making], tmp_path) as window:
        engine, details = window.view_model.engine, window.view_model.details
        await engine.start(making(), id="one")
        await until(lambda: window.view_model.table.keys)
        window.view_model.revealing.go(window.view_model.table.keys[0])
        await until(lambda: details.state is not None and details.state.text == "Waiting for a message")
        await until(lambda: len(details.steps) == 3)
        view = window.details.parts.records
        model = view.model()
        QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, view)
        window.details.parts.tabs.setCurrentIndex(3)
        assert model.rowCount() == 3
        await until(
            lambda: (
                model.index(0, 2).data() == "{2} files: [2], count: 2" and model.index(2, 2).data() == "done"
            )
        )
        view.setFocus()
        view.setCurrentIndex(model.index(0, 0))
        QTest.keyClick(view, Qt.Key.Key_Right)
        assert view.isExpanded(model.index(0, 0))
        QTest.keyClick(view, Qt.Key.Key_Down)
        here = view.currentIndex()
        assert here.data() == "files"
        assert here.data(Qt.ItemDataRole.AccessibleTextRole) == "files, [2] a, b"
        QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: QGuiApplication.clipboard().text() == '[\n  "a",\n  "b"\n]')

        large = model.index(1, 0)
        assert model.hasChildren(large)
        view.expand(large)
        await until(lambda: model.rowCount(large) == 1)

        await engine.deliver("one", "hello")
        await until(lambda: model.rowCount() == 4)
        assert view.isExpanded(model.index(0, 0)), "what is open stays open as records come"
        window.view_model.revealing.go(window.view_model.table.keys[0])
        details.show(None)
        await until(lambda: model.rowCount(QModelIndex()) == 0)
