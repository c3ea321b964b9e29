"""Forms on the screen: typed into, clicked and read as a person would."""

from __future__ import annotations

import enum
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAccessible, QDragEnterEvent, QDropEvent, QPalette, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDateTimeEdit,
    QFileDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from stepfast import Run, Secret, workflow
from stepfast.hints import Help, Title
from stepfast_desktop.qt import palette as palettes
from stepfast_desktop.qt.starting.dropping import paths_of
from stepfast_desktop.qt.starting.form import FormWidget, with_mnemonics
from stepfast_desktop.viewmodels.starting.form import FormViewModel
from stepfast_desktop.workflows.copy_folder import copy_folder

NOON = datetime(2026, 11, 29, 12, 34)  # noqa: DTZ001  (a form's moments are local ones)


class Colour(enum.Enum):
    RED = "red"
    DARK_BLUE = "blue"


@workflow("everything")
async def everything(
    run: Run,
    text: str,
    number: int,
    length: timedelta,
    colour: Colour,
    folders: list[Path],
    day: date,
    moment: datetime,
    clock: time,
    sure: bool,
    maybe_day: date | None = None,
    maybe_sure: bool | None = None,
    price: Decimal = Decimal("1.50"),
    anything: Annotated[Any, Title("A & B"), Help("<b>Whatever</b>")] = None,
) -> None: ...


Show = Callable[[FormViewModel[Any]], FormWidget]


@pytest.fixture
def show(qtbot: QtBot) -> Show:
    """Shows a form in a window of its own, with a button below it."""

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


def form() -> FormViewModel[Any]:
    return FormViewModel(everything, now=lambda: NOON)


def line(widget: FormWidget, name: str) -> QLineEdit:
    found = widget.editor(name).findChild(QLineEdit)
    assert found is not None
    return found


def part(widget: FormWidget, name: str, kind: type[Any]) -> Any:
    found = widget.editor(name).findChild(kind)
    assert found is not None
    return found


def test_what_is_typed_is_checked_with_each_letter_and_said_below(show: Show) -> None:
    filled = form()
    widget = show(filled)
    QTest.keyClicks(line(widget, "length"), "90")
    assert widget.message("length").text() == "Write how long, with its unit: 90s, 5m or 1h30m."
    QTest.keyClicks(line(widget, "length"), "s")
    assert widget.message("length").text() == ""
    assert filled.field("length").value == timedelta(seconds=90)


def test_the_cursor_stays_where_one_types(show: Show) -> None:
    filled = form()
    widget = show(filled)
    edit = line(widget, "text")
    QTest.keyClicks(edit, "ac")
    QTest.keyClick(edit, Qt.Key.Key_Left)
    QTest.keyClicks(edit, "b")
    assert (edit.text(), edit.cursorPosition()) == ("abc", 2)
    QTest.keyClick(edit, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert filled.field("text").text == edit.text() != "abc"


def test_help_gives_way_to_what_is_wrong_and_nothing_moves(show: Show) -> None:
    filled = FormViewModel(copy_folder)
    widget = show(filled)
    below = [widget.message(each.name) for each in filled.fields]
    assert below[0].text() == "The folder whose contents are copied"
    places = [each.mapTo(widget, QPoint()) for each in below]
    filled.show_errors()
    QApplication.processEvents()
    assert below[0].text() == "Choose a folder."
    assert [each.mapTo(widget, QPoint()) for each in below] == places


def test_a_field_that_is_left_empty_says_so_but_not_for_its_own_button(show: Show) -> None:
    filled = FormViewModel(copy_folder)
    widget = show(filled)
    widget.go_to_first()
    source = line(widget, "source")
    assert source.hasFocus()
    QTest.keyClick(source, Qt.Key.Key_Tab)
    assert part(widget, "source", QPushButton).hasFocus()
    assert filled.field("source").error == ""
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert line(widget, "destination").hasFocus()
    assert filled.field("source").error == "Choose a folder."
    assert filled.field("destination").error == ""


def test_tab_goes_through_all_of_it_from_top_to_bottom(show: Show) -> None:
    widget = show(form())
    order: list[QWidget] = []
    for name in ("text", "number", "length", "colour", "folders", "day", "moment", "clock", "sure"):
        order += widget.editor(name).tab_order()
    # Where a day is not given, there is nothing behind its box to go to.
    order += [widget.editor("maybe_day").focus, widget.editor("maybe_sure").focus]
    order += [widget.editor("price").focus, widget.editor("anything").focus]
    order[0].setFocus()
    seen = []
    for _ in order:
        focused = QApplication.focusWidget()
        assert focused is not None
        seen.append(focused)
        for _ in range(10):  # a date has parts of its own to go through
            if QApplication.focusWidget() is focused:
                QTest.keyClick(focused, Qt.Key.Key_Tab)
    assert seen == order


def test_alt_and_a_letter_lead_to_a_field(show: Show, qtbot: QtBot) -> None:
    widget = show(FormViewModel(copy_folder))
    labels = {each.text(): each.buddy() for each in widget.findChildren(QLabel) if each.buddy() is not None}
    assert labels["&Destination"] is line(widget, "destination")
    widget.go_to_first()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_D, Qt.KeyboardModifier.AltModifier)
    assert line(widget, "destination").hasFocus()
    box = part(widget, "verify", QCheckBox)
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_V, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: not box.isChecked(), timeout=60_000)


