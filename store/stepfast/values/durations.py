"""Durations as people write them: 90s, 5m, 1h30m, 2d, 1.5h; weeks, days, hours, minutes, s, ms in this order.

`read_duration` reads one, `duration_text` writes one.
"""

from __future__ import annotations

import re
from datetime import timedelta

__all__ = ["duration_text", "read_duration"]

WANTED = "write a duration with units: 90s, 5m, 1h30m, 2d"

_DURATION = (
    r"(?P<sign>-?)"
    r"(?:(?P<weeks>\d+(?:\.\d+)?)w)?"
    r"(?:(?P<days>\d+(?:\.\d+)?)d)?"
    r"(?:(?P<hours>\d+(?:\.\d+)?)h)?"
    r"(?:(?P<minutes>\d+(?:\.\d+)?)m)?"
    r"(?:(?P<seconds>\d+(?:\.\d+)?)s)?"
    r"(?:(?P<milliseconds>\d+(?:\.\d+)?)ms)?"
)


def read_duration(text: str) -> timedelta:
    """The duration that `text` says; spaces between the parts do no harm. Raises `ValueError`."""
    found = re.fullmatch(_DURATION, "".join(text.split()).lower())
    # Without a unit nobody can tell seconds from minutes, so a bare number is refused.
    if found is None:
        raise ValueError(WANTED)
    parts = {unit: float(number) for unit, number in found.groupdict().items() if unit != "sign" and number}
    if not parts:
        raise ValueError(WANTED)
    try:
        duration = timedelta(**parts)
    except OverflowError:
        raise ValueError("it is longer than any duration can be") from None
    return -duration if found["sign"] else duration


def duration_text(duration: timedelta) -> str:
    """A text that `read_duration` takes for this duration, such as 1h30m."""
    if duration < timedelta(0):
        return f"-{duration_text(-duration)}"
    minutes, seconds = divmod(duration.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    exact = f"{seconds}.{duration.microseconds:06}".rstrip("0").rstrip(".")
    parts = ((duration.days, "d"), (hours, "h"), (minutes, "m"), (exact, "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number not in (0, "0")) or "0s"
