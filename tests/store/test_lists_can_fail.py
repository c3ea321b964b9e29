"""The promises about lists, searches and bulk actions notice: the memory store broken on purpose.

As in `test_contract_can_fail.py`, each class is a store with one fault, as small as it would be in earnest.
"""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import pytest
from breaking import PROMISES, Breaking, Broken, Stores

from stepfast.memory import Memory, MemoryCatalogue, MemoryDurable
from stepfast.memory.rows import Row
from stepfast.placing import Where
from stepfast.views import (
    EVERYTHING,
    Bulk,
    Filter,
    Listing,
    LogLine,
    LogPart,
    RecordOutline,
    StepRecord,
    Summary,
)

BREAKING = Breaking()
noticed_by = BREAKING.noticed_by


# --- lists ----------------------------------------------------------------------------------------------


class Filtering(MemoryCatalogue):
    """Its filters are turned into others."""

    def turned(self, filter: Filter) -> Filter:
        return filter

    async def listing(self, filter: Filter = EVERYTHING, **options: Any) -> Listing:
        return await super().listing(self.turned(filter), **options)

    async def list(self, filter: Filter = EVERYTHING, **options: Any) -> list[Summary]:
        return await super().list(self.turned(filter), **options)


@noticed_by("lists_can_be_narrowed", "a_narrowed_list_has_what_matches_in_every_order")
class IgnoresNames(Filtering):
    def turned(self, filter: Filter) -> Filter:
        return replace(filter, names=())


@noticed_by(
    "lists_can_be_narrowed", "a_narrowed_list_has_what_matches_in_every_order", "counts_equal_the_lists"
)
class IgnoresStates(Filtering):
    def turned(self, filter: Filter) -> Filter:
        return replace(filter, states=())


FAMILIES = "children_can_be_left_out_or_listed_by_their_parents"
WITH_PARENTS = "children_go_from_the_lists_with_their_parent_and_come_back"


@noticed_by(FAMILIES, WITH_PARENTS)
class ListsChildrenOnTop(Filtering):
    def turned(self, filter: Filter) -> Filter:
        return replace(filter, top=False)


@noticed_by(FAMILIES)
class IgnoresParents(Filtering):
    def turned(self, filter: Filter) -> Filter:
        return replace(filter, parents=())


@noticed_by(WITH_PARENTS)
class LosesWhomTheParentLeaves(MemoryCatalogue):
    def _matches(self, row: Row, filter: Filter) -> bool:
        return super()._matches(row, filter) and (not filter.top or row.parent is None)


@noticed_by("what_goes_on_is_on_top_once_its_parent_has_finished", WITH_PARENTS)
class KeepsBelowWhatGoesOn(MemoryCatalogue):
    def _matches(self, row: Row, filter: Filter) -> bool:
        parent = self._memory.rows.get(row.parent or 0)
        return super()._matches(row, filter) and not (
            filter.top and parent is not None and parent.finished and parent.removed_at is None
        )


@noticed_by(FAMILIES)
class CountsNoStates(MemoryCatalogue):
    async def families(self, keys: Sequence[int]) -> dict[int, dict[str, int]]:
        found = await super().families(keys)
        return {key: {"queued": sum(counts.values())} for key, counts in found.items()}


@noticed_by("attempts_are_counted_in_lists")
class CountsBeginnings(MemoryCatalogue):
    def _summary(self, row: Row) -> Summary:
        return replace(super()._summary(row), attempts=len(row.records))


@noticed_by(WITH_PARENTS)
class LeavesTheChildren(Memory):
    def children_of(self, row: Row) -> list[Row]:
        return [] if row.finished else super().children_of(row)


@noticed_by("what_needs_an_answer_is_listed_by_itself")
class IgnoresQuestions(Filtering):
    def turned(self, filter: Filter) -> Filter:
        return replace(filter, needs_answer=False)


@noticed_by("what_needs_an_answer_is_listed_by_itself")
class TakesAllThatWaitForQuestions(Filtering):
    def turned(self, filter: Filter) -> Filter:
        if not filter.needs_answer:
            return filter
        states = (filter.states or {"waiting", "blocked"}) & {"waiting", "blocked"}
        return replace(filter, states=states, needs_answer=False)


@noticed_by("a_narrowed_list_has_what_matches_in_every_order")
class IgnoresProblems(Filtering):
    def turned(self, filter: Filter) -> Filter:
        return replace(filter, problems=False)


@noticed_by("removing_is_a_mark_that_can_be_taken_back", "a_text_finds_nothing_that_is_gone_or_hidden")
class ListsTheRemoved(Filtering):
    def _listed(self, filter: Filter, order: str, descending: bool) -> list[Row]:
        rows = super()._listed(filter, order, descending)
        hidden = super()._listed(replace(filter, removed=True), order, descending)
        return rows if filter.removed else [*rows, *hidden]


