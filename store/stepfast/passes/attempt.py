"""One attempt at a workflow: a checkpoint loaded, a body run over it, and what came of it.

`resume` is the public form, for programs that drive workflows by themselves; the worker uses `Attempt`,
since it also talks to the pass while it runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, assert_never

from stepfast.body.retrying import Retry
from stepfast.body.run import Run
from stepfast.body.steps import PassRun
from stepfast.body.trying import body_wait, try_body_again
from stepfast.errors import Abandoned, Fenced, NotAllowed
from stepfast.interfaces import Checkpoint, Checkpointer, Claim
from stepfast.passes.holding import Hold, give_up
from stepfast.passes.outcome import Completed, Failed, Halted, Outcome, Suspended, failure_of
from stepfast.passes.passing import Ended, Pass, Raised, Returned
from stepfast.secrets import NOTHING, Veil
from stepfast.state import Wait
from stepfast.system.clock import Clock, SystemClock
from stepfast.system.threads import Threads
from stepfast.values.shapes import there_and_back

if TYPE_CHECKING:
    from stepfast.processes.running import Processes

__all__ = ["Attempt", "claimed", "resume"]

STEP_THREADS = 16


class Attempt:
    """One pass at a claimed workflow. Made on the loop that runs it.

    `hold` is asked, when the store fails under it, whether to try again; by default the pass is abandoned.
    `veil` has the secrets of its input, which must not be in anything that it writes.
    """

    def __init__(
        self,
        claim: Claim,
        checkpointer: Checkpointer,
        checkpoint: Checkpoint,
        threads: Threads[None],
        clock: Clock,
        hold: Hold = give_up,
        veil: Veil = NOTHING,
        processes: Callable[[], Processes] | None = None,
    ) -> None:
        self._veil = veil
        self.claim = claim
        self._checkpointer = checkpointer
        self._pass = Pass()
        self._run = PassRun(
            claim, self._pass, checkpointer, checkpoint, threads, clock, hold, veil, processes
        )

    async def make(
        self,
        body: Callable[[Run], Coroutine[Any, Any, object]],
        returns: Any = None,
        retry: Retry | None = None,
    ) -> Outcome:
        """Run the body and say what the pass came to; with `retry`, when it is tried again if it failed.

        Raises `Fenced` where the claim is gone, `Abandoned` where the store failed.
        """
        if (too_early := body_wait(self._run.doing, retry)) is not None:
            return Suspended((too_early,))
        try:
            ended = await self._pass.run(body, self._run)
        except BaseException:
            with suppress(BaseException):  # what ended the pass is what is raised
                await self._run.notes.close()
            raise
        try:
            outcome = self._outcome(ended, returns)
            again: Wait | None = None
            match outcome:
                case Completed():
                    self._run.say_what_was_not_reached()
                case Failed(_, _, Exception() as error) if retry is not None:
                    again = await try_body_again(self._run.doing, error, retry)
            await self._close_notes()
            return outcome if again is None else Suspended((again,))
        finally:
            self._run.doing.let_go()

    def _outcome(self, ended: Ended, returns: Any) -> Outcome:
        match ended:
            case Returned(value):
                return self._completed(value, returns)
            case Raised(error):
                return self._failed(error)
            case Suspended() | Halted():
                return ended
            case _:
                assert_never(ended)

    @property
    def open(self) -> bool:
        """Can the pass still take up what comes in?"""
        return self._pass.ending is None and not self._pass.stopping

    async def absorb(self) -> bool:
        """Load what came in since and hand it to the branches that wait; False where it came too late."""
        later = await self._checkpointer.load(self.claim.workflow, after=self._run.end)
        if not self.open:
            return False
        self._run.absorb(later)
        return True

    def wake_sleepers(self) -> None:
        """Let the branches go on whose moment has come."""
        self._run.wake_sleepers()

    @property
    def waits(self) -> tuple[object, ...]:
        """What its branches wait for at this moment."""
        return self._pass.waits

    async def write_notes(self, patience: float) -> bool:
        """Have its steps set their bookmarks and all be written; False where it takes longer than that."""
        return await self._run.notes.write(patience)

    def stop(self, why: str) -> None:
        """Ask the pass to stop, for "pause", "cancel" or "park"."""
        self._pass.stop(why)

    def fail(self, error: Exception) -> None:
        """End the pass, which has failed whatever its body still comes to."""
        self._pass.fail(error, at_once=True)

    def abort(self, error: Fenced | Abandoned) -> None:
        """End the pass: it may not, or cannot, write any more."""
        self._pass.abort(error)

    async def _close_notes(self) -> None:
        try:
            await self._run.notes.close()
        except Fenced:
            raise
        except Exception as error:
            raise Abandoned(str(error)) from error

    def _completed(self, value: object, returns: Any) -> Outcome:
        about = "the value that the body returned"
        problems = tuple(self._run.problems)
        try:
            text, back = there_and_back(value, returns, about=about)
            self._veil.check(text, about)
            return Completed(back, text, problems)
        except Exception as error:
            return self._failed(error)

    def _failed(self, error: BaseException) -> Failed:
        failure = failure_of(error, self._run.doing.step_of(error), self._veil)
        return Failed(failure, tuple(self._run.problems), error)


async def resume(
    claim: Claim,
    checkpointer: Checkpointer,
    body: Callable[[Run], Coroutine[Any, Any, object]],
    *,
    returns: Any = None,
    clock: Clock | None = None,
) -> Outcome:
    """Make one pass at a claimed workflow, from what it has recorded.

    It reports and decides nothing: what to do with the outcome (schedule a wakeup, keep a result) is the
    caller's. Call it again for another pass.

    Args:
        claim: from `claimed` or `Checkpointer.claim`.
        body: called with the `Run`; its input bound already (`functools.partial`).
        returns: how the value that it returns is kept, as `into` for a step.

    Raises:
        Fenced: the claim is gone; whoever holds it now advances the workflow.
        Abandoned: the store failed; the workflow is as the last recorded step left it.
    """
    threads: Threads[None] = Threads("stepfast-step", STEP_THREADS, prepare=lambda: None)
    try:
        checkpoint = await checkpointer.load(claim.workflow)
        attempt = Attempt(claim, checkpointer, checkpoint, threads, clock or SystemClock())
        return await attempt.make(body, returns)
    finally:
        threads.close()


@asynccontextmanager
async def claimed(checkpointer: Checkpointer, id: str) -> AsyncGenerator[Claim]:
    """Hold the claim of a workflow for a while; released at the end, whatever happens.

    Raises `NotAllowed` where somebody else holds it, or it is not pending.
    """
    claim = await checkpointer.claim(id)
    if claim is None:
        raise NotAllowed(id, f"workflow {id!r} cannot be claimed now: it is held, paused or finished")
    try:
        yield claim
    finally:
        await asyncio.shield(checkpointer.release(claim))
