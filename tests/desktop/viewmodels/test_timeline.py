"""The steps of a workflow on a time axis."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from stepfast import Engine, Retry, Run, workflow
from stepfast.interfaces import Kind
from stepfast.state import AnswerWait, Completed, Failed, Running, State, Waiting
from stepfast.views import RecordOutline, Summary
from stepfast_desktop.viewmodels.details.timeline import Timeline, Window, timeline_of

BEGAN = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
AT = BEGAN.timestamp()


def summary(state: State, step: str | None = None, ended: float | None = None) -> Summary:
    finished = None if ended is None else BEGAN + timedelta(seconds=ended)
    return Summary(1, "one", "job", 1, state, None, 0, 0, step, None, BEGAN, BEGAN, finished, None, 1)


def record(
    kind: str,
    name: str,
    began: float,
    ended: float,
    attempts: int = 1,
    attempt: object = None,
    until: float = 0,
) -> RecordOutline:
    start, end = (BEGAN + timedelta(seconds=each) for each in (began, ended))
    over = BEGAN + timedelta(seconds=until) if until else None
    return RecordOutline(kind, name, 1, start, end, attempts, 1, attempt, over)  # type: ignore[arg-type]


def spans(timeline: Timeline) -> dict[str, list[tuple[str, float, float, int]]]:
    return {
        lane.title: [(s.kind, round(s.start - AT, 3), round(s.end - AT, 3), s.number) for s in lane.spans]
        for lane in timeline.lanes
    }


def at(seconds: float) -> datetime:
    return BEGAN + timedelta(seconds=seconds)


def test_attempts_are_seen_apart_with_the_waits_between_them() -> None:
    records = [
        record(Kind.STEP, "scan", 0, 1),
        record(Kind.ATTEMPT, "1:up", 1, 2, attempt=("failed", "OSError", AT + 4)),
        record(Kind.ATTEMPT, "2:up", 4.1, 5, attempt=("failed", "OSError", AT + 7)),
        record(Kind.STEP, "up", 7, 9, attempts=3),
        record(Kind.SLEEP, "a while", 9, 9, until=12),
    ]
    timeline = timeline_of(records, summary(Completed(at(12), 0), ended=12), at(99))
    assert spans(timeline) == {
        "scan": [("done", 0, 1, 1)],
        "up": [
            ("failed", 1, 2, 1),
            ("wait", 2, 4.1, 0),
            ("failed", 4.1, 5, 2),
            ("wait", 5, 7, 0),
            ("done", 7, 9, 3),
        ],
        "Sleep: a while": [("wait", 9, 12, 0)],
    }
    assert [lane.text for lane in timeline.lanes] == [
        "scan, 1 s",
        "up, 3 attempts, 8 s",
        "Sleep: a while, 3 s",
    ]
    assert (timeline.start - AT, timeline.end - AT, timeline.idle) == (0, 12, ())
    assert [lane.step for lane in timeline.lanes] == ["scan", "up", ""]
    assert "attempt 2, failed, 900 ms" in timeline.lanes[1].tip(at(99))


def test_what_goes_on_now_reaches_to_now() -> None:
    done = [record(Kind.STEP, "scan", 0, 1)]
    running = timeline_of(done, summary(Running(1), "up"), at(5))
    assert spans(running)["up"] == [("running", 1, 5, 1)]
    assert running.lanes[1].text == "up, running, 4 s"
    begun = timeline_of([*done, record(Kind.BEGUN, "1:pay", 2, 2)], summary(Running(1), "pay"), at(5))
    assert spans(begun)["pay"] == [("running", 2, 5, 1)]
    waiting = timeline_of(done, summary(Waiting((AnswerWait("word"),))), at(5))
    assert spans(waiting)["Answer: word"] == [("wait", 1, 5, 0)]
    failed = timeline_of(done, summary(Failed(at(3), 0), "up", ended=3), at(50))
    assert spans(failed)["up"] == [("failed", 1, 3, 1)]
    assert failed.end == AT + 3


def test_children_answers_and_pauses_are_times_of_waiting() -> None:
    records = [
        record(Kind.STEP, "scan", 0, 1),
        record(Kind.STARTED, "part", 1, 1),
        record(Kind.CHILD, "part", 4, 4),
        record(Kind.ANSWER, "word", 6, 6),
        record(Kind.STEP, "late", 60, 61),
    ]
    timeline = timeline_of(records, summary(Completed(at(61), 0), ended=61), at(99))
    assert spans(timeline)["Task: part"] == [("wait", 1, 4, 0)]
    assert spans(timeline)["Answer: word"] == [("wait", 4, 6, 0)]
    assert [(round(a - AT), round(b - AT)) for a, b in timeline.idle] == [(6, 60)]


def test_one_without_records_and_one_that_never_ran() -> None:
    for state, ended in ((Running(1), None), (Completed(at(0), 0), 0.0)):
        timeline = timeline_of([], summary(state, ended=ended), at(0))
        assert timeline.lanes == () and timeline.end > timeline.start


@workflow("flaky")
async def flaky(run: Run, tries: Path, fails: int) -> None:
    async def work() -> None:
        with tries.open("a") as file:
            file.write("x")
        await asyncio.sleep(0.05)
        if len(tries.read_text()) <= fails:
            raise OSError("no")

    await run.step("work", work, retry=Retry(3, first=timedelta(seconds=0.1), jitter=0))


@pytest.mark.parametrize(("fails", "last"), [(2, "done"), (3, "failed")])
async def test_an_attempt_of_a_real_one_has_its_time(tmp_path: Path, fails: int, last: str) -> None:
    async with Engine.open(tmp_path / "work.db", [flaky]) as engine:
        await (await engine.start(flaky(tmp_path / "tries", fails), id="one")).finished()
        (lane,) = timeline_of(
            await engine.outline("one"), await engine.summary("one"), datetime.now(UTC)
        ).lanes
    assert [span.kind for span in lane.spans] == ["failed", "wait", "failed", "wait", last]
    assert [span.number for span in lane.spans] == [1, 0, 2, 0, 3]
    assert all(span.end - span.start >= 0.04 for span in lane.spans)
    assert lane.attempts == 3


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (10.0, ["0", "2 s", "4 s", "6 s", "8 s", "10 s"]),
        (1.0, ["0", "0.2 s", "0.4 s", "0.6 s", "0.8 s", "1.0 s"]),
        (0.05, ["0", "0.01 s", "0.02 s", "0.03 s", "0.04 s", "0.05 s"]),
    ],
)
def test_the_axis_has_round_numbers(length: float, expected: Sequence[str]) -> None:
    assert [text for _, text in Window(AT, AT + length).ticks(AT, 5)] == expected
    for days in (0.01, 0.5, 3, 400):
        assert 1 < len([*Window(AT, AT + days * 86400).ticks(AT, 6)]) <= 7


def test_zooming_keeps_the_moment_under_the_pointer_and_stays_inside() -> None:
    whole = Timeline((), 0.0, 100.0)
    window = Window(0.0, 100.0).zoomed(2, 25.0, whole)
    assert (window.start, window.end) == (12.5, 62.5)
    assert window.moved(-1, whole) == Window(0.0, 50.0)
    assert window.moved(5, whole) == Window(50.0, 100.0)
    assert window.zoomed(0.01, 20.0, whole) == Window(0.0, 100.0)
    for _ in range(100):
        window = window.zoomed(2, 25.0, whole)
    assert 0 < window.end - window.start <= 0.0011


def test_ten_thousand_steps_are_laid_out_at_once() -> None:
    records = [record(Kind.STEP, f"step:{n}", n, n + 1) for n in range(10_000)]
    timeline = timeline_of(records, summary(Completed(at(10_000), 0), ended=10_000), at(99))
    assert len(timeline.lanes) == 10_000
