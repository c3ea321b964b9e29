"""What changed in the file, told to the view models at most ten times a second."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from stepfast import Changes, Engine, Reset, StepfastError, Summary
from stepfast.health import Condition
from stepfast.interfaces import Signal
from stepfast_desktop.viewmodels.events import Event

__all__ = ["Changed", "Feed"]

logger = logging.getLogger("stepfast")

BETWEEN = 0.1
FAULT_PAUSE = 2.0


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Changed:
    """Rows as they stand now and ids that are gone; after a `reset` everything is to be read anew."""

    rows: tuple[Summary, ...]
    deleted: tuple[str, ...]
    reset: bool = False


class Feed:
    """Follows the file, whoever writes to it. Changes that come together are told together."""

    def __init__(self, engine: Engine) -> None:
        self.changed: Event[[Changed]] = Event()
        self.conditions_changed: Event[[]] = Event()
        """Something is wrong with the file or its disk, or not any more."""
        self._engine = engine
        self._heard = asyncio.Event()
        self._at = 0
        self._following: asyncio.Task[None] | None = None
        self._stop_listening: Callable[[], None] = _nothing

    async def start(self) -> None:
        """Begin to follow, from the file as it is now."""
        self._stop_listening = self._engine.listen(self._hear)
        # Beyond every number there is: nothing has changed after it, and `at` says how far the file is.
        self._at = (await self._engine.changes(2**62)).at
        self._following = asyncio.create_task(self._follow(), name="feed")

    @property
    def at(self) -> int:
        """The number up to which everything has been told."""
        return self._at

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """What is wrong with the file or its disk now, those that stop work first."""
        return self._engine.health.conditions

    async def close(self) -> None:
        """Tell nothing more."""
        self._stop_listening()
        if self._following is not None:
            self._following.cancel()
            await asyncio.wait({self._following})

    def _hear(self, signal: Signal) -> None:
        self._heard.set()
        if signal.condition:
            self.conditions_changed.emit()

    async def _follow(self) -> None:
        while True:
            await self._heard.wait()
            self._heard.clear()
            try:
                await self._tell()
            except StepfastError as error:
                if not self._engine.health.stops_work:  # else it is said already, and shown
                    logger.warning("what changed cannot be read at the moment: %s", error)
                self._heard.set()
                await asyncio.sleep(FAULT_PAUSE)
            await asyncio.sleep(BETWEEN)

    async def _tell(self) -> None:
        while True:
            match await self._engine.changes(self._at):
                case Reset(at):
                    self._at = at
                    self.changed.emit(Changed((), (), reset=True))
                case Changes((), (), at):
                    self._at = at
                    return
                case Changes(rows, deleted, at):
                    self._at = at
                    self.changed.emit(Changed(rows, deleted))
