"""The worker: takes what is ready, has a pass made, settles it. It knows storage and nothing of tasks.

It sleeps until something happens: a commit, of this process or of another that rang, made something ready
or woke what it runs; a timer is due; or it is time to look whether an owner has died.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import math
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from types import MappingProxyType
from typing import Any, assert_never

from stepfast.attempt import Attempt
from stepfast.clock import LONGEST_WAIT, Clock, SystemClock
from stepfast.definition import Definition, Registry
from stepfast.errors import (
    Abandoned,
    Fenced,
    Newer,
    SecretError,
    SecretLost,
    StoreClosed,
    StoreError,
    WorkflowTimedOut,
)
from stepfast.holding import Holder
from stepfast.interfaces import Begun, Checkpoint, Claim, Durable, Offered, Settlement, Signal
from stepfast.keeping import Keeping
from stepfast.outcome import Completed, Failed, Halted, Outcome, Suspended, failure_of
from stepfast.parameters import schema
from stepfast.processes import Processes
from stepfast.state import InterruptWait, SleepWait
from stepfast.threads import Threads
from stepfast.tidying import TidyingCheckpointer, own

__all__ = ["Worker", "work"]

logger = logging.getLogger("stepfast")

FAULT_PAUSE = 1.0
# The net under the doorbells.
POLL_SECONDS = 30.0
# After the store failed under a pass, another one is owed, but not before the disk had time to recover.
STORE_PAUSE = timedelta(seconds=5)
# A password store that is locked may be opened by then.
SECRET_PAUSE = timedelta(minutes=1)
# Of the loop, from a claim to the first line of the body.
TURNS_TO_BODY = 2
SETTLE_PAUSES = (0.2, 1.0, 5.0)
NO_QUEUES: Mapping[str, int] = MappingProxyType({})


class _Active:
    """A workflow that this worker holds: its pass, and the file's numbers as the pass knows them."""

    def __init__(self, begun: Begun, attempt: Attempt) -> None:
        self.begun = begun
        self.attempt = attempt
        self.deadline = math.inf
        self.timeout = 0.0
        self.receipt = begun.receipt
        self.intent: str | None = None


