"""What goes before what in the queue: priorities that change, and places."""

from __future__ import annotations

from collections.abc import Sequence

from stepfast.errors import InvalidInput
from stepfast.interfaces import Durable
from stepfast.placing import Where
from stepfast.testing.contract.stores import Stores, begin, begun, ids, refused, start, state
from stepfast.views import Bulk, Changes, Filter


async def a_priority_can_be_changed_while_it_is_pending(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for id in ("a", "b", "c", "d"):
        await start(durable, id)
    await durable.pause("c")
    await durable.cancel("d")
    at = (await other.catalogue.changes(2**62)).at
    keys = await _keys(durable, ["c", "b", "d"])

    came = await durable.prioritise([*keys, 10**12], 7)

    assert sorted(came.done) == sorted(keys[:2]), f"of what has not finished, of all: {came}"
    assert came.left == {"cancelled": 1, "gone": 1}, f"and the others are counted: {came}"
    rows = {row.id: row.priority for row in await other.catalogue.list()}
    assert rows == {"a": 0, "b": 7, "c": 7, "d": 0}, rows
    feed = await other.catalogue.changes(at)
    assert isinstance(feed, Changes)
    assert {row.id for row in feed.rows} == {"b", "c"}, "views are told"
    assert ids(await begin(other)) == ["b", "a"], "and what is ready goes by it"


async def priorities_are_given_to_what_somebody_saw(stores: Stores) -> None:
    durable = await stores.open()
    for id in ("a", "b", "c"):
        await start(durable, id)
    at = (await durable.catalogue.changes(2**62)).at
    await durable.pause("a")
    (spared,) = await _keys(durable, ["c"])

    came = await durable.prioritise(Filter(), 3, upto=at, without=[spared])

    assert came.left == {"changed": 1}, came
    assert [row.id for row in await durable.catalogue.list() if row.priority] == ["b"]


async def what_is_put_elsewhere_runs_there(stores: Stores) -> None:
    moves: tuple[tuple[str, Where, str | None, str], ...] = (
        ("d", "first", None, "dabce"),
        ("b", "last", None, "acdeb"),
        ("e", "before", "b", "aebcd"),
        ("a", "before", "e", "bcdae"),
        ("a", "after", "c", "bcade"),
        ("d", "after", "a", "adbce"),
        ("b", "after", "e", "acdeb"),
        ("dbe", "first", None, "bdeac"),
        ("eb", "after", "c", "acbed"),
        ("ca", "before", "e", "bdace"),
        ("c", "before", "d", "abcde"),
    )
    for moved, where, other, expected in moves:
        durable, watching = await stores.open(), await stores.open()
        for id in "abcde":
            await start(durable, id)
        at = (await watching.catalogue.changes(2**62)).at

        came = await _line_up(durable, moved, where, other)

        what = f"{moved!r} {where} {other or 'all'}"
        found = (sorted(came.done), came.left)
        assert found == (sorted(await _keys(durable, moved)), {}), f"{what}: {came}"
        listed = [row.id for row in await watching.catalogue.list(order="queue")]
        assert "".join(listed) == expected, f"{what}: the queue is listed as {listed}"
        feed = await watching.catalogue.changes(at)
        assert isinstance(feed, Changes)
        assert set(moved) <= {row.id for row in feed.rows}, f"{what}: views are told, of {feed.rows}"
        begun = ids(await begin(watching))
        assert "".join(begun) == expected, f"{what}: they ran as {begun}"
        for id in "abcde":
            await durable.delete(id)


async def any_number_is_put_between_two(stores: Stores) -> None:
    durable = await stores.open()
    names = [f"job-{n:03}" for n in range(260)]
    for name in names:
        await start(durable, name)
    # Tried again together, so that no numbers are left between them.
    await durable.bulk("cancel", Filter())
    await durable.bulk("retry", Filter())

    expected = [*names]
    for n in (259, 130, 131, 5, 258, 6):
        await _line_up(durable, [names[n]], "before", expected[100])
        at = expected[100]
        expected.remove(names[n])
        expected.insert(expected.index(at), names[n])
    many = names[200:240]
    await _line_up(durable, many, "after", names[0])
    expected = [name for name in expected if name not in many]
    expected[expected.index(names[0]) + 1 : 1] = many

    found = ids(await begin(durable, 1000))
    assert found == expected, f"there is room for them all; they ran as {found}, and not as {expected}"


async def what_is_put_elsewhere_gets_the_priority_of_what_is_there(stores: Stores) -> None:
    durable = await stores.open()
    for id, priority in (("high", 5), ("a", 0), ("b", 0), ("low", -5), ("lower", -7), ("c", 0)):
        await start(durable, id, priority=priority)
    await _line_up(durable, ["low"], "before", "b")
    await _line_up(durable, ["b"], "first", None)
    await _line_up(durable, ["a"], "last", None)

    rows = await durable.catalogue.list(order="queue")

    assert [(row.id, row.priority) for row in rows] == [
        ("b", 5),
        ("high", 5),
        ("low", 0),
        ("c", 0),
        ("lower", -7),
        ("a", -7),
    ], f"it is where it was put; got {[(row.id, row.priority) for row in rows]}"


async def what_is_not_queued_is_not_put_anywhere(stores: Stores) -> None:
    durable = await stores.open()
    one = await begun(durable, "running")
    for id in ("a", "b", "paused"):
        await start(durable, id)
    await durable.pause("paused")
    before = [row.id for row in await durable.catalogue.list(order="queue")]
    a, paused = await _keys(durable, ["a", "paused"])

    came = await durable.line_up([one.claim.workflow, paused, a, 10**12], "last")
    assert ([*came.done], came.left) == ([a], {"running": 1, "paused": 1, "gone": 1}), came
    beside = await _line_up(durable, ["a"], "before", "running")
    assert beside == Bulk(left={"changed": 1}), f"beside what is not queued any more: {beside}"
    back = await _line_up(durable, ["a"], "first", None)
    assert [*back.done] == [a]
    assert [row.id for row in await durable.catalogue.list(order="queue")] == before
    assert await state(durable, "paused") == "paused"
    await refused(InvalidInput, durable.line_up([a], "before"), "before nothing")
    await refused(InvalidInput, durable.line_up([a], "before", a), "before itself")
    await refused(InvalidInput, durable.line_up([a], "last", paused), "last of all, beside another")


async def _line_up(durable: Durable, moved: Sequence[str], where: Where, other: str | None) -> Bulk:
    beside = None if other is None else (await _keys(durable, [other]))[0]
    return await durable.line_up(await _keys(durable, moved), where, beside)


async def _keys(durable: Durable, ids: Sequence[str]) -> list[int]:
    return [(await durable.catalogue.summary(id)).key for id in ids]
