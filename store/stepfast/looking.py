"""What a program asks of the workflows there are: rows, lists, histories, changes. `Engine` has all of it."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from stepfast.interfaces import Durable
from stepfast.views import (
    EVERYTHING,
    Changes,
    Details,
    Filter,
    LogLine,
    Offer,
    Reset,
    Schedule,
    StepRecord,
    Summary,
)

__all__ = ["Looking"]


class Looking:
    """The half of an engine that changes nothing."""

    def __init__(self, durable: Durable) -> None:
        self.durable = durable

    async def get(self, id: str) -> Details:
        """A workflow with its input, result or failure, and problems."""
        return await self.durable.catalogue.get(id)

    async def summary(self, id: str) -> Summary:
        """A workflow as lists show it."""
        return await self.durable.catalogue.summary(id)

    async def history(self, id: str) -> list[StepRecord]:
        """What is recorded of a workflow, in order."""
        return await self.durable.catalogue.history(id)

    async def log(self, id: str, *, after: int = 0, limit: int = 1000) -> list[LogLine]:
        """Log lines after a position, oldest first."""
        return await self.durable.catalogue.log(id, after=after, limit=limit)

    async def counts(self) -> dict[str, int]:
        """How many workflows are in each state."""
        return await self.durable.catalogue.counts()

    async def changes(self, after: int, *, limit: int = 1000) -> Changes | Reset:
        """What changed after a number; begin with 0, go on from `at`."""
        return await self.durable.catalogue.changes(after, limit=limit)

    async def offers(self) -> list[Offer]:
        """What living engines can run, this one among them."""
        return await self.durable.catalogue.offers()

    async def schedules(self) -> list[Schedule]:
        """The schedules of the file, whoever made them, by name."""
        return await self.durable.catalogue.schedules()

    async def keys(
        self, filter: Filter = EVERYTHING, *, order: str = "pending", descending: bool = False
    ) -> array[int]:
        """The keys of all workflows that match, in one of `views.ORDERS`: what a table that scrolls holds."""
        return await self.durable.catalogue.keys(filter, order=order, descending=descending)

    async def rows(self, keys: Sequence[int]) -> list[Summary]:
        """The rows of some keys, in that order, without those that are gone."""
        return await self.durable.catalogue.rows(keys)

    # Last, since below it `list` in an annotation would name this method.
    async def list(
        self,
        filter: Filter = EVERYTHING,
        *,
        order: str = "newest",
        descending: bool = False,
        after: Summary | None = None,
        limit: int = 100,
    ) -> list[Summary]:
        """A page of the workflows that match.

        Args:
            filter: which.
            order: one of `views.ORDERS`.
            descending: in the reverse of it.
            after: the last row of the page before; this one begins behind the place where that row was then.
            limit: how many at most.
        """
        return await self.durable.catalogue.list(
            filter, order=order, descending=descending, after=after, limit=limit
        )
