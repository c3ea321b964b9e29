"""The details of the workflow that is selected: read when it is shown, and again when it has changed.

What is shown is replaced in one piece: until another workflow's details are read, those of the one before
stand, and whatever is asked for (`retry`, `answer`) is asked of what is shown.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from stepfast import Engine, StepfastError, Summary, UnknownWorkflow
from stepfast.interfaces import Signal
from stepfast.state import FINISHED, Queued, Running
from stepfast_desktop.viewmodels.details.asked import Question, Said, answer, questions_of, say
from stepfast_desktop.viewmodels.details.folders_of import existing_folders, paths_of
from stepfast_desktop.viewmodels.details.known import Known, look_up
from stepfast_desktop.viewmodels.details.log import LogViewModel
from stepfast_desktop.viewmodels.details.newest_lines import MOST_LINES, log_rows, newest_lines
from stepfast_desktop.viewmodels.details.page import (
    Outcome,
    StatePart,
    StepRow,
    outcome_of,
    state_part,
)
from stepfast_desktop.viewmodels.details.record_tree import RecordTree
from stepfast_desktop.viewmodels.details.records import Records
from stepfast_desktop.viewmodels.details.values import Pair, pairs_of
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.feed import Changed, Feed
from stepfast_desktop.viewmodels.format import readable
from stepfast_desktop.viewmodels.words import translate

if TYPE_CHECKING:
    from stepfast import Details
    from stepfast_desktop.viewmodels.details.timeline import Timeline

__all__ = ["DetailsViewModel", "Section"]

Section: TypeAlias = Literal["workflow", "state", "outcome", "steps", "questions", "folders", "error"]
"""What changed: which workflow is shown (everything), or that part of it."""

INTERVAL = 0.25
"""Seconds between two readings of what is shown, at the least."""
PASSING = 0.1
"""Seconds that it must be the one to be shown, where another was just before: of those that a held key passes
by, nobody reads the details."""
TICK = 1.0
LOOK_AGAIN = 3.0
"""Seconds between two looks for a program that can run what waits for one: nobody tells of those."""
FAULT_PAUSE = 2.0
MANY_RECORDS = 500
"""So many are laid out on a thread: of 10,000 it takes a while."""


def _now() -> datetime:
    return datetime.now(UTC)


class DetailsViewModel:
    """What the details pane shows and does. Belongs to the loop that its engine was opened on."""

    def __init__(
        self, engine: Engine, feed: Feed, *, now: Callable[[], datetime] = _now, read_only: str = ""
    ) -> None:
        self.read_only = read_only
        """Why nothing can be asked of a workflow here; empty where something can."""
        self.changed: Event[[Section]] = Event()
        self.said: Event[[str]] = Event()
        """Something for the status line."""
        self.id: str | None = None
        """The workflow that was asked for last; `state` has the one that is shown."""
        self.state: StatePart | None = None
        """None where there is nothing to show; `message` says why."""
        self.message = _nothing_text()
        self.log = LogViewModel(engine)
        self.records = RecordTree(engine)
        self.given: tuple[Pair, ...] = ()
        self.outcome = Outcome()
        self.questions: tuple[Question, ...] = ()
        """What it asks of a person now, each with its form."""
        self.folders: tuple[Path, ...] = ()
        """Folders of its input and its result that are there, once they were looked for."""
        self._engine = engine
        self._now = now
        self._disconnect = feed.changed.connect(self._hear_feed)
        self._stop_listening: Callable[[], None] | None = None
        self._touched = asyncio.Event()
        self._following: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._looking: asyncio.Task[None] | None = None
        self._folders_of: int | None = None
        self._shown_at = -PASSING
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
        await self.log.close()
        await self.records.close()
        if self._looking is not None:
            self._looking.cancel()
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
            self._stop_listening = self._engine.listen(self._hear_commit)
        now = asyncio.get_running_loop().time()
        passing, self._shown_at = now - self._shown_at < PASSING, now
        self._following = asyncio.create_task(self._follow(id, PASSING if passing else 0.0), name="details")
        self._tasks.add(self._following)
        self._following.add_done_callback(self._ended)

    @property
    def can_retry_problems(self) -> bool:
        """Can what was a problem of it be tried again by a new workflow?"""
        summary = self._summary
        if summary is None or summary.state.name not in FINISHED or not self.outcome.problem_count:
            return False
        return any(each.name == summary.name and each.again for each in self._engine.registry)

    @property
    def steps(self) -> Sequence[StepRow]:
        return self._records.steps

    def show_records(self) -> None:
        """Let `records` have what is recorded of the workflow that is shown."""
        self.records.show(None if self._summary is None else self._summary.id, self._records.outlines)

    async def timeline(self) -> Timeline:
        """The steps of the workflow that is shown on a time axis, as they are now."""
        from stepfast_desktop.viewmodels.details.timeline import Timeline, timeline_of

        summary, records = self._summary, self._records.outlines
        if summary is None:
            return Timeline()
        if len(records) < MANY_RECORDS:
            return timeline_of(records, summary, self._now())
        return await asyncio.to_thread(timeline_of, records, summary, self._now())

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

    async def continue_anyway(self) -> None:
        """Let the workflow that is shown go on with the version that this program has."""
        await self._ask(self._engine.continue_anyway)

    async def rerun(self, step: str) -> int | None:
        """Run the workflow that is shown again from a step on, as a new one.

        Returns the key of that one; None where it cannot be, and then `error` says why.
        """
        started: list[Summary] = []

        async def again(id: str) -> None:
            handle = await self._engine.rerun(id, step)
            started.append(await self._engine.summary(handle.id))

        await self._ask(again)
        for each in started:
            self.said.emit(translate("Window", "{id} has started").format(id=readable(each.id)))
            return each.key
        return None

    async def give(self, question: Question, text: str | bool | None = None) -> bool:
        """Answer what the workflow that is shown asks; `question.error` says why that was not taken.

        `text` is what was typed, or True or False for yes or no; None for what is in the form.
        """
        summary = self._summary
        return summary is not None and self._taken(
            question, await answer(self._engine, summary.id, question, text)
        )

    async def say(self, question: Question, said: Said, text: str = "") -> bool:
        """Say what became of the interrupted step that is asked about; `text` is the value it came to."""
        summary = self._summary
        return summary is not None and self._taken(
            question, await say(self._engine, summary.id, question.name, said, text)
        )

    def _taken(self, question: Question, error: str) -> bool:
        question.error = error
        self.changed.emit("questions")
        return not error

    async def copy_text(self) -> str:
        """Everything there is of the workflow that is shown, as text for a bug report; empty where none is.

        Of the log, it has the newest lines.
        """
        if self.state is None or self._summary is None:
            return ""
        from stepfast_desktop.viewmodels.details.report import report_text

        id, parts = self._summary.id, (self.state, self.given, self.outcome, self.steps)
        version = f"{readable(self._summary.name)} {self._summary.version}"
        try:
            lines = await newest_lines(lambda after: self._engine.log(id, after=after, limit=MOST_LINES), 0)
        except StepfastError as error:
            self._set_errors(self._not_read, readable(str(error)))
            lines = []
        return report_text(version, *parts, [row for line in lines for row in log_rows(line)])

    async def _ask(self, ask: Callable[[str], Awaitable[object]]) -> None:
        if self._summary is None:
            return
        said = ""
        try:
            await ask(self._summary.id)
        except StepfastError as error:
            said = readable(str(error))
        self._set_errors(self._not_read, said)

    # --- what is heard ----------------------------------------------------------------------------

    def _hear_feed(self, changed: Changed) -> None:
        if changed.reset or self.id in changed.deleted or any(row.id == self.id for row in changed.rows):
            self._touched.set()

    def _hear_commit(self, signal: Signal) -> None:
        shown = self._summary if self._summary is not None and self._summary.id == self.id else None
        if not self._gone and (signal.keys is None or shown is None or shown.key in signal.keys):
            self._touched.set()

    async def _follow(self, id: str, after: float) -> None:
        """Read in so many seconds, wait until something has happened, and so on."""
        if after:
            await asyncio.sleep(after)
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
        if isinstance(state, Queued):
            pause = LOOK_AGAIN  # who could run it, and what it waits for, changes without a change of its own
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
        self.given = pairs_of(details.input, known.labels, known.choices)
        self.outcome = outcome_of(details)
        self.questions = questions_of(summary, self.questions)
        self._not_read = self._not_done = ""
        self._look_for_folders(details)
        self.log.follow(id)
        self.changed.emit("workflow")

    async def _refresh(self, id: str) -> None:
        """Read what may have changed, and show what did."""
        before, summary = self._summary, await self._engine.summary(id)
        if before is None or summary.key != before.key or _goes_on(before, summary):
            await self._load(id)
            return
        if summary.change != before.change and _end_of(summary) != _end_of(before):
            details = await self._engine.get(id)
            summary = self._summary = details.summary  # what may be done goes by both
            self._show_outcome(details)
            self._look_for_folders(details)
        if summary.change != before.change or isinstance(summary.state, Queued):
            self._known = await self._look_up(summary)
            self._summary = summary
            self._show_state()
        if await self._records.read(summary):
            self.changed.emit("steps")
        self.log.touch()

    def _look_for_folders(self, details: Details) -> None:
        """Later: a disk may take a while to answer, and nobody waits for it."""
        if self._looking is not None:
            self._looking.cancel()
        self.folders = () if self._folders_of != details.summary.key else self.folders
        self._folders_of = details.summary.key
        paths = paths_of(details)
        if paths:
            self._looking = asyncio.create_task(self._look(paths), name="folders of the details")

    async def _look(self, paths: Sequence[Path]) -> None:
        folders = await existing_folders(paths)
        if folders != self.folders:
            self.folders = folders
            self.changed.emit("folders")

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
        self.questions, self.folders = (), ()
        self.log.follow(None)
        self.records.show(None, ())
        self.changed.emit("workflow")

    def _show_state(self) -> None:
        if self._summary is None:
            return
        state = state_part(self._summary, self._known, self._now())
        if state != self.state:
            self.state = state
            self.changed.emit("state")
        questions = questions_of(self._summary, self.questions)
        if questions != self.questions:
            self.questions = questions
            self.changed.emit("questions")

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
