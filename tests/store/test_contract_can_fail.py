"""The contract suite notices: the memory store broken on purpose, one MUST at a time.

A promise that no store can break says nothing. Each class here is a store with one fault, and the promise
that has to notice it; the fault is as small as it would be in earnest.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar

import pytest
from breaking import PROMISES, Breaking, Broken, Stores

from stepfast.body.run import Transaction
from stepfast.errors import Fenced
from stepfast.health import Health
from stepfast.interfaces import (
    Begun,
    Checkpoint,
    Claim,
    Delivery,
    Kind,
    Look,
    NewRecord,
    Notes,
    Offered,
    Recorded,
    Settlement,
    Signal,
    Started,
)
from stepfast.memory import Memory, MemoryCatalogue, MemoryCheckpointer, MemoryDurable, MemoryScheduler
from stepfast.memory.rows import Row
from stepfast.memory.tables import Tables
from stepfast.retention import Forget, Forgets, Retention, Swept
from stepfast.testing.contract import Promise
from stepfast.views import Changes, Ended, Reset

T = TypeVar("T")
BREAKING = Breaking()
noticed_by = BREAKING.noticed_by


@noticed_by("a_storage_has_one_identity_for_all_who_open_it")
class IsEachItsOwn(MemoryDurable):
    async def identity(self) -> str:
        return str(self.owner)


# --- records --------------------------------------------------------------------------------------------


@noticed_by("an_older_token_is_fenced", "a_newer_or_made_up_token_is_fenced", "no_claim_is_no_leave_to_write")
class IgnoresTokens(Memory):
    def held(self, claim: Claim) -> Row:
        return self.rows[claim.workflow]


@noticed_by("a_newer_or_made_up_token_is_fenced")
class TakesNewerTokens(Memory):
    def held(self, claim: Claim) -> Row:
        row = self.rows.get(claim.workflow)
        if row is None or row.token is None or claim.token < row.token:
            raise Fenced
        return row


@noticed_by("an_older_token_is_fenced")
class TakesOlderTokens(Memory):
    def held(self, claim: Claim) -> Row:
        row = self.rows.get(claim.workflow)
        if row is None or row.token is None or claim.token > row.token:
            raise Fenced
        return row


@noticed_by(
    "no_claim_is_no_leave_to_write", "a_settled_pass_is_fenced", "a_pass_that_was_taken_over_is_fenced"
)
class NeedsNoClaim(Memory):
    def held(self, claim: Claim) -> Row:
        row = self.rows.get(claim.workflow)
        if row is None or row.token not in (None, claim.token):
            raise Fenced
        return row


@noticed_by("an_older_token_is_fenced", "a_newer_or_made_up_token_is_fenced", "no_claim_is_no_leave_to_write")
class ChecksTheClaimForNotesAlone(MemoryCheckpointer):
    async def record(self, claim: Claim, new: NewRecord, notes: Notes | None = None) -> Recorded:
        if notes is not None:
            return await super().record(claim, new, notes)
        return self._keep(self._memory.rows[claim.workflow], new, None)


@noticed_by("a_deleted_workflow_fences_its_pass")
class FindsTheIdAgain(Memory):
    def held(self, claim: Claim) -> Row:
        if claim.workflow not in self.rows and claim.id in self.ids:
            return self.named(claim.id)
        return super().held(claim)


@noticed_by("the_first_record_wins", "one_of_many_writers_at_once_is_first", "the_first_answer_wins")
class Overwrites(Memory):
    def keep(self, row: Row, new: NewRecord, now: float) -> Recorded:
        row.records.pop((new.kind, new.name), None)
        return super().keep(row, new, now)


@noticed_by("the_first_record_wins")
class SaysFirstAlways(Memory):
    def keep(self, row: Row, new: NewRecord, now: float) -> Recorded:
        return super().keep(row, new, now)._replace(first=True)


@noticed_by("kinds_are_apart")
class MixesKinds(Memory):
    def keep(self, row: Row, new: NewRecord, now: float) -> Recorded:
        there = [record for (_, name), record in row.records.items() if name == new.name]
        return Recorded(there[0].text, first=False) if there else super().keep(row, new, now)


@noticed_by("a_bookmark_lasts_until_its_step_is_recorded")
class KeepsBookmarks(Memory):
    def keep(self, row: Row, new: NewRecord, now: float) -> Recorded:
        return super().keep(row, new._replace(bookmarked=False), now)


@noticed_by("load_keeps_the_order_of_first_writing", "history_has_every_record")
class SortsRecords(MemoryCheckpointer):
    async def load(self, workflow: int, *, after: int = 0) -> Checkpoint:
        loaded = await super().load(workflow, after=after)
        return loaded._replace(records=tuple(sorted(loaded.records, key=lambda record: record.name)))


@noticed_by("load_after_brings_only_what_came_later")
class LoadsEverything(MemoryCheckpointer):
    async def load(self, workflow: int, *, after: int = 0) -> Checkpoint:
        return await super().load(workflow)


@noticed_by("load_brings_nothing_of_another_workflow")
class LoadsForeignBookmarks(MemoryCheckpointer):
    async def load(self, workflow: int, *, after: int = 0) -> Checkpoint:
        loaded = await super().load(workflow, after=after)
        everybody = {
            step: value for row in self._memory.rows.values() for step, value in row.bookmarks.items()
        }
        return loaded._replace(bookmarks=everybody)


@noticed_by("a_claim_is_granted_once", "begin_and_claim_exclude_each_other")
class ClaimsTwice(MemoryCheckpointer):
    async def claim(self, id: str) -> Claim | None:
        await self._owner.turn()
        return self._memory.hold(self._memory.named(id), self._owner.key, 0.0)


@noticed_by("release_ends_no_other_claim")
class ReleasesAnyClaim(MemoryCheckpointer):
    async def release(self, claim: Claim) -> None:
        await super().release(replace(claim, token=self._memory.rows[claim.workflow].token or 0))


@noticed_by("a_release_carries_out_what_was_asked")
class ReleasesWhatWasPaused(MemoryCheckpointer):
    async def release(self, claim: Claim) -> None:
        self._memory.rows[claim.workflow].intent = None
        await super().release(claim)


@noticed_by("notes_ride_along_with_a_record")
class DropsNotes(MemoryCheckpointer):
    async def record(self, claim: Claim, new: NewRecord, notes: Notes | None = None) -> Recorded:
        return await super().record(claim, new)


@noticed_by("numbers_never_go_back")
class CountsFromWhatIsThere(Memory):
    def next(self) -> int:
        rows = [(row.key, row.receipt, row.token or 0, row.change) for row in self.rows.values()]
        records = [record.position for row in self.rows.values() for record in row.records.values()]
        return 1 + max((number for numbers in (*rows, records) for number in numbers), default=0)


@noticed_by("tokens_rise", "an_older_token_is_fenced")
class UsesTokensAgain(Memory):
    def hold(self, row: Row, owner: int, now: float) -> Claim:
        claim = super().hold(row, owner, now)
        row.token = row.key
        return replace(claim, token=row.key)


# --- effects --------------------------------------------------------------------------------------------


@noticed_by("notes_ride_along_with_an_effect")
class DropsNotesOfTheRecorded(MemoryCheckpointer):
    def _keep(self, row: Row, new: NewRecord, notes: Notes | None) -> Recorded:
        return super()._keep(row, new, None if (new.kind, new.name) in row.records else notes)


@noticed_by("the_effect_of_a_recorded_step_does_not_run", "one_effect_of_many_at_once_runs")
class RunsEffectsAgain(MemoryCheckpointer):
    async def transact(self, claim: Claim, name: str, effect: Any, *args: Any, **options: Any) -> Recorded:
        self._memory.held(claim)
        text = self._memory.tables.transact(effect)
        return await super().transact(claim, name, lambda transaction: text, 0.0)


@noticed_by("an_effect_that_raises_leaves_nothing")
class KeepsWhatFailed(Tables):
    def transact(self, effect: Callable[[Transaction], T]) -> T:
        raised: list[BaseException] = []

        def kept(transaction: Transaction) -> Any:
            try:
                return effect(transaction)
            except BaseException as error:
                raised.append(error)

        value: T = super().transact(kept)
        if raised:
            raise raised[0]
        return value


@noticed_by("what_could_break_the_commit_is_refused", "an_effect_has_no_road_to_the_connection")
class HandsOutTheConnection(Tables):
    def transact(self, effect: Callable[[Transaction], T]) -> T:
        self._connection.set_authorizer(None)
        with self._connection:
            return effect(self._connection)


@noticed_by("a_query_refuses_every_write")
class QueriesWrite(Tables):
    def query(self, read: Callable[[Transaction], T]) -> T:
        return self.transact(read)


@noticed_by("a_refusal_that_is_swallowed_commits_nothing", "a_trigger_cannot_end_the_transaction")
class ForgivesRefusals(Tables):
    def transact(self, effect: Callable[[Transaction], T]) -> T:
        try:
            return super().transact(effect)
        except Exception:
            return effect(self._connection)


# --- schedule -------------------------------------------------------------------------------------------


@noticed_by(
    "a_wakeup_during_a_pass_leads_to_another",
    "a_wakeup_at_the_moment_of_settling_is_not_lost",
    "a_pass_that_is_owed_again_is_told_of",
)
class LosesWakeups(MemoryDurable):
    async def settle(self, claim: Claim, receipt: int, settlement: Settlement) -> str:
        await self._owner.turn()
        row = self.memory.rows.get(claim.workflow)
        return await super().settle(claim, row.receipt if row else receipt, settlement)


@noticed_by("an_answer_after_a_wakeup_loses_nothing", "a_wakeup_renews_a_delivery_that_is_out")
class KeepsReceipts(Memory):
    def wake(self, row: Row) -> None:
        if not row.is_out:
            super().wake(row)


@noticed_by("an_answer_after_a_wakeup_loses_nothing", "what_is_gone_is_not_answered_for")
class AnswersForAnything(MemoryScheduler):
    async def done(self, delivery: Delivery) -> bool:
        row = self._memory.rows.get(delivery.workflow)
        if row is not None:
            row.state, row.taken, row.owner = "waiting", None, None
        return row is not None


@noticed_by("a_claimed_workflow_is_not_answered_for")
class AnswersForTheClaimed(MemoryScheduler):
    async def done(self, delivery: Delivery) -> bool:
        row = self._memory.rows[delivery.workflow]
        return row.token is not None or await super().done(delivery)


@noticed_by("what_was_taken_over_and_taken_again_is_its_new_takers_to_answer_for")
class OwesTheOldDelivery(Memory):
    def abandon(self, row: Row, now: float) -> None:
        receipt = row.receipt
        super().abandon(row, now)
        row.receipt = receipt


@noticed_by("what_was_due_earlier_runs_first")
class RunsSchedulesAsTheyWereMade(Memory):
    def run_schedules(self, now: float) -> None:
        for name, new in [*self.schedules.items()]:
            others = {other: kept for other, kept in self.schedules.items() if other != name}
            self.schedules = {name: new}
            super().run_schedules(now)
            self.schedules |= others


@noticed_by("a_ready_workflow_is_handed_out_once")
class HandsOutTwice(MemoryScheduler):
    async def take(self, offered: Sequence[Offered], limit: int) -> list[Delivery]:
        taken = await super().take(offered, limit)
        for delivery in taken:
            self._memory.rows[delivery.workflow].taken = None
        return taken


@noticed_by("two_engines_begin_each_workflow_once", "starts_at_once_with_one_id_make_one_workflow")
class BeginsTwice(MemoryDurable):
    async def begin(self, offered: Sequence[Offered], limit: int) -> list[Begun]:
        begun = await super().begin(offered, limit)
        return [*begun, *begun]


@noticed_by("begin_next_begins_what_becomes_ready")
class NeverNext(MemoryDurable):
    async def begin_next(self, offered: Sequence[Offered], limit: int) -> list[Begun]:
        await asyncio.Event().wait()
        return []


@noticed_by("begin_next_begins_no_more_than_it_may")
class TakesAllThatIsNext(MemoryDurable):
    async def begin_next(self, offered: Sequence[Offered], limit: int) -> list[Begun]:
        return await super().begin_next(offered, 9 if limit > 1 else limit)


@noticed_by("begin_next_leaves_nothing_when_it_is_cancelled")
class GoesOnWaiting(MemoryDurable):
    async def begin_next(self, offered: Sequence[Offered], limit: int) -> list[Begun]:
        self._waiting = asyncio.ensure_future(super().begin_next(offered, limit))
        return await asyncio.shield(self._waiting)


@noticed_by("a_look_tells_what_was_begun_from_what_was_claimed")
class TakesAllForBegun(MemoryDurable):
    async def look(self) -> Look:
        look = await super().look()
        return look._replace(held=tuple(each._replace(begun=True) for each in look.held))


@noticed_by("another_wakeup_costs_nobody_a_place")
class SendsToTheBack(Memory):
    def wake(self, row: Row) -> None:
        if row.state == "queued":
            row.receipt = row.place = self.next()
        super().wake(row)


@noticed_by("what_was_stopped_goes_on_before_what_has_waited", "what_is_resumed_goes_on_in_its_place")
class SendsWhatWasStoppedToTheBack(Memory):
    def queue(self, row: Row, *, in_place: bool = False) -> None:
        super().queue(row)


@noticed_by("what_was_stopped_goes_on_before_what_has_waited")
class LeavesWhatIsWokenInItsPlace(Memory):
    def queue(self, row: Row, *, in_place: bool = False) -> None:
        super().queue(row, in_place=row.place > 0)


class Ordering(Memory):
    order: Callable[[Row], Any]

    def ready(self, offered: Sequence[Offered], limit: int) -> list[Row]:
        return sorted(super().ready(offered, 1000), key=type(self).order)[: max(0, limit)]


@noticed_by("what_is_urgent_goes_first_then_what_was_ready_first")
class IgnoresPriorities(Ordering):
    order = staticmethod(lambda row: row.receipt)


@noticed_by("what_was_woken_first_goes_first", "what_is_resumed_goes_on_in_its_place")
class OldestFirst(Ordering):
    order = staticmethod(lambda row: (-row.priority, row.key))


@noticed_by("what_is_woken_while_it_is_out_goes_behind_what_waits")
class OldestOfThoseOutFirst(Ordering):
    order = staticmethod(lambda row: (-row.priority, row.key if row.owner is not None else row.receipt))


@noticed_by("no_more_are_handed_out_than_asked_for")
class KnowsNoLimit(Memory):
    def ready(self, offered: Sequence[Offered], limit: int) -> list[Row]:
        return super().ready(offered, 1000)


@noticed_by("only_what_is_offered_is_handed_out")
class IgnoresVersions(Memory):
    def ready(self, offered: Sequence[Offered], limit: int) -> list[Row]:
        return super().ready([Offered(one.name, version) for one in offered for version in (1, 2)], limit)


@noticed_by("a_start_in_the_future_is_ready_exactly_then", "a_sleeper_is_ready_exactly_when_due")
class WakesEarly(Memory):
    def due(self, now: float) -> list[Row]:
        return super().due(now + 1)


@noticed_by("a_start_in_the_future_is_ready_exactly_then", "wake_at_owes_a_pass_then")
class WakesLate(Memory):
    def due(self, now: float) -> list[Row]:
        return super().due(now - 0.001)


@noticed_by("a_paused_workflow_sleeps_through_wakeups", "a_pause_outlasts_a_wakeup")
class WakesThePaused(Memory):
    def wake(self, row: Row) -> None:
        if row.state == "paused" or row.intent == "pause":
            row.intent = None
            row.state = "waiting" if row.state == "paused" else row.state
        super().wake(row)


@noticed_by("a_wakeup_ends_a_sleep_and_its_timer", "what_nobody_holds_is_paused_at_once")
class KeepsTimers(Memory):
    def queue(self, row: Row, *, in_place: bool = False) -> None:
        due = row.due
        super().queue(row, in_place=in_place)
        row.due = due

    def let_go(self, row: Row, settlement: Settlement, now: float, *, woken: bool = False) -> None:
        settlement = settlement if row.due is None else settlement._replace(due=row.due)
        super().let_go(row, settlement, now, woken=woken)


# --- transitions ----------------------------------------------------------------------------------------


class Starting(MemoryDurable):
    """Its `start` has no options, since only the id is at stake."""

    async def start(self, id: str, name: str, version: int, input: str, **options: Any) -> Started:
        return await super().start(id, name, version, input, **options)


@noticed_by("a_start_with_a_known_id_for_something_else_is_refused")
class StartsAnythingTwice(Starting):
    async def start(self, id: str, name: str, version: int, input: str, **options: Any) -> Started:
        there = self.memory.rows.get(self.memory.ids.get(id, 0))
        return await super().start(id, name, version, there.input if there else input, **options)


@noticed_by("starts_at_once_with_one_id_make_one_workflow", "a_start_with_a_known_id_gives_what_is_there")
class SaysCreatedAlways(Starting):
    async def start(self, id: str, name: str, version: int, input: str, **options: Any) -> Started:
        return (await super().start(id, name, version, input, **options))._replace(created=True)


@noticed_by("a_join_gives_the_pending_one", "joins_at_once_make_one_workflow")
class NeverJoins(Starting):
    async def start(self, id: str, name: str, version: int, input: str, **options: Any) -> Started:
        return await super().start(id, name, version, input, **{**options, "join": False})


@noticed_by("a_running_one_is_paused_by_its_holder", "a_running_one_is_cancelled_by_its_holder")
class IgnoresIntents(Memory):
    def let_go(self, row: Row, settlement: Settlement, now: float, *, woken: bool = False) -> None:
        asked = row.token is not None and row.intent is not None and not settlement.result
        super().let_go(row, Settlement("queued") if asked else settlement, now, woken=woken)


@noticed_by("a_pass_that_finished_stays_finished")
class CancelsTheFinished(MemoryDurable):
    async def settle(self, claim: Claim, receipt: int, settlement: Settlement) -> str:
        row = self.memory.rows.get(claim.workflow)
        cancelled = row is not None and row.intent == "cancel"
        return await super().settle(claim, receipt, Settlement("cancelled") if cancelled else settlement)


@noticed_by("a_pause_outlasts_a_wakeup", "a_running_one_is_paused_by_its_holder")
class KeepsIntents(Memory):
    def let_go(self, row: Row, settlement: Settlement, now: float, *, woken: bool = False) -> None:
        intent = row.intent
        super().let_go(row, settlement, now, woken=woken)
        row.intent = intent


@noticed_by("a_cancel_outranks_a_pause")
class LastIntentWins(MemoryDurable):
    async def pause(self, id: str) -> str:
        row = self.memory.rows.get(self.memory.ids.get(id, 0))
        if row is not None:
            row.intent = None
        return await super().pause(id)


@noticed_by("a_retry_goes_on_from_what_is_recorded")
class RetriesFromTheTop(Memory):
    def renew(self, row: Row, now: float) -> None:
        row.records.clear()
        super().renew(row, now)


@noticed_by(
    "what_is_cancelled_tidies_up_first",
    "what_runs_tidies_up_once_it_was_stopped",
    "what_a_dead_owner_was_asked_to_cancel_tidies_up",
    "a_released_one_tidies_up",
    "many_are_cancelled_as_one_is",
)
class NeverTidiesUp(Memory):
    def let_go(self, row: Row, settlement: Settlement, now: float, *, woken: bool = False) -> None:
        row.cleanup = True
        super().let_go(row, settlement, now, woken=woken)


@noticed_by("a_clean_up_that_is_cancelled_is_given_up", "what_is_cancelled_tidies_up_first")
class TidiesUpForEver(Memory):
    def let_go(self, row: Row, settlement: Settlement, now: float, *, woken: bool = False) -> None:
        row.cleanup = False
        super().let_go(row, settlement, now, woken=woken)


@noticed_by("a_retry_knows_what_was_cancelled_and_what_failed")
class TidiesUpWhatIsRetried(Memory):
    def renew(self, row: Row, now: float) -> None:
        cleanup = row.cleanup
        super().renew(row, now)
        row.cleanup = cleanup


@noticed_by("what_is_retried_had_no_attempts")
class RemembersAttempts(Memory):
    def renew(self, row: Row, now: float) -> None:
        records = dict(row.records)
        super().renew(row, now)
        row.records = records


@noticed_by("since_when_its_time_counts")
class RetriesInTheOldTime(Memory):
    def renew(self, row: Row, now: float) -> None:
        super().renew(row, now)
        row.renewed_at = None


@noticed_by("an_interrupted_step_blocks")
class WakesWhatIsBlocked(Memory):
    def wake(self, row: Row) -> None:
        if row.state == "blocked":
            self.queue(row)
        super().wake(row)


@noticed_by("only_what_is_blocked_is_unblocked", "the_first_word_stands")
class UnblocksAnything(MemoryDurable):
    async def unblock(self, id: str, new: NewRecord) -> None:
        row = self._pending(id)
        self.memory.keep(row, new, self.clock.time())
        self.memory.queue(row)


@noticed_by("a_word_about_it_makes_it_ready", "what_arrived_while_it_was_blocked_is_there")
class UnblocksInSilence(MemoryDurable):
    async def unblock(self, id: str, new: NewRecord) -> None:
        row = self._pending(id)
        if row.state != "blocked":
            await super().unblock(id, new)
        self.memory.keep(row, new, self.clock.time())


@noticed_by("a_rerun_begins_with_what_was_before_the_step")
class RerunsWithAll(MemoryDurable):
    async def rerun(self, id: str, step: str, new_id: str) -> Started:
        return await super().rerun(id, "", new_id)


@noticed_by("a_rerun_begins_with_what_was_before_the_step")
class MovesWhatIsRerun(MemoryDurable):
    async def rerun(self, id: str, step: str, new_id: str) -> Started:
        started = await super().rerun(id, step, new_id)
        self.memory.rows[self.memory.ids[id]].records.clear()
        return started


@noticed_by("a_rerun_needs_a_new_id")
class RerunsOverWhatIsThere(MemoryDurable):
    async def rerun(self, id: str, step: str, new_id: str) -> Started:
        self.memory.ids.pop(new_id, None) if new_id != id else None
        return await super().rerun(id, step, new_id if new_id != id else f"{id}-2")


@noticed_by(
    "an_answer_wakes_who_waits", "a_second_answer_wakes_too", "a_wakeup_during_a_pass_leads_to_another"
)
class AnswersInSilence(MemoryDurable):
    async def arrive(self, id: str, name: str, text: str) -> str:
        row = self._pending(id)
        return self.memory.keep(
            row, NewRecord("answer", name, text, self.clock.time()), self.clock.time()
        ).text


@noticed_by("nothing_reaches_the_unknown_or_finished")
class ReachesTheFinished(MemoryDurable):
    def _pending(self, id: str) -> Row:
        return self.memory.named(id)


@noticed_by("a_forget_that_fails_deletes_nothing")
class DeletesThenForgets(MemoryDurable):
    async def delete(self, id: str, forget: Callable[[Transaction, str], None] | None = None) -> None:
        await super().delete(id)
        if forget is not None:
            self.memory.tables.transact(lambda transaction: forget(transaction, id))


@noticed_by("what_the_living_hold_is_not_taken_over", "what_a_dead_owner_held_is_taken_over")
class TakesFromTheLiving(Memory):
    def orphans(self) -> list[Row]:
        return [row for row in self.rows.values() if row.owner is not None]


@noticed_by("a_dead_owner_loses_what_it_had_only_taken", "what_a_closed_engine_left_is_owed")
class ForgetsDeliveries(Memory):
    def orphans(self) -> list[Row]:
        return [row for row in super().orphans() if row.token is not None]


@noticed_by("a_delivery_ends_with_the_claim_of_another_engine")
class KeepsDeliveries(Memory):
    def hold(self, row: Row, owner: int, now: float) -> Claim:
        taken = row.taken
        claim = super().hold(row, owner, now)
        row.taken = taken
        return claim


@noticed_by("what_is_closed_offers_nothing_even_if_it_is_kept_alive")
class OffersOn(MemoryDurable):
    async def close(self, *, keep_alive: bool = False) -> None:
        offers = self.memory.offers[self.owner]
        await super().close(keep_alive=keep_alive)
        self.memory.offers[self.owner] = offers


@noticed_by("a_takeover_carries_out_what_was_asked")
class TakesOverBlindly(Memory):
    def abandon(self, row: Row, now: float) -> None:
        self.let_go(row, Settlement("queued"), now)


# --- listeners and lists --------------------------------------------------------------------------------


@noticed_by("listeners_are_called_after_a_commit", "poll_tells_of_what_others_committed")
class TellsNobody(MemoryDurable):
    def listen(self, listener: Callable[[Signal], None]) -> Callable[[], None]:
        return super().listen(lambda signal: None)


@noticed_by(
    "who_attends_is_told_of_what_others_commit", "who_may_run_something_is_told_of_what_others_commit"
)
class AttendsForAMoment(MemoryDurable):
    async def attend(self) -> None:
        await self.poll()


@noticed_by("a_listener_that_fails_keeps_none_from_being_told")
class TellsUntilOneFails(MemoryDurable):
    def listen(self, listener: Callable[[Signal], None]) -> Callable[[], None]:
        told: list[Callable[[Signal], None]] = vars(self).setdefault("told", [])
        told.append(listener)
        if len(told) > 1:
            return lambda: told.remove(listener)

        def tell(signal: Signal) -> None:
            for each in told:
                each(signal)

        return super().listen(tell)


@noticed_by("listeners_are_told_of_conditions_that_come_and_go")
class SuffersInSilence(MemoryDurable):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._owner.health = Health(self.clock.time, lambda: None)


@noticed_by("a_store_is_well_at_first")
class ComplainsAlways(MemoryDurable):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._owner.health.report("locked", "always", stops_work=True)


@noticed_by("changes_carry_the_conditions")
class KeepsConditionsBack(MemoryCatalogue):
    async def changes(self, after: int, *, limit: int = 1000) -> Changes | Reset:
        return replace(await super().changes(after, limit=limit), conditions=())


@noticed_by("a_listener_sees_what_it_is_told_of")
class TellsTooEarly(MemoryDurable):
    async def pause(self, id: str) -> str:
        self._owner.changed(self.memory.named(id))
        for _ in range(10):
            await self._owner.turn()
        return await super().pause(id)


@noticed_by("what_is_deleted_leaves_a_trace", "a_view_that_follows_changes_has_the_list")
class LeavesNoTrace(Memory):
    def remove(self, row: Row, now: float) -> None:
        super().remove(row, now)
        self.tombstones.clear()


@noticed_by("pages_of_changes_miss_nothing")
class SkipsPages(MemoryCatalogue):
    async def changes(self, after: int, *, limit: int = 1000) -> Changes | Reset:
        feed = await super().changes(after, limit=limit)
        return replace(feed, at=self._memory.reached)


@noticed_by("changes_brings_each_changed_row_once", "every_transition_shows_in_changes")
class ReportsNewRowsOnly(Memory):
    def touch(self, row: Row) -> None:
        row.change = row.change or self.next()


@noticed_by("counts_equal_the_lists")
class CountsTheDeleted(MemoryCatalogue):
    async def counts(self) -> dict[str, int]:
        counts = await super().counts()
        return {**counts, "queued": counts.get("queued", 0) + len(self._memory.tombstones)}


# --- sweeping -------------------------------------------------------------------------------------------


class Sweeping(Memory):
    """Its sweeps let go of what `goes` says."""

    def let_go_of(self, retention: Retention, now: float) -> list[Row]:
        return [row for row in self.rows.values() if self.goes(row, retention, now)]

    def goes(self, row: Row, retention: Retention, now: float) -> bool:
        return row in super().let_go_of(retention, now)


@noticed_by("what_is_pending_is_never_swept")
class SweepsThePending(Sweeping):
    def goes(self, row: Row, retention: Retention, now: float) -> bool:
        return row.state in ("paused", "waiting") or super().goes(row, retention, now)


@noticed_by("nothing_is_swept_unasked")
class SweepsUnasked(Sweeping):
    def goes(self, row: Row, retention: Retention, now: float) -> bool:
        return super().goes(row, replace(retention, age=retention.age or timedelta(days=365)), now)


@noticed_by("what_is_removed_can_be_restored_for_a_while")
class SweepsTheRemovedAtOnce(Sweeping):
    def goes(self, row: Row, retention: Retention, now: float) -> bool:
        return row.removed_at is not None or super().goes(row, retention, now)


@noticed_by("what_is_removed_can_be_restored_for_a_while")
class NeverSweepsTheRemoved(Sweeping):
    def goes(self, row: Row, retention: Retention, now: float) -> bool:
        return row.removed_at is None and super().goes(row, retention, now)


@noticed_by("the_old_go_by_age")
class CountsAgeFromTheStart(Sweeping):
    def goes(self, row: Row, retention: Retention, now: float) -> bool:
        age = timedelta.max if retention.age is None else retention.age
        return row.finished and row.created_at < now - age.total_seconds()


@noticed_by("the_last_to_finish_are_kept")
class KeepsTheLastStarted(Sweeping):
    def goes(self, row: Row, retention: Retention, now: float) -> bool:
        newer = [each for each in self.rows.values() if each.finished and each.key > row.key]
        return row.finished and len(newer) >= (retention.keep or 0)


@noticed_by("what_is_removed_is_not_among_those_kept")
class CountsTheRemoved(Sweeping):
    def goes(self, row: Row, retention: Retention, now: float) -> bool:
        removed = sum(each.removed_at is not None for each in self.rows.values())
        kept = replace(retention, keep=max(0, (retention.keep or 0) - removed))
        return super().goes(row, kept, now)


class SweepsOtherwise(MemoryDurable):
    """What is swept at once, and with what each is forgotten, is for the broken one to say."""

    async def sweep(
        self, retention: Retention, forgets: Forgets, *, limit: int = 25, after: Swept | None = None
    ) -> Swept:
        return await super().sweep(retention, forgets, limit=limit, after=after)


@noticed_by("a_sweep_goes_on_where_it_was")
class KnowsNoEnd(SweepsOtherwise):
    async def sweep(self, *asked: Any, **options: Any) -> Swept:
        return replace(await super().sweep(*asked, **options), more=True)


@noticed_by("a_sweep_goes_on_where_it_was")
class StopsTooEarly(SweepsOtherwise):
    async def sweep(self, *asked: Any, **options: Any) -> Swept:
        return replace(await super().sweep(*asked, **options), more=False)


@noticed_by("a_sweep_goes_on_where_it_was")
class SweepsAllAtOnce(SweepsOtherwise):
    async def sweep(self, *asked: Any, **options: Any) -> Swept:
        return await super().sweep(*asked, **{**options, "limit": 1000})


@noticed_by("what_was_retried_meanwhile_stays")
class SweepsWhatItFoundFirst(SweepsOtherwise):
    async def sweep(self, *asked: Any, **options: Any) -> Swept:
        after = options.pop("after", None)
        if after is None:
            going = self.memory.let_go_of(asked[0], self.clock.time())
            return replace(await super().sweep(*asked, **options), mark=[row.id for row in going])
        await self._owner.turn()
        there = [id for id in after.mark if id in self.memory.ids]
        for id in there:
            await self.delete(id)
        return Swept(tuple(there))


@noticed_by("what_is_swept_is_gone")
class KeepsTheKey(Memory):
    def remove(self, row: Row, now: float) -> None:
        super().remove(row, now)
        self.rows[row.key] = replace(row, removed_at=now)


@noticed_by("a_sweep_forgets")
class ForgetsNothing(SweepsOtherwise):
    async def sweep(self, retention: Retention, forgets: Forgets, **options: Any) -> Swept:
        return await super().sweep(retention, dict.fromkeys(forgets), **options)


@noticed_by("what_nobody_here_can_forget_stays", "a_definition_that_forgets_no_more_is_swept")
class KeepsNoForgets(MemoryDurable):
    async def offer(self, offered: Sequence[Offered], command: str = "") -> None:
        await super().offer([replace(each, forgets=False) for each in offered], command)


@noticed_by("a_delete_without_its_forget_is_refused")
class DeletesTheUnknown(MemoryDurable):
    async def delete(self, id: str, forget: Forget | None = None, *, known: bool = True) -> None:
        await super().delete(id, forget)


@noticed_by("a_forget_that_raises_keeps_its_own")
class StopsAtAFailure(SweepsOtherwise):
    async def sweep(self, *asked: Any, **options: Any) -> Swept:
        swept = await super().sweep(*asked, **options)
        return replace(swept, more=swept.more and not swept.failed)


@noticed_by("a_forget_that_raises_keeps_its_own", "sweeps_at_once_do_no_harm")
class DeletesBeforeItForgets(MemoryDurable):
    def _delete(self, row: Row, forget: Forget | None) -> None:
        super()._delete(row, None)
        if forget is not None:
            for _ in range(2):
                self.memory.tables.transact(lambda transaction: forget(transaction, row.id))


@noticed_by("nobody_who_follows_misses_what_was_swept")
class BuriesInSilence(Memory):
    def bury(self, before: float) -> None:
        super().bury(before)
        self.horizon = 0


@noticed_by("nobody_who_follows_misses_what_was_swept")
class ResetsEverybody(Memory):
    def bury(self, before: float) -> None:
        super().bury(before)
        self.horizon = self.next()


@noticed_by("upkeep_comes_to_an_end")
class KeepsUpForEver(MemoryDurable):
    async def upkeep(self) -> bool:
        await super().upkeep()
        return True


# --- what comes at once ---------------------------------------------------------------------------------


@noticed_by("starts_at_once_are_each_as_if_alone")
class MixesInputs(Starting):
    asked = "null"

    async def start(self, id: str, name: str, version: int, input: str, **options: Any) -> Started:
        self.asked = input
        await self._owner.turn()
        return await super().start(id, name, version, self.asked, **options)


@noticed_by("ends_at_once_are_each_as_if_alone", "a_settled_pass_is_fenced")
class ForgivesTheFenced(MemoryDurable):
    async def settle(self, claim: Claim, receipt: int, settlement: Settlement) -> str:
        try:
            return await super().settle(claim, receipt, settlement)
        except Fenced:
            return settlement.state


@noticed_by("children_that_end_at_once_are_each_told_of")
class TellsOfOne(Memory):
    def tell_parent(self, row: Row, state: str, now: float) -> None:
        if not any(kind == Kind.CHILD for kind, _ in self.rows[row.parent or 0].records):
            super().tell_parent(row, state, now)


@noticed_by("records_at_once_are_each_as_if_alone")
class SaysFirstToAll(MemoryCheckpointer):
    async def record(self, claim: Claim, new: NewRecord, notes: Notes | None = None) -> Recorded:
        return (await super().record(claim, new, notes))._replace(first=True)


@noticed_by("ends_says_what_each_came_to")
class TellsNoFailure(MemoryCatalogue):
    async def ends(self, keys: Sequence[int]) -> dict[int, Ended | None]:
        found = await super().ends(keys)
        return {key: end and replace(end, failure=None) for key, end in found.items()}


@pytest.mark.parametrize(("broken", "promise"), BREAKING.cases)
async def test_a_broken_store_is_noticed(
    broken: type[Broken], promise: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepfast.testing.contract.hearing.PATIENCE", 0.1)
    check: Promise = PROMISES[promise]
    with pytest.raises(AssertionError):
        await check(Stores(broken))


@pytest.mark.parametrize("promise", BREAKING.promises)
async def test_a_store_that_is_not_broken_passes(promise: str) -> None:
    await PROMISES[promise](Stores(Broken))
