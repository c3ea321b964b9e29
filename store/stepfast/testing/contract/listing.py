"""What lists have: what matches a filter, in an order, page by page or as keys."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from stepfast.errors import InvalidInput
from stepfast.interfaces import Begun, Durable, Kind, NewRecord, Notes, Offered, Settlement
from stepfast.passes.outcome import Failure, Problem
from stepfast.state import (
    FINISHED,
    AnswerWait,
    ChildWait,
    InterruptWait,
    MessageWait,
    SleepWait,
    Wait,
    needs_answer,
)
from stepfast.testing.contract.stores import Stores, refused, start
from stepfast.views import ORDERS, Filter, Progress, Reset, Summary

PLACES: dict[str, Callable[[Summary], tuple[Any, ...]]] = {
    "newest": lambda row: (-row.key,),
    "created": lambda row: (row.key,),
    "pending": lambda row: (row.state.name in FINISHED, -row.key),
    "queue": lambda row: (
        (0, -row.priority, row.place)
        if row.state.name == "queued"
        else (1 + (row.state.name in FINISHED), -row.key)
    ),
    "id": lambda row: (row.id,),
    "name": lambda row: (row.name, row.key),
    "state": lambda row: (row.state.name, row.key),
    "started": lambda row: (_moment(row.started_at), row.key),
    "finished": lambda row: (_moment(row.finished_at), row.key),
    "version": lambda row: (row.version, row.key),
    "priority": lambda row: (row.priority, row.key),
    "problems": lambda row: (row.problems, row.key),
    "attempts": lambda row: (row.attempts, row.key),
    "step": lambda row: _of_pending(row, row.step or ""),
    "progress": lambda row: _of_pending(row, -1.0 if row.progress is None else row.progress.share or -1.0),
}


async def lists_have_the_newest_first(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for id in ("b", "c", "a"):
        await start(durable, id)
    await durable.cancel("c")

    found = [row.id for row in await other.catalogue.list()]

    assert found == ["a", "c", "b"], f"a list has every workflow, the newest first; got {found}"


async def pages_follow_each_other_without_gaps(stores: Stores) -> None:
    durable = await stores.open()
    for n in range(10):
        await start(durable, f"job-{n}")
    whole = await durable.catalogue.list()

    assert await _paged(durable, Filter(), 3) == whole, "pages of a list are the list"
    keys = [row.key for row in whole]
    assert keys == sorted(keys, reverse=True), f"keys order rows by when they were started; got {keys}"
    assert await durable.catalogue.list(limit=0) == [], "and a page of none has none"


async def every_order_is_kept_by_keys_and_by_pages(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await _motley(durable, stores)
    rows = await other.catalogue.list(limit=1000)
    assert set(PLACES) == set(ORDERS), "there is an order that this promise does not know"

    for order, place in PLACES.items():
        expected = [row.id for row in sorted(rows, key=place)]
        for descending in (False, True):
            options: dict[str, Any] = {"order": order, "descending": descending}
            keys = (await other.catalogue.listing(**options)).keys
            ids = [row.id for row in await other.catalogue.rows(keys)]
            assert ids == expected, f"by {options}: keys give {ids}, not {expected}"
            for limit in (1, 4):
                paged = [row.id for row in await _paged(other, Filter(), limit, **options)]
                assert paged == expected, f"by {options}: pages of {limit} give {paged}, not {expected}"
            expected = expected[::-1]


async def lists_can_be_narrowed(stores: Stores) -> None:
    durable = await stores.open()
    await durable.start("release-41", "publish", 1, "null")
    await durable.start("release-42", "publish", 1, "null")
    await durable.start("other_100%", "copy", 1, "null")
    await durable.cancel("release-41")
    await durable.pause("other_100%")

    for filter, expected in (
        (Filter(["queued"]), ["release-42"]),
        (Filter(states=("paused", "cancelled")), ["other_100%", "release-41"]),
        (Filter(state for state in ("completed",)), []),
        (Filter(names=["copy"]), ["other_100%"]),
        (Filter(names=["copy", "publish"]), ["other_100%", "release-42", "release-41"]),
        (Filter(["queued", "paused"], ["publish"]), ["release-42"]),
        (Filter(names=["Publish"]), []),
        (Filter(text="release"), ["release-42", "release-41"]),
        (Filter(text="release", states=["queued"]), ["release-42"]),
        (Filter(text="publi", names=["copy"]), []),
        (Filter(removed=True), []),
    ):
        found = [row.id for row in await durable.catalogue.list(filter)]
        assert found == expected, f"of {filter}, the list has {found}"
    page = await durable.catalogue.list(Filter(text="release"), limit=1)
    assert [row.id for row in page] == ["release-42"], "a narrowed page"


async def a_narrowed_list_has_what_matches_in_every_order(stores: Stores) -> None:
    durable = await stores.open()
    await _motley(durable, stores)
    every = await durable.catalogue.list(limit=1000)
    await durable.remove([row.id for row in every if row.key % 3 == 0])
    every = await durable.catalogue.list(limit=1000)
    hidden = await durable.catalogue.list(Filter(removed=True), limit=1000)
    assert hidden
    assert not {row.id for row in every} & {row.id for row in hidden}, "a row is in one of the two"

    for filter in (
        Filter(["completed"]),
        Filter(["queued", "failed"]),
        Filter(["waiting", "sleeping", "cancelled", "completed"]),
        Filter(names=["copy"]),
        Filter(["queued", "completed"], ["copy", "job", "nothing"]),
        Filter(names=[*"abcdefghijklmnopqrstuvwxyz", "job"]),
        Filter(text="job"),
        Filter(text="1"),
        Filter(["failed"], text="py"),
        Filter(removed=True),
        Filter(["failed"], ["job"], removed=True),
        Filter(text="copy", removed=True),
        Filter(problems=True),
        Filter(["completed"], problems=True),
        Filter(["failed"], ["copy", "job"], problems=True),
        Filter(["queued", "waiting"], problems=True),
        Filter(text="job", problems=True),
        Filter(problems=True, removed=True),
    ):
        matching = [row for row in (hidden if filter.removed else every) if _matches(row, filter)]
        for order, place in PLACES.items():
            expected = [row.key for row in sorted(matching, key=place)]
            keys = (await durable.catalogue.listing(filter, order=order)).keys
            assert keys == array("q", expected), f"{filter} by {order}: {[*keys]}, not {expected}"
            back = (await durable.catalogue.listing(filter, order=order, descending=True)).keys
            assert [*back] == expected[::-1], f"{filter} by {order}, descending: {[*back]}"
            paged = [row.key for row in await _paged(durable, filter, 2, order=order)]
            assert paged == expected, f"{filter} by {order}, in pages: {paged}, not {expected}"


async def what_needs_an_answer_is_listed_by_itself(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    until = datetime.fromtimestamp(stores.clock.time() + 1000, UTC)
    disguised = ChildWait('["answer","a name"],["answer",')
    expected = set()
    kinds: list[tuple[str, list[Wait], bool]] = [
        ("waiting", [AnswerWait("colour")], True),
        ("waiting", [MessageWait("more"), AnswerWait("colour", '{"type":"string"}')], True),
        ("waiting", [SleepWait("a while", until), AnswerWait("]")], True),
        ("waiting", [MessageWait("answer")], False),
        ("waiting", [ChildWait("answer")], False),
        ("waiting", [disguised], False),
        ("sleeping", [SleepWait("answer", until)], False),
        ("blocked", [InterruptWait("pay")], True),
        ("paused", [], False),
        ("completed", [], False),
    ]
    for n, (state, waits, needs) in enumerate(kinds):
        name = "copy" if n % 3 else "job"
        await durable.start(f"no-{n}", name, 1, "null")
        (one,) = await durable.begin([Offered(name, 1)], 1)
        due = stores.clock.time() + 1000 if state == "sleeping" else None
        result = "1" if state == "completed" else None
        await durable.settle(one.claim, one.receipt, Settlement(state, due, tuple(waits), result))
        if needs:
            expected.add(f"no-{n}")
    every = {row.id: row for row in await other.catalogue.list(limit=1000)}
    told = {id for id, row in every.items() if needs_answer(row.state)}
    assert told == expected, f"the states of {sorted(told)} say that they need an answer, not of {expected}"

    for filter, some in (
        (Filter(needs_answer=True), expected),
        (Filter(needs_answer=True, names=["job"]), {id for id in expected if every[id].name == "job"}),
        (Filter(needs_answer=True, names=["job", "copy", *"abcdefghijklmnopqrstuvwxyz"]), expected),
        (Filter(needs_answer=True, text="no-1"), {"no-1"}),
        (Filter(needs_answer=True, text="no"), expected),
        (Filter(["blocked"], needs_answer=True), {"no-7"}),
        (Filter(["waiting", "sleeping"], needs_answer=True), expected - {"no-7"}),
        (Filter(["completed"], needs_answer=True), set()),
        (Filter(needs_answer=True, removed=True), set()),
    ):
        for order, place in PLACES.items():
            wanted = [each.key for each in sorted((every[id] for id in some), key=place)]
            keys = (await other.catalogue.listing(filter, order=order)).keys
            assert [*keys] == wanted, f"{filter} by {order}: {[*keys]}, not {wanted}"
            paged = [row.key for row in await _paged(other, filter, 2, order=order)]
            assert paged == wanted, f"{filter} by {order}, in pages: {paged}, not {wanted}"
    await durable.arrive("no-0", "colour", '"red"')
    left = {row.id for row in await other.catalogue.list(Filter(needs_answer=True))}
    assert left == expected - {"no-0"}, f"what was answered needs no answer, and the list has {left}"


async def a_page_begins_where_the_last_row_lay(stores: Stores) -> None:
    durable = await stores.open()
    await _motley(durable, stores)
    for order in ORDERS:
        for descending in (False, True):
            options: dict[str, Any] = {"order": order, "descending": descending}
            before = await durable.catalogue.list(limit=1000, **options)
            middle = len(before) // 2
            last = before[middle]
            expected = [row.id for row in before[middle + 1 :]]
            match last.state.name:
                case "queued" | "sleeping" | "waiting":
                    await durable.cancel(last.id)  # it moves, in some orders
                case "running":
                    pass
                case _:
                    await durable.delete(last.id)

            found = [row.id for row in await durable.catalogue.list(limit=1000, after=last, **options)]

            found = [id for id in found if id != last.id]
            assert found == expected, f"by {options}, behind {last.id}: {found}, not {expected}"


async def what_is_no_order_and_no_state_is_said_to_be(stores: Stores) -> None:
    durable = await stores.open()
    await start(durable, "one")
    catalogue = durable.catalogue
    await refused(InvalidInput, catalogue.listing(order="size"), "keys in an order that there is not")
    await refused(InvalidInput, catalogue.list(order="key; DROP"), "a list in an order that there is not")
    for options in ({"states": ["ready"]}, {"states": "queued"}, {"names": "job"}):
        try:
            Filter(**options)
        except InvalidInput:
            continue
        raise AssertionError(f"{options} must be refused")


async def what_is_there_is_not_among_the_removed(stores: Stores) -> None:
    durable = await stores.open()
    await start(durable, "one")
    await start(durable, "deleted")
    await durable.delete("deleted")

    removed = await durable.catalogue.list(Filter(removed=True))
    assert removed == [], f"nothing was removed, and the list of the removed has {removed}"
    kept = [row for row in await durable.catalogue.list() if row.removed_at is not None]
    assert kept == [], "no list has what was removed unless it was asked for"


async def rows_come_by_key_in_the_order_asked_for(stores: Stores) -> None:
    durable = await stores.open()
    for id in ("a", "b", "c"):
        await start(durable, id)
    a, b, c = (await durable.catalogue.listing(order="created")).keys
    await durable.delete("b")

    found = [row.id for row in await durable.catalogue.rows([c, b, a, 10**12, c])]

    assert found == ["c", "a", "c"], f"in the order asked for, without what is gone; got {found}"


async def children_can_be_left_out_or_listed_by_their_parents(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await _families(durable)
    every = {row.id: row for row in await other.catalogue.list(limit=1000)}
    said = {id: (row.parent, row.parent_id) for id, row in every.items()}
    a, b, below = (every[id].key for id in ("a", "b", "b/1"))
    assert said == {
        "alone": (None, None),
        "a": (None, None),
        "a/1": (a, "a"),
        "a/2": (a, "a"),
        "b": (None, None),
        "b/1": (b, "b"),
        "b/2": (b, "b"),
        "b/1/x": (below, "b/1"),
    }, f"a row says whose child it is; got {said}"
    counted = await other.catalogue.families([row.key for row in every.values()])
    assert counted == {
        a: {"queued": 2},
        b: {"running": 1, "failed": 1},
        below: {"queued": 1},
    }, f"families are counted by state; got {counted}"
    assert await other.catalogue.families([every["alone"].key, 10**12]) == {}

    for filter, expected in (
        (Filter(top=True), {"alone", "a", "b"}),
        (Filter(["running"], top=True), {"alone", "a", "b"}),
        (Filter(text="1", top=True), set()),
        (Filter(text="l", top=True), {"alone"}),
        (Filter(names=["child"], top=True), set()),
        (Filter(top=True, parents=[a]), {"alone", "a", "b", "a/1", "a/2"}),
        (Filter(["queued", "failed"], top=True, parents=[a, below]), {"a/1", "a/2", "b/1/x"}),
        (Filter(text="1", top=True, parents=[below, b]), {"b/1", "b/1/x"}),
        (Filter(parents=[a]), {"a/1", "a/2"}),
        (Filter(parents=[b]), {"b/1", "b/2"}),
        (Filter(parents=[a, below, 10**12]), {"a/1", "a/2", "b/1/x"}),
        (Filter(["failed"], parents=[a, b]), {"b/2"}),
        (Filter(text="x", parents=[a, below]), {"b/1/x"}),
        (Filter(names=["job"], parents=[a, b]), set()),
        (Filter(removed=True, parents=[b]), set()),
    ):
        wanted = [row for row in every.values() if row.id in expected]
        for order, place in PLACES.items():
            keys = [row.key for row in sorted(wanted, key=place)]
            for descending in (False, True):
                options: dict[str, Any] = {"order": order, "descending": descending}
                got = [*(await other.catalogue.listing(filter, **options)).keys]
                assert got == keys, f"{filter} by {options}: {got}, not {keys}"
                paged = [row.key for row in await _paged(other, filter, 1, **options)]
                assert paged == keys, f"{filter} by {options}, in pages: {paged}, not {keys}"
                keys = keys[::-1]


async def children_go_from_the_lists_with_their_parent_and_come_back(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    held = await _families(durable)
    failed = Settlement("failed", failure=Failure("E", "m"))
    for id in ("b/1", "b"):
        await durable.settle(held[id].claim, held[id].receipt, failed)
    before = (await other.catalogue.changes(2**62)).at

    assert await durable.remove(["b"]) == ["b"], "who asks is told of what he asked for"

    hidden = {row.id for row in await other.catalogue.list(Filter(removed=True))}
    assert hidden == {"b", "b/1", "b/2"}, f"the children that have finished go with it; gone are {hidden}"
    feed = await other.catalogue.changes(before)
    assert not isinstance(feed, Reset)
    told = {row.id for row in feed.rows if row.removed_at is not None}
    assert told == hidden, f"views are told of each; they were told of {told}"
    below = await other.catalogue.families([row.key for row in feed.rows if row.id == "b"])
    assert below == {}, f"families are of what is on the lists; got {below}"
    await durable.cancel("b/1/x")
    (key,) = (row.key for row in feed.rows if row.id == "b")
    assert [*(await durable.bulk("restore", [key])).done] == [key]
    hidden = {row.id for row in await other.catalogue.list(Filter(removed=True))}
    assert hidden == set(), f"and they come back with it; gone are {hidden}"

    # What is pending stays in sight, and what has lost its parent stands by itself.
    await durable.remove(["b/1"])
    await durable.retry("b/1/x")
    top = {row.id for row in await other.catalogue.list(Filter(top=True))}
    assert top == {"alone", "a", "b", "b/1/x"}, f"what is pending must be seen; on top are {top}"
    await durable.delete("b")
    await durable.restore(["b/1"])
    rows = {row.id: row for row in await other.catalogue.list(Filter(top=True))}
    assert rows.keys() == {"alone", "a", "b/1", "b/2", "b/1/x"}, f"on top are {[*rows]}"
    assert (rows["b/1"].parent, rows["b/1"].parent_id) == (key, None), "its parent's key is what is left"


async def what_goes_on_is_on_top_once_its_parent_has_finished(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    held = await _families(durable)

    async def top(**options: Any) -> list[str]:
        filter = Filter(top=True)
        rows = await other.catalogue.rows((await other.catalogue.listing(filter, **options)).keys)
        keys = [row.key for row in rows]
        assert [row.key for row in await _paged(other, filter, 1, **options)] == keys
        return [row.id for row in rows]

    assert await top(order="id") == ["a", "alone", "b"]
    failed = Settlement("failed", failure=Failure("E", "m"))
    await durable.settle(held["b"].claim, held["b"].receipt, failed)
    got = await top(order="id")
    assert got == ["a", "alone", "b", "b/1"], f"what goes on must be seen, what has finished not; got {got}"
    got = await top(order="pending")
    assert got == ["b/1", "a", "alone", "b"], f"it stands among what is pending; got {got}"
    (b,) = (row.key for row in await other.catalogue.list(Filter(["failed"], top=True)))
    assert [row.id for row in await other.catalogue.list(Filter(parents=[b]))] == ["b/2", "b/1"]

    await durable.settle(held["b/1"].claim, held["b/1"].receipt, failed)
    got = await top(order="id")
    assert got == ["a", "alone", "b", "b/1/x"], f"once it has ended, it stands below; got {got}"


async def _families(durable: Durable) -> dict[str, Begun]:
    """Three that run, two of them with children, of which one has a child itself; what runs, by id."""
    for id in ("alone", "a", "b"):
        await durable.start(id, "job", 1, "null")
    held = {one.claim.id: one for one in await durable.begin([Offered("job", 1)], 9)}
    child = durable.checkpointer.child
    for parent, name, definition in (
        ("a", "1", "later"),
        ("a", "2", "later"),
        ("b", "1", "child"),
        ("b", "2", "child"),
    ):
        await child(held[parent].claim, name, f"{parent}/{name}", definition, 1, "null")
    held |= {one.claim.id: one for one in await durable.begin([Offered("child", 1)], 9)}
    await child(held["b/1"].claim, "x", "b/1/x", "later", 1, "null")
    failed = Settlement("failed", failure=Failure("E", "m"))
    await durable.settle(held["b/2"].claim, held["b/2"].receipt, failed)
    return held


async def _motley(durable: Durable, stores: Stores) -> None:
    """Twenty workflows that differ in all that lists are ordered by, and are often equal in it."""
    offered = [Offered(name, version) for name in ("copy", "job", "Zip") for version in (1, 2)]
    failure = Failure("E", "m", step="third")
    problems = (Problem("a", "b"),)
    for n, (name, version, priority, ending) in enumerate(
        [
            ("job", 1, 0, Settlement("completed", result="1")),
            ("copy", 2, 5, Settlement("completed", result="1", problems=problems)),
            ("copy", 1, 0, Settlement("failed", failure=failure)),
            ("job", 1, -1, Settlement("failed", failure=failure, problems=problems * 2)),
            ("Zip", 1, 0, Settlement("waiting")),
            ("job", 2, 0, Settlement("sleeping", due=stores.clock.time() + 1000)),
            ("copy", 1, 7, None),
            ("job", 1, 0, None),
            ("copy", 1, 0, Settlement("completed", result="1")),
            ("Zip", 2, 0, Settlement("failed", failure=failure)),
        ]
    ):
        id = f"{name.lower()}-{n * 7 % 10}"
        await durable.start(id, name, version, "null", priority=priority)
        (one,) = await durable.begin(offered, 1)
        progress = Progress(n % 4, 4 if n % 3 else None, "") if n % 2 else None
        await durable.checkpointer.note(one.claim, Notes(step=f"s{n % 3}", progress=progress))
        for attempt in range(n % 3):
            new = NewRecord(Kind.ATTEMPT, f"{attempt}:s", "{}", 1.0)
            await durable.checkpointer.record(one.claim, new)
        if n % 2:
            stores.clock.advance(0.25)  # else they begin and finish at the same moment
        if ending is not None:
            await durable.settle(one.claim, one.receipt, ending)
    for n in range(10):
        id = f"later-{(n * 3) % 10}"
        await durable.start(id, "job" if n % 2 else "copy", 1, "null")
        if n % 4 == 0:
            await durable.cancel(id)
        elif n % 4 == 1:
            await durable.pause(id)


async def _paged(durable: Durable, filter: Filter, limit: int, **options: Any) -> list[Summary]:
    """The whole of a list, page by page."""
    rows: list[Summary] = []
    while page := await durable.catalogue.list(
        filter, limit=limit, after=rows[-1] if rows else None, **options
    ):
        assert len(page) <= limit, f"a page of {limit} has {len(page)} rows"
        rows += page
        assert len(rows) < 1000, f"the pages of {filter} by {options} have no end"
    return rows


def _matches(row: Summary, filter: Filter) -> bool:
    return (
        (not filter.states or row.state.name in filter.states)
        and (not filter.names or row.name in filter.names)
        and (filter.text in row.id or filter.text in row.name)
        and (not filter.problems or row.problems > 0)
    )


def _moment(at: datetime | None) -> float:
    return 0.0 if at is None else at.timestamp()


def _of_pending(row: Summary, value: str | float) -> tuple[Any, ...]:
    return (True, -row.key) if row.state.name in FINISHED else (False, value, row.key)
