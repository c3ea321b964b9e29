"""What a workflow that is cancelled still owes: a pass that tidies up, where its definition has one."""

from __future__ import annotations

from stepfast.interfaces import Begun, Durable, Offered, Settlement
from stepfast.testing.contract.stores import JOB, Stores, begin, begun, ids, only, start, state

TIDY = Offered(JOB.name, JOB.version, tidies=True)


async def _open(stores: Stores) -> Durable:
    durable = await stores.open()
    await durable.offer([TIDY])
    return durable


async def _owed(durable: Durable, id: str, how: str) -> Begun:
    assert await state(durable, id) == "queued", f"one that was {how} and cancelled owes a pass"
    summary = await durable.catalogue.summary(id)
    assert summary.intent == "cancel", f"and says that it is being cancelled; it says {summary.intent}"
    one = only(await begin(durable))
    assert one.cleanup, f"the pass of one that was {how} is to tidy up"
    return one


async def what_is_cancelled_tidies_up_first(stores: Stores) -> None:
    durable = await _open(stores)
    due = stores.clock.time() + 60
    for how in ("queued", "sleeping", "waiting", "paused"):
        if how == "queued":
            await start(durable, how)
        else:
            one = await begun(durable, how)
            if how == "paused":
                await durable.pause(how)
            await durable.settle(one.claim, one.receipt, Settlement(how, due=due))
        assert await durable.cancel(how) == "queued", "it says that something is still owed"
        one = await _owed(durable, how, how)
        assert await durable.settle(one.claim, one.receipt, Settlement("tidied")) == "cancelled"
        assert ids(await begin(durable)) == [], "and then it is over"
        assert (await durable.catalogue.summary(how)).finished_at is not None


async def what_runs_tidies_up_once_it_was_stopped(stores: Stores) -> None:
    durable = await _open(stores)
    one = await begun(durable, "one")
    assert await durable.cancel("one") == "running"
    assert await durable.settle(one.claim, one.receipt, Settlement("cancelled")) == "queued"
    await _owed(durable, "one", "running")


async def what_a_dead_owner_was_asked_to_cancel_tidies_up(stores: Stores) -> None:
    first, second = await _open(stores), await _open(stores)
    await begun(first, "one")
    await first.cancel("one")
    await stores.kill(first)
    await second.takeover()
    await _owed(second, "one", "held by a dead one")


async def a_released_one_tidies_up(stores: Stores) -> None:
    durable = await _open(stores)
    await start(durable, "one")
    claim = await durable.checkpointer.claim("one")
    assert claim is not None
    await durable.cancel("one")
    await durable.checkpointer.release(claim)
    await _owed(durable, "one", "released")


async def what_finished_all_the_same_does_not_tidy_up(stores: Stores) -> None:
    durable = await _open(stores)
    one = await begun(durable, "one")
    await durable.cancel("one")
    finished = await durable.settle(one.claim, one.receipt, Settlement("completed", result="1"))
    assert finished == "completed"
    assert ids(await begin(durable)) == []


async def a_clean_up_that_is_cancelled_is_given_up(stores: Stores) -> None:
    durable = await _open(stores)
    for how in ("before", "running", "waiting"):
        await start(durable, how)
        await durable.cancel(how)
        if how == "before":
            assert await durable.cancel(how) == "cancelled", "nobody wants it any more"
            continue
        one = only(await begin(durable))
        if how == "waiting":
            await durable.settle(one.claim, one.receipt, Settlement("waiting"))
            assert await durable.cancel(how) == "cancelled"
        else:
            assert await durable.cancel(how) == "running"
            assert await durable.settle(one.claim, one.receipt, Settlement("cancelled")) == "cancelled"


async def a_retry_knows_what_was_cancelled_and_what_failed(stores: Stores) -> None:
    durable = await _open(stores)
    await start(durable, "one")
    await durable.cancel("one")
    one = only(await begin(durable))
    await durable.settle(one.claim, one.receipt, Settlement("failed"))
    await durable.retry("one")
    one = only(await begin(durable))
    assert one.cleanup, "a clean-up that failed is gone on with"
    await durable.settle(one.claim, one.receipt, Settlement("tidied"))
    await durable.retry("one")
    one = only(await begin(durable))
    assert not one.cleanup, "what was cancelled goes on with its body"
    await durable.settle(one.claim, one.receipt, Settlement("waiting"))
    assert await durable.cancel("one") == "queued", "and may be cancelled again"


async def without_a_clean_up_it_is_cancelled_at_once(stores: Stores) -> None:
    durable = await stores.open()
    await durable.offer([JOB])
    await start(durable, "one")
    assert await durable.cancel("one") == "cancelled"
    one = await begun(durable, "two")
    await durable.cancel("two")
    assert await durable.settle(one.claim, one.receipt, Settlement("cancelled")) == "cancelled"


async def many_are_cancelled_as_one_is(stores: Stores) -> None:
    durable = await _open(stores)
    keys = [(await start(durable, id)).key for id in ("one", "two")]
    await durable.bulk("cancel", keys)
    assert [await state(durable, id) for id in ("one", "two")] == ["queued", "queued"]
    assert all(each.cleanup for each in await begin(durable))
