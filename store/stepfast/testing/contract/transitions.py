"""The transitions that cross checkpoint and schedule: `start`, `begin` and `settle`, each one commit."""

from __future__ import annotations

import asyncio

from stepfast.errors import AlreadyStarted, Fenced
from stepfast.interfaces import Begun, Offered, Settlement
from stepfast.passes.outcome import Failure, Problem
from stepfast.state import (
    AnswerWait,
    Completed,
    Failed,
    MessageWait,
    Queued,
    Running,
    Sleeping,
    SleepWait,
    Waiting,
)
from stepfast.testing.contract.stores import (
    JOB,
    WAIT,
    Stores,
    begin,
    begun,
    claimed,
    finish,
    ids,
    moment,
    new,
    only,
    refused,
    start,
    state,
)


async def a_started_workflow_is_queued(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()

    started = await durable.start("one", "job", 3, '{"n":1}', priority=7)

    assert (started.id, started.created) == ("one", True), f"start gave {started}"
    row = await other.catalogue.summary("one")
    assert (row.key, row.id, row.name, row.version) == (started.key, "one", "job", 3), f"the row is {row}"
    assert (row.state, row.priority) == (Queued(), 7), f"the row is {row}"
    assert row.created_at.timestamp() == stores.clock.time(), "created_at is read from the store's clock"
    unset = (row.started_at, row.finished_at, row.removed_at, row.intent, row.step, row.progress)
    assert unset == (None,) * 6, f"nothing has happened to it yet; the row is {row}"


async def a_start_at_a_time_sleeps_until_then(stores: Stores) -> None:
    durable = await stores.open()
    now = stores.clock.time()
    await start(durable, "future", at=now + 60)
    await start(durable, "now", at=now)
    await start(durable, "past", at=now - 60)

    future = (await durable.catalogue.summary("future")).state
    assert future == Sleeping(moment(now + 60)), f"it sleeps until it is due, and is {future}"
    for id in ("now", "past"):
        assert await state(durable, id) == "queued", f"a start at a time that is {id} is ready at once"


async def a_start_with_a_known_id_gives_what_is_there(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    first = await durable.start("one", "job", 1, '{"n":1}')

    again = await other.start("one", "job", 1, '{"n":1}', at=stores.clock.time() + 60, priority=9)

    assert (again.key, again.id, again.created) == (first.key, "one", False), f"start gave {again}"
    row = await durable.catalogue.summary("one")
    assert (row.state, row.priority) == (Queued(), 0), "the workflow that is there stays as it is"
    one = only(await begin(durable))
    await durable.settle(one.claim, one.receipt, Settlement("completed", result="1"))
    later = await durable.start("one", "job", 1, '{"n":1}')
    assert (later.key, later.created) == (first.key, False), "also when it has finished"
    assert await state(durable, "one") == "completed", "and it stays finished"
    assert await begin(durable) == [], "and no pass is owed by asking again"


async def a_start_with_a_known_id_for_something_else_is_refused(stores: Stores) -> None:
    durable = await stores.open()
    await durable.start("one", "job", 1, '{"n":1}')

    for name, version, input in (("job", 1, '{"n":2}'), ("job", 2, '{"n":1}'), ("other", 1, '{"n":1}')):
        for join in (False, True):
            call = durable.start("one", name, version, input, join=join)
            error = await refused(AlreadyStarted, call, f"start of {name} {version} with {input}")
            assert error.id == "one", "the error names the workflow"

    assert len(await durable.catalogue.list()) == 1, "what is refused starts nothing"


async def starts_at_once_with_one_id_make_one_workflow(stores: Stores) -> None:
    engines = [await stores.open(), await stores.open()]

    started = await asyncio.gather(*(start(engines[n % 2], "one") for n in range(10)))

    assert sum(each.created for each in started) == 1, "exactly one of them made it"
    assert len({each.key for each in started}) == 1, "and all get the same one"
    assert ids(await begin(engines[0])) == ["one"], "for which one pass is owed"


async def a_join_gives_the_pending_one(stores: Stores) -> None:
    durable = await stores.open()
    first = await durable.start("first", "job", 1, '{"n":1}')
    passes: list[Begun] = []

    for name, version, input in (("job", 1, '{"n":2}'), ("job", 2, '{"n":1}'), ("other", 1, '{"n":1}')):
        different = await durable.start(f"{name}{version}{input}", name, version, input, join=True)
        assert different.created, f"{name} {version} with {input} is not running yet, so it is started"
    for step in ("queued", "running", "waiting", "paused"):
        match step:
            case "running":
                passes = await begin(durable)
            case "waiting":
                one = only([one for one in passes if one.claim.id == "first"])
                await durable.settle(one.claim, one.receipt, WAIT)
            case "paused":
                await durable.pause("first")
        joined = await durable.start("second", "job", 1, '{"n":1}', join=True)
        assert (joined.key, joined.id, joined.created) == (first.key, "first", False), (
            f"one that is {step} is joined; got {joined}"
        )
    separate = await durable.start("third", "job", 1, '{"n":1}')
    assert separate.created, "who does not ask to join gets a workflow of its own"


async def a_join_does_not_give_a_finished_one(stores: Stores) -> None:
    durable = await stores.open()
    await finish(durable, "first")

    joined = await durable.start("second", "job", 1, "null", join=True)

    assert (joined.id, joined.created) == ("second", True), f"only a pending one is joined; got {joined}"


async def joins_at_once_make_one_workflow(stores: Stores) -> None:
    engines = [await stores.open(), await stores.open()]

    started = await asyncio.gather(
        *(engines[n % 2].start(f"id-{n}", "job", 1, "null", join=True) for n in range(10))
    )

    assert sum(each.created for each in started) == 1, "exactly one of them made it"
    assert len({each.id for each in started}) == 1, "and all get the same one"


async def begin_hands_out_everything_a_pass_needs(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    started = await durable.start("one", "job", 2, '{"n":1}')
    stores.clock.advance(5)

    one = only(await begin(durable, offered=[Offered("job", 2)]))

    assert (one.claim.workflow, one.claim.id) == (started.key, "one"), f"begin gave {one}"
    assert (one.name, one.version, one.input) == ("job", 2, '{"n":1}'), f"begin gave {one}"
    held = only((await durable.look()).held)
    assert (held.workflow, held.token) == (started.key, one.claim.token), (
        f"the engine holds it, and sees {held}"
    )
    assert (held.receipt, held.intent) == (one.receipt, None), f"the receipt is that of the row, not {held}"
    assert (await other.look()).held == (), "nobody else holds it"
    row = await other.catalogue.summary("one")
    assert isinstance(row.state, Running), f"what was begun is running, not {row.state}"
    assert row.started_at == moment(stores.clock.time()), f"it started just now, not at {row.started_at}"
    recorded = await durable.checkpointer.record(one.claim, new("step"))
    assert recorded.first, "the claim gives the right to write"


async def _turns() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def begin_next_begins_what_becomes_ready(stores: Stores) -> None:
    durable = await stores.open()
    await durable.offer([JOB])
    waiting = asyncio.create_task(durable.begin_next([JOB], 1))
    started = 0
    while not waiting.done() and started < 50:  # the first ones may come before it waits
        started += 1
        await start(durable, f"w{started}")
    try:
        assert waiting.done(), "what becomes ready ends the wait"
    finally:
        waiting.cancel()

    one = only(waiting.result())
    assert await state(durable, one.claim.id) == "running", "what it hands out is begun"
    await durable.checkpointer.record(one.claim, new("step"))
    others = await begin(durable)
    assert one.claim.id not in ids(others), "and to nobody else"
    assert len(others) == started - 1, "it begins one"


async def begin_next_begins_no_more_than_it_may(stores: Stores) -> None:
    durable = await stores.open()
    await durable.offer([JOB])
    waiting = asyncio.create_task(durable.begin_next([JOB], 2))
    started = 0
    while not waiting.done() and started < 50:
        await asyncio.gather(*(start(durable, f"w{started + n}") for n in range(5)))
        started += 5
    try:
        assert waiting.done(), "what becomes ready ends the wait"
    finally:
        waiting.cancel()

    few = waiting.result()
    assert len(few) <= 2, "its limit is that of `begin`"
    others = await begin(durable)
    assert len(few) + len(others) == started, "and whoever asks gets the others"


async def begin_next_leaves_nothing_when_it_is_cancelled(stores: Stores) -> None:
    durable = await stores.open()
    await durable.offer([JOB])
    waiting = asyncio.create_task(durable.begin_next([JOB], 1))
    await _turns()
    waiting.cancel()
    await asyncio.wait({waiting})
    await start(durable, "one")
    await _turns()

    assert await state(durable, "one") == "queued", "nobody begins it any more"
    assert ids(await begin(durable)) == ["one"], "and whoever asks gets it"


async def a_look_tells_what_was_begun_from_what_was_claimed(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "begun")
    other = await claimed(durable, "claimed")

    assert {each.token: each.begun for each in (await durable.look()).held} == {
        one.claim.token: True,
        other.token: False,
    }, "a worker knows of what was begun alone"
    await durable.checkpointer.release(other)
    again = only(await begin(durable))
    assert {each.token: each.begun for each in (await durable.look()).held} == {
        one.claim.token: True,
        again.claim.token: True,
    }, "and a workflow that was claimed once may be begun"


async def running_names_the_owner(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await begun(durable, "a")
    await begun(durable, "b")
    await begun(other, "c")

    a, b, c = [(await durable.catalogue.summary(id)).state for id in "abc"]

    assert a == b, "an engine is one owner"
    assert a != c, "another engine is another"


async def a_later_pass_leaves_when_it_started(stores: Stores) -> None:
    durable = await stores.open()
    await finish(durable, "one", WAIT)
    first = (await durable.catalogue.summary("one")).started_at
    stores.clock.advance(60)
    await durable.scheduler.wake("one")
    await begin(durable)

    assert (await durable.catalogue.summary("one")).started_at == first, (
        "started_at is that of the first pass"
    )


async def a_completed_pass_leaves_its_result(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one")
    problems = (Problem("b.txt", "unreadable"), Problem("a.txt", "gone"))

    settled = await durable.settle(
        one.claim, one.receipt, Settlement("completed", result='{"n":[1,2]}', problems=problems)
    )

    assert settled == "completed", f"settle returns the state written, not {settled}"
    details = await durable.catalogue.get("one")
    assert details.summary.state == Completed(moment(stores.clock.time()), 2), (
        f"it is {details.summary.state}"
    )
    assert details.summary.finished_at == moment(stores.clock.time()), "it finished just now"
    assert details.summary.problems == 2, "the row counts the problems"
    assert (details.result, details.failure) == ({"n": [1, 2]}, None), f"the result is {details.result}"
    assert details.problems == problems, f"problems keep their order; they are {details.problems}"
    assert await begin(durable) == [], "nothing is owed"


async def a_failed_pass_leaves_its_failure(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one")
    failure = Failure("OSError", "the disk is gone", "Traceback ...", "copy")

    settled = await durable.settle(
        one.claim, one.receipt, Settlement("failed", failure=failure, problems=(Problem("a", "b"),))
    )

    assert settled == "failed", f"settle returns the state written, not {settled}"
    details = await durable.catalogue.get("one")
    assert details.summary.state == Failed(moment(stores.clock.time()), 1), f"it is {details.summary.state}"
    assert details.failure == failure, f"the failure is {details.failure}"
    assert details.result is None, "a failed workflow has no result"
    assert details.problems == (Problem("a", "b"),), "its problems are kept too"


async def a_suspended_pass_says_what_it_waits_for(stores: Stores) -> None:
    durable = await stores.open()
    due = stores.clock.time() + 60
    waits = (
        AnswerWait("approved-by", '{"type":"string"}'),
        AnswerWait("plain"),
        SleepWait("timeout", moment(due)),
        MessageWait("next"),
    )
    await finish(durable, "waiting", Settlement("waiting", due=due, waits=waits))
    await finish(durable, "sleeping", Settlement("sleeping", due=due))

    waiting = (await durable.catalogue.summary("waiting")).state
    sleeping = (await durable.catalogue.summary("sleeping")).state

    assert waiting == Waiting(waits), f"every wait is there, in order; got {waiting}"
    assert sleeping == Sleeping(moment(due)), f"it sleeps until it is due; got {sleeping}"


async def a_pass_given_back_is_owed_at_once(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    one = await begun(durable, "one")

    settled = await durable.settle(one.claim, one.receipt, Settlement("queued"))

    assert settled == "queued", f"settle returns the state written, not {settled}"
    again = only(await begin(other))
    assert again.claim.token > one.claim.token, "another claim has a greater token"
    assert (await durable.look()).held == (), "the first engine holds nothing any more"


async def a_pass_is_settled_once(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one")
    await durable.settle(one.claim, one.receipt, Settlement("completed", result='"first"'))

    second = durable.settle(one.claim, one.receipt, Settlement("completed", result='"second"'))

    await refused(Fenced, second, "a second settlement")
    assert (await durable.catalogue.get("one")).result == "first", "it wrote nothing"


async def a_finished_workflow_ignores_wakeups(stores: Stores) -> None:
    durable = await stores.open()
    for outcome in (Settlement("completed", result="1"), Settlement("failed", failure=Failure("E", "m"))):
        one = await begun(durable, outcome.state)
        await durable.deliver(outcome.state, "1")

        settled = await durable.settle(one.claim, one.receipt, outcome)

        assert settled == outcome.state, "a wakeup during the pass does not keep it from finishing"
        try:
            await durable.scheduler.wake(outcome.state)
        except Exception:
            pass
        assert await state(durable, outcome.state) == outcome.state, "nor does one afterwards undo it"
    assert await begin(durable) == [], "and no pass is owed"
