"""The step that is running, as its own code sees it: its bookmark, and that it is inside a step at all."""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from stepfast import codec
from stepfast.containing import called
from stepfast.noting import NoteKeeper

__all__ = ["StepBookmark", "current_step", "in_context", "in_step"]

T = TypeVar("T")

current_step: contextvars.ContextVar[StepBookmark | None] = contextvars.ContextVar("step", default=None)


@dataclass(slots=True)
class StepBookmark:
    """The bookmark of one running step; a `stepfast.run.Bookmark`."""

    step: str
    keeper: NoteKeeper
    text: str | None

    def get(self) -> object:
        return None if self.text is None else codec.decode(self.text, about=f"the bookmark of {self.step!r}")

    def set(self, value: object) -> None:
        self.text = codec.encode(value, about=f"the bookmark of step {self.step!r}")
        self.keeper.bookmark(self.step, self.text)


async def in_step(bookmark: StepBookmark, call: Callable[[], Awaitable[T]]) -> T:
    """Await an effect, in a task of its own, as the step of `bookmark`."""
    current_step.set(bookmark)
    return await call()


def in_context(bookmark: StepBookmark, call: Callable[[], T]) -> Callable[[], T]:
    """An effect to be called on a thread as the step of `bookmark`, with the context of its body."""
    context = contextvars.copy_context()
    context.run(current_step.set, bookmark)
    return functools.partial(context.run, called, call)
