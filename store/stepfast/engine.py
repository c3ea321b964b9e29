"""`Engine`: what a program uses. It composes a store, a registry and a worker, and decides nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from stepfast.adjusting import Adjustable
from stepfast.asking import Asking
from stepfast.definitions.definition import Definition, Registry, Request
from stepfast.errors import (
    AlreadyStarted,
    InvalidInput,
    OutcomeUnknown,
    UnknownDefinition,
)
from stepfast.finishing import Finishing
from stepfast.handle import Handle
from stepfast.health import Health
from stepfast.ids import random_ends
from stepfast.interfaces import Durable, Kind, NewSchedule
from stepfast.processes.entry import check_not_loading
from stepfast.retention import Retention, Swept
from stepfast.secrets import SecretKeeper
from stepfast.sqlite.durable import SqliteDurable, connect
from stepfast.sqlite.file.opened import was_just_restored
from stepfast.system.clock import Clock, SystemClock
from stepfast.system.paths import default_file
from stepfast.workers.housekeeping import Housekeeping
from stepfast.workers.keeping import Keeping
from stepfast.workers.limits import check_limit, check_limits
from stepfast.workers.worker import NO_QUEUES, Worker

if TYPE_CHECKING:
    from stepfast.schedules import Rule

__all__ = ["Engine", "Handle"]

T = TypeVar("T")

PATIENCE = timedelta(seconds=5)


class Engine(Adjustable, Asking):
    """A store, what it can run, and the worker that runs it. Made by `Engine.open`."""

    def __init__(
        self,
        durable: Durable,
        registry: Registry,
        clock: Clock,
        path: Path | None = None,
        retention: Retention | None = None,
        secrets: SecretKeeper | None = None,
    ) -> None:
        super().__init__(durable, clock)
        self._keeping = Keeping(durable, secrets)
        self.registry = registry
        self.path = path
        self.retention = Retention() if retention is None else retention
        self._clock = clock
        self._ends = random_ends()
        self._parking: asyncio.Task[bool] | None = None
        self._finishing = Finishing(durable, self._attending.begin)

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
        processes: int | None = None,
        command: str = "",
        retention: Retention | None = None,
        backups: bool = True,
        queues: Mapping[str, int] = NO_QUEUES,
        secrets: SecretKeeper | None = None,
    ) -> AsyncGenerator[Engine]:
        """Open the file and, unless `work` is False, carry out what is ready in it.

        At the end what runs is parked, never cancelled; a step that does not let go within five seconds is
        left to its thread, and carried out again by whoever comes after this process.

        Args:
            path: the file; the per-user file (`stepfast.system.paths`) by default.
            definitions: what this program can run.
            work: False for a program that only starts, looks and asks.
            clock: where the time comes from.
            concurrency: how many workflows run at once.
            threads: how many plain steps run at once.
            processes: how many steps run in processes at once; one a processor by default, and at least 2.
            command: what would start a program like this one, for others to show.
            retention: which finished workflows are deleted, while this works; by default only what a person
                removed a day ago.
            backups: copy the file once a day into `<path>-backups/`, where the newest few are kept; False for
                a program that sees to that itself, or whose workflows nobody would miss.
            queues: how many workflows of a queue (`@workflow(..., queue="disk")`) run at once, in all
                processes on the file together. Each program keeps to the limits that it was given.
            secrets: where the text of each `Secret` input is kept, which is nowhere in the file. Without it,
                workflows that have such inputs are neither started nor carried out here.

        Raises:
            InvalidInput: a limit (of a queue, `concurrency`, ...) is no whole number from 1 up.
            StoreError: the file cannot be used; the message says what to do.
            DefinitionError: two definitions have one name and version; or the process of a step has imported
                this main module, which does its work without asking for its `__name__`.
        """
        check_not_loading()
        # What is wrong with these is told before there is a file.
        definitions = [*Registry(definitions)]
        check_limits(queues)
        _check_numbers(concurrency, threads, processes)
        clock = clock or SystemClock()
        durable = await connect(default_file() if path is None else path, clock=clock, backups=backups)
        async with cls.over(
            durable,
            definitions,
            work=work,
            clock=clock,
            concurrency=concurrency,
            threads=threads,
            processes=processes,
            command=command,
            retention=retention,
            secrets=secrets,
            queues=queues,
        ) as engine:
            yield engine

    @classmethod
    @asynccontextmanager
    async def over(
        cls,
        durable: Durable,
        definitions: Iterable[Definition[..., Any]] = (),
        *,
        work: bool = True,
        clock: Clock | None = None,
        concurrency: int = 256,
        threads: int = 16,
        processes: int | None = None,
        command: str = "",
        retention: Retention | None = None,
        secrets: SecretKeeper | None = None,
        queues: Mapping[str, int] = NO_QUEUES,
    ) -> AsyncGenerator[Engine]:
        """As `open`, over a store that is open already, and is closed at the end.

        For stores of one's own, and for tests over a `MemoryDurable`. `clock` is the one that the store has.
        """
        clock = clock or SystemClock()
        path = durable.path if isinstance(durable, SqliteDurable) else None
        let_go = True
        try:
            registry = Registry(definitions)
            check_limits(queues)
            _check_numbers(concurrency, threads, processes)
            engine = cls(durable, registry, clock, path, retention, secrets)
            if not work:
                try:
                    yield engine
                finally:
                    await engine._attending.end()
                return
            await engine._attending.end()  # the worker does
            worker = Worker(
                durable,
                registry,
                clock=clock,
                concurrency=concurrency,
                threads=threads,
                processes=processes,
                command=command,
                queues=queues,
                keeping=engine._keeping,
            )
            engine._worker = worker
            working = asyncio.create_task(worker.run(), name="stepfast worker")
            engine._house = engine._housekeeping()
            keeping = asyncio.create_task(engine._house.run(), name="stepfast housekeeping")
            try:
                yield engine
            finally:
                keeping.cancel()
                let_go = await engine.park()
                await working
                await asyncio.wait({keeping})
        finally:
            await durable.close(keep_alive=not let_go)

    @property
    def health(self) -> Health:
        """What is wrong with the file or its disk at this moment, and whether that stops the work.

        Whoever follows (`listen`) is told whenever it changes. See docs/faults.md.
        """
        return self.durable.health

    # --- copies -----------------------------------------------------------------------------------

    async def backup(self, target: str | Path | None = None) -> Path:
        """Copy the file as it is now to `target`, or into that folder; else beside the automatic backups.

        Returns where the copy is.

        Writers go on meanwhile. The copy is one file, there whole and checked or not at all; opening it, or
        putting it in the place of the first (`stepfast.restore`), goes on from that moment.

        Raises:
            InvalidInput: there is something at `target`, or this engine's workflows are in no file.
            StoreError: the file is damaged, or the copy cannot be written; the message says which.
        """
        if not isinstance(self.durable, SqliteDurable):
            raise InvalidInput("these workflows are in no file, so there is nothing to be copied")
        return await self.durable.backup(target)

    async def export(self, target: str | Path) -> int:
        """Write every workflow, with what is recorded of it, as a line of JSON; returns how many there are.

        Raises `InvalidInput` where there is something at `target`, and `StoreError`.
        """
        from stepfast.exporting import export_to

        return await export_to(self.durable.catalogue, Path(target))

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
            InvalidInput: the id, the moment or the priority can be none.
            SecretError: the input has a secret, and this engine has no keeper, or one that cannot keep it.
        """
        if not isinstance(request, Request):
            from stepfast.definitions.handed import no_request

            raise no_request(request, "start")
        if type(priority) is not int:
            raise InvalidInput(f"the priority {priority!r} is no whole number")
        definition = request.definition
        due = self._moment(at)
        while True:
            chosen = id if id is not None else self._new_id(definition.name)
            kept = await self._keeping.keep(chosen, request) if definition.secrets else None
            try:
                started = await self.durable.start(
                    chosen,
                    definition.name,
                    definition.version,
                    request.text,
                    at=due,
                    priority=priority,
                    join=join,
                )
            except AlreadyStarted:
                await self._keeping.take_back(kept)
                if id is not None:
                    raise
                continue
            except OutcomeUnknown:
                raise  # it may be there, and need them
            except Exception:
                await self._keeping.take_back(kept)
                raise
            if started.id != chosen:
                await self._keeping.take_back(kept)
                if not await self._keeping.same(kept, started.id):
                    join = False
                    continue
            if id is not None or join or started.created:
                return Handle(self, started.id, definition, started.created, started.key)

    def _new_id(self, name: str) -> str:
        return f"{name}-{next(self._ends)}"

    def handle(self, id: str) -> Handle[Any]:
        """A handle for a workflow that is there already; nothing is looked up yet."""
        return Handle(self, id, None, created=False)

    def _moment(self, at: datetime | timedelta | None) -> float | None:
        match at:
            case None:
                return None
            case timedelta():
                return self._clock.time() + at.total_seconds()
            case datetime() if at.tzinfo is not None:
                return at.timestamp()
            case datetime():
                raise InvalidInput("a start time needs a time zone, for instance datetime.now().astimezone()")
        raise InvalidInput(f"{at!r} is no start time; it is an aware datetime, or a timedelta from now")

    # --- again and again --------------------------------------------------------------------------

    async def schedule(
        self, name: str, request: Request[Any], rule: Rule, *, missed: str = "once"
    ) -> datetime:
        """Have a workflow started again and again, by whichever engine on the file is at work then.

        Kept in the file, so once is enough; asked again, as at each launch, it changes what is different. The
        next run stays where it was unless the rule changes, and one that was switched off stays off. Each run
        is a workflow of its own, whose id is `<name>@<moment in UTC>`; a run that is not through when the
        next is due runs beside it, unless the definition says `at_once=1`.

        Args:
            name: of the schedule; made as a definition's name.
            request: what is started.
            rule: `Every(interval)`, `Daily(at)` or `Weekly(days, at)`.
            missed: of runs for which no engine was at work: "once" makes up for them with a single one, as
                soon as an engine is; "skip" waits for the next. A run up to five minutes late is not missed.

        Returns:
            when the next run is due; or would be, if it were on.

        Raises:
            InvalidInput: the name, the rule or `missed` will not do.
        """
        from stepfast.schedules import check_schedule, rule_text

        check_schedule(name, missed)
        if not isinstance(request, Request):
            from stepfast.definitions.handed import no_request

            raise no_request(request, "schedule")
        definition = request.definition
        if request.secrets:
            raise InvalidInput(f"{definition.name!r} has secrets among its inputs, which no schedule keeps")
        new = NewSchedule(name, definition.name, definition.version, request.text, rule_text(rule), missed)
        return datetime.fromtimestamp(await self.durable.schedule(new), UTC)

    async def unschedule(self, name: str) -> bool:
        """Start nothing more for a schedule; what it has started stays. Returns whether there was one."""
        return await self.durable.unschedule(name)

    async def switch_schedule(self, name: str, *, on: bool) -> bool:
        """Switch a schedule off, or on again: then it begins as one that is made now.

        Returns whether there is one. Raises `InvalidInput` where this machine cannot tell when that would be.
        """
        return await self.durable.switch_schedule(name, on)

    # --- again, otherwise, or no more --------------------------------------------------------------

    async def rerun(self, id: str, step: str, *, new_id: str | None = None) -> Handle[Any]:
        """Run a workflow again from a step on, as a new one, which begins with what was recorded before that.

        The old one stays as it was. Answers and messages that came before are there, and attempts begin anew.

        Args:
            id: of the old one, in whatever state.
            step: the name of a step that is recorded, or of the one that it is at or failed at.
            new_id: of the new one; the old one's with a random end by default.

        Raises:
            UnknownWorkflow: there is no workflow `id`.
            InvalidInput: it has no such step.
            AlreadyStarted: there is one with `new_id`.
        """
        summary = await self.summary(id)
        names = [each.name for each in await self.history(id) if each.kind == Kind.STEP]
        if step not in names and step != summary.step:
            known = ", ".join(map(repr, [*names[-20:], *filter(None, [summary.step])])) or "none"
            raise InvalidInput(f"workflow {id!r} has no step {step!r}; the last it has are {known}")
        new = self._new_id(id[:150]) if new_id is None else new_id
        secret = (summary.name, summary.version) in self.registry.secretive
        kept = await self._keeping.keep_copy(id, new) if secret else None
        try:
            started = await self.durable.rerun(id, step, new)
        except AlreadyStarted:
            raise
        except BaseException:
            await self._keeping.take_back(kept)
            raise
        return Handle(self, started.id, None, started.created, started.key)

    async def continue_anyway(self, id: str) -> int:
        """Let a workflow go on with the newest definition of its name here, though that does not accept it.

        What is recorded stays. A step whose name is another one now runs, and what is not reached is logged.

        Returns the version that it goes on with. Raises `UnknownWorkflow`, `AlreadyFinished`, `NotAllowed`
        (somebody runs it) and `UnknownDefinition` (there is none of its name here).
        """
        version = self.registry.newest((await self.summary(id)).name)
        await self.durable.reassign(id, version)
        return version

    async def delete(self, id: str) -> None:
        """Remove a workflow and everything kept of it; files that it made stay.

        Raises `NotAllowed` where its definition has a `forget`, or secrets, and this program does not have
        the definition; `SecretError` where its secrets cannot be forgotten here.
        """
        summary = await self.summary(id)
        try:
            definition = self.registry.find(summary.name, summary.version)
        except UnknownDefinition:
            await self.durable.delete(id, known=False)
        else:
            if definition.secrets:
                await self._keeping.forget(id)
            await self.durable.delete(id, definition.forget)

    async def sweep(self, retention: Retention | None = None) -> Swept:
        """Delete at once what `retention` (by default the engine's own) lets go, and give space back.

        An engine that works does this by itself, a few seconds after it was opened and then every hour; this
        is for programs that do not run for so long.
        """
        return await self._housekeeping(retention).at_once()

    def _housekeeping(self, retention: Retention | None = None) -> Housekeeping:
        retention = self.retention if retention is None else retention
        registry, path = self.registry, self.path
        return Housekeeping(
            self.durable,
            retention,
            registry.forgets,
            self._clock,
            self._keeping,
            registry.secretive,
            resting=lambda: path is not None and was_just_restored(path, self._clock.time()),
        )

    async def park(self, patience: timedelta = PATIENCE) -> bool:
        """Take nothing more, and park what runs; what `open` does at its end, for a program that shows it.

        It goes on being asked and followed until then. Called once more meanwhile, it shortens the patience.

        Args:
            patience: how long steps that run have for letting go, from now.

        Returns:
            False where a step did not. It is left to its thread, and nobody else carries it out before this
            process has ended.
        """
        if self._worker is None:
            return True
        if self._parking is None or self._parking.cancelled():
            self._parking = asyncio.create_task(self._worker.stop(patience), name="stepfast parking")
        else:
            self._worker.hurry(patience)
        return await self._parking

    async def write_bookmarks(self, patience: timedelta = timedelta(seconds=2)) -> bool:
        """Have each step that runs here set its bookmark anew, and write it with all that is not written yet.

        For the moment before the computer goes to sleep: should it not wake again, as little as possible is
        done twice. Steps learn of it by `run.bookmark.wanted`.

        Returns whether all is on disk within `patience`; what is not is written later, as ever.
        """
        return self._worker is None or await self._worker.write_notes(patience)

    @property
    def taken_over(self) -> tuple[str, ...]:
        """The ids of workflows whose engines died, and which this one took over since it was opened."""
        return () if self._worker is None else tuple(self._worker.taken_over)

    def on_takeover(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call `listener`, on the loop, when there is more in `taken_over`; what is returned ends that."""
        listeners = [] if self._worker is None else self._worker.took_over
        listeners.append(listener)
        return lambda: listeners.remove(listener) if listener in listeners else None

    async def until_idle(self) -> None:
        """Wait until nothing runs here and nothing that this engine can run is ready."""
        if self._worker is not None:
            await self._worker.until_idle()


def _check_numbers(concurrency: int, threads: int, processes: int | None) -> None:
    check_limit("workflows", concurrency)
    check_limit("threads", threads)
    check_limit("processes", processes)
