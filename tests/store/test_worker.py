"""The worker: what it takes and when, what it hears, and that nothing it held is ever stranded."""

from __future__ import annotations

import asyncio
import threading
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from stepfast import DefinitionError, Engine, InvalidInput, Run, UnknownDefinition, connect, workflow
from stepfast.testing import VirtualClock

pytestmark = pytest.mark.usefixtures("quiet_loop")

gate: dict[str, Any] = {}


@workflow("quick")
async def quick(run: Run, number: int = 0) -> int:
    gate.setdefault("order", []).append(run.id)
    return number


@workflow("endless")
async def endless(run: Run) -> None:
    await run.step("wait", gate["endless"])


@workflow("nap")
async def nap(run: Run, seconds: float = 60.0) -> str:
    await run.sleep("nap", timedelta(seconds=seconds))
    return "rested"


@workflow("question")
async def question(run: Run) -> Any:
    return await run.awaiting("answer")


@workflow("stubborn")
async def stubborn(run: Run) -> str:
    return await run.step("hold", gate["hold"])


DEFINITIONS = [quick, endless, nap, question, stubborn]


@pytest.fixture(autouse=True)
def _fresh_gate() -> None:
    gate.clear()


# --- taking ---------------------------------------------------------------------------------------


async def test_the_most_urgent_go_first_and_equals_in_the_order_they_came(bench: Any) -> None:
    for id, priority in [("a", 0), ("b", 5), ("c", 0), ("d", 9), ("e", 5)]:
        await bench.start(quick(), id, priority=priority)
    async with bench.at_work(DEFINITIONS, concurrency=1) as worker:
        await worker.until_idle()
    assert gate["order"] == ["d", "b", "e", "a", "c"]


async def test_no_more_run_at_once_than_there_is_room_for(bench: Any) -> None:
    running, most = 0, 0
    full = asyncio.Event()

    async def effect() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if running == 3:
            full.set()
        await full.wait()
        for _ in range(50):
            await asyncio.sleep(0)
        running -= 1

    gate["endless"] = effect
    for number in range(12):
        await bench.start(endless(), f"w{number}")
    async with bench.at_work(DEFINITIONS, concurrency=3) as worker:
        await worker.until_idle()
    assert most == 3
    assert (await bench.durable.catalogue.counts())["completed"] == 12


async def test_a_full_worker_turns_no_loop_while_more_is_ready_or_due(bench: Any) -> None:
    begun, release = asyncio.Event(), asyncio.Event()

    async def effect() -> None:
        begun.set()
        await release.wait()

    gate["endless"] = effect
    looks = 0

    async def look() -> Any:
        nonlocal looks
        looks += 1
        return await bench.durable.look()

    waits = 0

    class Counting(VirtualClock):
        async def wait(self, event: asyncio.Event, seconds: float) -> None:
            nonlocal waits
            waits += 1
            await super().wait(event, seconds)

    clock = Counting(bench.clock.time())
    await bench.start(endless(), "first", priority=1)
    await bench.start(quick(), "ready")
    await bench.start(nap(), "due", at=bench.clock.time() + 5)
    async with bench.at_work(DEFINITIONS, bench.faulty(look=look), clock, concurrency=1):
        await begun.wait()
        bench.clock.advance(10)
        clock.advance(10)
        for _ in range(1000):
            await asyncio.sleep(0)
        before = waits
        for _ in range(1000):
            await asyncio.sleep(0)
        busy = waits - before
        release.set()
    assert busy <= 5  # a loop that turns would have come to hundreds


async def test_two_definitions_that_can_both_run_a_version_starve_nobody(bench: Any) -> None:
    @workflow("job", version=1)
    async def one(run: Run) -> None: ...

    @workflow("job", version=2, accepts=[1])
    async def two(run: Run) -> None: ...

    @workflow("job", version=3, accepts=[1, 2])
    async def three(run: Run) -> None: ...

    for number in range(20):
        await bench.start(one(), f"w{number}")
    async with bench.at_work([one, two, three], concurrency=4) as worker:
        await worker.until_idle()
        offers = [(each.name, each.version) for each in await bench.durable.catalogue.offers()]
    assert (await bench.durable.catalogue.counts())["completed"] == 20
    assert offers == [("job", 1), ("job", 2), ("job", 3)]


