"""Steps that are tried again, that end by a timeout, or that must not happen twice: `run.step` with options.

What came to no record is a record of its own (`retrying.Attempted`), so neither a crash nor a reboot resets
the count. A step that must not happen twice has another one that says that it began, on disk before it runs:
where that one stands alone, the program died in between, and whether the effect happened is not known.
"""

from __future__ import annotations

import asyncio
import functools
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from stepfast.body.current import StepBookmark, in_context, in_step
from stepfast.body.retrying import (
    FAILED,
    GAVE_UP,
    INTERRUPTED,
    STOPPED,
    Attempted,
    Retry,
    attempt_of,
    check_retry,
    check_timeout,
)
from stepfast.body.run import Happened, OnInterrupt
from stepfast.errors import DefinitionError, StepInterrupted, StepTimedOut, Stopped
from stepfast.interfaces import Kind
from stepfast.passes.containing import is_async, plain
from stepfast.passes.outcome import failure_of
from stepfast.state import InterruptWait, RetryWait
from stepfast.views import StepRecord

if TYPE_CHECKING:
    from stepfast.body.doing import Doing

__all__ = ["Attempts", "Options", "Try", "body_wait", "try_body_again", "try_step"]


@dataclass(frozen=True, slots=True)
class Options:
    """What `run.step` was asked for besides the effect; raises `DefinitionError` for what makes no sense."""

    retry: Retry | None = None
    timeout: timedelta | None = None
    on_interrupt: OnInterrupt = "rerun"

    def __post_init__(self) -> None:
        check_retry(self.retry)
        check_timeout(self.timeout)
        if self.on_interrupt not in ("rerun", "ask") and not callable(self.on_interrupt):
            from stepfast.definitions.handed import described

            given = described(self.on_interrupt)
            raise DefinitionError(f'on_interrupt={given}: "rerun", "ask" or a function that looks is needed')


@dataclass(slots=True)
class _OfStep:
    attempts: dict[int, Attempted] = field(default_factory=dict)
    begun: set[int] = field(default_factory=set)


class Attempts:
    """The attempts of a workflow that came to no record, by step; those of the body are of the step ""."""

    def __init__(self) -> None:
        self._steps: defaultdict[str, _OfStep] = defaultdict(_OfStep)

    def absorb(self, record: StepRecord) -> None:
        """Take up a record of the kinds `ATTEMPT` and `BEGUN`."""
        step, number = attempt_of(record.name)
        if record.kind == Kind.BEGUN:
            self._steps[step].begun.add(number)
        else:
            self._steps[step].attempts.setdefault(number, Attempted.read(record.text))

    def add(self, step: str, number: int, attempted: Attempted) -> None:
        """One that has just been recorded."""
        self._steps[step].attempts[number] = attempted

    def began(self, step: str, number: int) -> None:
        """As `add`, of its beginning."""
        self._steps[step].begun.add(number)

    def next(self, step: str) -> int:
        """The number of the attempt that is next, or under way."""
        return len(self._steps[step].attempts) + 1 if step in self._steps else 1

    def failed(self, step: str) -> int:
        """How many have failed: those that count."""
        return sum(each.kind == FAILED for each in self._steps[step].attempts.values())

    def last(self, step: str) -> Attempted | None:
        """The last one."""
        return self._steps[step].attempts.get(self.next(step) - 1) if step in self._steps else None

    def interrupted(self, step: str) -> bool:
        """Did the next one begin already, in a pass that has ended without a word of it?"""
        return step in self._steps and self.next(step) in self._steps[step].begun


async def try_step(
    run: Doing, name: str, effect: Any, args: tuple[Any, ...], into: Any, options: Options
) -> str:
    """A new step with options: try it until it is recorded, or has failed for good; returns its text."""
    attempts = run.attempts
    if attempts.interrupted(name):
        text = await _find_out(run, name, into, options.on_interrupt)
        if text is not None:
            return text
    last = attempts.last(name)
    if last is not None and last.kind == GAVE_UP:
        raise StepInterrupted(name)
    while True:
        await _until_due(run, name, options.retry)
        number = attempts.next(name)
        try:
            return await run.new_step(name, effect, args, into, Try(run, name, number, options))
        except Exception as error:
            due = _due(run, name, options.retry, error)
            if due is None and not attempts.interrupted(name):
                raise
            await keep_failed(run, name, error, due, options.retry)
            if due is None:
                raise


def _due(run: Doing, name: str, retry: Retry | None, error: Exception) -> float | None:
    """When it is tried again, if it is."""
    failed = run.attempts.failed(name) + 1
    if retry is None or failed >= retry.attempts or run.failed_for_good or not retry.covers(error):
        return None
    return run.clock.time() + retry.wait_after(failed, f"{run.id}\n{name}")


async def keep_failed(
    run: Doing, name: str, error: Exception, due: float | None, retry: Retry | None
) -> None:
    """Record that an attempt at a step, or at the body, has failed."""
    number = run.attempts.next(name)
    failure = failure_of(error, veil=run.veil)
    attempted = Attempted(FAILED, failure.type, failure.message, failure.traceback, due)
    await run.keep_attempt(name, number, attempted)
    if due is not None and retry is not None:
        again = datetime.fromtimestamp(due, UTC).isoformat(timespec="seconds")
        failed = run.attempts.failed(name)
        run.note(name or None, f"attempt {failed} of {retry.attempts} failed: {attempted}; again at {again}")


