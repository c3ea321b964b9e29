"""Waiting until workflows have finished: one listener, and one look a turn of the loop, however many wait.

What completes in this program is told of with what it came to, and needs no look.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from stepfast.errors import UnknownWorkflow
from stepfast.interfaces import Durable, Signal
from stepfast.late import imported
from stepfast.system.threads import hand_over, resolve_all
from stepfast.values import codec

if TYPE_CHECKING:
    from stepfast.details import Ended

__all__ = ["Finishing"]


class Finishing:
    """Who waits for which workflow; on one loop.

    Args:
        durable: whose commits are heard.
        attend: has it hear of those of other programs too.
    """

    def __init__(self, durable: Durable, attend: Callable[[], None]) -> None:
        self._durable = durable
        self._attend = attend
        self._stop_listening: Callable[[], None] = _nothing
        self._waiting: dict[int, set[asyncio.Future[Ended]]] = {}
        self._to_look_at: set[int] = set()
        self._looks: set[asyncio.Task[None]] = set()

    async def ended(self, id: str, key: int) -> Ended:
        """Wait until a workflow has ended, and say how. Raises `UnknownWorkflow` where it was deleted."""
        await imported("stepfast.details")
        loop = asyncio.get_running_loop()
        if not self._waiting:
            self._stop_listening = self._durable.listen(self._hear)
            self._attend()
        ended: asyncio.Future[Ended] = loop.create_future()
        self._waiting.setdefault(key, set()).add(ended)
        self._look_soon([key])
        try:
            return await ended
        except KeyError:
            raise UnknownWorkflow(id) from None
        finally:
            waiting = self._waiting[key]
            waiting.discard(ended)
            if not waiting:
                del self._waiting[key]
            if not self._waiting:
                self._stop_listening()

    def _hear(self, signal: Signal) -> None:
        if signal.keys is None:
            self._look_soon(self._waiting)
            return
        told = {key: text for key, text in signal.results.items() if key in self._waiting}
        if told:
            self._completed(told)
        self._look_soon(signal.keys - signal.went_on - told.keys())

    def _completed(self, results: dict[int, str]) -> None:
        from stepfast.details import Ended

        # Not at once: others listen too, and are to hear of it first. And not each by itself.
        waiting = [
            _Told(each, Ended("completed", codec.decode(text), None))
            for key, text in results.items()
            for each in self._waiting[key]
        ]
        asyncio.get_running_loop().call_soon(resolve_all, waiting)

    def _look_soon(self, keys: Iterable[int]) -> None:
        # Once for all that are told of, or asked for, in the same turn of the loop.
        begun = bool(self._to_look_at)
        self._to_look_at.update(key for key in keys if key in self._waiting)
        if self._to_look_at and not begun:
            asyncio.get_running_loop().call_soon(self._begin_look)

    def _begin_look(self) -> None:
        keys, self._to_look_at = self._to_look_at, set()
        look = asyncio.get_running_loop().create_task(
            self._look(keys), name="stepfast looks who has finished"
        )
        self._looks.add(look)
        look.add_done_callback(self._looks.discard)

    async def _look(self, keys: set[int]) -> None:
        # Not those who begin to wait while it is under way: they have a look of their own.
        waiting = [(key, each) for key in keys for each in self._waiting.get(key, ())]
        try:
            found = await self._durable.catalogue.ends([*keys])
        except Exception as error:
            for _, each in waiting:
                if not each.done():
                    each.set_exception(error)
            return
        for key, each in waiting:
            if each.done():
                continue
            if key not in found:
                each.set_exception(KeyError(key))
            elif (ended := found[key]) is not None:
                each.set_result(ended)


class _Told:
    """What is known of how a workflow has ended, for one who waits for that."""

    __slots__ = ("_ended", "_waiting")

    def __init__(self, waiting: asyncio.Future[Ended], ended: Ended) -> None:
        self._waiting = waiting
        self._ended = ended

    def resolve(self) -> None:
        if not self._waiting.done():
            hand_over(self._waiting, self._ended)


def _nothing() -> None:
    pass
