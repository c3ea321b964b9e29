"""The health of a store: what is wrong with it now, and who is told when that changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from stepfast.interfaces import Durable, Signal
from stepfast.testing.contract import hearing
from stepfast.testing.contract.stores import Stores
from stepfast.views import Changes

FULL = "the disk is full; free some space"


async def a_store_is_well_at_first(stores: Stores) -> None:
    durable = await stores.open()
    assert durable.health.conditions == ()
    assert not durable.health.stops_work


async def listeners_are_told_of_conditions_that_come_and_go(stores: Stores) -> None:
    durable = await stores.open()
    ears = [_Ear(durable), _Ear(durable)]

    def report() -> None:
        durable.health.report("full", FULL, stops_work=True)

    # Whichever thread finds it out.
    await asyncio.to_thread(report)
    for ear in ears:
        await ear.hears(lambda kinds: kinds == ("full",), "a condition that came")
    durable.health.report("old-reader", "another program reads", stops_work=False)
    for ear in ears:
        await ear.hears(lambda kinds: kinds == ("full", "old-reader"), "a second condition")
    durable.health.clear("full")
    for ear in ears:
        await ear.hears(lambda kinds: kinds == ("old-reader",), "a condition that went")


async def changes_carry_the_conditions(stores: Stores) -> None:
    durable = await stores.open()
    durable.health.report("full", FULL, stops_work=True)
    feed = await durable.catalogue.changes(0)
    assert isinstance(feed, Changes)
    assert [(each.kind, each.message) for each in feed.conditions] == [("full", FULL)], (
        f"the disk is full, and `changes` says {feed.conditions}"
    )
    durable.health.clear("full")
    feed = await durable.catalogue.changes(feed.at)
    assert isinstance(feed, Changes)
    assert feed.conditions == (), "it is over, and `changes` still says so"


class _Ear:
    """What was wrong each time that a listener was told so."""

    def __init__(self, durable: Durable) -> None:
        self._durable = durable
        self._heard: list[tuple[str, ...]] = []
        self._called = asyncio.Event()
        durable.listen(self._hear)

    def _hear(self, signal: Signal) -> None:
        if signal.condition:
            self._heard.append(tuple(each.kind for each in self._durable.health.conditions))
            self._called.set()

    async def hears(self, fits: Callable[[tuple[str, ...]], bool], what: str) -> None:
        try:
            async with asyncio.timeout(hearing.PATIENCE):
                while not any(map(fits, self._heard)):
                    self._called.clear()
                    await self._called.wait()
        except TimeoutError:
            raise AssertionError(f"no listener was told of {what}; they heard {self._heard}") from None
