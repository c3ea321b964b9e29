"""What is installed, what is said of it, and what each system's way of doing it MUST do."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from stepfast.errors import StepfastError
from stepfast.system.paths import data_folder

__all__ = [
    "Ran",
    "Service",
    "ServiceError",
    "Status",
    "Tool",
    "Worker",
    "program_of",
    "run",
    "worker_of",
    "write",
]

SECONDS = 60.0  # that a tool of the system may take; it waits for what it stops
# What decides where this program finds its settings and its modules, and would be lost at a login.
CARRIED = ("STEPFAST_CONFIG", "XDG_CONFIG_HOME", "PYTHONPATH")


class ServiceError(StepfastError):
    """It could not be installed, looked at or removed; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker that is to run at each login.

    Args:
        name: what it is called on this machine, another one for each data folder.
        data: the data folder, absolute.
        command: program and arguments; the program is an absolute path.
        folder: where it runs, absolute: modules that `--load` names are looked for there.
        environment: variables that it has besides those of a login.
    """

    name: str
    data: Path
    command: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Status:
    """How things are.

    Args:
        installed: whether it will run at the next login.
        running: whether it runs now; None where that cannot be told.
        place: the unit file, or what stands for one.
        notes: more to tell a person, a line each.
    """

    installed: bool
    running: bool | None
    place: str
    notes: tuple[str, ...] = ()


class Service(Protocol):
    """A system's way of running a worker at login."""

    def install(self, worker: Worker, *, boot: bool) -> Status:
        """Have `worker` run at each login, and now.

        - MUST replace what is installed under the worker's name, and MUST leave nothing behind where the
          system has no such services at all;
        - MUST let a running worker end by itself (it parks its workflows), where the system can ask it to;
        - with `boot`, MUST have it run from when the machine starts, or raise before anything is changed.

        Raises `ServiceError`, with what to do.
        """

    def status(self, name: str) -> Status:
        """How things are; MUST change nothing, and MUST work where nothing is installed."""

    def remove(self, name: str) -> Status | None:
        """Stop it and have it run no more; returns how things were, None where there was nothing."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How a tool of the system ended: its exit code, and what it wrote to stdout and to stderr."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """What it said of its failure, on one line."""
        return " ".join((self.err or self.out).split()) or f"it ended with {self.code}"


Tool = Callable[[Sequence[str]], Ran]


def run(command: Sequence[str]) -> Ran:
    """Run a tool of the system to its end; one that is not there ends with 127, as in a shell."""
    try:
        done = subprocess.run(
            list(command),
            capture_output=True,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS,
        )
    except OSError as error:
        return Ran(127, "", f"{command[0]}: {error.strerror or error}")
    except subprocess.TimeoutExpired:
        return Ran(124, "", f"{command[0]} did not end in {SECONDS:.0f} seconds")
    return Ran(done.returncode, done.stdout, done.stderr)


def program_of() -> list[str]:
    """What starts this program once more, to be followed by its arguments.

    A program that was frozen into one file is itself what `python -m stepfast_desktop` is elsewhere.
    """
    if getattr(sys, "frozen", False):
        return [sys.executable]
    # -P: the folder that it runs in must not shadow modules that it imports.
    return [sys.executable, "-P", "-m", "stepfast_desktop"]


def worker_of(data: Path, loads: Sequence[str], *, here: bool, environment: Mapping[str, str]) -> Worker:
    """The worker for a data folder.

    Args:
        data: the folder.
        loads: what `--load` names.
        here: whether it runs in the current folder, for modules that are looked for there; else at home.
        environment: the variables of this process.

    Raises `ServiceError` where something cannot be written into a unit file.
    """
    data = data.absolute()
    options = [part for each in loads for part in ("--load", each)]
    worker = Worker(
        name=name_of(data, environment),
        data=data,
        command=(*program_of(), "--data", str(data), "work", *options),
        folder=Path.cwd() if here else Path.home(),
        environment={name: _absolute(name, environment[name]) for name in CARRIED if environment.get(name)},
    )
    for text in (*worker.command, str(worker.folder), *worker.environment.values()):
        if not all(each.isprintable() for each in text):
            raise ServiceError(
                f"{text!r} has characters in it that no unit file can hold; take a folder of another name"
            )
    return worker


def _absolute(name: str, text: str) -> str:
    """A variable as it is meant here: the worker runs in another folder."""
    if name == "XDG_CONFIG_HOME":
        return text  # a relative one is to be ignored, there as here
    parts = text.split(os.pathsep) if name == "PYTHONPATH" else [text]
    return os.pathsep.join(map(os.path.abspath, filter(None, parts)))


def name_of(data: Path, environment: Mapping[str, str]) -> str:
    """The worker's name: plain for the user's own folder, else with a mark made from the folder's path."""
    own = {name: text for name, text in environment.items() if name != "STEPFAST_DATA"}
    if data.absolute() == data_folder(own):
        return "stepfast"
    return f"stepfast-{hashlib.sha256(os.fsencode(data.absolute())).hexdigest()[:8]}"


def write(path: Path, content: bytes) -> None:
    """Write a unit file, whole or not at all. Raises `ServiceError` where it cannot be."""
    new = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(content)
        os.replace(new, path)
    except OSError as error:
        raise ServiceError(f"{path} cannot be written: {error.strerror or error}") from error
