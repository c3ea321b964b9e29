"""What is written for each system, and what is made of what its tools say."""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from stepfast_desktop.service import ServiceError, Worker, worker_of
from stepfast_desktop.service.interfaces import Ran, name_of, run
from stepfast_desktop.service.launchd import Launchd
from stepfast_desktop.service.systemd import Systemd, unit_of
from stepfast_desktop.service.task_scheduler import TaskScheduler, task_of

ODD = "/home/ann/100% \"of\" 'it' $HOME ${HOME} \\n; é"
WORKER = Worker(
    "stepfast-1234abcd",
    Path(ODD),
    ("/usr/bin/python3", "-P", "-m", "stepfast_desktop", "--data", ODD, "work", "--load", "my:tasks"),
    Path("/home/ann/my tasks"),
    {"PYTHONPATH": ODD, "STEPFAST_CONFIG": "/c"},
)
VERIFY = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")


class Tools:
    """The tools of a system: what they were asked, and what they answer."""

    def __init__(self, **answers: Ran) -> None:
        self.asked: list[str] = []
        self.answers = {name.replace("_", "-"): answer for name, answer in answers.items()}

    def __call__(self, command: Sequence[str]) -> Ran:
        self.asked.append(" ".join(command))
        return next((self.answers[each] for each in command if each in self.answers), Ran(0, "", ""))

    def clear(self) -> list[str]:
        asked, self.asked = self.asked, []
        return asked


# ----------------------------------------------------------------------------------- what is installed


def test_a_worker_has_what_this_command_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    environment = {
        "PYTHONPATH": os.pathsep.join(["/mine", "", "lib"]),
        "STEPFAST_CONFIG": "",
        "TERM": "vt100",
    }
    worker = worker_of(Path("data"), ["a:b", "c:d"], here=True, environment=environment)
    assert worker.command[:4] == (sys.executable, "-P", "-m", "stepfast_desktop")
    assert worker.command[4:] == (
        *("--data", str(tmp_path / "data"), "work", "--load", "a:b", "--load", "c:d"),
    )
    assert (worker.folder, worker.environment) == (
        tmp_path,
        {"PYTHONPATH": f"/mine{os.pathsep}{tmp_path / 'lib'}"},
    )
    environment = {"STEPFAST_CONFIG": "config", "XDG_CONFIG_HOME": "relative"}
    carried = worker_of(Path("data"), [], here=False, environment=environment).environment
    assert carried == {"STEPFAST_CONFIG": str(tmp_path / "config"), "XDG_CONFIG_HOME": "relative"}
    assert worker_of(Path("data"), [], here=False, environment={}).folder == Path.home()


def test_each_data_folder_has_a_worker_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    given = {"XDG_DATA_HOME": "/data"}
    assert name_of(Path("/data/stepfast"), given) == "stepfast"
    # A variable that names another folder now does not make that one the user's own.
    other = name_of(Path("/other"), {**given, "STEPFAST_DATA": "/other"})
    assert other.startswith("stepfast-") and other == name_of(Path("/other"), {})
    assert name_of(Path("/another"), {}) not in (other, "stepfast")


def test_what_no_unit_file_can_hold_is_refused() -> None:
    with pytest.raises(ServiceError, match="no unit file can hold"):
        worker_of(Path("/a\nExecStart=/bin/false"), [], here=False, environment={})


def test_a_tool_that_is_not_there_is_an_answer() -> None:
    assert run(["stepfast-no-such-tool"]).code == 127
    assert run([sys.executable, "-c", "import sys; sys.exit('no  way\\n')"]).said == "no way"


# --------------------------------------------------------------------------------------------- systemd


def words_of(line: str) -> list[str]:
    """A command line of a unit file as systemd takes it apart, by systemd.syntax(7); no variables."""
    words: list[str] = []
    rest = line.strip()
    while rest:
        word = ""
        if rest[0] == '"':
            rest = rest[1:]
            while rest[0] != '"':
                if rest[0] == "\\":
                    assert rest[1] in '\\"', rest
                    rest = rest[1:]
                word, rest = word + rest[0], rest[1:]
            rest = rest[1:]
            assert rest[:1] in ("", " ")
        else:
            word, _, rest = rest.partition(" ")
            assert not set(word) & set("\"'\\;")
        assert "%" not in word.replace("%%", "")
        words.append(word.replace("%%", "%"))
        rest = rest.lstrip()
    if words[0].startswith(":"):
        words[0] = words[0][1:]
    else:
        assert not any("$" in word for word in words)
    return words


def settings_of(unit: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in unit.splitlines() if "=" in line and line[0] != "#")


