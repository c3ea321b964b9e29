"""How many more workflows may run at once: what stores count with when they begin passes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stepfast.errors import InvalidInput
from stepfast.interfaces import Offered

__all__ = ["Room", "check_limit", "check_limits"]

NOTHING: Mapping[str, int] = {}
ANY_NUMBER = 2**31


class Room:
    """What is left of the limits of `offered`, less what runs (`running`) and what is begun now (`take`).

    A name that is offered in several versions has one limit: the smallest of theirs. So has a queue.
    """

    def __init__(self, offered: Iterable[Offered]) -> None:
        self.names: dict[str, int] = {}
        self.queues: dict[str, int] = {}
        for each in offered:
            if each.at_once is not None:
                self.names[each.name] = min(each.at_once, self.names.get(each.name, each.at_once))
            if each.queue is not None and each.queue_at_once is not None:
                most = each.queue_at_once
                self.queues[each.queue] = min(most, self.queues.get(each.queue, most))

    def running(self, of: Mapping[str, int] = NOTHING, within: Mapping[str, int] = NOTHING) -> None:
        """Of these names, and in these queues, so many run already."""
        for limits, running in ((self.names, of), (self.queues, within)):
            for name, count in running.items():
                if name in limits:
                    limits[name] = max(0, limits[name] - count)

    def of(self, offer: Offered) -> int:
        """How many more of it may run."""
        return min(self.names.get(offer.name, ANY_NUMBER), self.queues.get(offer.queue or "", ANY_NUMBER))

    def take(self, offer: Offered) -> bool:
        """One more of it runs; False where there is no room."""
        if not self.of(offer):
            return False
        for limits, name in ((self.names, offer.name), (self.queues, offer.queue or "")):
            if name in limits:
                limits[name] -= 1
        return True


def check_limits(queues: Mapping[str, int]) -> None:
    """Raise `InvalidInput` for what can be no limit of a queue."""
    for queue, limit in queues.items():
        check_limit(f"the queue {queue!r}", limit)


def check_limit(what: str, at_once: int | None) -> None:
    """Raise `InvalidInput` for what can be no limit of `what`; None is none."""
    if at_once is not None and (type(at_once) is not int or at_once < 1):
        raise InvalidInput(f"the limit of {what} is {at_once!r}; it is a whole number from 1")
