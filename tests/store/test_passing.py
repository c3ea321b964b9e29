"""A pass: what stops it, what it comes to, and what it leaves behind."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from datetime import timedelta
from typing import Any

import pytest

from stepfast import Completed, Failed, Fenced, Halted, Run, Stopped, Suspended
from stepfast.errors import RunClosed
from stepfast.passes.passing import QUIET_TURNS, Pass, Returned
from stepfast.state import AnswerWait

pytestmark = pytest.mark.usefixtures("quiet_loop")


async def turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def nothing() -> None:
    pass


def names(outcome: object) -> set[str]:
    assert isinstance(outcome, Suspended), outcome
    return {each.name for each in outcome.waits}


# --- quiet, turn by turn --------------------------------------------------------------------------


async def test_a_branch_woken_at_any_turn_before_the_suspension_goes_on_in_this_pass() -> None:
    lost = []
    for count in range(QUIET_TURNS + 8):
        making = Pass()
        went_on: list[bool] = []

        async def first(making: Pass = making, went_on: list[bool] = went_on) -> None:
            await making.park(AnswerWait("a"))
            making.enter("run.step", "after")
            went_on.append(True)

        async def body(making: Pass = making, first: Any = first) -> None:
            await asyncio.gather(first(), making.park(AnswerWait("b")))

        ended = asyncio.ensure_future(making.run(body))
        await turns(count)
        parked = {each.name for each in making.waits} if making.ending is None else set()
        if "a" in parked:
            making.wake(lambda wait: wait.name == "a")
        outcome = await ended
        if "a" in parked and not went_on:
            lost.append((count, outcome))
    assert lost == []


async def test_a_step_begun_at_any_turn_before_the_suspension_is_not_cut_short(bench: Any) -> None:
    async def body(run: Run) -> None:
        async def late(count: int) -> str:
            await turns(count)
            return await run.step(f"late-{count}", fine)

        await asyncio.gather(run.awaiting("a"), *(late(count) for count in range(0, QUIET_TURNS, 7)))

    async def fine() -> str:
        await turns(QUIET_TURNS * 2)
        return "fine"

    assert names(await bench.make(body)) == {"a"}
    assert len(await bench.recorded()) == len(range(0, QUIET_TURNS, 7))


# --- effects that raise what ends programs --------------------------------------------------------


class Final(BaseException):
    """No Exception, and nobody's but the test's."""


ENDINGS = [SystemExit, KeyboardInterrupt, asyncio.CancelledError, GeneratorExit, Final]
PLACES = ["async", "thread", "transact", "prepare", "query"]


def call(run: Run, place: str, kind: type[BaseException]) -> Any:
    def blocking(*_: object) -> None:
        raise kind("out")

    async def awaited() -> None:
        raise kind("out")

    match place:
        case "async":
            return run.step("bad", awaited)
        case "thread":
            return run.step("bad", blocking)
        case "transact":
            return run.transact("bad", blocking)
        case "prepare":
            return run.transact("bad", lambda _transaction, _prepared: None, prepare=blocking)
        case _:
            return run.query(blocking)


@pytest.mark.parametrize("kind", ENDINGS)
@pytest.mark.parametrize("place", PLACES)
async def test_an_effect_that_raises_what_ends_programs_fails_the_workflow_and_nothing_else(
    bench: Any, place: str, kind: type[BaseException]
) -> None:
    async def body(run: Run) -> str:
        async with asyncio.TaskGroup() as group:
            group.create_task(call(run, place, kind))
            group.create_task(run.step("good", nothing))
        return "done"

    outcome = await bench.make(body)
    assert isinstance(outcome, Failed), outcome


@pytest.mark.parametrize("kind", [SystemExit, asyncio.CancelledError, Final])
@pytest.mark.parametrize("place", ["async", "thread", "transact", "prepare"])
async def test_a_failure_names_the_step_whatever_its_effect_raised(
    bench: Any, place: str, kind: type[BaseException]
) -> None:
    async def body(run: Run) -> None:
        await call(run, place, kind)

    outcome = await bench.make(body)
    assert isinstance(outcome, Failed)
    assert outcome.failure.step == "bad"


async def test_a_branch_of_a_body_that_exits_fails_the_workflow_and_not_the_program(bench: Any) -> None:
    async def body(run: Run) -> None:
        await run.step("first", nothing)
        sys.exit(3)

    outcome = await bench.make(body)
    assert isinstance(outcome, Failed) and "SystemExit" in outcome.failure.message


async def test_a_step_that_fails_cancels_what_its_group_has_in_flight_and_fails_the_pass(bench: Any) -> None:
    cancelled = []
    begun = asyncio.Event()

    async def long() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    async def bad() -> None:
        await begun.wait()
        raise ValueError("no")

    async def body(run: Run) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(run.step("long", long))
            group.create_task(run.step("bad", bad))
            group.create_task(run.awaiting("answer"))

    outcome = await bench.make(body)
    assert isinstance(outcome, Failed)
    assert (outcome.failure.type, outcome.failure.step) == ("ValueError", "bad")
    assert cancelled == [True]


async def test_a_failure_that_the_body_handles_lets_the_other_branches_finish(bench: Any) -> None:
    async def bad() -> None:
        raise ValueError("no")

    async def body(run: Run) -> str:
        async def careful() -> str:
            try:
                await run.step("bad", bad)
            except ValueError:
                return "handled"
            return "?"

        handled, _ = await asyncio.gather(careful(), run.step("good", nothing))
        return handled

    outcome = await bench.make(body)
    assert isinstance(outcome, Completed) and outcome.value == "handled"


# --- asked to stop --------------------------------------------------------------------------------


def until_told(run: Run, begun: threading.Event, told: list[bool]) -> None:
    begun.set()
    for _ in range(50_000):  # a bound for the case that nobody tells it
        if run.stopping:
            told.append(True)
            raise Stopped
        time.sleep(0.001)


@pytest.mark.parametrize("why", ["pause", "cancel", "park"])
@pytest.mark.parametrize("where", ["async", "thread", "wait", "sleep-between", "two-at-once"])
async def test_a_pass_that_is_asked_to_stop_stops_wherever_it_is(bench: Any, where: str, why: str) -> None:
    begun = asyncio.Event()
    on_thread = threading.Event()
    told: list[bool] = []

    async def endless() -> None:
        begun.set()
        await asyncio.Event().wait()

    async def body(run: Run) -> str:
        match where:
            case "async":
                await run.step("long", endless)
            case "thread":
                await run.step("long", until_told, run, on_thread, told)
            case "wait":
                begun.set()
                await asyncio.gather(run.awaiting("a"), run.step("brief", turns, QUIET_TURNS * 3))
            case "sleep-between":
                begun.set()
                for number in range(100_000):
                    await run.step(f"brief-{number}", nothing)
            case _:
                await asyncio.gather(run.step("one", endless), run.step("two", endless), run.awaiting("a"))
        return "ran to its end"

    attempt = await bench.attempt()
    making = asyncio.ensure_future(attempt.make(body))
    await (asyncio.to_thread(on_thread.wait) if where == "thread" else begun.wait())
    attempt.stop(why)
    async with asyncio.timeout(60):
        assert await making == Halted(why)


async def test_a_thread_is_told_to_stop_when_its_pass_may_not_write_any_more(bench: Any) -> None:
    begun, told = threading.Event(), list[bool]()

    async def body(run: Run) -> None:
        await run.step("long", until_told, run, begun, told)

    attempt = await bench.attempt()
    making = asyncio.ensure_future(attempt.make(body))
    await asyncio.to_thread(begun.wait)
    attempt.abort(Fenced("deleted"))
    with pytest.raises(Fenced):
        await making
    assert told == [True]


async def test_an_effect_whose_clean_up_fails_while_the_program_quits_is_no_failed_step(bench: Any) -> None:
    begun = asyncio.Event()

    async def upload() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise ConnectionError("interrupted") from None

    async def body(run: Run) -> None:
        await run.step("upload", upload)

    attempt = await bench.attempt()
    making = asyncio.ensure_future(attempt.make(body))
    await begun.wait()
    attempt.stop("park")
    assert await making == Halted("park")


async def test_an_effect_that_finishes_though_it_is_cancelled_is_recorded(bench: Any) -> None:
    begun = asyncio.Event()

    async def upload() -> str:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            pass
        return "whole"

    async def body(run: Run) -> None:
        await run.step("upload", upload)
        await run.step("next", nothing)

    attempt = await bench.attempt()
    making = asyncio.ensure_future(attempt.make(body))
    await begun.wait()
    attempt.stop("pause")
    assert await making == Halted("pause")
    assert await bench.recorded() == ["upload"]


# --- closing --------------------------------------------------------------------------------------


async def test_every_late_call_of_a_task_that_outlived_its_pass_is_refused(bench: Any) -> None:
    kept: list[Run] = []

    async def body(run: Run) -> str:
        kept.append(run)
        return "done"

    assert isinstance(await bench.make(body), Completed)
    (run,) = kept
    late = {
        "step": lambda: run.step("late", nothing),
        "transact": lambda: run.transact("late", lambda _: None),
        "query": lambda: run.query(lambda _: None),
        "sleep": lambda: run.sleep("late", timedelta(days=1)),
        "awaiting": lambda: run.awaiting("late"),
        "receive": lambda: run.receive("late"),
        "pending": lambda: run.pending("late"),
    }
    for make in late.values():
        with pytest.raises(RunClosed):
            await make()
    for say in (
        lambda: run.progress(1),
        lambda: run.log("late"),
        lambda: run.problem("late", "late"),
    ):
        with pytest.raises(RunClosed):
            say()


async def test_settling_waits_for_a_thread_that_a_cancelled_caller_left_behind(bench: Any) -> None:
    begun, go_on, ended = threading.Event(), threading.Event(), list[bool]()

    def slow() -> None:
        begun.set()
        go_on.wait(100)
        ended.append(True)

    async def body(run: Run) -> str:
        step = asyncio.ensure_future(run.step("slow", slow))
        await run.step("until-begun", begun.wait)
        step.cancel()
        return "done"

    attempt = await bench.attempt()
    making = asyncio.ensure_future(attempt.make(body))
    await asyncio.to_thread(begun.wait)
    await turns(500)
    assert not making.done()
    go_on.set()
    assert isinstance(await making, Completed)
    assert ended == [True]


async def test_a_body_that_returns_while_a_step_is_in_flight_has_not_completed_without_it(bench: Any) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def upload() -> None:
        begun.set()
        await go_on.wait()

    async def body(run: Run) -> str:
        task = asyncio.ensure_future(run.step("upload", upload))
        await begun.wait()
        del task
        return "all uploaded"

    attempt = await bench.attempt()
    making = asyncio.ensure_future(attempt.make(body))
    await begun.wait()
    await turns(20)
    go_on.set()
    outcome = await making
    assert isinstance(outcome, Failed) or "upload" in await bench.recorded(), outcome


async def test_a_pass_that_returned_keeps_no_task_and_no_parked_wait() -> None:
    making = Pass()

    async def body() -> int:
        waiting = asyncio.ensure_future(making.park(AnswerWait("a")))
        await turns(3)
        waiting.cancel()
        return 7

    before = len(asyncio.all_tasks())
    assert await making.run(body) == Returned(7)
    await turns(5)
    assert making.waits == ()
    assert len(asyncio.all_tasks()) == before
