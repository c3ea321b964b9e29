"""One engine's seat at a `Memory`: is it alive, and whom it tells of commits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from stepfast.errors import StoreClosed
from stepfast.health import Health
from stepfast.interfaces import Signal
from stepfast.memory.rows import Memory, Row
from stepfast.system.clock import Clock
from stepfast.system.threads import call_on

__all__ = ["Owner"]


class Owner:
    """What the views of one `MemoryDurable` have in common."""

    def __init__(self, memory: Memory, clock: Clock) -> None:
        self.memory = memory
        self.clock = clock
        self.key = memory.next()
        self.open = True
        self._listeners: list[tuple[asyncio.AbstractEventLoop, Callable[[Signal], None]]] = []
        self._own = 0
        self._foreign = memory.commits
        self.health = Health(clock.time, self._health_changed)
        memory.living.add(self.key)

    async def turn(self) -> None:
        """Let the loop turn, as any real store does: one that never waits would hide races.

        What follows runs to its end in one piece, which is what makes it one commit. Raises
        `StoreClosed` where the store was closed, also while it waited.
        """
        self._check()
        await asyncio.sleep(0)
        self._check()

    def changed(self, *rows: Row, ready: bool = False) -> None:
        """A commit was made that changed these rows: tell this engine's listeners.

        A new timer counts as ready too, or whoever waits for the next one would not learn of it. `ready`:
        something else may be ready for it.
        """
        self.memory.commits += 1
        self._own += 1
        for key, ring in self.memory.attending.items():
            if key != self.key:
                ring()
        rows, self.memory.also = (*rows, *self.memory.also), []
        if rows or ready:
            ready = ready or any(row.state == "queued" or row.due is not None for row in rows)
            self._call(Signal(frozenset(row.key for row in rows), ready))

    def attend(self) -> None:
        """Look by itself, from now on, whenever another engine has committed."""
        loop = asyncio.get_running_loop()
        self.memory.attending[self.key] = lambda: call_on(loop, self.hear)

    def hear(self) -> None:
        """Look whether others have committed since the last look, and pass it on."""
        foreign = self.memory.commits - self._own
        if foreign != self._foreign:
            self._foreign = foreign
            self._call(Signal(None, ready=True))

    def listen(self, listener: Callable[[Signal], None]) -> Callable[[], None]:
        """Call `listener` on the running loop after each commit; call what is returned to end that."""
        entry = (asyncio.get_running_loop(), listener)
        self._listeners.append(entry)

        def stop() -> None:
            self._listeners[:] = [one for one in self._listeners if one is not entry]

        return stop

    def leave(self, *, keep_alive: bool = False) -> None:
        """Refuse every later call; unless kept alive, what is held may be taken over."""
        self.open = False
        self._listeners.clear()
        self.memory.attending.pop(self.key, None)
        self.memory.offers.pop(self.key, None)
        if not keep_alive:
            self.memory.living.discard(self.key)

    def _health_changed(self) -> None:
        self._call(Signal(frozenset(), ready=False, condition=True))

    def _check(self) -> None:
        if not self.open:
            raise StoreClosed("this memory store was closed, or its engine died; open another one over it")

    def _call(self, signal: Signal) -> None:
        for loop, listener in list(self._listeners):
            # Never from here: a listener that raises would fail the caller, whose commit has been made.
            loop.call_soon_threadsafe(listener, signal)
