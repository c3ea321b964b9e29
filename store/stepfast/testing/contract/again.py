"""What is done once more: an interrupted step (`unblock`), a workflow from a step on (`rerun`), a `retry`."""

from __future__ import annotations

from stepfast.errors import AlreadyFinished, AlreadyStarted, InvalidInput, NotAllowed, UnknownWorkflow
from stepfast.interfaces import Claim, Durable, Kind, NewRecord, Offered, Settlement
from stepfast.state import Blocked, InterruptWait, RetryWait, Sleeping, SleepWait
from stepfast.testing.contract.stores import Stores, begin, begun, ids, moment, only, refused, start, state

BLOCKED = Settlement("blocked", waits=(InterruptWait("pay"),))
AGAIN = NewRecord(Kind.ATTEMPT, "1:pay", "{}", 1.0)


async def _records(durable: Durable, id: str) -> list[tuple[str, str, str]]:
    return [(each.kind, each.name, each.text) for each in await durable.catalogue.history(id)]


async def _blocked(stores: Stores) -> Durable:
    durable = await stores.open()
    one = await begun(durable, "one")
    await durable.checkpointer.record(one.claim, NewRecord(Kind.BEGUN, "1:pay", "null", 1.0))
    assert await durable.settle(one.claim, one.receipt, BLOCKED) == "blocked"
    return durable


async def an_interrupted_step_blocks(stores: Stores) -> None:
    durable = await _blocked(stores)

    found = (await durable.catalogue.summary("one")).state
    assert found == Blocked("pay"), f"the row says which step is asked about, and is {found}"
    assert ids(await begin(durable)) == [], "nobody takes what is blocked"
    await durable.arrive("one", "answer", "1")
    await durable.deliver("one", "2")
    assert await state(durable, "one") == "blocked", "nothing but a word about the step makes it ready"


async def a_word_about_it_makes_it_ready(stores: Stores) -> None:
    durable = await _blocked(stores)
    other = await stores.open()

    await other.unblock("one", AGAIN)

    assert await state(durable, "one") == "queued", "the record and the wakeup are one commit"
    assert (Kind.ATTEMPT, "1:pay", "{}") in await _records(durable, "one"), "what was said is a record"
    await stores.kill(other)
    assert ids(await begin(durable)) == ["one"], "it is on disk"


async def what_arrived_while_it_was_blocked_is_there(stores: Stores) -> None:
    durable = await _blocked(stores)
    await durable.arrive("one", "answer", "1")

    await durable.unblock("one", AGAIN)

    one = only(await begin(durable))
    records = (await durable.checkpointer.load(one.claim.workflow)).records
    assert any(each.kind == Kind.ANSWER for each in records), "an answer is not lost on a blocked workflow"


async def only_what_is_blocked_is_unblocked(stores: Stores) -> None:
    durable = await stores.open()
    await start(durable, "one")
    await refused(NotAllowed, durable.unblock("one", AGAIN), "it is queued")
    assert await _records(durable, "one") == [], "nothing is written"
    await durable.cancel("one")
    await refused(AlreadyFinished, durable.unblock("one", AGAIN), "it is cancelled")
    await refused(UnknownWorkflow, durable.unblock("nobody", AGAIN), "there is none")


async def the_first_word_stands(stores: Stores) -> None:
    durable = await _blocked(stores)

    await durable.unblock("one", AGAIN)
    await refused(NotAllowed, durable.unblock("one", NewRecord(Kind.STEP, "pay", "7", 1.0)), "said already")

    assert Kind.STEP not in {kind for kind, _, _ in await _records(durable, "one")}


async def a_blocked_one_can_be_cancelled(stores: Stores) -> None:
    durable = await _blocked(stores)
    assert await durable.cancel("one") == "cancelled"