class Worker:
    """Runs the workflows of `registry` that are ready in `durable`, until it is stopped.

    Args:
        durable: the store.
        registry: what it can run; nothing else is taken.
        clock: the store's clock.
        concurrency: how many workflows at once.
        threads: how many steps on threads at once.
        processes: how many steps in processes at once; None for one a processor, and at least 2.
        command: what would start a program like this one; shown where nobody alive can run something.
        queues: how many workflows of a queue run at once; of one that is not here, any number.
        keeping: where the secrets of inputs are. Without a keeper, nothing that has secrets is taken.
    """

    def __init__(
        self,
        durable: Durable,
        registry: Registry,
        *,
        clock: Clock | None = None,
        concurrency: int = 256,
        threads: int = 16,
        processes: int | None = None,
        command: str = "",
        queues: Mapping[str, int] = NO_QUEUES,
        keeping: Keeping | None = None,
    ) -> None:
        self._keeping = Keeping(durable, None) if keeping is None else keeping
        self._durable = durable
        self._registry = registry
        self._clock = clock or SystemClock()
        self._concurrency = concurrency
        self._threads: Threads[None] = Threads("stepfast-step", threads, prepare=lambda: None)
        self._processes = Processes(processes)
        self._command = command
        self._holder = Holder(durable.health, self._clock)
        # Once for each name and version, though two definitions may both be able to continue an old one.
        self._offered = [
            Offered(
                name,
                version,
                each.title,
                json.dumps(schema(each.parameters)),
                forgets=_is_forgotten(each),
                tidies=each.cleanup is not None,
                at_once=each.at_once,
                queue=each.queue,
                queue_at_once=None if each.queue is None else queues.get(each.queue),
            )
            for name, version in dict.fromkeys(registry.offers)
            for each in (registry.find(name, version),)
            if self._keeping.possible or not each.secrets
        ]
        if not self._keeping.possible and registry.secretive:
            names = ", ".join(sorted({name for name, _ in registry.secretive}))
            logger.warning("not carried out here, for want of a keeper of secrets: %s", names)
        self._introduced = False
        self._complained = ""
        self._passes: set[asyncio.Task[None]] = set()
        self._newest: dict[int, asyncio.Task[None]] = {}
        self._active: dict[int, _Active] = {}
        # Begun, and their checkpoint is being loaded; what is heard of one meanwhile is looked up after it.
        self._loading: dict[int, Begun] = {}
        self._heard_early: set[int] = set()
        self._event = asyncio.Event()
        self._ready = True
        self._refresh = True
        self._stopping = False
        self._asked_to_stop = asyncio.Event()
        self._next_due: float | None = None
        self._looked = self._polled = self._beaten = self._clock.monotonic()
        self._idle = asyncio.Event()
        self._ended = asyncio.Event()
        self._ended.set()

    async def run(self) -> None:
        """Work until `stop`. What fails in the store is logged and tried again."""
        stop_listening = self._durable.listen(self._hear)
        self._ended.clear()
        try:
            await self._step(self._durable.takeover())
            while True:
                self._event.clear()
                await self._step(self._turn())
                if self._stopping:
                    return
                if not self._can_take:
                    await self._clock.wait(self._event, self._seconds_to_wait())
        finally:
            stop_listening()
            self._ended.set()

    async def until_idle(self) -> None:
        """Return once nothing runs here and nothing that this worker can run is ready."""
        await self._idle.wait()

    async def stop(self, patience: timedelta) -> bool:
        """Park what runs; returns False where a step did not let go within `patience`.

        The claims of those stay: their steps still run, so nobody else may run them yet.
        """
        self._stopping = True
        self._asked_to_stop.set()
        self._holder.end()
        self._event.set()
        for active in self._active.values():
            active.attempt.stop("park")
        with suppress(TimeoutError):
            async with asyncio.timeout(patience.total_seconds()):
                # What it is about to begin, it hands over first.
                await self._ended.wait()
                while self._passes:
                    await asyncio.wait(self._passes)
        stuck = set(self._passes)
        for each in stuck:
            each.cancel()
        if stuck:
            logger.warning("%d workflows were still in a step when the program ended", len(stuck))
            await asyncio.wait(stuck)
        self._threads.close()
        return not stuck

    # --- the loop ---------------------------------------------------------------------------------

    @property
    def _can_take(self) -> bool:
        return self._ready and self._room > 0 and not self._durable.health.stops_work

    @property
    def _room(self) -> int:
        return self._concurrency - len(self._passes)

    def _hear(self, signal: Signal) -> None:
        if signal.condition:
            self._holder.look()
            self._event.set()
            return
        if signal.ready:
            self._ready = True
            self._idle.clear()
        told = None if signal.keys is None else signal.keys - signal.begun
        if self._loading:
            self._heard_early |= self._loading.keys() & (self._loading if told is None else told)
        if told is None or not self._active.keys().isdisjoint(told):
            self._refresh = True
        if self._ready or self._refresh:
            self._event.set()

    async def _step(self, part: Any) -> None:
        """Await a part of the loop; an error of the environment costs a pause, not the worker."""
        try:
            await part
            self._complained = ""
        except StoreError as error:
            if self._durable.health.stops_work:
                self._ready = self._refresh = True  # once it does not; it is said there
                return
            if str(error) != self._complained:  # once, and not each time that it is tried again
                logger.error("the store cannot be used at the moment: %s", error)
                self._complained = str(error)
            await self._pause()
        except Exception:
            logger.exception("a fault of Stepfast's in the worker, please report it; the worker goes on")
            await self._pause()

    async def _pause(self) -> None:
        self._ready = self._refresh = True
        # Nobody who closes the engine waits for it: on a clock that stands still, that would be for ever.
        await self._clock.wait(self._asked_to_stop, FAULT_PAUSE)

    async def _turn(self) -> None:
        if self._durable.health.stops_work:
            # Nothing is taken, and what runs keeps what it has. The store finds out when that is over.
            self._ready = self._refresh = True
            await self._beat()
            return
        if not self._introduced:
            await self._durable.offer(self._offered, self._command)
            self._introduced = True
        now = self._clock.monotonic()
        if now - self._looked >= self._durable.look_every:
            self._looked = now
            await self._durable.takeover()
        if now - self._polled >= POLL_SECONDS:
            self._polled = now
            await self._durable.poll()
        await self._beat()
        if self._next_due is not None and self._next_due <= self._clock.time():
            self._next_due, self._ready = None, True
            if not self._room:
                # Nothing can be taken; but a schedule that is due is started now, or it would be missed.
                await self._durable.begin(self._offered, 0)
                self._refresh = True
        if self._ready:
            await self._take()
            for _ in range(TURNS_TO_BODY):
                await asyncio.sleep(0)  # what was taken first: its body is on its way
        if self._refresh:
            await self._look()
        for active in self._active.values():
            if active.deadline <= self._clock.time():
                active.attempt.fail(WorkflowTimedOut(active.timeout))
            else:
                active.attempt.wake_sleepers()
        if not self._passes and not self._ready:
            self._idle.set()

    async def _beat(self) -> None:
        """Show that this engine lives, if it can do nothing else; what could not be written is still owed."""
        if self._passes and self._clock.monotonic() - self._beaten >= self._durable.beat_every:
            await self._durable.beat()
            self._beaten = self._clock.monotonic()

    async def _take(self) -> None:
        room = self._room
        if not room:
            return
        self._ready = False
        self._idle.clear()
        begun = await self._durable.begin(self._offered, room)
        for each in begun:
            if self._stopping:
                await self._settle(each, each.receipt, Settlement("queued"))
            else:
                self._start(each)
        if len(begun) == room:
            self._ready = True  # there may be more, for whoever ends first
        self._refresh = True  # for the next timer

    async def _look(self) -> None:
        """Pass on what the file has for the workflows held here, and note when the next timer is due."""
        self._refresh = False
        look = await self._durable.look()
        self._next_due = look.next_due
        for held in look.held:
            loading = self._loading.get(held.workflow)
            if loading is not None and (held.intent is not None or held.receipt != loading.receipt):
                self._heard_early.add(held.workflow)
            active = self._active.get(held.workflow)
            if active is None or active.begun.claim.token != held.token:
                continue
            if held.intent is not None and held.intent != active.intent:
                active.intent = held.intent
                active.attempt.stop(held.intent)
            if held.receipt != active.receipt and await active.attempt.absorb():
                # Only what the pass has taken up is answered for; anything else leads to another pass.
                active.receipt = held.receipt
        tokens = {each.workflow: each.token for each in look.held}
        for active in list(self._active.values()):
            claim = active.begun.claim
            if tokens.get(claim.workflow) != claim.token:
                active.attempt.abort(Fenced(f"workflow {claim.id!r} is not held here any more"))

    def _seconds_to_wait(self) -> float:
        monotonic, now = self._clock.monotonic(), self._clock.time()
        if self._durable.health.stops_work:
            beat_in = self._beaten + self._durable.beat_every - monotonic
            return max(FAULT_PAUSE, beat_in) if self._passes else LONGEST_WAIT
        waits = [self._looked + self._durable.look_every - monotonic, self._polled + POLL_SECONDS - monotonic]
        if self._passes:
            waits.append(self._beaten + self._durable.beat_every - monotonic)
        if self._next_due is not None:
            waits.append(self._next_due - now)
        waits.extend(
            wait.until.timestamp() - now
            for active in self._active.values()
            for wait in active.attempt.waits
            if isinstance(wait, SleepWait)
        )
        waits.extend(active.deadline - now for active in self._active.values())
        return max(0.0, min(waits))

    # --- one workflow -----------------------------------------------------------------------------

    def _start(self, begun: Begun) -> None:
        workflow = begun.claim.workflow
        before = self._newest.get(workflow)
        if before is None:
            self._loading[workflow] = begun
        task = asyncio.create_task(self._advance(begun, before), name=f"stepfast {begun.claim.id}")
        self._passes.add(task)
        self._newest[workflow] = task
        task.add_done_callback(partial(self._pass_ended, workflow))

    def _pass_ended(self, workflow: int, task: asyncio.Task[None]) -> None:
        self._passes.discard(task)
        if self._newest.get(workflow) is task:
            del self._newest[workflow]
        self._event.set()

    async def _advance(self, begun: Begun, before: asyncio.Task[None] | None) -> None:
        """Take one workflow from its claim to its settlement; nothing that goes wrong leaves it stranded.

        `before`: an earlier pass of it, which was fenced and has not let go of its step: no step runs beside
        itself.
        """
        claim = begun.claim
        if before is not None:
            await asyncio.wait({before})
            self._loading[claim.workflow] = begun
            self._refresh = True  # what was heard meanwhile was heard by nobody
            self._event.set()
        try:
            try:
                receipt, settlement = await self._attempt(begun)
            except Exception as error:
                logger.exception("a fault of Stepfast's in a pass of workflow %s, please report it", claim.id)
                receipt, settlement = begun.receipt, Settlement("failed", failure=failure_of(error))
            finally:
                self._loading.pop(claim.workflow, None)
                self._active.pop(claim.workflow, None)
            try:
                await self._settle(begun, receipt, settlement)
            except (Fenced, StoreError):
                raise
            except Exception as error:
                logger.exception("a fault of Stepfast's: workflow %s cannot be settled as it is", claim.id)
                await self._settle(begun, receipt, Settlement("failed", failure=failure_of(error)))
        except Fenced:
            logger.info("workflow %s is held by somebody else now", claim.id)
        except StoreError as error:
            logger.log(self._level, "workflow %s stays claimed until this program ends: %s", claim.id, error)

    async def _attempt(self, begun: Begun) -> tuple[int, Settlement]:
        claim = begun.claim
        receipt = begun.receipt
        try:
            definition = self._registry.find(begun.name, begun.version)
            arguments = definition.bind(begun.input)
            arguments, veil = await self._keeping.reveal(claim.id, definition, arguments)
        except SecretLost as error:
            return receipt, Settlement("failed", failure=failure_of(error))
        except SecretError as error:
            logger.warning("%s; it is tried again in a while", error)
            due = self._clock.time() + SECRET_PAUSE.total_seconds()
            return receipt, Settlement("sleeping", due=due)
        except Exception as error:
            return receipt, Settlement("failed", failure=failure_of(error))
        returns = definition.returns
        body: Callable[[Any], Coroutine[Any, Any, object]] = partial(_body, definition, arguments)
        checkpointer = self._durable.checkpointer
        timeout = math.inf if definition.timeout is None else definition.timeout.total_seconds()
        if begun.cleanup:
            if definition.cleanup is None:
                return receipt, Settlement("tidied")
            body, returns = partial(_cleanup, definition.cleanup, arguments), None
            checkpointer, timeout = TidyingCheckpointer(checkpointer), math.inf
        deadline = begun.since + timeout
        if deadline <= self._clock.time():
            return receipt, Settlement("failed", failure=failure_of(WorkflowTimedOut(timeout)))
        active: _Active | None = None
        try:
            checkpoint = begun.checkpoint or await self._load(claim)
            if begun.cleanup:
                checkpoint = own(checkpoint)
            attempt = Attempt(
                claim,
                checkpointer,
                checkpoint,
                self._threads,
                self._clock,
                self._holder.again,
                veil,
                self._processes,
            )
            active = self._active[claim.workflow] = _Active(begun, attempt)
            active.deadline, active.timeout = deadline, timeout
            if deadline < math.inf:
                self._event.set()
            self._loading.pop(claim.workflow, None)
            if claim.workflow in self._heard_early:
                self._heard_early.discard(claim.workflow)
                self._refresh = True
                self._event.set()
            if self._stopping:
                attempt.stop("park")
            outcome = await attempt.make(body, returns, definition.retry)
        except (Abandoned, StoreError) as error:
            logger.log(self._level, "the store failed under workflow %s: %s", claim.id, error)
            due = self._clock.time() + STORE_PAUSE.total_seconds()
            return receipt, Settlement("sleeping", due=due)
        if begun.cleanup and isinstance(outcome, Completed):
            return active.receipt, Settlement("tidied")
        return active.receipt, _settlement(outcome, deadline)

    async def _load(self, claim: Claim) -> Checkpoint:
        while True:
            try:
                return await self._durable.checkpointer.load(claim.workflow)
            except StoreError as error:
                if not (self._durable.health.stops_work and await self._holder.again(error)):
                    raise

    @property
    def _level(self) -> int:
        """For what follows from a condition, which is logged once and not for each workflow."""
        return logging.INFO if self._durable.health.stops_work else logging.ERROR

    async def _settle(self, begun: Begun, receipt: int, settlement: Settlement) -> None:
        pauses = iter(SETTLE_PAUSES)
        while True:
            try:
                state = await self._durable.settle(begun.claim, receipt, settlement)
            except StoreError as error:
                if self._stopping or isinstance(error, Newer | StoreClosed):
                    raise
                if await self._holder.again(error):
                    continue
                logger.error("workflow %s cannot be settled yet: %s", begun.claim.id, error)
                pause = next(pauses, SETTLE_PAUSES[-1])
                await self._clock.wait(asyncio.Event(), pause)
                continue
            logger.info("workflow %s is %s", begun.claim.id, state)
            return


