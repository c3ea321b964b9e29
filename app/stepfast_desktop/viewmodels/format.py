"""States, times, durations and numbers as a person reads them, and what they mean for a row.

Moments are shown in local time. Everything that is a word, the names of months too, goes through `translate`;
numbers and times of day are written as the user's region has them (`regional.py`).
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Literal, TypeAlias, assert_never

from stepfast import Progress, Summary
from stepfast.state import (
    FINISHED,
    AnswerWait,
    Blocked,
    Cancelled,
    ChildWait,
    Completed,
    Failed,
    Paused,
    Queued,
    RetryWait,
    Running,
    Sleeping,
    State,
    Waiting,
)
from stepfast_desktop.viewmodels import regional
from stepfast_desktop.viewmodels.words import known, translate

__all__ = [
    "Tone",
    "bar_fraction",
    "clock_text",
    "count_text",
    "date_text",
    "duration_text",
    "elapsed",
    "exact_time_text",
    "label_text",
    "number_text",
    "percent_text",
    "progress_fraction",
    "progress_text",
    "readable",
    "remaining",
    "share_of",
    "size_text",
    "state_text",
    "time_text",
    "tone",
]

Tone: TypeAlias = Literal["quiet", "active", "asking", "good", "uneven", "bad"]
"""What a state means to whoever looks: nothing to see, at work, needs you, done, done but, went wrong."""

MOMENT = 60.0
LEAST_ELAPSED = 2.0
"""Seconds before which no estimate is worth showing."""

# What would hide, reverse or break the text around it: controls, and the marks that turn its direction.
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


# --- rows -----------------------------------------------------------------------------------------------


def state_text(summary: Summary, now: datetime | None = None) -> str:
    """The state, with what one wants to know beside it: "Completed, 3 problems", "Sleeping until 14:05"."""
    state = summary.state
    if summary.intent is not None:
        asked = {"pause": translate("State", "Pausing"), "cancel": translate("State", "Cancelling")}
        return asked.get(summary.intent, summary.intent)
    match state:
        case Queued():
            return translate("State", "Queued")
        case Running():
            return translate("State", "Running")
        case Sleeping(until, RetryWait(_, _, attempt, attempts, error)):
            again = translate("State", "Trying again at {time}, attempt {attempt} of {attempts}: {error}")
            return again.format(
                time=_short_time(until, now),
                attempt=attempt,
                attempts=attempts,
                error=readable(known(error)),
            )
        case Sleeping(until):
            return translate("State", "Sleeping until {time}").format(time=_short_time(until, now))
        case Waiting(waits):
            if any(isinstance(wait, AnswerWait) for wait in waits):
                return translate("State", "Waiting for an answer")
            if any(isinstance(wait, ChildWait) for wait in waits):
                return translate("State", "Waiting for another task")
            return translate("State", "Waiting for a message")
        case Paused():
            return translate("State", "Paused")
        case Blocked():
            return translate("State", "Blocked: needs you")
        case Completed():
            return _with_problems(translate("State", "Completed"), summary.problems)
        case Failed():
            return _with_problems(translate("State", "Failed"), summary.problems)
        case Cancelled():
            return translate("State", "Cancelled")
        case _:
            assert_never(state)


def tone(summary: Summary) -> Tone:
    """What the state means, for whoever colours it."""
    state: State = summary.state
    match state:
        case Running():
            return "active"
        case Waiting(waits):
            return "asking" if any(isinstance(wait, AnswerWait) for wait in waits) else "quiet"
        case Blocked():
            return "asking"
        case Completed():
            return "uneven" if summary.problems else "good"
        case Failed():
            return "bad"
        case Queued() | Sleeping() | Paused() | Cancelled():
            return "quiet"
        case _:
            assert_never(state)


def share_of(progress: Progress | None) -> float | None:
    """How much of the whole is done, from 0 to 1; None where the body cannot say."""
    if progress is None or progress.total is None or progress.total <= 0:
        return None
    if not (math.isfinite(progress.total) and math.isfinite(progress.done)):
        return None
    return min(max(progress.done / progress.total, 0.0), 1.0)


def progress_fraction(summary: Summary) -> float | None:
    """How much of the bar is full, from 0 to 1; None where nobody knows, which is not the same as 0."""
    return 1.0 if isinstance(summary.state, Completed) else share_of(summary.progress)


def bar_fraction(summary: Summary) -> float | None:
    """How much of the bar in a list is full, from 0 to 1; None where there is none to be drawn.

    A full one beside "Completed" says nothing, and a list of them hides those that move.
    """
    return None if isinstance(summary.state, Completed) else share_of(summary.progress)


def progress_text(summary: Summary) -> str:
    """What stands on the bar: "33%, 1 of 3 files"; empty where nothing is known."""
    progress = summary.progress
    if progress is None:
        return ""
    said = readable(known(progress.text))
    if isinstance(summary.state, Completed):
        return said
    share = share_of(progress)
    if share is not None and not said:
        return percent_text(share)
    if share is not None:
        return translate("Progress", "{percent}, {said}").format(percent=percent_text(share), said=said)
    if said or not math.isfinite(progress.done) or not progress.done:
        return said
    return translate("Progress", "{count} so far").format(count=number_text(progress.done))


def elapsed(summary: Summary, now: datetime) -> float | None:
    """Seconds from its first start to its end, or to now; whole ones while it goes on, as it is shown anew
    each second. None where it has not started.
    """
    if summary.started_at is None:
        return None
    if summary.state.name in FINISHED:
        end = summary.finished_at or now
        return max((end - summary.started_at).total_seconds(), 0.0)
    return float(math.floor(max((now - summary.started_at).total_seconds(), 0.0)))


def remaining(summary: Summary, now: datetime) -> float | None:
    """An estimate, in seconds, rounded to what it is worth; None unless it runs and says how far it is.

    From how fast it went since it was started last: what was done before a pause says nothing of that.
    """
    progress, share, passed = summary.progress, share_of(summary.progress), elapsed(summary, now)
    if not isinstance(summary.state, Running) or summary.intent is not None or progress is None:
        return None
    before = 0.0
    if progress.from_at is not None:
        passed = now.timestamp() - progress.from_at
        before = progress.from_done / progress.total if progress.total else 0.0
    if share is None or not before < share < 1.0 or passed is None or passed < LEAST_ELAPSED:
        return None
    seconds = passed * (1.0 - share) / (share - before)
    step = 1 if seconds < 10 else 5 if seconds < 60 else 10 if seconds < 600 else 60
    return float(max(round(seconds / step), 1) * step)


def _with_problems(text: str, problems: int) -> str:
    if not problems:
        return text
    count = translate("State", "%n problem(s)", None, problems)
    return translate("State", "{state}, {problems}").format(state=text, problems=count)


# --- times ----------------------------------------------------------------------------------------------


def duration_text(seconds: float) -> str:
    """A span as exact as one wants to know it: "40 ms", "3.2 s", "3 min 20 s", "2 h 7 min", "3 d 4 h"."""
    if not math.isfinite(seconds):
        return ""
    seconds = max(seconds, 0.0)
    if 0 < seconds < 0.9995:
        return translate("Duration", "{n} ms").format(n=number_text(max(round(seconds * 1000), 1)))
    if seconds < 9.95 and seconds != int(seconds):
        return translate("Duration", "{n} s").format(n=number_text(seconds, 1))
    whole = round(seconds)
    if whole < 60:
        return translate("Duration", "{n} s").format(n=whole)
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        if not rest:
            return translate("Duration", "{n} min").format(n=minutes)
        return translate("Duration", "{n} min {seconds} s").format(n=minutes, seconds=rest)
    hours, rest = divmod(minutes, 60)
    if hours < 48:
        if not rest:
            return translate("Duration", "{n} h").format(n=hours)
        return translate("Duration", "{n} h {minutes} min").format(n=hours, minutes=rest)
    days, rest = divmod(hours, 24)
    if not rest:
        return translate("Duration", "{n} d").format(n=number_text(days))
    return translate("Duration", "{n} d {hours} h").format(n=number_text(days), hours=rest)


def time_text(at: datetime, now: datetime) -> str:
    """A moment: "a moment ago", "today 14:05", "yesterday 14:05", "28 Nov 14:05", "28 Nov 2024 14:05"."""
    seconds = (now - at).total_seconds()
    if 0 <= seconds < MOMENT:
        return translate("Time", "a moment ago")
    if -MOMENT < seconds < 0:
        return translate("Time", "in a moment")
    local, today = at.astimezone(), now.astimezone()
    clock = regional.clock(local)
    match (local.date() - today.date()).days:
        case 0:
            return translate("Time", "today {clock}").format(clock=clock)
        case -1:
            return translate("Time", "yesterday {clock}").format(clock=clock)
        case 1:
            return translate("Time", "tomorrow {clock}").format(clock=clock)
    day = _day_text(local, with_year=local.year != today.year)
    return translate("Time", "{day} {clock}").format(day=day, clock=clock)


def exact_time_text(at: datetime, now: datetime) -> str:
    """A moment to the second: "today 14:05:33", "28 Nov 14:05:33", with the year where it is another."""
    local, clock = at.astimezone(), regional.clock(at.astimezone(), seconds=True)
    if local.date() == now.astimezone().date():
        return translate("Time", "today {clock}").format(clock=clock)
    day = _day_text(local, with_year=local.year != now.astimezone().year)
    return translate("Time", "{day} {clock}").format(day=day, clock=clock)


def date_text(at: datetime) -> str:
    """A moment that is long over: "28 Nov 2024 14:05"."""
    local = at.astimezone()
    day = _day_text(local, with_year=True)
    return translate("Time", "{day} {clock}").format(day=day, clock=regional.clock(local))


def clock_text(at: datetime, now: datetime) -> str:
    """A moment in a column of them: "14:05:33", and with the day where that is not today."""
    today = at.astimezone().date() == now.astimezone().date()
    return regional.clock(at.astimezone(), seconds=True) if today else exact_time_text(at, now)


def _short_time(at: datetime, now: datetime | None) -> str:
    local, today = at.astimezone(), (now or datetime.now(UTC)).astimezone()
    if local.date() == today.date():
        return regional.clock(local)
    return _day_text(local, with_year=local.year != today.year)


def _day_text(local: datetime, *, with_year: bool) -> str:
    month = _month_text(local.month)
    if with_year:
        return translate("Time", "{day} {month} {year}").format(day=local.day, month=month, year=local.year)
    return translate("Time", "{day} {month}").format(day=local.day, month=month)


def _month_text(month: int) -> str:
    # Not strftime's, whose language is the C library's and not the window's.
    names = (
        translate("Month", "Jan"),
        translate("Month", "Feb"),
        translate("Month", "Mar"),
        translate("Month", "Apr"),
        translate("Month", "May"),
        translate("Month", "Jun"),
        translate("Month", "Jul"),
        translate("Month", "Aug"),
        translate("Month", "Sep"),
        translate("Month", "Oct"),
        translate("Month", "Nov"),
        translate("Month", "Dec"),
    )
    return names[month - 1]


# --- numbers and text -----------------------------------------------------------------------------------


def number_text(value: float, digits: int = 0) -> str:
    """A number with so many decimals, its thousands apart."""
    return regional.number(value, digits)


def count_text(value: float) -> str:
    """A number as it is: without decimals where it has none."""
    if abs(value) >= 2**53 or not math.isfinite(value):
        return str(value)
    if value == int(value):
        return number_text(value)
    short = f"{value:.6g}"
    return short if "e" in short else regional.number(value, len(short.partition(".")[2]))


def percent_text(share: float) -> str:
    """A share from 0 to 1 in whole percent, and never 100 before all is done."""
    # Not 28 for 29 of 100, which is a little less than 0.29 of a whole.
    whole = 100 if share >= 1 else min(math.floor(share * 100 + 1e-9), 99)
    return translate("Number", "{n}%", "a percentage").format(n=whole)


def size_text(size: float) -> str:
    """Bytes, in the decimal units that disks are sold by: "999 bytes", "16.8 MB"."""
    if not math.isfinite(size):
        return ""
    if abs(size) < 999.5:
        return translate("Size", "%n byte(s)", None, round(size)) if size >= 0 else count_text(size)
    unit = "kB"
    size /= 1000
    for larger in ("MB", "GB", "TB", "PB"):
        if abs(size) < 999.5:
            break
        unit, size = larger, size / 1000
    digits = 0 if abs(size) >= 99.95 else 1
    return translate("Size", "{n} {unit}").format(n=number_text(size, digits), unit=unit)


def label_text(name: str) -> str:
    """The name of a parameter or a field as a label: "already_there" is "Already there"."""
    text = readable(name).replace("_", " ").strip()
    return text[:1].upper() + text[1:]


def readable(text: str) -> str:
    """`text` with whatever would hide, turn round or damage what stands beside it made visible.

    Names of files and lines of a log hold anything: control characters, halves of characters that Qt cannot
    take, marks that reverse the reading direction.
    """
    if text.isprintable():
        return text
    return "".join(map(_visible, text))


def _visible(character: str) -> str:
    if character in "\n\t" or character.isprintable():
        return character
    # Joiners are no letters either, and without them a family becomes three people.
    if ord(character) >= 0xA0 and character not in _TURNING and not 0xD800 <= ord(character) < 0xE000:
        return character
    return character.encode("unicode_escape").decode()
