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
import contextvars
import gc
import sys
import weakref
from asyncio import current_task
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias, TypeVar

from stepfast.errors import (
    Abandoned,
    Fenced,
    LeftBehind,
    Parked,
    RunClosed,
    StepExited,
    Stopped,
    Suspension,
    SwallowedSuspension,
)
from stepfast.passes.containing import awaited
from stepfast.passes.outcome import Halted, Suspended
from stepfast.state import Wait
from stepfast.system.threads import ThreadCall, hand_over

__all__ = ["Ended", "Pass", "Raised", "Returned"]

T = TypeVar("T")

QUIET_TURNS = 64

# Tasks inherit the context of the body, which is how they are known.
_current: contextvars.ContextVar[Pass] = contextvars.ContextVar("pass")
_to_be_looked_at: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, set[Pass]] = (
    weakref.WeakKeyDictionary()
)


class Returned(NamedTuple):
    """The body returned `value`."""

    value: object


class Raised(NamedTuple):
    """The body raised `error`, which is no suspension."""

    error: BaseException


Ended: TypeAlias = Returned | Raised | Suspended | Halted


class Pass:
    """The bookkeeping of one pass. All of it but `stopping` belongs to the loop."""

    # Made for each pass, so what most passes leave as it is, is not set for each.
    _main: asyncio.Task[Any] | None = None
    _turns: int | None = None
    _empty: asyncio.Future[None] | None = None
    _reached: tuple[Wait, ...] = ()
    _why: str | None = None
    _closed = False
    _ended = False
    _branched = False
    _fatal: Exception | None = None
    stopping = False
    """Was the pass asked to stop, or has its body ended? Read by threads."""
    ending: BaseException | None = None
    """What every further call of the body raises; None while the pass goes on."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._flying: dict[asyncio.Task[Any] | None, int] = {}
        self._parked: dict[asyncio.Future[None], Wait | None] = {}
        self._effects: set[asyncio.Task[Any]] = set()
        # How often each was cancelled by the pass itself.
        self._told: dict[asyncio.Task[Any], int] = {}
        self._threads: dict[asyncio.Future[Any], ThreadCall[Any]] = {}
        self._over: asyncio.Future[None] = self._loop.create_future()

    @property
    def failed(self) -> bool:
        """Can nothing that the body does save the pass any more?"""
        return self._fatal is not None

    # --- what the body's calls use ----------------------------------------------------------------

    @property
    def ended(self) -> bool:
        """Is everything of the pass over, its threads too?"""
        return self._ended

    def enter(self, call: str, name: str = "") -> None:
        """A call of the body begins; raises where the pass is ending."""
        if self._turns is not None:
            self._turns = QUIET_TURNS
        if self.ending is not None:
            raise self.ending
        if self._closed:
            raise RunClosed(f"{call}({name!r})" if name else call)

    def take_off(self) -> asyncio.Task[Any] | None:
        """Something of the pass is under way that will change what is recorded, until it has landed.

        Returns the task that it is under way in.
        """
        me = current_task(self._loop)
        if me is not self._main:
            self._branched = True
        flying = self._flying
        flying[me] = flying[me] + 1 if me in flying else 1
        return me

    def land(self, me: asyncio.Task[Any] | None) -> None:
        """What took off in the task `me` is over."""
        flying = self._flying
        if flying[me] > 1:
            flying[me] -= 1
        else:
            del flying[me]
        if flying:
            return
        if self._parked or self._why is not None:
            self._watch_for_quiet()
        if self._empty is not None:
            self._check_empty()

    @contextmanager
    def flight(self) -> Iterator[asyncio.Task[Any] | None]:
        """As `take_off` and `land`, where a microsecond does not count."""
        me = self.take_off()
        try:
            yield me
        finally:
            self.land(me)

    async def perform(self, effect: Awaitable[T], me: asyncio.Task[Any] | None) -> T:
        """Await an async effect in the task `me`; raises `Stopped` where stopping cancelled it."""
        assert me is not None, "whoever awaits a step is a task"
        self._effects.add(me)
        try:
            return await effect
        except asyncio.CancelledError as cancelled:
            told = self._told.get(me, 0)
            if me.cancelling() > told:
                raise  # by whoever cancelled the branch
            if told:
                raise Stopped from None
            raise StepExited("the step was cancelled by something inside it") from cancelled
        except Exception as error:
            if me in self._told:
                raise Stopped from error  # its clean-up failed; the step runs again anyway
            raise
        finally:
            self._effects.discard(me)
            if self._told:
                for _ in range(self._told.pop(me, 0)):
                    me.uncancel()

    async def perform_on_thread(self, call: ThreadCall[T]) -> T:
        """Wait for what runs on a thread. A cancelled caller leaves it behind; closing waits for it."""
        self._threads[call.future] = call
        call.future.add_done_callback(self._thread_ended)
        return await asyncio.shield(call.future)

    async def perform_on_thread_until(
        self, call: ThreadCall[T], in_time: Callable[[asyncio.Event], Awaitable[bool]]
    ) -> bool:
        """As `perform_on_thread`, while `in_time` of "it is over" waits; False where the thread was given up.

        Nobody waits for a thread that was given up, not when the pass ends either.
        """
        over = asyncio.Event()
        self._threads[call.future] = call
        call.future.add_done_callback(self._thread_ended)
        call.future.add_done_callback(lambda _: over.set())
        if await in_time(over):
            return True
        call.withdraw()
        self._thread_ended(call.future)
        call.future.remove_done_callback(self._thread_ended)
        call.future.add_done_callback(_look_at_exception)
        return False

    def interrupt(self, me: asyncio.Task[Any] | None) -> None:
        """Cancel the effect that is under way in the task `me`: `perform` raises `Stopped`."""
        if me is not None and me in self._effects:
            self._told[me] = self._told.get(me, 0) + 1
            me.cancel()

    async def park(self, wait: Wait | None) -> None:
        """Wait until `wake` thinks that `wait` may be over (look again), or the pass is suspended.

        None stands for a step that is not begun, or was given up, because the pass is to stop.
        """
        self._branched = self._branched or asyncio.current_task() is not self._main
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

    async def run(self, body: Callable[..., Coroutine[Any, Any, object]], *arguments: object) -> Ended:
        """Run the body, called with `arguments`, to its end, then wait for what it left running.

        Raises `Fenced` where the claim is gone, `Abandoned` where the store failed.
        """
        context = contextvars.copy_context()
        context.run(_current.set, self)
        self._main = self._loop.create_task(awaited(body, *arguments), context=context)
        self._main.add_done_callback(self._body_ended, context=context)  # another copy would be one more
        try:
            # Not the task itself, whose end is judged, and which is not cancelled with this one.
            await self._over
        except asyncio.CancelledError:
            self._main.cancel()
            self._close()
            raise
        if self._parked or self._flying:
            await self._let_go()
        forgotten, left_behind = self.waits, self._left_behind()
        self._close()
        if self._flying or self._threads:
            self._empty = self._loop.create_future()
            await self._empty
        self._ended = True
        try:
            return self._judge(self._main, forgotten, left_behind)
        finally:
            # Both lead back to this pass: by a traceback and the body's frames, and by the task's context.
            self.ending = self._main = None

    async def _let_go(self) -> None:
        # A branch that the body cancelled on its way out learns of it in the next turns.
        for _ in range(QUIET_TURNS):
            if not self._parked and not self._left_behind():
                return
            await asyncio.sleep(0)

    def _body_ended(self, _: asyncio.Task[object]) -> None:
        if not self._over.done():
            hand_over(self._over, None)

    @property
    def waits(self) -> tuple[Wait, ...]:
        """What is parked at this moment."""
        if not self._parked:
            return ()
        return tuple(each for future, each in self._parked.items() if each is not None and not future.done())

    def wake(self, over: Callable[[Wait], bool]) -> None:
        """Let every branch look again whose wait may be over."""
        for parked, wait in list(self._parked.items()):
            if wait is not None and over(wait) and not parked.done():
                parked.set_result(None)
                self._parked.pop(parked)
                if self._turns is not None:
                    self._turns = QUIET_TURNS

    def stop(self, why: str) -> None:
        """Ask the pass to stop: async effects are cancelled, threads see `stopping`, no step begins."""
        if self._why is None and self.ending is None and not self._closed:
            self._why = why
            self.stopping = True
            self._tell_effects()
            self._watch_for_quiet()

    def abort(self, error: Fenced | Abandoned) -> None:
        """The pass may not, or cannot, write any more: end it everywhere."""
        if self.ending is None or isinstance(self.ending, Parked):
            self._end(error)
            self._tell_effects()

    def fail(self, error: Exception, *, at_once: bool = False) -> None:
        """Nothing the body does from here on can save the pass: it fails with `error`.

        `at_once`: what is under way is told to end.
        """
        self._fatal = self._fatal or error
        if self.ending is None:
            self._end(Parked("the pass has failed"))
        if at_once:
            self._tell_effects()

    def _tell_effects(self) -> None:
        for task in self._effects:
            self._told[task] = self._told.get(task, 0) + 1
            task.cancel()
        for future, call in list(self._threads.items()):
            if call.withdraw():
                future.set_exception(Stopped("it had not begun"))

    # --- quiet ------------------------------------------------------------------------------------

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
        self.stopping = True
        if self._branched:
            self._look_at_branches_soon()
        for parked in list(self._parked):
            if not parked.done():
                parked.set_exception(error)

    # --- closing ----------------------------------------------------------------------------------

    def _close(self) -> None:
        self._closed = self.stopping = True
        self._tell_effects()
        if self._branched:
            self._look_at_branches_soon()
        for parked in list(self._parked):
            parked.cancel()

    def _look_at_branches_soon(self) -> None:
        """Have each task of the pass looked at when it ends.

        All of them raise now, and a body that has them in `asyncio.wait` looks at one: the others would be
        reported by the loop as exceptions that nobody retrieved.
        """
        passes = _to_be_looked_at.setdefault(self._loop, set())
        if not passes:
            # Asked for before the branches are woken, so called before them: a loop keeps the order.
            self._loop.call_soon(_look_at_branches, self._loop)
        passes.add(self)

    def _thread_ended(self, thread: asyncio.Future[Any]) -> None:
        self._threads.pop(thread, None)
        self._check_empty()

    def _check_empty(self) -> None:
        if self._empty is not None and not self._flying and not self._threads and not self._empty.done():
            self._empty.set_result(None)

    def _left_behind(self) -> int:
        """How many calls are under way in branches that nobody has cancelled."""
        return len([task for task in self._flying if task is not None and not task.cancelling()])

    def _judge(self, main: asyncio.Task[Any], forgotten: tuple[Wait, ...], left_behind: int) -> Ended:
        if isinstance(self.ending, Fenced | Abandoned):
            if not main.cancelled():
                main.exception()
            raise self.ending
        if self._fatal is not None:
            if not main.cancelled():
                main.exception()
            return Raised(self._fatal)
        if main.cancelled():
            return Raised(StepExited("the body was cancelled by something inside it"))
        error = main.exception()
        if error is None:
            if self.ending is not None or forgotten:
                where = _named(self._reached or forgotten) or "a step that was asked to stop"
                return Raised(SwallowedSuspension(where))
            if left_behind:
                return Raised(LeftBehind(left_behind))
            return Returned(main.result())
        failure = _without_suspensions(error)
        if failure is not None:
            return Raised(failure)
        if self._why is not None:
            return Halted(self._why)
        if self._reached:
            return Suspended(self._reached)
        return Raised(StepExited("the body raised a suspension itself; it waits with `run.sleep` and such"))


def _pass_of(task: asyncio.Task[Any]) -> Pass | None:
    """The pass whose body made the task, if one did."""
    if sys.version_info >= (3, 12):
        context = task.get_context()
    else:
        # Only 3.12 hands out a task's context; until then it is found among what the task refers to.
        found = (each for each in gc.get_referents(task) if isinstance(each, contextvars.Context))
        context = next(found, None)
    return None if context is None else context.get(_current)


def _named(waits: tuple[Wait, ...]) -> str:
    return ", ".join(repr(each.name) for each in waits)


def _look_at_branches(loop: asyncio.AbstractEventLoop) -> None:
    # Once a turn for all passes that end in it: with many branches, a walk for each would hold up the loop.
    passes = _to_be_looked_at.pop(loop)
    for task in asyncio.all_tasks(loop):
        if _pass_of(task) in passes:
            task.add_done_callback(_look_at_exception)


def _look_at_exception(task: asyncio.Future[Any]) -> None:
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
