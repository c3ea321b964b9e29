"""Definitions that run in another program, known here only by what that program offers.

An offer carries the schema of its form (`stepfast.definitions.parameters.schema`), from which `Elsewhere`
makes the same parameters again, of types that this program has: a dataclass becomes a `TypedDict` of its
fields, an enum one of the same names and values. So what is filled in is checked here as far as the schema
tells, and `Definition.bind` reads there the same arguments of it. What the schema cannot tell (the checks of
a class of theirs) shows when the workflow runs.

A schema comes out of a file that other programs write to. It is read as data, and one with a word in it that
this module does not know is refused, rather than a form shown that asks for something else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, Optional, Required, TypedDict, Union

from stepfast.definitions.annotations import ask
from stepfast.definitions.parameters import Parameter, check
from stepfast.errors import DefinitionError, InvalidInput, UnstorableValue
from stepfast.hints import Between, File, Folder, Lines, Rare, Unit, outside
from stepfast.values import codec
from stepfast.values.plain import lower, short
from stepfast.values.shapes import lift
from stepfast.views import Offer
from stepfast_desktop.viewmodels.format import label_text, readable

__all__ = [
    "Elsewhere",
    "Posted",
    "UnreadableForm",
    "check_answer",
    "elsewhere",
    "one_line",
    "parameters_in",
]

MOST = 1000
"""Parameters, choices or fields in one place; more is nothing that a person fills in."""
DEPTH = 8

FORMATS: dict[str, Any] = {
    "path": Path,
    "date": date,
    "date-time": datetime,
    "time": time,
    "duration": timedelta,
    "byte": bytes,
}
SIMPLE: dict[str, Any] = {"boolean": bool, "integer": int, "number": float, "null": type(None)}
WRONG = (
    ValueError,
    ArithmeticError,
    TypeError,
    KeyError,
    DefinitionError,
    InvalidInput,
    RecursionError,
)
"""What comes of reading a schema that is none."""
NOTES = frozenset({"title", "description", "default"})


class UnreadableForm(Exception):
    """A schema with something in it that no form can be made of here."""


@dataclass(frozen=True, slots=True)
class Posted:
    """An input for a definition elsewhere, as it is stored."""

    name: str
    version: int
    text: str


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A definition that another program runs, made by `elsewhere` from its offer."""

    name: str
    version: int
    title: str
    parameters: tuple[Parameter, ...]

    def request(self, arguments: Mapping[str, object], /) -> Posted:
        """The input that these arguments make. Raises `InvalidInput` for one that does not fit."""
        checked = {each.name: check(each, arguments[each.name]) for each in self.parameters}
        try:
            text = codec.encode(lower(checked), about=f"the input of {self.name!r}")
        except UnstorableValue as error:
            raise InvalidInput(str(error)) from None
        return Posted(self.name, self.version, text)


def elsewhere(offer: Offer) -> Elsewhere:
    """The definition that `offer` tells of. Raises `UnreadableForm` where its form cannot be made here."""
    try:
        schema = json.loads(offer.form)
        known = _only(schema, {"type", "properties", "required", "additionalProperties"})
        # Every schema of ours says this much; "{}" is what an owner offers who says nothing of its form.
        if known.get("type") != "object" or not isinstance(known.get("properties"), dict):
            raise UnreadableForm("it does not say what it asks for")
        required = known.get("required", [])
        parameters = tuple(
            _parameter(name, field, name in required) for name, field in _few(known["properties"]).items()
        )
    except WRONG as error:
        raise UnreadableForm(str(error)) from error
    return Elsewhere(offer.name, offer.version, one_line(offer.title) or offer.name, parameters)


