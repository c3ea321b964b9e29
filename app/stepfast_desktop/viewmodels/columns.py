"""The columns of the table: what each is called, what it says of a row, and what it sorts by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from stepfast import Summary
from stepfast_desktop.viewmodels.format import duration_text, elapsed, remaining, state_text, time_text
from stepfast_desktop.viewmodels.words import translate

__all__ = ["COLUMNS", "PROGRESS", "STATE", "Column", "Row"]

Row = Summary
"""What a row of the table is made of."""


@dataclass(frozen=True, slots=True)
class Column:
    """`order` is one of `stepfast.views.ORDERS`, None where the store cannot sort; `width` in characters."""

    name: str
    title: Callable[[], str]
    text: Callable[[Summary, datetime], str]
    order: str | None
    width: int


PROGRESS = "progress"
STATE = "state"

COLUMNS: tuple[Column, ...] = (
    Column("id", lambda: translate("Table", "Name"), lambda row, now: row.id, "id", 18),
    Column("name", lambda: translate("Table", "Kind"), lambda row, now: row.name, "name", 14),
    Column(STATE, lambda: translate("Table", "State"), lambda row, now: state_text(row), "state", 22),
    # Drawn by a delegate, as a bar with its text.
    Column(PROGRESS, lambda: translate("Table", "Progress"), lambda row, now: "", None, 36),
    Column("step", lambda: translate("Table", "Step"), lambda row, now: row.step or "", None, 11),
    Column(
        "started",
        lambda: translate("Table", "Started"),
        lambda row, now: _time(row.started_at, now),
        "started",
        14,
    ),
    Column(
        "elapsed",
        lambda: translate("Table", "Elapsed"),
        lambda row, now: _duration(elapsed(row, now)),
        None,
        9,
    ),
    Column(
        "remaining",
        lambda: translate("Table", "Remaining"),
        lambda row, now: _duration(remaining(row, now)),
        None,
        11,
    ),
    Column(
        "finished",
        lambda: translate("Table", "Finished"),
        lambda row, now: _time(row.finished_at, now),
        "finished",
        13,
    ),
)


def _time(moment: datetime | None, now: datetime) -> str:
    return "" if moment is None else time_text(moment, now)


def _duration(seconds: float | None) -> str:
    return "" if seconds is None else duration_text(seconds)
