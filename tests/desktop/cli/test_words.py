"""What a person reads: nothing too wide, no id cut, and nothing that is not so."""

import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from stepfast.state import (
    AnswerWait,
    Blocked,
    Completed,
    MessageWait,
    Paused,
    Queued,
    Running,
    Sleeping,
    SleepWait,
    State,
    Waiting,
)
from stepfast.views import Progress, Summary
from stepfast_desktop.cli.console import fit, one_line, width_of
from stepfast_desktop.cli.show import table_lines
from stepfast_desktop.cli.waiting import progress_line
from stepfast_desktop.cli.words import (
    Program,
    bar_of,
    clock_of,
    day_of,
    needed_of,
    pairs_of,
    percent_of,
    state_of,
)

NOW = datetime.now(UTC)
ROW = Summary(
    key=1,
    id="a-rather-long-id-0123456789",
    name="copy-folder",
    version=1,
    state=Running(1),
    intent=None,
    priority=0,
    problems=0,
    step="copy:000123 and what else is in its name",
    progress=Progress(1.0, 3.0, "1 of 3"),
    created_at=NOW,
    started_at=NOW - timedelta(days=3),
    finished_at=None,
    removed_at=None,
    change=1,
)
ROWS = [
    ROW,
    replace(ROW, id="日本", state=Waiting((AnswerWait("approved-by"),))),
    replace(ROW, id="x", state=Sleeping(NOW), step=None, progress=None, started_at=None),
    replace(ROW, id="done", state=Completed(NOW, 3), problems=3),
]


@pytest.mark.parametrize("columns", [200, 100, 80, 72, 60, 50, 40])
def test_a_table_fits_the_terminal_and_cuts_no_id(columns: int) -> None:
    lines = table_lines(ROWS, columns)
    assert max(map(width_of, lines)) <= columns
    assert len(lines) == 1 + len(ROWS)
    for row, line in zip(ROWS, lines[1:], strict=True):
        assert line.startswith(f"{row.id} ")
        assert row.state.name in line


def test_a_table_for_no_terminal_cuts_nothing() -> None:
    lines = table_lines(ROWS, None)
    assert ROW.step is not None
    assert ROW.step in lines[1]
    assert "for answer 'approved-by'" in lines[2]
    assert "3 problems" in lines[4]
    assert "33%" in lines[1]
    assert "33%" not in lines[4]


def test_a_table_of_nothing_is_its_head() -> None:
    assert table_lines([], 80) == ["ID  NAME  STATE  PROGRESS  STEP  STARTED"]


@pytest.mark.parametrize(
    ("done", "total", "shown"),
    [
        (0, 3, "0%"),
        (2.999999, 3, "99%"),
        (3, 3, "100%"),
        (29, 100, "29%"),
        (5, 3, "100%"),
        (-1, 3, "0%"),
        (7, None, "7"),
        (0, None, ""),
        (7, 0, "7"),
        (float("nan"), 3, ""),
        (3, float("inf"), "3"),
    ],
)
def test_percent_says_all_only_when_all_is_done(done: float, total: float | None, shown: str) -> None:
    assert percent_of(Progress(done, total, "")) == shown


