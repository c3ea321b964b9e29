"""Waits: what a pass comes to when nothing in it can move, whatever combinator the body used."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from stepfast import Completed, Failed, Run, Suspended
from stepfast.passes.passing import QUIET_TURNS

pytestmark = pytest.mark.usefixtures("quiet_loop")

Combinator = Callable[[list[Awaitable[Any]]], Awaitable[Any]]


async def long_work() -> str:
    for _ in range(QUIET_TURNS * 3):
        await asyncio.sleep(0)
    return "worked"


def names(outcome: object) -> set[str]:
    assert isinstance(outcome, Suspended), outcome
    return {each.name for each in outcome.waits}


async def by_gather(branches: list[Awaitable[Any]]) -> Any:
    return await asyncio.gather(*branches)


async def by_group(branches: list[Awaitable[Any]]) -> Any:
    async with asyncio.TaskGroup() as group:
        for each in branches:
            group.create_task(each)  # type: ignore[arg-type]


async def by_wait_for_all(branches: list[Awaitable[Any]]) -> Any:
    done, _ = await asyncio.wait([asyncio.ensure_future(each) for each in branches])
    return [each.result() for each in done]


async def by_wait_for_first(branches: list[Awaitable[Any]]) -> Any:
    pending = {asyncio.ensure_future(each) for each in branches}
    while pending:
        done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        for each in done:
            each.result()


async def by_as_completed(branches: list[Awaitable[Any]]) -> Any:
    return [await each for each in asyncio.as_completed(branches)]


async def by_tasks(branches: list[Awaitable[Any]]) -> Any:
    tasks = [asyncio.ensure_future(each) for each in branches]
    return [await each for each in tasks]


async def by_timeout(branches: list[Awaitable[Any]]) -> Any:
    async with asyncio.timeout(3600):
        return await asyncio.gather(*branches)


COMBINATORS: list[Combinator] = [
    by_gather,
    by_group,
    by_wait_for_all,
    by_wait_for_first,
    by_as_completed,
    by_tasks,
    by_timeout,
]
each_combinator = pytest.mark.parametrize("combine", COMBINATORS)


async def test_a_bare_wait_suspends_and_is_reported(bench: Any) -> None:
    async def body(run: Run) -> Any:
        return await run.awaiting("a")

    assert names(await bench.make(body)) == {"a"}
    await bench.durable.arrive("w", "a", '"yes"')
    outcome = await bench.make(body)
    assert isinstance(outcome, Completed) and outcome.value == "yes"


@each_combinator
async def test_every_wait_is_reported_and_no_sibling_is_cancelled(bench: Any, combine: Combinator) -> None:
    async def body(run: Run) -> None:
        await combine(
            [
                run.awaiting("a"),
                run.step("work", long_work),
                run.receive("m"),
                run.sleep("s", timedelta(hours=1)),
            ]
        )

    assert names(await bench.make(body)) == {"a", "m", "s"}
    assert sorted(await bench.recorded()) == ["s", "work"]


@each_combinator
async def test_waits_nested_three_deep_are_all_reported(bench: Any, combine: Combinator) -> None:
    async def body(run: Run) -> None:
        async def branch(prefix: str, depth: int) -> None:
            if not depth:
                await run.step(f"{prefix}-before", long_work)
                await run.awaiting(prefix)
            else:
                await combine([branch(f"{prefix}{side}", depth - 1) for side in "lr"])

        await branch("", 3)

    every = {a + b + c for a in "lr" for b in "lr" for c in "lr"}
    assert names(await bench.make(body)) == every
    assert len(await bench.recorded()) == 8
    for each in every:
        await bench.durable.arrive("w", each, "1")
    assert isinstance(await bench.make(body), Completed)


async def test_a_task_nobody_awaits_is_suspended_with_the_rest_and_complains_to_nobody(bench: Any) -> None:
    async def body(run: Run) -> None:
        async def two() -> None:
            async with asyncio.TaskGroup() as group:
                group.create_task(run.awaiting("b"))
                group.create_task(run.awaiting("c"))

        tasks = [asyncio.ensure_future(run.awaiting("a")), asyncio.ensure_future(two())]
        await run.awaiting("d")
        await asyncio.gather(*tasks)

    assert names(await bench.make(body)) == {"a", "b", "c", "d"}


async def test_a_thousand_branches_are_all_reported_and_all_go_on(bench: Any) -> None:
    async def body(run: Run) -> int:
        async def branch(number: int) -> int:
            await run.step(f"step-{number}", quick, number)
            answer: int = await run.awaiting(f"answer-{number}")
            return answer

        return sum(await asyncio.gather(*(branch(number) for number in range(1000))))

    async def quick(number: int) -> int:
        return number

    assert len(names(await bench.make(body))) == 1000
    await asyncio.gather(*(bench.durable.arrive("w", f"answer-{each}", "1") for each in range(1000)))
    outcome = await bench.make(body)
    assert isinstance(outcome, Completed) and outcome.value == 1000


# --- swallowed ------------------------------------------------------------------------------------


async def swallow_base(run: Run) -> str:
    try:
        await run.awaiting("a")
    except BaseException:
        pass
    return "went on"


async def swallow_as_values(run: Run) -> str:
    await asyncio.gather(run.awaiting("a"), run.awaiting("b"), return_exceptions=True)
    return "went on"


async def swallow_by_wait(run: Run) -> str:
    await asyncio.wait([asyncio.ensure_future(run.awaiting("a"))])
    return "went on"


async def swallow_in_a_group(run: Run) -> str:
    async def quiet() -> None:
        try:
            await run.awaiting("a")
        except BaseException:
            pass

    async with asyncio.TaskGroup() as group:
        group.create_task(quiet())
    return "went on"


async def swallow_by_star(run: Run) -> str:
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(run.awaiting("a"))
    except* BaseException:
        pass
    return "went on"


async def swallow_and_raise(run: Run) -> str:
    try:
        await run.awaiting("a")
    except BaseException:
        raise ValueError("instead") from None
    return "?"


async def leave_a_wait_behind(run: Run) -> str:
    task = asyncio.ensure_future(run.awaiting("a"))
    await asyncio.sleep(0)
    del task
    return "went on"


@pytest.mark.parametrize(
    "body",
    [
        swallow_base,
        swallow_as_values,
        swallow_by_wait,
        swallow_in_a_group,
        swallow_by_star,
        leave_a_wait_behind,
    ],
)
async def test_a_body_that_swallows_a_suspension_is_refused_and_told_where(bench: Any, body: Any) -> None:
    outcome = await bench.make(body)
    assert isinstance(outcome, Failed), outcome
    assert outcome.failure.type.endswith("SwallowedSuspension") and "'a'" in outcome.failure.message


async def test_a_body_that_turns_a_suspension_into_an_error_has_failed(bench: Any) -> None:
    outcome = await bench.make(swallow_and_raise)
    assert isinstance(outcome, Failed) and outcome.failure.type == "ValueError"


async def test_a_suspension_passes_by_whoever_catches_exceptions(bench: Any) -> None:
    async def body(run: Run) -> None:
        try:
            await run.awaiting("a")
        except Exception:
            raise AssertionError("it was caught") from None

    assert names(await bench.make(body)) == {"a"}


async def test_a_step_in_a_finally_does_not_run_during_a_suspension(bench: Any) -> None:
    ran: list[str] = []

    async def effect() -> None:
        ran.append("cleaned up")

    async def body(run: Run) -> None:
        try:
            await run.awaiting("a")
        finally:
            await run.step("clean-up", effect)

    assert names(await bench.make(body)) == {"a"}
    assert ran == []
    await bench.durable.arrive("w", "a", "1")
    assert isinstance(await bench.make(body), Completed)
    assert ran == ["cleaned up"]


# --- races ----------------------------------------------------------------------------------------


async def race(run: Run) -> str:
    answer = asyncio.ensure_future(run.awaiting("answer"))
    timer = asyncio.ensure_future(run.sleep("deadline", timedelta(hours=1)))
    done, pending = await asyncio.wait({answer, timer}, return_when=asyncio.FIRST_COMPLETED)
    for each in pending:
        each.cancel()
    for each in done:
        each.result()
    return "answered" if answer in done else "too late"


@pytest.mark.parametrize("winner", ["answered", "too late"])
async def test_a_race_of_a_sleep_and_an_answer_is_won_by_one_and_the_loser_is_cancelled(
    bench: Any, winner: str
) -> None:
    assert names(await bench.make(race)) == {"answer", "deadline"}
    if winner == "answered":
        await bench.durable.arrive("w", "answer", "1")
    else:
        bench.clock.advance(3600)
    outcome = await bench.make(race)
    assert isinstance(outcome, Completed) and outcome.value == winner


async def test_a_loser_that_is_a_whole_group_may_be_cancelled_and_left(bench: Any) -> None:
    async def body(run: Run) -> str:
        async def both() -> None:
            async with asyncio.TaskGroup() as group:
                group.create_task(run.awaiting("a"))
                group.create_task(run.awaiting("b"))

        loser = asyncio.ensure_future(both())
        await run.awaiting("quick")
        loser.cancel()
        return "done"

    assert names(await bench.make(body)) == {"a", "b", "quick"}
    await bench.durable.arrive("w", "quick", "1")
    outcome = await bench.make(body)
    assert isinstance(outcome, Completed), outcome


async def test_a_value_that_arrives_while_the_pass_runs_goes_straight_to_the_branch_that_waits(
    bench: Any,
) -> None:
    go_on = asyncio.Event()

    async def slow() -> None:
        await go_on.wait()

    async def body(run: Run) -> list[Any]:
        return list(await asyncio.gather(run.step("slow", slow), run.awaiting("a"), run.receive("m")))

    attempt = await bench.attempt()
    making = asyncio.ensure_future(attempt.make(body))
    while len(attempt.waits) < 2:
        await asyncio.sleep(0)
    await bench.durable.arrive("w", "a", '"answer"')
    await bench.durable.deliver("w", '"message"')
    assert await attempt.absorb()
    go_on.set()
    outcome = await making
    assert isinstance(outcome, Completed) and outcome.value == [None, "answer", "message"]


async def test_every_message_is_taken_once_by_branches_that_take_at_once(bench: Any) -> None:
    async def body(run: Run) -> list[Any]:
        taken = await asyncio.gather(*(run.receive(f"m{number}") for number in range(5)))
        rest = await run.pending("rest")
        return [sorted(taken), rest]

    await bench.durable.start("w", "job", 1, "null")
    for number in range(7):
        await bench.durable.deliver("w", str(number))
    outcome = await bench.make(body)
    assert isinstance(outcome, Completed) and outcome.value == [[0, 1, 2, 3, 4], [5, 6]]


async def test_a_wait_under_a_name_that_cannot_be_stored_fails_the_pass(bench: Any) -> None:
    for number, name in enumerate(["\ud800", "", "x" * 501, "a\0b"]):

        async def answer(run: Run, name: str = name) -> None:
            await run.awaiting(name)

        async def message(run: Run, name: str = name) -> None:
            await run.receive(name)

        # By the types alone: the name would go into the message of a failure, which has to be text.
        assert type(await bench.make(answer, f"answer-{number}")) is Failed
        assert type(await bench.make(message, f"message-{number}")) is Failed
