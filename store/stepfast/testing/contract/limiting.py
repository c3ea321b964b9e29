"""How many may run at once: of a definition, of a queue, over all engines; and who is held back by it."""

from __future__ import annotations

import asyncio

from stepfast.interfaces import Offered, Settlement, Signal
from stepfast.testing.contract.stores import JOB, WAIT, Stores, begin, ids, only, start

TWO = Offered("job", 1, at_once=2)
DISK = [Offered("copy", 1, queue="disk", queue_at_once=1), Offered("check", 1, queue="disk", queue_at_once=1)]
DONE = Settlement("completed", result="null")


async def no_more_of_a_definition_run_than_its_limit(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for n in range(5):
        await start(durable, f"job-{n}")

    first = await begin(durable, offered=[TWO])
    assert ids(first) == ["job-0", "job-1"], f"at most 2 run at once; begun were {ids(first)}"
    assert await begin(durable, offered=[TWO]) == [], "and none besides"
    assert await begin(other, offered=[TWO]) == [], "by another engine neither"

    await durable.settle(first[0].claim, first[0].receipt, DONE)
    second = await begin(other, offered=[TWO])
    assert ids(second) == ["job-2"], f"where one has ended, the next may run; begun were {ids(second)}"
    await other.settle(second[0].claim, second[0].receipt, WAIT)
    assert ids(await begin(durable, offered=[TWO])) == ["job-3"], "what waits does not run"


async def a_limit_is_one_for_all_versions(stores: Stores) -> None:
    durable = await stores.open()
    await durable.start("old", "job", 1, "null")
    await durable.start("new", "job", 2, "null", priority=1)
    both = [Offered("job", 1, at_once=1), Offered("job", 2, at_once=1)]

    assert ids(await begin(durable, offered=both)) == ["new"], "one of the definition runs, the most urgent"
    assert await begin(durable, offered=both) == [], "whatever its version"


async def no_more_of_a_queue_run_than_its_limit(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for n in range(2):
        await durable.start(f"copy-{n}", "copy", 1, "null")
        await durable.start(f"check-{n}", "check", 1, "null", priority=n)

    order: list[str] = []
    while begun := await begin((durable, other)[len(order) % 2], offered=DISK):
        one = only(begun)
        assert await begin(durable, offered=DISK) == [], "one of the queue runs, of whichever definition"
        order.append(one.claim.id)
        await (durable, other)[(len(order) - 1) % 2].settle(one.claim, one.receipt, DONE)
    assert order == ["check-1", "copy-0", "check-0", "copy-1"], (
        f"the most urgent of a queue goes first, then the first that was ready; got {order}"
    )


async def a_queue_without_a_limit_has_none(stores: Stores) -> None:
    durable = await stores.open()
    for n in range(5):
        await durable.start(f"copy-{n}", "copy", 1, "null")

    begun = await begin(durable, offered=[Offered("copy", 1, queue="disk")])
    assert len(begun) == 5, f"nobody gave the queue a limit; begun were {ids(begun)}"
    await durable.start("one more", "copy", 1, "null")
    assert await begin(durable, offered=DISK) == [], "but they count for whoever has one"


async def what_is_held_back_keeps_nobody_else_back(stores: Stores) -> None:
    durable = await stores.open()
    for n in range(20):
        await start(durable, f"job-{n}", priority=9)
    await durable.start("other", "other", 1, "null")
    offered = [TWO, Offered("other", 1)]

    assert ids(await begin(durable, 3, offered)) == ["job-0", "job-1", "other"], "what may run, does"
    assert ids(await begin(durable, 3, offered)) == [], "and the others keep waiting"


async def what_was_held_back_keeps_its_place(stores: Stores) -> None:
    durable = await stores.open()
    for id, priority in (("a", 0), ("b", 0), ("c", 0), ("urgent", 5)):
        await start(durable, id, priority=priority)
    one = Offered("job", 1, at_once=1)

    order = []
    while begun := await begin(durable, offered=[one]):
        order += ids(begun)
        await durable.settle(begun[0].claim, begun[0].receipt, DONE)
    assert order == ["urgent", "a", "b", "c"], f"priorities order as they do, then places; got {order}"


async def the_claims_of_the_dead_count_until_they_are_taken_over(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for n in range(3):
        await start(durable, f"job-{n}")
    await begin(durable, offered=[TWO])
    await stores.kill(durable)

    assert await begin(other, offered=[TWO]) == [], "what the dead held may still run until it is taken over"
    await other.takeover()
    assert len(await begin(other, offered=[TWO])) == 2, "and then there is room again"


async def two_engines_at_once_keep_one_limit(stores: Stores) -> None:
    engines = [await stores.open(), await stores.open()]
    for n in range(12):
        await start(engines[0], f"job-{n}")
    running, most, done = 0, 0, 0

    async def work(n: int) -> None:
        nonlocal running, most, done
        while done < 12:
            begun = await begin(engines[n], offered=[TWO])
            running += len(begun)
            most = max(most, running)
            for one in begun:
                await asyncio.sleep(0)
                running -= 1  # before it is settled: from then on another may run
                await engines[n].settle(one.claim, one.receipt, DONE)
                done += 1

    await asyncio.gather(work(0), work(1))
    assert most <= 2, f"at most 2 run at once over all engines; {most} did"


async def the_end_of_a_limited_one_is_heard_as_something_ready(stores: Stores) -> None:
    durable = await stores.open()
    await start(durable, "first")
    await durable.start("copying", "copy", 1, "null")
    begun = await begin(durable, offered=[Offered("job", 1, at_once=1), DISK[0]])
    assert len(begun) == 2, "both have room"
    heard: list[Signal] = []
    stop = durable.listen(heard.append)

    for one in begun:
        heard.clear()
        await durable.settle(one.claim, one.receipt, DONE)
        for _ in range(20):
            await asyncio.sleep(0)
        assert any(each.ready for each in heard), f"{one.claim.id} made room for others, and nobody was told"
    stop()


async def the_ends_of_limited_ones_at_once_are_heard_as_something_ready(stores: Stores) -> None:
    durable = await stores.open()
    for offer in (Offered("job", 1, at_once=9), Offered("copy", 1, queue="disk", queue_at_once=9)):
        for n in range(9):
            await durable.start(f"{offer.name}-{n}", offer.name, 1, "null")
        begun = await begin(durable, offered=[offer])
        assert len(begun) == 9, "all have room"
        heard: list[Signal] = []
        stop = durable.listen(heard.append)

        await asyncio.gather(*(durable.settle(one.claim, one.receipt, DONE) for one in begun))
        for _ in range(20):
            await asyncio.sleep(0)

        told = frozenset().union(*(each.keys or () for each in heard if each.ready))
        assert told == {one.claim.workflow for one in begun}, "each made room for others, and nobody was told"
        stop()


async def a_deleted_one_makes_room(stores: Stores) -> None:
    durable = await stores.open()
    for n in range(3):
        await start(durable, f"job-{n}")
    await begin(durable, offered=[TWO])
    heard: list[Signal] = []
    stop = durable.listen(heard.append)

    await durable.delete("job-0")
    for _ in range(20):
        await asyncio.sleep(0)

    assert any(each.ready for each in heard), "whoever was held back by it must hear that it has gone"
    assert ids(await begin(durable, offered=[TWO])) == ["job-2"], "what is gone does not count"
    stop()


async def offers_say_their_limits(stores: Stores) -> None:
    durable = await stores.open()
    await durable.offer([JOB, Offered("copy", 1, at_once=3, queue="disk", queue_at_once=1)])

    offers = {each.name: each for each in await durable.catalogue.offers()}
    found = [(each.at_once, each.queue, each.queue_at_once) for each in (offers["copy"], offers["job"])]
    assert found == [(3, "disk", 1), (None, None, None)], f"offers must tell of limits; got {found}"
