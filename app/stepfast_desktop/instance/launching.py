"""One launch of the program, and handing it over to the window that is open already on its data folder.

What goes over is one line of JSON each way, in at most `MOST` bytes: what to do, and what became of it. The
window listens where only its user can reach it (`listening.py`) and tells where in `window.json`.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from stepfast_desktop.instance.sole import WINDOW, Sole, told

__all__ = ["ANSWER_SECONDS", "MOST", "Answer", "Launch", "address_of", "hand_over", "take_or_hand_over"]

VERSION = 1
MOST = 65536
"""Bytes that a line may have."""

ANSWER_SECONDS = 2.0
"""Seconds in which a window that is well has answered."""

PAUSE_SECONDS = 0.05
LONGEST_NAME = 80  # of a socket: sun_path of unix(7) has 108 bytes, and Qt makes it under a longer one


@dataclass(frozen=True, slots=True)
class Launch:
    """What is asked of a window.

    Args:
        paths: files or folders that a new workflow is to be about, absolute.
        show: the id of a workflow to be shown.
        hidden: it need not come to the front, nor be seen: it was started by the login.
        loads: what `--load` named.
        token: what lets the window take the front (XDG_ACTIVATION_TOKEN); empty where there is none.
    """

    paths: tuple[Path, ...] = ()
    show: str | None = None
    hidden: bool = False
    loads: tuple[str, ...] = ()
    token: str = ""

    def line(self) -> bytes:
        """As it goes over. Raises `ValueError` where that is too long."""
        asked: dict[str, Any] = {
            "version": VERSION,
            "paths": [os.fsdecode(each) for each in self.paths],
            "show": self.show,
            "hidden": self.hidden,
            "loads": [*self.loads],
            "token": self.token,
        }
        line = json.dumps(asked).encode() + b"\n"
        if len(line) > MOST:
            raise ValueError("it is too much to be handed over at once")
        return line

    @classmethod
    def of_line(cls, line: bytes) -> Launch:
        """What came over. Raises `ValueError` for what this version cannot read."""
        asked = json.loads(line)
        if not isinstance(asked, dict) or asked.get("version") != VERSION:
            raise ValueError("it comes from another version")
        show, token = asked.get("show"), asked.get("token", "")
        if not (show is None or isinstance(show, str)) or not isinstance(token, str):
            raise ValueError("it is no launch")
        return cls(
            paths=tuple(Path(each) for each in _texts(asked.get("paths", []))),
            show=show,
            hidden=asked.get("hidden") is True,
            loads=tuple(_texts(asked.get("loads", []))),
            token=token,
        )


def _texts(found: object) -> Sequence[str]:
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise ValueError("it is no launch")
    return found


class Answer(Enum):
    """What a window says to a launch."""

    DONE = "done"
    """It is in front, and does what was asked."""

    GOING = "going"
    """It is about to end: whoever asks can soon open one."""

    REFUSED = "refused"
    """It cannot read what was asked: one of the two is newer."""

    def line(self) -> bytes:
        """As it goes back."""
        return json.dumps({"version": VERSION, "answer": self.value}).encode() + b"\n"


def address_of(folder: Path) -> str:
    """Where the window of a data folder listens: a socket's path, or a pipe's name on Windows."""
    name = f"stepfast-{hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()[:16]}"
    if sys.platform == "win32":
        return name
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    for place in (runtime, tempfile.gettempdir()):
        path = os.path.join(place, name)
        if os.path.isabs(place) and os.path.isdir(place) and len(os.fsencode(path)) <= LONGEST_NAME:
            return path
    return f"/tmp/{name}"


def hand_over(folder: Path, launch: Launch, seconds: float) -> Answer | None:
    """Ask the window that is open; blocks for up to `seconds`. None where it does not answer."""
    until = time.monotonic() + seconds
    line = launch.line()
    while (left := until - time.monotonic()) > 0:
        address = told(folder, WINDOW).get("listens")
        if isinstance(address, str):
            try:
                return _answer(_ask(address, line, left))
            except (OSError, ValueError):
                pass  # it has just ended, or has only begun
        time.sleep(min(PAUSE_SECONDS, max(left, 0)))
    return None


def take_or_hand_over(folder: Path, launch: Launch, seconds: float = ANSWER_SECONDS) -> Sole | Answer | None:
    """Become the window of a data folder, or hand over to the one that is; blocks for up to `seconds`.

    None where neither: somebody is it and does not answer. Raises `OSError` where the folder lets nobody.
    """
    until = time.monotonic() + seconds
    while True:
        if (sole := Sole.take(folder, WINDOW)) is not None:
            return sole
        left = until - time.monotonic()
        if left <= 0:
            return None
        # Each time for a part of what is left: one that dies meanwhile leaves its place, and no answer.
        answer = hand_over(folder, launch, min(left, seconds / 4))
        if answer is Answer.GOING:
            until = max(until, time.monotonic() + 3 * PAUSE_SECONDS)
            time.sleep(PAUSE_SECONDS)
        elif answer is not None:
            return answer


def _answer(line: bytes) -> Answer:
    found = json.loads(line)
    return Answer(found.get("answer") if isinstance(found, dict) else None)


def _ask(address: str, line: bytes, seconds: float) -> bytes:
    """Send a line and read one. Raises `OSError` where that does not come about in time."""
    if sys.platform == "win32":
        # A pipe has no time limit of its own; whoever is frozen leaves this to be ended by a person.
        with open(rf"\\.\pipe\{address}", "r+b", buffering=0) as pipe:
            pipe.write(line)
            return pipe.readline(MOST)
    until = time.monotonic() + seconds
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.settimeout(seconds)
        asking.connect(address)
        asking.sendall(line)
        answer = b""
        while not answer.endswith(b"\n") and len(answer) < MOST:
            asking.settimeout(max(until - time.monotonic(), 0.001))
            piece = asking.recv(4096)
            if not piece:
                raise ConnectionError("it went without an answer")
            answer += piece
        return answer
