"""Signs of life, and what tests do to them and ask of them."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

from stepfast.sqlite.engines.owners import (
    Peer,
    Watch,
    owners_folder,
)

__all__ = ["PRESENT", "files", "make_old", "peer", "seconds", "stop", "watching"]

PRESENT = """
presence = Presence(database)
say(presence.file)
wait()
"""


def stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGSTOP)
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)


def peer(file: str, *, boot: str = "this boot", beat: int = 1) -> Peer:
    return Peer(key=7, file=file, boot=boot, beat=beat)


def watching(database: Path, boot: str = "this boot") -> Watch:
    return Watch(owners_folder(database), boot)


def seconds(first: float, last: float) -> Iterator[float]:
    """The moments of somebody who looks once a second."""
    now = first
    while now <= last:
        yield now
        now += 1.0


def files(database: Path) -> set[str]:
    return set(os.listdir(owners_folder(database)))


def make_old(path: Path) -> None:
    os.utime(path, (1_000_000_000, 1_000_000_000))
