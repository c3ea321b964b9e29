"""The worker in the background: whether one runs on this data folder, and what can be done about it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Protocol

from stepfast.interfaces import Signal
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.notices import Notice, Notices
from stepfast_desktop.viewmodels.words import translate

__all__ = ["Background", "BackgroundViewModel", "NoBackground"]

BETWEEN_SECONDS = 5.0
RARELY_SECONDS = 60.0
"""Between two looks while none runs and nothing is heard: one that comes to the file is heard of."""

Listen = Callable[[Callable[[Signal], None]], Callable[[], None]]


class Background(Protocol):
    """What starts a worker and knows whether one runs. Its methods block, and are called on a thread."""

    def runs(self) -> bool:
        """Whether one runs now."""

    def start(self) -> None:
        """Start one, unless it runs, and return once it works. Raises `OSError` with the reason."""

    def stop(self) -> bool:
        """Have it park what it runs and end; False where it has not. Raises `OSError`."""


class NoBackground:
    """Where there is nothing that could be started."""

    def runs(self) -> bool:
        return False

    def start(self) -> None:
        raise OSError("there is no program that could be started")

    def stop(self) -> bool:
        return True


class BackgroundViewModel:
    """Looks whether it runs, every five seconds at the most; `changed` says when that is otherwise.

    Args:
        background: what is looked at.
        notices: where it is said what comes of what is done about it.
        listen: has a function called whenever something has happened in the file; what is returned ends that.
    """

    def __init__(self, background: Background, notices: Notices, listen: Listen) -> None:
        self.changed: Event[[]] = Event()
        self.runs = False
        self._background = background
        self._notices = notices
        self._listen = listen
        self._stop_listening: Callable[[], None] | None = None
        self._heard = asyncio.Event()
        self._following: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Look for the first time, and from then on."""
        self._stop_listening = self._listen(lambda _signal: self._heard.set())
        await self.look()
        self._following = asyncio.create_task(self._follow(), name="background worker")

    async def close(self) -> None:
        """Look no more."""
        if self._stop_listening is not None:
            self._stop_listening()
        if self._following is not None:
            self._following.cancel()
            await asyncio.wait({self._following})

    async def look(self) -> None:
        """Look now."""
        runs = await asyncio.to_thread(self._background.runs)
        if runs != self.runs:
            self.runs = runs
            self.changed.emit()

    @property
    def text(self) -> str:
        """For the status line; empty where there is nothing to say."""
        return translate("Background", "A worker runs in the background") if self.runs else ""

    async def begin(self) -> bool:
        """Start it; False where that failed, which is said above the table."""
        text = translate("Background", "Handing over to a worker in the background ...")
        self._notices.show(Notice("background", text, stays=True))
        return await self._do(
            self._background.start,
            translate(
                "Background",
                "The worker in the background could not be started: {error}. This window stays open and goes "
                "on instead.",
            ),
        )

    async def stop(self) -> bool:
        """Stop it; False where that failed, which is said above the table."""
        text = translate("Background", "Stopping the worker in the background ...")
        self._notices.show(Notice("background", text, stays=True))
        return await self._do(
            self._stop, translate("Background", "The worker in the background could not be stopped: {error}")
        )

    def _stop(self) -> None:
        if not self._background.stop():
            raise OSError(translate("Background", "it does not end; it may be stuck in a step"))

    async def _do(self, what: Callable[[], None], failed: str) -> bool:
        try:
            await asyncio.to_thread(what)
        except OSError as error:
            said = failed.format(error=error.strerror or error)
            self._notices.show(Notice("background", said, severity="error"))
            return False
        else:
            self._notices.hide("background")
            return True
        finally:
            await self.look()

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(BETWEEN_SECONDS)
            if not self.runs:  # one that runs may be killed, of which nobody tells
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(RARELY_SECONDS):
                        await self._heard.wait()
            self._heard.clear()
            await self.look()
