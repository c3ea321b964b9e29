"""Who owes a pass, and when: order, definitions, timers, deliveries and receipts; no wakeup is lost."""

from __future__ import annotations

import asyncio

from stepfast.interfaces import Delivery, Durable, Offered, Settlement
from stepfast.testing.contract.stores import JOB, WAIT, Stores, begin, begun, finish, ids, only, start, state


async def a_ready_workflow_is_handed_out_once(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await start(durable, "one")

    taken = await durable.scheduler.take([JOB], 10)

    assert [delivery.id for delivery in taken] == ["one"], (
        f"take must hand out what is ready; it gave {taken}"
    )
    assert await durable.scheduler.take([JOB], 10) == [], "a delivery that is out is not handed out again"
    assert await other.scheduler.take([JOB], 10) == [], "nor to anybody else"
    assert await begin(other) == [], "nor by begin, which is take and claim together"


async def two_engines_begin_each_workflow_once(stores: Stores) -> None:
    engines = [await stores.open(), await stores.open()]
    for n in range(30):
        await start(engines[n % 2], f"job-{n}")

    async def work(engine: Durable) -> list[str]:
        mine: list[str] = []
        while found := await begin(engine, 4):
            mine += ids(found)
        return mine

    shares = await asyncio.gather(*(work(engine) for engine in engines for _ in range(2)))

    everything = [id for share in shares for id in share]
    assert sorted(everything) == sorted(f"job-{n}" for n in range(30)), (
        "each of 30 workflows is begun once, by whichever engine"
    )


async def what_is_urgent_goes_first_then_what_was_ready_first(stores: Stores) -> None:
    durable = await stores.open()
    for id, priority in (("d", 0), ("c", 0), ("z", -1), ("b", 5), ("e", 0), ("a", 5)):
        await start(durable, id, priority=priority)

    first = [delivery.id for delivery in await durable.scheduler.take([JOB], 2)]
    rest = ids(await begin(durable))

    assert first == ["b", "a"], f"the highest priority comes first, in order of waking; got {first}"
    assert rest == ["d", "c", "e", "z"], f"then the first woken, and a low priority last; got {rest}"


async def what_was_woken_first_goes_first(stores: Stores) -> None:
    durable = await stores.open()
    for id in ("a", "b", "c"):
        await finish(durable, id, WAIT)
    for id in ("c", "a", "b"):
        await durable.scheduler.wake(id)

    assert ids(await begin(durable)) == ["c", "a", "b"], "they go in the order in which they were woken"


async def another_wakeup_costs_nobody_a_place(stores: Stores) -> None:
    durable = await stores.open()
    for id in ("a", "b", "c"):
        await start(durable, id)
    await durable.scheduler.wake("a")
    await durable.deliver("a", "1")

    found = ids(await begin(durable))
    assert found == ["a", "b", "c"], f"`a` was woken first, and woken again before it was taken; got {found}"


async def what_is_woken_while_it_is_out_goes_behind_what_waits(stores: Stores) -> None:
    durable = await stores.open()
    await _taken(durable, "out")
    await start(durable, "ready since")
    await durable.scheduler.wake("out")

    found = ids(await begin(durable))
    assert found == ["ready since", "out"], f"what is woken again and again must not go first; got {found}"


async def what_was_stopped_goes_on_before_what_has_waited(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for id in ("given back", "released", "taken over", "woken", "waits"):
        await start(durable, id)
    back, released, *_ = [*await begin(durable, 2), *await begin(other, 1)]
    woken = only(await begin(durable, 1))

    await durable.settle(woken.claim, woken.receipt - 1, Settlement("waiting"))
    await stores.kill(other)
    await durable.takeover()
    await durable.checkpointer.release(released.claim)
    await durable.settle(back.claim, back.receipt, Settlement("queued"))

    found = ids(await begin(durable))
    wanted = ["given back", "released", "taken over", "waits", "woken"]
    assert found == wanted, f"only what waited and was woken goes behind; they began as {found}"


async def no_more_are_handed_out_than_asked_for(stores: Stores) -> None:
    durable = await stores.open()
    for n in range(5):
        await start(durable, f"job-{n}")

    found = [len(await begin(durable, limit)) for limit in (0, 2, 2, 2)]

    assert found == [0, 2, 2, 1], f"at most `limit` are handed out; got {found}"


async def only_what_is_offered_is_handed_out(stores: Stores) -> None:
    durable = await stores.open()
    await durable.start("job-1", "job", 1, "null")
    await durable.start("job-2", "job", 2, "null", priority=9)
    await durable.start("other", "other", 1, "null", priority=9)

    assert await begin(durable, offered=()) == [], "who offers nothing is handed nothing"
    assert ids(await begin(durable, offered=[Offered("job", 1), Offered("unknown", 1)])) == ["job-1"], (
        "only workflows of an offered name and version are handed out"
    )
    assert [each.id for each in await durable.scheduler.take([Offered("other", 1)], 9)] == ["other"], (
        "the others stay ready for those who can run them"
    )
    assert ids(await begin(durable, offered=[Offered("job", 3), Offered("job", 2)])) == ["job-2"], (
        "and so do other versions"
    )


async def any_number_of_definitions_may_be_offered(stores: Stores) -> None:
    durable = await stores.open()
    for n in (0, 300, 1199):
        await durable.start(f"of-{n}", f"definition-{n}", 1, "null")

    begun = await begin(durable, offered=[Offered(f"definition-{n}", 1) for n in range(1200)])

    assert ids(begun) == ["of-0", "of-300", "of-1199"], f"1,200 definitions were offered; got {ids(begun)}"


async def a_flood_of_timers_is_handed_out_whole(stores: Stores) -> None:
    durable = await stores.open()
    due = stores.clock.time() + 60
    await asyncio.gather(*(start(durable, f"job-{n}", at=due) for n in range(450)))
    stores.clock.advance(60)

    found: list[str] = []
    while some := ids(await begin(durable, 1000)):
        found += some

    assert len(found) == len(set(found)) == 450, (
        f"450 were due at once, and {len(set(found))} were handed out"
    )


async def a_start_in_the_future_is_ready_exactly_then(stores: Stores) -> None:
    durable = await stores.open()
    due = stores.clock.time() + 100
    await start(durable, "later", at=due)

    assert await durable.scheduler.next_due() == due, "next_due is when the next timer is due"
    stores.clock.advance(99.5)
    assert await begin(durable) == [], "half a second too early it is not ready"
    stores.clock.advance(0.5)
    assert ids(await begin(durable)) == ["later"], "at that very time it is"
    assert await durable.scheduler.next_due() is None, "and its timer is gone"


async def a_sleeper_is_ready_exactly_when_due(stores: Stores) -> None:
    durable = await stores.open()
    due = stores.clock.time() + 60
    await finish(durable, "sleeping", Settlement("sleeping", due=due))
    await finish(durable, "waiting", Settlement("waiting", due=due - 20))
    await finish(durable, "for ever", WAIT)

    look = await durable.look()
    assert look.next_due == await durable.scheduler.next_due() == due - 20, (
        "the earliest timer is the next due"
    )
    stores.clock.advance(39.5)
    assert await begin(durable) == [], "nothing is due yet"
    stores.clock.advance(0.5)
    assert ids(await begin(durable)) == ["waiting"], "a wait with a due time ends with it"
    assert await durable.scheduler.next_due() == due, "then the next timer is the next due"
    stores.clock.advance(30)
    taken = [delivery.id for delivery in await durable.scheduler.take([JOB], 9)]
    assert taken == ["sleeping"], "what is overdue is handed out, and what has no time is not"


async def timers_follow_the_wall_clock(stores: Stores) -> None:
    durable = await stores.open()
    await finish(durable, "one", Settlement("sleeping", due=stores.clock.time() + 3600))

    stores.clock.jump_wall(-1800)
    stores.clock.advance(3600)
    assert await begin(durable) == [], "a clock that was put back delays what a person set"
    stores.clock.jump_wall(1800)
    assert ids(await begin(durable)) == ["one"], "a clock that jumped forward misses nothing"


async def what_is_due_is_handed_to_one_taker(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for n in range(10):
        await finish(durable, f"job-{n}", Settlement("sleeping", due=stores.clock.time() + 1 + n))
    stores.clock.advance(20)

    found = await asyncio.gather(*(begin(each, 10) for each in (durable, other, durable, other)))

    everything = sorted(id for each in found for id in ids(each))
    assert everything == sorted(f"job-{n}" for n in range(10)), f"each is begun once; got {everything}"


async def a_wakeup_ends_a_sleep_and_its_timer(stores: Stores) -> None:
    durable = await stores.open()
    await finish(durable, "one", Settlement("sleeping", due=stores.clock.time() + 60))

    await durable.scheduler.wake("one")

    assert await state(durable, "one") == "queued", "a sleeper that is woken is ready"
    assert await durable.scheduler.next_due() is None, "and its timer is gone"
    await finish(durable, "one", WAIT)
    stores.clock.advance(3600)
    assert await begin(durable) == [], "so it does not go off later"


async def a_wakeup_renews_a_delivery_that_is_out(stores: Stores) -> None:
    durable = await stores.open()
    old = await _taken(durable, "one")

    await durable.scheduler.wake("one")

    new = only(await durable.scheduler.take([JOB], 9))
    assert new.receipt > old.receipt, "each wakeup renews the receipt, and receipts rise"
    for answered in (
        await durable.scheduler.done(old),
        await durable.scheduler.wake_at(old, stores.clock.time() + 9),
    ):
        assert answered is False, "an answer for a delivery that has moved on does nothing, and says so"
    assert await durable.scheduler.done(new) is True, "the delivery that is out can be answered for"


async def an_answer_after_a_wakeup_loses_nothing(stores: Stores) -> None:
    durable = await stores.open()
    first = await _taken(durable, "done")
    second = await _taken(durable, "wake_at")
    await durable.scheduler.wake("done")
    await durable.arrive("wake_at", "answer", "1")

    assert await durable.scheduler.done(first) is False, "done does nothing after a wakeup"
    assert await durable.scheduler.wake_at(second, stores.clock.time() + 60) is False, "nor does wake_at"

    assert sorted(ids(await begin(durable))) == ["done", "wake_at"], "both wakeups lead to another pass"


async def done_owes_nothing_until_the_next_wakeup(stores: Stores) -> None:
    durable = await stores.open()
    delivery = await _taken(durable, "one")

    assert await durable.scheduler.done(delivery) is True, "nothing came in between"
    assert await durable.scheduler.done(delivery) is False, "a delivery is answered for once"
    assert await durable.scheduler.take([JOB], 9) == [], "nothing is owed any more"
    stores.clock.advance(10_000)
    assert await durable.scheduler.take([JOB], 9) == [], "nor later"
    await durable.scheduler.wake("one")
    assert ids(await begin(durable)) == ["one"], "until it is woken"


async def wake_at_owes_a_pass_then(stores: Stores) -> None:
    durable = await stores.open()
    delivery = await _taken(durable, "one")
    due = stores.clock.time() + 60

    assert await durable.scheduler.wake_at(delivery, due) is True, "nothing came in between"
    assert await durable.scheduler.wake_at(delivery, due) is False, "a delivery is answered for once"
    assert await durable.scheduler.next_due() == due, "the pass is owed then"
    stores.clock.advance(59)
    assert await durable.scheduler.take([JOB], 9) == [], "and not before"
    stores.clock.advance(1)
    assert ids(await begin(durable)) == ["one"], "and then it is handed out"


async def a_claimed_workflow_is_not_answered_for(stores: Stores) -> None:
    durable = await stores.open()
    delivery = await _taken(durable, "one")
    claim = await durable.checkpointer.claim("one")
    assert claim is not None, "whoever took the delivery may claim the workflow"

    assert await durable.scheduler.done(delivery) is False, "done does nothing while the workflow is claimed"
    assert await durable.scheduler.wake_at(delivery, 0.0) is False, "nor does wake_at"
    await durable.checkpointer.release(claim)
    assert await durable.scheduler.take([JOB], 9) == [], "its delivery is still out"
    assert await durable.scheduler.done(delivery) is True, "and can be answered for once the claim has ended"
    assert await durable.scheduler.take([JOB], 9) == [], "nothing is owed then"


async def what_is_gone_is_not_answered_for(stores: Stores) -> None:
    durable = await stores.open()
    deliveries = [await _taken(durable, id) for id in ("deleted", "cancelled", "paused")]
    await durable.delete("deleted")
    await durable.cancel("cancelled")
    await durable.pause("paused")

    for delivery in deliveries:
        assert await durable.scheduler.done(delivery) is False, f"{delivery.id} has moved on"
        assert await durable.scheduler.wake_at(delivery, 0.0) is False, f"{delivery.id} has moved on"

    assert await state(durable, "cancelled") == "cancelled", "an answer must not undo a cancel"
    assert await state(durable, "paused") == "paused", "nor a pause"
    await durable.resume("paused")
    assert await durable.scheduler.done(deliveries[2]) is False, "nor may an old one eat the pass of a resume"
    assert ids(await begin(durable)) == ["paused"], "which is owed"


async def a_paused_workflow_sleeps_through_wakeups(stores: Stores) -> None:
    durable = await stores.open()
    await start(durable, "one")
    await durable.pause("one")

    await durable.scheduler.wake("one")
    await durable.arrive("one", "answer", "1")
    await durable.deliver("one", "1")

    assert await state(durable, "one") == "paused", "a paused workflow stays as it is"
    assert await begin(durable) == [], "and is not handed out"
    await durable.resume("one")
    assert ids(await begin(durable)) == ["one"], "until it is resumed"


async def a_wakeup_during_a_pass_leads_to_another(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for wakeup in ("wake", "arrive", "deliver"):
        for outcome in (WAIT, Settlement("sleeping", due=stores.clock.time() + 60)):
            id = f"{wakeup}-{outcome.state}"
            one = await begun(durable, id)
            match wakeup:
                case "wake":
                    await other.scheduler.wake(id)
                case "arrive":
                    await other.arrive(id, "answer", "1")
                case _:
                    await other.deliver(id, "1")

            settled = await durable.settle(one.claim, one.receipt, outcome)

            assert settled == "queued", f"after {wakeup}, a pass that is {outcome.state} must be queued"
            assert ids(await begin(durable)) == [id], f"and another pass is made after {wakeup}"


async def a_wakeup_at_the_moment_of_settling_is_not_lost(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for n in range(24):
        one = await begun(durable, f"job-{n}")
        settle = durable.settle(one.claim, one.receipt, WAIT)
        wake = other.deliver(one.claim.id, "1")
        await asyncio.gather(*((settle, wake) if n % 2 else (wake, settle)))

        assert ids(await begin(durable)) == [f"job-{n}"], "whichever came first, another pass must follow"


async def a_wakeup_seen_by_its_pass_is_used_up(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one")
    await durable.arrive("one", "answer", "1")
    held = only((await durable.look()).held)

    assert held.receipt > one.receipt, "the holder sees that its workflow was woken"
    settled = await durable.settle(one.claim, held.receipt, WAIT)

    assert settled == "waiting", "a pass that took the wakeup up answers for it, and no other follows"
    assert await begin(durable) == [], "so nothing is owed"


async def _taken(durable: Durable, id: str) -> Delivery:
    await start(durable, id)
    delivery = only(await durable.scheduler.take([JOB], 1))
    assert delivery.id == id, f"take must hand out {id!r}, and gave {delivery}"
    return delivery