def test_a_bar_is_full_only_when_all_is_done() -> None:
    assert bar_of(Progress(99, 100, ""), 10) == "#########-"
    assert bar_of(Progress(100, 100, ""), 10) == "##########"
    assert bar_of(Progress(1, None, ""), 10) == ""


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (90, "running  ██████░░░░░░░░░░░░░░  33%  1 of 3 files, 120.0 MB/s  copy:000123 of many"),
        (70, "running  ███░░░░░░  33%  1 of 3 files, 120.0 MB/s  copy:000123 of many"),
        (60, "running  ██████░░░░░░░░░░░░░░  33%  1 of 3 files, 120.0 MB/s"),
        (50, "running  ███░░░░░░░  33%  1 of 3 files, 120.0 MB/s"),
        (46, "running  ██░░░░  33%  1 of 3 files, 120.0 MB/s"),
        (45, "running  33%  1 of 3 files, 120.0 MB/s"),
        (30, "running  33%  1 of 3 files,..."),
    ],
)
def test_in_a_narrow_terminal_the_bar_gives_way_first(
    columns: int, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    row = replace(ROW, step="copy:000123 of many", progress=Progress(1, 3, "1 of 3 files, 120.0 MB/s"))
    assert progress_line(row, columns) == shown
    assert len(shown) <= columns


def test_a_line_without_a_whole_has_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    counting = replace(ROW, step="walk", progress=Progress(1200, None, "files found"))
    assert progress_line(counting, 80) == "running  1,200  files found  walk"
    assert progress_line(replace(counting, progress=None), 80) == "running  walk"
    assert progress_line(replace(counting, progress=Progress(1, 2, "")), 80).startswith(
        "running  ##########-"
    )


def test_a_moment_of_today_is_a_time_and_another_a_date() -> None:
    noon = datetime(2026, 11, 29, 12, 0, 5).astimezone()
    assert clock_of(noon, now=noon) == "12:00:05"
    assert clock_of(noon, now=noon + timedelta(days=1)) == "2026-11-29 12:00"
    assert day_of(noon, now=noon) == "12:00"
    assert day_of(noon, now=noon - timedelta(days=1)) == "2026-11-29"
    assert clock_of(None) == day_of(None) == "-"


@pytest.mark.parametrize(
    ("state", "needed"),
    [
        (Queued(), False),
        (Running(1), False),
        (Sleeping(NOW), False),
        (Waiting((MessageWait("next"), SleepWait("hour", NOW))), False),
        (Waiting((SleepWait("hour", NOW), AnswerWait("approved-by"))), True),
        (Paused(), True),
        (Blocked("pay"), True),
        (Completed(NOW, 0), False),
    ],
)
def test_a_person_is_needed_for_an_answer_a_pause_and_a_block(state: State, needed: bool) -> None:
    assert bool(needed_of(replace(ROW, state=state), Program())) is needed


def test_how_to_answer_shows_the_kind_of_value() -> None:
    def example(form: str | None) -> str:
        waiting = Waiting((AnswerWait("ok", form),))
        return needed_of(replace(ROW, id="a b", state=waiting), Program("my data"))[-1].strip()

    def typed(value: str) -> str:
        return Program.typed(["--data", "my data", "answer", "a b", "ok", value])

    assert example(None) == typed("JSON")
    assert example('{"type": "boolean"}') == typed("true")
    assert example('{"type": "string"}') == typed('"..."')
    assert example('{"enum": ["yes", "no"]}') == typed('"yes"')
    assert example("damaged") == typed("JSON")


def test_what_a_person_asked_is_said_beside_the_state() -> None:
    assert state_of(replace(ROW, intent="pause")) == "running, pause asked"
    assert state_of(replace(ROW, state=Completed(NOW, 1), problems=1)) == "completed, 1 problem"


def test_what_moves_the_cursor_is_made_visible() -> None:
    assert one_line("a\tb\nc") == "a b c"
    assert one_line("a\x1b[2J\r") == r"a\x1b[2J\r"
    assert one_line("\udc80") == r"\udc80"
    assert one_line("naïve 日本") == "naïve 日本"


def test_text_is_cut_by_columns_and_not_by_characters() -> None:
    assert fit("abcdef", 6) == "abcdef"
    assert fit("abcdefg", 6) == "abc..."
    assert fit("日本語日本語", 8) == "日本..."
    assert fit("abc", 2) == ".."
    assert width_of("e\u0301") == 1


def test_a_result_of_names_and_values_is_two_columns() -> None:
    assert pairs_of({"files_copied": 3, "verified": True, "of": None, "names": ["a", "b"]}) == [
        ("files copied", "3"),
        ("verified", "yes"),
        ("of", "-"),
        ("names", '["a", "b"]'),
    ]
    assert pairs_of({"bytes": 2500000, "wall_seconds": 75.0, "bytes_per_file": 2500000}) == [
        ("bytes", "2.5 MB (2,500,000 bytes)"),
        ("wall seconds", "1 min 15 s"),
        ("bytes per file", "2500000"),
    ]
    assert pairs_of("done") == [("", "done")]
    assert pairs_of({1: 2}) == [("", '{"1": 2}')]