async def what_is_retried_had_no_attempts(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one")
    for kind, name in (
        (Kind.STEP, "before"),
        (Kind.BEGUN, "1:pay"),
        (Kind.ATTEMPT, "1:pay"),
        (Kind.ATTEMPT, "1:call"),
        (Kind.BEGUN, "2:pay"),
    ):
        await durable.checkpointer.record(one.claim, NewRecord(kind, name, "1", 1.0))
    await durable.settle(one.claim, one.receipt, Settlement("failed"))

    await durable.retry("one")

    found = [(kind, name) for kind, name, _ in await _records(durable, "one")]
    assert found == [(Kind.STEP, "before"), (Kind.BEGUN, "2:pay")], (
        f"attempts and their beginnings go; what began and was never heard of stays; there are {found}"
    )


async def attempts_are_counted_in_lists(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    one = await begun(durable, "one")
    for number in (1, 2, 2):  # the second is recorded once
        new = NewRecord(Kind.ATTEMPT, f"{number}:pay", "{}", 1.0)
        await durable.checkpointer.record(one.claim, new)
        await durable.checkpointer.record(one.claim, NewRecord(Kind.BEGUN, f"{number}:pay", "null", 1.0))
    assert await durable.settle(one.claim, one.receipt, BLOCKED) == "blocked"
    await other.unblock("one", NewRecord(Kind.ATTEMPT, "3:pay", "{}", 1.0))
    found = (await other.catalogue.summary("one")).attempts
    assert found == 3, f"three attempts came to nothing; the row says {found}"
    await durable.cancel("one")
    await durable.retry("one")
    found = (await other.catalogue.summary("one")).attempts
    assert found == 0, f"what is retried has had no attempts; the row says {found}"


async def since_when_its_time_counts(stores: Stores) -> None:
    durable = await stores.open()
    first = stores.clock.time()
    one = await begun(durable, "one")
    assert one.since == first, "from its first pass"
    stores.clock.advance(100)
    await durable.settle(one.claim, one.receipt, Settlement("queued"))
    one = only(await begin(durable))
    assert one.since == first, "not from a later one"
    await durable.settle(one.claim, one.receipt, Settlement("failed"))
    stores.clock.advance(100)
    await durable.retry("one")
    stores.clock.advance(100)
    one = only(await begin(durable))
    assert one.since == first + 200, "or from when a person had it tried again"


async def an_attempt_is_shown_while_it_is_waited_for(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one")
    due = stores.clock.time() + 60
    retry = RetryWait("pay", moment(due), 3, 5, "refused \ud800")
    other = SleepWait("long", moment(due + 60))
    await durable.settle(one.claim, one.receipt, Settlement("sleeping", due=due, waits=(other, retry)))

    found = (await durable.catalogue.summary("one")).state
    assert found == Sleeping(moment(due), retry), f"the row says which attempt is next; it says {found}"


async def _worked(stores: Stores) -> tuple[Durable, Claim]:
    durable = await stores.open()
    await durable.start("old", "job", 1, '{"a":1}')
    await durable.deliver("old", '"hello"')
    one = only(await begin(durable))
    for kind, name in (
        (Kind.STEP, "one"),
        (Kind.SLEEP, "two"),
        (Kind.ATTEMPT, "1:two"),
        (Kind.STEP, "two"),
        (Kind.BEGUN, "1:three"),
        (Kind.STEP, "three"),
    ):
        await durable.checkpointer.record(one.claim, NewRecord(kind, name, f'"{name}"', 5.0))
    return durable, one.claim


async def a_rerun_begins_with_what_was_before_the_step(stores: Stores) -> None:
    durable, _ = await _worked(stores)
    before = await durable.catalogue.history("old")

    started = await durable.rerun("old", "two", "new")

    assert (started.created, started.id) == (True, "new")
    there = await _records(durable, "new")
    assert there == [(Kind.STEP, "one", '"one"'), (Kind.SLEEP, "two", '"two"')], f"it has {there}"
    details = await durable.catalogue.get("new")
    assert (details.summary.name, details.summary.version, details.input) == ("job", 1, {"a": 1})
    loaded = await durable.checkpointer.load(started.key)
    assert [each.text for each in loaded.messages] == ['"hello"'], "messages came before any step"
    assert (await state(durable, "new"), await state(durable, "old")) == ("queued", "running")
    assert await durable.catalogue.history("old") == before, "the old one stays as it was"


async def a_rerun_from_a_step_that_is_not_recorded_has_all(stores: Stores) -> None:
    durable, claim = await _worked(stores)
    await durable.settle(claim, 0, Settlement("failed"))

    await durable.rerun("old", "four", "new")

    names = [name for _, name, _ in await _records(durable, "new")]
    assert names == ["one", "two", "two", "three"], f"attempts are not among it; it has {names}"


async def a_rerun_needs_a_new_id(stores: Stores) -> None:
    durable, _ = await _worked(stores)
    await refused(AlreadyStarted, durable.rerun("old", "two", "old"), "the id is taken")
    await refused(UnknownWorkflow, durable.rerun("nobody", "two", "new"), "there is none")
    await refused(UnknownWorkflow, durable.rerun("nobody", "two", "old"), "there is none, whatever the id")
    await refused(InvalidInput, durable.rerun("old", "two", ""), "an empty id")


async def what_is_reassigned_keeps_all_else(stores: Stores) -> None:
    durable, claim = await _worked(stores)
    await refused(NotAllowed, durable.reassign("old", 9), "somebody runs it")
    await durable.settle(claim, 0, Settlement("paused"))
    before = await durable.catalogue.history("old")

    await durable.reassign("old", 9)

    row = await durable.catalogue.summary("old")
    assert (row.name, row.version) == ("job", 9)
    assert await durable.catalogue.history("old") == before
    await durable.resume("old")
    assert ids(await begin(durable)) == [], "who has the old one does not get it any more"
    other = Offered("job", 9)
    assert ids(await begin(durable, offered=(other,))) == ["old"], "who has the new one does"
    await durable.cancel("old")
    await start(durable, "two")
    await durable.cancel("two")
    await refused(AlreadyFinished, durable.reassign("two", 9), "it has finished")
    await refused(UnknownWorkflow, durable.reassign("nobody", 9), "there is none")