@noticed_by("lines_are_found_piece_by_piece_from_either_end")
class FindsInLevelsAlone(MemoryCatalogue):
    async def find_lines(self, id: str, *, text: str = "", **options: Any) -> LogPart:
        return await super().find_lines(id, **options)


@noticed_by("lines_are_found_piece_by_piece_from_either_end", "a_search_says_how_far_it_looked")
class LooksForwardOnly(MemoryCatalogue):
    async def find_lines(self, id: str, *, before: int | None = None, **options: Any) -> LogPart:
        return await super().find_lines(id, **options)


@noticed_by("a_search_says_how_far_it_looked")
class SaysWhereItFound(MemoryCatalogue):
    async def find_lines(self, id: str, **options: Any) -> LogPart:
        part = await super().find_lines(id, **options)
        ends = (part.positions[0], part.positions[-1]) if part.positions else (0, 0)
        return replace(part, first=ends[0], last=ends[1], more=part.more and bool(part.positions))


@noticed_by("lines_are_read_by_their_positions")
class ReadsLinesUpToThere(MemoryCatalogue):
    async def lines(self, id: str, positions: Sequence[int]) -> list[LogLine]:
        return [line for line in await super().log(id) if line.position <= max(positions, default=0)]


@noticed_by("an_outline_has_what_the_history_has_but_for_values")
class OutlinesNoAttempts(MemoryCatalogue):
    async def outline(self, id: str, *, after: int = 0) -> list[RecordOutline]:
        return [each for each in await super().outline(id, after=after) if each.attempt is None]


@noticed_by("an_outline_has_what_the_history_has_but_for_values")
class FindsRecordsByNameAlone(MemoryCatalogue):
    async def record(self, id: str, kind: str, name: str) -> StepRecord | None:
        return next((each for each in await self.history(id) if each.name == name), None)


class Ordering(MemoryCatalogue):
    def _listed(self, filter: Filter, order: str, descending: bool) -> list[Row]:
        return self.ordered(super()._listed(filter, order, descending), order, descending)

    def ordered(self, rows: list[Row], order: str, descending: bool) -> list[Row]:
        return rows


@noticed_by("lists_have_the_newest_first", "every_order_is_kept_by_keys_and_by_pages")
class ListsTheOldestFirst(Ordering):
    def ordered(self, rows: list[Row], order: str, descending: bool) -> list[Row]:
        return rows[::-1] if order == "newest" else rows


@noticed_by("every_order_is_kept_by_keys_and_by_pages")
class KnowsNoReverse(Ordering):
    def ordered(self, rows: list[Row], order: str, descending: bool) -> list[Row]:
        return rows[::-1] if descending else rows


@noticed_by("every_order_is_kept_by_keys_and_by_pages", "a_narrowed_list_has_what_matches_in_every_order")
class BreaksTiesByTheNewest(Ordering):
    def ordered(self, rows: list[Row], order: str, descending: bool) -> list[Row]:
        if order != "name":
            return rows
        newest = sorted(rows, key=lambda row: -row.key)
        return sorted(newest, key=lambda row: row.name, reverse=descending)


@noticed_by("every_order_is_kept_by_keys_and_by_pages")
class PutsTheUnknownLast(Ordering):
    def ordered(self, rows: list[Row], order: str, descending: bool) -> list[Row]:
        return sorted(rows, key=lambda row: row.started_at is None) if order == "started" else rows


@noticed_by("every_order_is_kept_by_keys_and_by_pages", "pages_follow_each_other_without_gaps")
class RepeatsTheLastRow(MemoryCatalogue):
    async def list(self, *asked: Any, after: Summary | None = None, **options: Any) -> list[Summary]:
        page = await super().list(*asked, after=after, **options)
        return page if after is None else [after, *page][: options["limit"]]


@noticed_by("a_page_begins_where_the_last_row_lay")
class LooksForTheRowWhereItIs(MemoryCatalogue):
    async def list(self, *asked: Any, after: Summary | None = None, **options: Any) -> list[Summary]:
        row = None if after is None else self._memory.rows.get(after.key)
        there = after if row is None else await self.summary(row.id)
        return await super().list(*asked, after=there, **options)


@noticed_by("a_page_begins_where_the_last_row_lay")
class BeginsAnewWhereTheRowIsGone(MemoryCatalogue):
    async def list(self, *asked: Any, after: Summary | None = None, **options: Any) -> list[Summary]:
        there = after if after is not None and after.key in self._memory.rows else None
        return await super().list(*asked, after=there, **options)


