"""One pass: its tasks, its parked waits, when it is quiet, and how it is closed. It knows no storage.

Why waits park. The obvious way to suspend is to raise where the wait is reached. But then a TaskGroup
cancels the sibling that is in the middle of an upload, `gather` reports one wait of three, and
`asyncio.wait` keeps the exception as a value. So a branch that waits awaits a future here, and only when
nothing else in the pass can move do all of them raise, together.

When is that? No call that changes anything is in flight, and the loop has turned `QUIET_TURNS` times
without the pass doing anything: a task that was just created needs a few turns before it reaches its first
`Run` call, and one three combinators deep was seen to need seven.

What a pass ends with is judged by what it reached, not by what came out of the body, since combinators and
`except` clauses may lose an exception on its way out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

from stepfast.errors import (
    Abandoned,
    Fenced,
    Parked,
    RunClosed,
    StepExited,
    Stopped,
    Suspension,
    SwallowedSuspension,
)
from stepfast.outcome import Halted, Suspended
from stepfast.state import Wait

__all__ = ["Ended", "Pass", "Raised", "Returned"]

T = TypeVar("T")

QUIET_TURNS = 64


@dataclass(frozen=True, slots=True)
class Returned:
    """The body returned `value`."""

    value: object


@dataclass(frozen=True, slots=True)
class Raised:
    """The body raised `error`, which is no suspension."""

    error: BaseException


Ended: TypeAlias = Returned | Raised | Suspended | Halted


class _Flight:
    """While it is entered, something of the pass is under way that will change what is recorded."""

    __slots__ = ("_owner",)

    def __init__(self, owner: Pass) -> None:
        self._owner = owner

    def __enter__(self) -> None:
        self._owner._flying += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._owner._landed()


class Pass:
    """The bookkeeping of one pass. All methods but `stopping` belong to the loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._flying = 0
        self._parked: dict[asyncio.Future[None], Wait | None] = {}
        self._effects: set[asyncio.Task[Any]] = set()
        self._threads: set[asyncio.Future[Any]] = set()
        self._main: asyncio.Task[Any] | None = None
        self._turns: int | None = None
        self._empty: asyncio.Future[None] | None = None
        self._reached: tuple[Wait, ...] = ()
        self._why: str | None = None
        self._closed = False
        self.flight = _Flight(self)
        self.ending: BaseException | None = None
        """What every further call of the body raises; None while the pass goes on."""

    # --- what the body's calls use ----------------------------------------------------------------

    @property
    def stopping(self) -> bool:
        """Was the pass asked to stop, or has its body ended? Read by threads."""
        return self._why is not None or self._closed

    def enter(self, call: str, name: str = "") -> None:
        """A call of the body begins; raises where the pass is ending."""
        if self._turns is not None:
            self._turns = QUIET_TURNS
        if self.ending is not None:
            raise self.ending
        if self._closed:
            raise RunClosed(f"{call}({name!r})" if name else call)

    async def perform(self, effect: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run an async effect in a task of its own; raises `Stopped` where stopping cancelled it."""
        task = self._loop.create_task(_contained(effect))
        self._effects.add(task)
        try:
            return await task
        except asyncio.CancelledError as cancelled:
            me = asyncio.current_task()
            if me is not None and me.cancelling():
                raise
            if self.stopping:
                raise Stopped from None
            # Let through, a TaskGroup would take it for a cancelled branch and go on without its result.
            raise StepExited("the step was cancelled by something inside it") from cancelled
        finally:
            self._effects.discard(task)

    async def perform_on_thread(self, started: asyncio.Future[T]) -> T:
        """Wait for what runs on a thread. A cancelled caller leaves it behind; closing waits for it."""
        self._threads.add(started)
        started.add_done_callback(self._thread_ended)
        return await asyncio.shield(started)

    async def park(self, wait: Wait | None) -> None:
        """Wait until `wake` thinks that `wait` may be over (look again), or the pass is suspended.

        None stands for a step that is not begun, or was given up, because the pass is to stop.
        """
        me = asyncio.current_task()
        if me is not None and me is not self._main:
            # A body that keeps suspended tasks in `asyncio.wait` never looks at all of their exceptions.
            me.add_done_callback(_look_at_exception)
        if self.ending is not None:
            raise self.ending
        if self._closed:
            raise RunClosed("a wait")
        parked = self._loop.create_future()
        self._parked[parked] = wait
        self._watch_for_quiet()
        try:
            await parked
        finally:
            self._parked.pop(parked, None)

    # --- what the worker uses ---------------------------------------------------------------------

    async def run(self, body: Callable[[], Coroutine[Any, Any, object]]) -> Ended:
        """Run the body to its end, then wait for what it left running.

        Raises `Fenced` where the claim is gone, `Abandoned` where the store failed.
        """
        self._main = self._loop.create_task(_contained(body))
        try:
            await asyncio.wait({self._main})
        except asyncio.CancelledError:
            self._main.cancel()
            self._close()
            raise
        forgotten = [each for future, each in self._parked.items() if each is not None and not future.done()]
        self._close()
        await self._wait_until_empty()
        return self._judge(self._main, forgotten)

    @property
    def waits(self) -> tuple[Wait, ...]:
        """What is parked at this moment."""
        return tuple(each for each in self._parked.values() if each is not None)

    def wake(self, over: Callable[[Wait], bool]) -> None:
        """Let every branch look again whose wait may be over."""
        for parked, wait in list(self._parked.items()):
            if wait is not None and over(wait) and not parked.done():
                parked.set_result(None)
                self._parked.pop(parked)

    def stop(self, why: str) -> None:
        """Ask the pass to stop: async effects are cancelled, threads see `stopping`, no step begins."""
        if self._why is None and self.ending is None and not self._closed:
            self._why = why
            for task in self._effects:
                task.cancel()
            self._watch_for_quiet()

    def abort(self, error: Fenced | Abandoned) -> None:
        """The pass may not, or cannot, write any more: end it everywhere."""
        if self.ending is None or isinstance(self.ending, Parked):
            self._end(error)
            for task in self._effects:
                task.cancel()

    # --- quiet ------------------------------------------------------------------------------------

    def _landed(self) -> None:
        self._flying -= 1
        if not self._flying:
            self._watch_for_quiet()
            self._check_empty()

    def _watch_for_quiet(self) -> None:
        if self._flying or self.ending is not None or not (self._parked or self._why):
            return
        if self._turns is None:
            self._loop.call_soon(self._turn)
        self._turns = QUIET_TURNS

    def _turn(self) -> None:
        if self._turns is None or self._flying or self.ending is not None or not self._parked:
            self._turns = None
            return
        self._turns -= 1
        if self._turns:
            self._loop.call_soon(self._turn)
            return
        self._turns = None
        self._reached = () if self._why else self.waits
        self._end(Parked(_named(self._reached) or f"asked to stop ({self._why})"))

    def _end(self, error: BaseException) -> None:
        self.ending = error
        for parked in list(self._parked):
            if not parked.done():
                parked.set_exception(error)

    # --- closing ----------------------------------------------------------------------------------

    def _close(self) -> None:
        self._closed = True
        for task in self._effects:
            task.cancel()
        for parked in list(self._parked):
            if not parked.done():
                parked.set_exception(self.ending or RunClosed("a wait"))

    def _thread_ended(self, thread: asyncio.Future[Any]) -> None:
        self._threads.discard(thread)
        self._check_empty()

    def _check_empty(self) -> None:
        if self._empty is not None and not self._flying and not self._threads and not self._empty.done():
            self._empty.set_result(None)

    async def _wait_until_empty(self) -> None:
        if self._flying or self._threads:
            self._empty = self._loop.create_future()
            await self._empty

    def _judge(self, main: asyncio.Task[Any], forgotten: list[Wait]) -> Ended:
        if isinstance(self.ending, Fenced | Abandoned):
            if not main.cancelled():
                main.exception()
            raise self.ending
        if main.cancelled():
            return Raised(StepExited("the body was cancelled by something inside it"))
        error = main.exception()
        if error is None:
            if self.ending is not None or forgotten:
                where = _named(self._reached or forgotten) or "a step that was asked to stop"
                return Raised(SwallowedSuspension(where))
            return Returned(main.result())
        failure = _without_suspensions(error)
        if failure is not None:
            return Raised(failure)
        if self._why is not None:
            return Halted(self._why)
        if self._reached:
            return Suspended(self._reached)
        return Raised(StepExited("the body raised a suspension itself; it waits with `run.sleep` and such"))


async def _contained(make: Callable[[], Awaitable[T]]) -> T:
    """Await a user's coroutine so that what would end the program ends only this."""
    try:
        return await make()
    except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
        # A task hands these to the loop, which ends.
        raise StepExited(f"{type(error).__name__} was raised ({error})") from error


def _named(waits: tuple[Wait, ...] | list[Wait]) -> str:
    return ", ".join(repr(each.name) for each in waits)


def _look_at_exception(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()


def _without_suspensions(error: BaseException) -> BaseException | None:
    """The failure in what a body raised, or None where there are only suspensions; a lone one unwrapped."""
    if isinstance(error, Suspension):
        return None
    if isinstance(error, BaseExceptionGroup):
        _, failures = error.split(Suspension)
        if failures is None:
            return None
        while isinstance(failures, BaseExceptionGroup) and len(failures.exceptions) == 1:
            failures = failures.exceptions[0]
        return failures
    return error
