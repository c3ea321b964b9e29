"""A row of the window's table, and how spreads of milliseconds are written in it."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from measuring.figures import percentile

__all__ = ["TITLES", "Figure", "middle", "spread", "worst"]

TITLES = ("what", "measured", "an empty window of the same size", "budget", "met")


@dataclass(frozen=True)
class Figure:
    """One figure of ours beside the same of an empty window."""

    what: str
    measured: str
    beside: str = ""
    budget: str = ""
    met: bool | None = None

    def __str__(self) -> str:
        met = "" if self.met is None else "yes" if self.met else "NO"
        return f"| {self.what} | {self.measured} | {self.beside} | {self.budget} | {met} |"


def middle(milliseconds: Sequence[float]) -> str:
    """Median and range, of a few."""
    ordered = sorted(milliseconds)
    return f"{statistics.median(ordered):.0f} ms ({ordered[0]:.0f} to {ordered[-1]:.0f})"


def spread(milliseconds: Sequence[float]) -> str:
    """Median, percentiles and maximum, of many."""
    if not milliseconds:
        return "nothing"
    shares = ", ".join(f"{share * 100:g} % {percentile(milliseconds, share):.2f}" for share in (0.99, 0.999))
    return f"median {statistics.median(milliseconds):.2f}, {shares}, longest {max(milliseconds):.2f} ms"


def worst(milliseconds: Sequence[float], share: float) -> float:
    """What `share` of all do not exceed; where there is none, beyond every budget."""
    return percentile(milliseconds, share) if milliseconds else float("inf")
