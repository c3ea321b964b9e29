"""`Doing`: the steps of a pass that are not recorded yet, each of them once in the life of a workflow."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any

from stepfast.body.current import StepBookmark, current_step, in_step
from stepfast.body.noting import NoteKeeper, line_of
from stepfast.body.performing import Performing
from stepfast.body.recording import Recording
from stepfast.body.retrying import Attempted, attempt_name
from stepfast.body.run import Transaction
from stepfast.body.trying import Attempts, Try
from stepfast.errors import DefinitionError, StepExited, Stopped, UnstorableValue
from stepfast.interfaces import Checkpointer, Claim, Kind, NewRecord
from stepfast.passes.containing import called, check_plain, is_async, plain
from stepfast.passes.passing import Pass
from stepfast.secrets import NOTHING, Veil
from stepfast.state import Wait
from stepfast.system.clock import Clock
from stepfast.system.threads import Threads
from stepfast.values.codec import encode
from stepfast.values.naming import check_name
from stepfast.values.shapes import encode_as

__all__ = ["Doing", "result_of"]

logger = logging.getLogger("stepfast")


class Doing:
    """The steps of one pass, as they are done and recorded.

    Args:
        claim: as whom it writes.
        making: the pass, which knows about tasks and waits.
        checkpointer: where transacted effects write.
        recording: how all else is written.
        performing: where effects run.
        notes: what changes all the time.
        bookmarks: of the steps, by name.
        threads: where plain functions run.
        clock: for when a step began.
        veil: the secrets of the input, which must not be in anything that it writes.
    """

    def __init__(
        self,
        claim: Claim,
        making: Pass,
        checkpointer: Checkpointer,
        recording: Recording,
        performing: Performing,
        notes: NoteKeeper,
        bookmarks: dict[str, str],
        threads: Threads[None],
        clock: Clock,
        veil: Veil,
    ) -> None:
        self.id = claim.id
        self.making = making
        self.notes = notes
        self.threads = threads
        self.clock = clock
        self.veil = veil
        self.steps: dict[str, str] = {}
        """The text of each step that is recorded."""
        self._claim = claim
        self._checkpointer = checkpointer
        self._recording = recording
        self._performing = performing
        self._bookmarks = bookmarks

    replaying = True
    """Has no effect of this pass begun yet?"""

    # Few passes have any of these: what each of many has, a collection goes through.

    _failed: list[tuple[BaseException, str]] | None = None
    """Exceptions, and which step each was raised by."""

    @functools.cached_property
    def attempts(self) -> Attempts:
        """Those that came to no record."""
        return Attempts()

    @functools.cached_property
    def _started(self) -> dict[str, float]:
        """When the attempts began that run."""
        return {}

    @property
    def stopping(self) -> bool:
        """Was the pass asked to stop, or has its body ended?"""
        return self.making.stopping

    def step_of(self, error: BaseException) -> str | None:
        """The step that raised `error`, if one of this pass did."""
        return next((step for raised, step in self._failed or () if raised is error), None)

    def _remember(self, error: BaseException, step: str) -> None:
        if self._failed is None:
            self._failed = []
        self._failed.append((error, step))

    def let_go(self) -> None:
        """Forget exceptions, whose tracebacks lead back here, so that no collector is needed."""
        self._failed = None

    def check_begin(self, name: str) -> None:
        """Raise where no step or wait can be called so, or asked for here."""
        current = current_step.get()
        if current is not None and current.keeper is self.notes:
            raise DefinitionError(
                f"{name!r} is asked for inside the effect of step {current.step!r}, which would wait for "
                "itself; steps and waits belong into the body"
            )
        check_name(name)
        if self.veil is not NOTHING:
            self.veil.check(name, "the name of a step or a wait")

    async def new_step(
        self, name: str, effect: Any, args: tuple[Any, ...], into: Any, attempt: Try | None = None
    ) -> str:
        """Do a step that is not recorded yet, and record it; returns its text.

        `attempt`: one with options, which sees to the effect.
        """
        making = self.making
        self.check_begin(name)
        if making.stopping:
            await making.park(None)
        me = making.take_off()
        try:
            try:
                started_at = self.clock.time()
                if attempt is not None:
                    self._started[name] = started_at
                bookmark = self._begin(name)
                if attempt is not None:
                    value = await attempt.perform(bookmark, effect, args, me)
                elif is_async(effect):
                    value = await making.perform(in_step(bookmark, effect, *args), me)
                else:
                    call = functools.partial(effect, *args)
                    value = await self._performing.on_thread(bookmark, call, f"the effect of step {name!r}")
                text = self._encoded(name, value, into)
                attempts = 1 if attempt is None else attempt.counted
                new = NewRecord(Kind.STEP, name, text, started_at, attempts, bookmark.text is not None)
                recorded = await self._recording.record(new)
            finally:
                making.land(me)
        except Stopped:
            await self._gave_up(name)
            raise
        except Exception as error:
            self._remember(error, name)
            raise
        if attempt is not None:
            self._started.pop(name, None)
        self.steps[name] = recorded.text
        return recorded.text

    async def new_transaction(self, name: str, effect: Any, prepare: Any, into: Any) -> str:
        """As `new_step`, of an effect that writes in the commit of its record, behind `prepare`."""
        self.check_begin(name)
        check_plain(f"the effect of {name!r}", effect, f"run.transact({name!r}, {{}})")
        if prepare is not None:
            check_plain(f"prepare of {name!r}", prepare, "prepare={}")
        if self.making.stopping:
            await self.making.park(None)
        try:
            with self.making.flight():
                started_at = self.clock.time()
                bookmark = self._begin(name)
                prepared: tuple[Any, ...] = ()
                if prepare is not None:
                    prepared = (await self._performing.on_thread(bookmark, prepare, f"prepare of {name!r}"),)

                def run(transaction: Transaction) -> str:
                    value = called(functools.partial(effect, transaction, *prepared))
                    text = encode_as(plain(value, f"the effect of {name!r}"), into, about=result_of(name))
                    self.veil.check(text, result_of(name))
                    return text

                self.notes.drop_bookmark(name)
                notes = self.notes.due()
                recorded = await self._recording.writing(
                    lambda: self._checkpointer.transact(self._claim, name, run, started_at, notes)
                )
                logger.debug("workflow %s: the step %r is recorded, with what it wrote", self.id, name)
        except Stopped:
            await self._gave_up(name)
            raise
        except Exception as error:
            self._remember(error, name)
            raise
        self.steps[name] = recorded.text
        return recorded.text

    def _begin(self, name: str) -> StepBookmark:
        if logger.isEnabledFor(logging.DEBUG):
            logger.debug("workflow %s: the step %r begins", self.id, name)
        self.replaying = False
        self.notes.step(name)
        return StepBookmark(name, self.notes, self._bookmarks.get(name))

    def _encoded(self, name: str, value: object, into: Any) -> str:
        about = result_of(name)
        try:
            text = encode(value, about=about) if into is None else encode_as(value, into, about=about)
            if self.veil is not NOTHING:
                self.veil.check(text, about)
            return text
        except UnstorableValue as error:
            # The effect has happened. A body that went on would have it happen again on the next pass.
            self._remember(error, name)
            self.making.fail(error)
            raise

    async def _gave_up(self, name: str) -> None:
        if not self.making.stopping:
            raise StepExited(f"the step {name!r} raised Stopped, though nobody had asked it to stop")
        await self.making.park(None)

    # --- for steps with options (`trying.py`) ------------------------------------------------------

    @property
    def failed_for_good(self) -> bool:
        """Can nothing that the body does save the pass any more?"""
        return self.making.failed

    def recorded(self, name: str) -> str | None:
        """The text of a step, where it is recorded."""
        return self.steps.get(name)

    async def park(self, wait: Wait) -> None:
        """Wait for something that is to be looked at again."""
        await self.making.park(None if self.making.stopping else wait)

    def note(self, step: str | None, text: str) -> None:
        """Log a warning of the engine's."""
        self.notes.log(step, "warning", line_of(text))

    async def keep_begun(self, name: str, number: int) -> None:
        """Record that an attempt at a step is about to run; in flight already."""
        begun = NewRecord(Kind.BEGUN, attempt_name(name, number), "null", self.clock.time())
        await self._recording.record(begun)
        self.attempts.began(name, number)

    async def keep_attempt(self, name: str, number: int, attempted: Attempted) -> None:
        """Record how an attempt at a step ended that came to no record."""
        with self.making.flight():
            at = self._started.pop(name, self.clock.time())
            new = NewRecord(Kind.ATTEMPT, attempt_name(name, number), attempted.text, at)
            await self._recording.record(new)
        self.attempts.add(name, number, attempted)

    async def looked(self, name: str, look: Callable[[], Any]) -> Any:
        """Call what finds out about an interrupted step, in flight, on a thread if it is a plain function."""
        me = self.making.take_off()
        try:
            bookmark = self._begin(name)
            if is_async(look):
                return await self.making.perform(in_step(bookmark, look), me)
            return await self._performing.on_thread(bookmark, look, f"on_interrupt of {name!r}")
        except Stopped:
            await self._gave_up(name)
            raise
        finally:
            self.making.land(me)

    async def keep_happened(self, name: str, value: object, into: Any) -> str:
        """Record a step whose effect was found to have happened."""
        text = self._encoded(name, value, into)
        with self.making.flight():
            bookmarked = name in self._bookmarks
            new = NewRecord(Kind.STEP, name, text, self.clock.time(), bookmarked=bookmarked)
            recorded = await self._recording.record(new)
        self.steps[name] = recorded.text
        return recorded.text


def result_of(name: str) -> str:
    """What messages call the value of a step."""
    return f"the result of step {name!r}"
