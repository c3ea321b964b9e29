"""What other tools rely on: the exit codes, and the fields that `--json` gives.

`docs/command-line.md` is this module in words, and `tests/desktop/cli/test_contract.py` freezes it. A
field may be added to `show`; none is renamed, dropped or given another meaning.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import Enum, IntEnum
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeAlias

from stepfast.definitions.annotations import json_of
from stepfast.interfaces import Kind
from stepfast.state import Cancelled, Completed, Failed
from stepfast.views import Progress, StepRecord, Summary

if TYPE_CHECKING:
    from stepfast.views import Details, LogLine

__all__ = ["Exit", "Json", "details_fields", "dumps", "exit_of", "plain", "summary_fields"]

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None


class Exit(IntEnum):
    """How a command ended. One that a signal stopped ends with 128 and the signal's number."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    PROBLEMS = 3
    NEEDS_PERSON = 4
    OUR_FAULT = 70  # EX_SOFTWARE of sysexits.h


def exit_of(summary: Summary) -> Exit:
    """How `--wait` ends for a finished workflow; one that is pending when it ends needs a person."""
    match summary.state:
        case Completed():
            return Exit.PROBLEMS if summary.problems else Exit.DONE
        case Failed() | Cancelled():
            return Exit.FAILED
        case _:
            return Exit.NEEDS_PERSON


def summary_fields(summary: Summary) -> dict[str, Json]:
    """One object of `list --json`."""
    return {
        "id": summary.id,
        "name": summary.name,
        "version": summary.version,
        "state": summary.state.name,
        "problems": summary.problems,
        "step": summary.step,
        "progress": _progress(summary.progress),
        "created_at": _moment(summary.created_at),
        "started_at": _moment(summary.started_at),
        "finished_at": _moment(summary.finished_at),
    }


def details_fields(
    details: Details, history: Iterable[StepRecord], log: Iterable[LogLine]
) -> dict[str, Json]:
    """The object of `show --json`."""
    failure = details.failure
    return {
        **summary_fields(details.summary),
        "input": plain(details.input),
        "result": plain(details.result),
        "error": None
        if failure is None
        else {
            "type": failure.type,
            "message": failure.message,
            "step": failure.step,
            "traceback": failure.traceback,
        },
        # Answers, messages and sleeps are records too, in name spaces of their own: a tool that looks
        # for a name that stands there twice would find one that does not.
        "steps": [
            {
                "name": record.name,
                "started_at": _moment(record.started_at),
                "recorded_at": _moment(record.recorded_at),
                "attempts": record.attempts,
            }
            for record in history
            if record.kind == Kind.STEP
        ],
        "log": [
            {"at": _moment(line.at), "level": line.level, "step": line.step, "text": line.text}
            for line in log
        ],
    }


def plain(value: object) -> Json:
    """`value` in what JSON has: sequences and sets as arrays, all that JSON lacks as text.

    For reading, not for reading back: a path and a text look the same afterwards.
    """
    match value:
        case None | bool() | str():
            return value
        case Enum():
            return plain(value.value)
        case int():
            return int(value)
        case float():
            return value if math.isfinite(value) else str(value)
        case datetime():
            return _moment(value) if value.tzinfo else value.isoformat()
        case date() | time():
            return value.isoformat()
        case timedelta():
            return str(json_of(value))
        case PurePath():
            # A name that is no text has half characters in it, at which strict readers refuse the whole.
            return str(value).encode("utf-8", "replace").decode()
        case bytes():
            return base64.b64encode(value).decode("ascii")
        case Mapping():
            return {_key(key): plain(item) for key, item in value.items()}
        case set() | frozenset():
            return sorted((plain(item) for item in value), key=dumps)
        case Sequence():
            return [plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return str(value)


def dumps(value: Json, *, indent: int | None = None) -> str:
    """JSON in ASCII, so that no terminal's or pipe's encoding can spoil a name of a file."""
    return json.dumps(value, indent=indent, allow_nan=False)


def _key(key: object) -> str:
    made = plain(key)
    return made if isinstance(made, str) else dumps(made)


def _progress(progress: Progress | None) -> Json:
    if progress is None:
        return None
    return {"done": _number(progress.done), "total": _number(progress.total), "text": progress.text}


def _number(number: float | None) -> int | float | None:
    """Bytes and files are counted whole; what is no number (0 / 0) is as good as not known."""
    if number is None or not math.isfinite(number):
        return None
    return int(number) if float(number).is_integer() else number


def _moment(at: datetime | None) -> str | None:
    if at is None:
        return None
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
