"""One field of a form: what it asks for, what a person has put in, and what is wrong with that.

A field holds a text, which is what an editor shows, and the value that the text means. A value that was put
in by the program (a default, a folder that was dropped) stays what it was until the text is changed, though
the text may say less: a name that is no text, a moment's seconds.
"""

from __future__ import annotations

import re
from collections import abc
from collections.abc import Callable, Sequence
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from stepfast.definitions.annotations import Asked, ask, read
from stepfast.definitions.parameters import Parameter, check
from stepfast.errors import InvalidInput
from stepfast.hints import outside
from stepfast.secrets import Secret
from stepfast.values.plain import lower
from stepfast.values.shapes import lift
from stepfast_desktop.viewmodels.starting.entering import (
    Wrong,
    bounded,
    example_of,
    made_absolute,
    needed,
    text_of,
    typed_number,
    typed_path,
)
from stepfast_desktop.viewmodels.words import known, translate

__all__ = ["Field", "Wants", "choices_in"]

Wants = Literal["file", "folder", "either"]
"""What a path is meant to lead to, as far as its names say."""

NOT_ONE_A_LINE = ("list", "union", "json")

FOLDER = re.compile(r"(?<![a-z])(folder|director(y|ies)|dir)s?(?![a-z])", re.IGNORECASE)
FILE = re.compile(r"(?<![a-z])files?(?![a-z])", re.IGNORECASE)


