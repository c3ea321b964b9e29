"""Launches of the window in processes of their own, offscreen, on one data folder.

The program is the real one, with definitions of the tests' own added by `--load`; `programs/launched.py` lets
it say what it shows and do what a person would. A test waits for what it says, or for its end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from stepfast_desktop.instance import sole

__all__ = ["DEADLINE", "Folder", "Launched", "folder"]

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).parent / "programs" / "launched.py"
DEADLINE = 60.0
TASKS = """
import asyncio, os
from stepfast import Run, workflow

@workflow("steady")
async def steady(run: Run) -> None:
    for number in range(1_000_000):
        await run.step(f"step-{number}", asyncio.sleep, 0.02)

@workflow("brief")
async def brief(run: Run) -> int:
    await run.step("wait", asyncio.sleep, 0.2)
    return os.getpid()

ALL = [steady, brief]
"""


class Launched:
    """One launch."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.said: list[str] = []
        self._new = threading.Condition()
        self.process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.pid = self.process.pid
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._new:
                self.said.append(line.strip())
                self._new.notify_all()

    def tell(self, *words: object) -> None:
        """Have it do something."""
        assert self.process.stdin is not None
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def hear(self, text: str, times: int = 1) -> None:
        """Wait until it has said something that contains `text`, so many times in all."""
        with self._new:
            heard = self._new.wait_for(
                lambda: sum(text in each for each in self.said) >= times, timeout=DEADLINE
            )
        assert heard, f"{text!r} was never said: {self.said}"

    def ends(self) -> int:
        """Wait for its end; its exit code."""
        try:
            code = self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it does not end: {self.said}") from None
        self._reading.join(DEADLINE)
        return code

    def close(self) -> None:
        """Kill it, if it still runs."""
        self.process.kill()
        self.process.wait()
        self._reading.join(DEADLINE)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()


class Folder:
    """A data folder, and the launches on it."""

    def __init__(self, path: Path) -> None:
        self.path = path / "data"
        self.started: list[Launched] = []
        modules = path / "modules"
        modules.mkdir()
        (modules / "tasks.py").write_text(TASKS, "utf-8")
        roots = [str(ROOT / each) for each in ("store", "app", "resources")]
        (path / "run").mkdir(mode=0o700)
        self.environment = {
            **{name: text for name, text in os.environ.items() if name != "STEPFAST_DATA"},
            "QT_QPA_PLATFORM": "offscreen",
            "STEPFAST_CONFIG": str(path / "config"),
            "XDG_CONFIG_HOME": str(path / "xdg"),
            "XDG_RUNTIME_DIR": str(path / "run"),
            "PYTHONPATH": os.pathsep.join([*roots, str(modules)]),
        }

    def launch(self, *words: object) -> Launched:
        """Start the program."""
        command = [sys.executable, str(PROGRAM), "--data", str(self.path), *map(str, words)]
        made = Launched(command, self.environment)
        self.started.append(made)
        return made

    def window(self, *words: object) -> Launched:
        """A window that is open."""
        made = self.launch("window", "--load", "tasks:ALL", *words)
        made.hear("window")
        assert sole.pid_of(self.path, sole.WINDOW) == made.pid
        return made

    def command(self, *words: object) -> str:
        """Run a command to its end; what it wrote to stdout."""
        return self._run(*words).stdout.decode()

    def _run(self, *words: object) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "stepfast_desktop", "--data", str(self.path), *map(str, words)]
        done = subprocess.run(command, env=self.environment, capture_output=True, timeout=DEADLINE)
        assert done.returncode == 0, done.stderr.decode()
        return done

    def said(self, *words: object) -> str:
        """As `command`; what it wrote to stderr."""
        return self._run(*words).stderr.decode()

    def show(self, id: str) -> Any:
        """What `stepfast show` says of a workflow."""
        return json.loads(self.command("show", id, "--json"))

    def until(self, condition: Callable[[], Any], what: str = "") -> Any:
        """What `condition` returns once that is true."""
        end = time.monotonic() + DEADLINE
        while not (found := condition()):
            assert time.monotonic() < end, f"it never came about: {what or condition}"
            time.sleep(0.02)
        return found

    def close(self) -> None:
        """End what is left, the worker in the background too."""
        for each in self.started:
            each.close()
        sole.end(self.path, sole.BACKGROUND, patience=5)


@contextmanager
def folder(path: Path) -> Iterator[Folder]:
    """A data folder under `path`; what runs on it is ended in the end."""
    made = Folder(path)
    try:
        yield made
    finally:
        made.close()
