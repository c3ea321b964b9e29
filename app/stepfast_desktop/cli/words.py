"""Values in a person's words: states, moments, progress, and commands to type.

Sizes, durations and shares are written as in the window: `viewmodels/format.py`.
"""

from __future__ import annotations

import json
import math
import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import assert_never

from stepfast.state import (
    AnswerWait,
    Blocked,
    Cancelled,
    ChildWait,
    Completed,
    Failed,
    InterruptWait,
    MessageWait,
    Paused,
    Queued,
    RetryWait,
    Running,
    Sleeping,
    SleepWait,
    Wait,
    Waiting,
)
from stepfast.views import Progress, Summary
from stepfast_desktop.viewmodels.details.values import number_text, tells_unit
from stepfast_desktop.viewmodels.format import percent_text, share_of

from .console import one_line
from .contract import dumps, plain

__all__ = [
    "ANY_JSON",
    "Program",
    "at_of",
    "bar_of",
    "clock_of",
    "count_of",
    "day_of",
    "example_of",
    "needed_of",
    "pairs_of",
    "percent_of",
    "state_of",
    "value_of",
    "wait_of",
]

ANY_JSON = "JSON"
"""Stands in a command for a value of which no example can be given."""


@dataclass(frozen=True, slots=True)
class Program:
    """How this program is called, so that what it tells a person to type finds the same file."""

    data: str | None = None
    loads: tuple[str, ...] = ()

    def command(self, *words: str) -> str:
        """The command line of `stepfast WORDS`, quoted for the shell that people have here."""
        # What is loaded is remembered here; for another user, or another machine's eyes, it is said too.
        loads = [part for each in self.loads for part in ("--load", each)] if words[:1] == ("work",) else []
        return self.typed([*(["--data", self.data] if self.data else []), *words, *loads])

    @staticmethod
    def typed(words: Sequence[str]) -> str:
        """The command line of exactly these arguments."""
        line = ["stepfast", *words]
        return subprocess.list2cmdline(line) if os.name == "nt" else shlex.join(line)


def state_of(summary: Summary) -> str:
    """The state, with what a person wants to know beside it."""
    state = summary.state
    match state:
        case Completed() | Failed() if summary.problems:
            return f"{state.name}, {count_of(summary.problems, 'problem')}"
        case Sleeping(until, RetryWait(_, _, attempt, attempts, error)):
            return f"trying again at {clock_of(until)}, attempt {attempt} of {attempts}: {one_line(error)}"
        case Sleeping():
            return f"sleeping until {clock_of(state.until)}"
        case Blocked():
            return f"blocked at {one_line(state.step)}"
        case Waiting() | Queued() | Running() | Paused() | Completed() | Failed() | Cancelled():
            return f"{state.name}, {summary.intent} asked" if summary.intent else state.name
        case _:
            assert_never(state)


def at_of(summary: Summary) -> str:
    """What it is at, on part of a line: the step, what it waits for, or what there is to know of its end."""
    if summary.intent:
        return f"{summary.intent} asked"
    match summary.state:
        case Sleeping(until, RetryWait(_, _, attempt, attempts, error)):
            return f"at {clock_of(until)}, attempt {attempt} of {attempts}: {one_line(error)}"
        case Sleeping(until):
            return f"until {clock_of(until)}"
        case Waiting(waits):
            return f"for {', '.join(map(wait_of, waits))}"
        case Blocked(step):
            return one_line(step)
        case Completed() | Failed() | Cancelled():
            return count_of(summary.problems, "problem") if summary.problems else ""
    return one_line(summary.step or "")


