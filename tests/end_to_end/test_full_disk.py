"""The command line on a disk that is really full."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="mounts a small disk as Linux does")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 2 MB. Fails, and is not skipped, where it cannot be made."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "stepfast-test", folder]
    if subprocess.run(mount).returncode:
        pytest.fail("no small disk can be made: it takes root, and mount")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def stepfast(disk: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "stepfast_desktop", "--data", str(disk / "data"), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_commands_say_that_the_disk_is_full_and_what_to_do_and_end_with_1(disk: Path) -> None:
    copy = ["start", "copy-folder", "--source", str(disk), "--destination", str(disk.parent / "copy")]
    assert stepfast(disk, *copy).returncode == 0
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass
    for arguments in (["list"], copy, ["cancel", "nothing"]):
        done = stepfast(disk, *arguments)
        assert (done.returncode, done.stdout) == (1, ""), done
        assert done.stderr.count("\n") == 1, done.stderr
        assert (
            done.stderr.startswith("stepfast: the disk that holds ") and "is full; free some" in done.stderr
        )
    filler.unlink()
    assert "copy-folder" in stepfast(disk, "list").stdout
