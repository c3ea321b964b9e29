"""The details of the workflow that is selected: read when it is shown, and again when it has changed.

What is shown is replaced in one piece: until another workflow's details are read, those of the one before
stand, and whatever is asked for (`retry`, `answer`) is asked of what is shown.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from stepfast import Details, Engine, Happened, StepfastError, Summary, UnknownWorkflow
from stepfast.interfaces import Signal
from stepfast.state import FINISHED, AnswerWait, Blocked, Queued, Running, Waiting
from stepfast_desktop.viewmodels.details_answers import Unfit, read_answer
from stepfast_desktop.viewmodels.details_known import Known, look_up
from stepfast_desktop.viewmodels.details_log import LogRow
from stepfast_desktop.viewmodels.details_page import (
    Outcome,
    StatePart,
    StepRow,
    again_text,
    give_up_text,
    happened_text,
    outcome_of,
    state_part,
)
from stepfast_desktop.viewmodels.details_records import Records
from stepfast_desktop.viewmodels.details_report import report_text
from stepfast_desktop.viewmodels.details_values import Pair, pairs_of, value_text
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.feed import Changed, Feed
from stepfast_desktop.viewmodels.format import readable
from stepfast_desktop.viewmodels.words import translate

__all__ = ["DetailsViewModel", "Section"]

Section: TypeAlias = Literal["workflow", "state", "outcome", "steps", "log", "answers", "error"]
"""What changed: which workflow is shown (everything), or that part of it."""

INTERVAL = 0.25
"""Seconds between two readings of what is shown, at the least."""
TICK = 1.0
LOOK_AGAIN = 3.0
"""Seconds between two looks for a program that can run what waits for one: nobody tells of those."""
FAULT_PAUSE = 2.0


def _now() -> datetime:
    return datetime.now(UTC)


class DetailsViewModel:
    """What the details pane shows and does. Belongs to the loop that its engine was opened on."""

    def __init__(self, engine: Engine, feed: Feed, *, now: Callable[[], datetime] = _now) -> None:
        self.changed: Event[[Section]] = Event()
        self.id: str | None = None
        """The workflow that was asked for last; `state` has the one that is shown."""
        self.state: StatePart | None = None
        """None where there is nothing to show; `message` says why."""
        self.message = _nothing_text()
        self.given: tuple[Pair, ...] = ()
        self.outcome = Outcome()
        self.answer_errors: dict[str, str] = {}
        """Why an answer was not taken, by its name."""
        self._engine = engine
        self._now = now
        self._disconnect = feed.changed.connect(self._hear_feed)
        self._stop_listening: Callable[[], None] | None = None
        self._touched = asyncio.Event()
        self._following: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = self._gone = False
        self._summary: Summary | None = None
        self._known = Known("")
        self._records = Records(engine)
        self._not_read = self._not_done = ""

    async def close(self) -> None:
        """Follow and read nothing more."""
        self._disconnect()
        self.show(None)
        self._closed = True
        if self._tasks:
            await asyncio.wait(self._tasks)

    def show(self, id: str | None) -> None:
        """Show this workflow from now on, as soon as it is read; None for none."""
        if id == self.id or self._closed:
            return
        self.id = id
        if self._following is not None:
            self._following.cancel()
            self._following = None
        if id is None:
            if self._stop_listening is not None:
                self._stop_listening()
                self._stop_listening = None
            self._clear(_nothing_text())
            return
        if self._stop_listening is None:
            # The feed tells of rows, and a line in the log changes none.
            self._stop_listening = self._engine.durable.listen(self._hear_commit)
        self._following = asyncio.create_task(self._follow(id), name="details")
        self._tasks.add(self._following)
        self._following.add_done_callback(self._ended)

    @property
    def steps(self) -> Sequence[StepRow]:
        return self._records.steps

    @property
    def log(self) -> Sequence[LogRow]:
        """The newest lines."""
        return self._records.log

    @property
    def error(self) -> str:
        """Why what is shown may be old, or why the last thing asked for was not done."""
        return self._not_read or self._not_done

    # --- what a person does -----------------------------------------------------------------------

    async def retry(self) -> None:
        """Let the workflow that is shown go on from where it ended."""
        await self._ask(self._engine.retry)

    async def resume(self) -> None:
        """Let the workflow that is shown go on after a pause."""
        await self._ask(self._engine.resume)

    async def answer(self, name: str, text: str) -> bool:
        """Give the answer `name` that the workflow waits for; `answer_errors` says why it was not taken."""
        summary = self._summary
        if summary is None:
            return False
        said = await self._answer(summary, name, text)
        if said:
            self.answer_errors[name] = said
        else:
            self.answer_errors.pop(name, None)
        self.changed.emit("answers")
        return not said

    def copy_text(self) -> str:
        """Everything that is shown, as text for a bug report; empty where nothing is."""
        if self.state is None or self._summary is None:
            return ""
        version = f"{readable(self._summary.name)} {self._summary.version}"
        return report_text(version, self.state, self.given, self.outcome, self.steps, self.log)

    async def _ask(self, ask: Callable[[str], Awaitable[object]]) -> None:
        if self._summary is None:
            return
        said = ""
        try:
            await ask(self._summary.id)
        except StepfastError as error:
            said = readable(str(error))
        self._set_errors(self._not_read, said)

    async def _answer(self, summary: Summary, name: str, text: str) -> str:
        if isinstance(summary.state, Blocked):
            return await self._say(summary, name, text)
        waits = summary.state.waits if isinstance(summary.state, Waiting) else ()
        form = next((each.form for each in waits if isinstance(each, AnswerWait) and each.name == name), None)
        try:
            value = read_answer(form, text)
            stored = await self._engine.arrive(summary.id, name, value)
        except (Unfit, StepfastError) as error:
            return readable(str(error))
        if stored == value:
            return ""
        text = translate("Details", "It was answered before, with {value}; the first answer stands.")
        return text.format(value=value_text(stored))

    async def _say(self, summary: Summary, step: str, text: str) -> str:
        said: dict[str, Happened | Literal["again", "give up"]] = {
            happened_text(): Happened(),
            again_text(): "again",
            give_up_text(): "give up",
        }
        if text not in said:
            return translate("Details", "Choose what became of it first.")
        try:
            await self._engine.answer(summary.id, step, said[text])
        except StepfastError as error:
            return readable(str(error))
        return ""

    # --- what is heard ----------------------------------------------------------------------------

    def _hear_feed(self, changed: Changed) -> None:
        if changed.reset or self.id in changed.deleted or any(row.id == self.id for row in changed.rows):
            self._touched.set()

    def _hear_commit(self, signal: Signal) -> None:
        shown = self._summary if self._summary is not None and self._summary.id == self.id else None
        if not self._gone and (signal.keys is None or shown is None or shown.key in signal.keys):
            self._touched.set()

    async def _follow(self, id: str) -> None:
        """Read, wait until something has happened, and so on."""
        self._touched.clear()
        self._gone = loaded = False
        while True:
            try:
                await (self._refresh(id) if loaded else self._load(id))
            except UnknownWorkflow:
                # Another of this id may be started yet, of which the feed tells.
                self._gone, loaded = True, False
                self._clear(translate("Details", "This workflow is not there any more: it was deleted."))
            except StepfastError as error:
                self._set_errors(readable(str(error)), self._not_done)
                await asyncio.sleep(FAULT_PAUSE)
                continue
            else:
                self._gone, loaded = False, True
                self._set_errors("", self._not_done)
            await asyncio.sleep(INTERVAL)
            while not self._touched.is_set():
                await self._wait()
            self._touched.clear()

    async def _wait(self) -> None:
        """Wait until something has happened; meanwhile count seconds, or look for who could run it."""
        state = None if self._summary is None else self._summary.state
        pause = TICK if isinstance(state, Running) else None
        if isinstance(state, Queued) and not self._known.runnable:
            pause = LOOK_AGAIN
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(pause):
                await self._touched.wait()
            return
        if pause == TICK:
            self._show_state()
        else:
            self._touched.set()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            context = {"message": "the details could not be read", "exception": error, "task": task}
            task.get_loop().call_exception_handler(context)

    # --- reading ----------------------------------------------------------------------------------

    async def _load(self, id: str) -> None:
        """Read everything, then show it."""
        details = await self._engine.get(id)
        summary, records = details.summary, Records(self._engine)
        known = await self._look_up(summary)
        await records.load(summary)
        self._summary, self._known, self._records = summary, known, records
        self.state = state_part(summary, known, self._now())
        self.given = pairs_of(details.input, known.labels)
        self.outcome = outcome_of(details)
        self.answer_errors.clear()
        self._not_read = self._not_done = ""
        self.changed.emit("workflow")

    async def _refresh(self, id: str) -> None:
        """Read what may have changed, and show what did."""
        before, summary = self._summary, await self._engine.summary(id)
        if before is None or summary.key != before.key or _goes_on(before, summary):
            await self._load(id)
            return
        if summary.change != before.change and _end_of(summary) != _end_of(before):
            details = await self._engine.get(id)
            summary = details.summary
            self._show_outcome(details)
        if summary.change != before.change or not self._known.runnable:
            self._known = await self._look_up(summary)
            self._summary = summary
            self._show_state()
        if await self._records.read_steps(summary):
            self.changed.emit("steps")
        if await self._records.read_log(summary):
            self.changed.emit("log")

    async def _look_up(self, summary: Summary) -> Known:
        before = self._summary
        same = before is not None and before.key == summary.key
        if same and self._known.runnable and not isinstance(summary.state, Queued):
            return self._known
        return await look_up(self._engine, summary)

    # --- showing ----------------------------------------------------------------------------------

    def _clear(self, message: str) -> None:
        if self.state is None and (self.message, self.error) == (message, ""):
            return
        self.message, self._not_read, self._not_done = message, "", ""
        self.state, self._summary = None, None
        self.given, self.outcome = (), Outcome()
        self._records = Records(self._engine)
        self.answer_errors.clear()
        self.changed.emit("workflow")

    def _show_state(self) -> None:
        if self._summary is None:
            return
        state = state_part(self._summary, self._known, self._now())
        if state != self.state:
            self.state = state
            self.changed.emit("state")

    def _show_outcome(self, details: Details) -> None:
        outcome = outcome_of(details)
        if outcome != self.outcome:
            self.outcome = outcome
            self.changed.emit("outcome")

    def _set_errors(self, not_read: str, not_done: str) -> None:
        before = self.error
        self._not_read, self._not_done = not_read, not_done
        if self.error != before:
            self.changed.emit("error")


def _nothing_text() -> str:
    return translate("Details", "Select a workflow to see its details.")


def _goes_on(before: Summary, after: Summary) -> bool:
    """It had finished, and was taken up again."""
    return before.state.name in FINISHED and after.state.name not in FINISHED


def _end_of(summary: Summary) -> tuple[str, int, datetime | None]:
    return summary.state.name, summary.problems, summary.finished_at
