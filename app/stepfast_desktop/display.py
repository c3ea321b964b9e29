"""Whether an X server answers, before Qt is asked to use it: where none does, Qt ends with a core dump."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping

__all__ = ["dead_display"]

SECONDS = 2.0  # of a server on another machine


def dead_display(environment: Mapping[str, str]) -> str | None:
    """The DISPLAY that Qt would use and at which nobody answers; None where all is well or hard to tell."""
    platform = environment.get("QT_QPA_PLATFORM", "")
    if environment.get("WAYLAND_DISPLAY") or platform.partition(":")[0] not in ("", "xcb"):
        return None
    display = environment.get("DISPLAY", "")
    match = re.fullmatch(r"(?:unix|([\w.-]*)):(\d{1,5})(?:\.\d+)?", display)
    if match is None:
        return None  # of another form: Qt may know it
    host, number = match[1] or "", int(match[2])
    return None if _answers(host, number) else display


def _answers(host: str, number: int) -> bool:
    path = f"/tmp/.X11-unix/X{number}"
    if not host and (_listens(path) or _listens(f"\0{path}")):
        return True
    try:
        socket.create_connection((host or "localhost", 6000 + number), SECONDS).close()
    except (OSError, OverflowError):
        return False
    return True


def _listens(path: str) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as asking:
            asking.settimeout(SECONDS)
            asking.connect(path)
    except OSError:
        return False
    return True
