"""The schedules of the file: what is started again and again, when it was last, and when it is next."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, assert_never

from stepfast import Engine
from stepfast.errors import InvalidInput, StepfastError
from stepfast.interfaces import NewSchedule
from stepfast.schedules import Daily, Every, Rule, Weekly, rule_from, run_id, switched
from stepfast.values import codec
from stepfast.views import Filter, Summary
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.feed import Changed, Feed
from stepfast_desktop.viewmodels.format import duration_text, state_text, time_text
from stepfast_desktop.viewmodels.tools.schedule_editor import ScheduleEditor, day_names
from stepfast_desktop.viewmodels.words import known, listed, translate

if TYPE_CHECKING:
    from stepfast.views import Schedule

__all__ = ["ScheduleRow", "SchedulesViewModel"]

BETWEEN = 0.5
TELLING = 20.0  # seconds after which "a moment ago" is looked at again, though nothing changed
LOOKED_AT = 20  # of the workflows whose ids have the name in them, for the last that was a run


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """A schedule as the list shows it."""

    name: str
    task: str
    rule: str
    following: str
    last: str
    on: bool = True


class SchedulesViewModel:
    """The list, and what is done with it.

    Attributes:
        rows: by name.
        error: why the last thing asked for was not done, or the list cannot be read.
        said: emitted with what was done, for the status line.
    """

    def __init__(
        self,
        engine: Engine,
        feed: Feed,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        telling: float = TELLING,
    ) -> None:
        self.changed: Event[[]] = Event()
        self.said: Event[[str]] = Event()
        self.rows: tuple[ScheduleRow, ...] = ()
        self.error = ""
        self._engine = engine
        self._feed = feed
        self._now = now
        self._known: dict[str, Schedule] = {}
        self._telling = telling
        self._removed: list[Schedule] = []
        self._stop: Callable[[], None] | None = None
        self._following: asyncio.Task[None] | None = None
        self._touched = asyncio.Event()

    @property
    def removed(self) -> Schedule | None:
        """What `undo` brings back: what was removed last."""
        return self._removed[-1] if self._removed else None

    def follow(self) -> None:
        """Read the list, and again whenever something changes, until `rest`."""
        if self._following is None:
            self._stop = self._feed.changed.connect(self._hear)
            self._touched.set()
            self._following = asyncio.create_task(self._follow(), name="schedules")

    def rest(self) -> None:
        """Follow no more: nobody looks."""
        if self._stop is not None:
            self._stop()
            self._stop = None
        if self._following is not None:
            self._following.cancel()
            self._following = None

    async def close(self) -> None:
        """Follow and read nothing more."""
        task = self._following
        self.rest()
        if task is not None:
            await asyncio.wait({task})

    # --- what a person does -----------------------------------------------------------------------

    def new(self) -> ScheduleEditor:
        """For a schedule that is still to be made."""
        return ScheduleEditor(self._engine, taken=self._known)

    def edit(self, name: str) -> ScheduleEditor:
        """For one that is there. Raises `KeyError`."""
        return ScheduleEditor(self._engine, taken=self._known, of=self._known[name])

    async def remove(self, name: str) -> None:
        """Start nothing more for it; what it has started stays."""
        schedule = self._known[name]
        if await self._do(self._engine.unschedule(name)) is not None:
            self._removed.append(schedule)
            self.said.emit(translate("Schedules", "{name} is removed").format(name=name))
            self.changed.emit()
        self.touch()

    async def switch(self, name: str) -> None:
        """Switch it off, or on where it is off; what it has started stays."""
        on = not self._known[name].on
        if await self._do(self._engine.switch_schedule(name, on=on)) is not None:
            text = translate("Schedules", "{name} is switched off")
            if on:
                text = translate("Schedules", "{name} is switched on")
            self.said.emit(text.format(name=name))
        self.touch()

    async def undo(self) -> None:
        """Bring back what was removed last, then what was before; it runs next as one that is made now."""
        schedule = self.removed
        if schedule is None:
            return
        await self.refresh()
        if schedule.name in self._known:
            self._removed.remove(schedule)
            text = translate("Schedules", "There is a schedule {name} again, which stays as it is.")
            self.error = text.format(name=schedule.name)
            self.changed.emit()
            return
        text = codec.encode(schedule.input, about=f"the input of the schedule {schedule.name!r}")
        rule = switched(schedule.rule, on=schedule.on)
        new = NewSchedule(schedule.name, schedule.definition, schedule.version, text, rule, schedule.missed)
        if await self._do(self._engine.durable.schedule(new)) is not None:
            self._removed.remove(schedule)
            self.said.emit(translate("Schedules", "{name} is back").format(name=schedule.name))
            self.changed.emit()
        self.touch()

    async def run_now(self, name: str) -> None:
        """Start it once more, now; its next run stays where it is."""
        schedule = self._known[name]
        id = run_id(name, int(self._now().timestamp()))
        text = codec.encode(schedule.input, about=f"the input of the schedule {name!r}")
        starting = self._engine.durable.start(id, schedule.definition, schedule.version, text)
        if await self._do(starting) is not None:
            self.said.emit(translate("Schedules", "{id} has started").format(id=id))
        self.touch()

    def touch(self) -> None:
        """Something changed: read the list again."""
        self._touched.set()

    # --- reading ----------------------------------------------------------------------------------

    async def refresh(self) -> None:
        """Read the list."""
        try:
            found = await self._engine.schedules()
            lasts = [await self._last(each.name) for each in found]
        except StepfastError as error:
            self.error = translate("Schedules", "The schedules cannot be read: {reason}").format(reason=error)
        else:
            self._known = {each.name: each for each in found}
            self.rows = tuple(self._row(each, last) for each, last in zip(found, lasts, strict=True))
        self.changed.emit()

    async def _follow(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._telling):
                    await self._touched.wait()
            self._touched.clear()
            await self.refresh()
            await asyncio.sleep(BETWEEN)

    def _hear(self, _changed: Changed) -> None:
        self._touched.set()

    async def _last(self, name: str) -> Summary | None:
        """Its last run: ids of runs begin with the name and an @."""
        found = await self._engine.list(Filter(text=f"{name}@"), limit=LOOKED_AT)
        return next((each for each in found if each.id.startswith(f"{name}@")), None)

    def _row(self, schedule: Schedule, last: Summary | None) -> ScheduleRow:
        now = self._now()
        following = translate("Schedules", "never: this computer cannot tell when")
        if not schedule.on:
            following = translate("Schedules", "off")
        elif schedule.due is not None:
            following = time_text(schedule.due, now)
        was = translate("Schedules", "not yet")
        if last is not None:
            was = translate("Schedules", "{time}: {state}").format(
                time=time_text(last.created_at, now), state=state_text(last, now)
            )
        task, rule = self._task(schedule), _words_of(schedule)
        return ScheduleRow(schedule.name, task, rule, following, was, schedule.on)

    def _task(self, schedule: Schedule) -> str:
        newest = {each.name: known(each.title) for each in self._engine.registry}
        return newest.get(schedule.definition, schedule.definition)

    async def _do(self, call: object) -> object | None:
        self.error = ""
        try:
            done: object = await call  # type: ignore[misc]
        except StepfastError as error:
            self.error = translate("Schedules", "That was not done: {reason}").format(reason=error)
            self.changed.emit()
            return None
        return done


def _words_of(schedule: Schedule) -> str:
    try:
        return rule_words(rule_from(schedule.rule))
    except (InvalidInput, ValueError, OverflowError):
        return translate("Schedules", "a rule that this version does not know")


def rule_words(rule: Rule) -> str:
    """A rule as a person says it: "every 30 min", "daily at 03:00", "Mon, Thu at 08:30"."""
    match rule:
        case Every(interval):
            text = translate("Schedules", "every {time}")
            return text.format(time=duration_text(interval.total_seconds()))
        case Daily(at, zone):
            return _zoned(translate("Schedules", "daily at {clock}").format(clock=f"{at:%H:%M}"), zone)
        case Weekly(days, at, zone):
            names = day_names()
            text = translate("Schedules", "{days} at {clock}")
            on = listed(names[each] for each in days)
            return _zoned(text.format(days=on, clock=f"{at:%H:%M}"), zone)
        case _:
            assert_never(rule)


def _zoned(text: str, zone: str | None) -> str:
    return text if zone is None else translate("Schedules", "{text} ({zone})").format(text=text, zone=zone)
