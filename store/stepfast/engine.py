"""`Engine`: what a program uses. It composes a store, a registry and a worker, and decides nothing."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from array import array
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Generic, TypeVar

from stepfast import codec
from stepfast.clock import Clock, SystemClock
from stepfast.definition import Definition, Registry, Request
from stepfast.errors import InvalidInput, UnknownDefinition, WorkflowCancelled, WorkflowFailed
from stepfast.interfaces import Durable, Signal
from stepfast.paths import default_file
from stepfast.shapes import lift
from stepfast.sqlite.durable import connect
from stepfast.state import FINISHED
from stepfast.views import Changes, Details, LogLine, Offer, Reset, StepRecord, Summary
from stepfast.worker import Worker

__all__ = ["Engine", "Handle", "run_durably"]

T = TypeVar("T")

PATIENCE = timedelta(seconds=5)
# A program that runs nothing has no doorbell, so it looks for what it waits for.
LOOK_SECONDS = 1.0


class Handle(Generic[T]):
    """A workflow that was started, or found."""

    def __init__(self, engine: Engine, id: str, definition: Definition[..., T] | None, created: bool) -> None:
        self._engine = engine
        self._definition = definition
        self.id = id
        self.created = created
        """Did the call that gave this handle start the workflow?"""

    async def summary(self) -> Summary:
        """The workflow as it stands."""
        return await self._engine.summary(self.id)

    async def finished(self) -> Summary:
        """Wait until the workflow has finished, whichever way and in whichever process."""
        return await self._engine._until_finished(self.id)

    async def result(self) -> T:
        """Wait for what the body returned.

        Raises:
            WorkflowFailed: it failed; `failure` has type, message and traceback.
            WorkflowCancelled: a person cancelled it.
        """
        await self.finished()
        details = await self._engine.get(self.id)
        match details.summary.state.name:
            case "failed":
                raise WorkflowFailed(self.id, details.failure)
            case "cancelled":
                raise WorkflowCancelled(self.id)
        if self._definition is None:
            value: Any = details.result
        else:
            returns: Any = self._definition.returns
            about = f"the result of workflow {self.id!r}"
            value = lift(details.result, returns, about=about)
        result: T = value
        return result


class Engine:
    """A store, what it can run, and the worker that runs it. Made by `Engine.open`."""

    def __init__(self, durable: Durable, registry: Registry, clock: Clock, path: Path | None = None) -> None:
        self.durable = durable
        self.registry = registry
        self.path = path
        self._clock = clock
        self._worker: Worker | None = None

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        path: str | Path | None = None,
        definitions: Iterable[Definition[..., Any]] = (),
        *,
        work: bool = True,
        clock: Clock | None = None,
        concurrency: int = 256,
        threads: int = 16,
        command: str = "",
    ) -> AsyncGenerator[Engine]:
        """Open the file and, unless `work` is False, carry out what is ready in it.

        At the end what runs is parked, never cancelled; a step that does not let go within five seconds is
        left to its thread, and carried out again by whoever comes after this process.

        Args:
            path: the file; the per-user file (`stepfast.paths`) by default.
            definitions: what this program can run.
            work: False for a program that only starts, looks and asks.
            clock: where the time comes from.
            concurrency: how many workflows run at once.
            threads: how many plain steps run at once.
            command: what would start a program like this one, for others to show.

        Raises:
            StoreError: the file cannot be used; the message says what to do.
            DefinitionError: two definitions have one name and version.
        """
        registry = Registry(definitions)
        clock = clock or SystemClock()
        durable = await connect(default_file() if path is None else path, clock=clock)
        engine = cls(durable, registry, clock, durable.path)
        let_go = True
        try:
            if not work:
                yield engine
                return
            worker = Worker(
                durable, registry, clock=clock, concurrency=concurrency, threads=threads, command=command
            )
            engine._worker = worker
            working = asyncio.create_task(worker.run(), name="stepfast worker")
            try:
                yield engine
            finally:
                let_go = await worker.stop(PATIENCE)
                await working
        finally:
            await durable.close(keep_alive=not let_go)

    # --- starting ---------------------------------------------------------------------------------

    async def start(
        self,
        request: Request[T],
        *,
        id: str | None = None,
        at: datetime | timedelta | None = None,
        priority: int = 0,
        join: bool = False,
    ) -> Handle[T]:
        """Start a workflow, or find the one that is there.

        Args:
            request: what calling a definition gives.
            id: makes the call idempotent; a random one by default.
            at: not before this moment (aware), or this long from now.
            priority: higher goes first among what is ready.
            join: give a pending workflow of the same definition, version and input, where there is one.

        Raises:
            AlreadyStarted: the id belongs to a workflow with another definition, version or input.
        """
        definition = request.definition
        started = await self.durable.start(
            id if id is not None else _new_id(definition.name),
            definition.name,
            definition.version,
            request.text,
            at=self._moment(at),
            priority=priority,
            join=join,
        )
        return Handle(self, started.id, definition, started.created)

    def handle(self, id: str) -> Handle[Any]:
        """A handle for a workflow that is there already; nothing is looked up yet."""
        return Handle(self, id, None, created=False)

    def _moment(self, at: datetime | timedelta | None) -> float | None:
        match at:
            case None:
                return None
            case timedelta():
                return self._clock.time() + at.total_seconds()
            case _ if at.tzinfo is None:
                raise InvalidInput("a start time needs a time zone, for instance datetime.now().astimezone()")
            case _:
                return at.timestamp()

    # --- what comes from outside ------------------------------------------------------------------

    async def arrive(self, id: str, name: str, value: object) -> object:
        """Answer `run.awaiting(name)`; the first answer wins, and is what every caller gets back.

        Raises `UnknownWorkflow`, `AlreadyFinished`, or `UnstorableValue`.
        """
        text = await self.durable.arrive(id, name, codec.encode(value, about=f"the answer {name!r}"))
        return codec.decode(text)

    async def deliver(self, id: str, value: object) -> None:
        """Append a message for `run.receive`; raises as `arrive` does."""
        await self.durable.deliver(id, codec.encode(value, about="the message"))

    async def pause(self, id: str) -> str:
        """Ask a workflow to stop for now; returns its state, "running" while it is being stopped."""
        return await self.durable.pause(id)

    async def resume(self, id: str) -> str:
        """Let a paused workflow go on."""
        return await self.durable.resume(id)

    async def cancel(self, id: str) -> str:
        """End a workflow for good; returns its state, "running" while it is being stopped."""
        return await self.durable.cancel(id)

    async def retry(self, id: str) -> str:
        """Let a failed or cancelled workflow go on from where it ended; the step that failed runs again."""
        return await self.durable.retry(id)

    async def delete(self, id: str) -> None:
        """Remove a workflow and everything kept of it; files that it made stay."""
        summary = await self.summary(id)
        try:
            forget = self.registry.find(summary.name, summary.version).forget
        except UnknownDefinition:
            forget = None
        await self.durable.delete(id, forget)

    async def remove(self, ids: Sequence[str]) -> list[str]:
        """Hide finished workflows from lists; returns the ids that were hidden. What is pending stays."""
        return await self.durable.remove(ids)

    async def restore(self, ids: Sequence[str]) -> list[str]:
        """Take `remove` back."""
        return await self.durable.restore(ids)

    # --- looking ----------------------------------------------------------------------------------

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

    async def keys(
        self,
        *,
        states: Iterable[str] = (),
        text: str = "",
        order: str = "pending",
        descending: bool = False,
    ) -> array[int]:
        """The keys of all workflows that match, in one of `views.ORDERS`: what a table that scrolls holds."""
        catalogue = self.durable.catalogue
        return await catalogue.keys(states=states, text=text, order=order, descending=descending)

    async def rows(self, keys: Sequence[int]) -> list[Summary]:
        """The rows of some keys, in that order, without those that are gone."""
        return await self.durable.catalogue.rows(keys)

    async def until_idle(self) -> None:
        """Wait until nothing runs here and nothing that this engine can run is ready."""
        if self._worker is not None:
            await self._worker.until_idle()

    async def _until_finished(self, id: str) -> Summary:
        changed = asyncio.Event()
        key = (await self.summary(id)).key

        def hear(signal: Signal) -> None:
            if signal.keys is None or key in signal.keys:
                changed.set()

        stop_listening = self.durable.listen(hear)
        try:
            while True:
                changed.clear()
                summary = await self.summary(id)
                if summary.state.name in FINISHED:
                    return summary
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_SECONDS):
                        await changed.wait()
        finally:
            stop_listening()

    # Last, since below it `list` in an annotation would name this method.
    async def list(
        self, *, states: Iterable[str] = (), text: str = "", limit: int = 100, before: int | None = None
    ) -> list[Summary]:
        """A page of workflows, newest first.

        Args:
            states: only these; all by default.
            text: only where id or name contains it.
            limit: how many at most.
            before: the `key` of the last row of the page before.
        """
        return await self.durable.catalogue.list(states=states, text=text, limit=limit, before=before)


async def run_durably(request: Request[T], *, id: str, path: str | Path | None = None) -> T:
    """Start or carry on one workflow, work until it has finished, and return its result.

    Called again with the same id after a crash, it goes on where it was; after the end, it returns the
    result at once.

    Args:
        request: what calling a definition gives.
        id: names the workflow in the file.
        path: the file; the per-user file by default.

    Raises:
        WorkflowFailed, WorkflowCancelled: as `Handle.result`.
        AlreadyStarted: the id belongs to a workflow with another definition, version or input.
    """
    async with Engine.open(path, [request.definition]) as engine:
        return await (await engine.start(request, id=id)).result()


def _new_id(name: str) -> str:
    return f"{name}-{uuid.uuid4().hex[:8]}"
