"""macOS: an agent of launchd, as launchd.plist(5) and launchctl(1) have it. Not tested on a Mac yet."""

from __future__ import annotations

import os
import plistlib
import re
import time
from collections.abc import Callable
from pathlib import Path

from .interfaces import Ran, ServiceError, Status, Tool, Worker, run, write

__all__ = ["Launchd", "plist_of"]

RESTART_SECONDS = 30
RUNNING = re.compile(r"^\s*state = running$", re.MULTILINE)
TRIES = 10
PAUSE_SECONDS = 0.5


def plist_of(worker: Worker, log: Path) -> bytes:
    """The property list; what the worker says goes to the file `log`."""
    settings: dict[str, object] = {
        "Label": _label(worker.name),
        "ProgramArguments": list(worker.command),
        "WorkingDirectory": str(worker.folder),
        "RunAtLoad": True,
        # Again when it crashed; not when it was asked to end, which it does with 0.
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": RESTART_SECONDS,
        "StandardOutPath": str(log),
        "StandardErrorPath": str(log),
    }
    if worker.environment:
        settings["EnvironmentVariables"] = dict(worker.environment)
    return plistlib.dumps(settings)


class Launchd:
    """A `Service` by `launchctl`.

    Args:
        home: the user's home.
        tool: runs a program.
        user: the user's number; this process's by default.
        sleep: waits for so many seconds.
    """

    def __init__(
        self,
        home: Path | None = None,
        tool: Tool = run,
        user: int | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._home = Path.home() if home is None else home
        self._tool = tool
        self._domain = f"gui/{os.getuid() if user is None else user}"
        self._sleep = sleep

    def install(self, worker: Worker, *, boot: bool) -> Status:
        if boot:
            raise ServiceError(
                "an agent of macOS runs from the login on; for one that runs before it, an administrator "
                "writes a daemon into /Library/LaunchDaemons"
            )
        file, log = self._file(worker.name), self._log(worker.name)
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ServiceError(f"{log.parent} cannot be made: {error.strerror}") from error
        # What it does not know is no error here: mostly there is nothing to put out.
        self._launchctl("bootout", self._target(worker.name))
        write(file, plist_of(worker, log))
        self._launchctl("enable", self._target(worker.name))
        ran = self._launchctl("bootstrap", self._domain, str(file))
        for _ in range(TRIES):
            if not ran.code:
                return self.status(worker.name)
            # "bootout" comes back before the old one has ended, and until then the new one is refused.
            self._sleep(PAUSE_SECONDS)
            ran = self._launchctl("bootstrap", self._domain, str(file))
        raise ServiceError(f"launchctl does not take {file}: {ran.said}; it will be tried at the next login")

    def status(self, name: str) -> Status:
        file = self._file(name)
        shown = self._launchctl("print", self._target(name))
        running = not shown.code and RUNNING.search(shown.out) is not None
        notes = (f"what it says is in {self._log(name)}",) if file.exists() else ()
        return Status(file.exists(), running, str(file), notes)

    def remove(self, name: str) -> Status | None:
        file = self._file(name)
        if not file.exists():
            return None
        before = self.status(name)
        self._launchctl("bootout", self._target(name))
        try:
            file.unlink()
        except OSError as error:
            raise ServiceError(f"{file} cannot be removed: {error.strerror}") from error
        return before

    def _file(self, name: str) -> Path:
        return self._home / "Library" / "LaunchAgents" / f"{_label(name)}.plist"

    def _log(self, name: str) -> Path:
        return self._home / "Library" / "Logs" / "Stepfast" / f"{name}.log"

    def _target(self, name: str) -> str:
        return f"{self._domain}/{_label(name)}"

    def _launchctl(self, *words: str) -> Ran:
        return self._tool(["launchctl", *words])


def _label(name: str) -> str:
    return f"org.stepfast.{name}"
