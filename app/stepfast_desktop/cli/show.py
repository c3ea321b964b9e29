"""What `list` and `show` print for a person. Each function makes lines and writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import zip_longest
from typing import TYPE_CHECKING

from stepfast.interfaces import Kind
from stepfast.state import FINISHED, Waiting
from stepfast.views import StepRecord, Summary
from stepfast_desktop.viewmodels.format import duration_text

from .console import fit, one_line, width_of
from .words import (
    Program,
    at_of,
    clock_of,
    count_of,
    day_of,
    needed_of,
    pairs_of,
    percent_of,
    state_of,
    wait_of,
)

if TYPE_CHECKING:
    from stepfast.passes.outcome import Problem
    from stepfast.views import Details, LogLine

__all__ = ["columns_of", "details_lines", "indented", "outcome_lines", "problem_lines", "table_lines"]

LAST = 20
"""How many steps, log lines and problems are shown before one must ask for all."""

# What a table gives up, in this order and down to so many columns, to fit a terminal. Never an id:
# that is what one copies into the next command.
SHRINKS = (("step", 12), ("name", 8), ("step", 0), ("started", 0), ("progress", 0), ("name", 0))
TITLES = ("id", "name", "state", "progress", "step", "started")
GAP = "  "


def table_lines(rows: Sequence[Summary], columns: int | None) -> list[str]:
    """The table of `list`, no wider than `columns`; None is as wide as it comes."""
    cells = [{title: title.upper() for title in TITLES}, *map(_cells, rows)]
    widths = {title: max(width_of(cell[title]) for cell in cells) for title in TITLES}
    for title, least in SHRINKS:
        over = sum(widths.values()) + len(GAP) * (sum(map(bool, widths.values())) - 1) - (columns or 10**9)
        if over > 0 and widths[title] > least:
            widths[title] = max(widths[title] - over, least) if least else 0
    return [
        GAP.join(_padded(cell[title], widths[title]) for title in TITLES if widths[title]).rstrip()
        for cell in cells
    ]


def _cells(row: Summary) -> dict[str, str]:
    pending = row.state.name not in FINISHED
    return {
        "id": one_line(row.id),
        "name": one_line(row.name),
        "state": row.state.name,
        "progress": percent_of(row.progress) if pending else "",
        "step": at_of(row),
        "started": day_of(row.started_at),
    }


def details_lines(
    details: Details,
    history: Sequence[StepRecord],
    log: Sequence[LogLine],
    program: Program,
    turn: Sequence[str] = (),
) -> list[str]:
    """The page of `show`; `turn` says what it waits for while it is queued."""
    summary = details.summary
    facts = [("id", summary.id), ("state", state_of(summary))]
    if summary.progress is not None and summary.state.name not in FINISHED:
        shown = f"{percent_of(summary.progress)}{GAP}{one_line(summary.progress.text)}".strip()
        facts.append(("progress", shown or "-"))
    if summary.step is not None and summary.state.name not in FINISHED:
        facts.append(("step", one_line(summary.step)))
    facts.append(("created", clock_of(summary.created_at)))
    facts.append(("started", clock_of(summary.started_at)))
    if summary.finished_at is not None:
        facts.append(("finished", f"{clock_of(summary.finished_at)}{_took(summary)}"))

    lines = [f"{one_line(summary.name)}, version {summary.version}", *indented(columns_of(facts))]
    if isinstance(summary.state, Waiting):
        lines += _section("WAITS FOR", [wait_of(wait) for wait in summary.state.waits])
    lines += _section("WAITS FOR", turn)
    lines += _section("TO DO", needed_of(summary, program))
    lines += _section("INPUT", columns_of(pairs_of(details.input)))
    lines += _section("OUTCOME", outcome_lines(details, program, traceback=True))
    lines += _section("PROBLEMS", problem_lines(details.problems))
    steps = [
        (
            clock_of(record.recorded_at),
            duration_text(_seconds(record.started_at, record.recorded_at)),
            _of(record),
        )
        for record in history
    ]
    everything = program.command("show", summary.id, "--json")
    lines += _section("STEPS", _last(columns_of(steps), everything))
    lines += _section("LOG", _last([_log_line(line) for line in log], everything))
    return lines


def outcome_lines(details: Details, program: Program, *, traceback: bool = False) -> list[str]:
    """The result of a workflow that completed, or why it failed and what can be done."""
    if details.failure is not None:
        failure = details.failure
        where = f"step {failure.step!r}" if failure.step else "the workflow"
        lines = [f"{where} failed with {failure.type}:", f"    {failure.message or '(it says no more)'}"]
        if traceback and failure.traceback:
            lines += indented(failure.traceback.rstrip().splitlines(), 4)
        again = program.command("retry", details.summary.id)
        return [*lines, "mend the cause, then carry on from the last finished step with", f"    {again}"]
    if details.summary.state.name == "completed" and details.result is not None:
        return columns_of(pairs_of(details.result))
    return []


def problem_lines(problems: Sequence[Problem], most: int | None = None) -> list[str]:
    """What did not work and did not stop the rest; with `most`, the caller says where the others are."""
    shown = problems if most is None else problems[:most]
    return [f"{one_line(problem.about)}: {one_line(problem.message)}" for problem in shown]


def columns_of(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows of cells as lines, each column as wide as its widest cell."""
    widths = [max(map(width_of, column)) for column in zip_longest(*rows, fillvalue="")]
    return [
        GAP.join(_padded(cell, width) for cell, width in zip(row, widths, strict=False) if width).rstrip()
        for row in rows
    ]


def indented(lines: Sequence[str], columns: int = 2) -> list[str]:
    """The lines moved to the right."""
    return [f"{' ' * columns}{line}" for line in lines]


def _padded(text: str, width: int) -> str:
    text = fit(text, width)
    return text + " " * (width - width_of(text))


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return ["", title, *indented(lines)] if lines else []


def _last(lines: list[str], everything: str) -> list[str]:
    if len(lines) <= LAST:
        return lines
    return [f"({len(lines) - LAST:,} earlier ones: {everything})", *lines[-LAST:]]


def _log_line(line: LogLine) -> str:
    level = "" if line.level == "info" else f"{line.level}: "
    return f"{clock_of(line.at)}{GAP}{level}{one_line(line.text)}"


def _of(record: StepRecord) -> str:
    kind = "" if record.kind == Kind.STEP else f"{record.kind} "
    tries = f"  ({count_of(record.attempts, 'attempt')})" if record.attempts > 1 else ""
    return f"{kind}{one_line(record.name)}{tries}"


def _took(summary: Summary) -> str:
    if summary.started_at is None or summary.finished_at is None:
        return ""
    return f", after {duration_text(_seconds(summary.started_at, summary.finished_at))}"


def _seconds(start: datetime, end: datetime) -> float:
    return (end - start).total_seconds()