def parameters_in(schema: object, name: str, title: str) -> tuple[Parameter, ...]:
    """What a form asks for to make one value: each of its parts, or the value itself, called `name`.

    A part that may be left out is None by default.

    Args:
        schema: of the value, as `stepfast.definitions.parameters.schema_of` makes it.
        name: what the value is called where it has no parts.
        title: what its field is called then; what the schema says of it stands elsewhere.

    Raises `UnreadableForm` where no form can be made of it here.
    """
    try:
        known = _only(schema)
        if known.get("type") == "object" and isinstance(known.get("properties"), dict):
            rest = {key: item for key, item in known.items() if key not in NOTES}
            allowed = {"type", "properties", "required", "additionalProperties"}
            required = _only(rest, allowed).get("required", [])
            parts = {
                each: {"title": label_text(each), **_only(part)}
                for each, part in _few(known["properties"]).items()
            }
            return tuple(
                _parameter(each, part if each in required else _or_nothing(part), each in required)
                for each, part in parts.items()
            )
        bare = {key: item for key, item in known.items() if key != "description"}
        return (_parameter(name, {**bare, "title": title}, True),)
    except (ValueError, TypeError, KeyError, DefinitionError, InvalidInput, RecursionError) as error:
        raise UnreadableForm(str(error)) from error


def check_answer(form: str | None, name: str, value: object) -> None:
    """Hold the plain JSON `value` against the schema that `run.awaiting(name, into=...)` left with the wait.

    A schema of which no form can be made here refuses nothing: the body alone knows.

    Raises `InvalidInput`, saying what would fit.
    """
    try:
        annotation = _annotation(json.loads(form or "{}"), 0)
        asked = ask(annotation)
    except (UnreadableForm, *WRONG):
        return
    about = f"the answer {name!r}"
    try:
        lifted = lift(value, annotation, about=about, error=InvalidInput)
    except InvalidInput as error:
        raise InvalidInput(f"{error}; it needs {asked.words}") from None
    if outside(asked.bounds, lifted):
        raise InvalidInput(f"{about} is {short(value)}; it needs {asked.words}")


def _or_nothing(part: dict[str, Any]) -> dict[str, Any]:
    """The schema of a part that may be left out, without which whoever asks has something of their own."""
    words = {key: item for key, item in part.items() if key in NOTES}
    rest = {key: item for key, item in part.items() if key not in NOTES}
    kind = rest.get("type")
    if isinstance(kind, str) and kind != "null":
        rest["type"] = [kind, "null"]
        for names, nothing in (("enum", None), ("enumNames", "")):
            if names in rest:
                rest[names] = [*rest[names], nothing]
    elif rest and not isinstance(kind, list):
        rest = {"anyOf": [rest, {"type": "null"}]}
    return {**words, **rest, "default": None}


def _parameter(name: str, field: Mapping[str, Any], required: bool) -> Parameter:
    if not name or name.startswith("$"):
        raise UnreadableForm(f"{name!r} is no name of an input")
    annotation = _annotation(field, 0)
    asked = ask(annotation)
    default = None
    if not required:
        default = lift(field["default"], annotation, about=f"the default of {name!r}", error=InvalidInput)
    title, help = field.get("title", name), field.get("description")
    return Parameter(
        name=name,
        annotation=annotation,
        required=required,
        default=default,
        kind=asked.kind,
        choices=asked.choices,
        title=one_line(title),
        help=None if help is None else one_line(help),
        words=asked.words,
    )


def _annotation(schema: Any, depth: int) -> Any:
    """The type whose `schema_of` is this schema."""
    if depth > DEPTH:
        raise UnreadableForm("it is nested too deep")
    rest = {name: item for name, item in _only(schema).items() if name not in NOTES}
    if hints := _hints(rest):
        return Annotated.__class_getitem__((_annotation(rest, depth), *hints))  # type: ignore[attr-defined]
    if not rest:
        return Any
    if "enum" in rest:
        return _choice(_only(rest, {"type", "enum", "enumNames"}))
    if "anyOf" in rest:
        members = _few(_only(rest, {"anyOf"})["anyOf"])
        return Union[tuple(_annotation(each, depth + 1) for each in members)]  # noqa: UP007
    kind = rest.pop("type")
    if isinstance(kind, list):
        (kind, _) = kind if kind[-1] == "null" else (None, None)
        return Optional[_annotation({"type": kind, **rest}, depth)]  # noqa: UP045
    match kind:
        case "string":
            form = _only(rest, {"format"}).get("format")
            return str if form is None else _of_format(form)
        case "array":
            return _array(rest, depth)
        case "object":
            return _object(rest, depth)
    _only(rest, set())
    return SIMPLE[kind]


