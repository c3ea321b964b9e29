"""What a table that scrolls reads: the keys of all that match, rows by key, and removing as a mark."""

from __future__ import annotations

from typing import Any

from stepfast.errors import InvalidInput
from stepfast.interfaces import Durable
from stepfast.testing.contract.stores import Stores, finish, refused, start
from stepfast.views import Changes


async def keys_have_all_that_match_in_the_order_asked_for(stores: Stores) -> None:
    durable = await stores.open()
    await finish(durable, "d")
    for id in ("b", "c", "a"):
        await start(durable, id)
    await durable.cancel("c")
    catalogue = durable.catalogue
    key = {row.id: row.key for row in await catalogue.list()}

    async def keys(**asked: Any) -> list[str]:
        names = {number: id for id, number in key.items()}
        return [names[each] for each in await catalogue.keys(**asked)]

    assert await keys() == ["a", "b", "c", "d"], "pending above finished, each with the newest first"
    assert await keys(order="id") == ["a", "b", "c", "d"]
    assert await keys(order="created", descending=True) == ["a", "c", "b", "d"]
    assert await keys(states=["cancelled"], order="name") == ["c"]
    assert await keys(text="no such") == []
    await refused(InvalidInput, catalogue.keys(order="size"), "an order that there is not")


async def rows_come_by_key_in_the_order_asked_for(stores: Stores) -> None:
    durable = await stores.open()
    for id in ("a", "b", "c"):
        await start(durable, id)
    a, b, c = (row.key for row in reversed(await durable.catalogue.list()))
    await durable.delete("b")

    found = [row.id for row in await durable.catalogue.rows([c, b, a, 10**12])]

    assert found == ["c", "a"], f"in the order asked for, without what is gone; got {found}"


async def removing_is_a_mark_that_can_be_taken_back(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await finish(durable, "done")
    await start(durable, "pending")
    before = (await _changes(durable, 0)).at

    assert await durable.remove(["done", "pending", "unknown"]) == ["done"], "only what has finished"

    assert [row.id for row in await other.catalogue.list()] == ["pending"], "a list hides it"
    asked = [row.id for row in await other.catalogue.list(removed=True)]
    assert asked == ["done"], "but where it is asked for"
    assert len(await other.catalogue.keys()) == 1, "keys hide it"
    assert (await other.catalogue.counts()).get("completed", 0) == 0, "it is not counted"
    assert [row.id for row in (await _changes(other, before)).rows] == ["done"], "views are told"
    assert (await other.catalogue.summary("done")).removed_at is not None, "it is still there"
    assert await durable.remove(["done"]) == [], "once is enough"

    assert await other.restore(["done", "pending"]) == ["done"]
    assert [row.id for row in await durable.catalogue.list()] == ["pending", "done"], "it is back"
    assert (await durable.catalogue.counts()).get("completed", 0) == 1


async def _changes(durable: Durable, after: int) -> Changes:
    feed = await durable.catalogue.changes(after)
    assert isinstance(feed, Changes), f"nothing was swept, so {after} lies before no horizon; got {feed}"
    return feed
