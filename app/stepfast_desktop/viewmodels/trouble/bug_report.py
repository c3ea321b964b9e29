"""One workflow for a bug report: what happened, without what it was about.

The values of inputs, results and records are left out unless a person wants them in, wherever they stand:
only what kind of value each is stays. The home folder is written as ~. Secrets are in no file, so none can
be in here.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from stepfast import Engine
from stepfast.errors import StepfastError
from stepfast.exporting import export_line
from stepfast.system.files import new_file
from stepfast.system.threads import once
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.trouble import checkup
from stepfast_desktop.viewmodels.trouble.redacting import without_person, without_values
from stepfast_desktop.viewmodels.words import as_written, translate

__all__ = ["BugReport"]


class BugReport:
    """The report of one workflow, as it is now.

    Attributes:
        values, log: whether the values, and the lines of the log, are in it.
        text: all of it; empty until it is read.
        error: why it cannot be read, or was not written.
    """

    def __init__(self, engine: Engine, id: str) -> None:
        self.changed: Event[[]] = Event()
        self.id = id
        self.values = False
        self.log = True
        self.text = ""
        self.error = ""
        self._engine = engine
        self._found: dict[str, Any] | None = None
        self._plain: dict[str, Any] = {}

    @property
    def file_name(self) -> str:
        """A name for the file."""
        plain = "".join(each if each.isalnum() or each in "-_." else "-" for each in self.id)
        return f"stepfast-report-{plain[:80]}.json"

    async def read(self) -> None:
        """Read the workflow."""
        try:
            line = await export_line(self._engine.durable.catalogue, self.id)
            self._found, self._plain = await once(lambda: _both(line))
        except StepfastError as error:
            self.error = str(error)
        self._make()

    def want(self, *, values: bool | None = None, log: bool | None = None) -> None:
        """Take the values, or the log, in or out."""
        self.values = self.values if values is None else values
        self.log = self.log if log is None else log
        self._make()

    async def save(self, target: Path) -> bool:
        """Write it to a file that is not there yet; False, and why, where that cannot be."""
        text = self.text

        def write() -> None:
            with new_file(target) as (_, descriptor):
                rest = text.encode("utf-8", "replace")
                while rest:
                    rest = rest[os.write(descriptor, rest) :]

        self.error = ""
        try:
            await once(write)
        except (StepfastError, OSError) as error:
            self.error = translate("BugReport", "It was not written: {reason}").format(reason=error)
            self.changed.emit()
            return False
        return True

    def _make(self) -> None:
        if self._found is not None:
            # In English: who reads it may know no other language that we speak.
            with as_written():
                self.text = self._written(self._found)
        self.changed.emit()

    def _written(self, found: dict[str, Any]) -> str:
        workflow = dict(found if self.values else self._plain)
        if not self.log:
            workflow["log"] = translate("BugReport", "%n line(s), left out", None, len(workflow["log"]))
        report = {
            "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": dict(checkup.versions(sorted({each.name for each in self._engine.registry}))),
            "conditions": [each.message for each in self._engine.health.conditions],
            "workflow": workflow,
        }
        return without_person(json.dumps(report, indent=2, ensure_ascii=False))


def _both(line: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """An exported workflow with its values, and without."""
    found = json.loads(without_person(json.dumps(json.loads(line), ensure_ascii=False)))
    return found, without_values(found)
