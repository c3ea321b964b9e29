"""What an annotation asks a person for: which kind of field, with which choices, in which words.

`ask` looks through Annotated, NewType and Optional at an annotation and says what is left as an `Asked`;
`read` makes the value of a text that a person typed, on a command line or in a form; `json_of` shows a
value as plain JSON. What a signature may say beside a type is in `hints`.
"""

from __future__ import annotations

import types
import typing
from base64 import b64encode
from collections import abc
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from enum import Enum
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeVar, get_args, get_origin

from stepfast.errors import DefinitionError, StepfastError
from stepfast.hints import Again, Between, File, Folder, Help, Lines, Rare, Title, Unit, Wants
from stepfast.secrets import Secret
from stepfast.values.codec import decode
from stepfast.values.durations import duration_text, read_duration
from stepfast.values.plain import lower, name_of
from stepfast.values.shapes import lift
from stepfast.values.tags import is_rare

if TYPE_CHECKING:
    from decimal import Decimal
    from uuid import UUID

__all__ = ["Asked", "Kind", "ask", "json_of", "read", "read_plain"]

T = TypeVar("T")

Kind = Literal[
    "text", "bool", "int", "float", "decimal", "path", "date", "datetime", "time", "timedelta", "uuid",
    "secret", "choice", "list", "union", "json",
]  # fmt: skip
"""What sort of field a form needs; `json` is the one for everything that has no better."""


class Asked(NamedTuple):
    """What is asked for by `annotation`, which is bare of Annotated, NewType and Optional.

    `words` says it in a sentence, as in "a whole number"; `choices` are the texts to choose from, and
    `values` what they stand for; `optional` is whether None fits too. The rest is what hints say: `wants`,
    which sort of path is meant, and `there`; `lines`, that a text may have several; `bounds` and `unit` of a
    number; `rare` and `again`.
    """

    annotation: Any
    kind: Kind
    words: str
    optional: bool = False
    choices: tuple[str, ...] = ()
    values: tuple[object, ...] = ()
    title: str | None = None
    help: str | None = None
    wants: Wants | None = None
    there: bool = False
    lines: bool = False
    bounds: Between | None = None
    unit: str | None = None
    rare: bool = False
    again: bool = False


_NUMBERS = ("int", "float", "decimal")

_SIMPLE: dict[object, tuple[Kind, str]] = {
    str: ("text", "a text"),
    bool: ("bool", "yes or no"),
    int: ("int", "a whole number"),
    float: ("float", "a number"),
    Path: ("path", "a path"),
    type(Path()): ("path", "a path"),
    date: ("date", "a date such as 2026-11-29"),
    datetime: ("datetime", "a date and time such as 2026-11-29T16:50"),
    time: ("time", "a time such as 16:50"),
    timedelta: ("timedelta", "a duration such as 90s, 5m or 1h30m"),
    Secret: ("secret", "a secret"),
}
_RARE: dict[str, tuple[Kind, str]] = {"Decimal": ("decimal", "a decimal number"), "UUID": ("uuid", "a UUID")}

_LISTS = (list, set, frozenset, abc.Sequence, abc.MutableSequence, abc.Set, abc.Collection, abc.Iterable)


def ask(annotation: Any) -> Asked:
    """What `annotation` asks for."""
    optional = False
    notes: list[Any] = []
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            # The outermost says it: it is the nearest to the parameter.
            notes += reversed(annotation.__metadata__)
            annotation = get_args(annotation)[0]
        elif isinstance(annotation, typing.NewType):
            annotation = annotation.__supertype__
        elif type(annotation).__name__ == "TypeAliasType":
            annotation = annotation.__value__
        elif origin in (typing.Union, types.UnionType) and type(None) in get_args(annotation):
            optional = True
            others = tuple(arg for arg in get_args(annotation) if arg is not type(None))
            annotation = typing.Union[others]  # noqa: UP007 - there is no | of a tuple
        else:
            break
    kind, words, values = _kind_of(annotation)
    choices = tuple(value.name if isinstance(value, Enum) else str(value) for value in values)
    bounds = _noted(Between, notes)
    if bounds is not None:
        if kind not in _NUMBERS:
            raise DefinitionError(f"{bounds} is for numbers, and {name_of(annotation)} is none")
        words = f"{words} {bounds.words}".rstrip()
    if optional:
        words += ", or nothing"
    title, help, unit = _noted(Title, notes), _noted(Help, notes), _noted(Unit, notes)
    wants: Wants | None = None
    there = False
    if path := [each for each in notes if isinstance(each, Folder | File)]:
        wants = "folder" if isinstance(path[0], Folder) else "file"
        there = path[0].there
    return Asked(
        annotation,
        kind,
        words,
        optional,
        choices,
        values,
        title=None if title is None else title.text,
        help=None if help is None else help.text,
        wants=wants,
        there=there,
        lines=_noted(Lines, notes) is not None,
        bounds=bounds,
        unit=None if unit is None else unit.text,
        rare=_noted(Rare, notes) is not None,
        again=_noted(Again, notes) is not None,
    )


