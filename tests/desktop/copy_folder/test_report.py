import dataclasses

import pytest

from stepfast_desktop.workflows.copy_folder.meter import Meter
from stepfast_desktop.workflows.copy_folder.plan import Item, Outcome
from stepfast_desktop.workflows.copy_folder.report import Tally, counted, duration, size


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (999_940, "999.9 kB"),
        (999_960, "1.0 MB"),
        (85_000_000, "85.0 MB"),
        (2_100_000_000, "2.1 GB"),
        (3 * 10**15, "3.0 PB"),
        (3 * 10**18, "3,000.0 PB"),
    ],
)
def test_a_size_is_worded_in_the_unit_that_fits(count: int, text: str) -> None:
    assert size(count) == text


def test_a_part_has_the_unit_of_the_whole() -> None:
    assert size(2_100_000_000, 6_000_000_000) == "2.1 of 6.0 GB"
    assert size(5, 6_000_000_000) == "0.0 of 6.0 GB"
    assert size(0, 0) == "0 of 0 bytes"


def test_counts_and_durations_are_worded() -> None:
    assert [counted(number, "file") for number in (0, 1, 1234)] == ["0 files", "1 file", "1,234 files"]
    assert [duration(seconds) for seconds in (0.4, 12, 59.7, 185, 7620)] == [
        "0.4 s",
        "12 s",
        "1 min 0 s",
        "3 min 5 s",
        "2 h 7 min",
    ]


def item(kind: str = "file", *, existed: bool = False) -> Item:
    return Item(1, kind, "x", 10, existed)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("outcome", "counts"),
    [
        (Outcome(item(), "copied", None, 10), {"files": 1, "bytes": 10}),
        (Outcome(item(existed=True), "copied", None, 10), {"files": 1, "bytes": 10}),
        (Outcome(item(existed=True), "there", None, 10), {"already_there": 1}),
        # Renamed by an attempt of the batch that was killed before it was recorded.
        (Outcome(item(), "there", None, 10), {"files": 1, "bytes": 10}),
        (Outcome(item(existed=True), "skipped", "differs"), {"skipped": 1, "problems": 1}),
        (Outcome(item(), "problem", "no permission"), {"problems": 1}),
        (Outcome(item(), "copied", "not permitted", 10), {"files": 1, "bytes": 10, "unkept": 1}),
        (Outcome(item("folder"), "copied"), {"folders": 1}),
        (Outcome(item("folder", existed=True), "there"), {"folders": 1}),
        (Outcome(item("link"), "copied"), {"links": 1}),
        (Outcome(item("link", existed=True), "there"), {"already_there": 1}),
    ],
)
def test_an_outcome_counts_as_what_it_was_for_the_person(outcome: Outcome, counts: dict[str, int]) -> None:
    found = dataclasses.asdict(outcome.tally())
    assert found.pop("done_files") == (outcome.item.kind == "file")
    assert found.pop("done_bytes") == 10
    assert found.pop("why") == ("not permitted" if outcome.message == "not permitted" else "")
    assert {name: count for name, count in found.items() if count} == counts


def test_tallies_add_up() -> None:
    one, other = Tally(files=1, bytes=2, why="first", seconds=0.5), Tally(files=3, problems=1, why="second")
    assert one + other == Tally(files=4, bytes=2, problems=1, why="first", seconds=0.5)


class Shown:
    """A meter with a clock that a test moves, and what it told."""

    def __init__(self, *, files: int = 10, total: int = 1000, weight: float = 1.0) -> None:
        self.now = 100.0
        self.told: list[tuple[float, float | None, str]] = []
        self.meter = Meter(
            lambda done, total, text: self.told.append((done, total, text)),
            files,
            total,
            weight=weight,
            clock=lambda: self.now,
        )

    def last(self) -> tuple[float, float | None, str]:
        self.meter.tell()
        return self.told[-1]


def test_progress_says_files_and_bytes_and_the_rate_since_this_start() -> None:
    shown = Shown(files=5000, total=6_000_000_000)
    shown.meter.begin(1000, 2_000_000_000)
    shown.now += 10
    shown.meter.finish(1, 1, 100_000_000)
    assert shown.last() == (
        2_100_000_000,
        6_000_000_000,
        "1,001 of 5,000 files, 2.1 of 6.0 GB, 10.0 MB/s",
    )


def test_what_an_earlier_start_copied_is_done_but_counts_for_no_rate() -> None:
    shown = Shown()
    shown.meter.begin(0, 0)
    shown.meter.found(1, 500)
    shown.now += 10
    shown.meter.moved(1, 100, 800)
    done, _, text = shown.last()
    assert done == 600
    assert text.endswith("10 bytes/s")


def test_a_byte_that_has_to_be_read_back_is_half_done_when_written() -> None:
    shown = Shown(weight=0.5)
    shown.meter.begin(0, 0)
    shown.meter.moved(1, 1000, 1000)
    assert shown.last()[0] == 500
    shown.meter.moved(1, 1000, 1000)
    assert shown.last()[0] == 1000


def test_no_file_counts_for_more_than_was_planned_and_none_twice() -> None:
    shown = Shown()
    shown.meter.begin(0, 0)
    shown.meter.moved(1, 5000, 400)
    assert shown.last()[0] == 400
    shown.meter.restart(1)
    assert shown.last()[0] == 0
    shown.meter.moved(1, 100, 400)
    shown.meter.finish(1, 1, 400)
    assert shown.last()[0] == 400
    shown.meter.moved(2, 7, 10)
    shown.meter.begin(1, 400)
    assert shown.last()[0] == 400


def test_progress_is_told_a_few_times_a_second() -> None:
    shown = Shown()
    shown.meter.begin(0, 0)
    for _ in range(100):
        shown.now += 0.01
        shown.meter.moved(1, 1, 1000)
    assert 3 <= len(shown.told) <= 6


def test_a_file_that_is_checked_after_a_crash_says_so() -> None:
    shown = Shown()
    shown.meter.begin(0, 0)
    shown.now += 1
    shown.meter.checking(300_000_000, 1_000_000_000)
    assert shown.told[-1][2].endswith("checking what is there: 0.3 of 1.0 GB")


def test_empty_files_have_no_bytes_to_speak_of() -> None:
    shown = Shown(files=3, total=0)
    shown.meter.begin(0, 0)
    assert shown.last() == (0, None, "0 of 3 files")
