"""What a process prints, as lines of a log: bounded, however much it is.

A gigabyte of output must fill neither memory nor the file. So a long line is cut; of many lines in one second
the first are kept and the others counted; and a step that has said very much is only counted from there on,
with its last lines told in the end, since these say what it died of.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable

__all__ = ["Lines"]

LONGEST = 2_000
"""Characters of a line that are kept."""

A_SECOND = 100
"""Lines that are kept of those of one second."""

MOST_LINES = 10_000
"""Lines that are kept of one process."""

MOST_TEXT = 1_000_000
"""Characters that are kept of one process."""

LAST = 10
"""Lines that are told in the end, though they were left out."""

_CHUNK = 65_536


class Lines:
    """Takes lines and output, from any thread, and hands on to `log(level, text)` what is to be kept."""

    def __init__(self, log: Callable[[str, str], None], now: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._now = now
        self._lock = threading.Lock()
        self._since = now()
        self._lines = 0  # kept, of this second
        self._all = 0  # kept, of all
        self._text = 0
        self._left_out = 0
        self._last: deque[tuple[str, str]] = deque(maxlen=LAST)

    def add(self, level: str, text: str) -> None:
        """One line."""
        with self._lock:
            self._add(level, text)

    def read(self, descriptor: int) -> None:
        """Take everything that comes out of a pipe, until its end."""
        rest, beyond = b"", 0
        while data := os.read(descriptor, _CHUNK):
            first, end, data = data.partition(b"\n")
            room = 4 * LONGEST - len(rest)  # in UTF-8, nothing is longer
            rest += first[:room]
            beyond += len(first[room:])
            if not end:
                continue
            with self._lock:
                self._line(rest, beyond)
                body, end, rest = data.rpartition(b"\n")
                if end:
                    self._body(body)
            beyond = max(0, len(rest) - 4 * LONGEST)
            rest = rest[: 4 * LONGEST]
        if rest:
            with self._lock:
                self._line(rest, beyond)

    def close(self) -> None:
        """Tell what was left out last."""
        with self._lock:
            last = list(self._last) if self._left_out else []
            self._tell_left_out()
            for level, text in last:
                self._log(level, text)

    @property
    def last(self) -> list[str]:
        """The last lines, those left out among them."""
        with self._lock:
            return [text for _, text in self._last]

    def _body(self, body: bytes) -> None:
        """Many lines, of which most may be counted only."""
        end = b"\n"
        while end and self._has_room():
            line, end, body = body.partition(b"\n")
            self._line(line)
        if end:
            lines = body.rsplit(b"\n", LAST)
            self._left_out += body.count(b"\n", 0, len(lines[0])) + 1 if len(lines) > LAST else 0
            for line in lines[-LAST:]:
                self._line(line)

    def _line(self, line: bytes, beyond: int = 0) -> None:
        text = (
            line.decode("utf-8", "backslashreplace").rstrip("\r").rpartition("\r")[2]
        )  # as a terminal shows
        if text.strip() or beyond:
            self._add("info", text, beyond)

    def _add(self, level: str, text: str, beyond: int = 0) -> None:
        beyond += len(text) - LONGEST
        if beyond > 0:
            text = f"{text[:LONGEST]} ... and {beyond} more"
        kept = self._has_room()
        if kept and self._left_out:
            self._tell_left_out()
        self._last.append((level, text))
        if kept:
            self._lines += 1
            self._all += 1
            self._text += len(text)
            self._log(level, text)
        else:
            self._left_out += 1

    def _has_room(self) -> bool:
        if self._all >= MOST_LINES or self._text >= MOST_TEXT:
            return False
        now = self._now()
        if now - self._since >= 1.0:
            self._since, self._lines = now, 0
        return self._lines < A_SECOND

    def _tell_left_out(self) -> None:
        if self._left_out:
            self._log("warning", f"{self._left_out} lines of output were left out here: it says too much")
            self._left_out = 0
