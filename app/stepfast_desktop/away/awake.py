"""Keeping the computer from falling asleep by itself while something runs, if the person wants that.

What a person does themselves (the menu's Sleep, closing the lid) is never in the way: only the sleep that
comes of idleness is held off, and the screen may go dark and lock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from stepfast_desktop.away.mains import on_mains
from stepfast_desktop.viewmodels.away.pending import Pending
from stepfast_desktop.viewmodels.preferences import Preferences
from stepfast_desktop.viewmodels.words import translate

__all__ = ["KeepingAwake", "Waking", "why_awake"]

LINGER = 5.0
"""Seconds for which it stays so after the last workflow: between two there is no need to sleep."""

LOOK = 30.0
"""Seconds between two looks whether the computer is on mains, while something runs."""


ANSWERED = 2.0
"""Seconds within which a service that was asked just before the end answers, or is not waited for."""


class Waking(Protocol):
    """What keeps the computer awake on this system."""

    async def hold(self, why: str) -> None:
        """From now on; `why` is for a person to read. Called again, nothing changes."""
        ...

    async def let_go(self) -> None:
        """No more. Called without `hold`, nothing happens."""
        ...


def why_awake(count: int) -> str:
    """What a person reads who asks the system why it does not sleep."""
    return translate("Away", "%n workflow(s) running", None, count)


class KeepingAwake:
    """Holds the computer awake as long as it should, and looks again when that may have changed."""

    def __init__(
        self,
        pending: Pending,
        preferences: Preferences,
        waking: Waking,
        *,
        mains: Callable[[], bool] = on_mains,
        linger: float = LINGER,
        look: float = LOOK,
    ) -> None:
        self._pending = pending
        self._preferences = preferences
        self._waking = waking
        self._mains = mains
        self._linger, self._look = linger, look
        self._changed = asyncio.Event()
        self._runs = False
        self.held = False
        """Is the computer held awake now?"""
        self._keeping: asyncio.Task[None] | None = None
        self._holding: asyncio.Future[None] | None = None
        self._disconnect = [
            pending.changed.connect(self._pending_changed),
            preferences.changed.connect(self._preferred),
        ]

    def start(self) -> None:
        """Begin; what runs already counts."""
        self._pending_changed()
        self._keeping = asyncio.create_task(self._keep(), name="keeping awake")

    async def close(self) -> None:
        """Let the computer sleep."""
        for each in self._disconnect:
            each()
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.wait({self._keeping})
        if self._holding is not None:
            await asyncio.wait({self._holding}, timeout=ANSWERED)
        await self._waking.let_go()
        self.held = False

    def _pending_changed(self) -> None:
        runs = bool(self._pending.running)
        if runs != self._runs:
            self._runs = runs
            self._changed.set()

    def _preferred(self, name: str) -> None:
        if name == "keep_awake":
            self._changed.set()

    async def _keep(self) -> None:
        while True:
            self._changed.clear()
            if not self._runs and self.held and await self._wait(self._linger):
                continue
            await self._become(self._runs and await self._wanted())
            # On mains is a thing that changes without a word, and matters only while something runs.
            by_mains = self._runs and self._preferences["keep_awake"] == "mains"
            await self._wait(self._look if by_mains else None)

    async def _wait(self, seconds: float | None) -> bool:
        """Until something has changed: True; or so long: False."""
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            return False
        return True

    async def _wanted(self) -> bool:
        match self._preferences["keep_awake"]:
            case "always":
                return True
            case "mains":
                return await asyncio.to_thread(self._mains)
            case _:
                return False

    async def _become(self, held: bool) -> None:
        if held == self.held:
            return
        self.held = held
        if held:
            # A cancellation would leave what was asked for and not yet answered held, with nobody who knows.
            self._holding = asyncio.ensure_future(self._waking.hold(why_awake(len(self._pending.running))))
            await asyncio.shield(self._holding)
        else:
            await self._waking.let_go()
