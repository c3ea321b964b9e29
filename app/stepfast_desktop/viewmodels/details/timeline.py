"""The steps of one workflow on a time axis: a lane for each, with its attempts and the waits between them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from stepfast import Summary
from stepfast.body.retrying import FAILED, GAVE_UP, attempt_of
from stepfast.interfaces import Kind
from stepfast.state import FINISHED, Failed, Running, Sleeping, Waiting
from stepfast_desktop.viewmodels.details.waits import wait_text
from stepfast_desktop.viewmodels.format import clock_text, duration_text, number_text, readable
from stepfast_desktop.viewmodels.words import listed, translate

if TYPE_CHECKING:
    from stepfast.views import RecordOutline

__all__ = ["Lane", "Span", "SpanKind", "Timeline", "Window", "timeline_of"]

SpanKind: TypeAlias = Literal["done", "failed", "stopped", "running", "wait"]
"""An attempt that was recorded, that failed, that ended otherwise, that runs; or a time of waiting."""

STEPS = (1.0, 2.0, 5.0)
WHOLE = (60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0, 21600.0, 43200.0, 86400.0)
LEAST_SPAN = 0.001


@dataclass(frozen=True, slots=True)
class Span:
    """From `start` to `end`, in seconds since the epoch; `number` of the attempt, 0 for a wait."""

    kind: SpanKind
    start: float
    end: float
    number: int = 0


@dataclass(slots=True)
class Lane:
    """One step, sleep, answer, message or child. `step` is its name where one can rerun from it."""

    kind: str
    name: str
    step: str = ""
    spans: list[Span] = field(default_factory=list)

    @property
    def title(self) -> str:
        """Its name, as a person reads it."""
        name = readable(self.name) or translate("Timeline", "the whole workflow")
        match self.kind:
            case Kind.SLEEP | Kind.ANSWER | Kind.RECEIVED:
                return wait_text(self.kind, name)
            case Kind.CHILD:
                return translate("Timeline", "Task: {name}").format(name=name)
        return name

    @property
    def attempts(self) -> int:
        """How many attempts there were, the one that runs among them."""
        return max((span.number for span in self.spans), default=0)

    @property
    def seconds(self) -> float:
        """From its first beginning to its last end."""
        return max(0.0, self.spans[-1].end - self.spans[0].start) if self.spans else 0.0

    @property
    def text(self) -> str:
        """What a screen reader says: "upload:a.jpg, 3 attempts, 4.2 s"."""
        parts = [self.title]
        if self.attempts > 1:
            parts.append(translate("Timeline", "%n attempt(s)", None, self.attempts))
        match self.spans[-1].kind if self.spans else "":
            case "failed":
                parts.append(translate("Timeline", "failed"))
            case "stopped":
                parts.append(translate("Timeline", "not finished"))
            case "running":
                parts.append(translate("Timeline", "running"))
            case "wait" if self.kind == Kind.STEP:
                parts.append(translate("Timeline", "waits for the next attempt"))
        parts.append(duration_text(self.seconds))
        return listed(parts)

    def tip(self, now: datetime) -> str:
        """Each attempt and each wait on a line, with when it began and how long it took."""
        lines = [self.text]
        for span in self.spans[-12:]:
            began = clock_text(datetime.fromtimestamp(span.start, now.tzinfo), now)
            lines.append(f"{began}  {listed([_span_text(span), duration_text(span.end - span.start)])}")
        return "\n".join(lines)


def _span_text(span: Span) -> str:
    match span.kind:
        case "wait":
            return translate("Timeline", "waited")
        case "done":
            text = translate("Timeline", "attempt {number}, done")
        case "failed":
            text = translate("Timeline", "attempt {number}, failed")
        case "stopped":
            text = translate("Timeline", "attempt {number}, interrupted")
        case _:
            text = translate("Timeline", "attempt {number}, running")
    return text.format(number=span.number)


@dataclass(frozen=True, slots=True)
class Timeline:
    """The lanes in the order in which they began; `idle` are the times in which nothing of it went on."""

    lanes: tuple[Lane, ...] = ()
    start: float = 0.0
    end: float = 1.0
    idle: tuple[tuple[float, float], ...] = ()


def timeline_of(records: Sequence[RecordOutline], summary: Summary, now: datetime) -> Timeline:
    """The timeline of these records, in order, of a workflow that stands as `summary` says at `now`."""
    begun = summary.started_at or summary.created_at
    start, end = begun.timestamp(), (summary.finished_at or now).timestamp()
    if records:  # of one that was retried, or rerun
        start = min(start, records[0].started_at.timestamp())
    lanes: dict[tuple[str, str], Lane] = {}
    open_: dict[str, float] = {}  # attempts that began, and of which nothing else is known yet
    reached = start
    for record in records:
        began, ended = record.started_at.timestamp(), record.recorded_at.timestamp()
        if record.kind == Kind.BEGUN:
            open_[attempt_of(record.name)[0]] = began
        elif record.kind == Kind.ATTEMPT:
            step, number = attempt_of(record.name)
            _attempted(_lane(lanes, Kind.STEP, step), record, number, open_.pop(step, began), ended)
        elif record.kind == Kind.STEP:
            open_.pop(record.name, None)
            lane = _lane(lanes, Kind.STEP, record.name)
            _close_wait(lane, began)
            lane.spans.append(Span("done", began, ended, max(record.attempts, lane.attempts + 1)))
        elif record.kind == Kind.SLEEP:
            until = began if record.until is None else record.until.timestamp()
            _lane(lanes, Kind.SLEEP, record.name).spans.append(
                Span("wait", began, min(until, max(end, began)))
            )
        elif record.kind == Kind.STARTED:
            _lane(lanes, Kind.CHILD, record.name).spans.append(Span("wait", began, end))
        else:
            lane = _lane(lanes, record.kind, record.name)
            since = lane.spans.pop().start if lane.spans else min(reached, began)
            lane.spans.append(Span("wait", since, ended))
        reached = max(reached, ended)
    _add_current(lanes, open_, summary, reached, end)
    made = tuple(lanes.values())
    return Timeline(made, start, max(end, start + LEAST_SPAN), _idle(made, start, end))


def _lane(lanes: dict[tuple[str, str], Lane], kind: str, name: str) -> Lane:
    lane = lanes.get((kind, name))
    if lane is None:
        lane = lanes[kind, name] = Lane(kind, name, name if kind == Kind.STEP else "")
    return lane


def _attempted(lane: Lane, record: RecordOutline, number: int, began: float, ended: float) -> None:
    outcome, _, due = record.attempt or ("", "", None)
    _close_wait(lane, began)
    kind: SpanKind = "failed" if outcome in (FAILED, GAVE_UP) else "stopped"
    lane.spans.append(Span(kind, began, ended, number))
    if due is not None:
        lane.spans.append(Span("wait", ended, max(due, ended)))


def _close_wait(lane: Lane, began: float) -> None:
    """A wait lasts until the next attempt begins."""
    if lane.spans and lane.spans[-1].kind == "wait":
        wait = lane.spans.pop()
        lane.spans.append(Span("wait", wait.start, max(wait.start, began)))


def _add_current(
    lanes: dict[tuple[str, str], Lane], open_: dict[str, float], summary: Summary, reached: float, end: float
) -> None:
    """What goes on now: the step that runs, the one that failed, what is waited for."""
    state = summary.state
    for step, began in open_.items():
        lane = _lane(lanes, Kind.STEP, step)
        kind: SpanKind = "running" if isinstance(state, Running) else "stopped"
        lane.spans.append(Span(kind, began, max(began, end), lane.attempts + 1))
    if summary.step is not None and summary.step not in open_:
        match state:
            case Running():
                _go_on(lanes, summary.step, "running", reached, end)
            case Failed():
                _go_on(lanes, summary.step, "failed", reached, end)
    if isinstance(state, Waiting):
        for wait in state.waits[:100]:
            kind_of = {"AnswerWait": Kind.ANSWER, "MessageWait": Kind.RECEIVED}.get(type(wait).__name__)
            if kind_of is not None:
                _lane(lanes, kind_of, wait.name).spans.append(Span("wait", reached, max(reached, end)))
    if isinstance(state, Sleeping) and state.retry is not None and state.retry.name:
        _close_wait(_lane(lanes, Kind.STEP, state.retry.name), end)
    if summary.state.name in FINISHED:
        for lane in lanes.values():
            if lane.spans and lane.spans[-1].kind == "wait" and lane.kind == Kind.STEP:
                _close_wait(lane, min(lane.spans[-1].end, end))
    for key in [key for key, lane in lanes.items() if not lane.spans]:
        del lanes[key]


def _go_on(lanes: dict[tuple[str, str], Lane], step: str, kind: SpanKind, reached: float, end: float) -> None:
    """The attempt of which nothing is recorded: the one that runs, or the last one of a step that failed."""
    lane = _lane(lanes, Kind.STEP, step)
    if lane.spans and lane.spans[-1].kind != "wait":
        return
    began = min(lane.spans[-1].end, end) if lane.spans else reached
    _close_wait(lane, began)
    lane.spans.append(Span(kind, began, max(began, end), lane.attempts + 1))


def _idle(lanes: Sequence[Lane], start: float, end: float) -> tuple[tuple[float, float], ...]:
    """The gaps of a thousandth of the whole at least in which there is no span."""
    found: list[tuple[float, float]] = []
    reached = start
    for span in sorted((span for lane in lanes for span in lane.spans), key=lambda span: span.start):
        if span.start - reached > (end - start) / 1000:
            found.append((reached, span.start))
        reached = max(reached, span.end)
    if end - reached > (end - start) / 1000:
        found.append((reached, end))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a timeline that is seen: from `start` to `end`, in seconds since the epoch."""

    start: float
    end: float

    def zoomed(self, factor: float, around: float, whole: Timeline) -> Window:
        """`factor` times as near, with the moment `around` where it is; never beyond the whole."""
        least = max((whole.end - whole.start) / 1e6, LEAST_SPAN)
        length = min(max((self.end - self.start) / factor, least), whole.end - whole.start)
        share = (around - self.start) / (self.end - self.start)
        return Window(around - share * length, around + (1 - share) * length).within(whole)

    def moved(self, share: float, whole: Timeline) -> Window:
        """Moved by this share of what is seen."""
        by = share * (self.end - self.start)
        return Window(self.start + by, self.end + by).within(whole)

    def within(self, whole: Timeline) -> Window:
        """The same length of it, moved to where the timeline is."""
        length = min(self.end - self.start, whole.end - whole.start)
        start = min(max(self.start, whole.start), whole.end - length)
        return Window(start, start + length)

    def ticks(self, origin: float, most: int) -> Iterator[tuple[float, str]]:
        """Moments of the axis and what stands there: how long after `origin`; `most` of them."""
        apart = _apart((self.end - self.start) / max(1, most))
        number = math.ceil((self.start - origin) / apart - 1e-9)
        while (moment := origin + number * apart) <= self.end:
            yield moment, _axis_text(number * apart, apart)
            number += 1


def _apart(least: float) -> float:
    """A round number of seconds, `least` at least."""
    if least > STEPS[-1] * 10:
        return next((each for each in WHOLE if each >= least), math.ceil(least / 86400) * 86400.0)
    power = 10.0 ** math.floor(math.log10(least))
    return next(each * power for each in (*STEPS, 10.0) if each * power >= least * (1 - 1e-9))


def _axis_text(seconds: float, apart: float) -> str:
    if not seconds:
        return "0"
    if apart < 1:
        digits = max(1, -math.floor(math.log10(apart)))
        return translate("Timeline", "{number} s").format(number=number_text(seconds, digits))
    return duration_text(seconds)
