"""Parents and children: how a child is started, how its parent learns of its end, and who is cancelled."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import timedelta

from stepfast.errors import AlreadyStarted, Fenced
from stepfast.interfaces import Begun, Durable, Kind, Offered, Settlement
from stepfast.passes.outcome import Failure
from stepfast.passes.tidying import TidyingCheckpointer
from stepfast.retention import Retention
from stepfast.testing.contract.stores import (
    JOB,
    WAIT,
    Stores,
    begin,
    begun,
    finish,
    ids,
    new,
    only,
    refused,
    start,
    state,
)

CHILD = Offered("child", 1)
DONE = Settlement("completed", result='"done"')


async def a_child_is_started_once_and_found_again(stores: Stores) -> None:
    durable = await stores.open()
    await start(durable, "one", priority=7)
    one = only(await begin(durable))

    for _ in range(2):
        assert await _child(durable, one) is None, "a child that has not finished has no outcome"

    child = only(await durable.begin([CHILD], 9))
    assert (child.claim.id, child.name, child.version, child.input) == ("one/a", "child", 1, "[1]"), (
        f"the child must be as it was asked for; it is {child}"
    )
    row = await durable.catalogue.summary("one/a")
    assert row.priority == 7, f"a child is as urgent as its parent; its priority is {row.priority}"
    marks = [each for each in await durable.catalogue.history("one") if each.kind == Kind.STARTED]
    assert [(each.name, json.loads(each.text)) for each in marks] == [("a", "one/a")], (
        f"the parent must record that it started it, once; it has {marks}"
    )


async def a_child_is_started_under_the_claim_that_stands(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    one = await begun(durable, "one")
    await stores.kill(durable)
    await other.takeover()

    await refused(Fenced, _child(other, one), "a claim that was taken over starts nothing")
    assert await state(other, "one/a") == "gone", "and there is no child"
    again = only(await begin(other))
    await _child(other, again)
    await other.settle(again.claim, again.receipt, WAIT)
    await refused(Fenced, _child(other, again, "b"), "a pass that has settled starts nothing")


async def an_id_that_is_somebody_elses_is_no_child(stores: Stores) -> None:
    durable = await stores.open()
    await start(durable, "one/a")
    await durable.start("two", "other", 1, "null")
    one = await durable.checkpointer.claim("two")
    assert one is not None, "the claim of what nobody holds"
    parent = only(await begin(durable))
    await durable.settle(parent.claim, parent.receipt, WAIT)
    mine = await begun(durable, "one")

    await refused(AlreadyStarted, _child(durable, mine), "a workflow without a parent is no child of anybody")
    await _child(durable, mine, "b")
    call = durable.checkpointer.child(one, "b", "one/b", "child", 1, "[1]")
    await refused(AlreadyStarted, call, "nor is another's child")
    call = durable.checkpointer.child(mine.claim, "b", "one/b", "child", 1, "[2]")
    await refused(AlreadyStarted, call, "nor one with another input")
    marks = [each.name for each in await durable.catalogue.history("one")]
    assert marks == ["b"], f"what was refused leaves no mark; there are {marks}"


async def the_end_of_a_child_is_recorded_and_wakes_its_parent(stores: Stores) -> None:
    durable = await stores.open()
    failure = Failure("ValueError", "no \udc80 good", "Traceback ...", "a step")
    outcomes = {
        "done": (Settlement("completed", result='{"a":[1]}'), '["completed",{"a":[1]}]'),
        "failed": (
            Settlement("failed", failure=failure),
            json.dumps(["failed", ["ValueError", "no \udc80 good", "Traceback ...", "a step"]]),
        ),
        "cancelled": (Settlement("cancelled"), '["cancelled"]'),
    }
    for name, (settlement, text) in outcomes.items():
        await _waiting(durable, "one", name)
        child = only(await durable.begin([CHILD], 9))
        if name == "cancelled":
            await durable.cancel(child.claim.id)

        await durable.settle(child.claim, child.receipt, settlement)

        assert await state(durable, "one") == "queued", f"a parent must be woken when its child is {name}"
        checkpoint = await durable.checkpointer.load((await durable.catalogue.summary("one")).key)
        found = {each.name: each.text for each in checkpoint.records if each.kind == Kind.CHILD}
        assert found.get(name) == text, f"the outcome must be recorded as {text}; there is {found}"


async def the_end_of_a_child_during_a_pass_is_seen_by_it(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    one = await begun(durable, "one")
    await _child(durable, one)
    end = (await durable.checkpointer.load(one.claim.workflow)).end
    child = only(await other.begin([CHILD], 9))

    await other.settle(child.claim, child.receipt, DONE)

    held = only(await _held(durable, one))
    assert held > one.receipt, "the holder must see that its workflow was woken"
    later = await durable.checkpointer.load(one.claim.workflow, after=end)
    assert [(each.kind, each.name) for each in later.records] == [(Kind.CHILD, "a")], (
        f"what came since must have the outcome; it has {later.records}"
    )
    assert await durable.settle(one.claim, one.receipt, WAIT) == "queued", (
        "a pass that did not take it up is followed by another"
    )


async def a_child_that_ends_as_its_parent_settles_is_not_lost(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for n in range(12):
        one = await begun(durable, f"job-{n}")
        await _child(durable, one)
        child = only(await other.begin([CHILD], 9))
        settling = durable.settle(one.claim, one.receipt, WAIT)
        ending = other.settle(child.claim, child.receipt, DONE)
        await asyncio.gather(*((settling, ending) if n % 2 else (ending, settling)))

        again = only(await begin(durable))
        assert again.claim.id == f"job-{n}", "whichever came first, another pass must follow"
        await durable.settle(again.claim, again.receipt, DONE)


async def the_ends_of_many_children_may_gather_and_wake_their_parent(stores: Stores) -> None:
    durable = await stores.open()
    await _waiting(durable, "one", *(str(n) for n in range(100)))
    children = await durable.begin([CHILD], 1000)
    assert len(children) == 100, f"100 children are ready; {len(children)} were begun"

    for child in children[:30]:
        await durable.settle(child.claim, child.receipt, DONE)
    stores.clock.advance(1)

    one = only(await begin(durable))
    records = (await durable.checkpointer.load(one.claim.workflow)).records
    assert sum(each.kind == Kind.CHILD for each in records) == 30, "a second later its parent sees them"
    await durable.settle(one.claim, one.receipt, WAIT)
    for child in children[30:-1]:
        await durable.settle(child.claim, child.receipt, DONE)
    one = only(await begin(durable))
    await durable.settle(one.claim, one.receipt, WAIT)
    await durable.settle(children[-1].claim, children[-1].receipt, DONE)
    assert ids(await begin(durable)) == ["one"], "and when the last has ended, it is woken at once"


async def a_child_that_has_finished_says_so_when_it_is_asked_for(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one")
    await _child(durable, one)
    child = only(await durable.begin([CHILD], 9))
    await durable.settle(child.claim, child.receipt, Settlement("failed", failure=Failure("Bad", "")))
    await durable.settle(one.claim, one.receipt, Settlement("failed", failure=Failure("Worse", "")))
    await durable.retry("one/a")
    child = only(await durable.begin([CHILD], 9))
    await durable.settle(child.claim, child.receipt, DONE)
    await durable.retry("one")

    again = only(await begin(durable))
    told = await _child(durable, again)

    assert told == '["completed","done"]', f"how it ended must be returned; got {told}"
    ends = [each.text for each in await durable.catalogue.history("one") if each.kind == Kind.CHILD]
    assert ends == [told], f"and recorded in the commit that found it; there is {ends}"


async def what_a_parent_saw_of_a_child_stays(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one")
    await _child(durable, one)
    await durable.cancel("one/a")
    await durable.retry("one/a")
    child = only(await durable.begin([CHILD], 9))
    await durable.settle(child.claim, child.receipt, DONE)

    ends = [each.text for each in await durable.catalogue.history("one") if each.kind == Kind.CHILD]
    assert ends == ['["cancelled"]'], f"a record is never overwritten; there is {ends}"


async def cancelling_a_parent_cancels_its_children_and_theirs(stores: Stores) -> None:
    durable = await stores.open()
    one = await _waiting(durable, "one", "held", "queued", "done")
    children = {each.claim.id: each for each in await durable.begin([CHILD], 1)}
    held = children["one/held"]
    await durable.checkpointer.child(held.claim, "deep", "one/held/deep", "deep", 1, "null")
    done = {each.claim.id: each for each in await durable.begin([CHILD], 9)}
    for each in done.values():
        await durable.settle(each.claim, each.receipt, DONE if each.claim.id == "one/done" else WAIT)
    assert one.claim.id == "one", "the parent waits, or is queued by now"

    await durable.cancel("one")

    found = {id: await state(durable, id) for id in ("one", "one/queued", "one/done", "one/held/deep")}
    assert found == {
        "one": "cancelled",
        "one/queued": "cancelled",
        "one/done": "completed",
        "one/held/deep": "cancelled",
    }, f"what is pending of the family is cancelled at once; it is {found}"
    row = await durable.catalogue.summary("one/held")
    assert (row.state.name, row.intent) == ("running", "cancel"), "and the holder of what runs is asked to"
    await durable.settle(held.claim, held.receipt, WAIT)
    assert await state(durable, "one/held") == "cancelled", "who does it"


async def cancelling_what_runs_cancels_its_children_too(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    one = await begun(durable, "one")
    await _child(durable, one)

    await other.cancel("one")

    assert await state(durable, "one/a") == "cancelled", "its children are cancelled with the asking"
    records = [each.kind for each in await durable.catalogue.history("one")]
    assert Kind.CHILD not in records, "and it is not told of that: its pass would take it for a failure"
    await _child(durable, one, "late")
    await durable.settle(one.claim, one.receipt, Settlement("cancelled"))
    assert await state(durable, "one/late") == "cancelled", "what it started meanwhile goes with it"


async def what_the_dead_were_to_cancel_is_cancelled_with_its_children(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    one = await begun(durable, "one")
    await durable.cancel("one")
    await _child(durable, one)
    await stores.kill(durable)
    await other.takeover()

    assert (await state(other, "one"), await state(other, "one/a")) == ("cancelled", "cancelled"), (
        "a takeover carries out what was asked, for the children too"
    )


async def a_released_claim_cancels_with_its_children(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one")
    await durable.cancel("one")
    await _child(durable, one)

    await durable.checkpointer.release(one.claim)

    assert (await state(durable, "one"), await state(durable, "one/a")) == ("cancelled", "cancelled"), (
        "releasing carries out what was asked, for the children too"
    )


async def many_are_cancelled_with_their_children(stores: Stores) -> None:
    durable = await stores.open()
    keys = []
    for n in range(3):
        one = await _waiting(durable, f"job-{n}", "a")
        keys.append(one.claim.workflow)

    await durable.bulk("cancel", keys)

    found = {await state(durable, f"job-{n}/a") for n in range(3)}
    assert found == {"cancelled"}, f"asking many is as asking each; the children are {found}"


async def a_child_that_tidies_up_first_is_told_of_when_it_is_through(stores: Stores) -> None:
    durable = await stores.open()
    await durable.offer([replace(CHILD, tidies=True)])
    await _waiting(durable, "one", "a")

    await durable.cancel("one/a")

    assert await state(durable, "one") == "waiting", "it is not through before it has tidied up"
    child = only(await durable.begin([CHILD], 9))
    await durable.settle(child.claim, child.receipt, Settlement("tidied"))
    one = only(await begin(durable))
    records = (await durable.checkpointer.load(one.claim.workflow)).records
    assert [each.text for each in records if each.kind == Kind.CHILD] == ['["cancelled"]'], (
        f"then its parent is told; it has {records}"
    )


async def a_clean_up_has_children_of_its_own(stores: Stores) -> None:
    durable = await stores.open()
    await durable.offer([replace(JOB, tidies=True)])
    await _waiting(durable, "one", "a")
    await durable.cancel("one")
    assert await state(durable, "one/a") == "cancelled", "the children of the body are cancelled at once"
    one = only(await begin(durable))
    assert one.cleanup, "and a pass is owed that tidies up"
    tidying = TidyingCheckpointer(durable.checkpointer)
    assert await tidying.child(one.claim, "a", "one/a", "child", 1, "[1]") is None, (
        "which has its own children"
    )
    await durable.settle(one.claim, one.receipt, WAIT)

    child = only(await durable.begin([CHILD], 9))
    assert child.claim.id == "one/on_cancel:a", "that no child of the body is in the way of"
    await durable.settle(child.claim, child.receipt, DONE)

    one = only(await begin(durable))
    records = (await tidying.load(one.claim.workflow)).records
    assert [(each.kind, each.name) for each in records] == [(Kind.STARTED, "a"), (Kind.CHILD, "a")], (
        f"it is told how they end, and nothing of the body's; it has {records}"
    )
    await tidying.child(one.claim, "b", "one/b", "child", 1, "[1]")
    await durable.settle(one.claim, one.receipt, WAIT)
    await durable.cancel("one")
    assert await state(durable, "one/on_cancel:b") == "cancelled", "whoever cancels it again ends those too"


async def what_runs_again_from_a_step_starts_its_children_anew(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one")
    await _child(durable, one, "done")
    await _child(durable, one, "pending")
    child = only([each for each in await durable.begin([CHILD], 9) if each.claim.id == "one/done"])
    await durable.settle(child.claim, child.receipt, DONE)
    await durable.checkpointer.record(one.claim, new("step"))
    await durable.settle(one.claim, one.receipt, DONE)

    await durable.rerun("one", "step", "two")

    records = await durable.catalogue.history("two")
    assert [(each.kind, each.name) for each in records] == [(Kind.CHILD, "done")], (
        f"it knows how they ended, and has started none; it has {records}"
    )


async def a_child_of_a_finished_parent_goes_on(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one")
    await _child(durable, one)
    await durable.settle(one.claim, one.receipt, Settlement("failed", failure=Failure("Bad", "")))

    child = only(await durable.begin([CHILD], 9))
    await durable.settle(child.claim, child.receipt, DONE)

    assert await state(durable, "one/a") == "completed", "nobody cancels it"
    assert await state(durable, "one") == "failed", "and its parent stays finished"
    records = [each.kind for each in await durable.catalogue.history("one")]
    assert Kind.CHILD not in records, "with the records that it had"


async def pausing_a_parent_leaves_its_children_and_loses_nothing(stores: Stores) -> None:
    durable = await stores.open()
    await _waiting(durable, "one", "a")
    await durable.pause("one")
    child = only(await durable.begin([CHILD], 9))
    await durable.settle(child.claim, child.receipt, DONE)

    assert await state(durable, "one") == "paused", "a paused workflow sleeps through the end of its child"
    await durable.resume("one")
    one = only(await begin(durable))
    records = [each.kind for each in (await durable.checkpointer.load(one.claim.workflow)).records]
    assert Kind.CHILD in records, "and finds it when it is resumed"


async def trying_a_parent_again_tries_its_failed_children_again(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one")
    for name in ("fails", "cancelled", "done", "gone"):
        await _child(durable, one, name)
    for child in await durable.begin([CHILD], 9):
        match child.claim.id:
            case "one/fails":
                settlement = Settlement("failed", failure=Failure("Bad", ""))
            case "one/cancelled":
                await durable.cancel(child.claim.id)
                settlement = Settlement("cancelled")
            case _:
                settlement = DONE
        if child.claim.id == "one/gone":
            await durable.delete("one/gone")
        else:
            await durable.settle(child.claim, child.receipt, settlement)
    await durable.settle(one.claim, one.receipt, Settlement("failed", failure=Failure("Worse", "")))

    await durable.retry("one")

    found = {name: await state(durable, f"one/{name}") for name in ("fails", "cancelled", "done", "gone")}
    assert found == {"fails": "queued", "cancelled": "queued", "done": "completed", "gone": "gone"}, (
        f"what did not complete is tried again; they are {found}"
    )
    again = only(await begin(durable))
    ends = [each.name for each in await durable.catalogue.history("one") if each.kind == Kind.CHILD]
    assert ends == ["done"], f"and its parent has forgotten how it ended; it knows of {ends}"
    assert await _child(durable, again, "gone") is None, "what was deleted is asked for anew"
    assert await state(durable, "one/gone") == "queued", "and started"


async def a_child_that_is_deleted_counts_as_cancelled(stores: Stores) -> None:
    durable = await stores.open()
    for id, forget in (("plain", None), ("forgotten", lambda transaction, id: None)):
        await _waiting(durable, id, "a")

        await durable.delete(f"{id}/a", forget)

        one = only(await begin(durable))
        assert one.claim.id == id, "its parent must not wait for ever"
        records = (await durable.checkpointer.load(one.claim.workflow)).records
        assert [each.text for each in records if each.kind == Kind.CHILD] == ['["cancelled"]'], (
            f"it is told that the child was cancelled; it has {records}"
        )


async def the_kin_of_what_is_pending_is_not_swept(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "parent pending")
    await _child(durable, one)
    child = only(await durable.begin([CHILD], 9))
    await durable.settle(child.claim, child.receipt, DONE)
    await durable.settle(one.claim, one.receipt, WAIT)
    await durable.pause("parent pending")
    two = await begun(durable, "child pending")
    await _child(durable, two)
    await durable.settle(two.claim, two.receipt, DONE)
    await finish(durable, "alone")
    stores.clock.advance(10)

    swept = await durable.sweep(Retention(age=timedelta(seconds=1)), {})
    while swept.more:
        swept = await durable.sweep(Retention(age=timedelta(seconds=1)), {}, after=swept)

    found = {id: await state(durable, id) for id in ("parent pending/a", "child pending", "alone")}
    assert found == {"parent pending/a": "completed", "child pending": "completed", "alone": "gone"}, (
        f"neither a child nor a parent of what is pending may go; they are {found}"
    )


async def _child(durable: Durable, parent: Begun, name: str = "a") -> str | None:
    id = f"{parent.claim.id}/{name}"
    return await durable.checkpointer.child(parent.claim, name, id, "child", 1, "[1]")


async def _waiting(durable: Durable, id: str, *names: str) -> Begun:
    """A parent that has started children of these names and waits for them."""
    one = await begun(durable, id)
    for name in names:
        await _child(durable, one, name)
    await durable.settle(one.claim, one.receipt, WAIT)
    return one


async def _held(durable: Durable, one: Begun) -> list[int]:
    return [each.receipt for each in (await durable.look()).held if each.workflow == one.claim.workflow]
