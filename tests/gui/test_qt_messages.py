"""What Qt says is in the log, and once."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from PySide6.QtCore import qCritical, qDebug, qInstallMessageHandler, qWarning

from stepfast_desktop.qt.qt_messages import MOST, qt_messages_in_log


def test_what_qt_says_at_every_turn_is_kept_once(caplog: pytest.LogCaptureFixture, lapses: Any) -> None:
    lapses.expect("The connection broke")
    lapses.expect("worse")
    with caplog.at_level(logging.DEBUG, "stepfast.qt"):
        told: list[str] = []
        before = qInstallMessageHandler(lambda kind, context, text: told.append(text))
        try:
            with qt_messages_in_log():
                for _ in range(1000):
                    qWarning("The connection broke")
                qCritical("worse")
                qDebug("aside")
            qWarning("as before")
        finally:
            qInstallMessageHandler(before)
    records = [(record.levelname, record.message) for record in caplog.records]
    assert records == [("WARNING", "The connection broke"), ("ERROR", "worse"), ("DEBUG", "aside")]
    assert told == ["as before"], "afterwards it goes where it went"


def test_it_keeps_no_more_in_mind_than_it_says(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "stepfast.qt"), qt_messages_in_log():
        for number in range(MOST + 1):
            qDebug(f"message {number}")
        qDebug("message 0")
    assert [record.message for record in caplog.records].count("message 0") == 2