def _noted(hint: type[T], notes: list[Any]) -> T | None:
    return next((each for each in notes if isinstance(each, hint)), None)


def _kind_of(annotation: Any) -> tuple[Kind, str, tuple[object, ...]]:
    origin, args = get_origin(annotation), get_args(annotation)
    if isinstance(annotation, type) and annotation in _SIMPLE:
        return (*_SIMPLE[annotation], ())
    if is_rare(annotation):
        return (*_RARE[annotation.__name__], ())
    if origin is Literal:
        named = [arg.name if isinstance(arg, Enum) else repr(arg) for arg in args]
        return "choice", f"one of {', '.join(named)}", args
    if isinstance(annotation, type) and issubclass(annotation, Enum) and not get_args(annotation):
        members = tuple(annotation)
        return "choice", f"one of {', '.join(member.name for member in members)}", members
    if origin in (typing.Union, types.UnionType):
        return "union", " or ".join(ask(arg).words for arg in args), ()
    if (origin or annotation) in _LISTS or (origin is tuple and len(args) == 2 and args[1] is ...):
        item = f" (each {ask(args[0]).words})" if args else ""
        return "list", f"a list{item}", ()
    return "json", f"a value of type {name_of(annotation)}", ()


def read(annotation: Any, text: str) -> object:
    """The value of `annotation` that a person means by `text`.

    Nothing at all means None where None fits; so does "none", unless a text or a path may be called that.
    Raises `ValueError`, with a reason where there is more to say than that the text does not fit.
    """
    asked = ask(annotation)
    bare = text.strip()
    named = bare.lower() in ("none", "null") and not _takes_any_text(asked)
    if asked.optional and (named or not bare):
        return None
    match asked.kind:
        case "text":
            return text
        case "secret" if not text:
            raise ValueError("an empty text is no secret")
        case "secret":
            return Secret(text)
        case "path" if not text:
            raise ValueError("an empty text is no path")
        case "path":
            return Path(text)
        case "choice":
            return _read_choice(asked, bare)
        case "union":
            return _read_union(asked, text)
        case "list" | "json":
            try:
                return lift(decode(bare, about="the text"), asked.annotation, about="what it says")
            except StepfastError as error:
                raise ValueError(str(error)) from None
        case _:
            return read_plain(asked.kind, bare)


def read_plain(kind: str, text: str) -> object:
    """The value that a person means by `text`. Raises `ValueError`, without a reason, where it is none.

    `kind`: "bool", "int", "float", "decimal", "date", "datetime", "time", "timedelta" or "uuid".
    """
    try:
        return _READERS[kind](text)
    except (ValueError, ArithmeticError):
        # What these say is in the words of Python, not of the person who typed.
        raise ValueError from None


def _takes_any_text(asked: Asked) -> bool:
    if asked.kind == "union":
        return any(_takes_any_text(ask(arg)) for arg in get_args(asked.annotation))
    return asked.kind in ("text", "path", "secret")


def _read_bool(text: str) -> bool:
    if text.lower() in ("yes", "true", "on", "1"):
        return True
    if text.lower() in ("no", "false", "off", "0"):
        return False
    raise ValueError


def _read_float(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError
    return number


def _read_decimal(text: str) -> Decimal:
    from decimal import Decimal

    number = Decimal(text)
    if not number.is_finite():
        raise ValueError
    return number


def _read_uuid(text: str) -> UUID:
    from uuid import UUID

    return UUID(text)


_READERS: dict[str, Callable[[str], object]] = {
    "bool": _read_bool,
    "int": int,
    "float": _read_float,
    "decimal": _read_decimal,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": read_duration,
    "uuid": _read_uuid,
}


def _read_choice(asked: Asked, text: str) -> object:
    # By name first, then a member by its value, then by a name in another case if that is only one.
    by_value = [str(value.value) if isinstance(value, Enum) else str(value) for value in asked.values]
    for known in (asked.choices, by_value):
        if text in known:
            return asked.values[known.index(text)]
    pairs = zip(asked.choices, asked.values, strict=True)
    near = [value for choice, value in pairs if choice.lower() == text.lower()]
    if len(near) != 1:
        raise ValueError
    return near[0]


def _read_union(asked: Asked, text: str) -> object:
    # Any text is a text, and almost any a path, so these come last.
    for arg in sorted(get_args(asked.annotation), key=lambda arg: _takes_any_text(ask(arg))):
        try:
            return read(arg, text)
        except ValueError:
            continue
    raise ValueError


def json_of(value: object) -> object:
    """`value` as JSON without tags, for other programs to show; it need not lead back."""
    value = lower(value)
    match value:
        case dict():
            return {
                item if isinstance(item, str) else str(json_of(item)): json_of(value[item]) for item in value
            }
        case list() | tuple() | set() | frozenset():
            return [json_of(item) for item in value]
        case timedelta():
            return duration_text(value)
        case date() | time():
            return value.isoformat()
        case bytes():
            return b64encode(value).decode()
        case None | bool() | int() | float() | str():
            return value
        case _:
            # A path may hold bytes that are no text.
            return str(value).encode("utf-8", "replace").decode()
