"""What a worker holds: each workflow from its claim to its settlement, and what the file says of it."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence, Set
from datetime import timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from stepfast.definitions.definition import Registry
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
from stepfast.interfaces import Begun, Checkpoint, Claim, Durable, Held, Settlement
from stepfast.late import Needed
from stepfast.passes.holding import Holder
from stepfast.secrets import NOTHING
from stepfast.state import SleepWait
from stepfast.system.clock import Clock
from stepfast.system.threads import Threads
from stepfast.workers.keeping import Keeping
from stepfast.workers.strays import Strays

if TYPE_CHECKING:
    from stepfast.passes.attempt import Attempt
    from stepfast.passes.outcome import Outcome
    from stepfast.processes.running import Processes

__all__ = ["Active", "Advancing"]

logger = logging.getLogger("stepfast")

# After the store failed under a pass, another one is owed, but not before the disk had time to recover.
STORE_PAUSE = timedelta(seconds=5)
# A password store that is locked may be opened by then.
SECRET_PAUSE = timedelta(minutes=1)
SETTLE_PAUSES = (0.2, 1.0, 5.0)


class Active:
    """A workflow that is held here: its pass, and the file's numbers as the pass knows them."""

    def __init__(self, begun: Begun, attempt: Attempt) -> None:
        self.begun = begun
        self.attempt = attempt
        self.deadline = math.inf
        self.timeout = 0.0
        self.receipt = begun.receipt
        self.intent: str | None = None


