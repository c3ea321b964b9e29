"""The worker in the background: `stepfast work --background` without a console, on one data folder.

It belongs to no window and no login shell: it has a session of its own, and what it says goes to a file in
the data folder. The kernel's lock says whether it runs (`sole.py`), whoever has started it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from stepfast_desktop.instance.sole import BACKGROUND, end, is_held
from stepfast_desktop.service.interfaces import program_of

__all__ = ["LOG", "BackgroundWorker"]

LOG = "worker.log"
MOST_LOG_BYTES = 1_000_000
START_SECONDS = 30.0
STOP_SECONDS = 10.0
PAUSE_SECONDS = 0.02

# Kept, so that Python has nothing to say about those that outlive this process.
_started: list[subprocess.Popen[bytes]] = []


class BackgroundWorker:
    """A `viewmodels.background.Background` for a data folder.

    Args:
        folder: the data folder.
        loads: whether anything is loaded there: modules are looked for in the current folder then.
    """

    def __init__(self, folder: Path, *, loads: bool = False) -> None:
        self._folder = folder.absolute()
        self._loads = loads

    @property
    def command(self) -> list[str]:
        """What is started. It loads what is remembered for the folder, as the window did."""
        return [*program_of(), "--data", str(self._folder), "work", "--background"]

    @property
    def log(self) -> Path:
        """What it says; the one before it, once it had grown, is beside it with ".1"."""
        return self._folder / LOG

    def runs(self) -> bool:
        return is_held(self._folder, BACKGROUND)

    def start(self) -> None:
        if self.runs():
            return
        self._rotate()
        flags = 0
        if sys.platform == "win32":
            flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        with open(self.log, "ab") as log:
            process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # Elsewhere it would keep a disk that is to be ejected.
                cwd=None if self._loads else Path.home(),
                start_new_session=True,
                creationflags=flags,
            )
        _started.append(process)
        until = time.monotonic() + START_SECONDS
        while not self.runs():
            if process.poll() is not None:
                raise OSError(f"it ended with {process.returncode}; what it said is in {self.log}")
            if time.monotonic() >= until:
                process.kill()
                process.wait()
                raise OSError(f"it did not come up in {START_SECONDS:.0f} seconds; see {self.log}")
            time.sleep(PAUSE_SECONDS)

    def stop(self) -> bool:
        # As patient as the worker is with its own steps, and a little more.
        stopped = end(self._folder, BACKGROUND, patience=STOP_SECONDS)
        for each in _started:
            each.poll()
        return stopped

    def _rotate(self) -> None:
        try:
            if self.log.stat().st_size > MOST_LOG_BYTES:
                os.replace(self.log, self.log.with_name(f"{LOG}.1"))
        except FileNotFoundError:
            pass
