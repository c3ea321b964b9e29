"""The promises about parents and children notice a store that breaks them."""

from __future__ import annotations

import pytest
from breaking import PROMISES, Breaking, Broken, Stores

from stepfast.interfaces import Claim, Kind, NewRecord, Recorded
from stepfast.memory import Memory, MemoryCheckpointer
from stepfast.memory.rows import Row
from stepfast.retention import Retention

BREAKING = Breaking()
noticed_by = BREAKING.noticed_by


@noticed_by(
    "the_end_of_a_child_is_recorded_and_wakes_its_parent",
    "the_end_of_a_child_during_a_pass_is_seen_by_it",
    "a_child_that_ends_as_its_parent_settles_is_not_lost",
    "pausing_a_parent_leaves_its_children_and_loses_nothing",
    "a_child_that_is_deleted_counts_as_cancelled",
)
class TellsNoParent(Memory):
    def tell_parent(self, row: Row, state: str, now: float) -> None:
        pass


@noticed_by(
    "the_end_of_a_child_is_recorded_and_wakes_its_parent",
    "the_ends_of_many_children_may_gather_and_wake_their_parent",
)
class WakesNoParent(Memory):
    def tell_parent(self, row: Row, state: str, now: float) -> None:
        parent = self.rows.get(row.parent or 0)
        if parent is not None:
            parent.receipt, parent.state, was = self.next(), "running", parent.state
            super().tell_parent(row, state, now)
            parent.state = was


@noticed_by("cancelling_what_runs_cancels_its_children_too", "a_child_of_a_finished_parent_goes_on")
class TellsEverybody(Memory):
    def tell_parent(self, row: Row, state: str, now: float) -> None:
        parent = self.rows.get(row.parent or 0)
        if parent is not None:
            self.keep(parent, NewRecord(Kind.CHILD, "a", '["cancelled"]', now), now)
        super().tell_parent(row, state, now)


@noticed_by("what_a_parent_saw_of_a_child_stays")
class Overwrites(Memory):
    def keep(self, row: Row, new: NewRecord, now: float) -> Recorded:
        row.records.pop((new.kind, new.name), None)
        return super().keep(row, new, now)


@noticed_by(
    "cancelling_a_parent_cancels_its_children_and_theirs",
    "cancelling_what_runs_cancels_its_children_too",
    "what_the_dead_were_to_cancel_is_cancelled_with_its_children",
    "a_released_claim_cancels_with_its_children",
    "many_are_cancelled_with_their_children",
)
class SparesChildren(Memory):
    def cancel_children(self, row: Row, now: float, *, tidying: bool = False) -> None:
        pass


@noticed_by("cancelling_a_parent_cancels_its_children_and_theirs")
class SparesGrandchildren(Memory):
    def cancel_children(self, row: Row, now: float, *, tidying: bool = False) -> None:
        if row.parent is None:
            super().cancel_children(row, now, tidying=tidying)


@noticed_by("a_clean_up_has_children_of_its_own")
class EndsTheChildrenOfCleanUps(Memory):
    def cancel_children(self, row: Row, now: float, *, tidying: bool = False) -> None:
        super().cancel_children(row, now)


@noticed_by("trying_a_parent_again_tries_its_failed_children_again")
class TriesTheParentOnly(Memory):
    def children_of(self, row: Row) -> list[Row]:
        return [] if row.state == "queued" else super().children_of(row)


@noticed_by("the_kin_of_what_is_pending_is_not_swept")
class KnowsNoKin(Memory):
    def let_go_of(self, retention: Retention, now: float) -> list[Row]:
        parents = {row.key: row.parent for row in self.rows.values()}
        children, self.children = self.children, {}
        for row in self.rows.values():
            row.parent = None
        going = super().let_go_of(retention, now)
        self.children = children
        for row in self.rows.values():
            row.parent = parents[row.key]
        return going


@noticed_by("a_child_is_started_under_the_claim_that_stands")
class StartsForAnybody(MemoryCheckpointer):
    async def child(
        self, claim: Claim, name: str, id: str, definition: str, version: int, input: str
    ) -> str | None:
        row = self._memory.rows[claim.workflow]
        row.state, state = "running", row.state
        row.token, token = claim.token, row.token
        try:
            return await super().child(claim, name, id, definition, version, input)
        finally:
            row.state, row.token = state, token


@noticed_by("a_child_that_has_finished_says_so_when_it_is_asked_for")
class SaysNothingOfTheFinished(MemoryCheckpointer):
    async def child(
        self, claim: Claim, name: str, id: str, definition: str, version: int, input: str
    ) -> str | None:
        await super().child(claim, name, id, definition, version, input)
        return None


@noticed_by("a_child_is_started_once_and_found_again")
class LeavesNoMark(Memory):
    def keep(self, row: Row, new: NewRecord, now: float) -> Recorded:
        recorded = super().keep(row, new, now)
        row.records.pop((Kind.STARTED, new.name), None)
        return recorded


@pytest.mark.parametrize(("broken", "promise"), BREAKING.cases)
async def test_a_broken_store_is_noticed(broken: type[Broken], promise: str) -> None:
    with pytest.raises(AssertionError):
        await PROMISES[promise](Stores(broken))


@pytest.mark.parametrize("promise", BREAKING.promises)
async def test_a_store_that_is_not_broken_passes(promise: str) -> None:
    await PROMISES[promise](Stores(Broken))
