"""Threads of the engine's own: for what blocks, with results handed back to the loop that asked.

Why not `concurrent.futures`: its threads are joined when the interpreter exits, so a step that never
returns would keep a program from quitting for ever; and an exception that is no `Exception` in one loses
its future on some loops. These are daemon threads, and whatever is raised in one reaches its future.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

__all__ = [
    "Call",
    "ThreadCall",
    "ThreadExit",
    "Threads",
    "answer",
    "call_on",
    "hand_over",
    "kept",
    "once",
    "resolve_all",
]

T = TypeVar("T")
S = TypeVar("S")


class ThreadExit(Exception):
    """A thread raised what ends programs (`sys.exit`, KeyboardInterrupt); here it ends nothing."""


def hand_over(future: asyncio.Future[T], value: T) -> None:
    """In a callback of the loop, not in a task: set the result, and let whoever awaits it go on at once.

    And not a turn of the loop later: in a turn the loop asks the system for events, which lets another thread
    have the interpreter's lock. Of the way back from the thread that writes, that is 15 us of 60.
    """
    # Not part of what asyncio documents, though of both its kinds of future since 3.7: where it is not there,
    # or has another form, they go on a turn later. (A subclass that keeps what is added costs 1.5 us more.)
    try:
        ((function, context),) = future._callbacks
        run = context.run
    except (AttributeError, TypeError, ValueError):  # none waits, or several do
        future.set_result(value)
        return
    future.remove_done_callback(function)
    future.set_result(value)
    run(function, future)


class Resolved(Protocol):
    """What somebody waits for on a loop."""

    def resolve(self) -> None:
        """In a callback of that loop: have whoever waits go on at once."""


class Call(Generic[T]):
    """A function to be called on a thread, and the future that waits for it on a loop."""

    # One is made for each step, so what is the same for most is not set for each: 1.3 us became 0.7.
    value: T | None = None
    error: BaseException | None = None

    def __init__(self, function: Callable[..., T]) -> None:
        self.function = function
        self.loop = loop = asyncio.get_running_loop()
        self.future: asyncio.Future[T] = loop.create_future()

    def resolve(self) -> None:
        """On the loop: hand the value or the error over, unless nobody waits any more."""
        future = self.future
        if future.cancelled():
            return
        error = self.error
        if error is None:
            hand_over(future, self.value)  # type: ignore[misc]
            return
        if isinstance(error, SystemExit | KeyboardInterrupt | GeneratorExit | StopIteration):
            # A future cannot carry the first three past the loop, nor StopIteration at all.
            replacement = ThreadExit(f"{type(error).__name__}: {error}")
            replacement.__cause__ = error
            error = replacement
        future.set_exception(error)
        # Drops the cycle future -> exception -> traceback -> frame -> call -> future.
        self.error = None


class ThreadCall(Call[T]):
    """A call that may be withdrawn while it waits for a thread."""

    def __init__(self, function: Callable[..., T]) -> None:
        super().__init__(function)
        self._turn = threading.Lock()

    def begin(self) -> bool:
        """On a thread: may it be called? Not if it was withdrawn."""
        return self._turn.acquire(blocking=False)

    def withdraw(self) -> bool:
        """True where no thread has begun it; then none will, and its future is the caller's to answer."""
        return self._turn.acquire(blocking=False)


def answer(calls: Sequence[Call[Any]]) -> None:
    """From a thread: resolve every call on its own loop, waking each loop once."""
    if len(calls) == 1:
        call_on(calls[0].loop, calls[0].resolve)
        return
    for loop in {call.loop for call in calls}:
        call_on(loop, resolve_all, [call for call in calls if call.loop is loop])


def call_on(loop: asyncio.AbstractEventLoop, function: Callable[..., object], *arguments: object) -> None:
    """From a thread: call `function` on `loop`; nothing happens where the loop is closed, as nobody waits."""
    try:
        loop.call_soon_threadsafe(function, *arguments)
    except RuntimeError:
        pass


