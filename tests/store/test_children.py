"""`run.child` over both stores: results, failures, joining, cancelling, limits, many at once, and kill -9."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from stepfast import (
    ChildCancelled,
    ChildFailed,
    Definition,
    Engine,
    Every,
    InvalidInput,
    MemoryDurable,
    Run,
    Secret,
    connect,
    workflow,
)
from stepfast.definitions.definition import Registry
from stepfast.state import ChildWait, SleepWait, Waiting
from stepfast.testing import VirtualClock
from stepfast.workers.worker import Worker

pytestmark = pytest.mark.usefixtures("quiet_loop")

gate: dict[str, Any] = {}


@dataclass
class Size:
    path: Path
    size: int


@workflow("measure")
async def measure(run: Run, number: int, wait: bool = False) -> Size:
    gate.setdefault("measured", []).append(number)
    if wait:
        await run.awaiting("go")
    if number < 0:
        raise ValueError(f"{number} is too small")
    return await run.step("size", lambda: Size(Path("x") / str(number), number), into=Size)


@workflow("total")
async def total(run: Run, numbers: list[int], wait: bool = False) -> int:
    gate["passes"] = gate.get("passes", 0) + 1
    sizes = await asyncio.gather(*(run.child(str(n), measure(n, wait=wait)) for n in numbers))
    assert all(isinstance(each, Size) for each in sizes)
    return sum(each.size for each in sizes)


@workflow("patient")
async def patient(run: Run, number: int, wait: bool = False) -> str:
    try:
        size = await run.child("only", measure(number, wait=wait))
    except ChildFailed as error:
        return f"{error.id} failed: {error.failure}"
    except ChildCancelled as error:
        return f"{error.id} was cancelled"
    return str(size.size)


@workflow("grandparent")
async def grandparent(run: Run, wait: bool = False) -> int:
    return await run.child("parent", total([1, 2], wait=wait))


@workflow("misnamed")
async def misnamed(run: Run, name: str) -> None:
    await run.child(name, measure(1))


@workflow("naps-too")
async def naps_too(run: Run) -> str:
    async def nap() -> None:
        await run.sleep("nap", timedelta(seconds=60))

    size, _ = await asyncio.gather(run.child("measured", measure(3, wait=True)), nap())
    return str(size.size)


@workflow("lonely", at_once=1)
async def lonely(run: Run, depth: int) -> int:
    return 0 if not depth else 1 + await run.child("next", lonely(depth - 1))


DEFINITIONS = [measure, total, patient, grandparent, misnamed, naps_too, lonely]


class Home:
    """A store, a worker over it now and then, and an engine to ask with."""

    def __init__(self, durable: Any, clock: VirtualClock) -> None:
        self.durable = durable
        self.clock = clock
        self.engine = Engine(durable, Registry(DEFINITIONS), clock)

    @asynccontextmanager
    async def at_work(
        self, definitions: Iterable[Definition[..., Any]] = DEFINITIONS, **options: Any
    ) -> AsyncIterator[Worker]:
        worker = Worker(self.durable, Registry(definitions), clock=self.clock, **options)
        working = asyncio.ensure_future(worker.run())
        try:
            yield worker
        finally:
            await worker.stop(timedelta(seconds=5))
            while not working.done():
                self.clock.advance(60)
                await asyncio.sleep(0)
            await working

    async def reached(self, id: str, state: str) -> None:
        changed = asyncio.Event()
        stop = self.durable.listen(lambda _signal: changed.set())
        try:
            async with asyncio.timeout(60):
                while True:
                    changed.clear()
                    counts = await self.durable.catalogue.counts()
                    if counts and await self.state(id) == state:
                        return
                    await changed.wait()
        finally:
            stop()

    async def state(self, id: str) -> str:
        found = await self.durable.catalogue.list(limit=100_000)
        return next((each.state.name for each in found if each.id == id), "gone")


@pytest.fixture(params=["memory", "sqlite"])
async def home(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Home]:
    gate.clear()
    clock = VirtualClock()
    durable: Any
    if request.param == "memory":
        durable = MemoryDurable(clock=clock)
    else:
        durable = await connect(tmp_path / "work.db", clock=clock)
    yield Home(durable, clock)
    await durable.close()


async def test_a_parent_gets_what_its_children_returned(home: Home) -> None:
    async with home.at_work():
        handle = await home.engine.start(total([1, 2, 3]), id="sum")
        assert await handle.result() == 6
    rows = {each.id: each.state.name for each in await home.engine.list()}
    assert rows == dict.fromkeys(("sum", "sum/1", "sum/2", "sum/3"), "completed")
    assert sorted(gate["measured"]) == [1, 2, 3], "each ran once"


async def test_one_that_waits_says_for_which_children(home: Home) -> None:
    async with home.at_work() as worker:
        await home.engine.start(naps_too(), id="one")
        await home.reached("one", "waiting")
        state = (await home.engine.summary("one")).state
        assert isinstance(state, Waiting)
        assert ChildWait("measured") in state.waits and any(isinstance(w, SleepWait) for w in state.waits)
        await worker.until_idle()
        await home.engine.arrive("one/measured", "go", True)
        await home.reached("one", "sleeping")
        home.clock.advance(60)
        assert await home.engine.handle("one").result() == "3"


async def test_a_failed_child_raises_in_its_parent(home: Home) -> None:
    async with home.at_work():
        handle = await home.engine.start(patient(-1), id="caught")
        assert await handle.result() == "caught/only failed: ValueError: -1 is too small"
        await home.engine.start(total([-5]), id="not")
        await home.reached("not", "failed")
    failure = (await home.engine.get("not")).failure
    assert failure is not None and failure.type == "stepfast.errors.ChildFailed"
    assert "'not/-5' failed: ValueError: -5 is too small" in failure.message


async def test_a_cancelled_child_raises_in_its_parent(home: Home) -> None:
    async with home.at_work():
        for id in ("cancelled", "deleted"):
            await home.engine.start(patient(1, wait=True), id=id)
            await home.reached(f"{id}/only", "waiting")
        await home.engine.cancel("cancelled/only")
        await home.engine.delete("deleted/only")
        assert await home.engine.handle("cancelled").result() == "cancelled/only was cancelled"
        assert await home.engine.handle("deleted").result() == "deleted/only was cancelled"


async def test_cancelling_a_parent_ends_the_family(home: Home) -> None:
    async with home.at_work():
        await home.engine.start(grandparent(wait=True), id="top")
        for id in ("top/parent/1", "top/parent/2", "top/parent", "top"):
            await home.reached(id, "waiting")
        await home.engine.cancel("top")
    rows = {each.id: each.state.name for each in await home.engine.list()}
    assert rows == dict.fromkeys(("top", "top/parent", "top/parent/1", "top/parent/2"), "cancelled")


async def test_a_clean_up_may_have_children(home: Home) -> None:
    @workflow("tidy")
    async def tidy(run: Run) -> int:
        return (await run.child("only", measure(1, wait=True))).size

    @tidy.on_cancel
    async def undo(run: Run) -> None:
        size = await run.child("only", measure(7))
        await run.step("undone", gate["undone"].append, size.size)

    gate["undone"] = []
    async with home.at_work([*DEFINITIONS, tidy]):
        await home.engine.start(tidy(), id="one")
        await home.reached("one/only", "waiting")
        await home.engine.cancel("one")
        await home.reached("one", "cancelled")
    assert gate["undone"] == [7]
    rows = {each.id: each.state.name for each in await home.engine.list()}
    assert rows == {"one": "cancelled", "one/only": "cancelled", "one/on_cancel:only": "completed"}


async def test_secrets_are_no_inputs_of_children(home: Home) -> None:
    @workflow("secretive")
    async def secretive(run: Run, password: Secret) -> None: ...

    @workflow("telling")
    async def telling(run: Run) -> None:
        await run.child("it", secretive(Secret("hush")))

    async with home.at_work([telling]):
        await home.engine.start(telling(), id="one")
        await home.reached("one", "failed")
    failure = (await home.engine.get("one")).failure
    assert failure is not None and "which a child cannot be given" in failure.message
    with pytest.raises(InvalidInput, match="no schedule keeps"):
        await home.engine.schedule("nightly", secretive(Secret("hush")), Every(timedelta(days=1)))


async def test_what_is_tried_again_tries_its_child_again(home: Home) -> None:
    async with home.at_work():
        await home.engine.start(total([1, 2], wait=True), id="sum")
        await home.reached("sum/1", "waiting")
        await home.reached("sum/2", "waiting")
        await home.engine.cancel("sum/1")
        await home.reached("sum", "failed")
        await home.engine.retry("sum")
        await home.reached("sum/1", "waiting")
        await home.engine.arrive("sum/1", "go", True)
        await home.engine.arrive("sum/2", "go", True)
        assert await home.engine.handle("sum").result() == 3


async def test_a_parent_that_waits_takes_no_place(home: Home) -> None:
    async with home.at_work(concurrency=1):
        assert await (await home.engine.start(grandparent(), id="top")).result() == 3
        assert await (await home.engine.start(lonely(5), id="l")).result() == 5


async def test_an_id_that_would_be_too_long_is_said_clearly(home: Home) -> None:
    names = {"long": "n" * 196, "two\nlines": "two\nlines"}
    async with home.at_work():
        await home.engine.start(misnamed("n" * 195), id="just")
        await home.reached("just", "completed")
        for id, name in (("long", names["long"]), ("line", names["two\nlines"])):
            await home.engine.start(misnamed(name), id=id)
            await home.reached(id, "failed")
    failure = (await home.engine.get("long")).failure
    assert failure is not None and failure.type == "stepfast.errors.InvalidInput"
    assert "an id of 201 characters" in failure.message and "200 is the most" in failure.message
    failure = (await home.engine.get("line")).failure
    assert failure is not None and "cannot name a child" in failure.message


async def test_an_older_parent_joins_children_of_an_older_version(home: Home) -> None:
    @workflow("measure", version=2, accepts=(1,))
    async def newer(run: Run, number: int, wait: bool = False) -> Size:
        await run.awaiting("go")
        return Size(Path("new"), 10 * number)

    @workflow("total", version=2, accepts=(1,))
    async def newer_total(run: Run, numbers: list[int], wait: bool = False) -> int:
        sizes = await asyncio.gather(*(run.child(str(n), newer(n, wait=wait)) for n in numbers))
        return sum(each.size for each in sizes)

    async with home.at_work():
        await home.engine.start(total([1, 2], wait=True), id="sum")
        await home.reached("sum", "waiting")
    async with home.at_work([newer, newer_total]):
        await home.reached("sum", "waiting")
        await home.engine.arrive("sum/1", "go", True)
        await home.engine.arrive("sum/2", "go", True)
        await home.reached("sum", "completed")
    assert (await home.engine.get("sum")).result == 30


async def test_a_thousand_children_do_not_cost_a_million(home: Home) -> None:
    async with home.at_work():
        handle = await home.engine.start(total([*range(1000)]), id="sum")
        assert await handle.result() == 499_500
    print(f"1,000 children: {gate['passes']} passes of the parent")
    assert sorted(gate["measured"]) == [*range(1000)]
    assert gate["passes"] <= 100


PROGRAM = """
import asyncio, sys
from stepfast import Engine, Run, workflow

