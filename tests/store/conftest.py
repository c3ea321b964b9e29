"""What the tests of the engine share: a loop that must not complain, and passes over a real file."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager, closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from stepfast import Definition, Outcome, Run, SqliteDurable, claimed, connect, resume
from stepfast.definitions.definition import Registry
from stepfast.interfaces import Claim
from stepfast.passes.attempt import Attempt
from stepfast.system.threads import Threads
from stepfast.testing import VirtualClock
from stepfast.workers.worker import Worker

# With importlib as the import mode, a module that tests share is found only this way.
sys.path.insert(0, str(Path(__file__).parent))

from faulty import Faulty

Body = Callable[[Run], Coroutine[Any, Any, object]]


@pytest.fixture
async def quiet_loop() -> AsyncIterator[None]:
    """Fails the test if anything reaches the loop's exception handler, a task nobody looked at too."""
    complaints: list[str] = []

    def complain(_loop: object, context: dict[str, Any]) -> None:
        complaints.append(f"{context['message']}: {context.get('exception')!a}")

    loop = asyncio.get_running_loop()
    loop.set_exception_handler(complain)
    yield
    for _ in range(3):
        gc.collect()
        await asyncio.sleep(0)
    assert complaints == []


class Bench:
    """Passes over one real file, made one by one, without a worker."""

    def __init__(self, durable: SqliteDurable, clock: VirtualClock) -> None:
        self.durable = durable
        self.clock = clock
        self.threads: Threads[None] = Threads("test-step", 16, prepare=lambda: None)

    async def claim(self, id: str = "w") -> Claim:
        """A claim on the workflow, started where it is new."""
        await self.durable.start(id, "job", 1, "null")
        claim = await self.durable.checkpointer.claim(id)
        assert claim is not None
        return claim

    async def make(self, body: Body, id: str = "w", returns: Any = None) -> Outcome:
        """One pass from beginning to end."""
        await self.durable.start(id, "job", 1, "null")
        async with claimed(self.durable.checkpointer, id) as claim:
            return await resume(claim, self.durable.checkpointer, body, returns=returns, clock=self.clock)

    async def attempt(self, id: str = "w") -> Attempt:
        """A pass to be talked to while it is made."""
        claim = await self.claim(id)
        checkpoint = await self.durable.checkpointer.load(claim.workflow)
        return Attempt(claim, self.durable.checkpointer, checkpoint, self.threads, self.clock)

    async def recorded(self, id: str = "w") -> list[str]:
        """The names of what is recorded, in order."""
        return [each.name for each in await self.durable.catalogue.history(id)]

    async def state(self, id: str) -> str:
        return (await self.durable.catalogue.summary(id)).state.name

    async def reached(self, id: str, *states: str) -> str:
        """Wait, told by commits and without polling, until the workflow is in one of `states`."""
        changed = asyncio.Event()
        stop = self.durable.listen(lambda _signal: changed.set())
        try:
            async with asyncio.timeout(60):
                while True:
                    changed.clear()
                    if (state := await self.state(id)) in states:
                        return state
                    await changed.wait()
        finally:
            stop()

    def faulty(self, **replaced: object) -> Any:
        """The store, with some of its methods replaced."""
        return Faulty(self.durable, **replaced)

    async def start(self, request: Any, id: str, **options: Any) -> None:
        definition = request.definition
        await self.durable.start(id, definition.name, definition.version, request.text, **options)

    @asynccontextmanager
    async def at_work(
        self,
        definitions: Iterable[Definition[..., Any]],
        durable: Any = None,
        clock: VirtualClock | None = None,
        **options: Any,
    ) -> AsyncIterator[Worker]:
        """A worker that works until the end of the block, and is stopped there."""
        clock = clock or self.clock
        worker = Worker(durable or self.durable, Registry(definitions), clock=clock, **options)
        working = asyncio.ensure_future(worker.run())
        try:
            yield worker
        finally:
            await worker.stop(timedelta(seconds=5))
            while not working.done():
                clock.advance(60)
                await asyncio.sleep(0)
            await working

    def rows(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        """What is in the file, as another program sees it."""
        with closing(sqlite3.connect(self.durable.path, isolation_level=None)) as connection:
            return connection.execute(sql, parameters).fetchall()


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
async def durable(tmp_path: Path, clock: VirtualClock) -> AsyncIterator[SqliteDurable]:
    """A store over a file of its own."""
    durable = await connect(tmp_path / "work.db", clock=clock)
    yield durable
    await durable.close()


@pytest.fixture
async def bench(tmp_path: Path, quiet_loop: None) -> AsyncIterator[Bench]:
    clock = VirtualClock()
    durable = await connect(tmp_path / "work.db", clock=clock)
    made = Bench(durable, clock)
    yield made
    made.threads.close()
    await durable.close()
