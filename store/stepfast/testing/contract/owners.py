"""Owners: takeover of what the dead held, what the living offer, and the counter that never goes back."""

from __future__ import annotations

import asyncio

from stepfast.interfaces import Offered
from stepfast.testing.contract.stores import (
    JOB,
    WAIT,
    Stores,
    begin,
    begun,
    claimed,
    finish,
    ids,
    new,
    only,
    start,
    state,
)


async def what_a_dead_owner_held_is_taken_over(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await start(durable, "a")
    await start(durable, "b")
    dead = await begin(durable)
    await claimed(durable, "c")
    await begun(other, "mine")
    await stores.kill(durable)
    assert await begin(other) == [], "what a dead owner held is not ready by itself"

    taken = await other.takeover()

    assert sorted(taken) == ["a", "b", "c"], f"takeover returns the ids of what it took; it gave {taken}"
    assert await other.takeover() == [], "what was taken over is not taken over again"
    again = await begin(other)
    assert sorted(ids(again)) == ["a", "b", "c"], f"each is owed a pass; handed out were {ids(again)}"
    assert min(one.claim.token for one in again) > max(one.claim.token for one in dead), "under newer tokens"
    assert await state(other, "mine") == "running", "what the living hold stays theirs"


async def a_storage_has_one_identity_for_all_who_open_it(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    identity = await durable.identity()
    await finish(durable, "a")
    await stores.kill(durable)
    later = await stores.open()

    for each in (other, later):
        assert await each.identity() == identity, "it is the same, whoever opens it, and whenever"
    assert identity, "it is a text, with something in it"


async def what_the_living_hold_is_not_taken_over(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    one = await begun(durable, "one")
    stores.clock.advance(50_000)
    await durable.beat()

    for each in (other, durable):
        assert await each.takeover() == [], "an owner that lives keeps what it holds"
    assert (await durable.checkpointer.record(one.claim, new("step"))).first, "and may write"


async def a_dead_owner_loses_what_it_had_only_taken(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await start(durable, "one")
    old = only(await durable.scheduler.take([JOB], 1))
    await stores.kill(durable)

    assert await other.takeover() == ["one"], "a delivery that its taker took to the grave is a lost wakeup"

    assert await other.scheduler.done(old) is False, "the dead one's answer counts no more"
    assert ids(await begin(other)) == ["one"], "the pass is still owed"


async def what_was_taken_over_and_taken_again_is_its_new_takers_to_answer_for(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await start(durable, "one")
    old = only(await durable.scheduler.take([JOB], 1))
    await stores.kill(durable)
    assert await other.takeover() == ["one"], "its taker is dead"
    new = only(await other.scheduler.take([JOB], 1))

    assert await other.scheduler.done(old) is False, "the dead one's answer counts no more"
    assert await other.scheduler.wake_at(old, stores.clock.time() + 9) is False, "nor does it put it off"
    assert await state(other, "one") == "queued", "and has changed nothing"
    assert await other.scheduler.done(new) is True, "its new taker answers for it"


async def a_delivery_ends_with_the_claim_of_another_engine(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await start(durable, "one")
    old = only(await durable.scheduler.take([JOB], 1))
    claim = await other.checkpointer.claim("one")
    assert claim is not None, "a delivery keeps nobody from claiming"
    await stores.kill(durable)
    assert await other.takeover() == [], "it is the other's now, which lives"

    await other.checkpointer.release(claim)

    assert await other.scheduler.done(old) is False, "whoever took it has no say any more"
    assert ids(await begin(other)) == ["one"], "else it would be out for ever, since its taker is dead"


async def a_takeover_carries_out_what_was_asked(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for id in ("paused", "cancelled", "plain"):
        await begun(durable, id)
    await other.pause("paused")
    await other.cancel("cancelled")
    await stores.kill(durable)

    await other.takeover()

    found = {id: await state(other, id) for id in ("paused", "cancelled", "plain")}
    assert found == {"paused": "paused", "cancelled": "cancelled", "plain": "queued"}, (
        f"what a person asked of a pass that died is carried out; got {found}"
    )
    cancelled = await other.catalogue.summary("cancelled")
    assert cancelled.finished_at is not None, "what was cancelled has finished"
    assert ids(await begin(other)) == ["plain"], "only the one of which nothing was asked goes on"
    await other.resume("paused")
    await begin(other)
    assert {held.intent for held in (await other.look()).held} == {None}, (
        "what was carried out is asked no more"
    )


async def a_takeover_keeps_what_is_recorded(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    one = await begun(durable, "one")
    await durable.checkpointer.record(one.claim, new("a"))
    await durable.deliver("one", "1")
    await stores.kill(durable)
    await other.takeover()

    again = only(await begin(other))

    checkpoint = await other.checkpointer.load(again.claim.workflow)
    found = ([record.name for record in checkpoint.records], [each.text for each in checkpoint.messages])
    assert found == (["a"], ["1"]), f"the next pass goes on from what was recorded; it found {found}"


async def two_takeovers_at_once_take_each_once(stores: Stores) -> None:
    durable, *others = [await stores.open() for _ in range(3)]
    for n in range(12):
        await start(durable, f"job-{n}")
    await begin(durable)
    await stores.kill(durable)

    shares = await asyncio.gather(*(other.takeover() for other in others))

    everything = sorted(id for share in shares for id in share)
    assert everything == sorted(f"job-{n}" for n in range(12)), f"each is taken over once; got {everything}"


async def an_engine_opened_later_takes_over_too(stores: Stores) -> None:
    durable = await stores.open()
    await begun(durable, "one")
    await stores.kill(durable)

    other = await stores.open()
    await other.takeover()

    assert ids(await begin(other)) == ["one"], (
        "a pass that died with its owner is made again after the restart"
    )


async def what_a_closed_engine_left_is_owed(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await begun(durable, "begun")
    await start(durable, "taken")
    await durable.scheduler.take([JOB], 1)
    await durable.close()

    await other.takeover()

    assert sorted(ids(await begin(other))) == ["begun", "taken"], "no pass is lost with an engine that closes"


async def the_living_say_what_they_can_run(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await durable.offer(
        [Offered("copy", 2, "Copy a folder", '{"a":1}'), Offered("check", 1)], "stepfast work"
    )
    await other.offer([Offered("old", 1)])
    await other.offer([Offered("copy", 3)])

    offers = await other.catalogue.offers()

    found = sorted((each.name, each.version, each.title, each.form, each.command) for each in offers)
    assert found == [
        ("check", 1, "", "{}", "stepfast work"),
        ("copy", 2, "Copy a folder", '{"a":1}', "stepfast work"),
        ("copy", 3, "", "{}", ""),
    ], f"each engine's last word is what it offers; got {found}"
    assert len({each.owner for each in offers}) == 2, "an offer names its owner"


async def the_dead_offer_nothing(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await durable.offer([Offered("copy", 1)])
    await begun(durable, "one")
    await stores.kill(durable)
    await other.takeover()

    assert await other.catalogue.offers() == [], "an offer is a living owner's word"


async def what_is_closed_offers_nothing_even_if_it_is_kept_alive(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await durable.offer([Offered("copy", 1)])
    await durable.close(keep_alive=True)

    assert await other.catalogue.offers() == [], "a thread of it may finish a step, and it begins no other"


async def numbers_never_go_back(stores: Stores) -> None:
    durable = await stores.open()
    reached, furthest = 0, 0
    for round in range(3):
        for id in ("one", "other"):
            one = await begun(durable, id)
            await durable.checkpointer.record(one.claim, new("step"))
            message = await durable.deliver(id, "1")
            record = only((await durable.checkpointer.load(one.claim.workflow)).records)
            change = (await durable.catalogue.summary(id)).change
            numbers = (one.receipt, one.claim.token, change)
            assert min(numbers) > reached, (
                f"round {round}: receipt, token and change are {numbers}, after {reached} was seen"
            )
            assert furthest < record.position < message, (
                f"round {round}: positions are {record.position} and {message}, after {furthest} was seen"
            )
            reached, furthest = max(reached, *numbers), message
        await durable.delete("one")
        await durable.delete("other")
        feed = await durable.catalogue.changes(0)
        assert feed.at >= reached, "changes reports how far the counter has come"
        if round == 1:
            await stores.kill(durable)
            durable = await stores.open()


async def engines_number_together(stores: Stores) -> None:
    engines = [await stores.open() for _ in range(3)]
    await finish(engines[0], "one", WAIT)

    positions = await asyncio.gather(*(engines[n % 3].deliver("one", str(n)) for n in range(15)))

    assert len(set(positions)) == 15, f"no number is given out twice; got {sorted(positions)}"