async def test_what_no_definition_here_can_run_stays_queued(bench: Any) -> None:
    await bench.durable.start("other", "other", 1, "{}")
    await bench.durable.start("newer", "quick", 9, "{}")
    async with bench.at_work(DEFINITIONS) as worker:
        await worker.until_idle()
    assert [await bench.state(each) for each in ("other", "newer")] == ["queued", "queued"]


@pytest.mark.parametrize("text", ["[]", '{"number": "x"}', '{"unknown": 1}', "not json", "null"])
async def test_an_input_that_does_not_fit_fails_the_workflow_and_says_so(bench: Any, text: str) -> None:
    await bench.durable.start("w", "quick", 1, text)
    async with bench.at_work(DEFINITIONS) as worker:
        await worker.until_idle()
    assert await bench.state("w") == "failed"


# --- hearing --------------------------------------------------------------------------------------


async def forever() -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize(("ask", "state"), [("pause", "paused"), ("cancel", "cancelled")])
@pytest.mark.parametrize("moment", ["between begin and pass", "while its checkpoint is loaded"])
async def test_what_a_person_asks_is_heard_at_every_moment_of_a_beginning(
    bench: Any, moment: str, ask: str, state: str
) -> None:
    gate["endless"] = forever

    async def begin(offered: Any, limit: int) -> Any:
        begun = await bench.durable.begin(offered, limit)
        if begun and moment.startswith("between"):
            await getattr(bench.durable, ask)("w")
        return begun

    looked = asyncio.Event()

    async def look() -> Any:
        found = await bench.durable.look()
        if found.held:
            looked.set()
        return found

    class Slow:
        def __getattr__(self, name: str) -> Any:
            return getattr(bench.durable.checkpointer, name)

        async def load(self, workflow: int, *, after: int = 0) -> Any:
            # The look that follows each taking is over before the checkpoint is there.
            await looked.wait()
            if moment.startswith("while"):
                await getattr(bench.durable, ask)("w")
            return await bench.durable.checkpointer.load(workflow, after=after)

    await bench.start(endless(), "w")
    await bench.durable.deliver("w", f'"{"x" * 70_000}"')  # what is small comes with the beginning
    async with bench.at_work(DEFINITIONS, bench.faulty(begin=begin, look=look, checkpointer=Slow())):
        assert await bench.reached("w", state, "completed") == state


async def test_an_answer_between_the_end_of_a_pass_and_its_settlement_leads_to_another_pass(
    bench: Any,
) -> None:
    async def settle(claim: Any, receipt: int, settlement: Any) -> str:
        if settlement.state == "waiting":
            await bench.durable.arrive("w", "answer", "7")
        state: str = await bench.durable.settle(claim, receipt, settlement)
        return state

    await bench.start(question(), "w")
    async with bench.at_work(DEFINITIONS, bench.faulty(settle=settle)):
        await bench.reached("w", "completed")
    assert (await bench.durable.catalogue.get("w")).result == 7


async def test_a_running_workflow_that_is_deleted_lets_go_of_its_step(bench: Any) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def effect() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    gate["endless"] = effect
    await bench.start(endless(), "w")
    async with bench.at_work(DEFINITIONS):
        await begun.wait()
        await bench.durable.delete("w")
        async with asyncio.timeout(60):
            await ended.wait()


async def test_a_step_that_waits_for_a_thread_is_paused_without_having_begun(bench: Any) -> None:
    held, release, began = threading.Event(), threading.Event(), list[str]()

    def hold() -> str:
        began.append("hold")
        held.set()
        release.wait(100)
        return "held"

    gate["hold"] = hold
    await bench.start(stubborn(), "first")
    async with bench.at_work(DEFINITIONS, threads=1):
        await asyncio.to_thread(held.wait)
        await bench.start(stubborn(), "second")
        await bench.reached("second", "running")
        for _ in range(300):
            await asyncio.sleep(0)
        await bench.durable.pause("second")
        try:
            async with asyncio.timeout(60):
                await bench.reached("second", "paused")
        finally:
            release.set()
    assert began == ["hold"]


