"""The worker in the background takes over from a window without a gap, and stays beside the next one."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from stepfast_desktop.instance import sole
from stepfast_desktop.instance.background import BackgroundWorker

if TYPE_CHECKING:
    from launches import Folder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it looks at processes as POSIX has them")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Folder]:
    import launches

    with launches.folder(tmp_path) as made:
        monkeypatch.setenv("XDG_RUNTIME_DIR", made.environment["XDG_RUNTIME_DIR"])
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
    import subprocess

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


def test_what_keeps_it_from_coming_up_is_said_and_the_log_does_not_grow_for_ever(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.path.mkdir()
    (folder.path / "worker.log").write_bytes(b"x" * 1_000_001)
    monkeypatch.setattr(
        BackgroundWorker, "command", property(lambda _self: [sys.executable, "-c", "raise SystemExit(7)"])
    )
    worker = BackgroundWorker(folder.path)
    with pytest.raises(OSError, match=r"ended with 7; what it said is in .*worker\.log"):
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
