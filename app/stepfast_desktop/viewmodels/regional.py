"""How numbers and times of day are written where the user lives.

Plain Python knows one way, the one of the texts as they are written; `qt/` puts the platform's in its place
when the application starts. What is a word, names of months too, is translated instead: see `words.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

__all__ = ["Regional", "clock", "number", "point", "use"]


class Regional(Protocol):
    """One way of writing them."""

    def number(self, value: float, digits: int) -> str:
        """A number with so many decimals, its thousands apart."""
        ...

    def clock(self, local: datetime, *, seconds: bool) -> str:
        """The time of day of a local moment, with its seconds or without."""
        ...


@dataclass(frozen=True, slots=True)
class AsWritten:
    """1,234.5 and 14:05:33."""

    def number(self, value: float, digits: int) -> str:
        return f"{value:,.{digits}f}"

    def clock(self, local: datetime, *, seconds: bool) -> str:
        # Not strftime, which takes four times as long, and a table asks twice for each row.
        clock = f"{local.hour:02}:{local.minute:02}"
        return f"{clock}:{local.second:02}" if seconds else clock


class _Used:
    regional: Regional = AsWritten()


def number(value: float, digits: int = 0) -> str:
    """A number with so many decimals, its thousands apart."""
    return _Used.regional.number(value, digits)


def point() -> str:
    """What stands before the decimals of a number: a comma, for most of Europe."""
    return number(0.5, 1)[1:-1]


def clock(local: datetime, *, seconds: bool = False) -> str:
    """The time of day of a local moment: "14:05", "2:05 PM"."""
    return _Used.regional.clock(local, seconds=seconds)


def use(instead: Regional | None) -> None:
    """Write them `instead` from now on; None for the way of the texts as they are written."""
    _Used.regional = instead or AsWritten()