def needed_of(summary: Summary, program: Program) -> list[str]:
    """What a person can do so that a pending workflow goes on, line by line; empty where none is needed."""
    match summary.state:
        case Paused():
            return ["it is paused; go on with it by", f"    {program.command('resume', summary.id)}"]
        case Blocked(step):
            return [
                f"step {step!r} was interrupted, and only a person can tell whether it happened;",
                "if it did, say",
                f"    {program.command('answer', summary.id, step, 'JSON')}",
                "with what it came to (null for nothing); else let it run again, or give it up, by",
                f"    {program.command('answer', summary.id, step, '--again')}",
                f"    {program.command('answer', summary.id, step, '--give-up')}",
            ]
        case Waiting(waits) if any(isinstance(wait, AnswerWait) for wait in waits):
            lines = []
            for wait in waits:
                if isinstance(wait, AnswerWait):
                    lines.append(f"it waits for the answer {wait.name!r}; give it by")
                    lines.append(f"    {program.command('answer', summary.id, wait.name, example_of(wait))}")
            return lines
    return []


def wait_of(wait: Wait) -> str:
    """One branch that waits."""
    match wait:
        case AnswerWait(name):
            return f"answer {name!r}"
        case MessageWait(name):
            return f"message {name!r}"
        case ChildWait(name):
            return f"child {name!r}"
        case InterruptWait(name):
            return f"a word about step {name!r}"
        case RetryWait(name, until):
            return f"{clock_of(until)} ({name!r} again)"
        case SleepWait(name, until):
            return f"{clock_of(until)} ({name!r})"
        case _:
            assert_never(wait)


def example_of(wait: AnswerWait) -> str:
    """A JSON value of the kind that is asked for, to show that text needs its quotes; else `ANY_JSON`."""
    try:
        form = json.loads(wait.form or "{}")
    except ValueError:
        form = {}
    if not isinstance(form, dict):
        return ANY_JSON
    if isinstance(choices := form.get("enum"), list) and choices:
        return json.dumps(choices[0])
    examples = {"string": '"..."', "boolean": "true", "integer": "1", "number": "1", "array": "[]"}
    kind = form.get("type")
    return examples.get(kind, ANY_JSON) if isinstance(kind, str) else ANY_JSON


def clock_of(at: datetime | None, *, now: datetime | None = None) -> str:
    """A moment in local time: the time alone where it is today."""
    if at is None:
        return "-"
    local, today = at.astimezone(), (now or datetime.now(UTC)).astimezone()
    return f"{local:%H:%M:%S}" if local.date() == today.date() else f"{local:%Y-%m-%d %H:%M}"


def day_of(at: datetime | None, *, now: datetime | None = None) -> str:
    """A moment in few columns: the time where it is today, else the date."""
    if at is None:
        return "-"
    local, today = at.astimezone(), (now or datetime.now(UTC)).astimezone()
    return f"{local:%H:%M}" if local.date() == today.date() else f"{local:%Y-%m-%d}"


def count_of(number: int, noun: str) -> str:
    """`1 problem`, `2 problems`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent_of(progress: Progress | None) -> str:
    """The share in whole percent, and never 100% before all is done; the count where there is no whole."""
    if progress is None:
        return ""
    share = share_of(progress)
    if share is None:
        return f"{progress.done:,.0f}" if math.isfinite(progress.done) and progress.done else ""
    return percent_text(share)


def bar_of(progress: Progress, width: int, *, full: str = "#", empty: str = "-") -> str:
    """The share as a bar; nothing where the body cannot say."""
    share = share_of(progress)
    if share is None:
        return ""
    done = math.floor(share * width + 1e-9)
    return full * done + empty * (width - done)


def value_of(value: object) -> str:
    """A value of an input or a result on one line."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case str():
            return one_line(value)
    made = plain(value)
    return one_line(made) if isinstance(made, str) else dumps(made)


def pairs_of(value: object) -> list[tuple[str, str]]:
    """A value of names and values as lines of two columns; the name empty for any other value."""
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return [(one_line(key).replace("_", " "), _named(key, item)) for key, item in value.items()]
    return [("", value_of(value))]


def _named(name: str, value: object) -> str:
    """A value whose name may tell its unit, as it does in the reports of the workflows we ship."""
    if isinstance(value, int | float) and not isinstance(value, bool) and tells_unit(name):
        return number_text(value, name)
    return value_of(value)
