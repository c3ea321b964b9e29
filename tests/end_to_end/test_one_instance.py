"""One window a data folder, with real processes: handed over to, killed, stopped, launched at one instant."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from stepfast_desktop.instance import sole
from stepfast_desktop.instance.launching import address_of

if TYPE_CHECKING:
    from launches import Folder, Launched

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it stops and kills processes")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Folder]:
    import launches

    with launches.folder(tmp_path) as made:
        monkeypatch.setenv("XDG_RUNTIME_DIR", made.environment["XDG_RUNTIME_DIR"])
        yield made


def test_a_second_launch_raises_the_first_hands_over_and_ends(folder: Folder, tmp_path: Path) -> None:
    first = folder.window()
    socket = Path(address_of(folder.path))
    assert socket.is_socket() and socket.stat().st_mode & 0o077 == 0, "it is this user's alone"
    (tmp_path / "photos").mkdir()
    (tmp_path / "link").symlink_to(folder.path)  # the same folder by another name
    first.tell("start", "steady", "one")
    folder.until(lambda: "one" in folder.command("list"))
    second = folder.launch("--data", tmp_path / "link", "window", tmp_path / "photos", "--show", "one")
    assert second.ends() == 0
    # A busy machine may let it ask for a moment whether the first is frozen.
    assert second.said[-1] == "ended 0"
    assert not any(each.startswith("window") for each in second.said), "it has no window of its own"
    first.hear("other NewWorkflowDialog")
    folder.until(lambda: (first.tell("details"), "details one" in first.said)[1], "the details of that one")
    first.tell("quit")
    assert first.ends() == 0
    assert not socket.exists()


def test_after_a_kill_the_next_launch_just_works(folder: Folder) -> None:
    first = folder.window()
    first.process.kill()
    first.ends()
    assert Path(address_of(folder.path)).exists(), "what it left would keep another one from listening"
    second = folder.window()
    assert folder.launch().ends() == 0
    second.process.terminate()
    assert second.ends() == 128 + signal.SIGTERM


def test_how_the_window_was_left_outlives_a_kill(folder: Folder, tmp_path: Path) -> None:
    first = folder.window()
    first.tell("resize", 701, 503)
    first.hear("kept at 701 503")
    assert "geometry" in (tmp_path / "config" / "settings.json").read_text("utf-8")
    first.process.kill()
    first.ends()
    second = folder.window()
    second.tell("size")
    second.hear("size 701 503")


def test_of_launches_at_one_instant_one_opens_and_the_others_hand_over(folder: Folder) -> None:
    launched = [folder.launch("window") for _ in range(3)]
    folder.until(lambda: sum(each.process.poll() == 0 for each in launched) == 2)
    (left,) = [each for each in launched if each.process.poll() is None]
    left.hear("window shown")
    assert sole.pid_of(folder.path, sole.WINDOW) == left.pid


def freezes(window: Launched, file: Path) -> bool:
    """Stop it; where that is in the middle of a word of SQLite's, and nobody can read, it goes on instead."""
    window.process.send_signal(signal.SIGSTOP)
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("SELECT count(*) FROM stepfast_workflows")
    except sqlite3.OperationalError:
        window.process.send_signal(signal.SIGCONT)
        return False
    return True


def test_a_frozen_one_can_be_looked_past_and_then_ended(folder: Folder) -> None:
    first = folder.window()
    first.tell("start", "steady", "one")
    folder.until(lambda: folder.command("list").count("one"))
    folder.until(lambda: freezes(first, folder.path / "stepfast.db"), "a moment at which others can read")
    looking = folder.launch("window")
    looking.hear("box Stepfast is open already")
    looking.tell("choose", "Open read-only")
    looking.hear("notice read-only")
    looking.tell("quit")
    assert looking.ends() == 0
    assert first.process.poll() is None
    ending = folder.launch("window", "--load", "tasks:ALL")
    ending.hear("box Stepfast is open already")
    ending.tell("choose", "End the frozen one")
    ending.hear("window shown")
    assert first.ends() != 0
    assert sole.pid_of(folder.path, sole.WINDOW) == ending.pid
    step = folder.show("one")["step"]
    folder.until(lambda: folder.show("one")["step"] not in (None, step))  # it is carried on


def test_one_that_was_only_slow_is_raised_and_the_box_goes(folder: Folder) -> None:
    first = folder.window()
    first.process.send_signal(signal.SIGSTOP)
    second = folder.launch("window")
    second.hear("box Stepfast is open already")
    first.process.send_signal(signal.SIGCONT)
    assert second.ends() == 0
    assert first.process.poll() is None


@pytest.mark.skipif(sys.platform != "linux", reason="limits another process, as Linux does")
def test_a_window_whose_disk_takes_nothing_any_more_quits_all_the_same(folder: Folder) -> None:
    import resource

    first = folder.window()
    resource.prlimit(first.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    first.tell("quit")
    assert first.ends() == 0, first.said


@pytest.mark.skipif(sys.platform != "linux", reason="mounts as Linux does")
def test_what_has_become_read_only_keeps_no_second_launch_from_the_first(
    folder: Folder, tmp_path: Path
) -> None:
    first = folder.window()
    # What the window has open it may still write; by its path nobody opens anything there any more. That is
    # so at once, as a mount that somebody writes through cannot become read-only.
    aside = tmp_path / "aside"
    aside.mkdir()
    mounted = []
    try:
        for words in (
            ["--bind", folder.path, aside],
            ["-o", "remount,bind,ro", aside],
            ["--bind", aside, folder.path],
        ):
            if subprocess.run(["mount", *words]).returncode:
                pytest.fail("nothing can be mounted: it takes root, and mount")
            if words[0] == "--bind":
                mounted.append(words[-1])
        with pytest.raises(OSError, match="Read-only"):
            (folder.path / "anything").touch()
        assert folder.launch("window", "--show", "one").ends() == 0
        assert first.process.poll() is None
        first.process.send_signal(signal.SIGSTOP)
        second = folder.launch("window")
        second.hear("box Stepfast is open already")
        second.tell("choose", "End the frozen one")
        assert first.ends() == 128 + signal.SIGTERM
    finally:
        for each in reversed(mounted):
            subprocess.run(["umount", "--lazy", each], check=True)


def test_a_folder_that_lets_nobody_is_said_and_nothing_is_asked(folder: Folder) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    folder.path.mkdir()
    folder.path.chmod(0o500)
    launched = folder.launch("window")
    launched.hear("box")
    assert "already" not in launched.said[-1]
