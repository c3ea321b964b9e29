"""What a person may say of a start besides its input: a name, a moment, a priority, how many at once.

They are fields of a form like any other, so they are shown, typed and checked like any other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any

from stepfast import Engine
from stepfast.definitions.annotations import ask
from stepfast.definitions.parameters import Parameter
from stepfast.errors import StepfastError, UnknownWorkflow
from stepfast.hints import Between
from stepfast_desktop.viewmodels.starting.form import FormViewModel
from stepfast_desktop.viewmodels.starting.kept_limits import MOST_AT_ONCE
from stepfast_desktop.viewmodels.words import translate

__all__ = ["StartOptions"]

LONGEST_NAME = 200
PAUSE = 0.2
"""Seconds without a letter typed before one looks whether a name is taken."""


class StartOptions:
    """The form of the options, and what they come to.

    Attributes:
        form: the fields `id`, `at` and `priority`, and `at_once` where the definition is this program's.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        at_once: int | None = None,
        most: int | None = MOST_AT_ONCE,
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        """`at_once` is how many may run at once as it is, and `most` what it may be; None where it is not
        for this program to say. `now` is the local time, naive."""
        self._engine = engine
        self._now = now
        self._taken: set[str] = set()
        self._looked_up = ""
        self._looking: asyncio.Task[None] | None = None
        parameters = [_id(), _at(), _priority()]
        if most is not None:
            parameters.append(_number_at_once(at_once, most))
        self.form: FormViewModel[dict[str, object]] = FormViewModel(_Asking(tuple(parameters)), now=now)
        self.form.field("id").also = self._wrong_with_id
        self.form.field("at").also = self._wrong_with_moment
        self.form.changed.connect(self._changed)

    @property
    def used(self) -> bool:
        """Is any of it other than it was at first?"""
        return any(each.used for each in self.form.fields)

    @property
    def id(self) -> str | None:
        """The name that the workflow gets; None for one that is made up."""
        value = self.form.field("id").value
        return value.strip() or None if isinstance(value, str) else None

    @property
    def at(self) -> datetime | None:
        """When it starts, aware; None for now."""
        value = self.form.field("at").value
        return value.astimezone() if isinstance(value, datetime) else None

    @property
    def priority(self) -> int:
        value = self.form.field("priority").value
        return value if isinstance(value, int) else 0

    @property
    def at_once(self) -> int | None:
        """How many workflows of the definition run at once; None for any number."""
        fields = {each.name: each for each in self.form.fields}
        value = fields["at_once"].value if "at_once" in fields else None
        return value if isinstance(value, int) else None

    def refuse(self, id: str) -> None:
        """A start found that there is a workflow of that name."""
        self._taken.add(id)
        self.form.show_errors()

    async def close(self) -> None:
        """Look nothing up any more."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait({self._looking})

    def _changed(self) -> None:
        id = self.id or ""
        if id != self._looked_up:
            self._looked_up = id
            if self._looking is not None:
                self._looking.cancel()
            if id and id not in self._taken:
                self._looking = asyncio.create_task(self._look_up(id), name="is that name taken?")

    async def _look_up(self, id: str) -> None:
        await asyncio.sleep(PAUSE)
        try:
            await self._engine.summary(id)
        except UnknownWorkflow:
            return
        except StepfastError:
            return  # the start will say what is wrong with the file
        self._taken.add(id)
        self.form.changed.emit()

    def _wrong_with_id(self, value: object) -> str:
        id = value.strip() if isinstance(value, str) else ""
        if id in self._taken:
            return translate("StartOptions", "There is a workflow of that name already.")
        if len(id) > LONGEST_NAME or not id.isprintable():
            text = translate("StartOptions", "A name has at most {most} characters, all of them visible.")
            return text.format(most=LONGEST_NAME)
        return ""

    def _wrong_with_moment(self, value: object) -> str:
        if isinstance(value, datetime) and value.astimezone() <= self._now().astimezone():
            return translate("StartOptions", "This moment is past.")
        return ""


class _Asking:
    """Stands in the place of a definition."""

    name = "start"
    title = ""

    def __init__(self, parameters: tuple[Parameter, ...]) -> None:
        self.parameters = parameters

    def request(self, arguments: Mapping[str, object], /) -> dict[str, object]:
        return dict(arguments)


def _parameter(name: str, annotation: Any, default: object, title: str, help: str) -> Parameter:
    asked = ask(annotation)
    return Parameter(name, annotation, False, default, asked.kind, asked.choices, title, help, asked.words)


def _id() -> Parameter:
    title = translate("StartOptions", "Name")
    help = translate("StartOptions", "What it is called in the list; one is made up where this is empty")
    return _parameter("id", str | None, None, title, help)


def _at() -> Parameter:
    title = translate("StartOptions", "Start later")
    help = translate("StartOptions", "It waits until then, whether this program runs meanwhile or not")
    return _parameter("at", datetime | None, None, title, help)


def _priority() -> Parameter:
    title = translate("StartOptions", "Priority")
    help = translate("StartOptions", "The higher goes first among what is ready")
    return _parameter("priority", Annotated[int, Between(-1000, 1000)], 0, title, help)


def _number_at_once(at_once: int | None, most: int) -> Parameter:
    title = translate("StartOptions", "At once at most")
    help = translate(
        "StartOptions", "How many of this kind may run at once, this one and all others; empty for any number"
    )
    return _parameter("at_once", Annotated[int | None, Between(1, most)], at_once, title, help)
