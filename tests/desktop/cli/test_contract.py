"""What other tools rely on does not change. A test here that must be edited is a broken promise."""

import json
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import Any
from uuid import UUID

import pytest

from stepfast.passes.outcome import Failure
from stepfast.state import STATES, Cancelled, Completed, Failed, Paused, Queued, Running, State
from stepfast.views import Details, LogLine, Progress, StepRecord, Summary
from stepfast_desktop.cli.arguments import commands_of
from stepfast_desktop.cli.contract import Exit, details_fields, dumps, exit_of, plain, summary_fields

AT = datetime(2026, 11, 29, 16, 50, 1, 234567, tzinfo=timezone(timedelta(hours=1)))
SUMMARY = Summary(
    key=7,
    id="copy-1",
    name="copy-folder",
    version=1,
    state=Running(3),
    intent=None,
    priority=0,
    problems=2,
    step="copy:1",
    progress=Progress(1.0, 4.0, "1 of 4"),
    created_at=AT,
    started_at=AT + timedelta(seconds=1),
    finished_at=None,
    removed_at=None,
    change=9,
)


class Colour(Enum):
    RED = "red"


@dataclass
class Report:
    files: int
    where: PurePosixPath


def test_a_row_of_list_has_exactly_these_fields() -> None:
    assert json.loads(dumps(summary_fields(SUMMARY))) == {
        "id": "copy-1",
        "name": "copy-folder",
        "version": 1,
        "state": "running",
        "problems": 2,
        "step": "copy:1",
        "progress": {"done": 1, "total": 4, "text": "1 of 4"},
        "created_at": "2026-11-29T15:50:01.234Z",
        "started_at": "2026-11-29T15:50:02.234Z",
        "finished_at": None,
    }


def test_what_is_not_there_is_null() -> None:
    row = summary_fields(replace(SUMMARY, step=None, progress=None, started_at=None))
    assert (row["step"], row["progress"], row["started_at"]) == (None, None, None)
    counting = summary_fields(replace(SUMMARY, progress=Progress(2.5, None, "")))
    assert counting["progress"] == {"done": 2.5, "total": None, "text": ""}


def test_show_adds_exactly_these_fields() -> None:
    records = [
        StepRecord("step", "scan", "[]", 1, AT, AT + timedelta(seconds=2), 3),
        StepRecord("answer", "scan", "1", 2, AT, AT, 1),
    ]
    log = [LogLine(3, AT, "warning", None, "slow"), LogLine(4, AT, "info", "scan", "done")]
    details = Details(
        SUMMARY, {"source": PurePosixPath("/a")}, None, Failure("OSError", "gone", "Trace", "scan"), ()
    )
    shown: Any = json.loads(dumps(details_fields(details, records, log)))
    assert {name: shown[name] for name in shown if name not in summary_fields(SUMMARY)} == {
        "input": {"source": "/a"},
        "result": None,
        "error": {"type": "OSError", "message": "gone", "step": "scan", "traceback": "Trace"},
        # An answer is no step, and may have a step's name.
        "steps": [
            {
                "name": "scan",
                "started_at": "2026-11-29T15:50:01.234Z",
                "recorded_at": "2026-11-29T15:50:03.234Z",
                "attempts": 3,
            }
        ],
        "log": [
            {"at": "2026-11-29T15:50:01.234Z", "level": "warning", "step": None, "text": "slow"},
            {"at": "2026-11-29T15:50:01.234Z", "level": "info", "step": "scan", "text": "done"},
        ],
    }
    assert details_fields(replace(details, failure=None), [], [])["error"] is None


def test_the_exit_codes_are_these() -> None:
    assert {each.name: each.value for each in Exit} == {
        "DONE": 0,
        "FAILED": 1,
        "USAGE": 2,
        "PROBLEMS": 3,
        "NEEDS_PERSON": 4,
        "OUR_FAULT": 70,
    }


@pytest.mark.parametrize(
    ("state", "problems", "exit_code"),
    [
        (Completed(AT, 0), 0, 0),
        (Completed(AT, 3), 3, 3),
        (Failed(AT, 3), 3, 1),
        (Cancelled(AT), 0, 1),
        (Paused(), 0, 4),
        (Queued(), 0, 4),
    ],
)
def test_a_state_has_its_exit_code(state: State, problems: int, exit_code: int) -> None:
    assert exit_of(replace(SUMMARY, state=state, problems=problems)) == exit_code


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (10**400, 10**400),
        (0.5, 0.5),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        ("é", "é"),
        (PurePosixPath("/a/b"), "/a/b"),
        (PurePosixPath("/a/\udc80"), "/a/?"),
        (datetime(2026, 11, 29, 16, 50, tzinfo=UTC), "2026-11-29T16:50:00.000Z"),
        (datetime(2026, 11, 29, 16, 50), "2026-11-29T16:50:00"),  # noqa: DTZ001
        (date(2026, 11, 29), "2026-11-29"),
        (time(16, 50), "16:50:00"),
        (timedelta(minutes=90), "1h30m"),
        (Decimal("1.50"), "1.50"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (b"\x00\xff", "AP8="),
        ((1, (2,)), [1, [2]]),
        ({3, 1}, [1, 3]),
        ({"a": (1,), 2: "b", None: 0, (1, 2): 3}, {"a": [1], "2": "b", "null": 0, "[1, 2]": 3}),
        (Colour.RED, "red"),
        (Report(3, PurePosixPath("/a")), {"files": 3, "where": "/a"}),
    ],
)
def test_a_value_is_shown_in_what_json_has(value: object, shown: object) -> None:
    assert plain(value) == shown
    assert json.loads(dumps(plain(value))) == shown


def test_the_page_names_every_command_code_and_field() -> None:
    page = (Path(__file__).parents[3] / "docs" / "command-line.md").read_text("utf-8")
    details = details_fields(Details(SUMMARY, {}, None, None, ()), [], [])
    missing = [name for name in details if f"`{name}`" not in page]
    missing += [state for state in STATES if f"`{state}`" not in page]
    missing += [each.name for each in Exit if f"| {each.value} |" not in page]
    missing += [command for command in commands_of({}) if f"`{command}" not in page]
    assert missing == []


def test_json_is_ascii_whatever_is_in_it() -> None:
    assert dumps({"name": "日本\x1b"}).isascii()
