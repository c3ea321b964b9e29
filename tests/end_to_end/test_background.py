"""The worker in the background takes over from a window without a gap, and stays beside the next one."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from stepfast_desktop.instance import background, sole
from stepfast_desktop.instance.background import BackgroundWorker

if TYPE_CHECKING:
    from launches import Folder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it looks at processes as POSIX has them")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Folder]:
    import launches

    with launches.folder(tmp_path) as made:
        monkeypatch.setenv("XDG_RUNTIME_DIR", made.environment["XDG_RUNTIME_DIR"])
        monkeypatch.setattr(background, "START_SECONDS", 100.0)  # a busy machine may take its time
        yield made


def recorded(folder: Folder, id: str) -> int:
    return len(folder.show(id)["steps"])


def test_it_takes_over_from_the_window_and_is_stopped_from_the_next(folder: Folder) -> None:
    first = folder.window()
    first.tell("start", "steady", "one")
    folder.until(lambda: "one" in folder.command("list") and recorded(folder, "one") > 2)
    first.tell("prefer", "closing", '"background"')
    first.tell("close")
    assert first.ends() == 0
    worker = sole.pid_of(folder.path, sole.BACKGROUND)
    assert worker is not None and worker != first.pid
    assert folder.show("one")["state"] in ("running", "queued")
    before = recorded(folder, "one")
    folder.until(lambda: recorded(folder, "one") > before, "a step of the worker's")
    log = (folder.path / "worker.log").read_text("utf-8")
    assert "working on" in log and "steady" in log, "it has what the window had loaded"
    assert "already" in folder_says(folder), "there is one at most"
    second = folder.window()
    assert sole.pid_of(folder.path, sole.BACKGROUND) == worker, "it goes on beside a window"
    second.tell("stop-background")
    folder.until(lambda: not sole.is_held(folder.path, sole.BACKGROUND), "the worker's end")
    before = recorded(folder, "one")
    folder.until(lambda: recorded(folder, "one") > before, "a step of the window's")


def folder_says(folder: Folder) -> str:
    command = [sys.executable, "-m", "stepfast_desktop", "--data", str(folder.path), "work", "--background"]
    done = subprocess.run(command, env=folder.environment, capture_output=True, timeout=100)
    assert done.returncode == 0
    return done.stderr.decode()


def test_it_ends_by_itself_once_nothing_is_to_come(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.command("work", "--load", "tasks:ALL", "--until-idle")  # which remembers what is loaded
    folder.command("start", "--load", "tasks:ALL", "brief", "--id", "short")
    for name, text in folder.environment.items():
        monkeypatch.setenv(name, text)
    worker = BackgroundWorker(folder.path)
    worker.start()
    worker.start()  # does nothing: there is one
    folder.until(lambda: not worker.runs(), "its end")
    assert folder.show("short")["state"] == "completed"


HELD_BY_ANOTHER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA locking_mode = EXCLUSIVE")
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""


def killed_when(worker: BackgroundWorker, holds: Callable[[], object]) -> threading.Thread:
    """Kill the process that `worker` starts as soon as this holds."""
    before = len(background._started)

    def kill() -> None:
        end = time.monotonic() + 100
        while time.monotonic() < end:
            if len(background._started) > before and holds():
                background._started[-1].kill()
                return

    made = threading.Thread(target=kill)
    made.start()
    return made


def worker_with_work(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> BackgroundWorker:
    """One that is not started yet; "one" is queued."""
    folder.command("work", "--load", "tasks:ALL", "--until-idle")
    folder.command("start", "--load", "tasks:ALL", "steady", "--id", "one")
    for name, text in folder.environment.items():
        monkeypatch.setenv(name, text)
    return BackgroundWorker(folder.path)


def test_one_that_is_killed_before_it_is_at_work_was_not_started(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = worker_with_work(folder, monkeypatch)
    said = "^it was killed before it was at work: by the system, perhaps for want of memory, or by somebody$"
    killing = killed_when(worker, lambda: True)  # it has not even begun
    with pytest.raises(OSError, match=said):
        worker.start()
    killing.join()
    # Now it holds its lock, and comes no further: for five seconds it tries to open the file.
    command = [sys.executable, "-c", HELD_BY_ANOTHER, str(folder.path / "stepfast.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"held\n"
        killing = killed_when(worker, worker.runs)
        with pytest.raises(OSError, match=said):
            worker.start()
        killing.join()
        other.kill()
    worker.start()
    assert worker.works() and folder.show("one")["state"] in ("queued", "running")


def test_what_one_ran_that_was_killed_says_so_until_somebody_takes_it_over(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = worker_with_work(folder, monkeypatch)
    worker.start()
    folder.until(lambda: recorded(folder, "one") > 0, "a step")
    assert "WAITS FOR" not in folder.command("show", "one")
    background._started[-1].kill()
    background._started[-1].wait()
    shown = folder.command("show", "one")
    gone = "the process that ran it has ended without a word; no running process will carry it out"
    assert gone in shown
    assert f"one: {gone}" in folder.said("list")
    worker.start()
    folder.until(lambda: "WAITS FOR" not in folder.command("show", "one"), "it goes on")
    assert folder.said("list") == ""


def test_what_keeps_it_from_coming_up_is_said_and_the_log_does_not_grow_for_ever(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.path.mkdir()
    (folder.path / "worker.log").write_bytes(b"x" * 1_000_001)
    monkeypatch.setattr(
        BackgroundWorker, "command", property(lambda _self: [sys.executable, "-c", "raise SystemExit(7)"])
    )
    worker = BackgroundWorker(folder.path)
    with pytest.raises(OSError, match=r"^it ended with code 7 before it was at work$"):
        worker.start()
    assert (folder.path / "worker.log.1").stat().st_size == 1_000_001
    assert (folder.path / "worker.log").stat().st_size == 0


def test_a_window_that_is_terminated_parks_and_asks_nothing(folder: Folder) -> None:
    window = folder.window()
    window.tell("start", "steady", "one")
    folder.until(lambda: "one" in folder.command("list") and recorded(folder, "one") > 0)
    window.process.terminate()
    assert window.ends() == 128 + signal.SIGTERM
    assert not any("box" in each for each in window.said)
    assert folder.show("one")["state"] == "queued"


def test_what_asks_a_program_to_quit_is_never_refused(folder: Folder) -> None:
    """As the Dock, or the end of a session: Qt asks each window, and a no would keep the system running."""
    window = folder.window()
    window.tell("start", "steady", "one")
    folder.until(lambda: "one" in folder.command("list") and recorded(folder, "one") > 0)
    window.tell("prefer", "closing", '"hide"')
    window.tell("quit")
    assert window.ends() == 0
    assert folder.show("one")["state"] == "queued"


def test_started_by_the_login_it_opens_out_of_the_way(folder: Folder) -> None:
    assert "window minimised" in folder.window("--hidden").said
