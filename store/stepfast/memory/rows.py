"""What the memory store keeps: one `Row` a workflow, in a `Memory` that several owners may share.

The names are those of the columns of the SQLite store, so that the two can be read side by side. Methods
here do one thing to one row and neither wait nor tell anybody: that is the owners' part.
"""

from __future__ import annotations

import logging
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice

from stepfast.body.children import COMPLETED, outcome_text, pause_before_waking
from stepfast.errors import Fenced, StepfastError, UnknownWorkflow
from stepfast.interfaces import (
    Claim,
    Kind,
    Message,
    NewRecord,
    NewSchedule,
    Notes,
    Offered,
    Recorded,
    Settlement,
)
from stepfast.memory.tables import Tables
from stepfast.passes.outcome import Failure, Problem
from stepfast.passes.tidying import PREFIX
from stepfast.retention import Retention
from stepfast.schedules import next_run, rule_from, run_id
from stepfast.state import FINISHED, Wait
from stepfast.views import LogLine, Progress, StepRecord
from stepfast.workers.limits import Room

__all__ = ["Memory", "Row", "moment"]

logger = logging.getLogger("stepfast")


def moment(seconds: float) -> datetime:
    """Seconds since the epoch as what views show."""
    return datetime.fromtimestamp(seconds, UTC)


@dataclass(slots=True)
class Row:
    """One workflow with everything kept of it; times in seconds since the epoch."""

    key: int
    id: str
    name: str
    version: int
    input: str
    priority: int
    created_at: float
    state: str = "queued"
    due: float | None = None
    waits: tuple[Wait, ...] = ()
    receipt: int = 0
    place: int = 0
    """Where it stands in the queue among those of its priority, the lowest first."""
    taken: int | None = None
    """The receipt of the last delivery handed out: it is out as long as this is the row's receipt."""
    token: int | None = None
    owner: int | None = None
    intent: str | None = None
    parent: int | None = None
    queue: str | None = None
    """The queue that it was begun in the last time."""
    cleanup: bool = False
    change: int = 0
    moved: int = 0
    """As `change`, but that it does not move with what the workflow notes of its progress."""
    started_at: float | None = None
    renewed_at: float | None = None
    finished_at: float | None = None
    removed_at: float | None = None
    result: str | None = None
    failure: Failure | None = None
    problems: tuple[Problem, ...] = ()
    step: str | None = None
    progress: Progress | None = None
    records: dict[tuple[str, str], StepRecord] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    bookmarks: dict[str, str] = field(default_factory=dict)
    log: list[LogLine] = field(default_factory=list)

    @property
    def finished(self) -> bool:
        return self.state in FINISHED

    @property
    def is_out(self) -> bool:
        """Whether a delivery was taken, and no wakeup came since."""
        return self.state == "queued" and self.taken == self.receipt


