"""Counts, for each write, the commits of housekeeping that it had to wait for: numbers, and no times."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock

from stepfast.sqlite import SqliteDurable
from stepfast.sqlite.writing.calls import WriteCall
from stepfast.system.threads import Call

__all__ = ["WaitingBehind", "each_commit", "waiting_behind"]


class WaitingBehind:
    """What was counted. `commits` is how many commits of housekeeping there were.

    `waits` counts writes by the number of those that were under way, or began, between the moment that the
    write was queued and the moment that the thread which writes had it on disk.
    """

    def __init__(self, durable: SqliteDurable) -> None:
        self.waits: Counter[int] = Counter()
        self.commits = 0
        self.writer: Any = durable._store.writer
        self._finished = 0
        self._reached: dict[asyncio.Future[Any], int] = {}

    @property
    def longest(self) -> int:
        """The most that any write has waited for."""
        return max(self.waits, default=0)

    def queued(self, call: WriteCall[Any]) -> None:
        """At the moment that a call is queued, in which the thread that writes takes none."""
        if call.last:
            call.function = self._counted(call.function)
            return
        before, under_way = self.commits, self.commits - self._finished

        def note(future: asyncio.Future[Any]) -> None:
            self.waits[self._reached.pop(future) - before + under_way] += 1

        call.future.add_done_callback(note)

    def answered(self, calls: Sequence[Call[Any]]) -> None:
        """On the thread that writes: these are on disk."""
        for call in calls:
            if getattr(call, "last", False):
                self._finished += 1
            else:
                self._reached[call.future] = self.commits

    def _counted(self, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def counted(turn: Any) -> Any:
            self.commits += 1
            return function(turn)

        return counted


class _Queue(deque[WriteCall[Any]]):
    """The calls that wait for the thread that writes, and who is told of each."""

    def __init__(self, calls: Iterable[WriteCall[Any]], tell: Callable[[WriteCall[Any]], None]) -> None:
        super().__init__(calls)
        self._tell = tell

    def append(self, call: WriteCall[Any]) -> None:
        self._tell(call)
        super().append(call)


@contextmanager
def each_commit(durable: SqliteDurable, happened: Callable[[], None]) -> Iterator[None]:
    """Call `happened` after each commit of a store, on the thread that writes."""
    batches = durable._store.writer._batches
    answer = batches._answer

    def answered(calls: Sequence[Call[Any]]) -> None:
        happened()
        answer(calls)

    with mock.patch.object(batches, "_answer", answered):
        yield


@contextmanager
def waiting_behind(durable: SqliteDurable) -> Iterator[WaitingBehind]:
    """Listen in on the writer of a store."""
    counting = WaitingBehind(durable)
    batches = durable._store.writer._batches
    answer = batches._answer

    def answered(calls: Sequence[Call[Any]]) -> None:
        counting.answered(calls)
        answer(calls)

    writer = counting.writer
    with mock.patch.object(batches, "_answer", answered):
        with writer._gate:
            writer._calls = _Queue(writer._calls, counting.queued)
        try:
            yield counting
        finally:
            with writer._gate:
                writer._calls = deque(writer._calls)
