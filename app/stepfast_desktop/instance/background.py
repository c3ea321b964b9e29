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

from stepfast_desktop.instance.sole import BACKGROUND, end, is_held, told
from stepfast_desktop.service.interfaces import program_of
from stepfast_desktop.viewmodels.format import readable
from stepfast_desktop.viewmodels.words import translate

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

    def works(self) -> bool:
        """Whether it has the file open and carries workflows out; it holds the lock a while before that."""
        return self.runs() and told(self._folder, BACKGROUND).get("works") is True

    def start(self) -> None:
        until = time.monotonic() + START_SECONDS
        process: subprocess.Popen[bytes] | None = None
        said = 0
        while not self.works():
            if process is None and not self.runs():
                process, said = self._begin()
            elif process is not None and process.poll() is not None:
                if process.returncode:
                    raise OSError(self._why(process.returncode, said))
                if not self.runs():
                    return  # it found nothing left to do
                process = None  # another program's was first, and that is waited for
            if time.monotonic() >= until:
                if process is None:
                    return  # whoever started that sees to it
                process.kill()
                process.wait()
                text = translate("Background", "it did not come up in {seconds} seconds; see {log}")
                raise OSError(text.format(seconds=round(START_SECONDS), log=self.log))
            time.sleep(PAUSE_SECONDS)

    def _begin(self) -> tuple[subprocess.Popen[bytes], int]:
        """Start it; also where in the log begins what it says."""
        self._rotate()
        flags = 0
        if sys.platform == "win32":
            flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        with open(self.log, "ab") as log:
            said = log.tell()
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
        return process, said

    def _why(self, code: int, said: int) -> str:
        """Why it ended before it was at work, for a person; it says no more than its log, from `said` on."""
        if code == -9:
            why = translate(
                "Background",
                "it was killed before it was at work: by the system, perhaps for want of memory, or by "
                "somebody",
            )
        elif code < 0:
            why = translate("Background", "it was ended by signal {number} before it was at work")
        else:
            why = translate("Background", "it ended with code {code} before it was at work")
        why = why.format(number=-code, code=code)
        with open(self.log, "rb") as log:
            log.seek(said)
            lines = log.read(MOST_LOG_BYTES).decode("utf-8", "replace").split("\n")
        last = next((each.strip() for each in reversed(lines) if each.strip()), "")
        if not last:
            return why
        text = translate("Background", "{why}. It said: {said} (the rest is in {log})")
        return text.format(why=why, said=readable(last), log=self.log)

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
