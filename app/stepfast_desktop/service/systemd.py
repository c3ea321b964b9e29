"""Linux: a unit of the user's own systemd.

What a unit file may hold, and how words are quoted in it: systemd.service(5), systemd.syntax(7) and
systemd.unit(5). A user's systemd runs from the first login to the last logout; with "lingering"
(loginctl(1)) from when the machine starts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from .interfaces import Ran, ServiceError, Status, Tool, Worker, run, write

__all__ = ["Systemd", "unit_of"]

NEEDS_NO_QUOTES = re.compile(r"[A-Za-z0-9_/.:,+=@-]+")
RESTART_SECONDS = 30

UNIT = """\
# Written by `stepfast service install`; `stepfast service remove` removes it.
[Unit]
Description={description}

[Service]
Type=simple
ExecStart={command}
WorkingDirectory=-{folder}
{environment}Restart=on-failure
RestartSec={seconds}
# Wrong usage, such as a module that is not there any more: a person has to mend that.
RestartPreventExitStatus=2
# Only the worker is asked to end: what its steps run must not fail for it, it is parked and runs again.
KillMode=mixed

[Install]
WantedBy=default.target
"""


def unit_of(worker: Worker) -> str:
    """The text of the unit file. Raises `ServiceError` for a program that systemd will not run."""
    command = list(worker.command)
    if any(each in command[0] for each in "\"'\\"):
        raise ServiceError(f"systemd runs no program with a quote or a backslash in its path: {command[0]}")
    if any("$" in each for each in command):
        # "$$" is a dollar sign in an argument, and not in the name of the program; this turns both off.
        command[0] = ":" + command[0]
    return UNIT.format(
        description=f"Stepfast, which carries out the workflows in {worker.data}".replace("%", "%%"),
        command=" ".join(map(_quoted, command)),
        folder=_to_the_end_of_the_line(str(worker.folder)),
        environment="".join(
            f"Environment={_quoted(f'{name}={text}')}\n" for name, text in sorted(worker.environment.items())
        ),
        seconds=RESTART_SECONDS,
    )


class Systemd:
    """A `Service` by `systemctl --user`.

    Args:
        environment: says where the user's units are (XDG_CONFIG_HOME), and who the user is.
        tool: runs a program.
    """

    def __init__(self, environment: Mapping[str, str] | None = None, tool: Tool = run) -> None:
        self._environment = os.environ if environment is None else environment
        self._tool = tool

    def install(self, worker: Worker, *, boot: bool) -> Status:
        self._must_be_there()
        file, unit = self._file(worker.name), unit_of(worker)
        if boot:
            self._linger()
        write(file, unit.encode())
        self._must("daemon-reload")
        self._must("enable", file.name)
        # `restart`, which starts one that does not run: what ran before was another command perhaps.
        self._must("restart", file.name)
        return self.status(worker.name)

    def status(self, name: str) -> Status:
        file = self._file(name)
        installed = file.exists()
        if self._without() is not None:
            if not installed:
                return Status(False, False, str(file))
            return Status(
                True, None, str(file), ("no systemd of this user's answers, to say whether it runs",)
            )
        active = self._systemctl("is-active", file.name).out.strip()
        notes: tuple[str, ...] = ()
        if installed and self._systemctl("is-enabled", file.name).code:
            notes += (f"it is not enabled: systemctl --user enable {file.name}",)
        if installed and active not in ("active", "inactive", "activating", "deactivating"):
            notes += (f"systemd says that it is {active or 'unknown'}: journalctl --user --unit {file.name}",)
        if installed:
            notes += (
                "it runs from when the machine starts (lingering is on)"
                if self._lingers()
                else "it runs from the first login to the last logout; with --boot, as long as the machine",
            )
        return Status(installed, active == "active", str(file), notes)

    def remove(self, name: str) -> Status | None:
        file = self._file(name)
        if not file.exists():
            return None
        before = self.status(name)
        reachable = self._without() is None
        if reachable:
            self._must("disable", "--now", file.name)
        try:
            file.unlink()
            (file.parent / "default.target.wants" / file.name).unlink(missing_ok=True)
        except OSError as error:
            raise ServiceError(f"{error.filename} cannot be removed: {error.strerror}") from error
        if reachable:
            self._must("daemon-reload")
        return before

    def _file(self, name: str) -> Path:
        config = self._environment.get("XDG_CONFIG_HOME", "")
        folder = Path(config) if os.path.isabs(config) else Path.home() / ".config"
        return folder / "systemd" / "user" / f"{name}.service"

    def _systemctl(self, *words: str) -> Ran:
        return self._tool(["systemctl", "--user", *words])

    def _must(self, *words: str) -> None:
        ran = self._systemctl(*words)
        if ran.code:
            raise ServiceError(f"`systemctl --user {' '.join(words)}` failed: {ran.said}")

    def _without(self) -> str | None:
        """Why there is no systemd of this user's, or None where there is one."""
        ran = self._systemctl("show", "--property=Version")
        return ran.said if ran.code else None

    def _must_be_there(self) -> None:
        if (why := self._without()) is not None:
            raise ServiceError(
                f"this user has no systemd that runs services here ({why}). Within a login of your own, not "
                "through sudo or su, `systemctl --user status` should answer. Where there is no systemd, let "
                "what there is run `stepfast work` at login: a line `@reboot` of crontab, or the desktop's "
                "autostart"
            )

    def _user(self) -> str:
        return self._environment.get("USER") or self._environment.get("LOGNAME") or str(os.getuid())

    def _lingers(self) -> bool:
        return self._tool(["loginctl", "show-user", self._user(), "--property=Linger"]).out.strip() == (
            "Linger=yes"
        )

    def _linger(self) -> None:
        ran = self._tool(["loginctl", "enable-linger"])
        if ran.code:
            raise ServiceError(
                f"it cannot be run before a login: `loginctl enable-linger` failed: {ran.said}. With an "
                f"administrator's right: sudo loginctl enable-linger {self._user()}; then install it again, "
                "without --boot"
            )


def _quoted(word: str) -> str:
    """`word` as one item of a setting that is split into words."""
    if NEEDS_NO_QUOTES.fullmatch(word):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def _to_the_end_of_the_line(path: str) -> str:
    """`path` as a setting that is taken as it stands, but for specifiers.

    A blank at the end would be cut off, and a backslash there would take in the next line.
    """
    escaped = path.replace("%", "%%")
    return f"{escaped}/" if escaped.endswith((" ", "\\")) else escaped
