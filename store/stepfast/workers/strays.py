"""The net under a worker: claims that the file says are here, and that nobody here knows of.

There are none unless something of ours is wrong: a claim whose answer was lost, a pass that was ended as if
its claim were gone. The workflow would be running for ever, as nobody takes over from an engine that lives.
So each look at what is held here is compared with what is known here. One look shows little, since the answer
to a commit may be on its way; what a second one, some seconds later, shows again is given back.
"""

from __future__ import annotations

import logging
import math
import weakref
from collections.abc import Iterable

from stepfast.interfaces import Claim, Durable, Held
from stepfast.system.clock import Clock

__all__ = ["Strays"]

logger = logging.getLogger("stepfast")

STRAY_SECONDS = 5.0
"""Between the two looks, at least."""

# Several workers may be at work over one store, which is one owner.
_known: weakref.WeakKeyDictionary[Durable, set[int]] = weakref.WeakKeyDictionary()


class Strays:
    """What is known here of claims, and since when others are seen.

    Args:
        durable: the store.
        clock: for the seconds between two looks.
    """

    def __init__(self, durable: Durable, clock: Clock) -> None:
        self._durable = durable
        self._clock = clock
        self._known = _known_over(durable)
        self._seen: dict[int, float] = {}
        self._left: set[int] = set()
        self._reported: set[int] = set()

    def know(self, claim: Claim) -> None:
        """There is a pass under this claim."""
        self._known.add(claim.token)

    def forget(self, claim: Claim) -> None:
        """The pass is over, and the claim with it, or not."""
        self._known.discard(claim.token)

    def leave(self, claim: Claim) -> None:
        """The pass is over, and the store could not take the claim back, which is no fault of ours."""
        self._left.add(claim.token)

    @property
    def look_at(self) -> float:
        """When the next look is wanted, on the monotonic clock; infinity where there is nothing to see."""
        return min(self._seen.values()) + STRAY_SECONDS if self._seen else math.inf

    def among(self, held: Iterable[Held], asked: float) -> list[Held]:
        """Those of `held`, which was asked for at `asked`, that are to be given back."""
        unknown = self._unknown(held)
        if not unknown:
            if self._seen:
                self._seen, self._left, self._reported = {}, set(), set()
            return []
        now = self._clock.monotonic()
        self._seen = {each.token: self._seen.get(each.token, now) for each in unknown}
        return [each for each in unknown if asked - self._seen[each.token] >= STRAY_SECONDS]

    async def give_back(self, strays: list[Held]) -> None:
        """Look once more, when no answer can be on its way, and end the claims that are still nobody's."""
        tokens = {each.token for each in strays}
        for each in self._unknown((await self._durable.look()).held):
            if each.token in tokens:
                await self._give_back(each)

    def _unknown(self, held: Iterable[Held]) -> list[Held]:
        known = self._known
        return [each for each in held if each.begun and each.token not in known]

    async def _give_back(self, stray: Held) -> None:
        rows = await self._durable.catalogue.rows([stray.workflow])
        id = rows[0].id if rows else str(stray.workflow)
        if stray.token in self._left:
            logger.info("workflow %s could not be settled, and is given back now", id)
        elif stray.token not in self._reported:
            self._reported.add(stray.token)
            logger.error(
                "a fault of Stepfast's, please report it: workflow %s was held here, and nobody here made a "
                "pass of it; it is given back, and goes on",
                id,
            )
        await self._durable.checkpointer.release(Claim(stray.workflow, id, stray.token))


def _known_over(durable: Durable) -> set[int]:
    try:
        return _known.setdefault(durable, set())
    except TypeError:  # it cannot be a key, and so has one worker
        return set()
