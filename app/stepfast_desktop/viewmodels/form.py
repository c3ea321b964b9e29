"""The form made from a definition's parameters, checked while a person fills it in.

    form = FormViewModel(copy_folder)
    form.set("source", "~/Pictures")
    form.valid, form.field("destination").error
    request = form.request()      # or None, and then every field says what it lacks

The form knows types and no definition: whether two inputs go together is for the workflow to check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from stepfast.errors import InvalidInput
from stepfast.parameters import Parameter
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.fields import Field
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

    def field(self, name: str) -> Field:
        """The field of that name. Raises `KeyError`."""
        return self._by_name[name]

    @property
    def valid(self) -> bool:
        """Can a request be made of it as it is?"""
        return not any(each.problem for each in self.fields)

    @property
    def first_wrong(self) -> str | None:
        """The name of the first field that keeps it from being valid: where a person should go."""
        return next((each.name for each in self.fields if each.problem), None)

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
        try:
            self._by_name[name].add(paths)
            self._say_changed()
        except InvalidInput as error:
            self._say_changed(str(error))

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
        self.changed.emit()
