"""`Retry`: whether what failed is tried again, and when; and how one attempt is kept in the checkpoint."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from stepfast.errors import BodyError, DefinitionError, StoreError, WorkflowTimedOut

__all__ = [
    "FAILED",
    "GAVE_UP",
    "INTERRUPTED",
    "STOPPED",
    "Attempted",
    "Retry",
    "attempt_name",
    "attempt_of",
    "check_retry",
    "check_timeout",
]

FAILED = "failed"
STOPPED = "stopped"  # by a pause, a cancel or the end of the program: it counts for nothing
INTERRUPTED = "interrupted"  # the program died under it, and it was found, or said, that it did not happen
GAVE_UP = "gave up"  # interrupted, and a person said that nothing is to be done about it

LONGEST_TRACEBACK = 8_000


@dataclass(frozen=True)
class Retry:
    """How often a step, or a body, that raised is tried, and how long after.

    Args:
        attempts: how often in all, the first time included.
        first: the wait before the second attempt.
        factor: each wait is so many times the one before.
        most: no wait is longer.
        jitter: the share, 0 to 1, by which a wait may be shorter, so that what failed together does not come
            back together; what part of it is drawn from the workflow, the step and the number of the attempt.
        on: what is worth another attempt: an exception class, several, or a function of the exception. What a
            body broke (`BodyError`, `DefinitionError`) never is.

    Raises `DefinitionError` for what makes no sense.
    """

    attempts: int = 3
    first: timedelta = timedelta(seconds=1)
    factor: float = 2.0
    most: timedelta = timedelta(minutes=5)
    jitter: float = 0.1
    on: type[Exception] | tuple[type[Exception], ...] | Callable[[Exception], bool] = Exception

    def __post_init__(self) -> None:
        if type(self.attempts) is not int or self.attempts < 1:
            raise DefinitionError(f"Retry(attempts={self.attempts!r}): a whole number from 1 up is needed")
        for name, wait in (("first", self.first), ("most", self.most)):
            if wait < timedelta(0):
                raise DefinitionError(f"Retry({name}={wait!r}): a timedelta from 0 up is needed")
        if not self.factor >= 1:
            raise DefinitionError(f"Retry(factor={self.factor!r}): a number from 1 up is needed")
        if not 0 <= self.jitter <= 1:
            raise DefinitionError(f"Retry(jitter={self.jitter!r}): a number from 0 to 1 is needed")
        classes: tuple[object, ...] = self.on if isinstance(self.on, tuple) else (self.on,)
        for each in classes:
            if not callable(each) or inspect.iscoroutinefunction(each):
                from stepfast.definitions.handed import described

                given = repr(each) if callable(each) else described(each)
                raise DefinitionError(
                    f"Retry(on={given}): exception classes, or a plain function, are needed"
                )

    def covers(self, error: Exception) -> bool:
        """Is it worth another attempt, if there is one left?"""
        if isinstance(error, BodyError | DefinitionError | StoreError | WorkflowTimedOut):
            return False
        if isinstance(self.on, type | tuple):
            return isinstance(error, self.on)
        return bool(self.on(error))

    def wait_after(self, attempt: int, of: str) -> float:
        """Seconds between the end of an attempt (the first is 1) and the next; `of`: what is attempted."""
        most = self.most.total_seconds()
        try:
            wait = min(most, self.first.total_seconds() * self.factor ** (attempt - 1))
        except OverflowError:
            wait = most
        import hashlib

        drawn = hashlib.blake2b(f"{attempt}:{of}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return wait * (1 - self.jitter * int.from_bytes(drawn, "big") / 2**64)


class Attempted(NamedTuple):
    """One attempt at a step that came to no record.

    `kind` is one of the four above, `type`, `message` and `traceback` are of what it raised, and `due`
    (seconds since the epoch) is when the next one begins, None where there is none.
    """

    kind: str
    type: str = ""
    message: str = ""
    traceback: str = ""
    due: float | None = None

    @property
    def text(self) -> str:
        """As it is kept. ASCII: a message may hold what SQLite's text cannot."""
        if len(trace := self.traceback) > LONGEST_TRACEBACK:
            half = LONGEST_TRACEBACK // 2
            trace = f"{trace[:half]}\n...\n{trace[-half:]}"
        return json.dumps([self.kind, self.type, self.message[:LONGEST_TRACEBACK], trace, self.due])

    @classmethod
    def read(cls, text: str) -> Attempted:
        """What `text` was made of."""
        return cls(*json.loads(text))

    def __str__(self) -> str:
        return self.message or self.type


def attempt_name(step: str, number: int) -> str:
    """The name of the record of an attempt at a step, or of its beginning; "" for the body as a whole."""
    return f"{number}:{step}"


def attempt_of(name: str) -> tuple[str, int]:
    """The step and the number that `attempt_name` made a name of."""
    number, _, step = name.partition(":")
    return step, int(number)


def check_retry(retry: object) -> None:
    """Raise `DefinitionError` for what is neither a `Retry` nor None."""
    if retry is not None and not isinstance(retry, Retry):
        raise DefinitionError(f"retry={retry!r}: a Retry is needed, such as Retry(attempts=5)")


def check_timeout(timeout: object) -> None:
    """Raise `DefinitionError` for what is neither None nor a timedelta longer than 0."""
    if timeout is not None and not (isinstance(timeout, timedelta) and timeout > timedelta(0)):
        raise DefinitionError(f"timeout={timeout!r}: a timedelta longer than 0 is needed")
