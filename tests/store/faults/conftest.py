"""What faults are made of: small disks, and a library that makes the disk fail when told to."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

# As in tests/store/conftest.py: with importlib as the import mode, shared modules are found only this way.
sys.path.insert(0, str(Path(__file__).parent))

NEED_LINUX = ["test_full_disk.py", "test_failing_disk.py", "test_no_room_for_copies.py"]
collect_ignore = [] if sys.platform == "linux" else NEED_LINUX

MEGABYTES = 2


class SmallDisk:
    """A disk of 2 MB, and a program that keeps it full."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = folder / "filler"
        self._filler: threading.Thread | None = None
        self._stop = threading.Event()
        self._times = 0  # that it was filled up
        self._filled = threading.Condition()

    def fill(self) -> None:
        """Leave no room at all, also where somebody gives some back."""
        self._stop.clear()
        self._filler = threading.Thread(target=self._fill)
        self._filler.start()
        self._until_filled(self._times + 1)

    def fill_again(self) -> None:
        """Wait until what was given back is taken."""
        self._until_filled(self._times + 2)  # the next one may have begun before

    def _until_filled(self, times: int) -> None:
        with self._filled:
            assert self._filled.wait_for(lambda: self._times >= times, 60)

    def empty(self) -> None:
        if self._filler is not None:
            self._stop.set()
            self._filler.join()
            self._filler = None
            self._file.unlink()

    def _fill(self) -> None:
        with self._file.open("ab", buffering=0) as file:
            while not self._stop.is_set():
                for size in (4096, 1):
                    with suppress(OSError):
                        while True:
                            file.write(b"x" * size)
                with self._filled:
                    self._times += 1
                    self._filled.notify_all()
                self._stop.wait(0.001)

    def remount(self, how: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{how}", self.folder], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """Fails, and is not skipped, where none can be made: a test that has no fault shows nothing."""
    folder = tmp_path / "disk"
    folder.mkdir()
    try:
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m,mode=777", "stepfast-test", folder],
            check=True,
            capture_output=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.fail(f"no small disk can be made (it takes root, and mount): {error}")
    disk = SmallDisk(folder)
    yield disk
    disk.empty()
    subprocess.run(["umount", "--lazy", folder], check=True)
