"""The form made from a definition's parameters, checked while a person fills it in.

    form = FormViewModel(copy_folder)
    form.set("source", "~/Pictures")
    form.valid, form.field("destination").error
    request = form.request()      # or None, and then every field says what it lacks

The form knows types. Whether two inputs go together, and whether a folder is there, is for the definition's
preview to say (`watch`), which is looked at beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from stepfast.definitions.parameters import Parameter
from stepfast.definitions.preview import Finding
from stepfast.errors import InvalidInput
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.starting.fields import Field
from stepfast_desktop.viewmodels.starting.previewing import Look, Previewing
from stepfast_desktop.viewmodels.words import translate

__all__ = ["Asking", "FormViewModel"]

R_co = TypeVar("R_co", covariant=True)


class Asking(Protocol[R_co]):
    """What a form can be made of: a `stepfast.Definition`, or what an offer tells of one elsewhere."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def parameters(self) -> tuple[Parameter, ...]: ...
    def request(self, arguments: Mapping[str, object], /) -> R_co: ...


class FormViewModel(Generic[R_co]):
    """A form and what is in it.

    Attributes:
        fields: in the order of the signature.
        error: what is wrong with the input as a whole; empty where nothing is.
        changed: emitted after anything of it changed.
    """

    def __init__(self, definition: Asking[R_co], *, now: Callable[[], datetime] = datetime.now) -> None:
        self._definition = definition
        subject = f"{definition.name} {definition.title}"
        self.fields = tuple(Field(each, subject=subject, now=now) for each in definition.parameters)
        self.error = ""
        self.changed: Event[[]] = Event()
        self._by_name = {each.name: each for each in self.fields}
        self._previewing: Previewing | None = None
        self._looks_at: tuple[str, ...] = ()
        self._there: tuple[str, ...] = ()

    def watch(self, look: Look, names: Sequence[str], there: Sequence[str] = ()) -> None:
        """Show from now on what `look` finds of the inputs `names`, once all of them are filled in.

        Before that it is called with those of `there` that are, each of which is looked at by itself.
        """
        self._looks_at, self._there = tuple(names), tuple(there)
        self._previewing = Previewing(look, self.changed.emit)
        self._ask()

    def look_again(self) -> None:
        """Look once more at what is filled in: a disk may have been connected meanwhile."""
        if self._previewing is not None:
            self._previewing.again()

    async def looked(self, seconds: float) -> None:
        """Wait for the first that a look at the input finds; no longer than so many seconds."""
        if self._previewing is not None:
            await self._previewing.first(seconds)

    def close(self) -> None:
        """Look at nothing more."""
        if self._previewing is not None:
            self._previewing.close()

    def field(self, name: str) -> Field:
        """The field of that name. Raises `KeyError`."""
        return self._by_name[name]

    @property
    def watched(self) -> bool:
        """Is there a preview of its input?"""
        return self._previewing is not None

    @property
    def looking(self) -> bool:
        """Is it being looked at now?"""
        return self._previewing is not None and self._previewing.looking

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What a look at the input found so far."""
        return self._previewing.findings if self._previewing is not None else ()

    def error_of(self, name: str) -> str:
        """What is wrong with a field and to be shown beside it."""
        found = [each.text for each in self.findings if each.level == "error" and each.about == name]
        return self._by_name[name].error or " ".join(found)

    @property
    def valid(self) -> bool:
        """Can a request be made of it as it is?"""
        wrong = any(each.level == "error" for each in self.findings)
        return not wrong and not any(each.problem for each in self.fields)

    @property
    def values(self) -> dict[str, object]:
        """What is filled in and fits, by name; nothing of what is secret."""
        return {each.name: each.value for each in self.fields if not each.problem and each.kind != "secret"}

    @property
    def first_wrong(self) -> str | None:
        """The name of the first field that keeps it from being valid: where a person should go."""
        about = {each.about for each in self.findings if each.level == "error"}
        return next((each.name for each in self.fields if each.problem or each.name in about), None)

    def set(self, name: str, given: object) -> None:
        """What a person typed (a text) or chose (a value that fits)."""
        field = self._by_name[name]
        if isinstance(given, str):
            field.write(given)
        else:
            field.put(given)
            field.touched = True
        self._say_changed()

    def step(self, name: str, by: int) -> None:
        """Add to a number, as the arrows beside it do."""
        self._by_name[name].step(by)
        self._say_changed()

    def add(self, name: str, paths: list[Path]) -> None:
        """Add paths to a list of them."""
        self._by_name[name].add(paths)
        self._say_changed()

    def put_paths(self, name: str, paths: Sequence[Path]) -> None:
        """Have these as a list of paths, in this order."""
        self._by_name[name].put_paths(paths)
        self._say_changed()

    def leave(self, name: str) -> None:
        """A person went on from this field; what is wrong with it is shown from now on."""
        self._by_name[name].leave()
        self._say_changed(self.error)

    def fill(self, values: Mapping[str, object]) -> None:
        """Put values in that come from the program; the other fields stay as they are.

        Raises `InvalidInput` for one that does not fit, or that the form does not have, and puts nothing in.
        """
        for name in values:
            if name not in self._by_name:
                raise InvalidInput(f"{self._definition.name!r} has no input {name!r}")
        for name, value in values.items():
            self._by_name[name].fit(value)
        for name, value in values.items():
            self._by_name[name].put(value)
        self._say_changed()

    def fill_what_fits(self, values: Mapping[str, object]) -> list[str]:
        """As `fill`, but leave out what does not fit any more; returns the names of that."""
        left = []
        for name, value in values.items():
            try:
                self._by_name[name].put(value)
            except (KeyError, InvalidInput):
                left.append(name)
        self._say_changed()
        return left

    def reset(self) -> None:
        """Have in it what it began with."""
        for each in self.fields:
            each.begin()
        self._say_changed()

    def show_errors(self) -> None:
        """Let every field say what is wrong with it, touched or not."""
        for each in self.fields:
            each.touched = True
        self._say_changed(self.error)

    def request(self) -> R_co | None:
        """The request that it makes, or None: then every field says what is wrong with it."""
        if not self.valid:
            self.show_errors()
            return None
        try:
            return self._definition.request({each.name: each.value for each in self.fields})
        except InvalidInput as error:
            self._say_changed(translate("Form", "This cannot be started: {reason}.").format(reason=error))
            return None

    def _say_changed(self, error: str = "") -> None:
        self.error = error
        self._ask()
        self.changed.emit()

    def _ask(self) -> None:
        if self._previewing is not None:
            fields = [self._by_name[name] for name in dict.fromkeys((*self._there, *self._looks_at))]
            values = {each.name: each.value for each in fields if not each.problem}
            whole = self._looks_at and values.keys() >= {*self._looks_at}
            if not whole:
                values = {name: values[name] for name in self._there if name in values}
            self._previewing.ask(values or None)
