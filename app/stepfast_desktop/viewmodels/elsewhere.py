"""Definitions that run in another program, known here only by what that program offers.

An offer carries the schema of its form (`stepfast.parameters.schema`), from which `Elsewhere` makes the same
parameters again, of types that this program has: a dataclass becomes a `TypedDict` of its fields, an enum one
of the same names and values. So what is filled in is checked here as far as the schema tells, and
`Definition.bind` reads there the same arguments of it. What the schema cannot tell (the checks of a class of
theirs) shows when the workflow runs.

A schema comes out of a file that other programs write to. It is read as data, and one with a word in it that
this module does not know is refused, rather than a form shown that asks for something else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, Literal, NotRequired, Optional, Required, TypedDict, Union
from uuid import UUID

from stepfast import codec
from stepfast.annotations import ask
from stepfast.errors import DefinitionError, InvalidInput, UnstorableValue
from stepfast.parameters import Parameter, check
from stepfast.plain import lower
from stepfast.shapes import lift
from stepfast.views import Offer
from stepfast_desktop.viewmodels.format import readable

__all__ = ["Elsewhere", "Posted", "UnreadableForm", "elsewhere", "one_line"]

MOST = 1000
"""Parameters, choices or fields in one place; more is nothing that a person fills in."""
DEPTH = 8

FORMATS: dict[str, Any] = {
    "path": Path,
    "date": date,
    "date-time": datetime,
    "time": time,
    "duration": timedelta,
    "decimal": Decimal,
    "uuid": UUID,
    "byte": bytes,
}
SIMPLE: dict[str, Any] = {"boolean": bool, "integer": int, "number": float, "null": type(None)}
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
    except (ValueError, TypeError, KeyError, DefinitionError, InvalidInput, RecursionError) as error:
        raise UnreadableForm(str(error)) from error
    return Elsewhere(offer.name, offer.version, one_line(offer.title) or offer.name, parameters)


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
            return str if form is None else FORMATS[form]
        case "array":
            return _array(rest, depth)
        case "object":
            return _object(rest, depth)
    _only(rest, set())
    return SIMPLE[kind]


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