@noticed_by("rows_come_by_key_in_the_order_asked_for")
class SortsTheRows(MemoryCatalogue):
    async def rows(self, keys: Sequence[int]) -> list[Summary]:
        return await super().rows(sorted(keys))


# --- searches -------------------------------------------------------------------------------------------


class Searching(MemoryCatalogue):
    """What it finds is for `finds` to say."""

    def _listed(self, filter: Filter, order: str, descending: bool) -> list[Row]:
        rows = super()._listed(replace(filter, text=""), order, descending)
        return [row for row in rows if self.finds(row, filter.text)]

    def finds(self, row: Row, text: str) -> bool:
        raise NotImplementedError


SEARCHES = (
    "a_text_finds_what_contains_it_whatever_the_case",
    "a_text_finds_the_same_among_many_and_after_upkeep",
)


@noticed_by(*SEARCHES)
class MindsTheCase(Searching):
    def finds(self, row: Row, text: str) -> bool:
        return text in row.id or text in row.name


@noticed_by(*SEARCHES)
class FoldsOnlyAscii(Searching):
    """As SQLite's own `lower` and LIKE do."""

    def finds(self, row: Row, text: str) -> bool:
        return text.encode(errors="replace").lower() in f"{row.id} {row.name}".encode().lower()


@noticed_by(*SEARCHES)
class LowersLetterByLetter(Searching):
    """As FTS5's own folding does: no letter becomes two."""

    def finds(self, row: Row, text: str) -> bool:
        return text.lower() in row.id.lower() or text.lower() in row.name.lower()


@noticed_by(*SEARCHES)
class TakesWildcards(Searching):
    def finds(self, row: Row, text: str) -> bool:
        wild = text.casefold().replace("%", "").replace("*", "")
        return wild in row.id.casefold() or wild in row.name.casefold()


@noticed_by(*SEARCHES)
class EndsAtNul(Searching):
    def finds(self, row: Row, text: str) -> bool:
        text = text.partition("\0")[0].casefold()
        return text in row.id.casefold() or text in row.name.casefold()


@noticed_by(*SEARCHES)
class NeedsThreeLetters(MemoryCatalogue):
    def _listed(self, filter: Filter, order: str, descending: bool) -> list[Row]:
        found = super()._listed(filter, order, descending)
        return found if len(filter.text) not in (1, 2) else []


# --- bulk actions ---------------------------------------------------------------------------------------


class InBulk(MemoryDurable):
    async def bulk(
        self,
        action: str,
        of: Filter | Sequence[int],
        *,
        upto: int | None = None,
        without: Collection[int] = (),
    ) -> Bulk:
        return await super().bulk(action, of, upto=upto, without=without)


@noticed_by("a_listing_says_up_to_which_change_it_holds")
class HoldsForMoreThanIsListed(MemoryCatalogue):
    async def listing(self, filter: Filter = EVERYTHING, **options: Any) -> Listing:
        listing = await super().listing(filter, **options)
        await asyncio.sleep(0)
        return replace(listing, at=self._memory.reached + 1)


@noticed_by("a_listing_says_up_to_which_change_it_holds")
class HoldsForLessThanIsListed(MemoryCatalogue):
    async def listing(self, filter: Filter = EVERYTHING, **options: Any) -> Listing:
        listing = await super().listing(filter, **options)
        return replace(listing, at=listing.at - 1)


@noticed_by("a_bulk_spares_what_moved_since_somebody_looked")
class SparesNothing(InBulk):
    async def bulk(self, action: str, of: Filter | Sequence[int], **options: Any) -> Bulk:
        return await super().bulk(action, of)


@noticed_by("a_bulk_spares_what_moved_since_somebody_looked")
class ForgetsTheExceptions(InBulk):
    async def bulk(self, action: str, of: Filter | Sequence[int], **options: Any) -> Bulk:
        return await super().bulk(action, of, **{**options, "without": ()})


@noticed_by("what_begins_in_the_place_of_what_was_stopped_is_asked_too")
class SparesWhatBeganSinceItWasCalled(InBulk):
    async def bulk(self, action: str, of: Filter | Sequence[int], **options: Any) -> Bulk:
        keys = [*(await self.catalogue.listing(order="created")).keys]
        first = await super().bulk(action, keys[:100])
        for _ in range(100):
            await asyncio.sleep(0)
        rest = await super().bulk(action, keys[100:], **options)
        return replace(rest, done=first.done + rest.done)


@noticed_by("progress_spares_nobody")
class CountsProgressAsAChange(Memory):
    def note(self, row: Row, notes: Any) -> None:
        super().note(row, notes)
        row.moved = row.change