def test_no_two_mnemonics_are_the_same() -> None:
    titles = ["Source", "Size", "A & B", "&", "日本", "s", "e"]
    assert with_mnemonics(titles, taken="b") == ["&Source", "S&ize", "&A && B", "&&", "日本", "s", "&e"]


def test_every_field_has_a_name_and_says_its_message_to_a_screen_reader(show: Show) -> None:
    filled = form()
    widget = show(filled)
    filled.show_errors()
    for field in filled.fields:
        focus = widget.editor(field.name).focus
        assert focus.accessibleName() == field.title + (" (optional)" if field.optional else "")
        reader = QAccessible.queryAccessibleInterface(focus)
        said = reader.text(QAccessible.Text.Description)
        assert said == (field.error or field.help) or (field.name == "moment" and "UTC" in said)
    for button in widget.findChildren(QPushButton):
        assert button.accessibleName()


def test_what_others_wrote_is_never_taken_for_html(show: Show) -> None:
    widget = show(form())
    assert widget.message("anything").text() == "<b>Whatever</b>"
    assert all(each.textFormat() == Qt.TextFormat.PlainText for each in widget.findChildren(QLabel))
    assert any(each.text() == "&A && B" or "&&" in each.text() for each in widget.findChildren(QLabel))


def test_a_number_has_arrows_and_the_wheel_scrolls_past_it(show: Show) -> None:
    filled = form()
    widget = show(filled)
    box = widget.editor("number").focus
    QTest.keyClicks(line(widget, "number"), "99999999999999999999")
    QTest.keyClick(box, Qt.Key.Key_Up)
    assert filled.field("number").value == 10**20
    assert line(widget, "number").text() == "1" + "0" * 20
    widget.editor("text").focus.setFocus()
    QApplication.processEvents()
    assert line(widget, "number").text() == "1" + "0" * 20
    price = widget.editor("price").focus
    for each in (price, widget.editor("maybe_sure").focus, widget.editor("day").focus):
        at = QPointF(5, 5)
        no_button, no_key = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
        turn = QWheelEvent(
            at, at, QPoint(), QPoint(0, 120), no_button, no_key, Qt.ScrollPhase.NoScrollPhase, False
        )
        QApplication.sendEvent(each, turn)
    assert filled.field("price").text == "1.50"
    assert filled.field("maybe_sure").text == ""
    assert filled.field("day").value == NOON.date()


def test_a_choice_is_made_by_keyboard_and_none_is_made_for_one(show: Show) -> None:
    filled = form()
    widget = show(filled)
    colour: QComboBox = part(widget, "colour", QComboBox)
    assert colour.currentText() == "" and not filled.field("colour").text
    colour.setFocus()
    QTest.keyClick(colour, Qt.Key.Key_Down)
    QTest.keyClick(colour, Qt.Key.Key_Down)
    assert colour.currentText() == "Dark blue"
    assert filled.field("colour").value is Colour.DARK_BLUE
    maybe: QComboBox = part(widget, "maybe_sure", QComboBox)
    assert [maybe.itemText(at) for at in range(maybe.count())] == ["Nothing", "Yes", "No"]
    maybe.setFocus()
    QTest.keyClick(maybe, Qt.Key.Key_Down)
    assert filled.field("maybe_sure").value is True


