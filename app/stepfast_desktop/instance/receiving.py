"""What the window of a data folder answers to other launches, whatever state it is in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from stepfast_desktop.instance.launching import Answer, Launch

__all__ = ["Receiving"]

Obey = Callable[[Launch], object]


class Receiving:
    """Between the lines that come in and the window, which may not be there yet.

    Args:
        launch: the one that began this process, which the window is to do first.
        bring: brings to the front what is there before the window is, a box with a question perhaps.
    """

    def __init__(self, launch: Launch, bring: Callable[[], object] = lambda: None) -> None:
        self._waiting = [launch]
        self._bring = bring
        self._obey: Obey | None = None
        self._going = False

    def reply(self, line: bytes) -> bytes:
        """Take a line, and say what becomes of it."""
        if self._going:
            return Answer.GOING.line()
        try:
            launch = Launch.of_line(line)
        except (ValueError, RecursionError):
            return Answer.REFUSED.line()
        if self._obey is None:
            self._waiting.append(launch)  # it is about to come up
            self._bring()
        else:
            self._obey(launch)
        return Answer.DONE.line()

    @contextmanager
    def window(self, obey: Obey) -> Iterator[None]:
        """While the window is there: do what has waited for it, and what comes.

        When it goes nothing more is taken: whoever asks opens a window of their own as soon as it is gone.
        """
        waiting, self._waiting = self._waiting, []
        self._obey, self._going = obey, False
        try:
            for each in waiting:
                obey(each)
            yield
        finally:
            self._obey, self._going = None, True
