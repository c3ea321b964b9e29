"""The promises about limits notice a store that breaks them, as `test_contract_can_fail.py` has it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from breaking import PROMISES, Breaking, Broken, Stores

from stepfast.interfaces import Begun, Claim, Offered, Settlement
from stepfast.memory import Memory, MemoryDurable
from stepfast.memory.rows import Row

BREAKING = Breaking()
noticed_by = BREAKING.noticed_by


@noticed_by(
    "no_more_of_a_definition_run_than_its_limit",
    "no_more_of_a_queue_run_than_its_limit",
    "a_limit_is_one_for_all_versions",
    "two_engines_at_once_keep_one_limit",
)
class KnowsNoLimit(Memory):
    def ready_within(self, offered: Sequence[Offered], limit: int) -> list[Row]:
        return self.ready(offered, limit)


@noticed_by("what_is_held_back_keeps_nobody_else_back")
class HoldsAllBack(Memory):
    def ready_within(self, offered: Sequence[Offered], limit: int) -> list[Row]:
        ready = self.ready(offered, limit)
        return [row for row in super().ready_within(offered, limit) if row in ready]


@noticed_by("what_was_held_back_keeps_its_place")
class LosesPlaces(Memory):
    def ready_within(self, offered: Sequence[Offered], limit: int) -> list[Row]:
        room = super().ready_within(offered, limit)
        return self.ready(offered, len(self.rows))[::-1][: len(room)]


@noticed_by("a_queue_without_a_limit_has_none")
class ForgetsQueues(MemoryDurable):
    async def begin(self, offered: Sequence[Offered], limit: int) -> list[Begun]:
        begun = await super().begin(offered, limit)
        for each in begun:
            self.memory.rows[each.claim.workflow].queue = None
        return begun


@noticed_by("the_end_of_a_limited_one_is_heard_as_something_ready")
class SaysNothingOfRoom(MemoryDurable):
    async def settle(self, claim: Claim, receipt: int, settlement: Settlement) -> str:
        self._limited.clear()
        self.memory.rows[claim.workflow].queue = None
        return await super().settle(claim, receipt, settlement)


@noticed_by("the_claims_of_the_dead_count_until_they_are_taken_over")
class ForgetsTheDead(Memory):
    def ready_within(self, offered: Sequence[Offered], limit: int) -> list[Row]:
        dead = [row for row in self.orphans() if row.state == "running"]
        for row in dead:
            row.state = "paused"
        try:
            return super().ready_within(offered, limit)
        finally:
            for row in dead:
                row.state = "running"


@noticed_by("offers_say_their_limits")
class OffersWithoutLimits(MemoryDurable):
    async def offer(self, offered: Sequence[Offered], command: str = "") -> None:
        await super().offer([Offered(each.name, each.version) for each in offered], command)


@pytest.mark.parametrize(("broken", "promise"), BREAKING.cases)
async def test_a_broken_store_is_noticed(broken: type[Broken], promise: str) -> None:
    with pytest.raises(AssertionError):
        await PROMISES[promise](Stores(broken))


@pytest.mark.parametrize("promise", BREAKING.promises)
async def test_a_store_that_is_not_broken_passes(promise: str) -> None:
    await PROMISES[promise](Stores(Broken))
