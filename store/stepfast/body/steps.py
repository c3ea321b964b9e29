"""`PassRun`: what a body is handed, over a pass (`passing.py`) and a checkpoint.

The first lines of each call are the replay: a name that is recorded is looked up and handed back. What is not
recorded yet is `doing.py`'s.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from stepfast.body.current import current_step
from stepfast.body.doing import Doing, result_of
from stepfast.body.inbox import Inbox
from stepfast.body.noting import LONGEST_LINE, NoteKeeper, cut, line_of
from stepfast.body.parenting import Children
from stepfast.body.performing import Performing
from stepfast.body.recording import Recording
from stepfast.body.retrying import Retry
from stepfast.body.run import Bookmark, OnInterrupt, Place, Transaction
from stepfast.body.trying import Options, try_step
from stepfast.definitions.definition import Request
from stepfast.definitions.parameters import refuse_secrets, schema_of
from stepfast.errors import (
    DefinitionError,
    DuplicateStep,
    InvalidInput,
    RunClosed,
    StoreError,
)
from stepfast.interfaces import Checkpoint, Checkpointer, Claim, Kind, NewRecord
from stepfast.passes.containing import called, check_plain, plain
from stepfast.passes.holding import Hold, give_up
from stepfast.passes.outcome import Problem
from stepfast.passes.passing import Pass
from stepfast.passes.tidying import PREFIX
from stepfast.secrets import NOTHING, Veil
from stepfast.state import AnswerWait, SleepWait
from stepfast.system.clock import Clock
from stepfast.system.threads import Threads
from stepfast.values import codec
from stepfast.values.shapes import decode_as
from stepfast.views import Progress, StepRecord

if TYPE_CHECKING:
    from stepfast.processes.running import Processes

__all__ = ["PassRun"]

T = TypeVar("T")

MOST_NAMED = 20
LEVELS = ("debug", "info", "warning", "error")


class PassRun:
    """A `stepfast.body.run.Run` for one pass.

    Args:
        claim: as whom it writes.
        making: the pass, which knows about tasks and waits.
        checkpointer: where it writes.
        checkpoint: what was there when the pass began.
        threads: where plain functions run.
        clock: for sleeps and for when a step began.
        hold: asked when the store failed under a write, whether to try again.
        veil: the secrets of the input, which must not be in anything that it writes.
        processes: gives where effects run that are to have a process of their own.
    """

    def __init__(
        self,
        claim: Claim,
        making: Pass,
        checkpointer: Checkpointer,
        checkpoint: Checkpoint,
        threads: Threads[None],
        clock: Clock,
        hold: Hold = give_up,
        veil: Veil = NOTHING,
        processes: Callable[[], Processes] | None = None,
    ) -> None:
        self._veil = veil
        self._claim = claim
        self._pass = making
        self._checkpointer = checkpointer
        self._clock = clock
        self.notes = NoteKeeper(checkpointer, claim, clock.time, making.abort, hold, veil)
        self._recording = Recording(claim, making, checkpointer, self.notes, hold)
        self._performing = Performing(claim, making, threads, processes)
        self.doing = Doing(
            claim,
            making,
            checkpointer,
            self._recording,
            self._performing,
            self.notes,
            checkpoint.bookmarks,
            threads,
            clock,
            veil,
        )
        self._steps = self.doing.steps
        self._used: set[str] = set()
        self.problems: list[Problem] = []
        if checkpoint.records or checkpoint.messages:
            self.absorb(checkpoint)

    _end = 0
    _progress_from: tuple[float, float] | None = None

    # Few passes have any: what each of many passes has, a collection goes through.

    @functools.cached_property
    def _sleeps(self) -> dict[str, str]:
        return {}

    @functools.cached_property
    def _answers(self) -> dict[str, str]:
        return {}

    @functools.cached_property
    def _used_waits(self) -> set[tuple[str, str]]:
        return set()

    @functools.cached_property
    def _children(self) -> Children:
        return Children(self._claim, self._pass, self._checkpointer)

    @functools.cached_property
    def _inbox(self) -> Inbox:
        return Inbox(self._pass, self._recording.record, self._clock.time)

    # --- what the worker uses ---------------------------------------------------------------------

    @property
    def end(self) -> int:
        """The last position of the checkpoint that this pass has seen."""
        return self._end

    def absorb(self, later: Checkpoint) -> None:
        """Take up what came in since, and let the branches look again that may wait for it."""
        for record in later.records:
            self._absorb_record(record)
        for message in later.messages:
            self._inbox.add(message)
        self._end = max(self._end, later.end)
        self._pass.wake(self._children.over(later.records))

    def _absorb_record(self, record: StepRecord) -> None:
        match record.kind:
            case Kind.STEP:
                self._steps.setdefault(record.name, record.text)
            case Kind.SLEEP:
                self._sleeps.setdefault(record.name, record.text)
            case Kind.ANSWER:
                self._answers.setdefault(record.name, record.text)
            case Kind.RECEIVED:
                self._inbox.absorb(record.name, record.text)
            case Kind.STARTED | Kind.CHILD:
                self._children.absorb(record)
            case Kind.ATTEMPT | Kind.BEGUN:
                self.doing.attempts.absorb(record)

    def wake_sleepers(self) -> None:
        """Let every branch look again whose moment has come."""
        if not self._pass.waits:
            return
        now = datetime.fromtimestamp(self._clock.time(), UTC)
        self._pass.wake(lambda wait: isinstance(wait, SleepWait) and wait.until <= now)

    # --- Run --------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        return self._claim.id

    @property
    def stopping(self) -> bool:
        return self._pass.stopping

    @property
    def bookmark(self) -> Bookmark:
        bookmark = current_step.get()
        if bookmark is None or bookmark.keeper is not self.notes:
            raise DefinitionError("run.bookmark belongs to a running step; use it inside the step's effect")
        return bookmark

    async def step(
        self,
        name: str,
        effect: Any,
        *args: Any,
        into: Any = None,
        where: Place | None = None,
        retry: Retry | None = None,
        timeout: timedelta | None = None,
        on_interrupt: OnInterrupt = "rerun",
    ) -> Any:
        self._pass.enter("run.step", name)
        if name in self._used:
            raise DuplicateStep("step", name)
        self._used.add(name)
        text = self._steps.get(name)
        if text is None:
            if not callable(effect):
                from stepfast.definitions.handed import no_effect

                raise no_effect("run.step", name, effect)
            if where is not None:
                effect = self._performing.placed(self, name, effect, where)
            if retry is None and timeout is None and on_interrupt == "rerun":
                text = await self.doing.new_step(name, effect, args, into)
            else:
                options = Options(retry, timeout, on_interrupt)
                text = await try_step(self.doing, name, effect, args, into, options)
        return codec.decode(text) if into is None else decode_as(text, into, about=result_of(name))

    async def transact(self, name: str, effect: Any, *, prepare: Any = None, into: Any = None) -> Any:
        self._pass.enter("run.transact", name)
        if name in self._used:
            raise DuplicateStep("step", name)
        self._used.add(name)
        text = self._steps.get(name)
        if text is None:
            text = await self.doing.new_transaction(name, effect, prepare, into)
        return codec.decode(text) if into is None else decode_as(text, into, about=result_of(name))

    async def query(self, read: Callable[[Transaction], Any]) -> Any:
        self._pass.enter("run.query")
        check_plain("the function of run.query", read, "run.query({})")

        def run(transaction: Transaction) -> Any:
            return plain(called(functools.partial(read, transaction)), "the function of run.query")

        with self._pass.flight():
            try:
                return await self._checkpointer.query(run)
            except StoreError as error:
                raise self._recording.abandon(error) from error

    async def sleep(self, name: str, until: timedelta | datetime) -> None:
        self._enter_wait("run.sleep", Kind.SLEEP, name)
        text = self._sleeps.get(name)
        if text is None:
            if self._pass.stopping:
                await self._pass.park(None)
            if not isinstance(until, timedelta | datetime):
                raise InvalidInput(
                    f"the sleep {name!r} got {until!r}; pass a timedelta, such as timedelta(seconds=5), or "
                    "an aware datetime"
                )
            moment = until if isinstance(until, datetime) else self._now() + until
            if moment.tzinfo is None:
                raise InvalidInput(
                    f"the sleep {name!r} got a datetime without a time zone; pass an aware one"
                )
            text = codec.encode(moment.astimezone(UTC))
            with self._pass.flight():
                new = NewRecord(Kind.SLEEP, name, text, self._clock.time())
                text = (await self._recording.record(new)).text
        moment = decode_as(text, datetime, about=f"the sleep {name!r}")
        while self._now() < moment:
            await self._pass.park(SleepWait(name, moment))

    async def awaiting(self, name: str, *, into: Any = None) -> Any:
        self._enter_wait("run.awaiting", Kind.ANSWER, name)
        if name not in self._answers:
            # An answer is stored as it comes, before it is known what was asked.
            refuse_secrets(into, f"the answer {name!r}")
            form = None if into is None else json.dumps(schema_of(into))
            while name not in self._answers:
                await self._pass.park(AnswerWait(name, form))
        try:
            return decode_as(self._answers[name], into, about=f"the answer {name!r}", error=InvalidInput)
        except InvalidInput as error:
            raise InvalidInput(
                f"{error}; the first answer stands, and a retry meets it again: rerun the workflow from an "
                "earlier step, or start another"
            ) from None

    async def receive(self, name: str, *, into: Any = None) -> Any:
        self._enter_wait("run.receive", Kind.RECEIVED, name)
        return await self._inbox.receive(name, into)

    async def pending(self, name: str, *, into: Any = None) -> list[Any]:
        self._enter_wait("run.pending", Kind.RECEIVED, name)
        return await self._inbox.pending(name, into)

    async def child(self, name: str, request: Request[Any]) -> Any:
        self._enter_wait("run.child", Kind.CHILD, name)
        return await self._children.result(name, request, self._recording.writing)

    def progress(self, done: float, total: float | None = None, text: str = "") -> None:
        self._check_open("run.progress")
        # What a replay says comes all at once, and is no measure of how fast it goes.
        if self.doing.replaying or self._progress_from is None or done < self._progress_from[0]:
            self._progress_from = (float(done), self._clock.time())
        whole = None if total is None else float(total)
        said = self._veil.masked(line_of(text))
        self.notes.progress(Progress(float(done), whole, said, *self._progress_from))

    def log(self, text: str, level: str = "info") -> None:
        self._check_open("run.log")
        if level not in LEVELS:
            raise InvalidInput(f"{level!r} is no level of a log line; there are {', '.join(LEVELS)}")
        current = current_step.get()
        self.notes.log(current.step if current is not None else None, level, line_of(text))

    def problem(self, about: str, message: str) -> None:
        self._check_open("run.problem")
        masked = self._veil.masked
        said = (cut(masked(line_of(each)), LONGEST_LINE) for each in (about, message))
        self.problems.append(Problem(*said))

    def _check_open(self, call: str) -> None:
        if self._pass.ended:
            raise RunClosed(call)

    def say_what_was_not_reached(self) -> None:
        """Log which recorded steps a body that is through has not come by: it was changed, perhaps."""
        left = [name for name in self._steps if name not in self._used and not name.startswith(PREFIX)]
        if left:
            names = ", ".join(map(repr, left[:MOST_NAMED])) + (", ..." if len(left) > MOST_NAMED else "")
            self.doing.note(
                None, f"{len(left)} steps that are recorded were not reached by this pass: {names}"
            )

    # --- waits ------------------------------------------------------------------------------------

    def _enter_wait(self, call: str, kind: str, name: str) -> None:
        self._pass.enter(call, name)
        self.doing.check_begin(name)
        if (kind, name) in self._used_waits:
            raise DuplicateStep(call, name)
        self._used_waits.add((kind, name))

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock.time(), UTC)
