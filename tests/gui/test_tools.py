"""Settings, schedules, diagnostics and help: opened from the menus, filled in by keyboard and mouse."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLabel, QWidget

from stepfast import Engine, Run, workflow
from stepfast.schedules import Daily, Every, rule_from
from stepfast_desktop.bootstrap import _main, open_window
from stepfast_desktop.qt.application import choose_appearance
from stepfast_desktop.qt.main_window import MainWindow
from stepfast_desktop.qt.palette import dark, is_dark
from stepfast_desktop.qt.tools.bug_report import BugReportDialog
from stepfast_desktop.qt.tools.diagnostics import BackupsDialog, DiagnosticsDialog
from stepfast_desktop.qt.tools.help import AboutDialog, ShortcutsDialog
from stepfast_desktop.qt.tools.limits_tab import LimitsTab
from stepfast_desktop.qt.tools.schedules import SchedulesDialog
from stepfast_desktop.qt.tools.settings_dialog import SettingsDialog
from stepfast_desktop.qt.tools.tools import Around
from stepfast_desktop.reports import Reports
from stepfast_desktop.settings import Settings, settings_file
from stepfast_desktop.viewmodels.leaving.reopen import Reopen
from stepfast_desktop.workflows.throttle import limit


@workflow("greet", title="Greet somebody")
async def greet(run: Run, name: str = "you") -> str:
    run.log(f"greeting {name}")
    return f"hello {name}"


@workflow("stay")
async def stay(run: Run) -> None:
    await run.step("for long", asyncio.sleep, 3600)


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STEPFAST_CONFIG", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


@asynccontextmanager
async def opened(tmp_path: Path, **more: Any) -> AsyncIterator[MainWindow]:
    async with open_window([greet], tmp_path / "data", **more) as window:
        yield window


def choose(window: MainWindow, command: str) -> Any:
    """Choose a command from its menu; gives the dialog."""
    menus = [menu for menu in window.menus.values() if window.commands[command] in menu.actions()]
    assert len(menus) == 1
    window.commands[command].trigger()
    dialog = window.tools.dialog(command)
    assert dialog is None or dialog.isVisible()
    return dialog


def click(widget: QWidget) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def tick(box: QCheckBox) -> None:
    """Where its mark is: it may be wider than its text."""
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(box.height() // 2, box.height() // 2))


def pick(box: QComboBox, value: object) -> None:
    """By keyboard, as a person goes through a list."""
    box.setFocus()
    while box.currentData() != value:
        before = box.currentIndex()
        step = Qt.Key.Key_Down if before < box.findData(value) else Qt.Key.Key_Up
        QTest.keyClick(box, step)
        assert box.currentIndex() != before


async def test_settings_count_at_once_and_are_kept(tmp_path: Path) -> None:
    reports = Reports(tmp_path / "log")
    palette = QApplication.palette()
    try:
        with reports:
            async with opened(tmp_path, reports=reports) as window:
                engine = window.view_model.engine
                dialog = choose(window, "settings")
                assert isinstance(dialog, SettingsDialog)
                pick(dialog.boxes["appearance"], "dark")
                assert is_dark(QApplication.palette()) and QApplication.palette().color(
                    dark().ColorRole.Base
                ) == dark().color(dark().ColorRole.Base)
                pick(dialog.boxes["log_level"], "debug")
                assert logging.getLogger("stepfast").level == logging.DEBUG
                dialog.tabs.setCurrentIndex(1)
                edit = dialog.numbers["speed_limit"].edit
                QTest.keyClicks(edit, "fast")
                assert "A whole number" in dialog.numbers["speed_limit"].message.text()
                assert dialog.numbers["speed_limit"].message.isVisible() and limit.rate == 0
                QTest.keyClick(edit, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
                QTest.keyClicks(edit, "20")
                assert limit.rate == 20_000_000
                assert not dialog.numbers["speed_limit"].message.isVisible()
                QTest.keyClicks(dialog.numbers["at_once"].edit, "3")
                assert engine.concurrency == 3
                days = dialog.numbers["retention_days"].edit
                days.selectAll()
                QTest.keyClicks(days, "3")
                assert engine.retention.age == timedelta(days=180)
                QTest.keyClicks(days, "0")
                QTest.keyClick(days, Qt.Key.Key_Return)
                assert dialog.isVisible()
                assert engine.retention.age == timedelta(days=30)
                dialog.tabs.setCurrentIndex(2)
                tick(dialog.ticks["notify_finished"])
                assert not dialog.numbers["long_minutes"].isEnabled()
                QTest.keyClick(dialog, Qt.Key.Key_Escape)
                assert not dialog.isVisible()
        kept = Settings(tmp_path / "data")
        assert (kept.get("appearance"), kept.get("speed_limit"), kept.get("at_once")) == ("dark", 20, 3)
        assert kept.retention.age == timedelta(days=30) and kept.get("notify_finished") is False
        async with opened(tmp_path) as window:
            assert limit.rate == 20_000_000 and window.view_model.engine.concurrency == 3
            assert choose(window, "settings").numbers["speed_limit"].edit.text() == "20"
    finally:
        limit.set(0)
        choose_appearance("light")
        QApplication.setPalette(palette)


async def test_how_many_run_at_once_is_set_by_definition(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        dialog = choose(window, "settings")
        dialog.tabs.setCurrentIndex(3)
        tab = dialog.tabs.currentWidget()
        assert isinstance(tab, LimitsTab) and dialog.tabs.tabText(3) == "L&imits"
        (name,) = [each for each in tab.numbers if each.startswith("definition greet")]
        row = tab.numbers[name]
        QTest.keyClicks(row.edit, "none")
        assert row.message.isVisible() and row.edit.accessibleDescription()
        row.edit.selectAll()
        QTest.keyClicks(row.edit, "4")
        assert not row.message.isVisible()
        dialog.close()
    assert Settings(tmp_path / "data").get("limits") == {"greet": 4}


async def test_every_field_of_the_settings_has_a_name_and_a_label(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        dialog = choose(window, "settings")
        for each in [*dialog.boxes.values(), *(row.edit for row in dialog.numbers.values())]:
            assert each.accessibleName() and "&" not in each.accessibleName()
        buddies = {label.buddy() for label in dialog.findChildren(QLabel)}
        assert {*dialog.boxes.values()} <= buddies


class Login:
    """A system that starts programs at login."""

    def __init__(self) -> None:
        self.on = False

    def is_on(self) -> bool:
        return self.on

    def turn(self, on: bool) -> None:
        self.on = on


async def test_starting_at_login_is_a_tick(tmp_path: Path) -> None:
    login = Login()
    async with opened(tmp_path) as window:
        window.tools.around = Around(Settings(tmp_path / "data"), None, login)
        dialog = choose(window, "settings")
        assert not dialog.login.isEnabled()  # until it is known
        await until(dialog.login.isEnabled)
        assert not dialog.login.isChecked()
        tick(dialog.login)
        await until(lambda: login.on and dialog.login.isEnabled())
        assert dialog.login.isChecked()
        dialog.close()
        assert window.view_model.preferences["offered_login_start"], "who has chosen is asked no more"


async def test_what_starts_at_login_is_the_same_in_the_settings_and_in_the_menu(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        login = Login()
        window.view_model.login_start._login_start = login
        window.tools.around = Around(Settings(tmp_path / "data"), None, login)
        dialog = choose(window, "settings")
        await until(dialog.login.isEnabled)
        tick(dialog.login)
        await until(lambda: login.on and window.commands["login-start"].isChecked())
        dialog.close()
        window.commands["login-start"].trigger()
        assert not login.on
        assert choose(window, "settings") is dialog
        await until(lambda: dialog.login.isEnabled() and not dialog.login.isChecked())
        dialog.close()


async def test_a_schedule_is_made_run_changed_and_removed(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        engine = window.view_model.engine
        dialog = choose(window, "schedules")
        assert isinstance(dialog, SchedulesDialog)
        assert not dialog.edit.isEnabled() and not dialog.remove.isEnabled()
        click(dialog.new)
        editor = dialog.editor
        assert editor is not None and editor.isVisible()
        click(editor.save)
        await until(lambda: editor.name.hasFocus() and editor.save.isEnabled())
        assert "It needs a name." in [each.text() for each in editor.findChildren(QLabel)]
        QTest.keyClicks(editor.name, "morning")
        pick(editor.how, "every")
        editor.number.setFocus()
        editor.number.selectAll()
        QTest.keyClicks(editor.number, "2")
        field = editor.form.editor("name").focus
        field.setFocus()
        field.selectAll()  # type: ignore[attr-defined]
        QTest.keyClicks(field, "world")
        click(editor.save)
        await until(lambda: not editor.isVisible() and dialog.list.topLevelItemCount() == 1)
        item = dialog.list.topLevelItem(0)
        assert [item.text(each) for each in range(3)] == ["morning", "Greet somebody", "every 2 h"]
        (made,) = await engine.schedules()
        assert (made.input, rule_from(made.rule)) == ({"name": "world"}, Every(timedelta(hours=2)))
        click(dialog.run)
        await until(lambda: "Completed" in item.text(4))
        click(dialog.switch)
        await until(lambda: item.text(3) == "off" and dialog.switch.text() == "Switch &on")
        click(dialog.switch)
        await until(lambda: item.text(3) != "off" and dialog.switch.text() == "Switch o&ff")
        click(dialog.edit)
        editor = dialog.editor
        assert editor is not None and not editor.name.isEnabled()
        pick(editor.how, "daily")
        click(editor.save)
        await until(lambda: item.text(2) == "daily at 03:00")
        assert all(dialog.list.columnWidth(each) >= dialog.list.sizeHintForColumn(each) for each in range(4))
        assert isinstance(rule_from((await engine.schedules())[0].rule), Daily)
        dialog.list.setFocus()
        QTest.keyClick(dialog.list, Qt.Key.Key_Delete)
        await until(lambda: dialog.list.topLevelItemCount() == 0)
        assert await engine.schedules() == []
        dialog.activateWindow()
        await until(dialog.isActiveWindow)
        QTest.keyClick(dialog, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: dialog.list.topLevelItemCount() == 1)
        (back,) = await engine.schedules()
        assert (back.name, back.input) == ("morning", {"name": "world"}) and not dialog.undo.isEnabled()
        dialog.reject()


async def test_the_shortcuts_are_those_that_the_commands_have(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        window.commands["diagnostics"].setShortcut("F9")
        dialog = choose(window, "shortcuts")
        assert isinstance(dialog, ShortcutsDialog)
        shown = {
            dialog.list.topLevelItem(place).text(0): dialog.list.topLevelItem(place).text(1)
            for place in range(dialog.list.topLevelItemCount())
        }
        assert shown["New workflow ..."] == "Ctrl+N" and shown["Diagnostics ..."] == "F9"
        assert len(shown) == sum(1 for each in window.commands if window.commands[each].shortcuts())
        about = choose(window, "about")
        assert isinstance(about, AboutDialog)
        texts = " ".join(each.text() for each in about.findChildren(QLabel))
        assert "SQLite" in texts and "MIT license" in texts and "LGPL" in texts


async def test_the_file_is_checked_and_backed_up(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        await (await window.view_model.engine.start(greet(), id="a")).result()
        dialog = choose(window, "diagnostics")
        assert isinstance(dialog, DiagnosticsDialog)
        await until(lambda: "SQLite" in dialog.page.toPlainText())
        click(dialog.check)
        await until(lambda: dialog.verdict.text() == "All is well.")
        assert "1 completed" in dialog.page.toPlainText()
        click(dialog.back_up)
        await until(lambda: dialog.verdict.text().startswith("A backup was made"))
        click(dialog.copy)
        assert "1 completed" in QGuiApplication.clipboard().text()
        assert not dialog.log.isEnabled()  # none is kept here


def window_of() -> MainWindow | None:
    found = [
        each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow) and each.isVisible()
    ]
    return found[0] if found else None


async def test_a_backup_is_restored_and_the_window_opens_again(tmp_path: Path) -> None:
    path = tmp_path / "data" / "stepfast.db"
    async with Engine.open(path, [greet, stay]) as engine:
        await (await engine.start(greet(), id="kept")).result()
        await engine.start(stay(), id="runs")
        async with asyncio.timeout(60):
            while (await engine.summary("runs")).step != "for long":
                await asyncio.sleep(0.01)
        await engine.backup()
        await engine.backup(tmp_path / "elsewhere.db")
        await (await engine.start(greet(), id="later")).result()
    Settings(path.parent).put("told_parked", True)
    running = asyncio.ensure_future(_main([greet, stay], path.parent, ""))
    await until(window_of)
    first = window_of()
    assert first is not None
    await until(lambda: first.view_model.table.counts.get("completed") == 2)
    diagnostics = choose(first, "diagnostics")
    click(diagnostics.restore)
    dialog = first.tools.dialog("backups")
    assert isinstance(dialog, BackupsDialog)
    await until(dialog.restore.isEnabled)
    click(dialog.elsewhere)
    assert dialog.files is not None
    dialog.files.fileSelected.emit(str(tmp_path / "elsewhere.db"))
    await until(lambda: dialog.list.topLevelItemCount() == 2)
    assert dialog.chosen is not None and dialog.chosen.path == tmp_path / "elsewhere.db"
    dialog.list.setCurrentItem(dialog.list.topLevelItem(1))
    assert "2 workflows" in dialog.list.topLevelItem(1).text(1)
    # Enter alone restores nothing.
    assert dialog.restore.isDefault() is False
    click(dialog.restore)
    await until(lambda: window_of() not in (None, first))
    second = window_of()
    assert second is not None
    await until(lambda: second.view_model.table.counts.get("completed") == 1)
    (replaced,) = [each for each in path.parent.glob("stepfast.db.replaced-*") if "-wal" not in each.name]
    notices = second.view_model.notices
    (notice,) = [each for each in notices.shown if each.key == "restored"]
    # Of a moment ago, or of a minute on a machine that takes its time.
    assert notice.text.startswith("This is the backup of ")
    assert notice.text.endswith(f". The file before it is kept as {replaced.name}.")
    # What ran when the backup was made goes on, though nobody was ended.
    await until(lambda: second.view_model.table.counts.get("running") == 1)
    await until(lambda: not any(each.get_name() == "ended before" for each in asyncio.all_tasks()))
    assert "ended" not in notices
    second.close()
    assert await running == 0


async def test_a_report_of_one_workflow_is_shown_and_written(tmp_path: Path) -> None:
    async with opened(tmp_path) as window:
        engine = window.view_model.engine
        assert choose(window, "bug-report") is None
        assert "Choose the workflow" in window.statusBar().currentMessage()
        await (await engine.start(greet(name="Anna"), id="a")).result()
        await until(lambda: window.view_model.table.keys)
        window.view_model.choose(window.view_model.table.keys[0])
        dialog = choose(window, "bug-report")
        assert isinstance(dialog, BugReportDialog)
        await until(lambda: '"id": "a"' in dialog.preview.toPlainText())
        assert "hello Anna" not in dialog.preview.toPlainText()
        tick(dialog.values)
        assert "hello Anna" in dialog.preview.toPlainText()
        target = tmp_path / "report.json"
        QGuiApplication.clipboard().setText("mine")
        await dialog.write(target)
        assert QGuiApplication.clipboard().text() == "mine"
        assert window.statusBar().currentMessage() == f"The report was written: {target}"
        assert json.loads(target.read_text("utf-8"))["workflow"]["result"] == "hello Anna"
        assert not dialog.isVisible()


TOOLS = ("settings", "schedules", "shortcuts", "diagnostics", "bug-report", "about")


async def test_the_file_is_opened_anew_whatever_was_opened_and_closed_before(tmp_path: Path) -> None:
    path = tmp_path / "data" / "stepfast.db"
    async with Engine.open(path, [greet]) as engine:
        await (await engine.start(greet(), id="a")).result()
    running = asyncio.ensure_future(_main([greet], path.parent, ""))
    await until(window_of)
    first = window_of()
    assert first is not None
    await until(lambda: first.view_model.table.keys)
    first.view_model.choose(first.view_model.table.keys[0])
    for command in TOOLS:
        choose(first, command).reject()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    first.tools.open_anew(Reopen())
    await until(lambda: window_of() not in (None, first))
    second = window_of()
    assert second is not None
    second.close()
    assert await running == 0


async def test_settings_that_are_not_kept_are_said_in_the_window(tmp_path: Path, lapses: Any) -> None:
    lapses.expect("cannot be read, and nothing is kept there")
    lapses.expect("cannot be kept")
    file = settings_file()
    file.parent.mkdir(parents=True)
    file.write_text("{")
    async with opened(tmp_path) as window:
        notices = window.view_model.notices
        (notice,) = [each for each in notices.shown if each.key == "settings"]
        assert str(file) in notice.text and [each for each, _ in notice.buttons] == [
            *("Open folder", "Set the file aside")
        ]
        notices.press("settings", 1)
        assert "settings" not in notices
        window.view_model.preferences.set("speed_limit", 7)
        assert Settings(tmp_path / "data").get("speed_limit") == 7
        file.unlink()
        file.parent.rename(tmp_path / "elsewhere")
        file.parent.write_text("a file is in its place")
        window.view_model.preferences.set("speed_limit", 8)
        (notice,) = [each for each in notices.shown if each.key == "settings"]
        assert notice.severity == "warning" and str(file) in notice.text
