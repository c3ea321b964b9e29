"""What a definition finds of the input that is being filled in: looked for on a thread, told as it comes.

One look at a time. When the input has changed, the one before is told to end, and the next begins a moment
after the last change; so a share that answers nobody holds up one thread, and never the window.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from stepfast.definitions.preview import Finding
from stepfast_desktop.viewmodels.words import known, translate

__all__ = ["Finding", "Look", "Previewing"]

logger = logging.getLogger("stepfast")

Look = Callable[[Mapping[str, object]], Iterator[Finding]]

PAUSE = 0.25
"""Seconds without a change before one looks: nobody is served by a look at half a path."""


class Previewing:
    """The findings of one form's input.

    Attributes:
        findings: what is found so far, by name in the order in which they came first.
        looking: whether more may come.
    """

    def __init__(self, look: Look, changed: Callable[[], None], *, pause: float = PAUSE) -> None:
        """`look` is called on a thread; `changed` on the loop, after either attribute has changed."""
        self._look = look
        self._changed = changed
        self._pause = pause
        self._asked: Mapping[str, object] | None = None
        self._stopped = threading.Event()
        self._heard = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._thread: asyncio.Future[None] | None = None
        self.findings: tuple[Finding, ...] = ()
        self.looking = False

    def ask(self, arguments: Mapping[str, object] | None) -> None:
        """Look at this input, unless it is the one that was asked about last; None: at none."""
        if arguments == self._asked:
            return
        self._asked = arguments
        self._begin(self._pause)

    def again(self) -> None:
        """Look at the same once more: what is on the disks may have changed. Findings stay until then."""
        if self._asked is not None and not self.looking:
            self._begin(0, keep=True)

    async def first(self, seconds: float) -> None:
        """Wait until a look that was asked for has found something or nothing; no longer than that."""
        if self.looking and not self.findings:
            self._heard.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._heard.wait(), seconds)

    def close(self) -> None:
        """Look no more; a thread that is in the middle of it ends when it can."""
        self._asked = None
        self._stop()
        self.looking = False

    def _stop(self) -> None:
        self._stopped.set()
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _begin(self, pause: float, *, keep: bool = False) -> None:
        self._stop()
        self._stopped = threading.Event()
        self.looking = self._asked is not None
        if not keep:
            self.findings = ()
        if self._asked is not None:
            self._task = asyncio.create_task(
                self._run(self._asked, self._stopped, pause), name="a preview of an input"
            )

    async def _run(self, asked: Mapping[str, object], stopped: threading.Event, pause: float) -> None:
        await asyncio.sleep(pause)
        if self._thread is not None:
            await asyncio.wait({self._thread})
        loop = asyncio.get_running_loop()
        told = _Told(loop, lambda found: self._tell(found, stopped))
        self._thread = loop.run_in_executor(None, self._work, asked, stopped, told)
        await asyncio.wait({self._thread})
        if not stopped.is_set():
            self.looking = False
            self._tell(told.latest, stopped)

    def _work(self, asked: Mapping[str, object], stopped: threading.Event, told: _Told) -> None:
        """On a thread."""
        found: dict[str, Finding] = {}
        try:
            looking = self._look(asked)
            try:
                for each in looking:
                    if stopped.is_set():
                        return
                    found[each.name] = replace(each, text=known(each.text))
                    told.tell((*found.values(),))
            finally:
                close = getattr(looking, "close", None)
                if close is not None:
                    close()
        except Exception as error:
            # What is said is a line; whoever wrote the preview wants to know where it was.
            logger.warning("a preview failed: %s", self._look, exc_info=error)
            text = translate("Form", "This could not be looked at before it starts: {reason}.")
            said = text.format(reason=str(error).rstrip(".") or type(error).__name__)
            told.tell((*found.values(), Finding("preview", said, "warning")))
        else:
            told.tell((*found.values(),))

    def _tell(self, found: tuple[Finding, ...], stopped: threading.Event) -> None:
        if not stopped.is_set():
            self.findings = found
            self._heard.set()
            self._changed()


class _Told:
    """Hands what a thread says to the loop: the latest, however much is said in between."""

    def __init__(self, loop: asyncio.AbstractEventLoop, hear: Callable[[tuple[Finding, ...]], None]) -> None:
        self._loop = loop
        self._hear = hear
        self._lock = threading.Lock()
        self._on_its_way = False
        self.latest: tuple[Finding, ...] = ()

    def tell(self, found: tuple[Finding, ...]) -> None:
        with self._lock:
            self.latest = found
            if self._on_its_way:
                return
            self._on_its_way = True
        with suppress(RuntimeError):  # the loop is closed: nobody wants to know any more
            self._loop.call_soon_threadsafe(self._arrived)

    def _arrived(self) -> None:
        with self._lock:
            self._on_its_way = False
            found = self.latest
        self._hear(found)
