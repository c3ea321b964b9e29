"""What changes all the time (current step, progress, bookmarks, log lines), kept back and written in bulk.

Notes ride on the commit of a step that is recorded anyway, at most four times a second; where no step is
recorded for a while, a commit of their own takes them. They come from any thread.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable
from dataclasses import replace

from stepfast.errors import Abandoned, Fenced, StoreError
from stepfast.interfaces import Checkpointer, Claim, Notes
from stepfast.passes.holding import Hold, give_up
from stepfast.secrets import NOTHING, Veil
from stepfast.views import Progress

__all__ = ["LONGEST_LINE", "LONGEST_PROGRESS", "NoteKeeper", "cut"]

LONGEST_LINE = 20_000  # characters of a log line, or of a problem's
LONGEST_PROGRESS = 1_000  # characters: each list reads them with its rows
INTERVAL = 0.25
LOOK = 0.02  # seconds between two looks whether a step has answered


class _Timer:
    """One for all keepers of a loop: each is told `INTERVAL` after it asked, in the order in which they did.

    Most passes are over by then, and would have made a timer to no end.
    """

    def __init__(self) -> None:
        self._due: dict[NoteKeeper, float] = {}
        self._handle: asyncio.TimerHandle | None = None

    def start(self, keeper: NoteKeeper) -> None:
        loop = asyncio.get_running_loop()
        self._due[keeper] = loop.time() + INTERVAL
        if self._handle is None:
            self._handle = loop.call_later(INTERVAL, self._ring)

    def stop(self, keeper: NoteKeeper) -> None:
        self._due.pop(keeper, None)
        if not self._due and self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _ring(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        for keeper, due in [*self._due.items()]:
            if due > now:
                self._handle = loop.call_at(due, self._ring)
                return
            del self._due[keeper]
            keeper.write_soon()
        self._handle = None


_timers: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Timer] = weakref.WeakKeyDictionary()


class NoteKeeper:
    """The notes of one pass that are not on disk yet.

    Args:
        checkpointer, claim: where and as whom they are written.
        now: seconds since the epoch, for log lines.
        lost: told when they cannot be written since the claim is gone or the store failed.
        hold: asked when the store failed, whether to try again.
        veil: the secrets that must be in no bookmark and no log line.
    """

    _step: str | None = None
    _progress: Progress | None = None
    _asked = 0
    _armed = False
    _writing: asyncio.Task[None] | None = None
    _closed = False

    def __init__(
        self,
        checkpointer: Checkpointer,
        claim: Claim,
        now: Callable[[], float],
        lost: Callable[[Fenced | Abandoned], None],
        hold: Hold = give_up,
        veil: Veil = NOTHING,
    ) -> None:
        self._veil = veil
        self._checkpointer = checkpointer
        self._claim = claim
        self._now = now
        self._lost = lost
        self._hold = hold
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._bookmarks: dict[str, str] = {}
        # Of each step that keeps a bookmark: which asking it has answered last.
        self._answered: dict[str, int] = {}
        self._log: list[tuple[float, str, str | None, str]] = []
        self._written = self._loop.time()
        self._timer = _timers.get(self._loop) or _timers.setdefault(self._loop, _Timer())

    # --- from any thread --------------------------------------------------------------------------

    def step(self, name: str) -> None:
        """The step that runs now; told on the loop, where alone it is read."""
        self._step = name
        if not self._armed:
            self._armed = True
            self._start_timer()

    def progress(self, progress: Progress) -> None:
        if len(progress.text) > LONGEST_PROGRESS:
            progress = replace(progress, text=cut(progress.text, LONGEST_PROGRESS))
        with self._lock:
            self._progress = progress
        self._arm()

    def log(self, step: str | None, level: str, text: str) -> None:
        # Masked before it is cut: half a secret would not be found.
        text = cut(self._veil.masked(text), LONGEST_LINE)
        with self._lock:
            self._log.append((self._now(), level, step, text))
        self._arm()

    def bookmark(self, step: str, text: str) -> None:
        """Raises `UnstorableValue` where there is a secret in it."""
        self._veil.check(text, f"the bookmark of step {step!r}")
        with self._lock:
            self._bookmarks[step] = text
            self._answered[step] = self._asked
        self._arm()

    def wanted(self, step: str) -> bool:
        """Was the step asked for a bookmark (`write`), and has set none since?"""
        return self._answered.get(step, self._asked) != self._asked

    def drop_bookmark(self, step: str) -> None:
        """The step is about to be recorded: a bookmark of it must not be written after that."""
        with self._lock:
            self._bookmarks.pop(step, None)
            self._answered.pop(step, None)

    # --- on the loop ------------------------------------------------------------------------------

    def due(self) -> Notes | None:
        """What a commit that happens anyway should carry, if it is time."""
        if self._loop.time() - self._written < INTERVAL:
            return None
        return self._take()

    async def write(self, patience: float) -> bool:
        """Ask the steps that keep a bookmark for a new one, and have all notes on disk.

        Returns whether they are, and each step answered, within `patience` seconds.
        """
        with self._lock:
            self._asked += 1
        end = self._loop.time() + patience
        while True:
            unanswered = self._unanswered()
            if not unanswered or self._closed or self._loop.time() >= end:
                break
            await asyncio.sleep(LOOK)
        if self._closed:
            return True  # what was there is written as it closes
        left = max(0.0, end - self._loop.time())
        if self._writing is not None and not self._writing.done():
            await asyncio.wait({self._writing}, timeout=left)
        if self._writing is None or self._writing.done():
            self._writing = self._loop.create_task(self._write())
            await asyncio.wait({self._writing}, timeout=max(LOOK, left))
        return self._writing.done() and not unanswered

    def _unanswered(self) -> bool:
        with self._lock:
            return any(answered != self._asked for answered in self._answered.values())

    async def close(self) -> None:
        """Write what a crash should not lose; the step that runs is nobody's concern any more."""
        self._closed = True
        self._timer.stop(self)
        if self._writing is not None:
            await asyncio.wait({self._writing})
        self._step = None
        if (notes := self._take()) is not None:
            await self._put(notes)

    async def _put(self, notes: Notes) -> None:
        while True:
            try:
                await self._checkpointer.note(self._claim, notes)
                return
            except StoreError as error:
                if not await self._hold(error):
                    raise

    def _take(self) -> Notes | None:
        if not (self._step or self._progress or self._bookmarks or self._log):
            return None
        with self._lock:
            notes = Notes(self._step, self._progress, tuple(self._bookmarks.items()), tuple(self._log))
            self._step = self._progress = None
            self._bookmarks, self._log = {}, []
        self._written = self._loop.time()
        return notes

    def _arm(self) -> None:
        if self._armed or self._closed:
            return
        self._armed = True
        try:
            if asyncio.get_running_loop() is self._loop:
                self._start_timer()
                return
        except RuntimeError:
            pass  # on a thread
        try:
            self._loop.call_soon_threadsafe(self._start_timer)
        except RuntimeError:
            pass  # the loop is closed: the program is ending under a step of its own

    def _start_timer(self) -> None:
        if not self._closed:
            self._timer.start(self)

    def write_soon(self) -> None:
        """The time has come for what was noted; told by the timer."""
        self._armed = False
        if self._closed:
            return
        if self._writing is None or self._writing.done():
            self._writing = self._loop.create_task(self._write())
        else:
            # That one may wait long for the disk, so what came since goes after it.
            self._armed = True
            self._writing.add_done_callback(lambda _done: self._start_timer())

    async def _write(self) -> None:
        notes = self._take()
        if notes is None:
            return
        try:
            await self._put(notes)
        except Fenced as fenced:
            self._lost(fenced)
        except Exception as error:
            abandoned = Abandoned(str(error))
            abandoned.__cause__ = error
            self._lost(abandoned)


def line_of(said: object) -> str:
    """What was said, as text that can be stored: NUL, and what is half a character, stand as escapes."""
    return str(said).encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")


def cut(text: str, most: int) -> str:
    """What is kept of a text of which `most` characters may be."""
    return text if len(text) <= most else f"{text[:most]} ... and {len(text) - most} more"
