"""Sweeping: what a `Retention` lets go is deleted with its own rows, and nothing else; and `upkeep`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from stepfast.body.run import Transaction
from stepfast.errors import NotAllowed
from stepfast.interfaces import Checkpoint, Durable, Notes, Settlement, Signal
from stepfast.passes.outcome import Failure
from stepfast.retention import Forget, Forgets, Retention, Swept
from stepfast.testing.contract.stores import (
    JOB,
    WAIT,
    Stores,
    begun,
    claimed,
    finish,
    new,
    refused,
    start,
    state,
)
from stepfast.views import Changes, Filter, Progress, Reset

HOUR = 3600.0
DAY = 24 * HOUR
EVERYTHING = Retention(keep=0, removed_after=timedelta(0))
KNOWS_JOB: Forgets = {(JOB.name, JOB.version): None}
FORGETTING = replace(JOB, forgets=True)


async def nothing_is_swept_unasked(stores: Stores) -> None:
    durable = await stores.open()
    for id in ("a", "b"):
        await finish(durable, id)
    stores.clock.advance(1000 * DAY)

    assert await _sweep(durable, Retention()) == [], "without a policy, a result stays until it is removed"
    assert await _ids(durable) == ["a", "b"]


async def what_is_pending_is_never_swept(stores: Stores) -> None:
    durable = await stores.open()
    await finish(durable, "waiting", WAIT)
    await finish(durable, "sleeping", Settlement("sleeping", due=stores.clock.time() + 9000 * DAY))
    await begun(durable, "running")
    await start(durable, "paused")
    await durable.pause("paused")
    await finish(durable, "completed")
    await finish(durable, "failed", Settlement("failed", failure=Failure("OSError", "gone", "", None)))
    await start(durable, "cancelled")
    await durable.cancel("cancelled")
    await start(durable, "queued")
    stores.clock.advance(1000 * DAY)

    swept = await _sweep(durable, Retention(age=timedelta(0), keep=0, removed_after=timedelta(0)))

    assert sorted(swept) == ["cancelled", "completed", "failed"], f"all that has finished; it swept {swept}"
    assert await _ids(durable) == ["paused", "queued", "running", "sleeping", "waiting"], "and nothing else"


async def the_old_go_by_age(stores: Stores) -> None:
    durable = await stores.open()
    for id in ("first", "second", "third"):
        await finish(durable, id)
        stores.clock.advance(HOUR)
    two_hours = Retention(age=timedelta(hours=2))

    assert await _sweep(durable, two_hours) == ["first", "second"], "what finished two hours ago, or earlier"
    stores.clock.advance(HOUR - 1)
    assert await _sweep(durable, two_hours) == []
    stores.clock.advance(1)
    assert await _sweep(durable, two_hours) == ["third"]


async def the_last_to_finish_are_kept(stores: Stores) -> None:
    durable = await stores.open()
    await start(durable, "late", at=stores.clock.time() + HOUR)
    for id in ("a", "b", "c", "d"):
        await finish(durable, id)  # all at one moment
    stores.clock.advance(HOUR)
    await finish(durable, "late")

    assert await _sweep(durable, Retention(keep=5)) == []
    assert await _sweep(durable, Retention(keep=3)) == ["a", "b"], "the oldest go, by when they finished"
    assert await _ids(durable) == ["c", "d", "late"]
    assert await _sweep(durable, Retention(keep=1)) == ["c", "d"], "and not by when they were started"


async def what_is_removed_can_be_restored_for_a_while(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for id in ("a", "b", "c"):
        await finish(durable, id)
    stores.clock.advance(DAY)
    await durable.remove(["a", "b"])
    both = Retention(age=timedelta(hours=1), keep=1)

    assert await _sweep(other, both) == ["c"], "however old, what is removed can be restored for a day"
    stores.clock.advance(DAY - 1)
    assert await _sweep(durable, Retention()) == []
    assert await durable.restore(["a"]) == ["a"]
    stores.clock.advance(1)
    assert await _sweep(durable, Retention()) == ["b"], "what was marked a day ago, and is still"
    assert await _ids(durable) == ["a"]


async def what_is_removed_is_not_among_those_kept(stores: Stores) -> None:
    durable = await stores.open()
    for id in ("a", "b", "c"):
        await finish(durable, id)
    await durable.remove(["b", "c"])

    assert await _sweep(durable, Retention(keep=1)) == [], "one is kept, and two are on their way out"


async def a_sweep_goes_on_where_it_was(stores: Stores) -> None:
    durable = await stores.open()
    for id in "abcdefg":
        await finish(durable, id)
    await durable.remove(["e", "f", "g"])
    calls: list[Swept] = []
    while not calls or calls[-1].more:
        after = calls[-1] if calls else None
        calls.append(await durable.sweep(EVERYTHING, KNOWS_JOB, limit=2, after=after))
        assert len(calls) < 50, "a sweep comes to an end"

    assert max(len(call.deleted) for call in calls) <= 2, "no call looks at more than its limit"
    assert sorted(id for call in calls for id in call.deleted) == [*"abcdefg"], "and together at all"


async def what_was_retried_meanwhile_stays(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for id in ("a", "b", "c"):
        await start(durable, id)
        await durable.cancel(id)
    began = await durable.sweep(EVERYTHING, KNOWS_JOB, limit=1)
    assert (began.deleted, began.more) == (("a",), True)

    await other.retry("c")
    swept = await _sweep(durable, EVERYTHING, after=began)

    assert swept == ["b"], f"c is pending again; swept were {swept}"
    assert await state(durable, "c") == "queued"


async def what_is_swept_is_gone(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    claim = await claimed(durable, "one")
    log = ((stores.clock.time(), "info", None, "line"),)
    await durable.checkpointer.record(claim, new("step"), Notes("s", Progress(1, 2, "t"), log=log))
    await durable.deliver("one", "1")
    await durable.checkpointer.note(claim, Notes(bookmarks=(("open", "1"),)))
    await durable.settle(claim, 0, Settlement("completed", result="null"))
    before = await durable.catalogue.changes(0)
    assert isinstance(before, Changes)
    heard: list[int] = []

    def hear(signal: Signal) -> None:
        heard.extend(signal.keys or ())

    other.listen(hear)

    assert await _sweep(other, EVERYTHING) == ["one"]

    await asyncio.sleep(0)
    assert claim.workflow in heard, "views are told"
    assert await _ids(durable) == [], "no list has it"
    assert sum((await durable.catalogue.counts()).values()) == 0, "it is not counted"
    assert await durable.checkpointer.load(claim.workflow) == Checkpoint((), (), {}), "its records are gone"
    feed = await durable.catalogue.changes(before.at)
    assert isinstance(feed, Reset) or feed.deleted == ("one",), f"who follows is told; they got {feed}"
    again = await start(durable, "one", '"another input"')
    assert again.created, "its id is free"
    assert again.key > claim.workflow, "its key is not used again"
    assert await durable.checkpointer.load(again.key) == Checkpoint((), (), {})
    assert await durable.catalogue.log("one") == [], "nothing of the old is left"


async def a_sweep_forgets(stores: Stores) -> None:
    durable = await stores.open()
    forget = await _with_rows(durable, "a", "b", "pending")
    for id in ("a", "b"):
        await durable.cancel(id)

    assert await _sweep(durable, EVERYTHING, {(JOB.name, JOB.version): forget}) == ["a", "b"]

    assert await durable.checkpointer.query(_rows) == [("pending",)], (
        "their rows went with them, and no other"
    )


async def what_nobody_here_can_forget_stays(stores: Stores) -> None:
    other = await stores.open()
    await other.offer([FORGETTING])
    forget = await _with_rows(other, "a")
    await other.cancel("a")
    await stores.kill(other)
    durable = await stores.open()
    stranger: Forgets = {("stranger", 1): None, (JOB.name, 2): None}

    await durable.takeover()
    assert await _sweep(durable, EVERYTHING, stranger) == [], "its rows would be nobody's any more"
    assert await durable.checkpointer.query(_rows) == [("a",)]
    assert await state(durable, "a") == "cancelled"

    await finish(durable, "b")
    assert await _sweep(durable, EVERYTHING, {(JOB.name, JOB.version): forget}) == ["a", "b"]
    assert await durable.checkpointer.query(_rows) == []


async def a_definition_that_forgets_no_more_is_swept(stores: Stores) -> None:
    durable = await stores.open()
    await durable.offer([FORGETTING])
    await durable.offer([JOB])
    await finish(durable, "a")

    assert await _sweep(durable, EVERYTHING, {}) == [], "somebody may still have what forgets it"
    assert await _sweep(durable, EVERYTHING, KNOWS_JOB) == ["a"], "who has it knows that there is nothing"


async def a_forget_that_raises_keeps_its_own(stores: Stores) -> None:
    durable = await stores.open()
    forget = await _with_rows(durable, "a", "b", "c")
    for id in ("a", "b", "c"):
        await durable.cancel(id)
    failing = True

    def choosy(transaction: Transaction, id: str) -> None:
        forget(transaction, id)
        if failing and id != "b":
            raise ValueError(id)

    forgets: Forgets = {(JOB.name, JOB.version): choosy}
    failed: list[tuple[str, Exception]] = []

    assert await _sweep(durable, EVERYTHING, forgets, limit=1, failed=failed) == ["b"], "others go"
    assert [(id, type(error)) for id, error in failed] == [("a", ValueError), ("c", ValueError)]
    assert await durable.checkpointer.query(_rows) == [("a",), ("c",)], "none of its writes is kept"
    assert await state(durable, "a") == "cancelled", "and its workflow is whole"
    assert len(await durable.catalogue.history("a")) == 1

    failing = False
    assert await _sweep(durable, EVERYTHING, forgets) == ["a", "c"], "a later sweep tries again"


async def a_delete_without_its_forget_is_refused(stores: Stores) -> None:
    durable = await stores.open()
    await durable.offer([FORGETTING])
    await finish(durable, "one")
    await durable.start("other", "other", 1, "null")

    await refused(NotAllowed, durable.delete("one", known=False), "deleting what only others can forget")
    assert await state(durable, "one") == "completed"
    await durable.delete("other", known=False)
    await durable.delete("one")
    assert await _ids(durable) == [], "one that nobody ever had to forget goes, and so does one that is known"


async def sweeps_at_once_do_no_harm(stores: Stores) -> None:
    engines = [await stores.open() for _ in range(3)]
    names = [f"{number:02}" for number in range(12)]
    forget = await _with_rows(engines[0], *names)
    for id in names:
        await engines[0].cancel(id)
    forgotten: list[str] = []

    def counted(transaction: Transaction, id: str) -> None:
        forgotten.append(id)
        forget(transaction, id)

    forgets: Forgets = {(JOB.name, JOB.version): counted}
    swept = await asyncio.gather(*(_sweep(each, EVERYTHING, forgets, limit=2) for each in engines))

    assert sorted(id for each in swept for id in each) == names, f"each goes once; they swept {swept}"
    assert sorted(forgotten) == names, "and is forgotten once"
    assert await _ids(engines[0]) == []


async def nobody_who_follows_misses_what_was_swept(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    numbers = [0]
    for id in ("a", "b", "c"):
        await finish(durable, id)
        numbers.append(await _number(durable))
    swept = await _sweep(durable, EVERYTHING)
    numbers.append(await _number(durable))
    assert sorted(swept) == ["a", "b", "c"]

    for days in (0, 1, 40):
        stores.clock.advance(days * DAY)
        await _upkeep(other)
        for after, finished in zip(numbers, ([], ["a"], ["a", "b"], ["a", "b", "c"], []), strict=True):
            feed = await durable.catalogue.changes(after)
            missed = isinstance(feed, Changes) and not {*finished} <= {*feed.deleted}
            assert not missed, f"who was at {after} knows of {finished}, which are gone; they got {feed}"
        assert isinstance(await durable.catalogue.changes(numbers[-1]), Changes), (
            "who was there needs nothing"
        )

    await finish(durable, "late")
    await _sweep(durable, EVERYTHING)
    feed = await durable.catalogue.changes(numbers[-1])
    assert isinstance(feed, Changes), f"what goes now is told; they got {feed}"
    assert feed.deleted == ("late",), f"what goes now is told; they got {feed}"


async def upkeep_comes_to_an_end(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await _upkeep(durable)
    await finish(durable, "one")
    await durable.delete("one")
    stores.clock.advance(100 * DAY)
    await asyncio.gather(_upkeep(durable), _upkeep(other))

    await finish(durable, "two")
    assert await state(other, "two") == "completed", "and everything goes on"


async def _upkeep(durable: Durable) -> None:
    for _ in range(100):
        if not await durable.upkeep():
            return
    raise AssertionError("there is always more to be done, and nothing was: upkeep must come to an end")


async def _sweep(
    durable: Durable,
    retention: Retention,
    forgets: Forgets = KNOWS_JOB,
    *,
    limit: int = 25,
    after: Swept | None = None,
    failed: list[tuple[str, Exception]] | None = None,
) -> list[str]:
    """A whole sweep; the ids that it deleted."""
    deleted: list[str] = []
    for _ in range(100):
        swept = await durable.sweep(retention, forgets, limit=limit, after=after)
        deleted += swept.deleted
        assert failed is not None or swept.failed == (), f"no forget has failed here: {swept.failed}"
        if failed is not None:
            failed += swept.failed
        if not swept.more:
            return deleted
        after = swept
    raise AssertionError("a sweep must come to an end")


async def _ids(durable: Durable) -> list[str]:
    shown = await durable.catalogue.list(limit=1000)
    hidden = await durable.catalogue.list(Filter(removed=True), limit=1000)
    return sorted(row.id for row in [*shown, *hidden])


async def _number(durable: Durable) -> int:
    return (await durable.catalogue.changes(2**62)).at


def _rows(view: Transaction) -> list[Any]:
    return view.execute("SELECT id FROM mine ORDER BY id").fetchall()


async def _with_rows(durable: Durable, *ids: str) -> Forget:
    """Workflows each with a row of its own in a table `mine`; returns what deletes a workflow's."""

    def insert(id: str) -> Callable[[Transaction], str]:
        def effect(transaction: Transaction) -> str:
            transaction.execute("CREATE TABLE IF NOT EXISTS mine (id)")
            transaction.execute("INSERT INTO mine VALUES (?)", (id,))
            return "1"

        return effect

    for id in ids:
        claim = await claimed(durable, id)
        await durable.checkpointer.transact(claim, "step", insert(id), 0.0)
        await durable.checkpointer.release(claim)
        await durable.pause(id)

    def forget(transaction: Transaction, id: str) -> None:
        transaction.execute("DELETE FROM mine WHERE id = ?", (id,))

    return forget