def resolve_all(calls: Sequence[Resolved]) -> None:
    """In a callback of their loop: resolve every call."""
    done = 0
    try:
        for call in calls:
            done += 1
            call.resolve()
    finally:
        if done < len(calls):  # a task went on to raise what ends the loop; should that go on, so do these
            asyncio.get_running_loop().call_soon(resolve_all, calls[done:])


class Threads(Generic[S]):
    """Up to `limit` daemon threads, made when needed, each with a thing of its own from `prepare`.

    Args:
        name: of the threads, as debuggers show it.
        limit: how many at most.
        prepare: called on each new thread; its value is handed to every function that runs there.
        finish: called with that value when the thread ends.
    """

    def __init__(
        self,
        name: str,
        limit: int,
        prepare: Callable[[], S],
        finish: Callable[[S], None] | None = None,
    ) -> None:
        self._name = name
        self._limit = limit
        self._prepare = prepare
        self._finish = finish
        self._calls: queue.SimpleQueue[ThreadCall[object] | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._idle = 0  # threads that wait and are meant for no call yet
        self._backlog = 0  # calls that no thread is meant for yet
        self._lock = threading.Lock()
        self._closed = False

    def run(self, function: Callable[[S], T]) -> asyncio.Future[T]:
        """Call `function` on a thread; the future lives on the running loop."""
        return self.submit(function).future

    def submit(self, function: Callable[[S], T]) -> ThreadCall[T]:
        """As `run`, with the call itself, which may be withdrawn while it waits for a thread."""
        call: ThreadCall[T] = ThreadCall(function)
        with self._lock:
            if self._closed:
                raise RuntimeError(f"the threads of {self._name} are closed")
            if self._idle > 0:
                self._idle -= 1
            elif len(self._threads) < self._limit:
                thread = threading.Thread(
                    target=self._work, name=f"{self._name}-{len(self._threads) + 1}", daemon=True
                )
                self._threads.append(thread)
                thread.start()
            else:
                self._backlog += 1
            self._calls.put(call)  # type: ignore[arg-type]
        return call

    def close(self) -> None:
        """Let every thread end after what is queued; does not wait for one that is busy."""
        with self._lock:
            if not self._closed:
                self._closed = True
                for _ in self._threads:
                    self._calls.put(None)

    def join(self) -> None:
        """Wait until the threads have ended; for those whose work is known to be short."""
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        mine: S | None = None
        prepared = False
        try:
            while (call := self._calls.get()) is not None:
                begun = call.begin()
                if begun:
                    try:
                        if not prepared:
                            mine, prepared = self._prepare(), True
                        call.value = call.function(mine)
                    except BaseException as error:  # it belongs to whoever waits for the call
                        call.error = error
                with self._lock:
                    if self._backlog:
                        self._backlog -= 1
                    else:
                        self._idle += 1
                if begun:
                    answer([call])
                del call
        finally:
            if prepared and self._finish is not None:
                self._finish(mine)  # type: ignore[arg-type]


def once(function: Callable[[], T]) -> asyncio.Future[T]:
    """Call a function that blocks for a moment on a thread made for it."""
    call: Call[T] = Call(function)

    def work() -> None:
        try:
            call.value = function()
        except BaseException as error:  # it belongs to whoever waits for the call
            call.error = error
        answer([call])

    threading.Thread(target=work, name=f"stepfast-{function.__name__}", daemon=True).start()
    return call.future


async def kept(work: Awaitable[T], *, given_back: Callable[[T], object]) -> T:
    """Await something whose result must not be lost: where the caller is cancelled, it is given back.

    What runs on a thread cannot be called back, and a claim that nobody knows of, or a file that nobody
    closes, would stay for as long as the program lives.
    """
    working = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:

        def give_back(done: asyncio.Future[T]) -> None:
            if not done.cancelled() and done.exception() is None:
                given_back(done.result())

        working.add_done_callback(give_back)
        raise