class Memory:
    """The dicts that engines share as they would share a file; `MemoryDurable(memory=...)` takes one."""

    def __init__(self) -> None:
        self.rows: dict[int, Row] = {}
        self.ids: dict[str, int] = {}
        self.tombstones: list[tuple[int, str, float]] = []
        self.horizon = 0
        self.forgets: set[str] = set()
        self.cleanups: set[str] = set()
        self.living: set[int] = set()
        self.attending: dict[int, Callable[[], object]] = {}  # what rings each owner that wants to be rung
        self.offers: dict[int, tuple[str, tuple[Offered, ...]]] = {}
        self.schedules: dict[str, tuple[NewSchedule, float | None]] = {}
        """By name, with when the next run is due."""
        self.children: dict[int, set[int]] = {}
        """By the key of a parent, the keys of its children."""
        self.also: list[Row] = []
        """What else the commit that is being made has changed, for its signal."""
        self.commits = 0
        self.identity = uuid.uuid4().hex
        self.tables = Tables()
        self._counter = 0

    def next(self) -> int:
        """The next number of the one counter, which never goes back."""
        self._counter += 1
        return self._counter

    @property
    def reached(self) -> int:
        """The last number given out."""
        return self._counter

    # --- finding

    def named(self, id: str) -> Row:
        """The workflow of that id; raises `UnknownWorkflow`."""
        key = self.ids.get(id)
        if key is None:
            raise UnknownWorkflow(id)
        return self.rows[key]

    def held(self, claim: Claim) -> Row:
        """The workflow whose claim this is; raises `Fenced` where another stands, or none.

        Equality, not order: a token that is not the claim's is refused whichever way it differs.
        """
        row = self.rows.get(claim.workflow)
        if row is None:
            raise Fenced(f"workflow {claim.id!r} was deleted while a pass of it ran")
        if row.token is None or row.token != claim.token:
            raise Fenced(f"token {claim.token} is not that of the claim on workflow {claim.id!r} any more")
        return row

    def due(self, now: float) -> list[Row]:
        """Make ready what is due by now, the earliest first, and give it."""
        self.run_schedules(now)
        due = [row for row in self.rows.values() if row.due is not None and row.due <= now]
        due.sort(key=lambda row: row.due or 0.0)
        for row in due:
            self.queue(row)
        return due

    def ready(self, offered: Sequence[Offered], limit: int) -> list[Row]:
        """The workflows to be handed out next."""
        can = {(one.name, one.version) for one in offered}
        ready = [
            row
            for row in self.rows.values()
            if row.state == "queued" and not row.is_out and (row.name, row.version) in can
        ]
        ready.sort(key=lambda row: (-row.priority, row.place, row.key))
        return ready[: max(0, limit)]

    def ready_within(self, offered: Sequence[Offered], limit: int) -> list[Row]:
        """As `ready`; of what has a limit, no more than there is room for."""
        room = Room(offered)
        if not room.names and not room.queues:
            return self.ready(offered, limit)
        running = [row for row in self.rows.values() if row.state == "running"]
        room.running(Counter(row.name for row in running), Counter(row.queue for row in running if row.queue))
        by_name = {(one.name, one.version): one for one in offered}
        ready = self.ready(offered, len(self.rows))
        allowed = (row for row in ready if room.take(by_name[row.name, row.version]))
        return [*islice(allowed, max(0, limit))]

    def next_due(self) -> float | None:
        """When the next timer is due."""
        timers = [row.due for row in self.rows.values()] + [due for _, due in self.schedules.values()]
        return min((due for due in timers if due is not None), default=None)

    def run_schedules(self, now: float) -> None:
        """Start what is due, the earliest first, and move each of those schedules to its next run."""
        due_now = [(due, name) for name, (_, due) in self.schedules.items() if due is not None and due <= now]
        for due, name in sorted(due_now):
            new, _ = self.schedules[name]
            try:
                run = next_run(rule_from(new.rule), new.missed, due, now)
            except (StepfastError, ValueError, OverflowError) as error:
                logger.error("the schedule %s has stopped, set it anew: %s", name, error)
                self.schedules[name] = (new, None)
                continue
            self.schedules[name] = (new, run.due)
            id = run_id(name, due)
            if run.start and id not in self.ids:
                row = Row(self.next(), id, new.definition, new.version, new.input, 0, created_at=now)
                self.add(row)
                self.queue(row)
                self.also.append(row)

    # --- changing

    def touch(self, row: Row) -> None:
        """Number a change that lists show."""
        row.change = row.moved = self.next()

    def queue(self, row: Row, *, in_place: bool = False) -> None:
        """Owe it a pass: a receipt that no delivery has yet; behind those that are ready, or `in_place`."""
        row.state, row.due, row.waits, row.taken = "queued", None, (), None
        row.receipt = self.next()
        if not in_place:
            row.place = row.receipt
        self.touch(row)

    def wake(self, row: Row) -> None:
        """One wakeup; a paused or blocked workflow stays as it is, a finished one ignores it."""
        if row.state in ("sleeping", "waiting") or row.is_out:
            self.queue(row)
        elif row.state == "running":
            row.receipt = self.next()
            self.touch(row)

    def hold(self, row: Row, owner: int, now: float) -> Claim:
        """Claim it, with a token that was never used."""
        if row.owner != owner:
            row.taken = None  # a delivery outlives the claim of its taker only, who dies with it
        row.state, row.due, row.waits = "running", None, ()
        row.token, row.owner = self.next(), owner
        row.started_at = now if row.started_at is None else row.started_at
        self.touch(row)
        return Claim(row.key, row.id, row.token)

    def let_go(self, row: Row, settlement: Settlement, now: float, *, woken: bool = False) -> None:
        """End the claim, or what stood in its place, with the row in the state of `settlement`.

        What is ready then goes on in its place, unless it was `woken`.
        What is cancelled owes a pass that tidies up, where its definition has one and this was not it.
        """
        if settlement.state == "cancelled" and not row.cleanup:
            row.cleanup = True
            if row.name in self.cleanups:
                settlement = Settlement("queued")
        row.state, row.due, row.waits = settlement.state, settlement.due, settlement.waits
        row.token = row.owner = row.intent = row.taken = None
        if row.finished:
            row.finished_at = now
            row.result, row.failure = settlement.result, settlement.failure
            row.problems = settlement.problems
            if settlement.failure is not None:
                row.step = settlement.failure.step
        if row.state == "queued":
            self.queue(row, in_place=not woken)
        else:
            self.touch(row)
        if row.finished:
            self.tell_parent(row, row.state, now)
        if row.state == "cancelled" or row.cleanup:
            self.cancel_children(row, now, tidying=row.state != "cancelled")

    def abandon(self, row: Row, now: float) -> None:
        """End a claim without a pass to settle: what was asked is carried out, else a pass is owed."""
        asked = {"pause": "paused", "cancel": "cancelled"}
        self.let_go(row, Settlement(asked.get(row.intent or "", "queued")), now)

    def keep(self, row: Row, new: NewRecord, now: float) -> Recorded:
        """Store a record unless one of that kind and name is there."""
        there = row.records.get((new.kind, new.name))
        if there is not None:
            return Recorded(there.text, first=False)
        if new.bookmarked:
            row.bookmarks.pop(new.name, None)
        row.records[new.kind, new.name] = StepRecord(
            kind=new.kind,
            name=new.name,
            text=new.text,
            position=self.next(),
            started_at=moment(new.started_at),
            recorded_at=moment(now),
            attempts=new.attempts,
        )
        return Recorded(new.text, first=True)

    def add(self, row: Row) -> None:
        """One more workflow."""
        self.rows[row.key] = row
        self.ids[row.id] = row.key
        if row.parent is not None:
            self.children.setdefault(row.parent, set()).add(row.key)

    def tell_parent(self, row: Row, state: str, now: float) -> None:
        """Record with the parent how this child has ended, and wake it, unless nothing waits for it there."""
        parent = self.rows.get(row.parent or 0)
        if parent is None or parent.finished or parent.intent == "cancel":
            return
        name = row.id[len(parent.id) + 1 :]
        if parent.cleanup and not name.startswith(PREFIX):
            return  # it tidies up, and waits for the children of that pass alone
        text = outcome_text(state, row.result, row.failure)
        started_at = row.created_at if row.started_at is None else row.started_at
        self.keep(parent, NewRecord(Kind.CHILD, name, text, started_at), now)
        pause = pause_before_waking(sum(not one.finished for one in self.children_of(parent)))
        if pause and parent.state == "waiting":
            parent.due = now + pause if parent.due is None else min(parent.due, now + pause)
            self.touch(parent)
        else:
            self.wake(parent)
        self.also.append(parent)

    def children_of(self, row: Row) -> list[Row]:
        """Its children, in the order in which they were started."""
        return [self.rows[child] for child in sorted(self.children.get(row.key, ()))]

    def cancel_children(self, row: Row, now: float, *, tidying: bool = False) -> None:
        """Cancel those that are pending, and theirs; the holders of those that run are asked to.

        `tidying`: but for those that its clean-up has started.
        """
        for child in self.children_of(row):
            if tidying and child.id[len(row.id) + 1 :].startswith(PREFIX):
                continue
            if child.state == "running":
                if child.intent != "cancel":
                    child.intent = "cancel"
                    self.touch(child)
                    self.cancel_children(child, now)
            elif not child.finished:
                self.let_go(child, Settlement("cancelled"), now, woken=True)
            self.also.append(child)

    def note(self, row: Row, notes: Notes | None) -> None:
        """Take over what changes all the time."""
        if notes is None:
            return
        row.bookmarks.update(notes.bookmarks)
        row.log += [
            LogLine(self.next(), moment(at), level, step, text) for at, level, step, text in notes.log
        ]
        if notes.step is not None or notes.progress is not None:
            row.step = row.step if notes.step is None else notes.step
            row.progress = notes.progress or row.progress
            row.change = self.next()

    def renew(self, row: Row, now: float) -> None:
        """Ready once more after it had failed or was cancelled; its records are kept."""
        row.renewed_at = now
        row.cleanup = row.cleanup and row.state == "failed"
        row.finished_at = row.removed_at = row.result = row.failure = None
        row.problems = ()
        for kind, name in [*row.records]:
            ended = kind == Kind.CHILD and not row.records[kind, name].text.startswith(COMPLETED)
            if ended or kind == Kind.STARTED:
                del row.records[kind, name]
        attempts = {name for kind, name in row.records if kind == Kind.ATTEMPT}
        for name in attempts:
            del row.records[Kind.ATTEMPT, name]
            row.records.pop((Kind.BEGUN, name), None)
        self.queue(row)
        for child in self.children_of(row):
            if child.state in ("failed", "cancelled"):
                self.renew(child, now)
                self.also.append(child)

    def remove(self, row: Row, now: float) -> None:
        """Forget everything of it but that it was there."""
        if not row.finished:
            self.tell_parent(row, "cancelled", now)
        del self.rows[row.key], self.ids[row.id]
        self.children.pop(row.key, None)
        self.children.get(row.parent or 0, set()).discard(row.key)
        self.tombstones.append((self.next(), row.id, now))

    def bury(self, before: float) -> None:
        """Forget that those were there that went before a moment; `changes` from before them is a `Reset`."""
        while self.tombstones and self.tombstones[0][2] <= before:
            self.horizon = self.tombstones.pop(0)[0]

    def let_go_of(self, retention: Retention, now: float) -> list[Row]:
        """The finished workflows that may be deleted now, those that were removed first, then the oldest."""
        finished = [row for row in self.rows.values() if row.finished and not self._has_pending_kin(row)]
        removed = [row for row in finished if row.removed_at is not None]
        shown = sorted(
            (row for row in finished if row.removed_at is None),
            key=lambda row: (row.finished_at or 0.0, row.key),
        )
        too_many = 0 if retention.keep is None else max(0, len(shown) - retention.keep)
        age = float("inf") if retention.age is None else retention.age.total_seconds()
        since = now - retention.removed_after.total_seconds()
        going = [row for row in removed if (row.removed_at or 0.0) <= since]
        going.sort(key=lambda row: (row.removed_at or 0.0, row.key))
        return going + [
            row
            for place, row in enumerate(shown)
            if place < too_many or (row.finished_at or 0.0) <= now - age
        ]

    def _has_pending_kin(self, row: Row) -> bool:
        parent = self.rows.get(row.parent or 0)
        kin = [*self.children_of(row), *(() if parent is None else (parent,))]
        return any(not one.finished for one in kin)

    def orphans(self) -> list[Row]:
        """What is claimed, or was taken, by owners that live no more."""
        return [row for row in self.rows.values() if row.owner is not None and row.owner not in self.living]