@workflow("leaf")
async def leaf(run: Run, number: int) -> int:
    for step in range(3):
        await run.step(f"step-{step}", int, number)
    print("leaf", flush=True)
    return number

@workflow("branch")
async def branch(run: Run, number: int) -> int:
    return sum(await asyncio.gather(*(run.child(str(n), leaf(n + 10 * number)) for n in range(8))))

@workflow("root")
async def root(run: Run) -> int:
    return sum(await asyncio.gather(*(run.child(str(n), branch(n)) for n in range(8))))

async def main() -> None:
    print("begins", flush=True)
    async with Engine.open(sys.argv[1], [root, branch, leaf], backups=False) as engine:
        handle = await engine.start(root(), id="root")
        print("result", await handle.result(), flush=True)

asyncio.run(main())
"""


async def test_no_child_is_lost_however_often_the_program_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    kills = 0
    for number in range(100):
        program = await asyncio.create_subprocess_exec(
            sys.executable, "-c", PROGRAM, str(path), stdout=asyncio.subprocess.PIPE
        )
        assert program.stdout is not None
        assert await program.stdout.readline() == b"begins\n"
        # A little later each time, so that the kills fall into every phase; and where no time was enough for
        # anything, on a slow machine, much later.
        try:
            await asyncio.wait_for(program.wait(), 0.02 * number * 1.2 ** max(0, number - 40))
        except TimeoutError:
            with suppress(ProcessLookupError):  # it may have come to its end at this very moment
                program.send_signal(signal.SIGKILL)
            kills += 1
            await program.communicate()
            continue
        said = (await program.communicate())[0].decode()
        assert f"result {sum(n + 10 * m for n in range(8) for m in range(8))}" in said
        break
    else:
        raise AssertionError("it never came to its end")
    assert kills >= 3
    durable = await connect(path)
    rows = {each.id: each.state.name for each in await durable.catalogue.list(limit=100)}
    await durable.close()
    assert len(rows) == 73 and set(rows.values()) == {"completed"}, json.dumps(rows, indent=1)
