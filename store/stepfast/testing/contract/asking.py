"""What a person asks: `pause`, `resume`, `cancel` and `retry`, at once or by an intent for the holder."""

from __future__ import annotations

from stepfast.errors import AlreadyFinished, NotAllowed, UnknownWorkflow
from stepfast.interfaces import Durable, Settlement
from stepfast.passes.outcome import Failure, Problem
from stepfast.state import Cancelled, Paused
from stepfast.testing.contract.stores import (
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


async def what_nobody_holds_is_paused_at_once(stores: Stores) -> None:
    durable = await stores.open()
    await _one_of_each(stores, durable)

    for id in ("queued", "sleeping", "waiting"):
        assert await durable.pause(id) == "paused", f"a {id} workflow is paused at once"
        assert (await durable.catalogue.summary(id)).state == Paused(), f"the row of the {id} one says so"
        assert await durable.pause(id) == "paused", "pausing again changes nothing"

    stores.clock.advance(3600)
    assert await begin(durable) == [], "nothing paused is handed out, also when its timer would be due"
    assert await durable.scheduler.next_due() is None, "for it has none"


async def a_resumed_workflow_is_owed_a_pass(stores: Stores) -> None:
    durable = await stores.open()
    await _one_of_each(stores, durable)
    for id in ("queued", "sleeping", "waiting"):
        await durable.pause(id)

    for id in ("waiting", "queued", "sleeping"):
        assert await durable.resume(id) == "queued", f"the {id} one is ready again"

    assert sorted(ids(await begin(durable))) == ["queued", "sleeping", "waiting"], "and begins"


async def what_is_resumed_goes_on_in_its_place(stores: Stores) -> None:
    durable = await stores.open()
    for id in ("a", "b", "c", "d", "e"):
        await start(durable, id)
    runs = only(await begin(durable, 1))
    await durable.scheduler.wake("a")  # while it runs, which makes no difference to its place
    await durable.pause("a")
    assert await durable.settle(runs.claim, runs.receipt, Settlement("paused")) == "paused"
    keys = [(await durable.catalogue.summary(id)).key for id in ("d", "c")]
    await durable.line_up([keys[0]], "before", keys[1])
    for id in ("b", "c", "d"):
        await durable.pause(id)

    for id in ("c", "a", "d", "b"):
        await durable.resume(id)

    found = ids(await begin(durable))
    assert found == ["a", "b", "d", "c", "e"], f"the queue is as it was before; they began as {found}"


async def resume_leaves_alone_what_is_not_paused(stores: Stores) -> None:
    durable = await stores.open()
    await _one_of_each(stores, durable)

    for id in ("queued", "sleeping", "waiting"):
        assert await durable.resume(id) == id, f"a {id} workflow is not paused, so it stays as it is"
        assert await state(durable, id) == id, f"a {id} workflow is not paused, so it stays as it is"
    await durable.cancel("queued")
    await refused(NotAllowed, durable.resume("queued"), "resume of a cancelled workflow")
    assert await state(durable, "queued") == "cancelled", "what has finished is not resumed"


async def a_running_one_is_paused_by_its_holder(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for outcome in (
        Settlement("paused"),
        WAIT,
        Settlement("sleeping", due=stores.clock.time() + 60),
        Settlement("queued"),
    ):
        one = await begun(durable, f"pause-{outcome.state}")
        id = one.claim.id

        assert await other.pause(id) == "running", "a running workflow is not paused yet"

        row = await other.catalogue.summary(id)
        assert (row.state.name, row.intent) == ("running", "pause"), f"the row says what was asked: {row}"
        held = only((await durable.look()).held)
        assert held.intent == "pause", "its holder is told what was asked"
        assert (await durable.checkpointer.record(one.claim, new("last"))).first, "and may finish its step"
        settled = await durable.settle(one.claim, one.receipt, outcome)
        assert settled == "paused", f"a pass that came to {outcome.state} is paused, as was asked"
        assert (await other.catalogue.summary(id)).intent is None, "what was carried out is asked no more"
    assert await begin(durable) == [], "nothing paused is handed out"


async def a_pause_outlasts_a_wakeup(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one")
    await durable.pause("one")
    await durable.deliver("one", "1")

    settled = await durable.settle(one.claim, one.receipt, WAIT)

    assert settled == "paused", "a pause that was asked for is carried out, whatever arrived"
    await durable.resume("one")
    again = only(await begin(durable))
    assert [held.intent for held in (await durable.look()).held] == [None], (
        "the pause is over for the next pass"
    )
    messages = (await durable.checkpointer.load(again.claim.workflow)).messages
    assert len(messages) == 1, "which finds what arrived"


async def resuming_takes_a_pause_back(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    one = await begun(durable, "one")
    await other.pause("one")

    assert await other.resume("one") == "running", "it runs, and now goes on running"

    held = only((await durable.look()).held)
    assert held.intent is None, "its holder is asked no more"
    assert await durable.settle(one.claim, one.receipt, WAIT) == "waiting", "so it is settled as it comes"


async def a_pass_that_stopped_for_a_pause_taken_back_goes_on(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one")
    await durable.pause("one")
    await durable.resume("one")

    settled = await durable.settle(one.claim, one.receipt, Settlement("paused"))

    assert settled == "queued", f"nobody wants it paused any more, and it is {settled}"
    assert ids(await begin(durable)) == ["one"], "so the workflow goes on"


async def what_nobody_holds_is_cancelled_at_once(stores: Stores) -> None:
    durable = await stores.open()
    await _one_of_each(stores, durable)
    await start(durable, "paused")
    await durable.pause("paused")

    for id in ("queued", "sleeping", "waiting", "paused"):
        assert await durable.cancel(id) == "cancelled", f"a {id} workflow is cancelled at once"
        row = await durable.catalogue.summary(id)
        assert isinstance(row.state, Cancelled), f"the row of the {id} one says so, not {row.state}"
        assert row.finished_at == moment(stores.clock.time()), "it finished when it was cancelled"

    stores.clock.advance(3600)
    assert await begin(durable) == [], "nothing cancelled is handed out"
    assert await durable.scheduler.next_due() is None, "nor has it a timer"


async def a_running_one_is_cancelled_by_its_holder(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for outcome in (
        Settlement("cancelled"),
        Settlement("paused"),
        WAIT,
        Settlement("sleeping", due=stores.clock.time() + 60),
        Settlement("queued"),
    ):
        one = await begun(durable, f"cancel-{outcome.state}")
        id = one.claim.id

        assert await other.cancel(id) == "running", "a running workflow is not cancelled yet"

        held = only((await durable.look()).held)
        assert held.intent == "cancel", "its holder is told what was asked"
        settled = await durable.settle(one.claim, one.receipt, outcome)
        assert settled == "cancelled", f"a pass that came to {outcome.state} is cancelled, as was asked"
        row = await other.catalogue.summary(id)
        assert (row.intent, row.finished_at is not None) == (None, True), f"it is over: {row}"


async def a_cancel_outranks_a_pause(stores: Stores) -> None:
    durable = await stores.open()
    one, other = await begun(durable, "one"), await begun(durable, "other")

    await durable.pause("one")
    await durable.cancel("one")
    await durable.cancel("other")
    await durable.pause("other")

    assert [held.intent for held in (await durable.look()).held] == ["cancel", "cancel"], (
        "whichever was asked first, a cancel stands"
    )
    for each in (one, other):
        settled = await durable.settle(each.claim, each.receipt, Settlement("paused"))
        assert settled == "cancelled", f"and is carried out; {each.claim.id} is {settled}"


async def a_pass_that_finished_stays_finished(stores: Stores) -> None:
    durable = await stores.open()
    for ask in (durable.pause, durable.cancel):
        for outcome in (Settlement("completed", result="1"), Settlement("failed", failure=Failure("E", "m"))):
            one = await begun(durable, f"{ask.__name__}-{outcome.state}")
            await ask(one.claim.id)

            settled = await durable.settle(one.claim, one.receipt, outcome)

            assert settled == outcome.state, f"it was done before {ask.__name__} could be carried out"
            row = await durable.catalogue.summary(one.claim.id)
            assert row.intent is None, "what cannot be carried out is asked no more"


async def nobody_but_a_person_cancels(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one")

    settled = await durable.settle(one.claim, one.receipt, Settlement("cancelled"))

    assert settled == "queued", f"nobody asked for it, so the workflow goes on; it is {settled}"
    assert ids(await begin(durable)) == ["one"], "and is handed out"


async def a_retry_goes_on_from_what_is_recorded(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "failed")
    await durable.checkpointer.record(one.claim, new("done"))
    outcome = Settlement("failed", failure=Failure("OSError", "gone"), problems=(Problem("a", "b"),))
    await durable.settle(one.claim, one.receipt, outcome)
    claim = await claimed(durable, "cancelled")
    await durable.checkpointer.record(claim, new("done"))
    await durable.checkpointer.release(claim)
    await durable.cancel("cancelled")

    for id in ("failed", "cancelled"):
        assert await durable.retry(id) == "queued", f"a {id} workflow is owed a pass again"
        details = await durable.catalogue.get(id)
        assert details.summary.state.name == "queued", f"the row of the {id} one says so"
        gone = (details.failure, details.result, details.problems, details.summary.problems)
        assert gone == (None, None, (), 0), f"what the last pass came to is gone; left is {gone}"
        assert details.summary.finished_at is None, "it has not finished any more"
        history = [record.name for record in await durable.catalogue.history(id)]
        assert history == ["done"], f"what is recorded stays; the {id} one has {history}"

    assert ids(await begin(durable)) == ["failed", "cancelled"], "they are handed out in order of the retries"


async def a_retry_is_for_what_failed_or_was_cancelled(stores: Stores) -> None:
    durable = await stores.open()
    await finish(durable, "completed")
    await begun(durable, "running")
    await _one_of_each(stores, durable)
    await start(durable, "paused")
    await durable.pause("paused")

    for id in ("queued", "sleeping", "waiting", "completed", "running", "paused"):
        await refused(NotAllowed, durable.retry(id), f"retry of a {id} workflow")
        assert await state(durable, id) == id, f"what is refused changes nothing; the {id} one changed"


async def what_has_finished_is_asked_nothing(stores: Stores) -> None:
    durable = await stores.open()
    await finish(durable, "completed")
    await finish(durable, "failed", Settlement("failed", failure=Failure("E", "m")))
    await start(durable, "cancelled")
    await durable.cancel("cancelled")

    for id in ("completed", "failed", "cancelled"):
        for ask in (durable.pause, durable.cancel):
            error = await refused(AlreadyFinished, ask(id), f"{ask.__name__} of a {id} workflow")
            assert error.id == id, "the error names the workflow"
        assert await state(durable, id) == id, f"what is refused changes nothing; the {id} one changed"


async def an_unknown_workflow_is_asked_nothing(stores: Stores) -> None:
    durable = await stores.open()

    for ask in (durable.pause, durable.resume, durable.cancel, durable.retry):
        error = await refused(UnknownWorkflow, ask("unknown"), f"{ask.__name__} of an unknown id")
        assert error.id == "unknown", "the error names the id"


async def _one_of_each(stores: Stores, durable: Durable) -> None:
    """Three workflows, each named after its state: nobody holds them."""
    await finish(durable, "sleeping", Settlement("sleeping", due=stores.clock.time() + 60))
    await finish(durable, "waiting", WAIT)
    await start(durable, "queued")
