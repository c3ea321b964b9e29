"""Small values kept as JSON in a row, and rows as the values of `stepfast.views` and `stepfast.state`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, assert_never

from stepfast import state as states
from stepfast.state import (
    AnswerWait,
    ChildWait,
    InterruptWait,
    MessageWait,
    RetryWait,
    SleepWait,
    State,
    Wait,
)
from stepfast.views import Progress, Summary

if TYPE_CHECKING:
    from stepfast.passes.outcome import Failure

__all__ = ["failure_from", "failure_text", "summary", "waits_text", "when"]


def when(seconds: float | None) -> datetime | None:
    """A moment as kept in the file (seconds since the epoch) as an aware datetime."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def waits_text(waits: Sequence[Wait]) -> str | None:
    """The waits of a suspended workflow, for its row."""
    if not waits:
        return None
    return json.dumps([_wait_row(each) for each in waits], separators=(",", ":"))


def _wait_row(wait: Wait) -> list[Any]:
    match wait:
        case RetryWait(name, until, attempt, attempts, error):
            return ["retry", name, until.timestamp(), attempt, attempts, error]
        case SleepWait(name, until):
            return ["sleep", name, until.timestamp()]
        case AnswerWait(name, form):
            return ["answer", name, form]
        case MessageWait(name):
            return ["message", name]
        case ChildWait(name):
            return ["child", name]
        case InterruptWait(name):
            return ["interrupt", name]
        case _:
            assert_never(wait)


def _waits_from(text: str | None) -> tuple[Wait, ...]:
    made: list[Wait] = []
    for row in json.loads(text) if text else ():
        match row:
            case ["sleep", name, until]:
                made.append(SleepWait(name, datetime.fromtimestamp(until, UTC)))
            case ["retry", name, until, attempt, attempts, error]:
                until = datetime.fromtimestamp(until, UTC)
                made.append(RetryWait(name, until, attempt, attempts, error))
            case ["interrupt", name]:
                made.append(InterruptWait(name))
            case ["answer", name, form]:
                made.append(AnswerWait(name, form))
            case ["message", name]:
                made.append(MessageWait(name))
            case ["child", name]:
                made.append(ChildWait(name))
            case _:
                raise AssertionError(f"a row holds a wait of an unknown kind: {row!r}")
    return tuple(made)


def failure_text(failure: Failure | None) -> str | None:
    """A failure, for the payload's row."""
    if failure is None:
        return None
    row = [failure.type, failure.message, failure.traceback, failure.step]
    # A message may carry anything, lone surrogates too, which SQLite's text cannot: ASCII escapes can.
    return json.dumps(row)


def failure_from(text: str | None) -> Failure | None:
    """The failure that `failure_text` wrote."""
    if text is None:
        return None
    from stepfast.passes.outcome import Failure

    return Failure(*json.loads(text))


def summary(row: Sequence[Any]) -> Summary:
    """A row of `list_statements.SUMMARIES`."""
    key, id, name, version, state, intent, priority, problems, waits, owner, change, step, text = row[:13]
    done, total, from_done, from_at = (None if each is None else float(each) for each in row[13:17])
    due, created, started, finished, removed = (
        None if each is None else datetime.fromtimestamp(float(each), UTC) for each in row[17:22]
    )
    attempts, parent, parent_id, place = row[22:]
    assert created is not None
    return Summary(
        key=key,
        id=id,
        name=name,
        version=version,
        state=_state(state, due=due, waits=waits, owner=owner, finished=finished, problems=problems),
        intent=intent,
        priority=priority,
        problems=problems,
        step=None if state in ("completed", "cancelled") else step,
        progress=None if done is None else Progress(done, total, text, from_done or 0.0, from_at),
        created_at=created,
        started_at=started,
        finished_at=finished,
        removed_at=removed,
        change=change,
        attempts=attempts,
        parent=parent,
        parent_id=parent_id,
        place=place,
    )


def _state(
    name: str,
    *,
    due: datetime | None,
    waits: str | None,
    owner: int | None,
    finished: datetime | None,
    problems: int,
) -> State:
    match name:
        case "queued":
            return states.Queued()
        case "running" if owner is not None:
            return states.Running(owner)
        case "sleeping" if due is not None:
            return states.sleeping(due, _waits_from(waits))
        case "waiting":
            return states.Waiting(_waits_from(waits))
        case "paused":
            return states.Paused()
        case "blocked":
            return states.blocked(_waits_from(waits))
        case "completed" if finished is not None:
            return states.Completed(finished, problems)
        case "failed" if finished is not None:
            return states.Failed(finished, problems)
        case "cancelled" if finished is not None:
            return states.Cancelled(finished)
        case _:
            raise AssertionError(f"a row is {name!r} and lacks what that state needs")
