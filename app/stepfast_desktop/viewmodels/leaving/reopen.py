"""What is to be done once a window is closed that a person wants opened again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["Reopen"]


@dataclass(frozen=True, slots=True)
class Reopen:
    """Once the window is closed, and the engine with it, the file is opened again.

    Args:
        backup: what is put in its place before.
    """

    backup: Path | None = None
