"""How many more may run: what the model counts with when passes begin."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from stepfast.interfaces import Offered

__all__ = ["Limits"]


class Limited(Protocol):
    """What is counted: a workflow, and the queue that it was begun in the last time."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def queue(self) -> str | None: ...


class Limits:
    """What one engine keeps to, as it `offered`, less what is `running` by now, whoever has it."""

    def __init__(self, offered: Iterable[Offered], running: Iterable[Limited]) -> None:
        self._queues: dict[tuple[str, int], str | None] = {}
        self._left: dict[tuple[str, str | None], int] = {}
        for each in offered:
            self._queues[each.name, each.version] = each.queue
            for what, most in (
                (("name", each.name), each.at_once),
                (("queue", each.queue), each.queue_at_once),
            ):
                if most is not None:
                    self._left[what] = min(most, self._left.get(what, most))
        for flow in running:
            self._count(flow.name, flow.queue)

    def queue_of(self, flow: Limited) -> str | None:
        """The queue that it would be begun in."""
        return self._queues.get((flow.name, flow.version))

    def has_room(self, flow: Limited) -> bool:
        asked = (("name", flow.name), ("queue", self.queue_of(flow)))
        return all(self._left.get(what, 1) > 0 for what in asked)

    def take(self, flow: Limited) -> None:
        self._count(flow.name, self.queue_of(flow))

    def _count(self, name: str, queue: str | None) -> None:
        for what in (("name", name), ("queue", queue)):
            if what in self._left:
                self._left[what] -= 1
