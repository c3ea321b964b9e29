"""The housekeeping of a program that works: now and then it sweeps, and does what else the file needs.

All of it is done in small pieces with a pause after each, so that steps go on beside it. Several programs on
one file may do it at once. What the store refuses (a full disk, a file that is locked) is tried again later.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from stepfast.errors import StoreError
from stepfast.interfaces import Durable
from stepfast.retention import Forgets, Retention, Swept
from stepfast.system.clock import Clock
from stepfast.workers.keeping import Keeping

__all__ = ["Housekeeping"]

logger = logging.getLogger("stepfast")

FIRST_SECONDS = 5.0  # a program that starts has something better to do, and one that ends at once need not
EVERY_SECONDS = 3600.0
PIECE_SECONDS = 0.05
HURRY_AFTER = 2000  # pieces of one sweep, of up to 25 workflows each
FAULT_SECONDS = 300.0


class Housekeeping:
    """One loop, for as long as the program works.

    Args:
        durable: the store.
        retention: which finished workflows go.
        forgets: what this program knows how to forget (`Registry.forgets`).
        clock: the engine's clock.
        keeping: where secrets are, by default nowhere.
        secretive: the names and versions of those whose inputs have secrets.
        resting: whether nothing is to be swept at this moment, unless somebody says so.
    """

    def __init__(
        self,
        durable: Durable,
        retention: Retention,
        forgets: Forgets,
        clock: Clock,
        keeping: Keeping | None = None,
        secretive: frozenset[tuple[str, int]] = frozenset(),
        resting: Callable[[], bool] = lambda: False,
    ) -> None:
        self._resting = resting
        self._keeping = Keeping(durable, None) if keeping is None else keeping
        self._secretive = secretive
        self._durable = durable
        self.retention = retention
        """Which finished workflows go; another one counts from the next sweep on."""
        self._forgets = forgets
        self._clock = clock

    async def run(self) -> None:
        """Go on until cancelled, which may happen at any moment: each piece is a commit, or not."""
        seconds = FIRST_SECONDS
        while True:
            await self._pause(seconds)
            seconds = EVERY_SECONDS
            try:
                if not self._resting():
                    await self._sweep(PIECE_SECONDS, lambda _swept: None)
                await self._keep_up(PIECE_SECONDS)
            except StoreError as error:
                logger.warning("housekeeping is put off: %s", error)
                seconds = FAULT_SECONDS
            except Exception:
                logger.exception("a fault of Stepfast's in its housekeeping, please report it; it goes on")

    async def at_once(self) -> Swept:
        """Do all there is to do, without a pause; returns what came of it."""
        pieces: list[Swept] = []
        await self._sweep(0.0, pieces.append)
        await self._keep_up(0.0)
        return Swept(
            deleted=tuple(id for piece in pieces for id in piece.deleted),
            failed=tuple(one for piece in pieces for one in piece.failed),
        )

    async def _sweep(self, seconds: float, tell: Callable[[Swept], object]) -> None:
        """Sweep all there is to sweep, with a pause after each piece."""
        swept: Swept | None = None
        pieces, retention = 0, self.retention
        while swept is None or swept.more:
            swept = await self._keeping.sweep(retention, self._forgets, self._secretive, swept)
            for id, error in swept.failed:
                kind = type(error).__name__
                logger.warning("workflow %s stays, since its `forget` raised %s: %s", id, kind, error)
            if swept.deleted:
                logger.debug("swept, as they finished long ago or were removed: %s", ", ".join(swept.deleted))
            tell(swept)
            # Should more finish than are swept, the pauses become shorter until it is the other way round.
            pieces += 1
            await self._pause(seconds / (1 + pieces / HURRY_AFTER))

    async def _keep_up(self, seconds: float) -> None:
        """What else is to be done, with a pause after each piece."""
        while await self._durable.upkeep():
            await self._pause(seconds)

    async def _pause(self, seconds: float) -> None:
        # A clock's wait is capped, and one that has ended early must not be taken for the whole.
        until = self._clock.monotonic() + seconds
        while (left := until - self._clock.monotonic()) > 0:
            await self._clock.wait(asyncio.Event(), left)
