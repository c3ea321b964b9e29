"""What may be set of an engine while it works: how long things are kept, how many workflows run at once."""

from __future__ import annotations

from stepfast.definitions.definition import Registry
from stepfast.errors import InvalidInput
from stepfast.interfaces import Durable
from stepfast.retention import Retention
from stepfast.sqlite.durable import SqliteDurable
from stepfast.workers.housekeeping import Housekeeping
from stepfast.workers.limits import check_limit
from stepfast.workers.worker import Worker

__all__ = ["Adjustable"]


class Adjustable:
    """The part of an engine with the worker and the housekeeping in it, which it has where it works."""

    durable: Durable
    registry: Registry
    _worker: Worker | None = None
    _house: Housekeeping | None = None
    _retention = Retention()

    @property
    def retention(self) -> Retention:
        """Which finished workflows are deleted. May be set at any time; it counts from the next sweep on."""
        return self._retention

    @retention.setter
    def retention(self, retention: Retention) -> None:
        self._retention = retention
        if self._house is not None:
            self._house.retention = retention

    @property
    def concurrency(self) -> int:
        """How many workflows run here at once; 0 where this engine does not work. May be set at any time.

        Where it becomes less, what runs goes on to its end. Raises `InvalidInput` for less than 1.
        """
        return 0 if self._worker is None else self._worker.concurrency

    @concurrency.setter
    def concurrency(self, most: int) -> None:
        if type(most) is not int or most < 1:
            raise InvalidInput(f"{most!r} workflows at once are none; it is a whole number from 1")
        if self._worker is not None:
            self._worker.concurrency = most

    @property
    def running(self) -> int:
        """How many workflows run here now; 0 where this engine does not work."""
        return 0 if self._worker is None else self._worker.running

    @property
    def begun(self) -> bool:
        """Has it said in the file what it can carry out, and taken over what it found? It does so first."""
        return self._worker is not None and self._worker.begun

    async def until_begun(self) -> None:
        """Return once it has `begun`, or was closed before that; at once where this engine does not work."""
        if self._worker is not None:
            await self._worker.until_begun()

    def limit(self, name: str, at_once: int | None) -> None:
        """Have at most so many workflows of a definition run at once, from now on, as long as this is open.

        Those that run already go on, though they be more. Counted are those of all engines on the file; each
        engine keeps to the limit that it was told. The definition's own `at_once` holds as well.

        Args:
            name: of a definition of this program.
            at_once: how many, 1 or more; None for no limit but the definition's own.

        Raises:
            InvalidInput: `at_once` is no such number.
            UnknownDefinition: this program has none of that name.
        """
        self.registry.newest(name)
        check_limit(repr(name), at_once)
        if self._worker is not None:
            self._worker.limit(name, at_once)

    def limit_queue(self, queue: str, at_once: int | None) -> None:
        """Have at most so many workflows of a queue run at once, from now on, as long as this is open.

        As `limit` else, and in the place of what was said of it in `open`.

        Args:
            queue: one that a definition of this program has (`@workflow(..., queue="disk")`).
            at_once: how many, 1 or more; None for any number.

        Raises:
            InvalidInput: `at_once` is no such number, or no definition of this program has that queue.
        """
        if not any(each.queue == queue for each in self.registry):
            raise InvalidInput(f"no definition of this program has the queue {queue!r}")
        check_limit(f"the queue {queue!r}", at_once)
        if self._worker is not None:
            self._worker.limit_queue(queue, at_once)

    def try_again(self) -> None:
        """Look at once whether what stops the work (`health`) is over; else it looks every few seconds."""
        if isinstance(self.durable, SqliteDurable):
            self.durable.try_again()
