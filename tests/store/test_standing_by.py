"""Standing by: the worker has what becomes ready begun in the commit that makes it so, and never loses it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from standing import stands_by

from stepfast import Run, workflow
from stepfast.errors import StoreUnavailable

pytestmark = pytest.mark.usefixtures("quiet_loop")

gate: dict[str, Any] = {}


@workflow("gated")
async def gated(run: Run) -> str:
    await run.step("wait", gate[run.id])
    return await run.step("then", gate["then"])


@workflow("answered")
async def answered(run: Run) -> bool:
    return await run.awaiting("go", into=bool)


@pytest.fixture(autouse=True)
def _fresh_gate() -> None:
    async def then() -> str:
        return "through"

    gate.clear()
    gate["then"] = then


# --- what is begun while the worker does something else --------------------------------------------


async def test_a_pass_that_begins_while_the_file_is_looked_at_goes_on(bench: Any) -> None:
    """What was read before it began does not have its claim: that says nothing of it."""
    began = {"first": asyncio.Event(), "second": asyncio.Event()}
    go_on, looking, read = asyncio.Event(), asyncio.Event(), asyncio.Event()

    def waiting(id: str) -> Callable[[], Awaitable[None]]:
        async def wait() -> None:
            began[id].set()
            await go_on.wait()

        return wait

    gate.update(first=waiting("first"), second=waiting("second"))
    slow = False

    async def look() -> Any:
        found = await bench.durable.look()
        if slow:
            looking.set()
            await read.wait()
        return found

    async with bench.at_work([gated], bench.faulty(look=look)):
        await bench.start(gated(), "first")
        await began["first"].wait()
        await stands_by(bench.durable)
        slow = True
        await bench.durable.deliver("first", "1")  # so that the worker looks
        await looking.wait()
        await bench.start(gated(), "second")
        await began["second"].wait()
        slow = False
        read.set()
        await bench.durable.deliver("first", "2")
        for _ in range(100):
            await asyncio.sleep(0)
        go_on.set()
        async with asyncio.timeout(60):
            assert await bench.reached("second", "completed") == "completed"
            assert await bench.reached("first", "completed") == "completed"


async def test_a_store_that_lets_nobody_stand_by_is_asked_now_and_then(bench: Any) -> None:
    asked = 0

    async def begin_next(_offered: Any, _limit: int) -> Any:
        nonlocal asked
        asked += 1
        raise StoreUnavailable("not at the moment")

    gate["w"] = gate["then"]
    async with bench.at_work([gated], bench.faulty(begin_next=begin_next)):
        await bench.start(gated(), "w")
        await bench.reached("w", "completed")
        for _ in range(1000):
            await asyncio.sleep(0)
    assert asked <= 2  # the clock stands still


async def test_whoever_stands_by_is_to_begin_more_once_there_is_more_room(bench: Any) -> None:
    asked: list[int] = []
    go_on = asyncio.Event()

    async def begin_next(offered: Any, limit: int) -> Any:
        asked.append(limit)
        return await bench.durable.begin_next(offered, limit)

    async with (
        bench.at_work([gated], bench.faulty(begin_next=begin_next), concurrency=9),
        asyncio.timeout(60),
    ):
        await stands_by(bench.durable, 2)
        for n in range(7):
            gate[f"w{n}"] = go_on.wait
            await bench.start(gated(), f"w{n}")
            await bench.reached(f"w{n}", "running")
        await stands_by(bench.durable)
        assert asked[:2] == [4, 4], "half of nine, and all but one of the others"
        assert asked[-1] == 1, "half of two"
        go_on.set()
        while sum(asked[-2:]) < 7:
            await asyncio.sleep(0)
        for n in range(7):
            await bench.reached(f"w{n}", "completed")


async def test_two_stand_by_so_that_the_second_of_two_commits_is_begun_in_it_too(bench: Any) -> None:
    """It comes while the loop is busy with what the first began."""
    begun: list[list[str]] = []
    go_on = asyncio.Event()

    async def begin_next(offered: Any, limit: int) -> Any:
        found = await bench.durable.begin_next(offered, limit)
        begun.append([each.claim.id for each in found])
        await go_on.wait()
        return found

    async with bench.at_work([gated], bench.faulty(begin_next=begin_next), concurrency=16) as worker:
        await worker.until_idle()
        await stands_by(bench.durable, 2)
        for n in range(2):
            gate[f"w{n}"] = gate["then"]
            await bench.start(gated(), f"w{n}")
        while len(begun) < 2:
            await asyncio.sleep(0)
        assert (begun, worker.running) == ([["w0"], ["w1"]], 0)
        go_on.set()
        for n in range(2):
            await bench.reached(f"w{n}", "completed")


async def waits_for_an_answer(bench: Any) -> None:
    """Return once a workflow of that kind waits, its pass is over, and the worker stands by."""
    await bench.start(answered(), "w")
    await bench.reached("w", "waiting")
    await stands_by(bench.durable)


async def test_what_an_answer_has_begun_is_not_looked_for_once_more(bench: Any) -> None:
    """That would be a transaction for nothing, beside the first lines of the body."""
    asked = 0

    async def begin(offered: Any, limit: int) -> Any:
        nonlocal asked
        asked += 1
        return await bench.durable.begin(offered, limit)

    async with bench.at_work([answered], bench.faulty(begin=begin)) as worker:
        await waits_for_an_answer(bench)
        await worker.until_idle()
        before = asked
        await bench.durable.arrive("w", "go", "true")
        await bench.reached("w", "completed")
        await worker.until_idle()
        assert asked == before
        # What nobody has begun is looked for as ever.
        await asyncio.gather(*(bench.start(answered(), f"w{n}") for n in range(3)))
        for n in range(3):
            await bench.reached(f"w{n}", "waiting")
        assert asked > before


async def test_nobody_is_idle_while_what_was_begun_is_on_its_way(bench: Any) -> None:
    on_its_way, go_on = asyncio.Event(), asyncio.Event()

    async def begin_next(offered: Any, limit: int) -> Any:
        begun = await bench.durable.begin_next(offered, limit)
        on_its_way.set()
        await go_on.wait()
        return begun

    async with bench.at_work([answered], bench.faulty(begin_next=begin_next)) as worker:
        go_on.set()
        await waits_for_an_answer(bench)
        await worker.until_idle()
        on_its_way.clear()
        go_on.clear()
        await bench.durable.arrive("w", "go", "true")
        idle = asyncio.ensure_future(worker.until_idle())
        await on_its_way.wait()
        bench.durable.health.report("old-reader", "so that the worker looks around", stops_work=False)
        for _ in range(100):
            await asyncio.sleep(0)
        assert not idle.done()
        assert await bench.state("w") == "running"
        go_on.set()
        await idle
        assert await bench.state("w") == "completed"
