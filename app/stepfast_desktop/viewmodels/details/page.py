"""What the details say of one workflow: its parts as plain texts, made from what the store holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from stepfast import Summary
from stepfast.interfaces import Kind
from stepfast.state import (
    FINISHED,
    AnswerWait,
    Blocked,
    Cancelled,
    ChildWait,
    Failed,
    MessageWait,
    Paused,
    Queued,
    RetryWait,
    Running,
    Sleeping,
    SleepWait,
    State,
    Wait,
    Waiting,
)
from stepfast_desktop.viewmodels.asking import asking_text, question_of
from stepfast_desktop.viewmodels.details.answers import hint_of
from stepfast_desktop.viewmodels.details.known import Known
from stepfast_desktop.viewmodels.details.values import Pair, pairs_of, shortened
from stepfast_desktop.viewmodels.details.waits import try_text, wait_text
from stepfast_desktop.viewmodels.format import (
    Tone,
    clock_text,
    duration_text,
    elapsed,
    exact_time_text,
    progress_fraction,
    progress_text,
    readable,
    remaining,
    state_text,
    time_text,
    tone,
)
from stepfast_desktop.viewmodels.words import known, translate

if TYPE_CHECKING:
    from stepfast import Details, Failure
    from stepfast.views import RecordOutline

__all__ = [
    "MOST_PROBLEMS",
    "Asked",
    "FailureText",
    "Outcome",
    "StatePart",
    "StepRow",
    "current_step",
    "outcome_of",
    "state_part",
    "step_row",
]

MOST_PROBLEMS = 200
MOST_WAITS = 20

# A definition or a body that breaks the engine's rules: no cause that a person at the window can mend.
FAULTS_OF_THE_CODE = frozenset(
    {
        "DefinitionError",
        "DuplicateStep",
        "LeftBehind",
        "RunClosed",
        "StepExited",
        "SwallowedSuspension",
        "UnstorableValue",
    }
)


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer that it waits for, in words: `hint` says what fits."""

    label: str
    hint: str


@dataclass(frozen=True, slots=True)
class StatePart:
    """What changes while it runs. `needs` says why it does not go on, `fraction` is of the progress bar.

    `continue_with` is a version that a person may let it go on with, where nothing has its own;
    `failed_at` the step that a finished one failed at, "" where it did not.
    """

    title: str
    id: str
    text: str
    tone: Tone
    fraction: float | None
    progress: str
    running: bool
    facts: tuple[Pair, ...]
    needs: str
    asked: tuple[Asked, ...]
    can_retry: bool
    can_resume: bool
    continue_with: int | None = None
    failed_at: str = ""


