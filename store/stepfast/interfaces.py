"""What a store owes the engine: `Checkpointer`, `Scheduler`, `Durable` and `Catalogue`.

All are views of one file (or one set of dicts). What may be written is the checkpointer's, who owes a
pass is the scheduler's, the transitions that cross both are the durable's, each of them one commit, and
lists are the catalogue's. Values cross these lines as text: the codec is the caller's, so a store can
neither lose a type nor run anything; they are in `stepfast.exchanged`.

`stepfast.testing.contract` has a test for every MUST below and runs over any store.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from stepfast.body.run import Transaction
from stepfast.exchanged import (
    Begun,
    Checkpoint,
    Claim,
    Delivery,
    Held,
    Kind,
    Look,
    Message,
    NewRecord,
    NewSchedule,
    Notes,
    Offered,
    Recorded,
    Settlement,
    Signal,
    Started,
)
from stepfast.health import Health
from stepfast.placing import Where
from stepfast.retention import Forget, Forgets, Retention, Swept
from stepfast.views import EVERYTHING, Changes, Filter, Listing, Offer, Reset, StepRecord, Summary

if TYPE_CHECKING:
    from stepfast.details import Bulk, Details, Ended, LogLine, LogPart, RecordOutline, Schedule

__all__ = [
    "Begun",
    "Catalogue",
    "Checkpoint",
    "Checkpointer",
    "Claim",
    "Delivery",
    "Durable",
    "Held",
    "Kind",
    "Look",
    "Message",
    "NewRecord",
    "NewSchedule",
    "Notes",
    "Offered",
    "Recorded",
    "Scheduler",
    "Settlement",
    "Signal",
    "Started",
]

T = TypeVar("T")


class Checkpointer(Protocol):
    """Where a workflow's finished work is kept, and who may add to it.

    - `load` MUST return records and messages in the order in which they were first written, whoever
      wrote them, and nothing of another workflow. With `after` it MUST return those written later than
      that position (bookmarks whole).
    - `claim` MUST grant at most one claim per workflow, with a token greater than every one before it
      in this file, and return None while another stands. `release` MUST end that claim and no other,
      carry out what was asked of its holder, and otherwise leave the workflow owed a pass. A delivery that
      is out with another engine MUST end with the claim.
    - `record` MUST write only under the claim as it stands: with another token, or none, it MUST raise
      `Fenced` and write nothing. It MUST NOT overwrite a record of that kind and name; it returns what
      is stored after the call, and `first` only where this call stored it.
    - a `record` that has returned MUST be on disk.
    - `transact` MUST commit what the effect wrote together with the record or not at all, under the
      same rules; where the name is recorded already, the effect MUST NOT run. An effect MUST NOT be able
      to end the transaction, change the connection or touch the engine's tables. Notes are written as by
      `record`, whether or not this call stored the record.
    - `query` MUST refuse every write.
    - `note` MUST write under the same fence, but losing notes in a crash is allowed.
    - `child` MUST, under the claim as it stands, start a workflow with this one as its parent and its
      priority, and record that it did (`Kind.STARTED`), in one commit; or find the child that has the id.
      One of another definition, input or parent is `AlreadyStarted`. Where it has finished already, how it
      ended MUST be recorded in that commit, and is returned.
    """

    async def load(self, workflow: int, *, after: int = 0) -> Checkpoint: ...
    async def claim(self, id: str) -> Claim | None: ...
    async def release(self, claim: Claim) -> None: ...
    def record(self, claim: Claim, new: NewRecord, notes: Notes | None = None) -> Awaitable[Recorded]: ...
    async def transact(
        self,
        claim: Claim,
        name: str,
        effect: Callable[[Transaction], str],
        started_at: float,
        notes: Notes | None = None,
    ) -> Recorded: ...
    async def query(self, read: Callable[[Transaction], T]) -> T: ...
    async def note(self, claim: Claim, notes: Notes) -> None: ...
    async def child(
        self, claim: Claim, name: str, id: str, definition: str, version: int, input: str
    ) -> str | None: ...


class Scheduler(Protocol):
    """Who owes a pass, and when.

    - `wake` MUST make a pending workflow ready, or, while a delivery of it is out, renew the receipt,
      so that another pass follows. A paused or blocked one stays as it is.
    - `take` MUST hand each ready workflow to one taker, highest priority first, then the one that has been
      ready longest (since it was woken, where it was out); only those whose name and version are among
      `offered`. It also makes ready what is due.
    - what was stopped and goes on (a `settle` with "queued", a `release`, a takeover, a `resume`) MUST have
      the place that it had; and what waited, slept or was blocked a place behind those that are ready.
    - `wake_at` and `done` answer for a delivery. They MUST do nothing, and return False, where the
      receipt has moved on or the workflow is claimed.
    """

    async def wake(self, id: str) -> None: ...
    async def take(self, offered: Sequence[Offered], limit: int) -> list[Delivery]: ...
    async def wake_at(self, delivery: Delivery, due: float) -> bool: ...
    async def done(self, delivery: Delivery) -> bool: ...
    async def next_due(self) -> float | None: ...


class Catalogue(Protocol):
    """Lists for views. They MUST NOT read inputs, results or records, and MUST let their snapshot go.

    - of one workflow, `outline` MUST have what `history` has, in its order, without the values; `record` is
      one of those, whole, or None where there is none.
    - `find_lines` looks at `limit` lines of a log at most: the first after a position or, with `before`, the
      last before one. It MUST tell of each that has one of the levels (any, where there is none) and whose
      text contains `text`, whatever the case of the letters a to z. Going on from `last`, or from `first`, it
      MUST have looked at all of them once there are no `more`. `lines` are those at some positions, in order.

    - a list MUST have what matches its `views.Filter`, all of it and nothing else, in one of `views.ORDERS`
      or, `descending`, in exactly the reverse. Its text MUST be found as `stepfast.finding` has it. Another
      order or state is `InvalidInput`.
    - `list` gives a page of it. `after` is the last row of the page before, as it was given: the page begins
      behind the place where that row lay then, wherever it lies now and whether or not it is still there. So
      pages MUST neither leave out nor repeat a row that did not move meanwhile.
    - `Summary.attempts` is how many records of the kind `ATTEMPT` there are.
    - a row's parent is who started it; `families` MUST count, by state, the children of some that are on the
      lists, and leave out who has none.
    - `ends` MUST say of some keys what each came to, or None where it is pending, and leave out those that
      are gone.
    - `listing` MUST give the keys of all of it, as they are at one moment, with the number of the last change
      until then; and `rows` the rows of some keys in
      the order asked for, without those that are gone: for a table that scrolls.
    - `Summary.step` is the step that runs, or that it failed at; none for what completed or was cancelled.
    - `changes` MUST report every row changed after a number, as it stands; a number from before the
      horizon of what was swept is answered by `Reset`.
    - `offers` MUST be those of living owners. `schedules` are all there are, by name.
    - An unknown id is `UnknownWorkflow`.
    """

    async def get(self, id: str) -> Details: ...
    async def summary(self, id: str) -> Summary: ...
    async def ends(self, keys: Sequence[int]) -> dict[int, Ended | None]: ...
    async def listing(
        self, filter: Filter = EVERYTHING, *, order: str = "pending", descending: bool = False
    ) -> Listing: ...
    async def rows(self, keys: Sequence[int]) -> list[Summary]: ...
    async def history(self, id: str) -> list[StepRecord]: ...
    async def outline(self, id: str, *, after: int = 0) -> list[RecordOutline]: ...
    async def record(self, id: str, kind: str, name: str) -> StepRecord | None: ...
    async def log(self, id: str, *, after: int = 0, limit: int = 1000) -> list[LogLine]: ...
    async def find_lines(
        self,
        id: str,
        *,
        after: int = 0,
        before: int | None = None,
        levels: Collection[str] = (),
        text: str = "",
        limit: int = 10_000,
    ) -> LogPart: ...
    async def lines(self, id: str, positions: Sequence[int]) -> list[LogLine]: ...
    async def counts(self) -> dict[str, int]: ...
    async def families(self, keys: Sequence[int]) -> dict[int, dict[str, int]]: ...
    async def changes(self, after: int, *, limit: int = 1000) -> Changes | Reset: ...
    async def offers(self) -> list[Offer]: ...
    async def schedules(self) -> list[Schedule]: ...

    # Last, since below it `list` in an annotation would name this method.
    async def list(
        self,
        filter: Filter = EVERYTHING,
        *,
        order: str = "newest",
        descending: bool = False,
        after: Summary | None = None,
        limit: int = 100,
    ) -> list[Summary]: ...


class Durable(Protocol):
    """The transitions that cross checkpoint and schedule, each one commit.

    - `start` MUST give the workflow that has the id where name, version and input are the same, and
      raise `AlreadyStarted` where they differ. With `join`, a pending workflow of that name, version and
      input MUST be given instead of a second one.
    - `begin` is `take` and `claim` together: what it returns is claimed by this engine, and running.
    - `begin` MUST NOT have more of a name running, nor more of a queue, than `Offered` says, whoever holds
      them: counted in the commit that begins them. What it holds back stays ready, in its place, and MUST
      NOT keep others back. When one that was begun under a limit ends, listeners MUST hear of something
      `ready`. (Limits are `begin`'s: what is claimed by its id is counted by its name, and not held back.)
    - `settle` MUST write nothing and raise `Fenced` where the token is not the claim's. A finished
      workflow ignores newer wakeups; of the other outcomes, sleeping and waiting MUST become queued where
      `receipt` is not the row's any more. What a person asked meanwhile (`pause`, `cancel`) MUST be
      carried out, except that a pass that finished stays finished. It returns the state written.
    - `arrive` MUST write the answer (the first under its name wins, and every caller gets the stored
      text) and wake the workflow, together; `deliver` the same with a message. Unknown and finished ids
      are `UnknownWorkflow` and `AlreadyFinished`.
    - `unblock` MUST write a record to a blocked workflow, if none of that kind and name is there, and make it
      ready, together. Where it is not blocked it MUST raise `NotAllowed` and write nothing.
    - what is cancelled of a definition that anybody ever offered as one that `tidies` MUST become queued, for
      a pass with `cleanup` (`Begun`), whoever cancels it and when: at once, by an intent that is carried out,
      by a takeover. What is cancelled in that pass, or before it, MUST be cancelled for good. A retry of what
      was cancelled goes on with the body, and of a clean-up that failed with the clean-up.
    - `reassign` MUST give a pending workflow that nobody holds another version, and leave everything else of
      it as it is; of one that is held or has finished it MUST raise `NotAllowed` or `AlreadyFinished`.
    - `rerun` MUST make a new, ready workflow of the name, version and input of another one, with its messages
      and what was recorded of it before the step `step`, in that order; with all of it where that step is not
      recorded. Attempts MUST NOT be among that, and the old one MUST stay as it is. Of an unknown
      one it is `UnknownWorkflow`, whatever the new id; a new id that is known is `AlreadyStarted`.
    - what is retried has had no attempts: `retry` MUST delete the records of the kinds `ATTEMPT` and, where
      there is an attempt of that name, `BEGUN`.
    - `delete` MUST remove the workflow with everything the engine keeps of it, and run `forget` in that
      commit. A pass that still runs is fenced by it. With `known` False (the caller lacks the definition) it
      MUST raise `NotAllowed` where anybody ever offered one of that name that has a `forget`.
    - `sweep` MUST delete, each as `delete` does, finished workflows that `retention` lets go and no other:
      those removed for `removed_after`, and, of those not removed, the ones that finished `age` ago and the
      ones that finished before the last `keep`. What is pending MUST stay. It looks at `limit` workflows at
      most; handed back as `after` until `more` is False, it MUST have looked at all. Those of a definition
      that has a `forget` (`Offered`) and is not among `forgets` MUST stay. A `forget` that raises MUST leave
      its workflow whole and be told of in `failed`, and MUST NOT keep others. Sweeps at once do no harm.
    - a commit of a `sweep` MUST NOT grow with the size of a workflow, nor go before a call that waits with
      it. A workflow goes from every list at once; what a crash leaves of it MUST go with the next sweep.
    - `upkeep` MUST do one small piece of what the store needs now and then, and return whether there is more.
    - `remove` MUST mark those of the ids that have finished, so that lists hide them, and `restore` take the
      marks away; both return the ids concerned. What is pending stays. With a parent MUST go the children of
      it that have finished, and theirs, and come back.
    - `pause`, `resume`, `cancel`, `retry` MUST act at once on a workflow nobody holds, and leave an
      intent for its holder otherwise. They return the state the row has then. What is retried is on the lists
      again, if it was removed.
    - `bulk` MUST do one of `views.ACTIONS` to any number of workflows, to each exactly as it is done to one:
      to those with the keys given or, for a `views.Filter`, to what matches when it is called; but for those
      `without`, and those that have changed by then, in more than their progress, since the number `upto`:
      how far the view had come that somebody looked at. What begins in the place of what it stopped was to
      be asked too, and MUST be. It MUST say what it did, and count by reason what it left
      (`views.Bulk`); that it cannot be done to one MUST NOT keep it from the others.
    - a `bulk` MUST NOT hold other calls up for longer than a small commit, whatever the number. One that ends
      in the middle, in a crash or cancelled, MUST have been done to each whole or not at all; asked again, it
      does the rest.
    - `prioritise` MUST give what is pending of any number of workflows another priority, in the ways of
      `bulk`, and leave their places; `begin` and `take` go by it from then on.
    - `line_up` MUST put those of `keys` that are queued elsewhere in the queue, in one commit and in the
      order in which they would run: before everything ("first") or behind it ("last"), or right "before" or
      "after" the queued workflow `other`. They get the priority of what they are put beside, so that they
      run there; "first" and "last" give the highest and the lowest priority that anything queued has. The
      others MUST keep their order. Where `other` is not queued any more, nothing moves, and each is counted
      as "changed".
    - `schedule` MUST keep a schedule in the place of one of its name, due when `schedules.first_run` says;
      where the rule is the same, the next run stays as it was, if that is earlier. It returns when that is.
      `unschedule` takes one away, and returns whether there was one; what it started stays.
    - `switch_schedule` MUST switch a schedule off, so that it has no next run, or on, and then it is due when
      `schedules.first_run` says; where it is so already nothing moves. It returns whether there is one. One
      that is off MUST stay so when it is kept again, and one whose rule is `schedules.switched` off MUST be
      so from the start; `schedule` returns then when it would be due.
    - `begin_next` MUST wait until a call of this engine's makes something ready, and then hand out what
      `begin` with that limit would: in the same commit, or in one that follows it. It MAY return nothing.
      Cancelled, it MUST leave nothing held by the time that it ends.
    - `begin` and `take` MUST do of each schedule that is due what `schedules.next_run` says, in one commit
      and in the order in which they are due: start the workflow under the id that `schedules.run_id` gives,
      unless there is one, and move the next run. So two engines MUST NOT start two. `next_due` and `look`
      MUST count the next run of each among the timers.
    - whatever finishes a child MUST, in the same commit, record how it ended with its parent (`Kind.CHILD`,
      under the child's name) and wake that as `arrive` does, unless the parent has finished or is being
      cancelled. (Where many children of one that waits are pending, it may be woken by a timer, a second
      later at most, so that their ends gather.) A child that is deleted before it has finished counts as
      cancelled.
    - whatever cancels a workflow, or asks its holder to, MUST cancel its pending children in the same commit,
      and theirs. Where it completes or fails, its children go on. To `retry` one MUST retry its children that
      failed or were cancelled, and forget of them what their parent recorded.
    - `look` MUST have what this engine holds, as one moment has it that is no earlier than the call, and say
      of each claim whether it is one of `begin` and `begin_next` or one of `Checkpointer.claim`. One of the
      former that a worker was not given, it gives back.
    - `takeover` MUST queue again what dead owners hold, having looked again inside its own transaction,
      and return the ids; what was asked of those is carried out.
    - numbers (tokens, receipts, changes) MUST come from one counter that never goes back, and positions rise
      with it.
    - `takeover` wants to be asked every `look_every` seconds, and, while anything is held, `beat` every
      `beat_every`.
    - after a commit that changed rows, every listener MUST be called, on the loop that it was added from.
    - what another engine commits, listeners MUST be told of by `poll` at the latest; and, once `attend` has
      returned, or where this engine began or offered anything, with no more to do than wait.
    - `health` has what is wrong with the store now. Whenever it changes, every listener MUST be told by a
      `Signal` with `condition`, and `Catalogue.changes`, where it can be read, MUST carry what is in it.
    - `identity` MUST be a text that is the same whenever and by whomever this storage is opened, and another
      for another storage.
    - after `hurry`, since the program is ending, a call that waits for another program MUST end within a
      second, with a `StoreError`: those that are under way, and those to come.
    - `close` MUST leave nothing held that nobody will take over, unless it is to be kept alive.
    """

    @property
    def checkpointer(self) -> Checkpointer: ...
    @property
    def scheduler(self) -> Scheduler: ...
    @property
    def catalogue(self) -> Catalogue: ...
    @property
    def health(self) -> Health: ...

    async def start(
        self,
        id: str,
        name: str,
        version: int,
        input: str,
        *,
        at: float | None = None,
        priority: int = 0,
        join: bool = False,
    ) -> Started: ...
    async def begin(self, offered: Sequence[Offered], limit: int) -> list[Begun]: ...
    async def begin_next(self, offered: Sequence[Offered], limit: int) -> list[Begun]: ...
    async def settle(self, claim: Claim, receipt: int, settlement: Settlement) -> str: ...
    async def arrive(self, id: str, name: str, text: str) -> str: ...
    async def deliver(self, id: str, text: str) -> int: ...
    async def schedule(self, new: NewSchedule) -> float: ...
    async def unschedule(self, name: str) -> bool: ...
    async def switch_schedule(self, name: str, on: bool) -> bool: ...
    async def unblock(self, id: str, new: NewRecord) -> None: ...
    async def rerun(self, id: str, step: str, new_id: str) -> Started: ...
    async def reassign(self, id: str, version: int) -> None: ...
    async def delete(self, id: str, forget: Forget | None = None, *, known: bool = True) -> None: ...
    async def sweep(
        self, retention: Retention, forgets: Forgets, *, limit: int = 25, after: Swept | None = None
    ) -> Swept: ...
    async def upkeep(self) -> bool: ...
    async def pause(self, id: str) -> str: ...
    async def resume(self, id: str) -> str: ...
    async def cancel(self, id: str) -> str: ...
    async def retry(self, id: str) -> str: ...
    async def remove(self, ids: Sequence[str]) -> list[str]: ...
    async def restore(self, ids: Sequence[str]) -> list[str]: ...
    async def bulk(
        self,
        action: str,
        of: Filter | Sequence[int],
        *,
        upto: int | None = None,
        without: Collection[int] = (),
    ) -> Bulk: ...
    async def prioritise(
        self,
        of: Filter | Sequence[int],
        priority: int,
        *,
        upto: int | None = None,
        without: Collection[int] = (),
    ) -> Bulk: ...
    async def line_up(self, keys: Sequence[int], where: Where, other: int | None = None) -> Bulk: ...
    async def look(self) -> Look: ...
    async def offer(self, offered: Sequence[Offered], command: str = "") -> None: ...
    async def beat(self) -> None: ...
    async def takeover(self) -> list[str]: ...
    async def poll(self) -> None: ...
    async def attend(self) -> None: ...
    @property
    def look_every(self) -> float: ...
    @property
    def beat_every(self) -> float: ...
    def listen(self, listener: Callable[[Signal], None]) -> Callable[[], None]: ...
    async def identity(self) -> str: ...
    def hurry(self) -> None: ...
    async def close(self, *, keep_alive: bool = False) -> None: ...
