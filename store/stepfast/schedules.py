"""Rules of schedules: when a workflow is to be started again and again, and what becomes of missed runs.

    await engine.schedule("nightly", backup(folder), Daily(at=time(3, 0)))
    await engine.schedule("hourly", check(), Every(timedelta(hours=1)), missed="skip")
    await engine.schedule("report", report(), Weekly(("mon", "thu"), at=time(8, 30), zone="Europe/Berlin"))

A time of day is local: of the zone that is named, or of the machine's own. Where a clock is put forward, a
time that this day does not have is the first moment after the gap; where it is put back, a time that the day
has twice is the first of the two. So each day has one run.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, TypeAlias, assert_never
from zoneinfo import ZoneInfo

from stepfast.definitions.definition import NAME
from stepfast.errors import InvalidInput

__all__ = [
    "MISSED",
    "Daily",
    "Every",
    "NextRun",
    "Rule",
    "Weekly",
    "check_schedule",
    "first_run",
    "is_off",
    "next_run",
    "planned",
    "rule_from",
    "rule_of",
    "rule_text",
    "run_id",
    "switched",
]

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MISSED = ("once", "skip")

# A run that comes later than this was missed. A timer of a machine that was busy, or has just woken, may be
# a minute late.
LATE_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Every:
    """Again and again after `interval`, a second at least; the first time one interval from now."""

    interval: timedelta

    def __post_init__(self) -> None:
        if not isinstance(self.interval, timedelta):
            raise InvalidInput(f"Every({self.interval!r}): a timedelta is needed")
        if self.interval < timedelta(seconds=1):
            raise InvalidInput(f"a schedule runs every second at most, and not every {self.interval!r}")


@dataclass(frozen=True, slots=True)
class Daily:
    """Each day at a time of day.

    Args:
        at: without a zone; seconds count, fractions of them do not.
        zone: the name of a zone ("Europe/Berlin"); the machine's own where it is None.
    """

    at: time
    zone: str | None = None

    def __post_init__(self) -> None:
        _check_time(self.at)
        _zone(self.zone)


@dataclass(frozen=True, slots=True)
class Weekly:
    """On some days of the week at a time of day.

    Args:
        days: of "mon", "tue", "wed", "thu", "fri", "sat" and "sun".
        at, zone: as for `Daily`.
    """

    days: tuple[str, ...]
    at: time
    zone: str | None = None

    def __init__(self, days: Iterable[str], at: time, zone: str | None = None) -> None:
        given = {days} if isinstance(days, str) else set(days)
        if not given or not given <= set(DAYS):
            raise InvalidInput(f"{days!r} are no days of the week; they are {', '.join(DAYS)}")
        _check_time(at)
        _zone(zone)
        object.__setattr__(self, "days", tuple(day for day in DAYS if day in given))
        object.__setattr__(self, "at", at)
        object.__setattr__(self, "zone", zone)


Rule: TypeAlias = Every | Daily | Weekly


@dataclass(frozen=True, slots=True)
class NextRun:
    """What is to be done about a run that is due: start it or leave it out, and when the next is due."""

    start: bool
    due: float


def check_schedule(name: str, missed: str) -> None:
    """Raise `InvalidInput` for what can be no name of a schedule, or no word on missed runs."""
    if NAME.fullmatch(name) is None:
        raise InvalidInput(
            f"{name!r} cannot be a schedule's name: at most 100 of a-z, 0-9, dot, dash and underscore, "
            "beginning with a letter or digit"
        )
    if missed not in MISSED:
        raise InvalidInput(f'missed={missed!r} is nothing that can be done; there are "once" and "skip"')


def run_id(name: str, due: float) -> str:
    """The id of the workflow that the schedule `name` starts for the moment `due`, seconds since the epoch.

    Whoever starts it gives it the same, so that two programs never start two.
    """
    return f"{name}@{datetime.fromtimestamp(due, UTC).isoformat().replace('+00:00', 'Z')}"


def first_run(rule: Rule, now: float) -> float:
    """When a schedule that is made now is due first."""
    if isinstance(rule, Every):
        return float(math.ceil(now + rule.interval.total_seconds()))
    return _after(rule, now, now)


def next_run(rule: Rule, missed: str, due: float, now: float) -> NextRun:
    """What is to be done at `now` about the run that was due at `due`.

    However many runs were missed, "once" starts one, and "skip" none; both go on with the first after now.
    """
    was_missed = now - due > LATE_SECONDS or _after(rule, due, due) <= now
    return NextRun(missed == "once" or not was_missed, _after(rule, due, max(due, now)))


def _after(rule: Rule, due: float, moment: float) -> float:
    """The first run after `moment`, given that one was due at `due`."""
    match rule:
        case Every(interval):
            seconds = interval.total_seconds()
            following = due + math.floor((moment - due) / seconds + 1) * seconds
            return following if following > moment else following + seconds
        case Daily(at, zone):
            return _next_at(at, zone, DAYS, moment)
        case Weekly(days, at, zone):
            return _next_at(at, zone, days, moment)
        case _:
            assert_never(rule)


# --- local time -----------------------------------------------------------------------------------


def _next_at(at: time, zone: str | None, days: tuple[str, ...], moment: float) -> float:
    info = _zone(zone)
    # From the day before: after a gap of a whole day, its run is on the next.
    day = _local(moment, info).date() - timedelta(days=1)
    while True:
        if DAYS[day.weekday()] in days and (found := _moment(day, at, info)) > moment:
            return found
        day += timedelta(days=1)


def _moment(day: date, at: time, zone: ZoneInfo | None) -> float:
    """A time of a day as seconds since the epoch: the first of two, or the end of the gap it falls into."""
    wanted = datetime.combine(day, at.replace(microsecond=0))
    found = wanted.replace(tzinfo=zone).timestamp()
    if _local(found, zone) == wanted:
        return found
    # In a gap. As if the clock had not been put forward yet, and as if it had been already: it is in between.
    before, after = wanted.replace(tzinfo=zone, fold=1).timestamp(), found
    low, high = sorted((math.floor(before), math.ceil(after)))
    shift = _shift(low, zone)
    while high - low > 1:
        middle = (low + high) // 2
        if _shift(middle, zone) == shift:
            low = middle
        else:
            high = middle
    return float(high)


def _shift(moment: float, zone: ZoneInfo | None) -> timedelta:
    """How far local time is from UTC."""
    return _local(moment, zone) - datetime.fromtimestamp(moment, UTC).replace(tzinfo=None)


def _local(moment: float, zone: ZoneInfo | None) -> datetime:
    """What clocks show, without a zone."""
    return datetime.fromtimestamp(moment, UTC).astimezone(zone).replace(tzinfo=None, fold=0)


def _zone(name: str | None) -> ZoneInfo | None:
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, TypeError, OSError) as error:
        raise InvalidInput(
            f"there is no time zone {name!r} on this machine; names are as in 'Europe/Berlin' (on Windows "
            "they come with the package tzdata)"
        ) from error


def _check_time(at: object) -> None:
    if not isinstance(at, time) or at.tzinfo is not None:
        raise InvalidInput(f"{at!r} is no time of day without a zone, as in time(3, 0); zone= names a zone")


# --- as text --------------------------------------------------------------------------------------


def rule_text(rule: Rule) -> str:
    """A rule as JSON; equal rules have equal texts. Raises `InvalidInput` for what is no rule."""
    match rule:
        case Every(interval):
            row: dict[str, Any] = {"every": interval.total_seconds()}
        case Daily(at, zone):
            row = {"daily": at.isoformat("seconds"), "zone": zone}
        case Weekly(days, at, zone):
            row = {"weekly": list(days), "at": at.isoformat("seconds"), "zone": zone}
        case _:
            raise InvalidInput(f"{rule!r} is no rule of a schedule; there are Every, Daily and Weekly")
    return json.dumps(row)


def rule_from(text: str) -> Rule:
    """The rule that `rule_text` wrote; raises `InvalidInput` where this machine cannot tell what it means."""
    match json.loads(text):
        case {"every": seconds}:
            return Every(timedelta(seconds=seconds))
        case {"daily": at, "zone": zone}:
            return Daily(time.fromisoformat(at), zone)
        case {"weekly": days, "at": at, "zone": zone}:
            return Weekly(days, time.fromisoformat(at), zone)
        case _:
            raise InvalidInput(f"{text!r} is no rule of a schedule that this version knows")


# --- on and off -----------------------------------------------------------------------------------


def is_off(text: str) -> bool:
    """Was the schedule whose rule is kept as `text` switched off?"""
    row = json.loads(text)
    return isinstance(row, dict) and row.get("off") is True


def rule_of(text: str) -> str:
    """The text of its rule alone, as `rule_text` has it."""
    if not is_off(text):
        return text
    row = json.loads(text)
    del row["off"]
    return json.dumps(row)


def switched(text: str, *, on: bool) -> str:
    """The text to be kept for the same rule, where the schedule is on or off."""
    return rule_of(text) if on else json.dumps(json.loads(text) | {"off": True})


def planned(rule: str, there: tuple[str, float | None] | None, now: float) -> tuple[str, float | None, float]:
    """A schedule that is kept now, with this rule, in the place of one with the rule and next run of `there`.

    Returns the text to be kept, the next run to be kept, and the next run if it is on. What a person has
    switched off stays so, whichever program schedules it again; and a rule may itself be `switched` off.
    """
    due = first_run(rule_from(rule), now)
    if is_off(rule) or (there is not None and is_off(there[0])):
        return switched(rule, on=False), None, due
    if there is None:
        return rule, due, due
    before, next_due = there
    if before == rule and next_due is not None:
        due = min(due, next_due)  # later than now's first run it is only where a clock was put back
    return rule, due, due
