"""What is written to the two streams: results to stdout, everything said to a person to stderr.

Three things go wrong with a plain `print` in a program that must not lose work over its output:

- a reader that has gone away (`| head`) is no error, and no reason to stop copying;
- a terminal can stop taking output for as long as it likes (Ctrl+S, a click into a Windows console), so
  `draw` and `say` are called from a thread wherever a workflow runs meanwhile; hence the lock;
- names of files hold anything: control characters that would move the cursor, bytes that are no text.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import sys
import threading
import unicodedata
from typing import TextIO

__all__ = ["Console", "fit", "one_line", "width_of"]


class Console:
    """The streams of this process, and the line that is redrawn on stderr."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._drawn = 0
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")

    @property
    def redraws(self) -> bool:
        """Whether stderr is a terminal on which a line can be drawn again and again."""
        return _is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"

    @property
    def columns(self) -> int | None:
        """How wide a table on stdout may be; None where nobody looks at it on a terminal."""
        return shutil.get_terminal_size().columns if _is_terminal(sys.stdout) else None

    @property
    def room(self) -> int:
        """How wide the drawn line may be. The last column stays free: a terminal that wraps there would
        leave a trail of lines.
        """
        return _columns_of(sys.stderr) - 1

    def out(self, text: str) -> None:
        """Write a line to stdout, at once."""
        with self._lock:
            self._clear()
            _write(sys.stdout, text + "\n")

    def say(self, text: str) -> None:
        """Write a line to stderr, in the place of the drawn one."""
        with self._lock:
            self._clear()
            _write(sys.stderr, text + "\n")

    def complain(self, error: object) -> None:
        """Say what is wrong, the way every command does."""
        self.say(f"stepfast: {error}")

    def draw(self, text: str) -> None:
        """Put `text`, cut to the terminal's width, in the place of what was drawn before."""
        with self._lock:
            room = self.room
            text = fit(text, room)
            width = width_of(text)
            # Spaces, not an escape sequence: they work on every Windows console too.
            _write(sys.stderr, "\r" + text + " " * (min(self._drawn, room) - width))
            self._drawn = width

    def erase(self) -> None:
        """Take the drawn line away."""
        with self._lock:
            self._clear()

    def close(self) -> None:
        """Bring out what others have printed (argparse its help), so that Python need not complain of it."""
        self.erase()
        _write(sys.stdout, "")
        _write(sys.stderr, "")

    def _clear(self) -> None:
        if self._drawn:
            _write(sys.stderr, "\r" + " " * min(self._drawn, self.room) + "\r")
            self._drawn = 0


def one_line(text: str) -> str:
    """`text` with what would move the cursor, ring or hide made visible."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() else " " if each in "\n\t" else each.encode("unicode_escape").decode()
        for each in text
    )


def width_of(text: str) -> int:
    """How many columns of a terminal `text` takes."""
    if text.isascii():
        return len(text)
    return sum(map(_width, text))


def fit(text: str, columns: int) -> str:
    """`text`, or as much of it as fits with a sign that there was more."""
    if width_of(text) <= columns:
        return text
    kept, room = [], columns - 3
    for each in text:
        room -= _width(each)
        if room < 0:
            break
        kept.append(each)
    return "".join(kept) + "..."[: max(columns, 0)]


def _width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:
        return
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        # What stays in the stream's buffer would fail again, when Python ends at the latest.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        # A closed pipe is EPIPE, and on Windows EINVAL. A full disk is neither, and is an error.
        if error.errno not in (errno.EPIPE, errno.EINVAL):
            raise OSError(error.errno, f"the output cannot be written ({error.strerror})") from error


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _columns_of(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
