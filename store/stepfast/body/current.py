"""The step that is running, as its own code sees it: its bookmark, and that it is inside a step at all."""

from __future__ import annotations

import contextvars
import functools
import types
from collections.abc import Awaitable, Callable, Coroutine, Generator
from dataclasses import dataclass
from types import CoroutineType
from typing import Any, TypeVar

from stepfast.body.noting import NoteKeeper
from stepfast.errors import RunClosed
from stepfast.passes.containing import PASSES, called, refuse_exit
from stepfast.values import codec

__all__ = ["StepBookmark", "current_step", "in_context", "in_step"]

T = TypeVar("T")

current_step: contextvars.ContextVar[StepBookmark | None] = contextvars.ContextVar("step", default=None)


@dataclass(slots=True)
class StepBookmark:
    """The bookmark of one running step; a `stepfast.body.run.Bookmark`."""

    step: str
    keeper: NoteKeeper
    text: str | None
    _closed: bool = False

    def close(self) -> None:
        """The step was given up: a thread that still runs it can keep nothing more."""
        self._closed = True

    def get(self) -> object:
        return None if self.text is None else codec.decode(self.text, about=f"the bookmark of {self.step!r}")

    @property
    def wanted(self) -> bool:
        return self.keeper.wanted(self.step)

    def set(self, value: object) -> None:
        if self._closed:
            raise RunClosed("bookmark.set")
        text = codec.encode(value, about=f"the bookmark of step {self.step!r}")
        self.keeper.bookmark(self.step, text)
        self.text = text


@types.coroutine
def in_step(
    bookmark: StepBookmark, effect: Callable[..., Awaitable[T]], *args: Any
) -> Generator[Any, Any, T]:
    """Await an effect as the step of `bookmark`, with a copy of the context of its body.

    What it sets in its context ends with it, since a pass that replays the step would not see it either.
    """
    # As `yield from awaited(effect, *args)` (PEP 380), each of its steps in the context. A task of its own
    # would do the same, and cost two more turns of the loop.
    context = contextvars.copy_context()
    run = context.run
    run(current_step.set, bookmark)
    try:
        made = run(effect, *args)
        under_way: Coroutine[Any, Any, T] = made if type(made) is CoroutineType else _coroutine(made)
        try:
            yielded = run(under_way.send, None)
            while True:
                try:
                    sent = yield yielded
                except BaseException as error:
                    yielded = run(under_way.throw, error)
                else:
                    yielded = run(under_way.send, sent)
        except StopIteration as ended:
            value: T = ended.value
            return value
    except PASSES:
        raise
    except BaseException as error:
        refuse_exit(error)


async def _coroutine(effect: Awaitable[T]) -> T:
    return await effect


def in_context(bookmark: StepBookmark, call: Callable[[], T]) -> Callable[[], T]:
    """An effect to be called on a thread as the step of `bookmark`, with the context of its body."""
    context = contextvars.copy_context()
    context.run(current_step.set, bookmark)
    return functools.partial(context.run, called, call)
