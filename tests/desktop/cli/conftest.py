"""The command line in processes of its own, as a person or a script has it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
PROGRAM = Path(__file__).with_name("tiny_program.py")
DEADLINE = 60.0
# What this machine has set would lead to its own file, or to its screen.
UNSET = ("STEPFAST_DATA", "DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


class Stepfast:
    """One data folder, and the program on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.program = [sys.executable, str(PROGRAM)]
        self.options = ["--data", str(self.data)]
        self.processes: list[subprocess.Popen[str]] = []
        roots = [str(ROOT / each) for each in ("store", "app", "resources")] + [str(PROGRAM.parent)]
        self.environment = {
            **{name: text for name, text in os.environ.items() if name not in UNSET},
            "STEPFAST_CONFIG": str(folder / "config"),
            "PYTHONPATH": os.pathsep.join([*roots, os.environ.get("PYTHONPATH", "")]),
            "PYTHONIOENCODING": "utf-8",
            "COLUMNS": "80",
        }

    def __call__(self, *words: object, exit_code: int | None = 0) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return self._run([*self.program, *self.options, *map(str, words)], exit_code)

    def python(
        self, script: str, *words: object, exit_code: int | None = 0
    ) -> subprocess.CompletedProcess[str]:
        """Run a script that can import the tests' program."""
        return self._run([sys.executable, "-c", script, *map(str, words)], exit_code)

    def _run(self, command: list[str], exit_code: int | None) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            encoding="utf-8",
            timeout=DEADLINE,
        )
        assert exit_code in (None, done.returncode), done
        assert "Traceback" not in done.stderr or exit_code == 70, done.stderr
        return done

    @staticmethod
    def eventually(condition: Callable[[], object], what: str = "what was awaited") -> Any:
        """What `condition` returns, once that is true. The only thing that waits here, and not for ever."""
        end = time.monotonic() + DEADLINE
        while not (found := condition()):
            assert time.monotonic() < end, f"{what} did not happen in {DEADLINE:.0f} s"
            time.sleep(0.02)
        return found

    def json(self, *words: object) -> Any:
        return json.loads(self(*words, "--json").stdout)

    def state(self, id: str) -> str:
        return str(self.json("show", id)["state"])

    def begin(self, *words: object, **options: Any) -> subprocess.Popen[str]:
        """Start a command and let it run; it is killed when the test ends."""
        process = subprocess.Popen(
            [*self.program, *self.options, *map(str, words)],
            cwd=self.folder,
            env=self.environment,
            encoding="utf-8",
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
        )
        self.processes.append(process)
        return process

    def under_way(self, *words: object) -> subprocess.Popen[str]:
        """`start long --wait` that has come to its second step."""
        process = self.begin("start", "long", "--until", self.folder / "go", "--wait", *words)
        id = process.stdout.readline().strip() if process.stdout else ""
        self.eventually(lambda: self.json("show", id)["step"] == "second", "the second step")
        return process


@pytest.fixture
def stepfast(tmp_path: Path) -> Iterator[Stepfast]:
    program = Stepfast(tmp_path)
    yield program
    for process in program.processes:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
