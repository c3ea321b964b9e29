"""What somebody gets wrong who writes a first program is told in words, with what to write instead."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Coroutine
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from stepfast import (
    Daily,
    DefinitionError,
    Engine,
    Every,
    InvalidInput,
    MemoryDurable,
    Registry,
    Retry,
    Run,
    StepfastError,
    Weekly,
    run_durably,
    workflow,
)


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


async def fetch(address: str, tries: int = 1) -> str:
    return address


class Site:
    async def fetch(self, address: str) -> str:
        return address


def count() -> int:
    return 1


Made = Coroutine[Any, Any, Any]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda run, made: run.step("a", made), "run.step('a', fetch, address, tries)"),
        (lambda run, made: run.step("a", made, retry=Retry(2)), "run.step('a', fetch, address, tries)"),
        (lambda run, made: run.step("a", made, where="process"), "run.step('a', fetch, address, tries)"),
        (lambda run, made: run.step("a", made, where="loop"), "run.step('a', fetch, address, tries)"),
        (
            lambda run, made: run.transact("a", made),
            "a plain function (def, not async def): run.transact('a', ",
        ),
        (lambda run, made: run.transact("a", count, prepare=made), "not async def): prepare=fetch"),
        (lambda run, made: run.query(made), "not async def): run.query(fetch)"),
        (
            lambda run, made: run.step("a", count, on_interrupt=made),
            "on_interrupt=the coroutine of fetch(), ",
        ),
        (lambda run, made: run.step("a", count, retry=Retry(on=made)), "Retry(on=the coroutine of fetch(), "),
        (lambda run, made: run.step("a", count, into=made), "is no type that a stored value can have"),
        (lambda run, made: run.step(count, made), "the name goes first: run.step('count', count, ...)"),
        (lambda run, made: run.child("a", made), "fetch(), which is no definition; put @workflow("),
    ],
)
async def test_a_body_that_hands_over_a_coroutine_is_told_what_to_write(
    call: Callable[[Any, Made], Made], said: str
) -> None:
    made = fetch("https://example.org")

    @workflow("called")
    async def calls(run: Run) -> None:
        await call(run, made)

    async with Engine.over(MemoryDurable(), [calls]) as engine:
        await (await engine.start(calls(), id="c")).finished()
        failure = (await engine.get("c")).failure
    assert failure is not None
    assert said in failure.message
    assert failure.type in ("stepfast.errors.DefinitionError", "stepfast.errors.InvalidInput")
    # A coroutine that is left open is a warning of Python's besides, somewhere else.
    assert inspect.getcoroutinestate(made) == inspect.CORO_CLOSED


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda run: run.step("a", 5),
            "the effect of 'a' is 5, which cannot be called; hand over the function",
        ),
        (lambda run: run.step("a", Site().fetch("x")), "run.step('a', self.fetch, address)"),
        (lambda run: run.transact("a", None), "the effect of 'a' is None, which cannot be called; "),
        (lambda run: run.transact("{a}", None), "run.transact('{a}', function)"),
        (
            lambda run: run.query("SELECT 1"),
            "the function of run.query is 'SELECT 1', which cannot be called; ",
        ),
        (lambda run: run.step("a", count, into=fetch), "is no type that a stored value can have"),
        (lambda run: run.step("a", count, retry=Retry(on=fetch)), "Retry(on=<function fetch at "),
        (lambda run: run.child("a", double), "double is not called yet; what is started is double(...)"),
        (lambda run: run.child("a", 5), "run.child got 5; hand over a definition, called with its input"),
    ],
)
async def test_a_body_that_hands_over_something_else_is_told_what_to_write(
    call: Callable[[Any], Made], said: str
) -> None:
    @workflow("called")
    async def calls(run: Run) -> None:
        await call(run)

    async with Engine.over(MemoryDurable(), [calls]) as engine:
        await (await engine.start(calls(), id="c")).finished()
        failure = (await engine.get("c")).failure
    assert failure is not None
    assert said in failure.message


@pytest.mark.parametrize(
    ("define", "said"),
    [
        (workflow("a"), "the body of 'a' must be an `async def` function; fetch is none"),
        (lambda made: workflow("a", forget=made), "forget= of 'a' must be a plain function"),
        (lambda made: workflow("a", preview=made)(plain_body), "preview= of 'a' must be a plain generator"),
        (lambda made: workflow("a")(plain_body).on_cancel(made), "on_cancel of 'a' must be an `async def`"),
        (lambda made: Registry([made]), 'fetch is no definition; put @workflow("a-name") above it'),
    ],
)
def test_a_definition_of_a_coroutine_is_refused_and_the_coroutine_closed(
    define: Callable[[Any], object], said: str
) -> None:
    made = fetch("https://example.org")
    with pytest.raises(DefinitionError, match=f"^{re.escape(said)}"):
        define(made)
    assert inspect.getcoroutinestate(made) == inspect.CORO_CLOSED


async def plain_body(run: Run) -> None: ...


def test_a_request_among_definitions_is_told_apart() -> None:
    with pytest.raises(DefinitionError, match=re.escape("definitions are not called: [double]")):
        Registry([double(1)])  # type: ignore[list-item]


@pytest.mark.parametrize(
    "ask",
    [
        lambda engine, given: engine.start(given),
        lambda engine, given: engine.schedule("nightly", given, Every(timedelta(hours=1))),
        lambda engine, given: run_durably(given, id="d"),
    ],
)
async def test_what_is_no_request_starts_nothing(ask: Callable[[Any, Any], Made]) -> None:
    made = fetch("https://example.org")
    async with Engine.over(MemoryDurable(), [double], work=False) as engine:
        with pytest.raises(InvalidInput, match=r"got fetch\(\), which is no definition; put @workflow"):
            await ask(engine, made)
        assert inspect.getcoroutinestate(made) == inspect.CORO_CLOSED
        with pytest.raises(
            InvalidInput, match=r"^double is not called yet; what is started is double\(\.\.\.\)"
        ):
            await ask(engine, double)
        assert await engine.list() == []