class Advancing:
    """The passes of one worker. Belongs to the loop that it was made on.

    Args:
        durable: the store.
        registry: what can be run.
        clock: the store's clock.
        keeping: where the secrets of inputs are.
        threads: where steps run.
        processes: how many steps in processes at once; None for one a processor, and at least 2.
        strays: is told which claims are known here.
        look: called where the file is to be looked at, as something may have been heard by nobody.
        wake: called where a pass has ended, or is to be woken at another moment than before.
    """

    def __init__(
        self,
        durable: Durable,
        registry: Registry,
        clock: Clock,
        keeping: Keeping,
        threads: Threads[None],
        processes: int | None,
        strays: Strays,
        *,
        look: Callable[[], None],
        wake: Callable[[], None],
    ) -> None:
        self._durable = durable
        self._registry = registry
        self._clock = clock
        self._keeping = keeping
        self._threads = threads
        self._most_processes = processes
        self._strays = strays
        self._look_soon = look
        self._wake = wake
        self._holder = Holder(durable.health, clock)
        self._hold = self._holder.again
        # By a pass: imported for the first, and looked up for none after it.
        self._needed = Needed("stepfast.passes.attempt", "stepfast.passes.settling")
        self._made_by: tuple[type[Attempt], Callable[[Outcome, float], Settlement]] | None = None
        self._passes: set[asyncio.Task[None]] = set()
        self._newest: dict[int, asyncio.Task[None]] = {}
        self._active: dict[int, Active] = {}
        # Begun, and their checkpoint is being loaded; what is heard of one meanwhile is looked up after it.
        self._loading: dict[int, Begun] = {}
        self._heard_early: set[int] = set()
        self._stopping = False

    @property
    def count(self) -> int:
        """How many workflows are held."""
        return len(self._passes)

    @property
    def active(self) -> list[Active]:
        """Those whose passes have begun and not ended."""
        return [*self._active.values()]

    async def take(self, begun: Begun) -> None:
        """Have a pass made of what was begun or, where all is to stop, hand it over."""
        if self._stopping:
            await self._settle(begun, begun.receipt, Settlement("queued"))
        else:
            self._start(begun)

    # --- what the file says ------------------------------------------------------------------------

    def hear(self, told: Set[int] | None) -> bool:
        """Something happened to the rows with these keys, or to any: is the file to be looked at for it?"""
        if self._loading:
            self._heard_early |= self._loading.keys() & (self._loading if told is None else told)
        return told is None or not self._active.keys().isdisjoint(told)

    def look_at_health(self) -> None:
        """The store's health may have changed."""
        self._holder.look()

    async def compare(self, held: Sequence[Held], before: Iterable[Active]) -> None:
        """Pass on what was asked and what came in, and end the passes whose claims are gone.

        Args:
            held: what the file has for this engine.
            before: those that were active before that was asked for; it says nothing of others.
        """
        for each in held:
            loading = self._loading.get(each.workflow)
            if loading is not None and (each.intent is not None or each.receipt != loading.receipt):
                self._heard_early.add(each.workflow)
            active = self._active.get(each.workflow)
            if active is None or active.begun.claim.token != each.token:
                continue
            if each.intent is not None and each.intent != active.intent:
                active.intent = each.intent
                active.attempt.stop(each.intent)
            if each.receipt != active.receipt and await active.attempt.absorb():
                # Only what the pass has taken up is answered for; anything else leads to another pass.
                active.receipt = each.receipt
        tokens = {each.workflow: each.token for each in held}
        for active in before:
            claim = active.begun.claim
            if tokens.get(claim.workflow) != claim.token and self._active.get(claim.workflow) is active:
                active.attempt.abort(Fenced(f"workflow {claim.id!r} is not held here any more"))

    # --- time --------------------------------------------------------------------------------------

    def wake_what_is_due(self) -> None:
        """Let sleepers go on whose moment has come, and end what has taken too long."""
        now = self._clock.time()
        for active in self._active.values():
            if active.deadline <= now:
                active.attempt.fail(WorkflowTimedOut(active.timeout))
            else:
                active.attempt.wake_sleepers()

    def moments(self) -> Iterator[float]:
        """When `wake_what_is_due` has something to do, in seconds since the epoch."""
        for active in self._active.values():
            yield active.deadline
            for wait in active.attempt.waits:
                if isinstance(wait, SleepWait):
                    yield wait.until.timestamp()

    # --- the end -----------------------------------------------------------------------------------

    async def write_notes(self, seconds: float) -> bool:
        """Have what runs set its bookmarks and write them; returns whether all did within so long."""
        attempts = [active.attempt for active in self._active.values()]
        return all(await asyncio.gather(*(each.write_notes(seconds) for each in attempts)))

    def park(self) -> None:
        """Ask what runs to stop, and hand over what comes from now on."""
        self._stopping = True
        self._holder.end()
        for active in self._active.values():
            active.attempt.stop("park")

    async def until_ended(self) -> None:
        """Wait for all passes."""
        while self._passes:
            await asyncio.wait(self._passes)

    async def leave_behind(self) -> int:
        """Wait no longer for those that have not ended; returns how many that are."""
        stuck = set(self._passes)
        for each in stuck:
            each.cancel()
        if stuck:
            logger.warning("still in a step when the program ended: %d", len(stuck))
            await asyncio.wait(stuck)
            self._passes -= stuck  # also those that were cancelled before their first line
        return len(stuck)

    # --- one workflow ------------------------------------------------------------------------------

    def _start(self, begun: Begun) -> None:
        workflow = begun.claim.workflow
        if logger.isEnabledFor(logging.DEBUG):
            logger.debug("workflow %s is claimed, by token %d", begun.claim.id, begun.claim.token)
        before = self._newest.get(workflow)
        if before is None:
            self._loading[workflow] = begun
        task = asyncio.create_task(self._advance(begun, before), name=f"stepfast {begun.claim.id}")
        self._passes.add(task)
        self._newest[workflow] = task
        self._strays.know(begun.claim)

    def _pass_ended(self, claim: Claim, task: asyncio.Task[None] | None) -> None:
        assert task is not None, "what makes passes is a task"
        self._passes.discard(task)
        self._strays.forget(claim)
        if self._newest.get(claim.workflow) is task:
            del self._newest[claim.workflow]
        self._wake()

    async def _advance(self, begun: Begun, before: asyncio.Task[None] | None) -> None:
        """Take one workflow from its claim to its settlement; nothing that goes wrong leaves it stranded.

        `before`: an earlier pass of it, which was fenced and has not let go of its step: no step runs beside
        itself.
        """
        claim = begun.claim
        try:
            if before is not None:
                await asyncio.wait({before})
                self._loading[claim.workflow] = begun
                self._look_soon()  # what was heard meanwhile was heard by nobody
            try:
                receipt, settlement = await self._attempt(begun)
            except Exception as error:
                logger.exception("a fault of Stepfast's in a pass of workflow %s, please report it", claim.id)
                receipt, settlement = begun.receipt, _failed_by(error)
            finally:
                self._loading.pop(claim.workflow, None)
                self._heard_early.discard(claim.workflow)
                self._active.pop(claim.workflow, None)
            try:
                await self._settle(begun, receipt, settlement)
            except (Fenced, StoreError):
                raise
            except Exception as error:
                logger.exception("a fault of Stepfast's: workflow %s cannot be settled as it is", claim.id)
                await self._settle(begun, receipt, _failed_by(error))
        except Fenced:
            logger.info("workflow %s is held by somebody else now", claim.id)
            self._look_soon()  # whether it is
        except StoreError as error:
            logger.log(self._level, "workflow %s cannot be settled, and stays claimed: %s", claim.id, error)
            self._strays.leave(claim)
            self._look_soon()
        finally:
            # Here, and not when the task is done, which for each would be one more call of the loop's.
            self._pass_ended(claim, asyncio.current_task())

    async def _attempt(self, begun: Begun) -> tuple[int, Settlement]:
        if self._made_by is None:
            if not await self._needed.there():
                due = self._clock.time() + STORE_PAUSE.total_seconds()
                return begun.receipt, Settlement("sleeping", due=due)
            from stepfast.passes.attempt import Attempt
            from stepfast.passes.settling import settlement_of

            self._made_by = Attempt, settlement_of
        make_attempt, settle = self._made_by
        claim = begun.claim
        receipt = begun.receipt
        try:
            definition = self._registry.find(begun.name, begun.version)
            arguments = definition.bind(begun.input)
            veil = NOTHING
            if definition.secrets:
                arguments, veil = await self._keeping.reveal(claim.id, definition, arguments)
        except SecretLost as error:
            return receipt, _failed_by(error)
        except SecretError as error:
            logger.warning("%s; it is tried again in a while", error)
            due = self._clock.time() + SECRET_PAUSE.total_seconds()
            return receipt, Settlement("sleeping", due=due)
        except Exception as error:
            return receipt, _failed_by(error)
        returns = definition.returns
        body: Callable[[Any], Coroutine[Any, Any, object]] = partial(definition.body, **arguments)
        checkpointer = self._durable.checkpointer
        timeout = math.inf if definition.timeout is None else definition.timeout.total_seconds()
        if begun.cleanup:
            if definition.cleanup is None:
                return receipt, Settlement("tidied")
            from stepfast.passes.tidying import TidyingCheckpointer, clean_up

            body, returns = partial(clean_up, definition.cleanup, arguments), None
            checkpointer, timeout = TidyingCheckpointer(checkpointer), math.inf
        deadline = begun.since + timeout
        if deadline <= self._clock.time():
            return receipt, _failed_by(WorkflowTimedOut(timeout))
        active: Active | None = None
        try:
            checkpoint = begun.checkpoint or await self._load(claim)
            if begun.cleanup:
                from stepfast.passes.tidying import own

                checkpoint = own(checkpoint)
            attempt = make_attempt(
                claim,
                checkpointer,
                checkpoint,
                self._threads,
                self._clock,
                self._hold,
                veil,
                self._give_processes,
            )
            active = self._active[claim.workflow] = Active(begun, attempt)
            active.deadline, active.timeout = deadline, timeout
            if deadline < math.inf:
                self._wake()
            self._loading.pop(claim.workflow, None)
            if claim.workflow in self._heard_early:
                self._heard_early.discard(claim.workflow)
                self._look_soon()
            if self._stopping:
                attempt.stop("park")
            outcome = await attempt.make(body, returns, definition.retry)
        except (Abandoned, StoreError) as error:
            logger.log(self._level, "the store failed under workflow %s: %s", claim.id, error)
            due = self._clock.time() + STORE_PAUSE.total_seconds()
            return receipt, Settlement("sleeping", due=due)
        settlement = settle(outcome, deadline)
        if begun.cleanup and settlement.state == "completed":
            return active.receipt, Settlement("tidied")
        return active.receipt, settlement

    def _give_processes(self) -> Processes:
        return self._processes

    @cached_property
    def _processes(self) -> Processes:
        from stepfast.processes.running import Processes

        return Processes(self._most_processes)

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
            if logger.isEnabledFor(logging.INFO):
                logger.info("workflow %s is %s", begun.claim.id, state)
            return


def _failed_by(error: Exception) -> Settlement:
    from stepfast.passes.settling import failed_by

    return failed_by(error)