async def _until_due(run: Doing, name: str, retry: Retry | None) -> None:
    while (wait := _wait(run, name, retry)) is not None:
        await run.park(wait)


def _wait(run: Doing, name: str, retry: Retry | None) -> RetryWait | None:
    last = None if retry is None else run.attempts.last(name)
    if last is None or last.due is None or retry is None or run.clock.time() >= last.due:
        return None
    return _wait_until(run, name, last.due, retry)


def _wait_until(run: Doing, name: str, due: float, retry: Retry) -> RetryWait:
    next_one = run.attempts.failed(name) + 1
    error = str(run.attempts.last(name))
    return RetryWait(name, datetime.fromtimestamp(due, UTC), next_one, retry.attempts, error)


# --- the body as a whole ----------------------------------------------------------------------------

BODY = ""


def body_wait(run: Doing, retry: Retry | None) -> RetryWait | None:
    """What a body that failed waits for before it is tried again, where that has not come."""
    return _wait(run, BODY, retry)


async def try_body_again(run: Doing, error: Exception, retry: Retry) -> RetryWait | None:
    """Record that the body failed with `error`; what the next attempt waits for, None where there is none."""
    due = _due(run, BODY, retry, error)
    if due is None:
        return None
    await keep_failed(run, BODY, error, due, retry)
    return _wait_until(run, BODY, due, retry)


# --- interrupted ------------------------------------------------------------------------------------


async def _find_out(run: Doing, name: str, into: Any, policy: OnInterrupt) -> str | None:
    """What became of an interrupted step: its text where the effect happened, None where it did not."""
    if policy == "ask":
        while run.attempts.interrupted(name):
            await run.park(InterruptWait(name))
        return run.recorded(name)  # by whoever was asked
    looked = await run.looked(name, policy) if callable(policy) else None
    if isinstance(looked, Happened):
        return await run.keep_happened(name, looked.value, into)
    if looked is not None:
        raise DefinitionError(
            f"on_interrupt of {name!r} gave {looked!r}; it gives Happened(value) where the effect happened, "
            "and None where it did not"
        )
    await run.keep_attempt(name, run.attempts.next(name), Attempted(INTERRUPTED, message="interrupted"))
    return None


# --- one attempt ------------------------------------------------------------------------------------


class Try:
    """One attempt at a step, as `new_step` makes it."""

    def __init__(self, run: Doing, name: str, number: int, options: Options) -> None:
        self._run = run
        self._name = name
        self.number = number
        self._options = options
        self._late = False

    @property
    def counted(self) -> int:
        """How many attempts it took, this one included, without those that were stopped."""
        return self._run.attempts.failed(self._name) + 1

    async def perform(
        self, bookmark: StepBookmark, effect: Any, args: tuple[Any, ...], me: asyncio.Task[Any] | None
    ) -> Any:
        """Run the effect, and give what it gave.

        Raises `StepTimedOut`, and what the effect raised. `Stopped` is kept as an attempt where the beginning
        was: the effect was told to end, so it was not interrupted.
        """
        begins = self._options.on_interrupt != "rerun"
        if begins:
            await self._run.keep_begun(self._name, self.number)
        try:
            if is_async(effect):
                step = in_step(bookmark, effect, *args)
                return await self._timed(self._run.making.perform(step, me), me)
            return await self._on_thread(bookmark, functools.partial(effect, *args))
        except Stopped:
            if self._late and not self._run.stopping:
                raise self._timed_out() from None
            if begins:
                await self._run.keep_attempt(self._name, self.number, Attempted(STOPPED))
            raise

    async def _timed(self, effect: Awaitable[Any], me: asyncio.Task[Any] | None) -> Any:
        if self._options.timeout is None:
            return await effect
        over = asyncio.Event()
        watching = asyncio.create_task(self._interrupt_late(over, me))
        try:
            return await effect
        finally:
            over.set()
            await asyncio.shield(watching)

    async def _interrupt_late(self, over: asyncio.Event, me: asyncio.Task[Any] | None) -> None:
        if not await self._in_time(over):
            self._late = True
            self._run.making.interrupt(me)

    async def _on_thread(self, bookmark: StepBookmark, call: Callable[[], Any]) -> Any:
        step = in_context(bookmark, call)
        submitted = self._run.threads.submit(lambda _: step())
        what = f"the effect of step {self._name!r}"
        if self._options.timeout is None:
            return plain(await self._run.making.perform_on_thread(submitted), what)
        if await self._run.making.perform_on_thread_until(submitted, self._in_time):
            return plain(submitted.future.result(), what)
        bookmark.close()
        raise self._timed_out()

    async def _in_time(self, over: asyncio.Event) -> bool:
        """Wait until it is over; False where it took too long."""
        assert self._options.timeout is not None
        clock = self._run.clock
        end = clock.monotonic() + self._options.timeout.total_seconds()
        while not over.is_set():
            if (left := end - clock.monotonic()) <= 0:
                return False
            await clock.wait(over, left)
        return True

    def _timed_out(self) -> StepTimedOut:
        assert self._options.timeout is not None
        return StepTimedOut(self._name, self._options.timeout.total_seconds())