def _is_forgotten(definition: Definition[..., Any]) -> bool:
    """Does more than its rows go with a workflow of it? Then only who has the definition may delete one."""
    return definition.forget is not None or bool(definition.secrets)


async def _body(definition: Definition[Any, Any], arguments: dict[str, object], run: Any) -> object:
    return await definition.body(run, **arguments)


async def _cleanup(cleanup: Any, arguments: dict[str, object], run: Any) -> None:
    wanted = [*inspect.signature(cleanup).parameters][1:]
    await cleanup(run, **{name: arguments[name] for name in wanted})


def _settlement(outcome: Outcome, deadline: float) -> Settlement:
    match outcome:
        case Completed(_, text, problems):
            return Settlement("completed", result=text, problems=problems)
        case Failed(failure, problems):
            return Settlement("failed", failure=failure, problems=problems)
        case Suspended(waits):
            moments = [each.until.timestamp() for each in waits if isinstance(each, SleepWait)]
            if any(isinstance(each, InterruptWait) for each in waits):
                return Settlement("blocked", waits=waits)
            state = "sleeping" if len(moments) == len(waits) else "waiting"
            if deadline < math.inf:
                moments.append(deadline)
            return Settlement(state, due=min(moments, default=None), waits=waits)
        case Halted(why):
            return Settlement({"pause": "paused", "cancel": "cancelled", "park": "queued"}[why])
        case _:
            assert_never(outcome)


async def work(
    durable: Durable, definitions: Sequence[Definition[..., Any]], *, clock: Clock | None = None
) -> None:
    """Run a worker until this is cancelled, then park what runs (five seconds at most).

    The lower-level form of `Engine`: the store is the caller's, and stays open.
    """
    worker = Worker(durable, Registry(definitions), clock=clock)
    try:
        await worker.run()
    finally:
        await worker.stop(timedelta(seconds=5))
