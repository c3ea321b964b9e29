"""Claims and tokens: one claim at a time, and no write under any token but its own."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from stepfast.body.run import Transaction
from stepfast.errors import Fenced, WorkflowError
from stepfast.interfaces import Claim, Durable, Notes, Settlement
from stepfast.testing.contract.stores import (
    Stores,
    begin,
    begun,
    claimed,
    finish,
    ids,
    new,
    refused,
    start,
    state,
)
from stepfast.views import Progress


async def a_claim_is_granted_once(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await start(durable, "one")

    asked = [each.checkpointer.claim("one") for each in (durable, other) * 5]
    granted = [claim for claim in await asyncio.gather(*asked) if claim is not None]

    assert len(granted) == 1, f"one of ten who asked at once is granted the claim, not {len(granted)}"
    assert await durable.checkpointer.claim("one") is None, "nor is it granted while it stands"
    await durable.checkpointer.release(granted[0])
    assert await other.checkpointer.claim("one") is not None, "once it was released, it is granted again"


async def tokens_rise(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    tokens = []
    for each, id in ((durable, "a"), (other, "b"), (durable, "b"), (other, "a"), (durable, "a")):
        claim = await claimed(each, id)
        tokens.append(claim.token)
        await each.checkpointer.release(claim)
    tokens += [one.claim.token for one in await begin(durable)]

    assert tokens == sorted(set(tokens)), (
        f"each token is greater than all before it, in the whole file: {tokens}"
    )


async def begin_and_claim_exclude_each_other(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    one = await begun(durable, "one")
    assert await other.checkpointer.claim("one") is None, "what was begun is claimed"
    await durable.settle(one.claim, one.receipt, Settlement("queued"))
    claim = await other.checkpointer.claim("one")
    assert claim is not None, "what was settled is not claimed any more"

    assert await begin(durable) == [], "what is claimed is not begun"


async def release_ends_no_other_claim(stores: Stores) -> None:
    durable = await stores.open()
    first = await claimed(durable, "one")
    await durable.checkpointer.release(first)
    second = await claimed(durable, "one")

    await durable.checkpointer.release(first)
    await durable.checkpointer.release(replace(second, token=second.token + 1))
    await durable.checkpointer.release(replace(second, token=0))

    assert await durable.checkpointer.claim("one") is None, "the claim that stands was not the one released"
    recorded = await durable.checkpointer.record(second, new("step"))
    assert recorded.first, "its holder may still write"


async def a_released_pass_is_still_owed(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one")

    await durable.checkpointer.release(one.claim)

    assert await state(durable, "one") == "queued", "a pass that was given back is owed"
    assert ids(await begin(durable)) == ["one"], "and is handed out again"


async def a_release_carries_out_what_was_asked(stores: Stores) -> None:
    durable = await stores.open()
    paused, cancelled = await begun(durable, "paused"), await begun(durable, "cancelled")
    await durable.pause("paused")
    await durable.cancel("cancelled")

    await durable.checkpointer.release(paused.claim)
    await durable.checkpointer.release(cancelled.claim)

    found = [await state(durable, id) for id in ("paused", "cancelled")]
    assert found == ["paused", "cancelled"], f"nobody holds them now, so intents are carried out; got {found}"
    row = await durable.catalogue.summary("paused")
    assert row.intent is None, "what was carried out is asked no more"


async def what_has_finished_cannot_be_claimed(stores: Stores) -> None:
    durable = await stores.open()
    await finish(durable, "one")

    for id in ("one", "unknown"):
        try:
            claim = await durable.checkpointer.claim(id)
        except WorkflowError:
            continue
        assert claim is None, f"there is no pass to make at {id!r}, and it was claimed"


async def an_older_token_is_fenced(stores: Stores) -> None:
    durable = await stores.open()
    old = await claimed(durable, "one")
    await durable.checkpointer.release(old)
    await claimed(durable, "one")

    await _hold_fenced(durable, old, "a token older than the claim's")


async def a_newer_or_made_up_token_is_fenced(stores: Stores) -> None:
    durable = await stores.open()
    claim = await claimed(durable, "one")
    foreign = await claimed(durable, "other")

    await _hold_fenced(durable, replace(claim, token=claim.token + 1), "a token newer than the claim's")
    await _hold_fenced(durable, replace(claim, token=2**62), "a token far above the claim's")
    await _hold_fenced(durable, replace(claim, token=foreign.token), "the token of another workflow's claim")
    await _hold_fenced(durable, replace(claim, token=0), "the token 0")
    await _hold_fenced(durable, replace(claim, token=-1), "the token -1")


async def no_claim_is_no_leave_to_write(stores: Stores) -> None:
    durable = await stores.open()
    claim = await claimed(durable, "one")
    await durable.checkpointer.release(claim)

    await _hold_fenced(durable, claim, "the last token, after its release")
    await _hold_fenced(durable, replace(claim, token=0), "the token 0 where there is no claim")


async def a_settled_pass_is_fenced(stores: Stores) -> None:
    durable = await stores.open()
    for outcome in (
        Settlement("completed", result="1"),
        Settlement("waiting"),
        Settlement("sleeping", due=stores.clock.time() + 9),
        Settlement("queued"),
    ):
        one = await begun(durable, outcome.state)
        await durable.settle(one.claim, one.receipt, outcome)

        await _hold_fenced(durable, one.claim, f"the token of a pass that was settled as {outcome.state}")


async def a_pass_that_was_taken_over_is_fenced(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    one = await begun(durable, "one")
    await stores.kill(durable)
    await other.takeover()

    await _hold_fenced(other, one.claim, "the token of an owner that was declared dead")
    again = await begun(other, "one")
    await _hold_fenced(other, one.claim, "the same, once another owner makes the pass")
    recorded = await other.checkpointer.record(again.claim, new("step"))
    assert recorded.first, "the new owner may write"


async def a_deleted_workflow_fences_its_pass(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one")
    await durable.delete("one")

    await _hold_fenced(durable, one.claim, "the token of a pass whose workflow was deleted")
    await begun(durable, "one")
    await _hold_fenced(durable, one.claim, "the same, once another workflow has the id")


async def _hold_fenced(durable: Durable, claim: Claim, what: str) -> None:
    """Hold every write under `claim` to raising `Fenced` and changing nothing."""
    ran = []

    def effect(transaction: Transaction) -> str:
        ran.append(transaction)
        return "1"

    async def seen() -> object:
        row = [row for row in await durable.catalogue.list() if row.id == claim.id]
        return row, await durable.checkpointer.load(claim.workflow)

    before = await seen()
    checkpointer = durable.checkpointer
    notes = Notes(step="fenced", progress=Progress(1, 1, "fenced"), bookmarks=(("fenced", "1"),))
    await refused(Fenced, checkpointer.record(claim, new("fenced"), notes), f"record under {what}")
    # With nothing beside it, as most are recorded; and together with others, as many passes record.
    await refused(Fenced, checkpointer.record(claim, new("fenced")), f"record without notes under {what}")
    asked = [checkpointer.record(claim, new(f"fenced-{n}")) for n in range(3)]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert all(isinstance(each, Fenced) for each in answers), f"three records under {what} gave {answers}"
    await refused(
        Fenced, checkpointer.transact(claim, "fenced", effect, 0.0, notes), f"transact under {what}"
    )
    await refused(Fenced, checkpointer.note(claim, notes), f"note under {what}")
    await refused(
        Fenced, durable.settle(claim, 0, Settlement("completed", result="1")), f"settle under {what}"
    )
    assert ran == [], f"an effect must not run under {what}"
    assert await seen() == before, f"what was refused under {what} must change nothing"
