"""One schedule while a person makes or changes it: its name, what is started with which input, and when."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import time, timedelta
from typing import TYPE_CHECKING, Any

from stepfast import Definition, Engine, Request
from stepfast.definitions.definition import NAME
from stepfast.errors import InvalidInput, StepfastError
from stepfast.interfaces import NewSchedule
from stepfast.schedules import DAYS, Daily, Every, Rule, Weekly, rule_from, rule_text
from stepfast.values import codec
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.starting.form import FormViewModel
from stepfast_desktop.viewmodels.words import known, translate

if TYPE_CHECKING:
    from stepfast.views import Schedule

__all__ = ["UNITS", "ScheduleEditor", "day_names"]

UNITS = {"minutes": 60, "hours": 3600, "days": 86_400, "seconds": 1}
"""Of an interval, in seconds."""


class ScheduleEditor:
    """What is in its fields.

    Attributes:
        name: what it is called; fixed for one that is there.
        chosen: the name of the definition.
        how: "every", "daily" or "weekly".
        number, unit: of the interval; `unit` is one of `UNITS`.
        at: the time of day, local.
        days: of the week, of `stepfast.schedules.DAYS`.
        make_up: whether one run makes up for those that were missed.
        error: why it was not saved.
    """

    def __init__(self, engine: Engine, *, taken: Mapping[str, object], of: Schedule | None = None) -> None:
        self.changed: Event[[]] = Event()
        self.error = ""
        self._engine = engine
        self._taken = taken
        self._of = of
        newest = {each.name: each for each in sorted(engine.registry, key=lambda each: each.version)}
        # No schedule keeps secrets.
        self._definitions = {name: each for name, each in newest.items() if not each.secrets}
        self._forms: dict[str, FormViewModel[Request[Any]]] = {}
        self.name = ""
        self.name_touched = False
        self.chosen: str | None = next(iter(self._definitions), None)
        self.how = "daily"
        self.number, self.unit = 1, "hours"
        self.at = time(3, 0)
        self.days: frozenset[str] = frozenset({"mon"})
        self.make_up = True
        self._zone: str | None = None
        if of is not None:
            self._take(of)

    @property
    def is_new(self) -> bool:
        """Is it still to be made?"""
        return self._of is None

    @property
    def choices(self) -> list[tuple[str, str]]:
        """What may be scheduled: names and titles. Of one whose definition is not here, only its own."""
        if self._of is not None and self._of.definition not in self._definitions:
            return [(self._of.definition, self._of.definition)]
        return [(name, known(each.title)) for name, each in self._definitions.items()]

    @property
    def form(self) -> FormViewModel[Request[Any]] | None:
        """The form of what is chosen; None where its definition is not here: then its input stays."""
        definition = self._definitions.get(self.chosen or "")
        if definition is None:
            return None
        if definition.name not in self._forms:
            made = self._forms[definition.name] = FormViewModel[Request[Any]](definition)
            made.changed.connect(self.changed.emit)
        return self._forms[definition.name]

    @property
    def name_problem(self) -> str:
        """What is wrong with the name; empty where nothing is."""
        if not self.name:
            return translate("Schedules", "It needs a name.")
        if self._of is None and self.name in self._taken:
            return translate("Schedules", "There is a schedule of that name.")
        if NAME.fullmatch(self.name) is None:
            return translate(
                "Schedules", "Small letters a to z, digits, dots, dashes and underscores, at most 100."
            )
        return ""

    @property
    def rule_problem(self) -> str:
        """What is wrong with when it runs."""
        if self.how == "weekly" and not self.days:
            return translate("Schedules", "Choose a day at least.")
        return ""

    def set(self, **given: Any) -> None:
        """Another value for some of the attributes."""
        for name, value in given.items():
            assert hasattr(self, name), name
            setattr(self, name, value)
        if "name" in given:
            self.name_touched = True
        self.error = ""
        self.changed.emit()

    @property
    def rule(self) -> Rule:
        """When it runs. Raises `InvalidInput` where there is a `rule_problem`."""
        match self.how:
            case "every":
                return Every(timedelta(seconds=self.number * UNITS[self.unit]))
            case "daily":
                return Daily(self.at, self._zone)
            case _:
                return Weekly(self.days, self.at, self._zone)

    async def save(self) -> bool:
        """Keep it; False, and why, where that cannot be."""
        form = self.form
        request = form.request() if form is not None else None
        self.name_touched = True
        if self.name_problem or self.rule_problem or (form is not None and request is None):
            self.changed.emit()
            return False
        missed = "once" if self.make_up else "skip"
        try:
            if request is not None:
                await self._engine.schedule(self.name, request, self.rule, missed=missed)
            elif self._of is not None:
                input = codec.encode(self._of.input, about="the input of a schedule")
                await self._engine.durable.schedule(
                    NewSchedule(
                        self.name,
                        self._of.definition,
                        self._of.version,
                        input,
                        rule_text(self.rule),
                        missed,
                    )
                )
            else:
                return False
        except StepfastError as error:
            self.error = translate("Schedules", "It was not kept: {reason}").format(reason=error)
            self.changed.emit()
            return False
        return True

    def _take(self, of: Schedule) -> None:
        self.name, self.chosen = of.name, of.definition
        self.make_up = of.missed == "once"
        definition = self._definitions.get(of.definition)
        if definition is not None:
            self._fill(definition, of)
        try:
            rule = rule_from(of.rule)
        except (InvalidInput, ValueError, OverflowError):
            return
        match rule:
            case Every(interval):
                self.how = "every"
                seconds = round(interval.total_seconds())
                for unit in ("days", "hours", "minutes", "seconds"):
                    if seconds % UNITS[unit] == 0:
                        self.number, self.unit = seconds // UNITS[unit], unit
                        break
            case Daily(at, zone):
                self.how, self.at, self._zone = "daily", at, zone
            case Weekly(days, at, zone):
                self.how, self.at, self._zone, self.days = "weekly", at, zone, frozenset(days)

    def _fill(self, definition: Definition[..., Any], of: Schedule) -> None:
        form = self.form
        assert form is not None
        try:
            text = codec.encode(of.input, about="the input of a schedule")
            form.fill(definition.bind(text))
        except (InvalidInput, StepfastError) as error:
            # Of another version, perhaps: it is filled in anew.
            self.error = translate("Schedules", "Its input does not fit any more: {reason}").format(
                reason=error
            )


def day_names() -> dict[str, str]:
    """The days of the week, short, by what `stepfast.schedules` calls them."""
    names = (
        translate("Day", "Mon"),
        translate("Day", "Tue"),
        translate("Day", "Wed"),
        translate("Day", "Thu"),
        translate("Day", "Fri"),
        translate("Day", "Sat"),
        translate("Day", "Sun"),
    )
    return dict(zip(DAYS, names, strict=True))
