"""A row of the table, and how medians, ranges and units are written in it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["TITLES", "Row", "header", "microseconds", "milliseconds", "percentile", "ranged", "times"]

TITLES = ("what", "measured: median (range)", "beside it", "ratio", "budget", "met", "CPU us a step")


@dataclass(frozen=True)
class Row:
    """One figure, beside what it is measured against."""

    what: str
    measured: str
    beside: str = ""
    ratio: str = ""
    budget: str = ""
    met: bool | None = None
    cpu: str = ""
    """Microseconds of the process's CPU a step, all threads together."""

    def __str__(self) -> str:
        met = "" if self.met is None else "yes" if self.met else "NO"
        cells = (self.what, self.measured, self.beside, self.ratio, self.budget, met, self.cpu)
        return f"| {' | '.join(cells)} |"


def header(titles: Iterable[str] = TITLES) -> str:
    """The first two lines of a table."""
    names = list(titles)
    return f"| {' | '.join(names)} |\n| {' | '.join('---' for _ in names)} |"


def ranged(seconds: Iterable[float]) -> str:
    """Median and range of some times, in the unit that suits the median."""
    values = sorted(seconds)
    middle = statistics.median(values)
    scale, unit = (1e6, "us") if middle < 1e-3 else (1e3, "ms") if middle < 1 else (1.0, "s")
    return f"{_short(middle * scale)} {unit}{_range([each * scale for each in values])}"


def times(ratios: Iterable[float], what: str = "") -> str:
    """Median and range of some ratios."""
    values = sorted(ratios)
    return f"{_short(statistics.median(values))} x{what and ' ' + what}{_range(values)}"


def microseconds(seconds: Iterable[float]) -> str:
    """The median alone, without its unit."""
    return f"{statistics.median(seconds) * 1e6:.0f}"


def milliseconds(seconds: float) -> str:
    return f"{_short(seconds * 1e3)} ms"


def percentile(values: Iterable[float], share: float) -> float:
    """The smallest value that `share` of all do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _range(ordered: Sequence[float]) -> str:
    return "" if len(ordered) == 1 else f" ({_short(ordered[0])} to {_short(ordered[-1])})"


def _short(value: float) -> str:
    """Three digits that say something: 0.83, 4.32, 18.3, 388."""
    digits = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:,.{digits}f}"
