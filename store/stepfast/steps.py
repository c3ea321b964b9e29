"""`PassRun`: what a body is handed, over a pass (`passing.py`) and a checkpoint.

The first lines of each call are the replay: a name that is recorded is looked up and handed back. What
follows happens once in the life of a workflow.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from stepfast import codec
from stepfast.clock import Clock
from stepfast.containing import called, check_plain, is_async, plain
from stepfast.current import StepBookmark, current_step, in_context, in_step
from stepfast.definition import Request
from stepfast.errors import (
    Abandoned,
    DefinitionError,
    DuplicateStep,
    Fenced,
    InvalidInput,
    RunClosed,
    StepExited,
    Stopped,
    StoreError,
    UnstorableValue,
)
from stepfast.holding import Hold, give_up
from stepfast.interfaces import Checkpoint, Checkpointer, Claim, Kind, NewRecord, Notes, Recorded
from stepfast.noting import NoteKeeper, line_of
from stepfast.outcome import Problem
from stepfast.parameters import refuse_secrets, schema_of
from stepfast.parenting import Children
from stepfast.passing import Pass
from stepfast.processes import Processes, Unreturnable
from stepfast.retrying import Attempted, Retry, attempt_name
from stepfast.run import Bookmark, OnInterrupt, Place, Transaction
from stepfast.secrets import NOTHING, Veil
from stepfast.shapes import decode_as, encode_as
from stepfast.state import AnswerWait, MessageWait, SleepWait, Wait
from stepfast.threads import Threads
from stepfast.tidying import PREFIX
from stepfast.trying import Attempts, Options, Try, try_step
from stepfast.views import Progress, StepRecord

__all__ = ["PassRun"]

T = TypeVar("T")

LONGEST_NAME = 500
MOST_NAMED = 20
LEVELS = ("debug", "info", "warning", "error")


class PassRun:
    """A `stepfast.run.Run` for one pass.

    Args:
        claim: as whom it writes.
        making: the pass, which knows about tasks and waits.
        checkpointer: where it writes.
        checkpoint: what was there when the pass began.
        threads: where plain functions run.
        clock: for sleeps and for when a step began.
        hold: asked when the store failed under a write, whether to try again.
        veil: the secrets of the input, which must not be in anything that it writes.
        processes: where effects run that are to have a process of their own.
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
        processes: Processes | None = None,
    ) -> None:
        self._veil = self.veil = veil
        self._claim = claim
        self._pass = self.making = making
        self._checkpointer = checkpointer
        self._threads = self.threads = threads
        self._processes = processes
        self._clock = self.clock = clock
        self._hold = hold
        self._steps: dict[str, str] = {}
        self._sleeps: dict[str, str] = {}
        self._answers: dict[str, str] = {}
        self._received: dict[str, str] = {}
        self._children = Children(claim, making, checkpointer)
        self._messages: dict[int, str] = {}
        self._taken: set[int] = set()
        self._used: set[str] = set()
        self._used_waits: set[tuple[str, str]] = set()
        self._bookmarks = checkpoint.bookmarks
        self._end = 0
        self._progress_from: tuple[float, float] | None = None
        self._failed: list[tuple[BaseException, str]] = []
        self.attempts = Attempts()
        self.notes = NoteKeeper(checkpointer, claim, clock.time, making.abort, hold, veil)
        self.problems: list[Problem] = []
        self.absorb(checkpoint)

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
            self._messages[message.position] = message.text
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
                self._received.setdefault(record.name, record.text)
                self._taken.update(_positions(record.text))
            case Kind.STARTED | Kind.CHILD:
                self._children.absorb(record)
            case Kind.ATTEMPT | Kind.BEGUN:
                self.attempts.absorb(record)

    def wake_sleepers(self) -> None:
        """Let every branch look again whose moment has come."""
        now = datetime.fromtimestamp(self._clock.time(), UTC)
        self._pass.wake(lambda wait: isinstance(wait, SleepWait) and wait.until <= now)

    def step_of(self, error: BaseException) -> str | None:
        """The step that raised `error`, if one of this pass did."""
        return next((step for raised, step in self._failed if raised is error), None)

    def let_go(self) -> None:
        """Forget exceptions, whose tracebacks lead back here, so that no collector is needed."""
        self._failed.clear()

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
            if where is not None:
                effect = self._placed(name, effect, where)
            if retry is None and timeout is None and on_interrupt == "rerun":
                text = await self.new_step(name, effect, args, into)
            else:
                options = Options(retry, timeout, on_interrupt)
                text = await try_step(self, name, effect, args, into, options)
        return codec.decode(text) if into is None else decode_as(text, into, about=_result_of(name))

    async def transact(self, name: str, effect: Any, *, prepare: Any = None, into: Any = None) -> Any:
        self._pass.enter("run.transact", name)
        if name in self._used:
            raise DuplicateStep("step", name)
        self._used.add(name)
        text = self._steps.get(name)
        if text is None:
            text = await self._new_transaction(name, effect, prepare, into)
        return codec.decode(text) if into is None else decode_as(text, into, about=_result_of(name))

    async def query(self, read: Callable[[Transaction], Any]) -> Any:
        self._pass.enter("run.query")
        check_plain("the function of run.query", read)

        def run(transaction: Transaction) -> Any:
            return plain(called(functools.partial(read, transaction)), "the function of run.query")

        with self._pass.flight():
            try:
                return await self._checkpointer.query(run)
            except StoreError as error:
                raise self._abandon(error) from error

    async def sleep(self, name: str, until: timedelta | datetime) -> None:
        self._enter_wait("run.sleep", Kind.SLEEP, name)
        text = self._sleeps.get(name)
        if text is None:
            if self._pass.stopping:
                await self._pass.park(None)
            moment = until if isinstance(until, datetime) else self._now() + until
            if moment.tzinfo is None:
                raise InvalidInput(
                    f"the sleep {name!r} got a datetime without a time zone; pass an aware one"
                )
            text = codec.encode(moment.astimezone(UTC))
            with self._pass.flight():
                text = (await self._record(Kind.SLEEP, name, text, self._clock.time())).text
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
        return decode_as(self._answers[name], into, about=f"the answer {name!r}", error=InvalidInput)

    async def receive(self, name: str, *, into: Any = None) -> Any:
        self._enter_wait("run.receive", Kind.RECEIVED, name)
        while name not in self._received:
            message = self._next_messages(1)
            if message:
                await self._take(name, message)
            else:
                await self._pass.park(MessageWait(name))
        (position,) = _positions(self._received[name])
        return self._message(position, into)

    async def pending(self, name: str, *, into: Any = None) -> list[Any]:
        self._enter_wait("run.pending", Kind.RECEIVED, name)
        if name not in self._received:
            await self._take(name, self._next_messages(None))
        return [self._message(position, into) for position in _positions(self._received[name])]

    async def child(self, name: str, request: Request[Any]) -> Any:
        self._enter_wait("run.child", Kind.CHILD, name)
        return await self._children.result(name, request, self._writing)

    def progress(self, done: float, total: float | None = None, text: str = "") -> None:
        self._check_open("run.progress")
        if self._progress_from is None or done < self._progress_from[0]:
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
        self.problems.append(Problem(masked(line_of(about)), masked(line_of(message))))

    def _check_begin(self, name: str) -> None:
        current = current_step.get()
        if current is not None and current.keeper is self.notes:
            raise DefinitionError(
                f"{name!r} is asked for inside the effect of step {current.step!r}, which would wait for "
                "itself; steps and waits belong into the body"
            )
        _check_name(name)
        self._veil.check(name, "the name of a step or a wait")

    def _check_open(self, call: str) -> None:
        if self._pass.ended:
            raise RunClosed(call)

    # --- once in the life of a workflow -----------------------------------------------------------

    async def new_step(
        self, name: str, effect: Any, args: tuple[Any, ...], into: Any, attempt: Try | None = None
    ) -> str:
        """Do a step that is not recorded yet, and record it; returns its text.

        `attempt`: one with options, which sees to the effect.
        """
        making = self._pass
        self._check_begin(name)
        if making.stopping:
            await making.park(None)
        me = making.take_off()
        try:
            try:
                started_at = self._clock.time()
                bookmark = self._begin(name)
                call = functools.partial(effect, *args)
                if attempt is not None:
                    value = await attempt.perform(bookmark, effect, call, me)
                elif is_async(effect):
                    value = await making.perform(in_step(bookmark, call), me)
                else:
                    value = await self._on_thread(bookmark, call, f"the effect of step {name!r}")
                text = self._encoded(name, value, into)
                bookmarked = bookmark.text is not None
                attempts = 1 if attempt is None else attempt.counted
                recorded = await self._record(Kind.STEP, name, text, started_at, bookmarked, attempts)
            finally:
                making.land(me)
        except Stopped:
            await self._gave_up(name)
            raise
        except Exception as error:
            self._failed.append((error, name))
            raise
        self._steps[name] = recorded.text
        return recorded.text

    async def _new_transaction(self, name: str, effect: Any, prepare: Any, into: Any) -> str:
        self._check_begin(name)
        check_plain(f"the effect of {name!r}", effect)
        check_plain(f"prepare of {name!r}", prepare)
        if self._pass.stopping:
            await self._pass.park(None)
        try:
            with self._pass.flight():
                started_at = self._clock.time()
                bookmark = self._begin(name)
                prepared: tuple[Any, ...] = ()
                if prepare is not None:
                    prepared = (await self._on_thread(bookmark, prepare, f"prepare of {name!r}"),)

                def run(transaction: Transaction) -> str:
                    value = called(functools.partial(effect, transaction, *prepared))
                    text = encode_as(plain(value, f"the effect of {name!r}"), into, about=_result_of(name))
                    self._veil.check(text, _result_of(name))
                    return text

                self.notes.drop_bookmark(name)
                notes = self.notes.due()
                recorded = await self._writing(
                    lambda: self._checkpointer.transact(self._claim, name, run, started_at, notes)
                )
        except Stopped:
            await self._gave_up(name)
            raise
        except Exception as error:
            self._failed.append((error, name))
            raise
        self._steps[name] = recorded.text
        return recorded.text

    def _begin(self, name: str) -> StepBookmark:
        self.notes.step(name)
        return StepBookmark(name, self.notes, self._bookmarks.get(name))

    async def _on_thread(self, bookmark: StepBookmark, call: Callable[[], Any], what: str) -> Any:
        step = in_context(bookmark, call)
        return plain(await self._pass.perform_on_thread(self._threads.submit(lambda _: step())), what)

    def _placed(self, name: str, effect: Any, where: Place) -> Any:
        """The effect as one that does it where it is to be done."""
        if where == "process":
            return functools.partial(self._in_process, effect)
        if where not in ("loop", "thread"):
            raise DefinitionError(f'where={where!r} of {name!r}: "loop", "thread" or "process" is needed')
        if where == "thread" and is_async(effect):
            raise DefinitionError(f"the effect of {name!r} is a coroutine function, and runs on no thread")
        if where == "loop" and not is_async(effect):
            return functools.partial(_on_loop, effect, name)
        return effect

    async def _in_process(self, effect: Any, *args: Any) -> Any:
        """Do an effect in a process of its own; called as an effect, of the step that is current."""
        bookmark, notes = current_step.get(), self.notes
        assert bookmark is not None, "an effect is called in its step"
        name = bookmark.step

        def bookmarked(text: str) -> None:
            notes.bookmark(name, text)
            bookmark.text = text

        self._processes = self._processes or Processes()
        try:
            return await self._processes.run(
                functools.partial(effect, *args),
                name=name,
                id=self._claim.id,
                owner=self._claim.lock,
                run=self,
                log=lambda level, text: notes.log(name, level, line_of(text)),
                progress=self.progress,
                bookmark=bookmark.text,
                bookmarked=bookmarked,
            )
        except Unreturnable as error:
            failed = UnstorableValue(str(error))
            self._pass.fail(failed)  # the effect has happened, as in `_encoded`
            raise failed from error

    def _encoded(self, name: str, value: object, into: Any) -> str:
        try:
            text = encode_as(value, into, about=_result_of(name))
            self._veil.check(text, _result_of(name))
            return text
        except UnstorableValue as error:
            # The effect has happened. A body that went on would have it happen again on the next pass.
            self._failed.append((error, name))
            self._pass.fail(error)
            raise

    async def _gave_up(self, name: str) -> None:
        if not self._pass.stopping:
            raise StepExited(f"the step {name!r} raised Stopped, though nobody had asked it to stop")
        await self._pass.park(None)

    async def _record(
        self,
        kind: str,
        name: str,
        text: str,
        started_at: float,
        bookmarked: bool = False,
        attempts: int = 1,
    ) -> Recorded:
        if bookmarked:
            self.notes.drop_bookmark(name)
        new = NewRecord(kind, name, text, started_at, attempts, bookmarked)
        notes: Notes | None = self.notes.due()
        return await self._writing(lambda: self._checkpointer.record(self._claim, new, notes))

    async def _writing(self, write: Callable[[], Awaitable[T]]) -> T:
        """Write; what stops it stops the pass, and is not a failure of the step."""
        while True:
            try:
                return await write()
            except Fenced as fenced:
                self._pass.abort(fenced)
                raise
            except StoreError as error:
                # What is recorded already is not overwritten, so it may be asked again whatever became of it.
                if not await self._hold(error):
                    raise self._abandon(error) from error

    def _abandon(self, error: StoreError) -> Abandoned:
        abandoned = Abandoned(str(error))
        abandoned.__cause__ = error
        self._pass.abort(abandoned)
        return abandoned

    def say_what_was_not_reached(self) -> None:
        """Log which recorded steps a body that is through has not come by: it was changed, perhaps."""
        left = [name for name in self._steps if name not in self._used and not name.startswith(PREFIX)]
        if left:
            names = ", ".join(map(repr, left[:MOST_NAMED])) + (", ..." if len(left) > MOST_NAMED else "")
            self.note(None, f"{len(left)} steps that are recorded were not reached by this pass: {names}")

    # --- for steps with options (`trying.py`) ------------------------------------------------------

    @property
    def failed_for_good(self) -> bool:
        """Can nothing that the body does save the pass any more?"""
        return self._pass.failed

    def recorded(self, name: str) -> str | None:
        """The text of a step, where it is recorded."""
        return self._steps.get(name)

    async def park(self, wait: Wait) -> None:
        """Wait for something that is to be looked at again."""
        await self._pass.park(None if self._pass.stopping else wait)

    def note(self, step: str | None, text: str) -> None:
        """Log a warning of the engine's."""
        self.notes.log(step, "warning", line_of(text))

    async def keep_begun(self, name: str, number: int) -> None:
        """Record that an attempt at a step is about to run; in flight already."""
        await self._record(Kind.BEGUN, attempt_name(name, number), "null", self._clock.time())
        self.attempts.began(name, number)

    async def keep_attempt(self, name: str, number: int, attempted: Attempted) -> None:
        """Record how an attempt at a step ended that came to no record."""
        with self._pass.flight():
            await self._record(Kind.ATTEMPT, attempt_name(name, number), attempted.text, self._clock.time())
        self.attempts.add(name, number, attempted)

    async def looked(self, name: str, look: Callable[[], Any]) -> Any:
        """Call what finds out about an interrupted step, in flight, on a thread if it is a plain function."""
        me = self._pass.take_off()
        try:
            bookmark = self._begin(name)
            if is_async(look):
                return await self._pass.perform(in_step(bookmark, look), me)
            return await self._on_thread(bookmark, look, f"on_interrupt of {name!r}")
        except Stopped:
            await self._gave_up(name)
            raise
        finally:
            self._pass.land(me)

    async def keep_happened(self, name: str, value: object, into: Any) -> str:
        """Record a step whose effect was found to have happened."""
        text = self._encoded(name, value, into)
        with self._pass.flight():
            recorded = await self._record(Kind.STEP, name, text, self._clock.time(), name in self._bookmarks)
        self._steps[name] = recorded.text
        return recorded.text

    # --- waits ------------------------------------------------------------------------------------

    def _enter_wait(self, call: str, kind: str, name: str) -> None:
        self._pass.enter(call, name)
        self._check_begin(name)
        if (kind, name) in self._used_waits:
            raise DuplicateStep(call, name)
        self._used_waits.add((kind, name))

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock.time(), UTC)

    def _next_messages(self, most: int | None) -> list[int]:
        free = sorted(self._messages.keys() - self._taken)
        return free[:most]

    async def _take(self, name: str, positions: list[int]) -> None:
        """Record that `name` took these messages; no other branch takes them meanwhile."""
        if self._pass.stopping:
            await self._pass.park(None)
        self._taken.update(positions)
        with self._pass.flight():
            recorded = await self._record(Kind.RECEIVED, name, codec.encode(positions), self._clock.time())
        self._received[name] = recorded.text
        self._taken.update(_positions(recorded.text))

    def _message(self, position: int, into: Any) -> Any:
        return decode_as(self._messages[position], into, about=f"message {position}", error=InvalidInput)


def _positions(text: str) -> list[int]:
    return decode_as(text, list[int], about="the messages taken")


def _result_of(name: str) -> str:
    return f"the result of step {name!r}"


async def _on_loop(effect: Any, name: str, *args: Any) -> Any:
    return plain(called(functools.partial(effect, *args)), f"the effect of step {name!r}")


def _check_name(name: str) -> None:
    if type(name) is str and name.startswith(PREFIX):
        raise UnstorableValue(f"{name!r} cannot name a step: what begins with {PREFIX!r} is a clean-up's")
    if type(name) is str and name.isascii() and 0 < len(name) <= LONGEST_NAME and "\0" not in name:
        return
    with suppress(UnicodeEncodeError, AttributeError):
        if name and len(name.encode("utf-8")) <= LONGEST_NAME and "\0" not in name:
            return
    raise UnstorableValue(
        f"{name!r} cannot name a step or a wait: a name is text of 1 to {LONGEST_NAME} bytes that is valid "
        "Unicode without NUL; for a file name that is not, use its position or repr()"
    )