def test_days_and_times_are_shown_as_they_are_used(show: Show) -> None:
    filled = form()
    widget = show(filled)
    day: QDateTimeEdit = part(widget, "day", QDateTimeEdit)
    assert "2026" in day.text()
    day.setFocus()
    day.setCurrentSection(QDateTimeEdit.Section.YearSection)
    QTest.keyClick(day, Qt.Key.Key_Up)
    assert filled.field("day").value == date(2027, 11, 29)
    clock: QDateTimeEdit = part(widget, "clock", QDateTimeEdit)
    clock.setFocus()
    clock.setCurrentSection(QDateTimeEdit.Section.HourSection)
    QTest.keyClick(clock, Qt.Key.Key_Up)
    assert filled.field("clock").value == time(1, 0)
    filled.set("moment", datetime(2026, 1, 2, 3, 4))  # noqa: DTZ001
    assert part(widget, "moment", QDateTimeEdit).dateTime().toPython() == datetime(2026, 1, 2, 3, 4)  # noqa: DTZ001
    assert filled.field("moment").value == datetime(2026, 1, 2, 3, 4)  # noqa: DTZ001


def test_a_day_that_may_be_left_open_has_a_box_to_tick(show: Show) -> None:
    filled = form()
    widget = show(filled)
    box, edit = widget.editor("maybe_day").tab_order()
    assert isinstance(box, QCheckBox) and not box.isChecked() and not edit.isEnabled()
    before = date.today()  # noqa: DTZ011  (local, and tomorrow by the next line where it is midnight)
    QTest.mouseClick(box, Qt.MouseButton.LeftButton)
    assert edit.isEnabled()
    assert before <= filled.field("maybe_day").value <= date.today()  # noqa: DTZ011
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert filled.field("maybe_day").value is None


def test_yes_or_no_is_a_box_with_its_title_in_it(show: Show) -> None:
    filled = form()
    widget = show(filled)
    box: QCheckBox = part(widget, "sure", QCheckBox)
    assert box.text().replace("&", "") == "Sure" and not box.isChecked()
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert filled.field("sure").value is True
    filled.set("sure", "no")
    assert not box.isChecked()


# --- files and folders ----------------------------------------------------------------------------


def test_browse_opens_a_dialog_that_stops_nothing_and_fills_in_the_folder(
    show: Show, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "pictures").mkdir()
    filled = FormViewModel(copy_folder)
    widget = show(filled)
    filled.set("source", str(tmp_path / "pictures" / "not there yet"))
    button = part(widget, "source", QPushButton)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)  # comes back, though the dialog is open
    dialog = widget.findChild(QFileDialog)
    assert dialog is not None
    assert dialog.fileMode() == QFileDialog.FileMode.Directory
    assert Path(dialog.directory().absolutePath()) == tmp_path / "pictures"
    dialog.filesSelected.emit([str(tmp_path / "pictures")])
    dialog.reject()
    assert line(widget, "source").text() == str(tmp_path / "pictures")
    assert filled.field("source").value == tmp_path / "pictures"
    qtbot.waitUntil(lambda: widget.findChild(QFileDialog) is None, timeout=60_000)


def test_where_a_file_or_a_folder_may_be_meant_browse_asks_which(show: Show, qtbot: QtBot) -> None:
    @workflow("look")
    async def look(run: Run, at: Path, files: list[Path]) -> None: ...

    widget = show(FormViewModel(look))
    menu = part(widget, "at", QPushButton).menu()
    assert [each.text() for each in menu.actions()] == ["Folder ...", "File ..."]
    menu.actions()[1].trigger()
    dialog = widget.findChild(QFileDialog)
    assert dialog is not None and dialog.fileMode() == QFileDialog.FileMode.ExistingFile
    dialog.reject()
    qtbot.waitUntil(lambda: widget.findChild(QFileDialog) is None, timeout=60_000)
    texts = [each.text() for each in widget.editor("files").findChildren(QPushButton)]
    assert texts == ["Add files ...", "Remove", "Move up", "Move down"]


def mime_of(*paths: Path | bytes) -> QMimeData:
    mime = QMimeData()
    mime.setUrls(
        [
            QUrl.fromEncoded(b"file://" + each) if isinstance(each, bytes) else QUrl.fromLocalFile(str(each))
            for each in paths
        ]
    )
    return mime


