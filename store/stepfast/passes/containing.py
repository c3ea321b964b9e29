"""Code of users, called so that nothing it raises ends more than its own step.

`SystemExit`, `KeyboardInterrupt` and their like end a thread, a task's loop or a program; a bare
`CancelledError` makes a TaskGroup believe that a branch was cancelled, and go on without its result. From a
step each of them is that step's failure, so it comes out as `StepExited`, an ordinary exception. What the
engine itself raises through a step (a suspension, `Fenced`) passes.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from inspect import CO_COROUTINE
from types import FunctionType
from typing import NoReturn, TypeVar

from stepfast.errors import DefinitionError, Fenced, StepExited, Suspension

__all__ = ["PASSES", "awaited", "called", "check_plain", "close", "is_async", "plain", "refuse_exit"]

T = TypeVar("T")

PASSES = (Exception, Suspension, Fenced, asyncio.CancelledError)
"""What an awaited step may raise as it is."""


def called(function: Callable[[], T]) -> T:
    """Call a plain function of a user's."""
    try:
        return function()
    except StopIteration as error:
        raise StepExited("StopIteration was raised; a future cannot carry it") from error
    except (Exception, Suspension, Fenced):
        raise
    except BaseException as error:
        raise _exited(error) from error


async def awaited(make: Callable[..., Awaitable[T]], *arguments: object) -> T:
    """Await a coroutine of a user's. A cancellation passes: whoever awaits this knows whose it is."""
    try:
        return await make(*arguments)
    except PASSES:
        raise
    except BaseException as error:
        refuse_exit(error)


def refuse_exit(error: BaseException) -> NoReturn:
    """Raise what comes out of an awaited step in the place of `error`, which is none of `PASSES`."""
    if isinstance(error, BaseExceptionGroup) and error.subgroup((Suspension, Fenced)) is not None:
        raise error  # of a body that fanned out
    raise _exited(error) from error


def is_async(function: object) -> bool:
    """Is it a coroutine function? The usual kind is told without the long way that `inspect` goes."""
    if type(function) is FunctionType and function.__code__.co_flags & CO_COROUTINE:
        return True
    return inspect.iscoroutinefunction(function)


def plain(value: T, what: str) -> T:
    """Refuse what a plain function gave where it is a coroutine: nothing would ever await it."""
    if not inspect.isawaitable(value):
        return value
    close(value)
    raise DefinitionError(
        f"{what} is called as a plain function and returned an awaitable; pass an `async def` function "
        "itself where one is allowed (a lambda hides that it is one), and a plain function elsewhere"
    )


def close(given: object) -> None:
    """Close a coroutine that nobody will await, of which Python would warn besides."""
    if inspect.iscoroutine(given):
        given.close()


def check_plain(what: str, function: object, written: str) -> None:
    """Refuse a coroutine function where a plain one is called, and what cannot be called at all.

    `written`: how the call is written, with {} where the function's name goes.
    """
    if not callable(function):
        from stepfast.definitions.handed import no_function

        before, _, after = written.rpartition("{}")
        name = getattr(function, "__name__", "function")
        raise no_function(function, what, f"{before}{name}{after}", plain=True)
    if inspect.iscoroutinefunction(function):
        raise DefinitionError(
            f"{what} is a coroutine function; it runs on one thread, in a transaction or beside the loop, so "
            "it is a plain function, and what is awaited goes into a step of its own"
        )


def _exited(error: BaseException) -> StepExited:
    return StepExited(f"{type(error).__name__} was raised ({error})")
