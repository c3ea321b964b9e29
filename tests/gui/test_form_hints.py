"""Fields that hints ask for: lists of files, several lines, bounds, units, moments with their zone."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import pytest
from PySide6.QtCore import QMimeData, QModelIndex, QPoint, QPointF, QRect, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDateTimeEdit, QLabel, QLineEdit, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from stepfast import Run, workflow
from stepfast.hints import Between, File, Lines, Unit
from stepfast_desktop.qt.starting.files_editor import FilesEditor
from stepfast_desktop.qt.starting.form import FormWidget
from stepfast_desktop.viewmodels.starting.form import FormViewModel

Show = Callable[[FormViewModel[Any]], FormWidget]


@workflow("collect")
async def collect(run: Run, folders: list[Path]) -> None: ...


@workflow("hinted")
async def hinted(
    run: Run,
    speed: Annotated[int, Between(1, 10), Unit("MB/s")],
    notes: Annotated[str, Lines()],
    at: datetime,
    files: Annotated[set[Path], File()],
) -> None: ...


@pytest.fixture
def show(qtbot: QtBot) -> Show:
    """Shows a form in a window of its own."""

    def show(form: FormViewModel[Any]) -> FormWidget:
        widget = FormWidget()
        qtbot.addWidget(widget)
        widget.show_form(form)
        widget.resize(600, 900)
        widget.show()
        widget.activateWindow()
        qtbot.waitUntil(widget.isActiveWindow, timeout=60_000)
        return widget

    return show


def part(widget: FormWidget, name: str, kind: type[Any]) -> Any:
    found = widget.editor(name).findChild(kind)
    assert found is not None
    return found


def line(widget: FormWidget, name: str) -> QLineEdit:
    found: QLineEdit = part(widget, name, QLineEdit)
    return found


def mime_of(*paths: Path) -> QMimeData:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(each)) for each in paths])
    return mime


def drop(on: QWidget, mime: QMimeData) -> bool:
    at, copy = QPointF(5, 5), Qt.DropAction.CopyAction
    button, key = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(at.toPoint(), copy, mime, button, key)
    QApplication.sendEvent(on, enter)
    event = QDropEvent(at, copy, mime, button, key)
    QApplication.sendEvent(on, event)
    return enter.isAccepted() and event.isAccepted()


def test_folders_are_dropped_pasted_put_in_order_and_taken_out_again(show: Show) -> None:
    filled = FormViewModel(collect)
    widget = show(filled)
    editor = widget.editor("folders")
    assert isinstance(editor, FilesEditor)
    assert drop(editor.list.viewport(), mime_of(Path("/b"), Path("/c d")))
    QApplication.clipboard().setText("/a\n\n/d\n")
    editor.list.setFocus()
    QTest.keySequence(editor.list, QKeySequence(QKeySequence.StandardKey.Paste))
    QApplication.clipboard().setMimeData(mime_of(Path("/e"), Path("/b")))
    QTest.keySequence(editor.list, QKeySequence(QKeySequence.StandardKey.Paste))
    paths = [Path(each) for each in ("/b", "/c d", "/a", "/d", "/e")]
    assert filled.field("folders").value == paths
    assert [editor.list.item(at).text() for at in range(5)] == [*map(str, paths)]
    editor.list.setCurrentRow(2)
    QTest.keyClick(editor.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    QTest.keyClick(editor.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert filled.field("folders").value == [Path("/a"), *paths[:2], *paths[3:]]
    assert not editor.up.isEnabled() and editor.down.isEnabled()
    QTest.keyClick(editor.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)  # no further than that
    QTest.keyClick(editor.list, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    QTest.mouseClick(editor.down, Qt.MouseButton.LeftButton)
    assert filled.field("folders").value == [Path("/c d"), Path("/a"), Path("/b"), *paths[3:]]
    QTest.keyClick(editor.list, Qt.Key.Key_Delete)
    assert filled.field("folders").value == [Path("/c d"), *paths[3:]]
    editor.list.selectAll()
    QTest.mouseClick(editor.remove, Qt.MouseButton.LeftButton)
    assert widget.message("folders").text() == "Add at least one."
    assert not editor.remove.isEnabled()
    editor.list.setFocus()
    QTest.keyClick(editor.list, Qt.Key.Key_Tab)
    assert editor.buttons[0].hasFocus()


def test_an_item_that_is_dragged_within_the_list_keeps_what_it_is(show: Show) -> None:
    filled = FormViewModel(collect)
    widget = show(filled)
    editor = widget.editor("folders")
    assert isinstance(editor, FilesEditor)
    odd = Path("/two\nlines")
    filled.add("folders", [odd, Path("/b"), Path("/c")])
    assert editor.list.model().moveRow(QModelIndex(), 0, QModelIndex(), 3)
    assert filled.field("folders").value == [Path("/b"), Path("/c"), odd]


def test_a_number_has_its_unit_behind_it_and_stays_in_its_bounds(show: Show) -> None:
    filled = FormViewModel(hinted)
    widget = show(filled)
    assert "MB/s" in [each.text() for each in widget.editor("speed").findChildren(QLabel)]
    QTest.keyClicks(line(widget, "speed"), "11")
    assert widget.message("speed").text() == "Write a number from 1 to 10."
    line(widget, "speed").selectAll()
    QTest.keyClicks(line(widget, "speed"), "9")
    box = widget.editor("speed").focus
    for _ in range(3):
        QTest.keyClick(box, Qt.Key.Key_Up)
    assert filled.field("speed").value == 10


def test_a_text_of_several_lines_has_room_for_them(show: Show) -> None:
    filled = FormViewModel(hinted)
    widget = show(filled)
    edit: QPlainTextEdit = part(widget, "notes", QPlainTextEdit)
    edit.setFocus()
    QTest.keyClicks(edit, "one")
    QTest.keyClick(edit, Qt.Key.Key_Return)
    QTest.keyClicks(edit, "two")
    assert filled.field("notes").value == "one\ntwo"


def test_a_moment_says_in_which_zone_it_is(show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        filled = FormViewModel(hinted)
        widget = show(filled)
        zone = next(each for each in widget.editor("at").findChildren(QLabel))
        filled.set("at", "2026-01-02T03:04")
        assert zone.text() == "CET, UTC+01:00"
        filled.set("at", "2026-07-02T03:04")
        assert zone.text() == "CEST, UTC+02:00"
        assert part(widget, "at", QDateTimeEdit).accessibleDescription() == "CEST, UTC+02:00"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_what_is_in_no_order_is_not_put_in_order(show: Show) -> None:
    filled = FormViewModel(hinted)
    editor = show(filled).editor("files")
    assert isinstance(editor, FilesEditor)
    assert not editor.up.isVisible() and not editor.down.isVisible()
    filled.add("files", [Path("/b"), Path("/a")])
    assert [editor.list.item(at).text() for at in range(2)] == ["/a", "/b"]


def test_a_field_that_the_keyboard_comes_to_by_its_letter_or_since_it_is_wrong_is_seen(show: Show) -> None:
    widget = show(FormViewModel(hinted))
    widget.resize(400, 150)
    QApplication.processEvents()

    def seen(name: str) -> bool:
        field = widget.editor(name).focus
        return (
            widget.viewport().rect().intersects(QRect(field.mapTo(widget.viewport(), QPoint()), field.size()))
        )

    assert seen("speed") and not seen("files")
    QTest.keyClick(widget, Qt.Key.Key_F, Qt.KeyboardModifier.AltModifier)
    assert widget.editor("files").focus.hasFocus() and seen("files")
    widget.go_to_first()
    assert widget.editor("speed").focus.hasFocus() and seen("speed")


def test_an_empty_list_shows_that_it_has_the_keyboard(show: Show) -> None:
    filled = FormViewModel(collect)
    editor = show(filled).editor("folders")
    assert isinstance(editor, FilesEditor)

    def edge() -> QColor:
        shown = editor.list.viewport().grab().toImage()
        return shown.pixelColor(shown.width() // 2, shown.height() - 1)

    editor.buttons[0].setFocus()
    before = edge()
    editor.list.setFocus()
    assert edge() != before
    filled.put_paths("folders", [Path("/a")])
    assert edge() == before, "where there is a row, that is marked"
