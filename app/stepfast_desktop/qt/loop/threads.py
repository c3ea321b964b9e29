"""The threads behind `run_in_executor(None, ...)` and so `asyncio.to_thread`.

Why not `concurrent.futures.ThreadPoolExecutor`: its threads are joined when the interpreter ends, so one
call that never returns keeps the program from quitting for ever. These are daemon threads; what is still
busy at the end ends with the process.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

__all__ = ["DaemonThreads", "ThreadExit"]

P = ParamSpec("P")
T = TypeVar("T")


class ThreadExit(Exception):
    """What ran on a thread raised something that is no error: `sys.exit`, Ctrl+C, a stray StopIteration.

    Its `__cause__` is what was raised. A task that SystemExit or KeyboardInterrupt reaches takes the whole
    loop down, which is not for a thread to decide; StopIteration cannot be raised into a future at all, and
    CancelledError would look as if the waiting task had been cancelled.
    """


class DaemonThreads(Executor):
    """Up to `limit` daemon threads, made when needed; whatever is raised in one reaches its future."""

    def __init__(self, limit: int | None = None, name: str = "loop-thread") -> None:
        """`limit` is by default what `ThreadPoolExecutor` takes: the processors and 4, 32 at most."""
        self._limit = limit or min(32, (os.cpu_count() or 1) + 4)
        self._name = name
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._free = 0  # threads that wait, and that no queued call is meant for
        self._lock = threading.Lock()
        self._closed = False

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("cannot schedule new futures after shutdown")
            if self._free <= 0 and len(self._threads) < self._limit:
                name = f"{self._name}-{len(self._threads) + 1}"
                thread = threading.Thread(target=self._work, name=name, daemon=True)
                thread.start()
                self._threads.append(thread)
                self._free += 1
            # Below zero it counts the calls that wait until a thread is free.
            self._free -= 1
            self._calls.put(_Call(future, function, args, kwargs))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more calls and let each thread end after what is queued.

        Args:
            wait: return only once they have ended, which is never where a call never returns.
            cancel_futures: cancel what no thread has begun.
        """
        with self._lock:
            closing, self._closed = not self._closed, True
            if cancel_futures:
                self._cancel_queued()
            if closing or cancel_futures:
                for _ in self._threads:
                    self._calls.put(None)
        if wait:
            self.join()

    def join(self, timeout: float | None = None) -> bool:
        """Wait until all threads have ended, `timeout` seconds at most; whether they have."""
        end = None if timeout is None else time.monotonic() + timeout
        for thread in self._threads:
            thread.join(None if end is None else max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _cancel_queued(self) -> None:
        while True:
            try:
                call = self._calls.get_nowait()
            except queue.Empty:
                return
            if call is not None:
                call.future.cancel()

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            call.run(self._finished)
            del call  # or it would keep the result alive until the next call comes

    def _finished(self) -> None:
        with self._lock:
            self._free += 1


class _Call:
    """A function to call, and the future that waits for it."""

    __slots__ = ("args", "function", "future", "kwargs")

    def __init__(
        self, future: Future[Any], function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self.future, self.function, self.args, self.kwargs = future, function, args, kwargs

    def run(self, finished: Callable[[], None]) -> None:
        """Call it, then `finished`, and only then tell whoever waits: who calls again finds a free thread."""
        if not self.future.set_running_or_notify_cancel():
            finished()
            return
        try:
            value = self.function(*self.args, **self.kwargs)
        except BaseException as error:  # it belongs to whoever waits for the future
            finished()
            self.future.set_exception(_as_error(error))
        else:
            finished()
            self.future.set_result(value)
        del self.future  # breaks the cycle of a future, its exception, that one's frames, and this


def _as_error(error: BaseException) -> BaseException:
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    name = threading.current_thread().name
    outer = ThreadExit(f"{type(error).__name__} was raised on the thread {name}: {error}")
    outer.__cause__ = error
    return outer
