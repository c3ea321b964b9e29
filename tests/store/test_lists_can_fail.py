"""The promises about lists, searches and bulk actions notice: the memory store broken on purpose.

As in `test_contract_can_fail.py`, each class is a store with one fault, as small as it would be in earnest.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import pytest
from breaking import PROMISES, Breaking, Broken, Stores

from stepfast.memory import Memory, MemoryCatalogue, MemoryDurable
from stepfast.memory.rows import Row
from stepfast.views import EVERYTHING, Bulk, Filter, Summary

BREAKING = Breaking()
noticed_by = BREAKING.noticed_by


# --- lists ----------------------------------------------------------------------------------------------


class Filtering(MemoryCatalogue):
    """Its filters are turned into others."""

    def turned(self, filter: Filter) -> Filter:
        return filter

    async def keys(self, filter: Filter = EVERYTHING, **options: Any) -> array[int]:
        return await super().keys(self.turned(filter), **options)

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


@noticed_by("removing_is_a_mark_that_can_be_taken_back", "a_text_finds_nothing_that_is_gone_or_hidden")
class ListsTheRemoved(Filtering):
    def _listed(self, filter: Filter, order: str, descending: bool) -> list[Row]:
        rows = super()._listed(filter, order, descending)
        hidden = super()._listed(replace(filter, removed=True), order, descending)
        return rows if filter.removed else [*rows, *hidden]


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


@noticed_by("a_bulk_spares_what_moved_since_somebody_looked")
class SparesNothing(InBulk):
    async def bulk(self, action: str, of: Filter | Sequence[int], **options: Any) -> Bulk:
        return await super().bulk(action, of)


@noticed_by("a_bulk_spares_what_moved_since_somebody_looked")
class ForgetsTheExceptions(InBulk):
    async def bulk(self, action: str, of: Filter | Sequence[int], **options: Any) -> Bulk:
        return await super().bulk(action, of, **{**options, "without": ()})


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
        keys = await self.catalogue.keys(of) if isinstance(of, Filter) else of
        return await super().bulk(action, keys[:200], **options)


@noticed_by("what_is_resumed_together_goes_on_in_the_order_it_was_started")
class AsksTheNewestFirst(InBulk):
    async def bulk(self, action: str, of: Filter | Sequence[int], **options: Any) -> Bulk:
        keys = await self.catalogue.keys(of, order="newest") if isinstance(of, Filter) else of
        return await super().bulk(action, keys, **options)


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
