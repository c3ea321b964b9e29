"""Texts from elsewhere, of any length, in labels and in the window that has them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from stepfast import Run, workflow
from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.labels import ModestLabel
from stepfast_desktop.qt.message import Message
from stepfast_desktop.qt.starting.new_workflow import NewWorkflowDialog

LONG = "W" * 3000


@workflow("long", title=LONG)
async def long(run: Run) -> str:
    """Ends in a word that is long, too."""
    return await run.awaiting(LONG, into=str)


@workflow("failing", title="Failing")
async def failing(run: Run) -> None:
    raise ValueError(LONG)


def test_a_line_that_is_too_long_is_cut_and_the_text_stays_whole() -> None:
    label = ModestLabel(LONG)
    label.resize(200, 30)
    assert label.minimumSizeHint().width() < 300 and label.sizeHint().width() < 2000
    assert label.shown.endswith("…") and label.fontMetrics().horizontalAdvance(label.shown) <= 200
    assert label.text() == LONG, "what a screen reader reads out"
    short = ModestLabel("Ready")
    assert short.minimumSizeHint().width() >= short.fontMetrics().horizontalAdvance("Ready")


def test_a_message_with_a_long_word_is_not_wider_than_its_place() -> None:
    message = Message()
    message.say(f"There is no {LONG}")
    assert message.minimumSizeHint().width() < 600


async def test_no_title_question_or_error_makes_the_window_wider(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))
    async with open_window([long, failing], tmp_path) as window:
        engine = window.view_model.engine
        for request in (long(), failing()):
            handle = await engine.start(request)
            (row,) = [each for each in await engine.list() if each.id == handle.id]
            window.view_model.revealing.reveal([row.key])
            async with asyncio.timeout(60):
                while window.details.parts.head.title.text() not in (LONG, "Failing"):
                    await asyncio.sleep(0.01)
                while row.state.name not in ("waiting", "failed"):
                    row = await engine.summary(handle.id)
                    await asyncio.sleep(0.01)
            QApplication.sendPostedEvents()
            assert window.minimumSizeHint().width() < 1500
        window.open_new("long")
        dialog = window.findChild(NewWorkflowDialog)
        assert dialog.title.text() == LONG
        assert dialog.sizeHint().width() < 2500 and dialog.minimumSizeHint().width() < 1500
        dialog.close()