def test_a_unit_runs_the_very_words() -> None:
    settings = settings_of(unit_of(WORKER))
    assert words_of(settings["ExecStart"]) == list(WORKER.command)
    assert settings["WorkingDirectory"] == "-/home/ann/my tasks"
    environment = [line.split("=", 1)[1] for line in unit_of(WORKER).splitlines() if line[:4] == "Envi"]
    assert len(environment) == 2 and environment[1] == "STEPFAST_CONFIG=/c"
    assert environment[0].startswith('"PYTHONPATH=/home/ann/100%% \\"of\\"')
    # Asked to end, the worker alone is told: what a step runs would fail for it otherwise.
    assert settings["KillMode"] == "mixed"


def test_an_end_of_a_line_takes_in_no_other() -> None:
    for folder in ("/home/ann/a ", "/home/ann/a\\"):
        line = settings_of(unit_of(replace(WORKER, folder=Path(folder))))["WorkingDirectory"]
        assert line == f"-{folder}/"


def test_a_program_that_systemd_would_not_run_is_refused() -> None:
    for program in ("/opt/it's/python", '/opt/"/python', "/opt/\\/python"):
        with pytest.raises(ServiceError, match="runs no program"):
            unit_of(replace(WORKER, command=(program,)))


@VERIFY
@pytest.mark.parametrize("program", ["/bin/sh", "/tmp/no such/100% $HOME/py"])
def test_systemd_reads_the_unit_as_it_is_meant(tmp_path: Path, program: str) -> None:
    unit = tmp_path / "stepfast.service"
    unit.write_text(unit_of(replace(WORKER, command=(program, *WORKER.command[1:]))), "utf-8")
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", str(unit)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    said = verified.stdout + verified.stderr
    if program == "/bin/sh":
        assert (verified.returncode, said) == (0, "")
    else:
        assert verified.returncode and f"Command {program} is not executable" in said