def _of_format(name: str) -> Any:
    """The type of a text of that format. Raises `KeyError` where there is none."""
    match name:
        case "decimal":
            from decimal import Decimal

            return Decimal
        case "uuid":
            from uuid import UUID

            return UUID
    return FORMATS[name]


def _hints(rest: dict[str, Any]) -> list[object]:
    """Take what `stepfast.hints` said out of a schema."""
    found: list[object] = []
    least, most = rest.pop("minimum", None), rest.pop("maximum", None)
    if least is not None or most is not None:
        if rest.get("format") == "decimal":
            decimal = _of_format("decimal")
            least, most = (None if each is None else decimal(each) for each in (least, most))
        found.append(Between(least, most))
    if (unit := rest.pop("unit", None)) is not None:
        found.append(Unit(one_line(unit)))
    if (wants := rest.pop("wants", None)) is not None:
        found.append({"folder": Folder, "file": File}[wants](there=bool(rest.pop("there", None))))
    for word, hint in (("lines", Lines()), ("rare", Rare())):
        if rest.pop(word, None):
            found.append(hint)
    return found


def _choice(schema: Mapping[str, Any]) -> Any:
    values, names = [*_few(schema["enum"])], schema.get("enumNames")
    optional = isinstance(schema.get("type"), list)
    if optional:
        values.pop()  # the null that stands for nothing chosen
    if any(not isinstance(each, str | int | float | None) for each in values):
        raise UnreadableForm("it has choices that are no single values")
    made = Literal[tuple(values)] if names is None else _enum(names, values)
    return Optional[made] if optional else made  # noqa: UP045  (not every type here has a |)


def _enum(names: list[str], values: list[Any]) -> Any:
    functional: Any = Enum  # for mypy, which wants the members written out
    made = functional("Choice", dict(zip(names, values, strict=False)))
    if len(made) != len(values):
        raise UnreadableForm("two of its choices are one")
    return made


def _array(rest: Mapping[str, Any], depth: int) -> Any:
    if "prefixItems" in rest:
        items = _few(_only(rest, {"prefixItems", "minItems", "maxItems"})["prefixItems"])
        return tuple.__class_getitem__(tuple(_annotation(each, depth + 1) for each in items))
    known = _only(rest, {"items", "uniqueItems"})
    item = _annotation(known.get("items", {}), depth + 1)
    return list if item is Any else list.__class_getitem__(item)


def _object(rest: Mapping[str, Any], depth: int) -> Any:
    if "properties" not in rest:
        item = _only(rest, {"additionalProperties"}).get("additionalProperties", {})
        return dict.__class_getitem__((str, _annotation(item, depth + 1)))
    known = _only(rest, {"properties", "required", "additionalProperties"})
    required = known.get("required", [])
    functional: Any = TypedDict
    return functional(
        "Item",
        {
            name: (Required if name in required else NotRequired)[_annotation(each, depth + 1)]
            for name, each in _few(known["properties"]).items()
        },
    )


def one_line(text: object) -> str:
    """What another program says, as one line without anything that would turn the text around it."""
    return readable(" ".join(str(text)[:MOST].split()))


def _only(schema: Any, allowed: set[str] | None = None) -> dict[str, Any]:
    """`schema`, if it is an object and says nothing else."""
    if not isinstance(schema, dict):
        raise UnreadableForm(f"{schema!r} is no schema")
    if allowed is not None and (unknown := schema.keys() - allowed - NOTES):
        raise UnreadableForm(f"it says {min(unknown)!r}, which is not known here")
    return schema


def _few(things: Any) -> Any:
    if not things and things != {}:
        raise UnreadableForm("it has nothing where something must be")
    if len(things) > MOST:
        raise UnreadableForm(f"it has {len(things):,} things in one place")
    return things
