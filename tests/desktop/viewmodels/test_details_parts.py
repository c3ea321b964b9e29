"""What the details are made of: the newest lines of a log, and values in plain words."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from stepfast import LogLine
from stepfast_desktop.viewmodels.details.newest_lines import newest_lines
from stepfast_desktop.viewmodels.details.values import Pair, pairs_of, value_text
from stepfast_desktop.viewmodels.starting.fields import choices_in
from stepfast_desktop.workflows.copy_folder import copy_folder


@pytest.mark.parametrize("count", [0, 1, 999, 1000, 1001, 2000, 2500, 4321, 100_000])
async def test_the_newest_lines_are_found_without_reading_all(count: int) -> None:
    at = datetime.now(UTC)
    # Gaps of all sizes: other workflows take numbers of the same counter.
    positions = [number * 3 + (number % 7 == 0) + (number > 900) * 10_000 for number in range(count)]
    reads = 0

    async def read(after: int) -> list[LogLine]:
        nonlocal reads
        reads += 1
        found = [each for each in positions if each > after][:1000]
        return [LogLine(each, at, "info", None, "x") for each in found]

    lines = await newest_lines(read, -1)
    assert [line.position for line in lines] == positions[-1000:]
    assert reads <= 2 + 2 * count // 1000
    assert reads <= 40


def test_a_value_is_said_in_plain_words() -> None:
    assert value_text(timedelta(minutes=90)) == "1 h 30 min"
    assert value_text(date(2026, 11, 29)) == "2026-11-29"
    assert value_text([Path("a"), Path("b")]) == "a\nb"
    assert value_text([]) == "(none)"
    assert value_text("") == "(empty)"
    assert value_text({"a": [1]}) == '{\n  "a": [\n    1\n  ]\n}'
    assert value_text([{"a": 1}]) == '[\n  {\n    "a": 1\n  }\n]'
    assert value_text(list(range(25))).endswith("19\nand 5 more")
    assert value_text("x" * 5000).endswith("(1,000 more characters)")
    assert value_text(999, name="bytes") == "999 bytes"
    assert value_text(10**400, name="total_bytes") == str(10**400)


def test_a_value_of_any_size_is_a_page_at_most() -> None:
    pairs = pairs_of({str(number): "x" * 10_000 for number in range(1000)})
    assert len(pairs) == 101
    assert pairs[-1] == Pair("", "and 900 more")
    assert all(len(pair.text) < 4100 for pair in pairs)
    assert pairs_of(None) == ()
    assert pairs_of({1: 2}) == (Pair("", '{\n  "1": 2\n}'),)


def test_what_was_chosen_is_called_as_in_the_form() -> None:
    existing = next(each for each in copy_folder.parameters if each.name == "existing")
    choices = {"existing": choices_in(existing.annotation)}
    assert pairs_of({"existing": "skip", "verify": True}, {}, choices) == (
        Pair("Existing", "Skip"),
        Pair("Verify", "yes"),
    )
    assert pairs_of({"existing": "of another version"}, {}, choices)[0].text == "of another version"
