"""The columns of the table: what each is called, what it says of a row, and what it sorts by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from stepfast import Summary
from stepfast_desktop.viewmodels.format import (
    count_text,
    duration_text,
    elapsed,
    readable,
    remaining,
    state_text,
    time_text,
)
from stepfast_desktop.viewmodels.words import translate

__all__ = ["COLUMNS", "KIND", "NAME", "OF_TIME", "PROGRESS", "STATE", "Column", "Row", "column"]

Row = Summary
"""What a row of the table is made of."""


@dataclass(frozen=True, slots=True)
class Column:
    """`order` is one of `stepfast.views.ORDERS`, None where the store cannot sort; `width` in characters.

    `hidden`: not shown until somebody wants it. `text` is what it says of a row by itself; what the table
    knows besides is for `TableViewModel`.
    """

    name: str
    title: Callable[[], str]
    text: Callable[[Summary, datetime], str]
    order: str | None
    width: int
    hidden: bool = False


NAME = "name"
KIND = "kind"
PROGRESS = "progress"
STATE = "state"
OF_TIME = frozenset({"state", "started", "elapsed", "remaining", "finished"})
"""Those that say something else as time passes, whatever becomes of their rows."""

COLUMNS: tuple[Column, ...] = (
    Column(NAME, lambda: translate("Table", "Name"), lambda row, now: readable(row.id), "id", 21),
    Column(KIND, lambda: translate("Table", "Kind"), lambda row, now: readable(row.name), "name", 15),
    Column(STATE, lambda: translate("Table", "State"), lambda row, now: state_text(row), "state", 22),
    # Drawn by a delegate, as a bar with its text.
    Column(PROGRESS, lambda: translate("Table", "Progress"), lambda row, now: "", "progress", 20),
    Column(
        "step",
        lambda: translate("Table", "Step"),
        lambda row, now: readable(row.step or ""),
        "step",
        10,
    ),
    Column(
        "started",
        lambda: translate("Table", "Started"),
        lambda row, now: _time(row.started_at, now),
        "started",
        13,
    ),
    # Elapsed and remaining change by themselves, so that no store keeps them in order.
    Column(
        "elapsed",
        lambda: translate("Table", "Elapsed"),
        lambda row, now: _duration(elapsed(row, now)),
        None,
        11,
    ),
    Column(
        "remaining",
        lambda: translate("Table", "Remaining"),
        lambda row, now: _duration(remaining(row, now)),
        None,
        10,
    ),
    Column(
        "finished",
        lambda: translate("Table", "Finished"),
        lambda row, now: _time(row.finished_at, now),
        "finished",
        12,
    ),
    Column("id", lambda: translate("Table", "Id"), lambda row, now: readable(row.id), "id", 22, hidden=True),
    Column(
        "version",
        lambda: translate("Table", "Version"),
        lambda row, now: count_text(row.version),
        "version",
        8,
        hidden=True,
    ),
    Column(
        "attempts",
        lambda: translate("Table", "Failed attempts"),
        lambda row, now: count_text(row.attempts) if row.attempts else "",
        "attempts",
        14,
        hidden=True,
    ),
    Column(
        "priority",
        lambda: translate("Table", "Priority"),
        lambda row, now: count_text(row.priority),
        "priority",
        8,
        hidden=True,
    ),
)


def column(name: str) -> int:
    """The place of a column in `COLUMNS`."""
    return next(place for place, each in enumerate(COLUMNS) if each.name == name)


def _time(moment: datetime | None, now: datetime) -> str:
    return "" if moment is None else time_text(moment, now)


def _duration(seconds: float | None) -> str:
    return "" if seconds is None else duration_text(seconds)