async def test_sleepers_wake_when_their_moment_has_come_and_not_before(bench: Any) -> None:
    for number in range(5):
        await bench.start(nap(60.0 + number), f"w{number}")
    async with bench.at_work(DEFINITIONS):
        for number in range(5):
            await bench.reached(f"w{number}", "sleeping")
        bench.clock.advance(30)
        bench.clock.advance(33)
        for number in range(3):
            await bench.reached(f"w{number}", "completed")
        assert await bench.state("w4") == "sleeping"
        bench.clock.advance(10)
        await bench.reached("w4", "completed")


# --- limits ---------------------------------------------------------------------------------------


@workflow("limited", at_once=2)
async def limited(run: Run) -> None:
    await run.step("wait", gate["limited"].run)


@workflow("copying", queue="disk")
async def copying(run: Run) -> None:
    await run.step("wait", gate["disk"].run)


@workflow("checking", queue="disk")
async def checking(run: Run) -> None:
    await run.step("wait", gate["disk"].run)


class Most:
    """An effect that notes how many of it ran at once."""

    def __init__(self) -> None:
        self.running = self.most = self.done = 0

    async def run(self) -> None:
        self.running += 1
        self.most = max(self.most, self.running)
        for _ in range(30):
            await asyncio.sleep(0)
        self.running -= 1
        self.done += 1


async def test_the_next_of_what_is_limited_is_taken_when_one_ends(bench: Any) -> None:
    gate["limited"], gate["disk"] = Most(), Most()
    for number in range(7):
        await bench.start(limited(), f"limited-{number}")
        await bench.start(copying(), f"copying-{number}")
        await bench.start(checking(), f"checking-{number}")
    definitions = [limited, copying, checking, quick]
    async with bench.at_work(definitions, queues={"disk": 3}) as worker:
        # The clock stands still, so nothing but being told makes the worker look again.
        await worker.until_idle()
        await bench.reached("checking-6", "completed")
        await bench.reached("limited-6", "completed")
    assert (gate["limited"].most, gate["limited"].done) == (2, 7)
    assert (gate["disk"].most, gate["disk"].done) == (3, 14)


async def test_another_process_takes_the_next_when_one_ends_here(bench: Any) -> None:
    gate["limited"] = Most()
    other = await connect(bench.durable.path, clock=bench.clock)
    for number in range(12):
        await bench.start(limited(), f"limited-{number}")
    async with bench.at_work([limited]), bench.at_work([limited], other):
        for number in range(12):
            await bench.reached(f"limited-{number}", "completed")
    await other.close()
    assert (gate["limited"].most, gate["limited"].done) == (2, 12)


async def test_a_worker_held_back_by_another_hears_of_its_end(bench: Any) -> None:
    begun, release = asyncio.Event(), asyncio.Event()

    async def effect() -> None:
        begun.set()
        await release.wait()

    gate["disk"] = SimpleNamespace(run=effect)
    other = await connect(bench.durable.path, clock=bench.clock)
    async with bench.at_work([copying], other, queues={"disk": 1}):
        await bench.start(copying(), "theirs")
        await begun.wait()
        async with bench.at_work([checking], queues={"disk": 1}) as worker:
            await bench.start(checking(), "ours")
            await worker.until_idle()
            assert await bench.state("ours") == "queued"
            release.set()
            await bench.reached("ours", "completed")
    await other.close()


def test_what_is_no_limit_is_refused() -> None:
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(DefinitionError, match="whole number from 1"):
            workflow("some", at_once=wrong)  # type: ignore[arg-type]
    with pytest.raises(DefinitionError, match="a queue's name"):
        workflow("some", queue="The Disk")


