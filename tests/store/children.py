"""Processes of a test's own that really live, stop, fork and die; gone when the test is over.

A child says what it has done on its standard output and waits by reading its standard input (`SPEAKING`); no
test waits for anything but these pipes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import stepfast

__all__ = ["Starter", "children", "hears", "kill", "tell"]

STORE = str(Path(stepfast.__file__).resolve().parents[1])
SPEAKING = """
import os, signal, subprocess, sys, threading
def say(*words): os.write(1, (" ".join(map(str, words)) + "\\n").encode())
def wait(): os.read(0, 1)
"""

Starter = Callable[..., "subprocess.Popen[bytes]"]


@contextmanager
def children(preamble: str) -> Iterator[Starter]:
    """Gives what starts a script, after `preamble`, in a process of its own; at the end all are killed."""
    started: list[subprocess.Popen[bytes]] = []

    def start(script: str, *arguments: object) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-c", SPEAKING + preamble + script, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": STORE},
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        process.stdout.read()  # until the last descendant is gone
        process.stdout.close()
        process.wait()


def hears(process: subprocess.Popen[bytes]) -> str:
    """The next line that the child says."""
    assert process.stdout is not None
    return process.stdout.readline().decode().strip()


def tell(process: subprocess.Popen[bytes]) -> None:
    """Let the child go on from its `wait()`."""
    assert process.stdin is not None
    process.stdin.write(b".")
    process.stdin.flush()


def kill(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL, and wait until it is dead."""
    process.kill()
    assert process.wait() == -signal.SIGKILL