@pytest.fixture
def config(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": str(tmp_path), "USER": "ann"}


def test_systemd_is_told_to_run_it_now_and_at_each_login(tmp_path: Path, config: dict[str, str]) -> None:
    tools = Tools(is_active=Ran(0, "active\n", ""), show_user=Ran(0, "Linger=no\n", ""))
    service = Systemd(config, tools)
    status = service.install(WORKER, boot=False)
    file = tmp_path / "systemd" / "user" / "stepfast-1234abcd.service"
    assert file.read_text("utf-8") == unit_of(WORKER)
    assert [each.name for each in file.parent.iterdir()] == [file.name]
    asked = tools.clear()
    assert asked[1:4] == [
        "systemctl --user daemon-reload",
        f"systemctl --user enable {file.name}",
        f"systemctl --user restart {file.name}",
    ]
    assert not any("enable-linger" in each for each in asked)
    assert (status.installed, status.running, status.place) == (True, True, str(file))
    assert "--boot" in status.notes[0]
    # Again, with something else: the one takes the place of the other.
    service.install(replace(WORKER, command=("/bin/sh",)), boot=True)
    assert "ExecStart=/bin/sh\n" in file.read_text("utf-8")
    assert "loginctl enable-linger" in tools.clear()
    assert service.remove(WORKER.name) == status
    assert f"systemctl --user disable --now {file.name}" in tools.asked
    assert not file.exists() and service.remove(WORKER.name) is None
    assert not service.status(WORKER.name).installed


def test_without_a_systemd_nothing_is_written(tmp_path: Path, config: dict[str, str]) -> None:
    for missing in (Ran(1, "", "Failed to connect to bus: No medium found"), Ran(127, "", "no systemctl")):
        service = Systemd(config, Tools(show=missing))
        with pytest.raises(ServiceError, match="at login: a line `@reboot` of crontab"):
            service.install(WORKER, boot=False)
        assert list(tmp_path.iterdir()) == []
        assert service.status(WORKER.name).running is False
        assert service.remove(WORKER.name) is None


def test_a_unit_that_was_installed_goes_also_where_its_systemd_is_gone(
    tmp_path: Path, config: dict[str, str]
) -> None:
    Systemd(config, Tools()).install(WORKER, boot=False)
    service = Systemd(config, Tools(show=Ran(1, "", "Failed to connect to bus")))
    found = service.status(WORKER.name)
    assert found.installed and found.running is None
    assert service.remove(WORKER.name) == found
    assert list((tmp_path / "systemd" / "user").iterdir()) == []


def test_what_systemd_refuses_is_told(tmp_path: Path, config: dict[str, str]) -> None:
    with pytest.raises(ServiceError, match=r"`systemctl --user restart .*` failed: Job failed"):
        Systemd(config, Tools(restart=Ran(1, "", "Job failed\n"))).install(WORKER, boot=False)
    shutil.rmtree(tmp_path / "systemd")
    denied = Tools(enable_linger=Ran(1, "", "Access denied"))
    with pytest.raises(ServiceError, match="sudo loginctl enable-linger ann"):
        Systemd(config, denied).install(WORKER, boot=True)
    assert not (tmp_path / "systemd").exists()
    failed = Tools(is_active=Ran(3, "failed\n", ""), is_enabled=Ran(1, "", ""))
    service = Systemd(config, failed)
    service.install(WORKER, boot=False)
    status = service.status(WORKER.name)
    assert (status.installed, status.running) == (True, False)
    assert "not enabled" in status.notes[0] and "journalctl" in status.notes[1]


# --------------------------------------------------------------------------------------------- launchd


def test_launchd_is_given_a_property_list(tmp_path: Path) -> None:
    tools = Tools(print=Ran(0, "gui/501/x = {\n\tstate = running\n\tpid = 7\n}\n", ""))
    service = Launchd(tmp_path, tools, user=501)
    status = service.install(WORKER, boot=False)
    file = tmp_path / "Library" / "LaunchAgents" / "org.stepfast.stepfast-1234abcd.plist"
    found = plistlib.loads(file.read_bytes())
    assert (found["Label"], found["RunAtLoad"]) == (file.stem, True)
    assert found["ProgramArguments"] == list(WORKER.command)
    assert found["EnvironmentVariables"] == WORKER.environment
    assert found["KeepAlive"] == {"SuccessfulExit": False}
    assert Path(found["StandardErrorPath"]).parent.is_dir()
    assert [each.split()[1] for each in tools.clear()] == ["bootout", "enable", "bootstrap", "print"]
    assert status.running and status.place == str(file)
    assert service.remove(WORKER.name) == status
    assert f"launchctl bootout gui/501/{file.stem}" in tools.asked
    assert not file.exists() and service.remove(WORKER.name) is None


def test_launchd_is_asked_again_while_the_old_one_ends(tmp_path: Path) -> None:
    pauses: list[float] = []
    tools = Tools(bootstrap=Ran(5, "", "Bootstrap failed: 5: Input/output error"))
    with pytest.raises(ServiceError, match="Input/output error"):
        Launchd(tmp_path, tools, user=501, sleep=pauses.append).install(WORKER, boot=False)
    assert len(pauses) == 10
    with pytest.raises(ServiceError, match="LaunchDaemons"):
        Launchd(tmp_path, tools, user=501).install(WORKER, boot=True)


# -------------------------------------------------------------------------------------- task scheduler


def test_the_task_scheduler_is_given_xml() -> None:
    xml = task_of(WORKER, "HOME\\ann")
    assert xml.startswith((b"\xff\xfe", b"\xfe\xff"))
    task = ElementTree.fromstring(xml)
    space = {"t": "http://schemas.microsoft.com/windows/2004/02/mit/task"}
    found = {each.tag.partition("}")[2]: each.text for each in task.iter()}
    assert task.findtext("t:Triggers/t:LogonTrigger/t:UserId", None, space) == "HOME\\ann"
    assert task.findtext("t:Actions/t:Exec/t:Command", None, space) == WORKER.command[0]
    assert found["Arguments"] == subprocess.list2cmdline(WORKER.command[1:])
    assert (found["ExecutionTimeLimit"], found["StopIfGoingOnBatteries"]) == ("PT0S", "false")
    assert found["Interval"] == "PT1M"


def test_the_task_scheduler_is_asked_by_schtasks() -> None:
    listed = Ran(0, '"\\Stepfast\\stepfast-1234abcd","N/A","Running"\r\n', "")
    tools = Tools(**{"/Query": listed})
    service = TaskScheduler({"USERNAME": "ann"}, tools)
    status = service.install(WORKER, boot=False)
    assert [each.split()[1] for each in tools.clear()] == ["/End", "/Create", "/Run", "/Query"]
    assert (status.installed, status.running) == (True, True)
    tools.answers["/Query"] = replace(listed, out=listed.out.replace("Running", "Wird ausgeführt"))
    assert service.status(WORKER.name).running is None
    assert service.remove(WORKER.name) is not None
    assert tools.asked[-1].startswith("schtasks /Delete /TN \\Stepfast\\stepfast-1234abcd /F")
    tools.answers["/Query"] = Ran(1, "", "ERROR: The system cannot find the file specified.")
    assert service.remove(WORKER.name) is None
    with pytest.raises(ServiceError, match="administrator"):
        service.install(WORKER, boot=True)