async def test_what_is_no_limit_of_a_queue_is_refused(tmp_path: Any) -> None:
    with pytest.raises(InvalidInput, match="'disk' is 0"):
        async with Engine.open(tmp_path / "work.db", queues={"disk": 0}):
            pass


async def test_a_limit_that_is_set_while_a_worker_runs_counts_for_what_comes_then(bench: Any) -> None:
    running, release = 0, asyncio.Semaphore(0)

    async def effect() -> None:
        nonlocal running
        running += 1
        await release.acquire()
        running -= 1

    async def settled(count: int) -> None:
        async with asyncio.timeout(60):
            while running < count:
                await asyncio.sleep(0.005)
        await bench.state("endless-0")
        await asyncio.sleep(0.02)
        assert running == count

    gate["endless"] = effect
    gate["limited"] = SimpleNamespace(run=effect)
    async with bench.at_work([endless, limited]) as worker:
        worker.limit("endless", 2)
        for number in range(9):
            await bench.start(endless(), f"endless-{number}")
        await settled(2)
        worker.limit("endless", 4)
        await settled(4)
        worker.limit("endless", 3)
        release.release()
        await bench.reached("endless-0", "completed")
        await settled(3)  # what runs goes on, and the next waits
        worker.limit("endless", None)
        await settled(8)
        for _ in range(8):
            release.release()
        await bench.reached("endless-8", "completed")
        worker.limit("limited", 99)
        for number in range(4):
            await bench.start(limited(), f"limited-{number}")
        await settled(2)  # the definition lets no more
        for _ in range(4):
            release.release()
        await bench.reached("limited-3", "completed")


async def test_a_queues_limit_is_set_while_a_worker_runs(bench: Any) -> None:
    running, release = 0, asyncio.Semaphore(0)

    async def effect() -> None:
        nonlocal running
        running += 1
        await release.acquire()
        running -= 1

    async def settled(count: int) -> None:
        async with asyncio.timeout(60):
            while running < count:
                await asyncio.sleep(0.005)
        await asyncio.sleep(0.02)
        assert running == count

    gate["disk"] = SimpleNamespace(run=effect)
    async with bench.at_work([copying, checking], queues={"disk": 1}) as worker:
        for number in range(3):
            await bench.start(copying(), f"copying-{number}")
            await bench.start(checking(), f"checking-{number}")
        await settled(1)
        worker.limit_queue("disk", 3)
        await settled(3)
        worker.limit_queue("disk", None)
        await settled(6)
        for _ in range(6):
            release.release()
        await bench.reached("checking-2", "completed")


async def test_what_is_no_limit_of_a_definition_here_is_refused(tmp_path: Any) -> None:
    async with Engine.open(tmp_path / "work.db", [quick]) as engine:
        engine.limit("quick", 1)
        with pytest.raises(InvalidInput, match="the limit of 'quick' is 0"):
            engine.limit("quick", 0)
        with pytest.raises(UnknownDefinition):
            engine.limit("missing", 1)
    async with Engine.open(tmp_path / "work.db", [quick, copying]) as engine:
        engine.limit_queue("disk", 1)
        with pytest.raises(InvalidInput, match="the limit of the queue 'disk' is 0"):
            engine.limit_queue("disk", 0)
        with pytest.raises(InvalidInput, match="no definition of this program has the queue 'tape'"):
            engine.limit_queue("tape", 1)


async def test_a_limit_that_is_set_while_the_first_is_being_written_is_written_too(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int | None] = []
    begun, goes_on, offer = asyncio.Event(), asyncio.Event(), bench.durable.offer

    async def slow(offered: Any, *given: Any) -> None:
        written.extend(each.at_once for each in offered)
        await offer(offered, *given)
        begun.set()
        await goes_on.wait()

    monkeypatch.setattr(bench.durable, "offer", slow)
    async with bench.at_work([quick]) as worker, asyncio.timeout(60):
        await begun.wait()
        worker.limit("quick", 3)
        goes_on.set()
        while written != [None, 3]:
            await asyncio.sleep(0.005)