@dataclass(frozen=True, slots=True)
class FailureText:
    """Why it failed, in the order in which one wants to know."""

    headline: str
    message: str
    advice: str
    traceback: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it. `problems` are the first of `problem_count`."""

    result: tuple[Pair, ...] = ()
    failure: FailureText | None = None
    problems: tuple[Pair, ...] = ()
    problem_count: int = 0

    @property
    def more_problems(self) -> str:
        """How many problems are not among those shown; empty where all are."""
        more = self.problem_count - len(self.problems)
        return translate("Details", "and %n more", None, more) if more > 0 else ""


class StepRow(NamedTuple):
    """One step, sleep, answer or message; `position` is None for the step that is not recorded yet.

    There may be many thousands, so each is only what its texts are made of, which are asked for as it is
    seen. `seconds` is how long a step took, `said` what stands there instead.
    """

    position: int | None
    kind: str
    label: str
    started_at: datetime | None
    seconds: float | None
    tries: int
    said: str

    @property
    def name(self) -> str:
        name = readable(self.label)
        match self.kind:
            case Kind.SLEEP | Kind.ANSWER | Kind.RECEIVED:
                return wait_text(self.kind, name)
            case Kind.STARTED:
                return translate("Details", "Started: {name}").format(name=name)
            case Kind.CHILD:
                return translate("Details", "Ended: {name}").format(name=name)
            case Kind.ATTEMPT | Kind.BEGUN:
                return try_text(self.kind, name)
        return name

    @property
    def step(self) -> str:
        """The step that one can rerun from; empty where it is none."""
        if self.kind in (Kind.ATTEMPT, Kind.BEGUN):
            return self.label.partition(":")[2]
        return self.label if self.kind == Kind.STEP else ""

    @property
    def started(self) -> str:
        return "" if self.started_at is None else clock_text(self.started_at, datetime.now(UTC))

    @property
    def took(self) -> str:
        return self.said if self.seconds is None else duration_text(self.seconds)

    @property
    def attempts(self) -> str:
        """How many it took, where that was more than one."""
        return str(self.tries) if self.tries > 1 else ""


def state_part(summary: Summary, known: Known, now: datetime) -> StatePart:
    """How the workflow stands at `now`."""
    state = summary.state
    return StatePart(
        title=readable(known.title),
        id=readable(summary.id),
        text=(asking_text(state) if summary.intent is None else "") or state_text(summary, now),
        tone=tone(summary),
        fraction=progress_fraction(summary),
        progress=progress_text(summary),
        running=isinstance(state, Running),
        facts=_facts(summary, now),
        needs=_needs(summary, known, now),
        asked=_asked(state),
        can_retry=isinstance(state, Failed | Cancelled),
        can_resume=isinstance(state, Paused),
        continue_with=None if isinstance(state, Running) or state.name in FINISHED else known.newest,
        failed_at=summary.step or "" if isinstance(state, Failed) else "",
    )


def outcome_of(details: Details) -> Outcome:
    """What the workflow came to, as far as it has."""
    completed = details.summary.state.name == "completed"
    problems = details.problems[:MOST_PROBLEMS]
    return Outcome(
        result=pairs_of(details.result) if completed else (),
        failure=None if details.failure is None else _failure_text(details.failure),
        problems=tuple(Pair(readable(known(each.about)), readable(known(each.message))) for each in problems),
        problem_count=max(details.summary.problems, len(details.problems)),
    )


def step_row(record: RecordOutline) -> StepRow:
    """The row of what is recorded."""
    seconds = None
    if record.kind in (Kind.STEP, Kind.ATTEMPT):  # the others are recorded the moment they come
        seconds = (record.recorded_at - record.started_at).total_seconds()
    return StepRow(record.position, record.kind, record.name, record.started_at, seconds, record.attempts, "")


def current_step(summary: Summary) -> StepRow | None:
    """The row of the step that it is at, or failed at; None where there is none."""
    if summary.step is None:
        return None
    match summary.state:
        case Running():
            said = translate("Details", "running")
        case Failed():
            said = translate("Details", "failed")
        case _:
            said = translate("Details", "not finished")
    return StepRow(None, Kind.STEP, summary.step, None, None, 0, said)


def _facts(summary: Summary, now: datetime) -> tuple[Pair, ...]:
    facts: list[Pair] = []
    if summary.step is not None and not isinstance(summary.state, Failed):
        facts.append(Pair(translate("Details", "Step"), readable(summary.step)))
    if summary.started_at is None:
        facts.append(Pair(translate("Details", "Created"), exact_time_text(summary.created_at, now)))
    else:
        facts.append(Pair(translate("Details", "Started"), exact_time_text(summary.started_at, now)))
    if summary.finished_at is not None:
        facts.append(Pair(translate("Details", "Finished"), exact_time_text(summary.finished_at, now)))
    passed = elapsed(summary, now)
    if passed is not None and summary.state.name in FINISHED:
        facts.append(Pair(translate("Details", "Took"), duration_text(passed)))
    elif passed is not None and isinstance(summary.state, Running):
        # Of one that is parked it would stand still, as nobody counts its seconds.
        facts.append(Pair(translate("Details", "Elapsed"), duration_text(passed)))
    left = remaining(summary, now)
    if left is not None:
        about = translate("Details", "about {duration}").format(duration=duration_text(left))
        facts.append(Pair(translate("Details", "Remaining"), about))
    facts.append(Pair(translate("Details", "Name"), readable(summary.id)))
    return tuple(facts)


def _needs(summary: Summary, of: Known, now: datetime) -> str:
    if summary.removed_at is not None:
        return translate("Details", "It was removed from the list.")
    if summary.intent == "pause":
        return translate("Details", "It pauses as soon as the step that runs lets go.")
    if summary.intent == "cancel":
        return translate("Details", "It ends as soon as the step that runs lets go.")
    state = summary.state
    match state:
        case Queued() if not of.runnable and of.newest is not None:
            return translate(
                "Details",
                "Nothing that is open has version {version} of “{name}”, with which it began. This program "
                "has version {newest}, which does not say that it can go on with it: ask whoever wrote it, "
                "or let it go on and see.",
            ).format(name=readable(summary.name), version=summary.version, newest=of.newest)
        case Queued() if not of.runnable:
            return translate(
                "Details",
                "No program that is open can run “{name}”, version {version}. Open one that can, "
                "and it goes on.",
            ).format(name=readable(summary.name), version=summary.version)
        case Queued():
            return of.turn or translate("Turn", "It starts as soon as it is its turn.")
        case Sleeping(until, RetryWait(name, _, attempt, attempts, error)):
            again = translate(
                "Details",
                "“{step}” failed: {error}\nIt is tried again {time}, attempt {attempt} of {attempts}.",
            )
            return again.format(
                step=readable(name or of.title),
                error=readable(known(error)),
                time=time_text(until, now),
                attempt=attempt,
                attempts=attempts,
            )
        case Sleeping(until) if summary.started_at is None:
            return translate("Details", "It starts {time}.").format(time=time_text(until, now))
        case Sleeping(until):
            return translate("Details", "It goes on {time}.").format(time=time_text(until, now))
        case Waiting(waits):
            return _waits_text(waits, now)
        case Paused():
            return translate("Details", "Resume lets it go on where it was.")
        case Cancelled():
            return translate("Details", "Retry takes it up again where it ended.")
    return ""


def _waits_text(waits: Sequence[Wait], now: datetime) -> str:
    # Answers have a field of their own.
    lines = []
    for wait in waits[:MOST_WAITS]:
        match wait:
            case MessageWait(name):
                text = translate("Details", "It waits for the message “{name}”, which a program sends.")
                lines.append(text.format(name=readable(name)))
            case ChildWait(name):
                text = translate("Details", "It waits for the task “{name}”, which it started.")
                lines.append(text.format(name=readable(name)))
            case SleepWait(name, until):
                text = translate("Details", "“{name}” goes on {time}.")
                lines.append(text.format(name=readable(name), time=time_text(until, now)))
    return "\n".join(lines)


def _asked(state: State) -> tuple[Asked, ...]:
    match state:
        case Waiting(waits):
            answers = [each for each in waits if isinstance(each, AnswerWait)][:MOST_WAITS]
            return tuple(Asked(question_of(each), hint_of(each.form)) for each in answers)
        case Blocked(step):
            return (Asked(readable(step), translate("Details", "whether that step happened")),)
    return ()


def _failure_text(failure: Failure) -> FailureText:
    if failure.step:
        headline = translate("Details", "The step “{step}” failed").format(step=readable(failure.step))
    else:
        headline = translate("Details", "It failed between two steps")
    message, kind = readable(failure.message).strip(), readable(failure.type).rpartition(".")[2]
    if not message:
        message = kind
    elif " " not in message:
        # A KeyError says no more than the key.
        message = f"{kind}: {message}"
    else:
        message = known(message)
    if kind in FAULTS_OF_THE_CODE:
        advice = translate(
            "Details",
            "This is a fault in the workflow's own code. Copy the details and send them to whoever wrote it; "
            "with a version that is mended, Retry goes on from here.",
        )
    else:
        advice = translate(
            "Details",
            "Once the cause is mended, Retry goes on from the step that failed. What is finished "
            "stays finished.",
        )
    return FailureText(headline, shortened(message), advice, readable(failure.traceback).rstrip())
