"""What a launch imports: the window is not to wait for what nobody has asked for yet."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stepfast import Engine, Run, workflow
from stepfast.system.paths import default_file

PROGRAM = """
import asyncio, json, linecache, sys
from pathlib import Path
import stepfast_desktop.__main__
from stepfast_desktop.away import being_away
from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.application import make_application
from stepfast_desktop.qt.loop.running import run
from stepfast_desktop.workflows import ALL

being_away.PATIENCE = 3600.0  # what comes a second later is no part of it, however slow the machine is

async def main():
    async with open_window(ALL, Path(sys.argv[1])) as window:
        while not window.view_model.table.keys:
            await asyncio.sleep(0.01)
        window.grab()  # as a person sees it: with rows, none of which is selected
        print(json.dumps([sorted(sys.modules), sorted(linecache.cache)]))

run(main(), make_application(sys.argv[:1]))
"""

# Each with what it is for; what stands below one counts as well. The rule is in CONTRIBUTING.md, "Launching".
LATER = {
    "PySide6.QtDBus": "nothing of the window's",
    "PySide6.QtNetwork": "Windows",
    "configparser": "starting at login, once it is turned on",
    "dbus_fast": "sleep and waking, a second later",
    "decimal": "a form or an answer with a decimal number",
    "desktop_notifier": "the first notification",
    "importlib.metadata": "the versions in a report",
    "keyring": "the first secret",
    "multiprocessing": "nothing of the window's",
    "platform": "the versions in a report",
    "plistlib": "macOS",
    "stepfast.memory": "tests",
    "stepfast.testing": "tests",
    "stepfast_desktop.cli.arguments": "the command line",
    "stepfast_desktop.cli.commands": "the command line",
    "stepfast_desktop.cli.inputs": "the command line",
    "stepfast_desktop.instance.spectator": "a window to look only",
    "stepfast_desktop.qt.details.parts": "the first workflow whose details are shown",
    "stepfast_desktop.qt.leaving.frozen": "a box",
    "stepfast_desktop.qt.leaving.listening": "Windows",
    "stepfast_desktop.qt.leaving.read_only": "a window to look only",
    "stepfast_desktop.qt.notice_line": "the first notice",
    "stepfast_desktop.qt.problem": "a box",
    "stepfast_desktop.qt.starting.form": "a form, once there is one",
    "stepfast_desktop.qt.starting.new_workflow": "the form for a new workflow",
    "stepfast_desktop.qt.starting.welcome": "a table that is empty",
    "stepfast_desktop.qt.tools.bug_report": "a dialog",
    "stepfast_desktop.qt.tools.diagnostics": "a dialog",
    "stepfast_desktop.qt.tools.schedules": "a dialog",
    "stepfast_desktop.qt.tools.settings_dialog": "a dialog",
    "stepfast_desktop.service.launchd": "macOS",
    "stepfast_desktop.service.task_scheduler": "Windows",
    "stepfast_desktop.viewmodels.details.report": "details that are copied",
    "stepfast_desktop.viewmodels.details.timeline": "the timeline of a workflow",
    "stepfast_desktop.workflows.copy_folder.batch": "a copy, when it begins",
    "stepfast_desktop.workflows.copy_folder.plan": "a copy, when it begins",
    "stepfast_desktop.workflows.copy_folder.preview": "the form of a copy",
    "stepfast_desktop.workflows.copy_folder.workflow": "a copy, when it begins",
    "uuid": "a form or an answer with a UUID",
    "wakepy": "keeping awake, once something runs",
    "xml": "Windows",
}


@workflow("done")
async def done(run: Run) -> None:
    """Has nothing to do."""


async def _filled(file: Path) -> None:
    async with Engine.open(file, [done]) as engine:
        await (await engine.start(done())).result()


@pytest.fixture(scope="module")
def launched(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[str]]:
    """The modules that a launch has imported, and the files whose source it has read."""
    folder = tmp_path_factory.mktemp("launch")
    asyncio.run(_filled(default_file(folder)))
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "STEPFAST_CONFIG": str(folder / "config")}
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        timeout=100,
        check=True,
    )
    modules, sources = json.loads(ran.stdout)
    return modules, sources


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere other services are imported")
@pytest.mark.parametrize("module", LATER)
def test_a_launch_does_not_import(launched: tuple[list[str], list[str]], module: str) -> None:
    imported, _ = launched
    assert "stepfast_desktop.qt.main_window" in imported
    found = [each for each in imported if each == module or each.startswith(f"{module}.")]
    assert not found, f"that is for: {LATER[module]}"


def test_a_launch_reads_no_source(launched: tuple[list[str], list[str]]) -> None:
    _, sources = launched
    # But that of what stops it, and PySide's own parts.
    root = Path(__file__).parents[2]
    ours = [each.name for each in map(Path, sources) if {root / "app", root / "store"} & {*each.parents}]
    assert ours == ["features.py"]
    assert len(sources) < 20
