"""How a pass writes what it came to: under its claim, again where the store failed, or not at all."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from stepfast.body.noting import NoteKeeper
from stepfast.errors import Abandoned, Fenced, StoreError
from stepfast.interfaces import Checkpointer, Claim, NewRecord, Notes, Recorded
from stepfast.passes.holding import Hold
from stepfast.passes.passing import Pass

__all__ = ["Recording"]

T = TypeVar("T")

logger = logging.getLogger("stepfast")


class Recording:
    """The records of one pass.

    Args:
        claim: as whom it writes.
        making: the pass, which ends where it may not, or cannot, write any more.
        checkpointer: where it writes.
        notes: what goes with a record.
        hold: asked when the store failed under a write, whether to try again.
    """

    def __init__(
        self, claim: Claim, making: Pass, checkpointer: Checkpointer, notes: NoteKeeper, hold: Hold
    ) -> None:
        self._claim = claim
        self._pass = making
        self._checkpointer = checkpointer
        self._notes = notes
        self._hold = hold

    async def record(self, new: NewRecord) -> Recorded:
        """Keep something under a name; returns what is there after that."""
        if new.bookmarked:
            self._notes.drop_bookmark(new.name)
        notes: Notes | None = self._notes.due()
        try:
            # As `writing` does, without a call to be made of it: this runs for every step.
            recorded = await self._checkpointer.record(self._claim, new, notes)
        except (Fenced, StoreError) as error:
            await self._try_again(error)
            recorded = await self.writing(lambda: self._checkpointer.record(self._claim, new, notes))
        if logger.isEnabledFor(logging.DEBUG):
            logger.debug("workflow %s: the %s %r is recorded", self._claim.id, new.kind, new.name)
        return recorded

    async def writing(self, write: Callable[[], Awaitable[T]]) -> T:
        """Write; what stops it stops the pass, and is not a failure of the step."""
        while True:
            try:
                return await write()
            except (Fenced, StoreError) as error:
                await self._try_again(error)

    async def _try_again(self, error: Fenced | StoreError) -> None:
        """Return once a write that ended like this can be made again; else stop the pass and raise."""
        if isinstance(error, Fenced):
            self._pass.abort(error)
            raise error
        # What is recorded already is not overwritten, so it may be asked again whatever became of it.
        if not await self._hold(error):
            raise self.abandon(error) from error

    def abandon(self, error: StoreError) -> Abandoned:
        """End the pass, as the store failed under it; what is returned says so."""
        abandoned = Abandoned(str(error))
        abandoned.__cause__ = error
        self._pass.abort(abandoned)
        return abandoned
