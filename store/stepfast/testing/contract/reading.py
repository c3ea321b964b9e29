"""What views read: counts, one workflow whole, and the feed of what changed."""

from __future__ import annotations

import asyncio

from stepfast.errors import UnknownWorkflow
from stepfast.interfaces import Durable, Kind, Notes, Settlement
from stepfast.passes.outcome import Failure
from stepfast.state import STATES
from stepfast.testing.contract.stores import WAIT, Stores, begun, claimed, finish, new, refused, start
from stepfast.views import Changes, Filter, Progress, Summary


async def counts_equal_the_lists(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await finish(durable, "completed")
    await finish(durable, "failed", Settlement("failed", failure=Failure("E", "m")))
    await finish(durable, "retried", Settlement("failed", failure=Failure("E", "m")))
    await finish(durable, "sleeping", Settlement("sleeping", due=stores.clock.time() + 60))
    await finish(durable, "waiting", WAIT)
    await _check_counts(other)
    await begun(durable, "running")
    await start(durable, "later", at=stores.clock.time() + 60)
    await start(durable, "cancelled")
    await durable.cancel("cancelled")
    await start(durable, "paused")
    await durable.pause("paused")
    await start(durable, "deleted")
    await _check_counts(other)
    await durable.delete("deleted")
    await durable.delete("completed")
    await durable.retry("retried")
    await _check_counts(other)
    await stores.kill(durable)
    await other.takeover()
    await _check_counts(other)
    counts = await other.catalogue.counts()
    assert {state: n for state, n in counts.items() if n} == {
        "queued": 2,
        "sleeping": 2,
        "waiting": 1,
        "paused": 1,
        "failed": 1,
        "cancelled": 1,
    }, f"the counts are {counts}"


async def get_has_input_and_result_as_values(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "one", '{"folder":"/a","depth":[1,2]}')

    running = await durable.catalogue.get("one")
    await durable.settle(one.claim, one.receipt, Settlement("completed", result='{"files":3}'))
    completed = await durable.catalogue.get("one")

    assert running.input == {"folder": "/a", "depth": [1, 2]}, f"the input is {running.input}"
    assert (running.result, running.failure, running.problems) == (None, None, ()), "it came to nothing yet"
    assert completed.result == {"files": 3}, f"the result is {completed.result}"
    assert completed.summary == await durable.catalogue.summary("one"), "its row is that of the lists"
    assert [completed.summary] == await durable.catalogue.list(), "its row is that of the lists"


async def history_has_every_record(stores: Stores) -> None:
    durable = await stores.open()
    claim = await claimed(durable, "one")
    await durable.checkpointer.record(claim, new("z"))
    await durable.arrive("one", "a", "1")
    await durable.checkpointer.record(claim, new("m", kind=Kind.SLEEP))

    history = await durable.catalogue.history("one")

    assert tuple(history) == (await durable.checkpointer.load(claim.workflow)).records, (
        f"the history is the checkpoint's records, in their order; got {history}"
    )


async def an_unknown_id_is_said_to_be(stores: Stores) -> None:
    durable = await stores.open()
    await start(durable, "one")
    catalogue = durable.catalogue

    for what, read in (
        ("get", catalogue.get("On")),
        ("summary", catalogue.summary("on%")),
        ("history", catalogue.history("")),
        ("log", catalogue.log("ONE")),
    ):
        await refused(UnknownWorkflow, read, f"{what} of an unknown id")


async def changes_brings_each_changed_row_once(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for id in ("a", "b", "c"):
        await start(durable, id)
    everything = await _changes(other, 0)
    nothing = await _changes(other, everything.at)
    await durable.pause("b")
    await durable.resume("b")
    await durable.pause("b")
    await durable.cancel("a")
    later = await _changes(other, everything.at)

    assert [row.id for row in everything.rows] == ["a", "b", "c"], f"from 0, all is new; got {everything}"
    assert (nothing.rows, nothing.deleted, nothing.at) == ((), (), everything.at), (
        f"nothing changed: {nothing}"
    )
    assert [row.id for row in later.rows] == ["b", "a"], (
        f"each is there once, in the order of change: {later}"
    )
    assert [row.state.name for row in later.rows] == ["paused", "cancelled"], "each is there as it stands"
    assert later.rows == (await other.catalogue.summary("b"), await other.catalogue.summary("a")), (
        "rows are those of the lists"
    )
    for row in later.rows:
        assert everything.at < row.change <= later.at, f"a row's change lies in what was asked for: {row}"


async def every_transition_shows_in_changes(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await start(durable, "one")
    at = (await _changes(other, 0)).at
    seen: list[Summary] = []
    one = await begun(durable, "one")
    for move in (
        lambda: durable.checkpointer.note(one.claim, Notes(progress=Progress(1, 2, ""))),
        lambda: durable.pause("one"),
        lambda: durable.resume("one"),
        lambda: durable.settle(one.claim, one.receipt, WAIT),
        lambda: durable.scheduler.wake("one"),
        lambda: durable.pause("one"),
        lambda: durable.resume("one"),
        lambda: durable.cancel("one"),
        lambda: durable.retry("one"),
    ):
        before = (await other.catalogue.summary("one")).change
        await move()
        feed = await _changes(other, at)
        found = [(row.id, row.change > before) for row in feed.rows]
        assert found == [("one", True)], (
            f"after {len(seen)} moves, the next did not show; changes gave {feed}"
        )
        at = feed.at
        seen.append(feed.rows[0])
    states = [row.state.name for row in seen]
    assert states == [
        *("running", "running", "running", "waiting", "queued", "paused", "queued", "cancelled", "queued")
    ], f"the feed went through {states}"
    assert [row.intent for row in seen[:3]] == [None, "pause", None], "what is asked shows as well"
    assert seen[0].progress == Progress(1, 2, ""), "and how far it has come"


async def what_is_deleted_leaves_a_trace(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for id in ("a", "b", "c"):
        await start(durable, id)
    at = (await _changes(other, 0)).at
    await durable.delete("b")
    await start(durable, "brief")
    await durable.delete("brief")
    await durable.cancel("a")

    feed = await _changes(other, at)

    assert "b" in feed.deleted, f"who saw `b` must learn that it is gone; got {feed.deleted}"
    assert set(feed.deleted) <= {"b", "brief"}, f"nothing else is gone; got {feed.deleted}"
    assert [row.id for row in feed.rows] == ["a"], f"what is gone is no row; got {feed.rows}"
    again = await _changes(other, feed.at)
    assert (again.rows, again.deleted) == ((), ()), "and is told once"


async def pages_of_changes_miss_nothing(stores: Stores) -> None:
    durable = await stores.open()
    for n in range(12):
        await start(durable, f"job-{n}")
        if n % 3 == 2:
            await durable.delete(f"job-{n - 1}")
        if n % 4 == 3:
            await durable.pause(f"job-{n - 3}") if n != 7 else None
    rows: dict[str, Summary] = {}
    gone: set[str] = set()

    at, turns = 0, 0
    while True:
        feed = await _changes(durable, at, limit=2)
        assert len(feed.rows) + len(feed.deleted) <= 6, f"a page of 2 is much longer than that: {feed}"
        if not feed.rows and not feed.deleted:
            break
        assert feed.at > at, "each page goes further, or a reader never comes to the end"
        rows.update((row.id, row) for row in feed.rows)
        gone.update(feed.deleted)
        at, turns = feed.at, turns + 1
        assert turns < 50, "the feed of 12 workflows has no end"

    left = {row.id: row for row in await durable.catalogue.list() if row.id not in gone}
    assert {id: row for id, row in rows.items() if id not in gone} == left, (
        "every row was on one of the pages"
    )
    assert gone == {f"job-{n - 1}" for n in range(12) if n % 3 == 2}, f"and every deleted id; got {gone}"


async def a_view_that_follows_changes_has_the_list(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    view: dict[str, Summary] = {}
    at = 0
    writing = True

    async def write(name: str) -> None:
        for n in range(8):
            id = f"{name}-{n}"
            await start(durable, id)
            await durable.pause(id)
            if n % 3 == 0:
                await durable.delete(id)
            elif n % 3 == 1:
                await durable.resume(id)

    async def follow() -> None:
        nonlocal at
        while True:
            last = not writing
            feed = await _changes(other, at, limit=5)
            for id in feed.deleted:
                view.pop(id, None)
            view.update((row.id, row) for row in feed.rows)
            at = feed.at
            if last and not feed.rows and not feed.deleted:
                return
            await asyncio.sleep(0)

    following = asyncio.ensure_future(follow())
    await asyncio.gather(*(write(name) for name in "abc"))
    writing = False
    async with asyncio.timeout(60):
        await following

    assert view == {row.id: row for row in await durable.catalogue.list()}, (
        "a view that applies the feed is right"
    )


async def everything_is_there_when_opened_again(stores: Stores) -> None:
    durable = await stores.open()
    await finish(durable, "completed")
    claim = await claimed(durable, "one")
    await durable.checkpointer.record(
        claim,
        new("step"),
        Notes(step="step", log=((1.0, "info", "step", "line"),), progress=Progress(1, 2, "x")),
    )
    await durable.checkpointer.release(claim)
    catalogue = durable.catalogue
    before = (
        await catalogue.list(),
        await catalogue.get("completed"),
        await catalogue.history("one"),
        await catalogue.log("one"),
        await _changes(durable, 0),
    )
    await durable.close()

    catalogue = (again := await stores.open()).catalogue
    after = (
        await catalogue.list(),
        await catalogue.get("completed"),
        await catalogue.history("one"),
        await catalogue.log("one"),
    )
    assert after == before[:-1], "what was written is read by the next engine as it was by this one"
    assert (await _changes(again, 0)).rows == before[-1].rows, "and the feed goes on"


async def a_row_shows_the_step_it_is_at_or_failed_at(stores: Stores) -> None:
    durable = await stores.open()
    failure = Failure("ValueError", "no", step="third")
    for id, settlement, expected in (
        ("running", None, "second"),
        ("completed", Settlement("completed", result="1"), None),
        ("failed", Settlement("failed", failure=failure), "third"),
        ("failed outside of steps", Settlement("failed", failure=Failure("ValueError", "no")), None),
    ):
        one = await begun(durable, id)
        await durable.checkpointer.note(one.claim, Notes(step="second"))
        if settlement is not None:
            await durable.settle(one.claim, one.receipt, settlement)

        found = (await durable.catalogue.summary(id)).step

        assert found == expected, f"{id}: the row shows {found!r}, not {expected!r}"


async def _changes(durable: Durable, after: int, limit: int = 1000) -> Changes:
    feed = await durable.catalogue.changes(after, limit=limit)
    assert isinstance(feed, Changes), f"nothing was swept, so {after} lies before no horizon; got {feed}"
    return feed


async def _check_counts(durable: Durable) -> None:
    counts = await durable.catalogue.counts()
    for state in STATES:
        listed = await durable.catalogue.list(Filter([state]))
        assert all(row.state.name == state for row in listed), f"the list of the {state} has others: {listed}"
        assert counts.get(state, 0) == len(listed), (
            f"{counts.get(state, 0)} are counted as {state}, and the list has {len(listed)}"
        )
    assert set(counts) <= set(STATES), f"there are counts of what is no state: {counts}"
