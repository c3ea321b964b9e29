"""What is done to many workflows at once, and removing, which is a mark."""

from __future__ import annotations

import asyncio
import contextlib

from stepfast.errors import InvalidInput, StepfastError
from stepfast.interfaces import Durable, Notes, Offered, Settlement
from stepfast.passes.outcome import Failure, Problem
from stepfast.testing.contract.stores import JOB, Stores, begun, finish, refused, start
from stepfast.views import ACTIONS, Bulk, Changes, Filter, Progress

FAILURE = Failure("E", "m")


async def removing_is_a_mark_that_can_be_taken_back(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await finish(durable, "done")
    await start(durable, "pending")
    before = await _at(durable)

    assert await durable.remove(["done", "pending", "unknown"]) == ["done"], "only what has finished"

    assert [row.id for row in await other.catalogue.list()] == ["pending"], "a list hides it"
    asked = [row.id for row in await other.catalogue.list(Filter(removed=True))]
    assert asked == ["done"], "but where it is asked for"
    assert len((await other.catalogue.listing()).keys) == 1, "keys hide it"
    assert (await other.catalogue.counts()).get("completed", 0) == 0, "it is not counted"
    feed = await other.catalogue.changes(before)
    assert isinstance(feed, Changes)
    assert [row.id for row in feed.rows] == ["done"], "views are told"
    assert (await other.catalogue.summary("done")).removed_at is not None, "it is still there"
    assert await durable.remove(["done"]) == [], "once is enough"

    assert await other.restore(["done", "pending"]) == ["done"]
    assert [row.id for row in await durable.catalogue.list()] == ["pending", "done"], "it is back"
    assert (await durable.catalogue.counts()).get("completed", 0) == 1


async def what_is_retried_is_on_the_lists_again(stores: Stores) -> None:
    durable = await stores.open()
    await finish(durable, "one", Settlement("failed", failure=FAILURE))
    await durable.remove(["one"])
    await durable.retry("one")

    assert [row.id for row in await durable.catalogue.list()] == ["one"], "what is pending is seen"
    assert (await durable.catalogue.counts())["queued"] == 1
    assert await durable.catalogue.list(Filter(removed=True)) == []


async def many_are_asked_as_each_would_be(stores: Stores) -> None:
    durable = await stores.open()
    for action in ACTIONS:
        many, single = f"{action} all", f"{action} each"
        await _one_in_each_state(durable, stores, many)
        await _one_in_each_state(durable, stores, single)
        keys = [(await durable.catalogue.summary(f"{many} {name}")).key for name in NAMES]

        bulk = await durable.bulk(action, keys)

        asked = {name for name, key in zip(NAMES, keys, strict=True) if key in (*bulk.done, *bulk.asked)}
        for name in NAMES:
            alone = await _asked(durable, action, f"{single} {name}")
            assert (name in asked) is alone, f"{action} of what is {name}: {bulk}, and alone {alone}"
            one, other = [await durable.catalogue.get(f"{prefix} {name}") for prefix in (many, single)]
            for what in ("state", "intent", "problems", "step", "finished_at", "removed_at"):
                ours, theirs = (getattr(each.summary, what) for each in (one, other))
                assert ours == theirs, f"{action} of what is {name}: {what} is {ours}, and alone {theirs}"
            ours, theirs = ((each.result, each.failure, each.problems) for each in (one, other))
            assert ours == theirs, f"{action} of what is {name} leaves {ours}, and alone {theirs}"
        assert len(asked) + sum(bulk.left.values()) == len(NAMES), f"each is counted once: {bulk}"
        assert asked, f"{action} does something to some state"


async def a_bulk_counts_what_it_left_by_reason(stores: Stores) -> None:
    durable = await stores.open()
    await _one_in_each_state(durable, stores, "one")
    every = (await durable.catalogue.listing(order="created")).keys
    (hidden,) = (await durable.catalogue.listing(Filter(removed=True))).keys
    gone = (await durable.catalogue.summary("one queued")).key
    await durable.delete("one queued")

    paused = await durable.bulk("pause", [*every, hidden, 10**12])

    key = {row.id.removeprefix("one "): row.key for row in await durable.catalogue.rows([*every, hidden])}
    assert [*paused.done] == [key["sleeping"], key["waiting"]], f"in the order they were given: {paused}"
    assert [*paused.asked] == [key["running"]], f"a holder is asked: {paused}"
    left = {"completed": 2, "failed": 1, "cancelled": 1, "paused": 1, "gone": 2}
    assert paused.left == left, f"and the others are counted: {paused.left}"
    removed = await durable.bulk("remove", [key["completed"], hidden, key["waiting"], gone])
    assert removed == Bulk(removed.done, removed.asked, {"removed": 1, "paused": 1, "gone": 1}), removed
    assert [*removed.done] == [key["completed"]]
    assert await durable.bulk("cancel", []) == Bulk(), "nothing is asked of nobody"
    await refused(InvalidInput, durable.bulk("destroy", every), "what is no action")


async def a_bulk_spares_what_moved_since_somebody_looked(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for id in ("a", "b", "c", "d"):
        await start(durable, id)
    at = await _at(durable)
    await other.pause("b")
    await start(other, "late")
    spared = (await durable.catalogue.summary("d")).key

    done = await durable.bulk("cancel", Filter(["queued", "paused"]), upto=at, without=[spared])

    states = {row.id: row.state.name for row in await durable.catalogue.list()}
    assert states == {
        "a": "cancelled",
        "b": "paused",
        "c": "cancelled",
        "d": "queued",
        "late": "queued",
    }, f"only what was as it was seen: {states}"
    assert done.left == {"changed": 2}, f"and it says so: {done}"
    keys = (await durable.catalogue.listing(order="created")).keys
    again = await durable.bulk("cancel", keys, upto=at)
    assert (len(again.done), again.left) == (1, {"changed": 4}), f"asked again, it does the rest: {again}"


async def a_listing_says_up_to_which_change_it_holds(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    queued = Filter(["queued"])
    for n in range(10):
        await start(other, f"before-{n}")
        # Some come while it is read, and one for certain afterwards.
        coming = [asyncio.create_task(start(other, f"beside-{n}-{each}")) for each in range(5)]
        listing = await durable.catalogue.listing(queued)
        await asyncio.gather(*coming)
        await start(other, f"after-{n}")
        came = await durable.bulk("pause", queued, upto=listing.at)
        assert {*came.done} == {*listing.keys}, (
            f"what is listed is asked, and nothing else: {[*listing.keys]} were, and {came} came of it"
        )
    nothing = await durable.catalogue.listing(Filter(text="nothing like this"))
    assert nothing.at == await _at(durable), "the number is that of the last change, whatever is listed"


async def what_begins_in_the_place_of_what_was_stopped_is_asked_too(stores: Stores) -> None:
    durable = await stores.open()
    for n in range(250):
        await start(durable, f"job-{n}")
    at = await _at(durable)
    stopping = asyncio.create_task(durable.bulk("pause", Filter(["queued"]), upto=at))
    for _ in range(1000):
        if (await durable.catalogue.counts()).get("paused"):
            break
        await asyncio.sleep(0)
    taken = await durable.begin([JOB], 20)  # by an engine that has room again

    done = await stopping

    assert (len(done.done) + len(done.asked), done.left) == (250, {}), f"nobody got away: {done.left}"
    intents = {row.intent for row in await durable.catalogue.list(Filter(["running"]), limit=100)}
    assert intents <= {"pause"}, f"those that began, {len(taken)}, are asked to stop: {intents}"


async def progress_spares_nobody(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one")
    at = await _at(durable)
    await durable.checkpointer.note(one.claim, Notes(step="s", progress=Progress(1, 2, "")))

    asked = await durable.bulk("cancel", Filter(["running"]), upto=at)

    assert [*asked.asked] == [one.claim.workflow], "what merely went on is still what somebody saw"
    assert (await durable.catalogue.summary("one")).intent == "cancel"


async def any_number_is_asked_and_views_are_told_of_each(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for n in range(450):
        await start(durable, f"job-{n}")
    at = await _at(other)

    done = await durable.bulk("cancel", Filter(text="job-"))
    assert (len(done.done), done.left) == (450, {})

    seen: set[str] = set()
    changes: list[int] = []
    while True:
        feed = await other.catalogue.changes(at, limit=7)
        assert isinstance(feed, Changes)
        if not feed.rows:
            break
        seen.update(row.id for row in feed.rows)
        changes += [row.change for row in feed.rows]
        at = feed.at
    assert seen == {f"job-{n}" for n in range(450)}, "each of them is in the feed, whatever its pages"
    assert len(set(changes)) == 450, "each with a number of its own"
    removed = await other.bulk("remove", done.done)
    assert len(removed.done) == 450, "by key as well"
    assert await durable.catalogue.list() == []
    assert len((await durable.bulk("restore", removed.done)).done) == 450, "which is how it is undone"
    assert (await other.catalogue.counts())["cancelled"] == 450


async def what_is_tried_again_together_goes_on_in_the_order_it_was_started(stores: Stores) -> None:
    durable = await stores.open()
    for id in ("a", "b", "c"):
        await start(durable, id)
    await durable.bulk("cancel", Filter())
    assert await durable.begin([JOB], 10) == []

    await durable.bulk("retry", Filter())

    begun = [each.claim.id for each in await durable.begin([JOB], 10)]
    assert begun == ["a", "b", "c"], f"each is owed a pass, the oldest first; {begun}"


NAMES = ("completed", "hidden", "failed", "sleeping", "waiting", "running", "paused", "cancelled", "queued")


async def _one_in_each_state(durable: Durable, stores: Stores, name: str) -> None:
    """One in each state but blocked, to which nothing leads by itself; and one that was removed as well."""
    problems = (Problem("a", "b"),)
    for state, settlement in {
        "completed": Settlement("completed", result="1", problems=problems),
        "hidden": Settlement("completed", result="1"),
        "failed": Settlement("failed", failure=FAILURE, problems=problems),
        "sleeping": Settlement("sleeping", due=stores.clock.time() + 1e6),
        "waiting": Settlement("waiting"),
        "running": None,
    }.items():
        await durable.start(f"{name} {state}", name, 1, "null")
        (one,) = await durable.begin([Offered(name, 1)], 1)
        if settlement is not None:
            await durable.settle(one.claim, one.receipt, settlement)
    for state in ("paused", "cancelled", "queued"):
        await durable.start(f"{name} {state}", name, 1, "null")
    await durable.pause(f"{name} paused")
    await durable.cancel(f"{name} cancelled")
    await durable.remove([f"{name} hidden"])


async def _asked(durable: Durable, action: str, id: str) -> bool:
    """Ask it of one; did that change anything?"""
    before = await durable.catalogue.summary(id)
    if action in ("remove", "restore"):
        await getattr(durable, action)([id])
    else:
        with contextlib.suppress(StepfastError):
            await getattr(durable, action)(id)
    return (await durable.catalogue.summary(id)).change > before.change


async def _at(durable: Durable) -> int:
    feed = await durable.catalogue.changes(2**62)
    return feed.at
