"""What somebody gets wrong who writes a first program is told in words, with what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, time
from pathlib import Path
from typing import Any

import pytest

from stepfast import Daily, Engine, Every, InvalidInput, MemoryDurable, Run, StepfastError, Weekly, workflow


@workflow("double")
async def double(run: Run, number: int) -> int:
    return 2 * number


def plain() -> None: ...


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"definitions": double}, "definitions come as a list: [double]"),
        ({"definitions": [plain]}, 'plain is no definition; put @workflow("a-name") above it'),
        ({"concurrency": 0}, "the limit of workflows is 0; it is a whole number from 1"),
        ({"threads": 0}, "the limit of threads is 0; "),
        ({"processes": -1}, "the limit of processes is -1; "),
    ],
)
async def test_an_engine_that_could_do_nothing_is_not_opened(
    options: dict[str, Any], said: str, tmp_path: Path
) -> None:
    file = tmp_path / "work.db"
    with pytest.raises(StepfastError, match=f"^{re.escape(said)}"):
        async with Engine.open(file, **options):
            pass
    assert not file.exists()
    durable = MemoryDurable()
    with pytest.raises(StepfastError, match=f"^{re.escape(said)}"):
        async with Engine.over(durable, **options):
            pass


@pytest.mark.parametrize(
    ("request_of", "options", "said"),
    [
        (lambda: double, {}, "double is not called yet; what is started is double(...), with its input"),
        (lambda: double(1), {"id": 5}, "an id is 1 to 200 printable characters, and 5 is not"),
        (lambda: double(1), {"priority": "high"}, "the priority 'high' is no whole number"),
        (
            lambda: double(1),
            {"at": 5},
            "5 is no start time; it is an aware datetime",
        ),
        (lambda: double(1), {"at": datetime(2026, 1, 1)}, "a start time needs a time zone"),  # noqa: DTZ001
    ],
)
async def test_a_start_that_cannot_be_meant_starts_nothing(
    request_of: Callable[[], Any], options: dict[str, Any], said: str
) -> None:
    async with Engine.over(MemoryDurable(), [double], work=False) as engine:
        with pytest.raises(InvalidInput, match=f"^{re.escape(said)}"):
            await engine.start(request_of(), **options)
        assert await engine.list() == []


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Every(5), "Every(5): a timedelta is needed"),  # type: ignore[arg-type]
        (lambda: Daily("3:00"), "'3:00' is no time of day"),  # type: ignore[arg-type]
        (lambda: Weekly(["mon"], 3), "3 is no time of day"),  # type: ignore[arg-type]
        (lambda: Weekly(["monday"], time(3)), "['monday'] are no days of the week; "),
    ],
)
def test_a_rule_of_a_schedule_says_what_it_takes(make: Callable[[], object], said: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{re.escape(said)}"):
        make()


async def test_a_sleep_of_a_number_says_what_it_takes() -> None:
    @workflow("nap")
    async def nap(run: Run) -> None:
        await run.sleep("nap", 5)  # type: ignore[arg-type]

    async with Engine.over(MemoryDurable(), [nap]) as engine:
        await (await engine.start(nap(), id="n")).finished()
        failure = (await engine.get("n")).failure
        assert failure is not None
        assert failure.message.startswith(
            "the sleep 'nap' got 5; pass a timedelta, such as timedelta(seconds=5)"
        )
