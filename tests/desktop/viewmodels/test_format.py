"""What a person reads of a row: states, times, durations, numbers, and text from anywhere."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from stepfast import Progress, Summary
from stepfast.state import (
    AnswerWait,
    Blocked,
    Cancelled,
    ChildWait,
    Completed,
    Failed,
    MessageWait,
    Paused,
    Queued,
    RetryWait,
    Running,
    Sleeping,
    SleepWait,
    State,
    Waiting,
)
from stepfast_desktop.viewmodels import regional, words
from stepfast_desktop.viewmodels.format import (
    clock_text,
    count_text,
    duration_text,
    elapsed,
    exact_time_text,
    label_text,
    percent_text,
    progress_fraction,
    progress_text,
    readable,
    remaining,
    size_text,
    state_text,
    time_text,
    tone,
)

NOW = datetime(2026, 11, 29, 14, 5, 33, tzinfo=UTC)
ROW = Summary(
    key=1,
    id="copy-1",
    name="copy-folder",
    version=1,
    state=Running(1),
    intent=None,
    priority=0,
    problems=0,
    step="copy:3",
    progress=Progress(1.0, 4.0, "1 of 4 files"),
    created_at=NOW - timedelta(seconds=101),
    started_at=NOW - timedelta(seconds=100),
    finished_at=None,
    removed_at=None,
    change=1,
)


@pytest.fixture(autouse=True)
def _in_greenwich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if not hasattr(time, "tzset"):
        yield
        return
    monkeypatch.setenv("TZ", "UTC0")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


# --- states ---------------------------------------------------------------------------------------------

SAID: list[tuple[State, str, str]] = [
    (Queued(), "Queued", "quiet"),
    (Running(1), "Running", "active"),
    (Sleeping(NOW + timedelta(hours=1)), "Sleeping until 15:05", "quiet"),
    (
        Sleeping(NOW, RetryWait("upload", NOW, 3, 5, "connection refused")),
        "Trying again at 14:05, attempt 3 of 5: connection refused",
        "quiet",
    ),
    (Sleeping(NOW + timedelta(days=2)), "Sleeping until 1 Dec", "quiet"),
    (Sleeping(NOW + timedelta(days=50)), "Sleeping until 18 Jan 2027", "quiet"),
    (Waiting((AnswerWait("ok"), SleepWait("hour", NOW))), "Waiting for an answer", "asking"),
    (Waiting((MessageWait("next"),)), "Waiting for a message", "quiet"),
    (Waiting((ChildWait("next"),)), "Waiting for another task", "quiet"),
    (Paused(), "Paused", "quiet"),
    (Blocked("pay"), "Blocked: needs you", "asking"),
    (Completed(NOW, 0), "Completed", "good"),
    (Failed(NOW, 0), "Failed", "bad"),
    (Cancelled(NOW), "Cancelled", "quiet"),
]


@pytest.mark.parametrize(("state", "said", "meaning"), SAID)
def test_every_state_has_its_words_and_its_meaning(state: State, said: str, meaning: str) -> None:
    row = replace(ROW, state=state)
    assert state_text(row, NOW) == said
    assert tone(row) == meaning


def test_completed_with_problems_is_not_completed() -> None:
    one, three = (replace(ROW, state=Completed(NOW, n), problems=n) for n in (1, 3))
    assert state_text(one) == "Completed, 1 problem"
    assert state_text(three) == "Completed, 3 problems"
    assert tone(one) == "uneven"
    assert state_text(replace(ROW, state=Failed(NOW, 2), problems=2)) == "Failed, 2 problems"


def test_what_was_asked_of_a_running_one_is_its_state() -> None:
    assert state_text(replace(ROW, intent="pause")) == "Pausing"
    assert state_text(replace(ROW, intent="cancel")) == "Cancelling"


# --- progress -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("progress", "fraction", "text"),
    [
        (None, None, ""),
        (Progress(1, 4, ""), 0.25, "25%"),
        (Progress(1, 4, "1 of 4 files"), 0.25, "25%, 1 of 4 files"),
        (Progress(5, 4, ""), 1.0, "100%"),
        (Progress(-1, 4, ""), 0.0, "0%"),
        (Progress(3.9999999, 4, ""), pytest.approx(1.0), "99%"),
        (Progress(0.29, 1, ""), 0.29, "29%"),
        (Progress(1234, None, ""), None, "1,234 so far"),
        (Progress(1234, None, "files found"), None, "files found"),
        (Progress(0, None, ""), None, ""),
        (Progress(7, 0, ""), None, "7 so far"),
        (Progress(float("nan"), 4, "lost"), None, "lost"),
        (Progress(1, float("inf"), ""), None, "1 so far"),
        (Progress(1, 4, "a\x1b[2J"), 0.25, r"25%, a\x1b[2J"),
    ],
)
def test_progress_says_all_only_when_all_is_done(
    progress: Progress | None, fraction: float | None, text: str
) -> None:
    row = replace(ROW, progress=progress)
    assert progress_fraction(row) == fraction
    assert progress_text(row) == text


def test_what_completed_is_done_whatever_it_said_last() -> None:
    row = replace(ROW, state=Completed(NOW, 0), progress=Progress(3, 4, "4 files, copied in 2 s"))
    assert progress_fraction(row) == 1.0
    assert progress_text(row) == "4 files, copied in 2 s"


def test_elapsed_is_to_now_or_to_the_end() -> None:
    assert elapsed(ROW, NOW + timedelta(milliseconds=700)) == 100
    assert elapsed(replace(ROW, started_at=None), NOW) is None
    ended = replace(ROW, state=Failed(NOW, 0), finished_at=NOW - timedelta(seconds=99.5))
    assert elapsed(ended, NOW + timedelta(days=1)) == 0.5
    # A clock that was set back makes no negative times.
    assert elapsed(ROW, NOW - timedelta(days=1)) == 0


def test_what_remains_is_estimated_only_where_there_is_something_to_go_by() -> None:
    assert remaining(ROW, NOW) == 300
    assert remaining(replace(ROW, progress=Progress(93, 100, "")), NOW) == 8
    assert remaining(replace(ROW, progress=Progress(99.99, 100, "")), NOW) == 1
    # Half was done long ago; since the last start, a minute ago, it did 5 of the 50 that were left.
    again = Progress(55, 100, "", 50, NOW.timestamp() - 60)
    assert remaining(replace(ROW, progress=again), NOW) == 540
    assert remaining(replace(ROW, progress=replace(again, done=50)), NOW) is None
    for row in (
        replace(ROW, progress=None),
        replace(ROW, progress=Progress(1, None, "")),
        replace(ROW, progress=Progress(0, 4, "")),
        replace(ROW, progress=Progress(4, 4, "")),
        replace(ROW, state=Paused()),
        replace(ROW, intent="pause"),
        replace(ROW, started_at=None),
        replace(ROW, started_at=NOW - timedelta(seconds=1)),
    ):
        assert remaining(row, NOW) is None


# --- times ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-1, "0 s"),
        (0, "0 s"),
        (0.0001, "1 ms"),
        (0.04, "40 ms"),
        (0.9996, "1.0 s"),
        (3, "3 s"),
        (3.24, "3.2 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (200, "3 min 20 s"),
        (3600, "1 h"),
        (7620, "2 h 7 min"),
        (47.9 * 3600, "47 h 54 min"),
        (48 * 3600, "2 d"),
        (76 * 3600, "3 d 4 h"),
        (4000 * 86400, "4,000 d"),
        (float("nan"), ""),
    ],
)
def test_a_duration_is_as_exact_as_one_wants_to_know(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@pytest.mark.parametrize(
    ("away", "text"),
    [
        (timedelta(seconds=-1), "a moment ago"),
        (timedelta(seconds=-59), "a moment ago"),
        (timedelta(minutes=-1), "today 14:04"),
        (timedelta(hours=-14), "today 00:05"),
        (timedelta(hours=-15), "yesterday 23:05"),
        (timedelta(days=-1, hours=-15), "27 Nov 23:05"),
        (timedelta(days=-400), "25 Oct 2025 14:05"),
        (timedelta(seconds=1), "in a moment"),
        (timedelta(hours=1), "today 15:05"),
        (timedelta(hours=20), "tomorrow 10:05"),
        (timedelta(days=50), "18 Jan 2027 14:05"),
    ],
)
def test_a_moment_is_said_by_how_far_away_it_is(away: timedelta, text: str) -> None:
    assert time_text(NOW + away, NOW) == text


def test_moments_are_in_local_time(monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(time, "tzset"):
        pytest.skip("this system has no tzset")
    monkeypatch.setitem(os.environ, "TZ", "XYZ-10")
    time.tzset()
    assert time_text(NOW - timedelta(hours=1), NOW) == "yesterday 23:05"
    assert exact_time_text(NOW - timedelta(hours=1), NOW) == "29 Nov 23:05:33"
    assert clock_text(NOW, NOW) == "00:05:33"


def test_a_clock_has_the_day_where_it_is_another() -> None:
    assert clock_text(NOW, NOW) == "14:05:33"
    assert clock_text(NOW, NOW + timedelta(days=1)) == "29 Nov 14:05:33"
    assert exact_time_text(NOW, NOW) == "today 14:05:33"
    assert exact_time_text(NOW, NOW + timedelta(days=366)) == "29 Nov 2026 14:05:33"


# --- numbers and text -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (99_960, "100 kB"),
        (999_600, "1.0 MB"),
        (16_777_216, "16.8 MB"),
        (2.5e9, "2.5 GB"),
        (1.5e15, "1.5 PB"),
        (1.5e18, "1,500 PB"),
    ],
)
def test_a_size_is_in_the_units_that_disks_are_sold_by(size: float, text: str) -> None:
    assert size_text(size) == text


def test_numbers_are_said_as_they_are() -> None:
    assert percent_text(0.333) == "33%"
    assert count_text(1234567) == "1,234,567"
    assert count_text(2**70) == str(2**70)
    assert count_text(10**400) == str(10**400)
    assert count_text(0.5) == "0.5"
    assert count_text(3.0) == "3"
    assert count_text(float("inf")) == "inf"


class Bavaria:
    """A region of its own."""

    def number(self, value: float, digits: int) -> str:
        return f"{value:,.{digits}f}".translate({ord(","): ".", ord("."): ","})

    def clock(self, local: datetime, *, seconds: bool) -> str:
        return f"{local:%H.%M}"


def test_another_region_has_its_own_numbers_and_times_and_another_language_its_months() -> None:
    german = {"Nov": "Nov.", "{day} {month}": "{day}. {month}"}
    words.use(lambda _context, text, _disambiguation, _n: german.get(text, text))
    regional.use(Bavaria())
    try:
        assert size_text(16_777_216) == "16,8 MB"
        assert count_text(1234567) == "1.234.567"
        assert count_text(0.25) == "0,25"
        assert time_text(NOW, NOW + timedelta(days=3)) == "29. Nov. 14.05"
    finally:
        words.use(None)
        regional.use(None)


def test_what_would_hide_or_turn_text_is_made_visible() -> None:
    assert readable("naïve 日本 \U0001f468\u200d\U0001f469") == "naïve 日本 \U0001f468\u200d\U0001f469"
    assert readable("two\nlines\tand") == "two\nlines\tand"
    assert readable("a\x1b[2J\r") == r"a\x1b[2J\r"
    assert readable("gnp\u202eexe.") == r"gnp\u202eexe."
    assert readable("\udcff") == r"\udcff"
    assert readable("\x9b") == r"\x9b"


def test_a_name_becomes_a_label() -> None:
    assert label_text("already_there") == "Already there"
    assert label_text("URL") == "URL"
    assert label_text("_") == ""
