"""`start --wait`: what is seen of a workflow until it has finished, or needs a person.

On a terminal one line is redrawn a few times a second; elsewhere a line is written when the state
changes, so that a log of it stays short. Everything here goes to stderr.
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from stepfast import Engine
from stepfast.state import FINISHED
from stepfast.views import Summary
from stepfast_desktop.viewmodels.format import duration_text, share_of

from .console import Console, fit, one_line, width_of
from .show import LAST, indented, outcome_lines, problem_lines
from .words import (
    Program,
    bar_of,
    count_of,
    needed_of,
    percent_of,
    state_of,
)

if TYPE_CHECKING:
    from stepfast.views import Details

__all__ = ["ending_lines", "progress_line", "watch"]

SECONDS_BETWEEN_LOOKS = 0.25
SHORTEST_BAR, LONGEST_BAR = 6, 20


async def watch(engine: Engine, id: str, console: Console, program: Program) -> Details:
    """Show how a workflow gets on; return what is known of it once it has finished or needs a person."""
    finished = asyncio.ensure_future(engine.handle(id).finished())
    shown = ""
    try:
        while not finished.done():
            summary = await engine.summary(id)
            if summary.state.name in FINISHED:
                return await engine.get(id)
            if needed_of(summary, program):
                details = await engine.get(id)
                if needed_of(details.summary, program):  # else somebody did it between the two looks
                    return details
            # From a thread: a terminal that takes no output for a while must not stop the work.
            if console.redraws:
                await asyncio.to_thread(console.draw, progress_line(summary, console.room))
            elif state_of(summary) != shown:
                shown = state_of(summary)
                await asyncio.to_thread(console.say, shown)
            await asyncio.wait({finished}, timeout=SECONDS_BETWEEN_LOOKS)
        finished.result()
        return await engine.get(id)
    finally:
        if finished.cancel():
            await asyncio.wait({finished})


def progress_line(summary: Summary, columns: int) -> str:
    """State, bar, percent, what the body says of it, and the step.

    Where that is too wide the bar gets shorter, then the step goes, then the bar; only then is it cut.
    """
    state, step = state_of(summary), one_line(summary.step or "")
    if (progress := summary.progress) is None:
        return fit(_joined(state, step), columns)
    percent, text = percent_of(progress), one_line(progress.text)
    if share_of(progress) is None:
        return fit(_joined(state, percent, text, step), columns)
    room = columns - width_of(_joined(state, "-", percent, text, step)) + 1
    if room < SHORTEST_BAR:
        step = ""
        room = columns - width_of(_joined(state, "-", percent, text)) + 1
    if room < SHORTEST_BAR:
        return fit(_joined(state, percent, text), columns)
    full, empty = ("█", "░") if _can_show("█░") else ("#", "-")
    bar = bar_of(progress, min(room, LONGEST_BAR), full=full, empty=empty)
    return fit(_joined(state, bar, percent, text, step), columns)


def _joined(*parts: str) -> str:
    return "  ".join(part for part in parts if part)


def ending_lines(details: Details, program: Program) -> list[str]:
    """What the workflow came to, in plain words."""
    summary = details.summary
    if summary.state.name not in FINISHED:
        return needed_of(summary, program)
    took = ""
    if summary.started_at is not None and summary.finished_at is not None:
        took = f" in {duration_text((summary.finished_at - summary.started_at).total_seconds())}"
    problems = f" with {count_of(summary.problems, 'problem')}" if summary.problems else ""
    lines = [f"{summary.state.name}{problems}{took}", *indented(outcome_lines(details, program))]
    if details.problems:
        lines += ["problems:", *indented(problem_lines(details.problems[:LAST]))]
        if (more := len(details.problems) - LAST) > 0:
            lines.append(f"  and {more:,} more: {program.command('show', summary.id)}")
    return lines


def _can_show(text: str) -> bool:
    try:
        text.encode(sys.stderr.encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
