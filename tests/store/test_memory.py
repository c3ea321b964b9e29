"""What is the memory store's alone; what it shares with every store is in `test_contract.py`."""

from __future__ import annotations

import asyncio

import pytest

from stepfast.errors import InvalidInput, StoreClosed
from stepfast.interfaces import Durable, Kind, NewRecord, Offered, Settlement
from stepfast.memory import Memory, MemoryDurable
from stepfast.testing import VirtualClock
from stepfast.views import Changes, Filter, Reset

JOB = Offered("job", 1)


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


async def start(durable: MemoryDurable, id: str) -> int:
    return (await durable.start(id, "job", 1, "null")).key


async def test_it_is_made_without_arguments_and_takes_the_machines_time() -> None:
    durable: Durable = MemoryDurable()
    await durable.start("one", "job", 1, "null")
    assert (await durable.catalogue.summary("one")).created_at.year >= 2026


async def test_two_that_share_no_memory_share_nothing(clock: VirtualClock) -> None:
    one, other = MemoryDurable(clock=clock), MemoryDurable(clock=clock)
    await start(one, "one")
    claim = await one.checkpointer.claim("one")
    assert claim is not None
    await one.checkpointer.transact(
        claim, "table", lambda transaction: str(transaction.execute("CREATE TABLE mine (a)").rowcount), 0.0
    )

    assert await other.catalogue.list() == []
    await start(other, "one")
    claim = await other.checkpointer.claim("one")
    assert claim is not None
    recorded = await other.checkpointer.transact(
        claim, "table", lambda transaction: str(transaction.execute("CREATE TABLE mine (a)").rowcount), 0.0
    )
    assert recorded.first


async def test_engines_over_one_memory_are_owners_of_their_own() -> None:
    shared = Memory()
    one, other = MemoryDurable(memory=shared), MemoryDurable(memory=shared)
    assert one.owner != other.owner
    await start(one, "one")
    assert [begun.claim.id for begun in await other.begin([JOB], 9)] == ["one"]


async def test_one_that_died_says_nothing_more() -> None:
    shared = Memory()
    durable, other = MemoryDurable(memory=shared), MemoryDurable(memory=shared)
    heard: list[object] = []
    durable.listen(heard.append)
    await start(durable, "one")
    (begun,) = await durable.begin([JOB], 1)
    await asyncio.sleep(0)
    heard.clear()

    durable.die()

    with pytest.raises(StoreClosed):
        await durable.settle(begun.claim, begun.receipt, Settlement("completed", result="1"))
    await start(other, "other")
    await asyncio.sleep(0)
    assert heard == []
    assert (await other.catalogue.summary("one")).state.name == "running"
    assert await other.takeover() == ["one"]


async def test_a_call_that_waits_when_its_engine_dies_writes_nothing() -> None:
    shared = Memory()
    durable, other = MemoryDurable(memory=shared), MemoryDurable(memory=shared)
    key = await start(durable, "one")
    claim = await durable.checkpointer.claim("one")
    assert claim is not None
    write = asyncio.create_task(durable.checkpointer.record(claim, NewRecord(Kind.STEP, "step", "1", 0.0)))
    await asyncio.sleep(0)

    durable.die()

    with pytest.raises(StoreClosed):
        await write
    assert (await other.checkpointer.load(key)).records == ()


async def test_what_is_closed_but_kept_alive_is_not_taken_over() -> None:
    shared = Memory()
    durable, other = MemoryDurable(memory=shared), MemoryDurable(memory=shared)
    await start(durable, "one")
    await durable.begin([JOB], 1)

    await durable.close(keep_alive=True)

    assert await other.takeover() == []
    durable.die()
    assert await other.takeover() == ["one"]


async def test_every_call_lets_the_loop_turn() -> None:
    """Else a body over memory would run in one go, and hide what other tasks can do in between."""
    durable = MemoryDurable()
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    for n in range(10):
        await start(durable, f"job-{n}")
    counting.cancel()
    assert turns >= 9


async def test_the_removed_are_hidden_and_can_be_listed(clock: VirtualClock) -> None:
    durable = MemoryDurable(clock=clock)
    await start(durable, "kept")
    key = await start(durable, "removed")
    row = durable.memory.rows[key]
    row.removed_at = clock.time()
    durable.memory.touch(row)

    assert [row.id for row in await durable.catalogue.list()] == ["kept"]
    assert [row.id for row in await durable.catalogue.list(Filter(removed=True))] == ["removed"]
    assert await durable.catalogue.counts() == {"queued": 1}
    joined = await durable.start("other", "job", 1, "null", join=True)
    assert joined.id == "kept"
    feed = await durable.catalogue.changes(0)
    assert isinstance(feed, Changes)
    assert [row.id for row in feed.rows] == ["kept", "removed"], "whoever showed it must learn of it"


async def test_a_number_from_before_the_horizon_is_answered_by_a_reset() -> None:
    durable = MemoryDurable()
    await start(durable, "one")
    durable.memory.horizon = durable.memory.reached

    feed = await durable.catalogue.changes(0)

    assert feed == Reset(durable.memory.reached)
    later = await durable.catalogue.changes(feed.at)
    assert later == Changes((), (), feed.at)


@pytest.mark.parametrize("id", ["", "a\nb", "a\x00b", "x" * 201])
async def test_an_id_that_sqlite_would_refuse_is_refused(id: str) -> None:
    durable = MemoryDurable()
    with pytest.raises(InvalidInput):
        await start(durable, id)


@pytest.mark.parametrize("settlement", [Settlement("running"), Settlement("sleeping"), Settlement("done")])
async def test_a_pass_cannot_be_settled_by_nonsense(settlement: Settlement) -> None:
    durable = MemoryDurable()
    await start(durable, "one")
    (begun,) = await durable.begin([JOB], 1)
    with pytest.raises(ValueError, match="cannot be settled"):
        await durable.settle(begun.claim, begun.receipt, settlement)
    assert (await durable.look()).held != ()


def test_one_whose_loop_is_gone_is_in_nobodys_way() -> None:
    memory = Memory()
    asyncio.run(MemoryDurable(memory=memory).attend())
    assert asyncio.run(MemoryDurable(memory=memory).start("one", "job", 1, "null")).created
