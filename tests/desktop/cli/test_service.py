"""`stepfast service` in processes of its own, with a `systemctl` that writes down what it is asked."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Stepfast

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="systemd is Linux's")

SYSTEMCTL = """\
#!/bin/sh
echo "$(basename "$0") $*" >> "$ASKED"
case "$*" in
  *is-active*) ls "$XDG_CONFIG_HOME"/systemd/user/*.service >/dev/null 2>&1 && echo active || echo inactive;;
  *show-user*) echo Linger=no;;
esac
"""

MYTASKS = """\
from stepfast import Run, workflow

@workflow("greet")
async def greet(run: Run, name: str) -> str:
    return await run.step("say", lambda: f"hello {name}")
"""


@pytest.fixture
def systemd(stepfast: Stepfast) -> Stepfast:
    tools = stepfast.folder / "tools"
    tools.mkdir()
    for name in ("systemctl", "loginctl"):
        (tools / name).write_text(SYSTEMCTL)
        (tools / name).chmod(0o700)
    stepfast.environment |= {
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "ASKED": str(stepfast.folder / "asked"),
        "XDG_CONFIG_HOME": str(stepfast.folder / "config"),
        "HOME": str(stepfast.folder),
    }
    return stepfast


def asked(stepfast: Stepfast) -> str:
    file = stepfast.folder / "asked"
    return file.read_text() if file.exists() else ""


def taken_apart(line: str) -> list[str]:
    """The words of ExecStart. What a unit quotes is quoted as JSON has it, but for the percent sign."""
    words, decoder = [], json.JSONDecoder()
    while line:
        if line[0] == '"':
            word, end = decoder.raw_decode(line)
            line = line[end:]
        else:
            word, _, line = line.partition(" ")
        words.append(word.replace("%%", "%"))
        line = line.lstrip()
    return [words[0].removeprefix(":"), *words[1:]]


def test_it_is_installed_looked_at_and_removed(systemd: Stepfast) -> None:
    assert systemd("service", "status", exit_code=1).stdout.startswith("not installed; it is not running\n")
    installed = systemd("service", "install")
    unit = Path(installed.stdout.strip())
    assert unit.parent == systemd.folder / "config" / "systemd" / "user"
    assert installed.stderr.startswith("installed; it is running\n") and "--boot" in installed.stderr
    assert f"systemctl --user restart {unit.name}\n" in asked(systemd)
    assert systemd("service", "install").stdout == installed.stdout
    assert [each.name for each in unit.parent.iterdir()] == [unit.name]
    assert systemd("service", "status").stdout == f"installed; it is running\n{unit}\n"
    assert "enable-linger" not in asked(systemd)
    systemd("service", "install", "--boot")
    assert "loginctl enable-linger\n" in asked(systemd)
    assert systemd("service", "remove").stdout == f"{unit}\n" and not unit.exists()
    nothing = systemd("service", "remove")
    assert nothing.stdout == "" and "nothing is installed" in nothing.stderr
    # Looking and installing made no data folder: the worker makes it.
    assert not systemd.data.exists()


def test_wrong_usage_and_a_system_without_systemd_are_told(systemd: Stepfast) -> None:
    assert "install|status|remove" in systemd("service", exit_code=2).stderr
    assert "invalid choice" in systemd("service", "start", exit_code=2).stderr
    assert "goes with" in systemd("service", "remove", "--boot", exit_code=2).stderr
    assert "nowhere" in systemd("service", "install", "--load", "nowhere:x", exit_code=2).stderr
    (systemd.folder / "tools" / "systemctl").write_text("#!/bin/sh\necho No medium found >&2; exit 1\n")
    refused = systemd("service", "install", exit_code=1)
    assert "no systemd that runs services here (No medium found)" in refused.stderr
    assert "stepfast work" in refused.stderr and refused.stdout == ""


def test_what_is_installed_carries_workflows_out_in_a_folder_with_an_odd_name(systemd: Stepfast) -> None:
    systemd.data = systemd.folder / '100% of "it" $HOME ${HOME} \\ é;'
    systemd.options = ["--data", str(systemd.data)]
    systemd.program = [sys.executable, "-P", "-m", "stepfast_desktop"]
    (systemd.folder / "mytasks.py").write_text(MYTASKS)
    installed = systemd("service", "install", "--load", "mytasks:greet")
    unit = Path(installed.stdout.strip()).read_text("utf-8")
    lines = dict(line.split("=", 1) for line in unit.splitlines() if "=" in line and line[0] != "#")
    command = taken_apart(lines["ExecStart"])
    assert command[0] == sys.executable and command[-2:] == ["--load", "mytasks:greet"]
    systemd("start", "greet", "--load", "mytasks:greet", "--name", "Ann", "--id", "a")
    carried = dict(
        taken_apart(line.removeprefix("Environment="))[0].split("=", 1)
        for line in unit.splitlines()
        if line.startswith("Environment=")
    )
    # What a login has, and what the unit says.
    environment = {name: systemd.environment[name] for name in ("PATH", "HOME")} | carried
    process = subprocess.Popen(
        command,
        cwd=lines["WorkingDirectory"].removeprefix("-"),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    systemd.processes.append(process)
    systemd.eventually(lambda: systemd.state("a") == "completed", "the workflow's end")
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert out.startswith("working on ") and "greet" in out and "is parked" in err
