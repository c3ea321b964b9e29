"""Memory stores with a part that is broken on purpose, and the promises that have to notice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from stepfast.memory import Memory, MemoryCatalogue, MemoryCheckpointer, MemoryDurable, MemoryScheduler
from stepfast.memory.tables import Tables
from stepfast.testing import CONTRACT, VirtualClock

__all__ = ["PROMISES", "Breaking", "Broken", "Stores"]

T = TypeVar("T")
PROMISES = {promise.__name__: promise for promise in CONTRACT}


class Stores:
    """Memory stores with the parts of one that is broken."""

    def __init__(self, broken: type[Broken]) -> None:
        self.clock = VirtualClock()
        self._broken = broken
        self._memory = broken.memory()
        self._memory.tables = broken.tables()

    async def open(self) -> MemoryDurable:
        durable = self._broken.durable(self._memory, self.clock)
        durable._checkpointer = self._broken.checkpointer(durable._owner)
        durable._scheduler = self._broken.scheduler(durable._owner)
        durable._catalogue = self._broken.catalogue(durable._owner)
        return durable

    async def kill(self, durable: MemoryDurable) -> None:
        durable.die()


class Broken:
    """A store none of whose parts is broken; each subclass replaces one."""

    memory: type[Memory] = Memory
    tables: type[Tables] = Tables
    durable: type[MemoryDurable] = MemoryDurable
    checkpointer: type[MemoryCheckpointer] = MemoryCheckpointer
    scheduler: type[MemoryScheduler] = MemoryScheduler
    catalogue: type[MemoryCatalogue] = MemoryCatalogue


class Breaking:
    """The broken stores of one module."""

    def __init__(self) -> None:
        self.cases: list[Any] = []
        """Parameters of a test: a broken store, and a promise that must notice it."""

    @property
    def promises(self) -> list[str]:
        return sorted({each.values[1] for each in self.cases})

    def noticed_by(self, *promises: str) -> Callable[[type[T]], type[T]]:
        """The decorated part of a store is broken, and each of these promises must notice."""

        def register(part: type[T]) -> type[T]:
            kind = next(
                name
                for name, base in vars(Broken).items()
                if isinstance(base, type) and issubclass(part, base)
            )
            broken = type(part.__name__, (Broken,), {kind: part})
            self.cases.extend(
                pytest.param(broken, promise, id=f"{part.__name__}-{promise}") for promise in promises
            )
            return part

        return register
