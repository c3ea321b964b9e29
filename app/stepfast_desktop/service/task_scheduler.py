"""Windows: a task of the Task Scheduler, by schtasks.exe and the XML it takes. Not tested on Windows yet.

https://learn.microsoft.com/windows/win32/taskschd/task-scheduler-schema has the elements and their order.
"""

from __future__ import annotations

import csv
import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

from .interfaces import Ran, ServiceError, Status, Tool, Worker, run

__all__ = ["TaskScheduler", "task_of", "without_console"]

NAMESPACE = "http://schemas.microsoft.com/windows/2004/02/mit/task"


def task_of(worker: Worker, user: str) -> bytes:
    """The task as XML in UTF-16, which is what schtasks reads; `user` is DOMAIN\\NAME."""
    task = ElementTree.Element("Task", version="1.2", xmlns=NAMESPACE)

    def add(path: str, texts: Mapping[str, str]) -> None:
        parent = task
        for name in path.split("/"):
            found = parent.find(name)
            parent = ElementTree.SubElement(parent, name) if found is None else found
        for name, text in texts.items():
            ElementTree.SubElement(parent, name).text = text

    program, *arguments = worker.command
    add("RegistrationInfo", {"Description": f"Stepfast, which carries out the workflows in {worker.data}"})
    add("Triggers/LogonTrigger", {"Enabled": "true", "UserId": user})
    add(
        "Principals/Principal",
        {"UserId": user, "LogonType": "InteractiveToken", "RunLevel": "LeastPrivilege"},
    )
    add(
        "Settings",
        {
            "MultipleInstancesPolicy": "IgnoreNew",
            # By default a task waits for the mains, and is ended on batteries and after three days.
            "DisallowStartIfOnBatteries": "false",
            "StopIfGoingOnBatteries": "false",
            "ExecutionTimeLimit": "PT0S",
        },
    )
    add("Settings/RestartOnFailure", {"Interval": "PT1M", "Count": "999"})
    add(
        "Actions/Exec",
        {
            "Command": without_console(program),
            "Arguments": subprocess.list2cmdline(arguments),
            "WorkingDirectory": str(worker.folder),
        },
    )
    xml: bytes = ElementTree.tostring(task, encoding="utf-16", xml_declaration=True)
    return xml


class TaskScheduler:
    """A `Service` by `schtasks`. The variables of a worker's environment are those of the user's login.

    Args:
        environment: says who the user is (USERDOMAIN, USERNAME).
        tool: runs a program.
    """

    def __init__(self, environment: Mapping[str, str] | None = None, tool: Tool = run) -> None:
        self._environment = os.environ if environment is None else environment
        self._tool = tool

    def install(self, worker: Worker, *, boot: bool) -> Status:
        if boot:
            raise ServiceError(
                "this task runs from the login on; one that runs before it needs an administrator, and the "
                "user's password: see `schtasks /Create /?`, /SC ONSTART"
            )
        with tempfile.TemporaryDirectory(prefix="stepfast-") as folder:
            file = Path(folder) / "task.xml"
            file.write_bytes(task_of(worker, self._user()))
            self._schtasks("/End", worker.name)
            self._must("/Create", worker.name, "/XML", str(file), "/F")
        self._must("/Run", worker.name)
        return self.status(worker.name)

    def status(self, name: str) -> Status:
        shown = self._schtasks("/Query", name, "/FO", "CSV", "/NH")
        if shown.code:
            return Status(False, False, _place(name))
        rows = [row for row in csv.reader(shown.out.splitlines()) if len(row) >= 3]
        said = rows[0][2] if rows else ""
        # The word is in the language of the system.
        running = True if said == "Running" else False if said in ("Ready", "Disabled") else None
        return Status(True, running, _place(name), (f"the Task Scheduler says: {said}",) if said else ())

    def remove(self, name: str) -> Status | None:
        before = self.status(name)
        if not before.installed:
            return None
        self._schtasks("/End", name)
        self._must("/Delete", name, "/F")
        return before

    def _user(self) -> str:
        user = self._environment.get("USERNAME", "")
        domain = self._environment.get("USERDOMAIN", "")
        return f"{domain}\\{user}" if domain else user

    def _schtasks(self, verb: str, name: str, *words: str) -> Ran:
        return self._tool(["schtasks", verb, "/TN", _task(name), *words])

    def _must(self, verb: str, name: str, *words: str) -> None:
        ran = self._schtasks(verb, name, *words)
        if ran.code:
            raise ServiceError(f"`schtasks {verb} /TN {_task(name)}` failed: {ran.said}")


def _task(name: str) -> str:
    return f"\\Stepfast\\{name}"


def _place(name: str) -> str:
    return f"{_task(name)} of the Task Scheduler"


def without_console(program: str) -> str:
    """The same Python without a black window, where it has one."""
    silent = Path(program).with_name("pythonw.exe")
    return str(silent) if Path(program).name.lower() == "python.exe" and silent.exists() else program
