"""Every window works by the keyboard alone and reads out: names, roles, labels, the way of Tab."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.viewmodels.table.columns import COLUMNS

sys.path.insert(0, str(Path(__file__).parent))

import accessible
from showing import asking, choose, dialogs, each_tab, failing, opened, until

sys.path.pop(0)


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))


async def look(window: QWidget) -> list[str]:
    """What is wrong with a window, with each tab of it in front."""
    window.activateWindow()
    await until(lambda: QApplication.activeWindow() is window, f"{window.windowTitle()!r} in front")
    found = []
    async for tab in each_tab(window):
        found += [f"{each} (tab {tab!r})" if tab else each for each in wrong_now(window)]
    return [*dict.fromkeys(found)]


def wrong_now(window: QWidget) -> list[str]:
    found = accessible.bad_names(window) + accessible.bad_labels(window)
    return found + accessible.left_out(window) + accessible.left_out(window, back=True)


async def test_the_first_window_can_be_used_without_a_mouse_and_read_out(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        await until(lambda: window.welcome.cards, "cards")
        assert await look(window) == []


async def test_the_window_with_its_details_can_be_used_without_a_mouse_and_read_out(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        engine = window.view_model.engine
        await engine.start(asking(), id="a")
        await engine.start(failing(), id="b")
        await until(lambda: window.view_model.table.counts.get("failed") == 1, "a failure")
        for id in ("a", "b"):
            await choose(window, id)
            assert await look(window) == []
        assert accessible.bad_cells(window.table, (each.title() for each in COLUMNS)) == []
        assert accessible.bad_toolbars(window) == []
        assert accessible.bad_shortcuts(window) == []


async def test_tab_goes_from_the_sidebar_to_the_table_and_on_to_its_details(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        await window.view_model.engine.start(asking(), id="a")
        await choose(window, "a")
        window.activateWindow()
        await until(lambda: QApplication.activeWindow() is window, "the window in front")
        await until(lambda: window._pages.currentWidget() is window._splitter, "the table")
        window.sidebar.setFocus()
        came = accessible.walk(window, back=False)
        assert came[:2] == [window.sidebar, window.table]
        assert came[2] is not None and window.details.isAncestorOf(came[2])
        # They are made with the first workflow, after what stands elsewhere in the window.
        details = window.details
        stops = (
            window.table,
            details.parts.head.copy,
            details.parts.tabs.tabBar(),
            details.parts.overview.facts,
            window.search,
        )
        assert [each for each in came if each in stops] == [*stops]


async def test_the_keyboard_goes_where_the_page_goes(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        await until(lambda: window.welcome.cards, "cards")
        window.welcome.cards[0].setFocus()
        await window.view_model.engine.start(asking(), id="a")
        await until(lambda: window.focusWidget() is window.table, "the focus in the table")
        QTest.keyClicks(window.search, "nothing like it")
        window.search.setFocus()
        await until(lambda: window._pages.currentWidget() is window._nothing, "the page of nothing")
        assert window.focusWidget() is window.search


async def test_every_command_that_opens_a_dialog_opens_one_that_can_be_used(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        await window.view_model.engine.start(failing(), id="b")
        await until(lambda: window.view_model.table.counts.get("failed") == 1, "a failure")
        await choose(window, "b")
        seen, wrong = [], {}
        async for name, dialog in dialogs(window):
            if not isinstance(dialog, QFileDialog):  # Qt's own, or the platform's
                if found := await look(dialog):
                    wrong[name] = found
                if dialog.windowTitle() == "":
                    wrong.setdefault(name, []).append("the dialog has no title")
            seen.append(name)
        assert "new" in seen
        assert wrong == {}


async def test_menus_open_by_their_letters(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        window.activateWindow()
        await until(lambda: QApplication.activeWindow() is window, "the window in front")
        for action in window.menuBar().actions():
            letter = accessible.mnemonic(action.text()).removeprefix("Alt+")
            QTest.keyClick(window, letter.lower(), Qt.KeyboardModifier.AltModifier)
            await until(action.menu().isVisible, f"the menu {action.text()!r}")
            action.menu().close()


# --- that each fault is found -----------------------------------------------------------------------


async def test_a_window_full_of_faults_is_told_of_each() -> None:
    dialog = QDialog()
    dialog.setWindowTitle("Faults")
    unnamed, trap, skipped = QLineEdit(), QPlainTextEdit(), QPushButton("Skipped")
    trap.setAccessibleName("Trap")
    skipped.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    form = QFormLayout()
    row = QWidget()
    QHBoxLayout(row).addWidget(QLineEdit())
    form.addRow(QLabel("Row"), row)
    deaf = QLabel("&Deaf")
    deaf.setBuddy(row)
    form.addRow(deaf)
    whole = QVBoxLayout(dialog)
    for each in (unnamed, trap, skipped):
        whole.addWidget(each)
    whole.addLayout(form)
    dialog.show()
    found = "\n".join(await look(dialog))
    assert "QLineEdit '' has no name" in found
    assert "QPushButton 'Skipped' is left out" in found
    assert "QLabel 'Row' is no buddy" in found
    assert "QLabel '&Deaf' has a mnemonic that leads to what takes no keyboard" in found
    trap.setFocus()
    assert "QPlainTextEdit 'Trap' lets nobody go" in "\n".join(accessible.left_out(dialog))
    trap.setTabChangesFocus(True)
    skipped.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    assert accessible.left_out(dialog) == []
    dialog.close()


def test_keys_that_mean_two_things_are_told_of() -> None:
    window = QMainWindow()
    menu = window.menuBar().addMenu("&File")
    for text in ("&One", "&Other"):
        menu.addAction(text).setShortcut("Ctrl+O")
    window.menuBar().addMenu("Untold")
    bar = window.addToolBar("Bar")
    bar.addAction("Alone")
    bar.addWidget(QToolButton())
    assert accessible.bad_shortcuts(window) == [
        "Ctrl+O means 2 things",
        "Alt+O means 2 things",
        "the menu 'Untold' has no mnemonic",
    ]
    assert accessible.bad_toolbars(window) == [
        "'Alone' is in the toolbar and in no menu",
        "a button of the toolbar says nothing",
    ]
