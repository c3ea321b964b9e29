"""The page of an empty table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAccessible, QColor, QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from stepfast import Definition, Engine, Run, workflow
from stepfast.definitions.definition import Registry
from stepfast.memory import MemoryDurable
from stepfast.system.clock import SystemClock
from stepfast_desktop.qt.starting.welcome import CardButton, Welcome
from stepfast_desktop.viewmodels.starting.new_workflow import NewWorkflowViewModel
from stepfast_desktop.workflows.copy_folder import copy_folder


@workflow("download", title="Download a list of files")
async def download(run: Run, addresses: list[str]) -> None:
    """Fetch each address, and carry on in the middle of the largest one, however long that may take.

    Not shown.
    """


@workflow("sums", title="<i>Sums</i> & more")
async def sums(run: Run, folder: Path) -> None: ...


Show = Callable[..., Welcome]


@pytest.fixture
def show(qtbot: QtBot) -> Show:
    def show(*definitions: Definition[..., object], width: int = 1000, height: int = 700) -> Welcome:
        clock = SystemClock()
        engine = Engine(MemoryDurable(clock=clock), Registry(definitions), clock)
        page = Welcome(NewWorkflowViewModel(engine))
        qtbot.addWidget(page)
        page.resize(width, height)
        page.show()
        page.activateWindow()
        qtbot.waitUntil(page.isActiveWindow, timeout=60_000)
        return page

    return show


def texts(page: Welcome) -> list[str]:
    return [each.text() for each in page.findChildren(QLabel) if each.isVisible() and each.text()]


def test_a_first_launch_shows_the_tasks_and_how_little_can_go_wrong(show: Show) -> None:
    said = texts(show(copy_folder))
    assert "Copy a folder ..." in said
    assert "Copy what is in source into destination, with times, permissions and symbolic links." in said
    assert "or drop a folder here" in said
    assert "Quit or crash whenever you like: it carries on." in said


def test_a_click_on_a_card_says_which_task_is_wanted(show: Show) -> None:
    page = show(copy_folder, download)
    wanted: list[str] = []
    page.chosen.connect(wanted.append)
    # On its text too, which is a label in it.
    title = next(each for each in page.findChildren(QLabel) if each.text() == "Download a list of files ...")
    at = title.mapTo(page.window(), title.rect().center())
    QTest.mouseClick(page.window().windowHandle(), Qt.MouseButton.LeftButton, pos=at)
    assert wanted == ["download"]


def test_a_folder_is_dropped_on_the_card_that_shows_it(show: Show) -> None:
    page = show(copy_folder, sums)
    heard: list[tuple[str, list[Path]]] = []
    page.dropped.connect(lambda card, paths: heard.append((card.name, paths)))
    card = page.cards[1]
    mime, text = QMimeData(), QMimeData()
    mime.setUrls([QUrl.fromLocalFile("/a folder")])
    text.setText("words")
    at, copy = QPoint(5, 5), Qt.DropAction.CopyAction
    button, key = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier

    def enter(mime: QMimeData) -> bool:
        event = QDragEnterEvent(at, copy, mime, button, key)
        QApplication.sendEvent(card, event)
        return event.isAccepted()

    def colour() -> QColor:
        return card.grab().toImage().pixelColor(6, card.height() // 2)

    before = colour()
    assert not enter(text)
    over = colour()  # as under the pointer, by Qt
    assert enter(mime) and colour() not in (before, over)
    QApplication.sendEvent(card, QDragLeaveEvent())
    assert colour() == before
    assert enter(mime)
    QApplication.sendEvent(card, QDropEvent(QPointF(at), copy, mime, button, key))
    assert heard == [("sums", [Path("/a folder")])]
    assert colour() == before


def test_cards_are_reached_and_chosen_by_keyboard(show: Show) -> None:
    page = show(copy_folder, download)
    wanted: list[str] = []
    page.chosen.connect(wanted.append)
    page.cards[0].setFocus()
    QTest.keyClick(page.cards[0], Qt.Key.Key_Tab)
    assert page.cards[1].hasFocus()
    QTest.keyClick(page.cards[1], Qt.Key.Key_Space)
    assert wanted == ["download"]


def test_a_card_is_a_button_to_a_screen_reader_with_title_and_summary(show: Show) -> None:
    (card,) = show(copy_folder).cards
    reader = QAccessible.queryAccessibleInterface(card)
    assert reader.role() == QAccessible.Role.Button
    assert reader.text(QAccessible.Text.Name) == "Copy a folder"
    assert reader.text(QAccessible.Text.Description).startswith("Copy what is in source")


def test_titles_are_plain_text_whatever_is_in_them(show: Show) -> None:
    page = show(sums)
    assert "<i>Sums</i> & more ..." in texts(page)
    assert all(each.textFormat() == Qt.TextFormat.PlainText for each in page.cards[0].findChildren(QLabel))


@pytest.mark.parametrize("width", [320, 600, 1000, 2000])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_every_word_has_room_in_any_window(show: Show, width: int, count: int) -> None:
    page = show(*[download, copy_folder, sums][:count], width=width)
    QApplication.processEvents()
    for card in page.cards:
        assert page.rect().contains(card.mapTo(page, QPoint(0, 0)))
        assert card.mapTo(page, card.rect().bottomRight()).x() < width
        for label in card.findChildren(QLabel):
            if not label.isHidden():
                assert label.height() >= label.heightForWidth(label.width())
                assert card.rect().contains(label.geometry())
    columns = {card.x() for card in page.cards}
    assert len(columns) == (2 if count > 1 and width >= 1000 else 1)


def test_a_low_window_scrolls_to_the_card_that_has_the_focus(show: Show) -> None:
    page = show(copy_folder, download, sums, width=400, height=220)
    page.cards[0].setFocus()
    for card in page.cards[:2]:
        QTest.keyClick(card, Qt.Key.Key_Tab)
    QApplication.processEvents()
    last = page.cards[-1]
    assert last.hasFocus()
    assert page.rect().contains(last.mapTo(page, last.rect().center()))


def test_a_page_that_is_gone_listens_to_nothing(qtbot: QtBot) -> None:
    clock = SystemClock()
    view_model = NewWorkflowViewModel(
        Engine(MemoryDurable(clock=clock), Registry([copy_folder, sums]), clock)
    )
    page = Welcome(view_model)
    assert all(isinstance(each, CardButton) for each in page.cards)
    page.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    view_model.choose("sums")


def test_a_preset_is_a_card_of_its_own(show: Show) -> None:
    page = show(copy_folder, download)
    view_model = page._view_model
    view_model.save_preset("Photos to the stick")
    assert [each.accessibleName() for each in page.cards] == [
        "Copy a folder",
        "Photos to the stick",
        "Download a list of files",
    ]
    wanted: list[tuple[str, str]] = []
    page.preset_chosen.connect(lambda name, preset: wanted.append((name, preset)))
    QTest.keyClick(page.cards[1], Qt.Key.Key_Space)
    assert wanted == [("copy-folder", "Photos to the stick")]
