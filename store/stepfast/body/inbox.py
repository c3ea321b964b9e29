"""The messages of a workflow: what has come in, and which of it a wait has taken."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from stepfast.errors import InvalidInput
from stepfast.interfaces import Kind, Message, NewRecord, Recorded
from stepfast.passes.passing import Pass
from stepfast.state import MessageWait
from stepfast.values import codec
from stepfast.values.shapes import decode_as

__all__ = ["Inbox"]


class Inbox:
    """The inbox of one pass.

    Args:
        making: the pass.
        record: keeps what a wait took.
        now: seconds since the epoch.
    """

    def __init__(
        self,
        making: Pass,
        record: Callable[[NewRecord], Awaitable[Recorded]],
        now: Callable[[], float],
    ) -> None:
        self._pass = making
        self._record = record
        self._now = now
        self._messages: dict[int, str] = {}
        self._received: dict[str, str] = {}
        self._taken: set[int] = set()

    def absorb(self, name: str, text: str) -> None:
        """What a wait took is recorded."""
        self._received.setdefault(name, text)
        self._taken.update(_positions(text))

    def add(self, message: Message) -> None:
        """It has come in."""
        self._messages[message.position] = message.text

    async def receive(self, name: str, into: Any) -> Any:
        """The message that `name` took, or takes now; waits for one."""
        while name not in self._received:
            message = self._next(1)
            if message:
                await self._take(name, message)
            else:
                await self._pass.park(MessageWait(name))
        (position,) = _positions(self._received[name])
        return self._message(position, into)

    async def pending(self, name: str, into: Any) -> list[Any]:
        """Those that `name` took, or all that are there now."""
        if name not in self._received:
            await self._take(name, self._next(None))
        return [self._message(position, into) for position in _positions(self._received[name])]

    def _next(self, most: int | None) -> list[int]:
        free = sorted(self._messages.keys() - self._taken)
        return free[:most]

    async def _take(self, name: str, positions: list[int]) -> None:
        """Record that `name` took these messages; no other branch takes them meanwhile."""
        if self._pass.stopping:
            await self._pass.park(None)
        self._taken.update(positions)
        with self._pass.flight():
            new = NewRecord(Kind.RECEIVED, name, codec.encode(positions), self._now())
            recorded = await self._record(new)
        self._received[name] = recorded.text
        self._taken.update(_positions(recorded.text))

    def _message(self, position: int, into: Any) -> Any:
        return decode_as(self._messages[position], into, about=f"message {position}", error=InvalidInput)


def _positions(text: str) -> list[int]:
    return decode_as(text, list[int], about="the messages taken")
