"""What a program asks of the workflows there are: rows, lists, histories, changes. `Engine` has all of it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, ClassVar

from stepfast.attending import Attending
from stepfast.interfaces import Durable, Signal
from stepfast.state import Running
from stepfast.system.clock import Clock
from stepfast.views import EVERYTHING, Changes, Filter, Listing, Offer, Reset, StepRecord, Summary

if TYPE_CHECKING:
    from stepfast.details import Details, LogLine, LogPart, RecordOutline, Schedule

__all__ = ["Looking"]


class Looking:
    """The half of an engine that changes nothing.

    What is asked of one workflow raises `UnknownWorkflow` where none has the id; a list raises `InvalidInput`
    for an order that there is not. All of it raises `StoreError` where the file cannot be read.

    A position is the number of a record, or of a line of a log, in the file's own count: it only rises, and
    0 is before all.
    """

    registers: ClassVar[bool] = True
    """May it write that it wants to be told of what others commit? Else it looks each second."""

    def __init__(self, durable: Durable, clock: Clock) -> None:
        self.durable = durable
        self._attending = Attending(durable, clock, registers=self.registers)

    def listen(self, listener: Callable[[Signal], None]) -> Callable[[], None]:
        """Call `listener` after each commit to the file, whoever made it, until what is returned is called.

        It is called on the running loop. What changed is then read by `changes`, which a signal does not
        replace: several commits of another program may be told by one, and after the loss of a ring within
        half a minute.
        """
        self._attending.begin()
        return self.durable.listen(listener)

    async def get(self, id: str) -> Details:
        """A workflow with its input, and with its result or failure and its problems, if it has finished."""
        return await self.durable.catalogue.get(id)

    async def summary(self, id: str) -> Summary:
        """A workflow as lists show it."""
        return await self.durable.catalogue.summary(id)

    async def history(self, id: str) -> list[StepRecord]:
        """What is recorded of a workflow, in order."""
        return await self.durable.catalogue.history(id)

    async def log(self, id: str, *, after: int = 0, limit: int = 1000) -> list[LogLine]:
        """The first `limit` lines of a workflow's log after a position, oldest first."""
        return await self.durable.catalogue.log(id, after=after, limit=limit)

    async def outline(self, id: str, *, after: int = 0) -> list[RecordOutline]:
        """What is recorded of a workflow after a position, in order, without the values."""
        return await self.durable.catalogue.outline(id, after=after)

    async def record(self, id: str, kind: str, name: str) -> StepRecord | None:
        """One record of a workflow, whole; `kind` is a `interfaces.Kind`. None where there is none."""
        return await self.durable.catalogue.record(id, kind, name)

    async def find_lines(
        self,
        id: str,
        *,
        after: int = 0,
        before: int | None = None,
        levels: Collection[str] = (),
        text: str = "",
        limit: int = 10_000,
    ) -> LogPart:
        """Where lines of a log are, looking at `limit` of them at most.

        Args:
            id: of the workflow.
            after: from the first line after this position on,
            before: or from the last one before this position back.
            levels: those of one of these levels; of any, where there is none.
            text: those that contain this, whatever the case of the letters a to z.
            limit: how many lines are looked at.

        Returns:
            the positions of the lines found, and from where to go on where there are more to be looked at.
        """
        return await self.durable.catalogue.find_lines(
            id, after=after, before=before, levels=levels, text=text, limit=limit
        )

    async def lines(self, id: str, positions: Sequence[int]) -> list[LogLine]:
        """The lines of a log at some positions, in order, without those that are gone."""
        return await self.durable.catalogue.lines(id, positions)

    async def counts(self) -> dict[str, int]:
        """How many workflows are in each state."""
        return await self.durable.catalogue.counts()

    async def families(self, keys: Sequence[int]) -> dict[int, dict[str, int]]:
        """How many children each of these has in each state, by key; nothing of those that have none."""
        return await self.durable.catalogue.families(keys)

    async def changes(self, after: int, *, limit: int = 1000) -> Changes | Reset:
        """The first `limit` rows that changed after a number; begin with 0, go on from `Changes.at`.

        `Reset` where what was deleted since then is not remembered any more: read everything anew.
        """
        return await self.durable.catalogue.changes(after, limit=limit)

    async def offers(self) -> list[Offer]:
        """What living engines can run, this one among them."""
        return await self.durable.catalogue.offers()

    async def holder_is_gone(self, summary: Summary) -> bool:
        """Does it say "running" of a workflow whose engine has died, and that none has taken over yet?"""
        from stepfast.sqlite.catalogue import SqliteCatalogue

        state, catalogue = summary.state, self.durable.catalogue
        if not isinstance(state, Running) or not isinstance(catalogue, SqliteCatalogue):
            return False
        return state.owner in await catalogue.dead()

    async def schedules(self) -> list[Schedule]:
        """The schedules of the file, whoever made them, by name."""
        return await self.durable.catalogue.schedules()

    async def keys(
        self, filter: Filter = EVERYTHING, *, order: str = "pending", descending: bool = False
    ) -> array[int]:
        """The keys of all workflows that match, in one of `views.ORDERS`: what a table that scrolls holds."""
        return (await self.listing(filter, order=order, descending=descending)).keys

    async def listing(
        self, filter: Filter = EVERYTHING, *, order: str = "pending", descending: bool = False
    ) -> Listing:
        """The same keys, with the number of the change up to which they hold.

        `bulk(..., upto=listing.at)` with the same filter does something to what is among these keys, and to
        nothing that was not as it was then.
        """
        return await self.durable.catalogue.listing(filter, order=order, descending=descending)

    async def rows(self, keys: Sequence[int]) -> list[Summary]:
        """The rows of some keys, in that order, without those that are gone."""
        return await self.durable.catalogue.rows(keys) if keys else []

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
