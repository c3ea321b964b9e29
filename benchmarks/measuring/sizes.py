"""How much of everything is measured, and where."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

__all__ = ["FULL", "QUICK", "Place", "Sizes"]


@dataclass(frozen=True)
class Sizes:
    """`FULL` is what the budgets are about; `QUICK` is a short run of everything, to see that it works."""

    rounds: int = 7
    raw: int = 300
    """Raw commits, before each measurement and after it."""
    in_a_row: int = 500
    workflows: int = 200
    steps_each: int = 10
    replayed: int = 500
    wakes: int = 40
    pause: float = 0.02
    """Seconds of idleness before each wakeup."""
    idle_seconds: float = 60.0
    settle_seconds: float = 3.0
    parked: int = 10_000
    """Sleeping workflows beside an idle engine, and as many that wait."""
    loaded: int = 200
    loads: int = 100
    writers: int = 20
    finished: int = 1_000_000
    ready: int = 100_000
    few: int = 10
    takes: int = 50
    listed: int = 100_000
    busy_rounds: int = 2
    busy_in_a_row: int = 100
    busy_raw: int = 50
    busy_wakes: int = 10
    dbos_rounds: int = 3
    dbos_in_a_row: int = 100
    dbos_wakes: int = 8


FULL = Sizes()
QUICK = replace(
    FULL,
    rounds=2,
    raw=20,
    in_a_row=20,
    workflows=20,
    steps_each=2,
    replayed=20,
    wakes=3,
    pause=0.005,
    idle_seconds=0.5,
    settle_seconds=0.2,
    parked=20,
    loaded=20,
    loads=5,
    writers=3,
    finished=1000,
    ready=200,
    takes=5,
    listed=1000,
    busy_rounds=1,
    busy_in_a_row=5,
    busy_raw=5,
    busy_wakes=2,
    dbos_rounds=1,
    dbos_in_a_row=10,
    dbos_wakes=2,
)


@dataclass(frozen=True)
class Place:
    """A folder on the disk to be measured, and how much to do there."""

    folder: Path
    sizes: Sizes

    def file(self, name: str) -> Path:
        """A database of that name."""
        return self.folder / f"{name}.db"

    def has(self, name: str) -> bool:
        return self.file(name).exists()
