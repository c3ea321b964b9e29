"""A sweep among the calls of others: they go first, what they change holds, and its commits are small."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import pytest
from test_sweeping import EVERYTHING, claimed, finished

from stepfast import SqliteDurable
from stepfast.body.run import Transaction
from stepfast.interfaces import Settlement, Signal
from stepfast.retention import Forgets
from stepfast.sqlite.moves import deleting

pytestmark = pytest.mark.usefixtures("quiet_loop")


async def held(durable: SqliteDurable) -> asyncio.Event:
    """Hold the thread that writes in the middle of a commit, until what this gives is set."""
    loop = asyncio.get_running_loop()
    gate, begun = asyncio.Event(), asyncio.Event()

    def hold(_turn: object) -> None:
        loop.call_soon_threadsafe(begun.set)
        asyncio.run_coroutine_threadsafe(gate.wait(), loop).result()

    durable._store.writer.do(hold)
    await begun.wait()
    return gate


async def test_what_waits_with_housekeeping_goes_first(durable: SqliteDurable) -> None:
    writer = durable._store.writer
    order: list[str] = []
    gate = await held(durable)
    calls = [
        writer.do(lambda _: order.append("sweep"), last=True),
        writer.alone(lambda _: order.append("guarded sweep"), last=True),
        writer.do(lambda _: order.append("step")),
        writer.alone(lambda _: order.append("transact")),
        writer.do(lambda _: order.append("another step")),
    ]
    gate.set()
    await asyncio.gather(*calls)

    assert order == ["step", "transact", "another step", "sweep", "guarded sweep"]


def _forget(transaction: Transaction, _id: str) -> None:
    transaction.execute("SELECT 1")


@pytest.mark.parametrize(
    "forgets", [{("job", 1): None}, {("job", 1): _forget}], ids=["plain", "with a forget"]
)
@pytest.mark.parametrize("taken_back", ["by a retry", "by restoring it"])
async def test_what_is_taken_back_after_it_was_found_and_before_it_goes_stays(
    durable: SqliteDurable, forgets: Forgets, taken_back: str
) -> None:
    """Whoever asks while a sweep waits to write goes first, and what he was told holds."""
    for id in ("kept", "goes"):
        await durable.settle(await claimed(durable, id), 0, Settlement("failed"))
    await durable.remove(["kept", "goes"])

    gate = await held(durable)
    sweeping = asyncio.create_task(durable.sweep(EVERYTHING, forgets))
    calls = durable._store.writer._calls
    while not calls:  # until it has looked, and asks to delete what it found
        await asyncio.sleep(0.001)
    asked: Awaitable[object] = durable.retry("kept") if "retry" in taken_back else durable.restore(["kept"])
    asking = asyncio.ensure_future(asked)
    while len(calls) < 2:
        await asyncio.sleep(0.001)
    gate.set()

    assert await asking == ("queued" if "retry" in taken_back else ["kept"])
    assert (await sweeping).deleted == ("goes",)
    assert (await durable.catalogue.summary("kept")).removed_at is None


async def test_a_commit_of_a_sweep_takes_no_more_workflows_however_many_are_asked_for(
    durable: SqliteDurable,
) -> None:
    many = [f"{n}" for n in range(2 * deleting.MOST_WORKFLOWS + 10)]
    await finished(durable, *many)
    heard: list[Signal] = []
    stop = durable.listen(heard.append)
    assert len((await durable.sweep(EVERYTHING, {}, limit=1000)).deleted) == len(many)
    stop()
    gone = [len(signal.keys) for signal in heard if signal.keys]
    assert sum(gone) == len(many) and max(gone) <= deleting.MOST_WORKFLOWS, gone