class Field:
    """One parameter, as a form asks for it.

    Attributes:
        name, title, help: of the parameter; `help` may be empty.
        kind: as `Parameter.kind`, except that `list` is only what is written one a line, what else is a
            list being `json`; and yes or no or nothing is a `choice`.
        choices, labels: what may be chosen, as `write` takes it and as a person reads it.
        required: whether something must be put in.
        optional: whether nothing at all is a value too.
        wants: for paths (and lists of them), what to look for.
        there: whether that must be there before the start.
        lines: whether a text may have several.
        rare: whether it stands under More, since few people need it.
        ordered: whether the places in a list count.
        unit: what a number counts; may be empty.
        also: says what else is wrong with a value that fits; empty where nothing is.
        example: what would fit, to be shown in an empty field; may be empty.
        text: what is in the field, as text; of a secret too, so an editor of one does not show it.
        touched: whether a person has been here. What is wrong is shown (`error`) only from then on.
    """

    def __init__(
        self, parameter: Parameter, *, subject: str = "", now: Callable[[], datetime] = datetime.now
    ) -> None:
        """`subject` says what the form is about, where the parameter's own words do not tell file from
        folder; `now` is the local time, naive, which a day or a moment begins with."""
        asked = ask(parameter.annotation)
        self.parameter = parameter
        self.name = parameter.name
        self.title = known(parameter.title)
        self.help = known(parameter.help or "")
        self.kind = _kind_of(asked)
        self.optional = asked.optional
        self.required = parameter.required and not asked.optional
        self.choices, self.labels = _choices_of(asked)
        self.item: Asked | None = ask(get_args(asked.annotation)[0]) if self.kind == "list" else None
        self.of_paths = "path" in (self.kind, self.item.kind if self.item else "")
        self.wants = asked.wants or (self.item.wants if self.item else None) or _wants(parameter, subject)
        self.there = asked.there or (self.item is not None and self.item.there)
        self.lines = self.kind == "text" and asked.lines
        self.unit = known(asked.unit or "")
        self.rare = asked.rare
        self.ordered = get_origin(asked.annotation) not in (set, frozenset, abc.Set)
        self.also: Callable[[Any], str] | None = None
        self.example = example_of(self.item or asked)
        self.touched = False
        self.text = ""
        self._asked = asked
        self._aware = isinstance(parameter.default, datetime) and parameter.default.tzinfo is not None
        self._value: object = None
        self._problem = ""
        self._now = now
        self.begin()

    @property
    def used(self) -> bool:
        """Is it other than it begins with, where it may be left as it is?"""
        return bool(self.problem) or (not self.parameter.required and self._value != self.parameter.default)

    def begin(self) -> None:
        """Put in what the field begins with: the default, or where there is none, what its editor shows."""
        self.touched = False
        if not self.parameter.required:
            self.put(self.parameter.default)
            return
        self.text = "" if self.optional else self._first_text()
        self._read()

    @property
    def value(self) -> object:
        """What is put in, as the body will get it. Only where there is no `problem`."""
        return self._value

    @property
    def problem(self) -> str:
        """What is wrong, in a person's words, shown or not yet; empty where nothing is."""
        if self._problem or self.also is None:
            return self._problem
        return self.also(self._value)

    @property
    def paths(self) -> list[Path]:
        """Of a list of paths, which they are."""
        if not self.of_paths or not isinstance(self._value, list | tuple | set | frozenset):
            return []
        return [*self._value] if self.ordered else sorted(self._value)

    @property
    def error(self) -> str:
        """What is wrong and to be shown."""
        return self.problem if self.touched else ""

    def write(self, text: str) -> None:
        """Take what a person typed or chose."""
        self.touched = True
        if text != self.text:
            self.text = text
            self._read()

    def fit(self, value: object) -> object:
        """What `value`, rich or plain, is as a value of this field. Raises `InvalidInput` if it is none."""
        about = f"the input {self.name!r}"
        if self.kind == "secret":
            return check(self.parameter, value)
        fitting = lift(lower(value), self.parameter.annotation, about=about, error=InvalidInput)
        if (bounds := self._asked.bounds) is not None and outside(bounds, fitting):
            raise InvalidInput(f"{about} is {fitting}; it needs {self.parameter.words}")
        return made_absolute(fitting)

    def put(self, value: object) -> None:
        """Take a value from the program. Raises `InvalidInput` where it does not fit."""
        self._value = self.fit(value)
        self.text = self._text_of(self._value)
        self._problem = ""

    def put_paths(self, paths: Sequence[Path]) -> None:
        """Take these as the list of paths, touched; of those that are there twice, one."""
        self.touched = True
        if not paths:
            self.text = ""
            self._read()
            return
        try:
            self.put([*dict.fromkeys(paths)])
        except InvalidInput as error:
            self._problem = str(error)

    def leave(self) -> None:
        """A person has been here and goes on: a path is shown from now on as it will be used."""
        self.touched = True
        if self.kind == "path" and isinstance(self._value, Path) and not self._problem:
            self.text = self._text_of(self._value)

    def add(self, paths: Sequence[Path]) -> None:
        """Add paths to a list of them, but for those that are there."""
        self.put_paths([*self.paths, *paths])

    def step(self, by: int) -> None:
        """Add to a number; what is no number becomes one."""
        number = self._value if isinstance(self._value, int | float) or self.kind == "decimal" else 0
        if self._problem or number is None:
            number = 0
        wanted = number + by  # type: ignore[operator]
        if (bounds := self._asked.bounds) is not None and outside(bounds, wanted):
            low = bounds.least is not None and wanted < bounds.least
            wanted = bounds.least if low else bounds.most  # type: ignore[assignment]
        self.write(self._text_of(wanted))

    # --- reading ----------------------------------------------------------------------------------

    def _read(self) -> None:
        self._value = None
        # Of what has a default, only a text and a list can be empty and still be meant.
        may_be_empty = self.optional or (self.kind in ("text", "list") and not self.required)
        if not may_be_empty and not self.text.strip():
            self._problem = _missing(self)
            return
        try:
            meant = self._meant()
            if (bounds := self._asked.bounds) is not None and outside(bounds, meant):
                raise Wrong(bounded(bounds))
            self._value = check(self.parameter, meant)
            self._problem = ""
        except Wrong as wrong:
            self._problem = str(wrong)
        except InvalidInput as error:
            self._problem = str(error)

    def _meant(self) -> object:
        if self.kind != "list" or self.item is None:
            return made_absolute(self._read_one(self.parameter.annotation, self._asked, self.text))
        item = self.item
        found: list[object] = []
        for number, line in enumerate(self.text.split("\n"), 1):
            if line.strip():
                try:
                    found.append(self._read_one(item.annotation, item, line))
                except Wrong as wrong:
                    said = translate("Form", "Line {number}: {problem}").format(number=number, problem=wrong)
                    raise Wrong(said) from None
        if not found and self.optional:
            return None
        return lift(lower(made_absolute(found)), self._asked.annotation, error=InvalidInput)

    def _read_one(self, annotation: Any, asked: Asked, text: str) -> object:
        if asked.kind == "path" and text.strip():
            return typed_path(text)
        if asked.kind in ("float", "decimal"):
            text = typed_number(text)
        try:
            value = read(annotation, text)
        except ValueError as error:
            raise Wrong(needed(asked, str(error))) from None
        if self._aware and isinstance(value, datetime) and value.tzinfo is None:
            return value.astimezone()
        return value

    # --- as text ----------------------------------------------------------------------------------

    def _first_text(self) -> str:
        # The editors of these always show something, and it must be what will be used.
        match self.kind:
            case "bool":
                return "no"
            case "date":
                return self._now().date().isoformat()
            case "datetime":
                return self._now().replace(minute=0, second=0, microsecond=0, tzinfo=None).isoformat()
            case "time":
                return "00:00"
        return ""

    def _text_of(self, value: object) -> str:
        if isinstance(value, Secret):
            return value.reveal()
        if value is None and self.optional:
            return ""
        if self.item is not None and isinstance(value, list | tuple | set | frozenset):
            lines = [text_of(each, self.item.kind, self.item) for each in value]
            return "\n".join(sorted(lines) if isinstance(value, set | frozenset) else lines)
        return text_of(value, self.kind, self._asked)


