"""How much of everything is measured of the window, and where."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

__all__ = ["FULL", "QUICK", "Place", "Sizes"]


@dataclass(frozen=True)
class Sizes:
    """`FULL` is what the budgets are about; `QUICK` is a short run of everything, to see that it works."""

    workflows: int = 100_000
    launches: int = 7
    scrolls: int = 200
    words: int = 12
    """Searches that are typed, a key at a time, and taken away again."""
    stall_seconds: float = 15.0
    lock_seconds: float = 60.0
    running: int = 50
    rate: int = 2000
    """Steps a second, of all that run together."""
    idle_seconds: float = 60.0
    sleeping: int = 10
    hidden_seconds: float = 5.0
    changes: int = 240_000
    """Of eight hours: what a person sees of them is as much as of the same in less time."""


FULL = Sizes()
QUICK = replace(
    FULL,
    workflows=400,
    launches=1,
    scrolls=4,
    words=1,
    stall_seconds=0.3,
    lock_seconds=0.3,
    running=4,
    rate=100,
    idle_seconds=0.3,
    sleeping=2,
    hidden_seconds=0.3,
    changes=300,
)


@dataclass(frozen=True)
class Place:
    """A folder on the disk to be measured, and how much to do there."""

    folder: Path
    sizes: Sizes