@noticed_by("a_bulk_counts_what_it_left_by_reason", "many_are_asked_as_each_would_be")
class SaysItDidAll(InBulk):
    async def bulk(self, action: str, of: Filter | Sequence[int], **options: Any) -> Bulk:
        came = await super().bulk(action, of, **options)
        keys = [key for key in of if key in self.memory.rows] if not isinstance(of, Filter) else came.done
        return replace(came, done=array("q", keys), left={})


@noticed_by("any_number_is_asked_and_views_are_told_of_each")
class GivesAllOneNumber(InBulk):
    async def bulk(self, action: str, of: Filter | Sequence[int], **options: Any) -> Bulk:
        came = await super().bulk(action, of, **options)
        for key in came.done:
            self.memory.rows[key].change = self.memory.reached
        return came


@noticed_by("any_number_is_asked_and_views_are_told_of_each")
class AsksTheFirstFew(InBulk):
    async def bulk(self, action: str, of: Filter | Sequence[int], **options: Any) -> Bulk:
        keys = (await self.catalogue.listing(of)).keys if isinstance(of, Filter) else of
        return await super().bulk(action, keys[:200], **options)


@noticed_by("what_is_tried_again_together_goes_on_in_the_order_it_was_started")
class AsksTheNewestFirst(InBulk):
    async def bulk(self, action: str, of: Filter | Sequence[int], **options: Any) -> Bulk:
        keys = (await self.catalogue.listing(of, order="newest")).keys if isinstance(of, Filter) else of
        return await super().bulk(action, keys, **options)


# --- the queue ------------------------------------------------------------------------------------------


class LiningUp(MemoryDurable):
    """Something is done to those that were put elsewhere."""

    async def line_up(self, keys: Sequence[int], where: Where, other: int | None = None) -> Bulk:
        before = {key: replace(row) for key, row in self.memory.rows.items()}
        came = await super().line_up(keys, where, other)
        for key in came.done:
            self.spoil(self.memory.rows[key], before[key])
        return came

    def spoil(self, row: Row, before: Row) -> None:
        raise NotImplementedError


@noticed_by("what_is_put_elsewhere_runs_there", "any_number_is_put_between_two")
class LeavesItWhereItWas(LiningUp):
    def spoil(self, row: Row, before: Row) -> None:
        row.place = before.place


@noticed_by("what_is_put_elsewhere_gets_the_priority_of_what_is_there")
class LeavesThePriority(LiningUp):
    def spoil(self, row: Row, before: Row) -> None:
        row.priority = before.priority


@noticed_by("what_is_put_elsewhere_runs_there")
class TellsNobody(LiningUp):
    def spoil(self, row: Row, before: Row) -> None:
        row.change = before.change


@noticed_by("any_number_is_put_between_two")
class HasNoRoom(LiningUp):
    def spoil(self, row: Row, before: Row) -> None:
        places = [each.place for each in self.memory.rows.values() if each.place > row.place]
        row.place = min(places, default=row.place) + 1


@noticed_by("what_is_not_queued_is_not_put_anywhere")
class SaysItPutWhatRuns(MemoryDurable):
    async def line_up(self, keys: Sequence[int], where: Where, other: int | None = None) -> Bulk:
        came = await super().line_up(keys, where, other)
        there = [key for key in keys if key in self.memory.rows]
        return replace(came, done=array("q", there), left={})


@noticed_by("a_priority_can_be_changed_while_it_is_pending")
class PrioritisesWhatHasFinished(MemoryDurable):
    async def prioritise(self, of: Filter | Sequence[int], priority: int, **options: Any) -> Bulk:
        came = await super().prioritise(of, priority, **options)
        for key in self.memory.rows.keys() & (() if isinstance(of, Filter) else of):
            self.memory.rows[key].priority = priority
        return came


@noticed_by("priorities_are_given_to_what_somebody_saw")
class PrioritisesAll(MemoryDurable):
    async def prioritise(self, of: Filter | Sequence[int], priority: int, **options: Any) -> Bulk:
        return await super().prioritise(of, priority)


# --- retrying -------------------------------------------------------------------------------------------


@noticed_by("what_is_retried_is_on_the_lists_again")
class RetriesUnseen(Memory):
    def renew(self, row: Row, now: float) -> None:
        removed = row.removed_at
        super().renew(row, now)
        row.removed_at = removed


@pytest.mark.parametrize(("broken", "promise"), BREAKING.cases)
async def test_a_broken_store_is_noticed(broken: type[Broken], promise: str) -> None:
    with pytest.raises(AssertionError):
        await PROMISES[promise](Stores(broken))


@pytest.mark.parametrize("promise", BREAKING.promises)
async def test_a_store_that_is_not_broken_passes(promise: str) -> None:
    await PROMISES[promise](Stores(Broken))
