"""The program on a disk that is mounted read-only: what is there is shown, and nothing else is done."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from launches import Folder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="mounts a small disk as Linux does")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    """A data folder with a workflow, on a disk of its own; fails where none can be made."""
    import launches

    disk = tmp_path / "data"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "stepfast-test", disk]).returncode:
        pytest.fail("no small disk can be made: it takes root, and mount")
    try:
        with launches.folder(tmp_path) as made:
            assert made.path == disk
            made.command("start", "--load", "tasks:ALL", "brief", "--id", "one")
            subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
            yield made
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


def said(folder: Folder, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "stepfast_desktop", "--data", str(folder.path), *words]
    return subprocess.run(command, env=folder.environment, capture_output=True, text=True, timeout=60)


def test_commands_that_look_show_what_is_there_and_others_say_why_not(folder: Folder, tmp_path: Path) -> None:
    for words, shown in (
        (["list"], "one  brief  queued"),
        (["show", "one"], "brief, version 1"),
        (["export"], '"one"'),
        (["backup", str(tmp_path / "copy.db")], str(tmp_path / "copy.db")),
    ):
        done = said(folder, *words)
        assert done.returncode == 0 and shown in done.stdout, done
    assert "its disk is mounted read-only; mount it for writing again; what is shown was read just now" in (
        said(folder, "list").stderr
    )
    for words in (["pause", "one"], ["resume", "one"]):
        done = said(folder, *words)
        assert done.returncode == 1 and "its disk is mounted read-only" in done.stderr
    assert [each.name for each in folder.path.iterdir()] == ["stepfast.db"]


def test_where_there_is_no_file_the_window_says_why_none_can_be_made(folder: Folder) -> None:
    folder.path = folder.path / "inside"
    window = folder.launch("window", "--load", "tasks:ALL")
    window.hear("cannot be made (Read-only file system)")


def test_the_window_shows_what_is_there_and_that_nothing_can_be_done(folder: Folder) -> None:
    window = folder.launch("window", "--load", "tasks:ALL", "--show", "one")
    window.hear("notice read-only")
    window.tell("details")
    folder.until(lambda: window.tell("details") or "details one" in window.said, "its details")
    window.tell("quit")
    assert window.ends() == 0
    assert [each.name for each in folder.path.iterdir()] == ["stepfast.db"]
