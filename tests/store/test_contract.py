"""Every store keeps the contract; `test_contract_can_fail.py` shows that its promises can be broken."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

import pytest

from stepfast.memory import Memory, MemoryDurable
from stepfast.sqlite import SqliteDurable, connect
from stepfast.testing import CONTRACT, Stores, VirtualClock
from stepfast.testing.contract import Promise


class Closing(Stores, Protocol):
    async def close(self) -> None: ...


class MemoryStores:
    def __init__(self) -> None:
        self.clock = VirtualClock()
        self._memory = Memory()

    async def open(self) -> MemoryDurable:
        return MemoryDurable(memory=self._memory, clock=self.clock)

    async def kill(self, durable: MemoryDurable) -> None:
        durable.die()

    async def close(self) -> None:
        self._memory.tables.close()


class SqliteStores:
    def __init__(self, path: Path) -> None:
        self.clock = VirtualClock()
        self._path = path
        self._opened: list[SqliteDurable] = []

    async def open(self) -> SqliteDurable:
        durable = await connect(self._path, clock=self.clock)
        self._opened.append(durable)
        return durable

    async def kill(self, durable: SqliteDurable) -> None:
        # What the kernel does for a process: its locks are gone, its rows stay, its threads are no more.
        store = durable._store
        if store._presence is not None:
            store._presence._lock.release()
        store._presence = store._owner = None
        await durable.close()

    async def close(self) -> None:
        for durable in self._opened:
            await durable.close()


@pytest.fixture(params=["memory", "sqlite"])
async def stores(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Closing]:
    made: Closing = MemoryStores() if request.param == "memory" else SqliteStores(tmp_path / "stepfast.db")
    yield made
    await made.close()


def named(promise: Promise) -> str:
    return f"{promise.__module__.rpartition('.')[2]}-{promise.__name__}"


@pytest.mark.parametrize("promise", CONTRACT, ids=named)
async def test_every_store_keeps_this_promise(promise: Promise, stores: Closing) -> None:
    await promise(stores)


def test_no_two_promises_have_one_name() -> None:
    assert len({promise.__name__ for promise in CONTRACT}) == len(CONTRACT)
