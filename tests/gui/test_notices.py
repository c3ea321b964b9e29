"""The bar above the table: a person reads, presses and closes, by mouse and by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from stepfast_desktop.qt.notices import NoticeBar
from stepfast_desktop.viewmodels.notices import Notice, Notices


@pytest.fixture
def notices() -> Notices:
    return Notices()


@pytest.fixture
def bar(notices: Notices, qtbot: QtBot) -> Iterator[NoticeBar]:
    around = QWidget()
    around.setGeometry(0, 0, 700, 300)
    layout = QVBoxLayout(around)
    bar = NoticeBar(notices)
    layout.addWidget(bar)
    layout.addWidget(QLineEdit(objectName="below"))
    layout.addStretch(1)
    qtbot.addWidget(around)
    around.show()
    around.activateWindow()
    qtbot.waitUntil(around.isActiveWindow, timeout=60_000)
    yield bar
    bar.let_go()


def texts(bar: NoticeBar) -> list[str]:
    return [each.text.text() for each in bar.lines]


def test_without_a_notice_it_takes_no_room(bar: NoticeBar, notices: Notices) -> None:
    assert not bar.isVisible()
    notices.show(Notice("a", "The computer slept for 2 h."))
    assert bar.isVisible() and texts(bar) == ["The computer slept for 2 h."]
    notices.hide("a")
    assert not bar.isVisible()


def test_a_button_does_what_it_says_and_the_line_goes(bar: NoticeBar, notices: Notices) -> None:
    pressed: list[str] = []
    notices.show(Notice("a", "3 workflows went on.", buttons=(("Show", lambda: pressed.append("show")),)))
    QTest.mouseClick(bar.lines[0].buttons[0], Qt.MouseButton.LeftButton)
    assert pressed == ["show"] and not bar.isVisible()


def test_the_cross_and_escape_close_one(bar: NoticeBar, notices: Notices) -> None:
    notices.show(Notice("a", "first", buttons=(("Show", lambda: None),)))
    notices.show(Notice("b", "second"))
    bar.lines[0].buttons[0].setFocus()
    QTest.keyClick(bar.lines[0].buttons[0], Qt.Key.Key_Escape)
    assert texts(bar) == ["second"]
    # The focus goes on to what is left here, so that Esc closes one after the other.
    assert QApplication.focusWidget() is bar.lines[0].close_button
    cross: Any = bar.lines[0].close_button
    QTest.mouseClick(cross, Qt.MouseButton.LeftButton)
    assert not bar.isVisible()


def test_one_that_stays_has_no_cross_and_hears_no_escape(bar: NoticeBar, notices: Notices) -> None:
    notices.show(Notice("full", "The disk is full.", buttons=(("Try", lambda: None),), stays=True))
    line = bar.lines[0]
    assert line.close_button is None
    line.buttons[0].setFocus()
    QTest.keyClick(line.buttons[0], Qt.Key.Key_Escape)
    QTest.mouseClick(line.buttons[0], Qt.MouseButton.LeftButton)
    assert texts(bar) == ["The disk is full."]


def test_a_text_that_counts_down_keeps_the_button_that_is_being_pressed(
    bar: NoticeBar, notices: Notices
) -> None:
    def counting(seconds: int) -> Notice:
        return Notice("sleep", f"Sleeping in {seconds} s", buttons=(("Cancel", lambda: cancelled.append(1)),))

    cancelled: list[int] = []
    notices.show(counting(60))
    button = bar.lines[0].buttons[0]
    QTest.mousePress(button, Qt.MouseButton.LeftButton)
    notices.show(counting(59))
    assert texts(bar) == ["Sleeping in 59 s"] and bar.lines[0].buttons[0] is button
    QTest.mouseRelease(button, Qt.MouseButton.LeftButton)
    assert cancelled == [1]


def test_the_gravest_is_on_top_and_tab_goes_in_that_order(bar: NoticeBar, notices: Notices) -> None:
    notices.show(Notice("a", "info", buttons=(("A", lambda: None),)))
    notices.show(Notice("b", "error", buttons=(("B", lambda: None),), severity="error"))
    assert texts(bar) == ["error", "info"]
    bar.lines[0].buttons[0].setFocus()
    names = []
    for _ in range(4):
        names.append(QApplication.focusWidget().accessibleName() or QApplication.focusWidget().text())  # type: ignore[attr-defined]
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert names == ["B", "Close this notice", "A", "Close this notice"]


def test_a_screen_reader_hears_how_grave_it_is_and_the_text(bar: NoticeBar, notices: Notices) -> None:
    notices.show(Notice("a", "The clock was set back by 2 h.", severity="warning"))
    interface = QAccessible.queryAccessibleInterface(bar.lines[0])
    assert interface.text(QAccessible.Text.Name) == "Warning: The clock was set back by 2 h."
    cross = bar.lines[0].close_button
    assert cross is not None and cross.accessibleName() == "Close this notice"


def test_text_is_plain_and_a_long_one_wraps(bar: NoticeBar, notices: Notices) -> None:
    notices.show(Notice("a", "<b>x</b>"))
    low = bar.sizeHint().height()
    assert bar.lines[0].text.textFormat() == Qt.TextFormat.PlainText
    notices.show(Notice("a", "a long text " * 40))
    assert bar.lines[0].heightForWidth(600) > low
