"""The command line in processes of its own, as a person or a script has it."""

from __future__ import annotations

import json
import os
import selectors
import signal
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


class Ready:
    """The program, started: each command is a fork of it (`ready.py`). One for all tests."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._python: dict[str, str] = {}

    def takes(self, program: list[str], environment: dict[str, str]) -> bool:
        """Whether a fork of it is what this would be: the same program, of a Python told the same."""
        if not hasattr(os, "fork") or program != [sys.executable, str(PROGRAM)]:
            return False
        python = {
            name: text for name, text in environment.items() if name.startswith(("PYTHON", "LC_", "LANG"))
        }
        if self._process is None:
            self._python = python
            self._process = subprocess.Popen(
                [sys.executable, str(PROGRAM.with_name("ready.py"))],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                start_new_session=True,
            )
        return python == self._python

    def __call__(
        self, words: list[str], folder: Path, environment: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        assert self._process is not None and self._process.stdin and self._process.stdout
        out, err = (folder.with_name(f"{folder.name}-{name}") for name in ("stdout", "stderr"))
        out.write_bytes(b"")
        err.write_bytes(b"")
        asked = {
            "words": words,
            "folder": str(folder),
            "environment": environment,
            "out": str(out),
            "err": str(err),
        }
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        with selectors.DefaultSelector() as ended:
            ended.register(self._process.stdout, selectors.EVENT_READ)
            if not ended.select(DEADLINE):
                self.end()
                raise subprocess.TimeoutExpired(words, DEADLINE, out.read_bytes(), err.read_bytes())
        code = int(self._process.stdout.readline())
        said = (each.read_text("utf-8") for each in (out, err))
        return subprocess.CompletedProcess(words, code, *said)

    def end(self) -> None:
        """Kill it, and the command that it runs."""
        if self._process is None:
            return
        with self._process as process:
            os.killpg(process.pid, signal.SIGKILL)
        self._process = None


class Stepfast:
    """One data folder, and the program on it."""

    def __init__(self, folder: Path, ready: Ready) -> None:
        self.ready = ready
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
        if self.ready.takes(self.program, self.environment):
            typed = [self.program[1], *self.options, *map(str, words)]
            return self._checked(self.ready(typed, self.folder, self.environment), exit_code)
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
        return self._checked(done, exit_code)

    @staticmethod
    def _checked(
        done: subprocess.CompletedProcess[str], exit_code: int | None
    ) -> subprocess.CompletedProcess[str]:
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


@pytest.fixture(scope="session")
def ready() -> Iterator[Ready]:
    made = Ready()
    yield made
    made.end()


@pytest.fixture
def stepfast(tmp_path: Path, ready: Ready) -> Iterator[Stepfast]:
    program = Stepfast(tmp_path, ready)
    yield program
    for process in program.processes:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
