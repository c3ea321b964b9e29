"""Opening the window, out of the way, when its user logs in: off until a person turns it on.

`stepfast service` runs a worker without a window instead; one of the two is enough. What is written where:

- Linux and the like: `autostart/stepfast.desktop` under XDG_CONFIG_HOME, as the Desktop Application Autostart
  Specification has it (https://specifications.freedesktop.org/autostart-spec/latest/); how words are quoted
  in it: the Desktop Entry Specification, "The Exec key";
- Windows: a value under `Software\\Microsoft\\Windows\\CurrentVersion\\Run` of the user, of at most 260
  characters
  (https://learn.microsoft.com/windows/win32/setupapi/run-and-runonce-registry-keys). Not tested yet;
- macOS: an agent in `~/Library/LaunchAgents`, launchd.plist(5). Not tested there yet.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from stepfast_desktop.service import ServiceError, Worker, worker_of
from stepfast_desktop.service.interfaces import program_of, write

__all__ = ["AutostartFile", "LaunchAgent", "LoginStart", "RunKey", "login_start_of"]


class LoginStart(Protocol):
    """Whether the window of one data folder opens at login. Its methods take no time worth mentioning."""

    def is_on(self) -> bool:
        """Whether it will."""

    def turn(self, on: bool) -> None:
        """Have it do so from now on, or no more. Raises `OSError`, which says why that cannot be."""


def login_start_of(
    data: Path, *, loads: bool, environment: Mapping[str, str] | None = None, platform: str = sys.platform
) -> LoginStart:
    """How the system does it, for a data folder.

    Args:
        data: the folder.
        loads: whether anything is loaded there: modules are looked for in the current folder then, later too.
        environment: the variables of this process.
        platform: the system, as `sys.platform` names it.

    Raises `OSError` where something in it cannot be written into a file of that kind.
    """
    given = os.environ if environment is None else environment
    try:
        worker = worker_of(data, (), here=loads, environment=given)
    except ServiceError as error:
        raise OSError(str(error)) from error
    command = (*program_of(), "--data", str(worker.data), "window", "--hidden")
    opening = Worker(worker.name, worker.data, command, worker.folder, worker.environment)
    if platform == "win32":
        return RunKey(opening)
    if platform == "darwin":
        return LaunchAgent(opening, Path.home())
    return AutostartFile(opening, given)


class AutostartFile:
    """A `.desktop` file."""

    def __init__(self, opening: Worker, environment: Mapping[str, str]) -> None:
        self._opening = opening
        config = environment.get("XDG_CONFIG_HOME", "")
        folder = Path(config) if os.path.isabs(config) else Path.home() / ".config"
        self.path = folder / "autostart" / f"{opening.name}.desktop"

    def is_on(self) -> bool:
        try:
            text = self.path.read_text("utf-8")
        except (OSError, ValueError):
            return False
        import configparser

        # Desktops turn an entry off by a line in it, and leave the file.
        read = configparser.RawConfigParser(strict=False, delimiters=("=",), comment_prefixes=("#",))
        try:
            read.read_string(text)
            entry = read["Desktop Entry"]
        except (ValueError, KeyError, configparser.Error):
            return False
        return (
            entry.get("Hidden", "false").strip() != "true"
            and entry.get("X-GNOME-Autostart-enabled", "true").strip() != "false"
        )

    def turn(self, on: bool) -> None:
        if on:
            _write(self.path, self.text.encode())
        else:
            self.path.unlink(missing_ok=True)

    @property
    def text(self) -> str:
        """What stands in the file."""
        opening = self._opening
        words = [*opening.command]
        if opening.environment:
            words = ["env", *(f"{name}={text}" for name, text in sorted(opening.environment.items())), *words]
        lines = [
            "[Desktop Entry]",
            "Type=Application",
            "Version=1.0",
            "Name=Stepfast",
            "Comment=Long tasks that survive a crash",
            "Icon=stepfast",
            f"Exec={_string(' '.join(map(_quoted, words)))}",
            f"Path={_string(str(opening.folder))}",
            "Terminal=false",
            "StartupNotify=false",
        ]
        return "\n".join(lines) + "\n"


class RunKey:
    """A value of the registry."""

    KEY = r"Software\Microsoft\Windows\CurrentVersion\Run"

    def __init__(self, opening: Worker) -> None:
        from stepfast_desktop.service.task_scheduler import without_console

        self._name = opening.name
        program, *arguments = opening.command
        self.command = subprocess.list2cmdline([without_console(program), *arguments])

    def is_on(self) -> bool:
        import winreg

        try:
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, self.KEY) as key:  # type: ignore[attr-defined, unused-ignore]
                winreg.QueryValueEx(key, self._name)  # type: ignore[attr-defined, unused-ignore]
        except FileNotFoundError:
            return False
        return True

    def turn(self, on: bool) -> None:
        import winreg

        with winreg.CreateKey(winreg.HKEY_CURRENT_USER, self.KEY) as key:  # type: ignore[attr-defined, unused-ignore]
            if on:
                winreg.SetValueEx(key, self._name, 0, winreg.REG_SZ, self.command)  # type: ignore[attr-defined, unused-ignore]
                return
            try:
                winreg.DeleteValue(key, self._name)  # type: ignore[attr-defined, unused-ignore]
            except FileNotFoundError:
                pass


class LaunchAgent:
    """A property list that launchd reads at the next login; the window that is open is left alone."""

    def __init__(self, opening: Worker, home: Path) -> None:
        self._opening = opening
        self._label = f"org.stepfast.window.{opening.name}"
        self.path = home / "Library" / "LaunchAgents" / f"{self._label}.plist"

    def is_on(self) -> bool:
        return self.path.exists()

    def turn(self, on: bool) -> None:
        if on:
            _write(self.path, self.content)
        else:
            self.path.unlink(missing_ok=True)

    @property
    def content(self) -> bytes:
        """What stands in the file."""
        import plistlib

        opening = self._opening
        settings: dict[str, object] = {
            "Label": self._label,
            "ProgramArguments": list(opening.command),
            "WorkingDirectory": str(opening.folder),
            "RunAtLoad": True,
            "LimitLoadToSessionType": "Aqua",
        }
        if opening.environment:
            settings["EnvironmentVariables"] = dict(opening.environment)
        return plistlib.dumps(settings)


def _write(path: Path, content: bytes) -> None:
    try:
        write(path, content)
    except ServiceError as error:
        raise OSError(str(error)) from error


def _quoted(word: str) -> str:
    """`word` as an argument of the Exec key."""
    if word and all(each.isalnum() or each in "_/.:,+=@-" for each in word):
        return word
    for each in '\\"`$':
        word = word.replace(each, f"\\{each}")
    return f'"{word}"'.replace("%", "%%")


def _string(text: str) -> str:
    """`text` as a value of type string: a backslash is itself escaped, also one that quotes something."""
    return text.replace("\\", "\\\\")
