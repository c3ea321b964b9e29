"""When all is done: nothing, sleep, or shut down, after a countdown that can be cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal

from stepfast_desktop.viewmodels.away.pending import Pending
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.notices import Notice, Notices
from stepfast_desktop.viewmodels.words import translate

__all__ = ["CHOICES", "Choice", "PowerFailed", "WhenDone"]

Choice = Literal["nothing", "sleep", "shut-down"]
CHOICES: tuple[Choice, ...] = ("nothing", "sleep", "shut-down")

COUNTDOWN = 60
"""Seconds between the end of the last workflow and what was chosen."""

SETTLED = 2.0
"""Seconds for which nothing goes on before all is done: one that ends may have begun the next."""

KEY = "when-done"


class PowerFailed(Exception):
    """The computer does not sleep or shut down; the message says why."""


class WhenDone:
    """Watches for the end of all that goes on by itself. What waits for a person is not waited for.

    Begins with "nothing" each time the program starts, and goes back to it once it has done something. `act`
    does it, and is put there by who knows the system; it raises `PowerFailed` where that is refused.
    """

    def __init__(
        self,
        pending: Pending,
        notices: Notices,
        act: Callable[[Choice], Awaitable[None]] | None = None,
        *,
        seconds: int = COUNTDOWN,
        tick: float = 1.0,
        settled: float = SETTLED,
    ) -> None:
        self.changed: Event[[]] = Event()
        """Another choice holds now."""
        self.choice: Choice = "nothing"
        self._pending = pending
        self._notices = notices
        self.act = act
        self._seconds, self._tick, self._settled = seconds, tick, settled
        self._armed = False
        self._counting: asyncio.Task[None] | None = None
        self._disconnect = pending.changed.connect(self._look)

    async def close(self) -> None:
        """Do nothing any more."""
        self._disconnect()
        counting = self._counting
        self._stop()
        if counting is not None:
            await asyncio.wait({counting})

    def choose(self, choice: Choice) -> None:
        """What is done when all is done: it has to go on first, so something that is over does not count."""
        if choice != self.choice:
            self.choice = choice
            self._stop()
            self._armed = False
            self.changed.emit()
        self._look()

    def _look(self) -> None:
        if self.choice == "nothing":
            return
        if self._pending.going_on:
            self._armed = True
            self._stop()
        elif self._armed and self._counting is None:
            self._counting = asyncio.get_running_loop().create_task(self._count_down(), name="when done")

    def _stop(self) -> None:
        if self._counting is not None:
            self._counting.cancel()
            self._counting = None
            self._notices.hide(KEY)

    def _cancelled(self) -> None:
        self.choose("nothing")

    async def _count_down(self) -> None:
        choice = self.choice
        await asyncio.sleep(self._settled)
        for left in range(self._seconds, 0, -1):
            button = (translate("WhenDone", "Cancel"), self._cancelled)
            text = _countdown_text(choice, left)
            self._notices.show(Notice(KEY, text, (button,), "warning", closed=self._cancelled))
            await asyncio.sleep(self._tick)
        self._notices.hide(KEY)
        self._counting = None
        self.choose("nothing")
        try:
            if self.act is not None:
                await self.act(choice)
        except PowerFailed as failed:
            text = translate("WhenDone", "The computer cannot be put to sleep: {why}")
            if choice == "shut-down":
                text = translate("WhenDone", "The computer cannot be shut down: {why}")
            self._notices.show(Notice(KEY, text.format(why=failed), severity="error"))


def _countdown_text(choice: Choice, seconds: int) -> str:
    if choice == "shut-down":
        return translate("WhenDone", "All is done. The computer shuts down in %n second(s).", None, seconds)
    return translate("WhenDone", "All is done. The computer goes to sleep in %n second(s).", None, seconds)
