"""The menus Tools and Help of a window, and what it says of faults; each is made when it is wanted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QWidget

from stepfast_desktop.qt.commands import Commands
from stepfast_desktop.qt.desktop import QtDesktop
from stepfast_desktop.viewmodels.leaving.reopen import Reopen
from stepfast_desktop.viewmodels.preferences import Kept
from stepfast_desktop.viewmodels.trouble.faults import Faults
from stepfast_desktop.viewmodels.trouble.mishaps import Mishaps
from stepfast_desktop.viewmodels.window import WindowViewModel
from stepfast_desktop.viewmodels.words import translate

if TYPE_CHECKING:  # none of them is needed before a person opens one
    from stepfast_desktop.qt.tools.bug_report import BugReportDialog
    from stepfast_desktop.qt.tools.diagnostics import BackupsDialog, DiagnosticsDialog
    from stepfast_desktop.qt.tools.schedules import SchedulesDialog
    from stepfast_desktop.qt.tools.settings_dialog import SettingsDialog
    from stepfast_desktop.viewmodels.tools.preferences_page import LoginStart
    from stepfast_desktop.viewmodels.tools.schedules import SchedulesViewModel
    from stepfast_desktop.viewmodels.trouble.diagnostics import Diagnostics

    Follower = SettingsDialog | SchedulesDialog | DiagnosticsDialog | BackupsDialog | BugReportDialog

D = TypeVar("D", bound="Follower")

__all__ = ["Around", "Tools"]


@dataclass(frozen=True, slots=True)
class Around:
    """What of the program around a window its tools need.

    Args:
        kept: the settings; None where none are kept.
        log: the log file; None where there is none.
        login: how the program is started at login; None where the system has no way.
    """

    kept: Kept | None = None
    log: Path | None = None
    login: LoginStart | None = None


class Tools:
    """Adds its commands to those of a window, and opens what they are for.

    Attributes:
        around: set before the first of them is used.
        reopen: what is to be done once the window is closed, where a person wants it opened anew.
    """

    def __init__(
        self,
        window: QWidget,
        view_model: WindowViewModel,
        commands: Commands,
        leave: Callable[[], object],
    ) -> None:
        """`leave` closes the window for good, whatever else closing it may mean, and asks nothing."""
        self.around = Around()
        self.reopen: Reopen | None = None
        self._window = window
        self._view_model = view_model
        self._commands = commands
        self._leave = leave
        self._dialogs: dict[str, QDialog] = {}
        self._letting_go: list[Follower] = []
        self.desktop = QtDesktop(view_model.said.emit)
        self.faults = Faults(
            view_model.engine,
            view_model.feed,
            view_model.notices,
            self.desktop,
            read_only=bool(view_model.read_only),
        )
        self.faults.asked.connect(self._fault_asks)
        self.schedules: SchedulesViewModel | None = None
        add = commands.add
        add("settings", translate("Tools", "&Settings ..."), self.open_settings, "Ctrl+,", menu="tools")
        add("schedules", translate("Tools", "S&chedules ..."), self.open_schedules, menu="tools")
        add("shortcuts", translate("Tools", "&Keyboard shortcuts"), self.open_shortcuts, menu="help")
        add("diagnostics", translate("Tools", "&Diagnostics ..."), self.open_diagnostics, menu="help")
        text = translate("Tools", "&Export for a bug report ...")
        add("bug-report", text, self.open_bug_report, menu="help")
        commands.separate("help")
        about = add("about", translate("Tools", "&About Stepfast"), self.open_about, menu="help")
        about.setMenuRole(QAction.MenuRole.AboutRole)
        commands["settings"].setMenuRole(QAction.MenuRole.PreferencesRole)

    def mishaps(self, log: Path) -> Mishaps:
        """What shows exceptions of the program, and its crashes."""
        return Mishaps(self._view_model.notices, self.desktop, log)

    def let_go(self) -> None:
        """Follow nothing more."""
        self.faults.close()
        if self.schedules is not None:
            self.schedules.rest()
        for each in self._letting_go:
            each.let_go()

    # --- opening ----------------------------------------------------------------------------------

    def open_settings(self) -> None:
        """The settings."""
        from stepfast_desktop.qt.tools.limits_tab import LimitsTab
        from stepfast_desktop.qt.tools.settings_dialog import SettingsDialog
        from stepfast_desktop.viewmodels.tools.limits_page import LimitsPage
        from stepfast_desktop.viewmodels.tools.preferences_page import PreferencesPage

        view_model, around = self._view_model, self.around
        if around.kept is None:
            return
        kept = around.kept

        def make() -> QDialog:
            page = PreferencesPage(view_model.preferences, kept, view_model.engine, around.login)
            page.login_turned.connect(view_model.login_start.changed.emit)  # the menu shows it too
            dialog = SettingsDialog(page, self._window)
            limits = LimitsTab(LimitsPage(view_model.new_workflow.limits))
            dialog.tabs.addTab(limits, translate("Settings", "L&imits"))
            return self._following(dialog)

        self._open("settings", make)

    def open_schedules(self) -> None:
        """The schedules."""
        from stepfast_desktop.qt.tools.schedules import SchedulesDialog
        from stepfast_desktop.viewmodels.tools.schedules import SchedulesViewModel

        def make() -> QDialog:
            self.schedules = SchedulesViewModel(self._view_model.engine, self._view_model.feed)
            self.schedules.said.connect(self._view_model.said.emit)
            return self._following(SchedulesDialog(self.schedules, self._window))

        self._open("schedules", make)

    def open_diagnostics(self) -> None:
        """The diagnostics."""
        from stepfast_desktop.qt.tools.diagnostics import DiagnosticsDialog

        def make() -> QDialog:
            dialog = DiagnosticsDialog(self._diagnostics(), self._window)
            dialog.restore_asked.connect(self.open_backups)
            return self._following(dialog)

        self._open("diagnostics", make)

    def open_backups(self) -> None:
        """The backups, one of which is to take the place of the file."""
        from stepfast_desktop.qt.tools.diagnostics import BackupsDialog

        def make() -> QDialog:
            dialog = self._following(BackupsDialog(self._diagnostics(), self._window))

            def restore() -> None:
                if dialog.chosen is not None and dialog.chosen.usable:
                    self.open_anew(Reopen(dialog.chosen.path))

            dialog.accepted.connect(restore)
            return dialog

        self._open("backups", make)

    def open_bug_report(self) -> None:
        """The report of the workflow whose details are shown."""
        from stepfast_desktop.qt.tools.bug_report import BugReportDialog
        from stepfast_desktop.viewmodels.trouble.bug_report import BugReport

        id = self._view_model.details.id
        if id is None:
            self._view_model.said.emit(
                translate("Tools", "Choose the workflow that the report is about first.")
            )
            return
        report = BugReport(self._view_model.engine, id)
        dialog = BugReportDialog(report, self.desktop, self._window)
        written = translate("Tools", "The report was written: {path}")
        dialog.written.connect(lambda path: self._view_model.said.emit(written.format(path=path)))
        self._letting_go.append(dialog)
        dialog.finished.connect(lambda _result: self._forget("bug-report", dialog))
        self._dialogs["bug-report"] = dialog
        dialog.open()

    def open_shortcuts(self) -> None:
        """The keys."""
        from stepfast_desktop.qt.tools.help import ShortcutsDialog

        commands = self._commands
        self._open("shortcuts", lambda: ShortcutsDialog(lambda: commands.some(commands), self._window))

    def open_about(self) -> None:
        """What this is."""
        from stepfast_desktop.qt.tools.help import AboutDialog
        from stepfast_desktop.viewmodels.trouble import checkup
        from stepfast_desktop.viewmodels.trouble.checkup import Fact

        facts = [
            Fact(_as_title(each.label), each.text.partition("  ")[0]) for each in checkup.versions(())[:-1]
        ]
        self._open("about", lambda: AboutDialog(facts, self._window))

    def open_anew(self, reopen: Reopen) -> None:
        """Close the window for good, and have it opened again."""
        for each in [*self._dialogs.values()]:
            each.close()
        self.reopen = reopen
        self._leave()

    def dialog(self, name: str) -> QDialog | None:
        """The dialog of that command, None where it was not opened yet."""
        return self._dialogs.get(name)

    # --- details ----------------------------------------------------------------------------------

    def _open(self, name: str, make: Callable[[], QDialog]) -> None:
        if name not in self._dialogs:
            self._dialogs[name] = make()
        self._dialogs[name].open()

    def _following(self, dialog: D) -> D:
        self._letting_go.append(dialog)
        return dialog

    def _forget(self, name: str, dialog: Follower) -> None:
        """A dialog that is made anew each time is nobody's once it is closed."""
        self._letting_go.remove(dialog)
        if self._dialogs.get(name) is dialog:
            del self._dialogs[name]
        dialog.let_go()
        dialog.deleteLater()

    def _diagnostics(self) -> Diagnostics:
        from stepfast_desktop.viewmodels.trouble.diagnostics import Diagnostics

        if self._known is None:
            self._known = Diagnostics(
                self._view_model.engine,
                self.desktop,
                self.around.log,
                read_only=self._view_model.read_only,
            )
        return self._known

    _known: Diagnostics | None = None

    def _fault_asks(self, what: str) -> None:
        match what:
            case "restore":
                self.open_backups()
            case "reopen":
                self.open_anew(Reopen())
            case _:
                self._commands["quit"].trigger()


def _as_title(label: str) -> str:
    return f"{label[:1].upper()}{label[1:]}"
