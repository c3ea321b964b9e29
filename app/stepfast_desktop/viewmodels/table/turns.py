"""What a person asks for is done one after the other, in the order in which it was asked."""

from __future__ import annotations

import asyncio

__all__ = ["Turn", "Turns"]


class Turn:
    """A place in the order. `done` is to be called whatever becomes of it."""

    def __init__(self, before: asyncio.Future[None] | None, mine: asyncio.Future[None]) -> None:
        self._before, self._mine = before, mine

    @property
    def at_once(self) -> bool:
        """Is nobody before it?"""
        return self._before is None or self._before.done()

    async def comes(self) -> None:
        """Wait until whoever was before it is done."""
        if self._before is not None:
            await asyncio.wait({self._before})

    def done(self) -> None:
        """It is the next one's turn."""
        if not self._mine.done():
            self._mine.set_result(None)


class Turns:
    """Gives them out."""

    def __init__(self) -> None:
        self._last: asyncio.Future[None] | None = None

    def take(self) -> Turn:
        """A place behind all that were given out."""
        before, self._last = self._last, asyncio.get_running_loop().create_future()
        return Turn(before, self._last)