def drop(on: QWidget, mime: QMimeData) -> bool:
    at, copy = QPointF(5, 5), Qt.DropAction.CopyAction
    button, key = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(at.toPoint(), copy, mime, button, key)
    QApplication.sendEvent(on, enter)
    if not enter.isAccepted():
        return False
    event = QDropEvent(at, copy, mime, button, key)
    QApplication.sendEvent(on, event)
    return event.isAccepted()


def test_a_folder_dropped_on_a_line_takes_the_place_of_what_was_there(show: Show) -> None:
    filled = FormViewModel(copy_folder)
    widget = show(filled)
    filled.set("source", "/old")
    assert drop(line(widget, "source"), mime_of(Path("/new folder")))
    assert line(widget, "source").text() == "/new folder"
    assert filled.field("source").value == Path("/new folder")
    assert not drop(line(widget, "source"), mime_of(Path("/a"), Path("/b")))
    assert filled.field("source").value == Path("/new folder")


def test_text_dropped_on_a_line_is_text(show: Show) -> None:
    widget = show(FormViewModel(copy_folder))
    mime = QMimeData()
    mime.setText("/typed")
    assert drop(line(widget, "source"), mime)
    assert line(widget, "source").text() == "/typed"


def test_names_that_are_no_text_survive_being_dropped() -> None:
    assert [bytes(each) for each in paths_of(mime_of(b"/tmp/a%FFb", b"/tmp/c%23d"))] == [
        b"/tmp/a\xffb",
        b"/tmp/c#d",
    ]
    mime = QMimeData()
    mime.setUrls([QUrl("https://example.org/a")])
    assert paths_of(mime) == []


# --- how it looks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_wrong_has_the_colour_for_it(show: Show, qapp: QApplication, scheme: str) -> None:
    before = qapp.palette()
    filled = FormViewModel(copy_folder)
    widget = show(filled)
    filled.show_errors()
    try:
        ours = palettes.dark() if scheme == "dark" else palettes.light()
        qapp.setPalette(ours)
        qapp.processEvents()
        role = QPalette.ColorRole.WindowText
        wrong, quiet = widget.message("source").palette(), widget.message("verify").palette()
        assert wrong.color(role) == palettes.tone_colours("bad", ours).text
        assert quiet.color(role) == palettes.quiet(ours)
    finally:
        qapp.setPalette(before)


def test_another_form_takes_the_place_of_the_first(show: Show) -> None:
    first = form()
    widget = show(first)
    second = FormViewModel(copy_folder)
    widget.show_form(second)
    widget.go_to_first()
    assert line(widget, "source").hasFocus()
    first.set("text", "nobody listens")
    second.set("source", "/a")
    assert line(widget, "source").text() == "/a"
    widget.show_form(None)
    second.set("source", "/b")


def test_a_form_that_is_gone_listens_to_nothing(qtbot: QtBot) -> None:
    filled = FormViewModel(copy_folder)
    widget = FormWidget()
    widget.show_form(filled)
    widget.deleteLater()
    QApplication.sendPostedEvents(None, 52)  # QEvent.DeferredDelete
    QApplication.processEvents()
    filled.set("source", "/a")


@workflow("login")
async def login(run: Run, password: Secret) -> None: ...


def test_a_secret_is_dots_and_does_not_go_to_the_clipboard(show: Show) -> None:
    form = FormViewModel(login)
    widget = show(form)
    (line,) = widget.findChildren(QLineEdit)
    line.setFocus()
    QTest.keyClicks(line, "hunter2")
    assert form.field("password").text == "hunter2"
    assert line.echoMode() is QLineEdit.EchoMode.Password and "hunter2" not in line.displayText()
    assert line.inputMethodHints() & Qt.InputMethodHint.ImhSensitiveData
    clipboard = QApplication.clipboard()
    clipboard.setText("before")
    line.selectAll()
    line.copy()
    assert (clipboard.text(), line.text()) == ("before", "hunter2")
    reader = QAccessible.queryAccessibleInterface(line)
    assert reader.state().passwordEdit and "hunter2" not in reader.text(QAccessible.Text.Value)
    request = form.request()
    assert request is not None and request.secrets == {"password": "hunter2"}