def _kind_of(asked: Asked) -> str:
    if asked.kind == "bool" and asked.optional:
        return "choice"
    if asked.kind != "list":
        return asked.kind
    args = get_args(asked.annotation)
    item = ask(args[0]) if args else None
    return "list" if item is not None and item.kind not in NOT_ONE_A_LINE and not item.optional else "json"


def choices_in(annotation: Any) -> dict[str, str]:
    """What a form calls each value that may be chosen, by the value as text; empty where it is no choice."""
    asked = ask(annotation)
    return dict(zip(*_choices_of(asked), strict=True)) if asked.kind == "choice" else {}


def _choices_of(asked: Asked) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if asked.kind == "bool":
        return ("yes", "no"), (translate("Form", "Yes"), translate("Form", "No"))
    if all(isinstance(value, Enum) for value in asked.values) or _are_words(asked.choices):
        return asked.choices, tuple(known(choice.replace("_", " ").capitalize()) for choice in asked.choices)
    return asked.choices, asked.choices


def _are_words(choices: Sequence[str]) -> bool:
    """skip and overwrite are; jpg and png, or sha256, stay as they are."""
    return all(re.fullmatch(r"[a-z]+(_[a-z]+)*", each) for each in choices) and any(
        len(each) > 3 for each in choices
    )


def _wants(parameter: Parameter, subject: str) -> Wants:
    for words in (f"{parameter.name.replace('_', ' ')} {parameter.title} {parameter.help or ''}", subject):
        folder, file = FOLDER.search(words), FILE.search(words)
        if folder and not file:
            return "folder"
        if file and not folder:
            return "file"
    return "either"


def _missing(field: Field) -> str:
    match field.kind, field.wants:
        case "choice", _:
            return translate("Form", "Choose one.")
        case "path", "folder":
            return translate("Form", "Choose a folder.")
        case "path", "file":
            return translate("Form", "Choose a file.")
        case "path", _:
            return translate("Form", "Choose a file or a folder.")
        case "list", _ if field.of_paths:
            return translate("Form", "Add at least one.")
        case "list", _:
            return translate("Form", "Write at least one, each on a line of its own.")
        case (("text" | "secret"), _):
            return translate("Form", "This cannot be empty.")
    return needed(ask(field.parameter.annotation))
