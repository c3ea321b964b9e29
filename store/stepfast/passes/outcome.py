"""What one pass came to: a value, matched exhaustively by whoever made the pass.

Inside a pass a suspension is an exception, since nothing else leaves the middle of somebody's function;
outside it is one of these.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field
from typing import TypeAlias

from stepfast.secrets import NOTHING, Veil
from stepfast.state import Wait

__all__ = ["Completed", "Failed", "Failure", "Halted", "Outcome", "Problem", "Suspended", "failure_of"]

LONGEST_TRACEBACK = 20_000


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a workflow failed, as text that opening the file can show without running anything."""

    type: str
    message: str
    traceback: str = ""
    step: str | None = None

    def __str__(self) -> str:
        where = f" (in step {self.step!r})" if self.step else ""
        return f"{self.type}: {self.message}{where}"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that did not work and did not stop the rest; `about` names the thing concerned."""

    about: str
    message: str


@dataclass(frozen=True, slots=True)
class Completed:
    """The body returned; `text` is its value as stored, `value` as the codec gives it back."""

    value: object
    text: str
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """The body, or a step that it did not expect to, raised."""

    failure: Failure
    problems: tuple[Problem, ...] = ()
    error: BaseException | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Suspended:
    """Nothing in the pass can move; `waits` has every branch that waits, never none."""

    waits: tuple[Wait, ...]


@dataclass(frozen=True, slots=True)
class Halted:
    """The pass was asked to stop, and did: for `"pause"`, `"cancel"` or `"park"` (the program quits)."""

    why: str


Outcome: TypeAlias = Completed | Failed | Suspended | Halted


def failure_of(error: BaseException, step: str | None = None, veil: Veil = NOTHING) -> Failure:
    """An exception as text that can be kept and shown without running anything; no secret is in it."""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    try:
        message = veil.masked(str(error))
    except Exception as broken:
        message = f"(its message cannot be shown: {type(broken).__name__})"
    # Before anything of it is left out: half a secret would not be found.
    trace = veil.masked("".join(traceback.format_exception(error)))
    if len(trace) > LONGEST_TRACEBACK:
        half = LONGEST_TRACEBACK // 2
        trace = f"{trace[:half]}\n... {len(trace) - 2 * half} characters left out ...\n{trace[-half:]}"
    return Failure(name, message[:LONGEST_TRACEBACK], trace, step)
