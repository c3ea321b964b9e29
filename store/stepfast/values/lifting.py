"""From a plain value to a rich one: what each kind of shape takes, and what it makes of it.

`lifter_of` gives the function for a shape, made once and kept; `members` has the fields of a dataclass,
named tuple or `TypedDict`. What each shape means is said at the top of `shapes`, which is what programs
use.
"""

from __future__ import annotations

import inspect
import types
import typing
from base64 import b64decode
from collections import abc
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime, time, timedelta
from enum import Enum, Flag
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar, get_args, get_origin

from stepfast.errors import DefinitionError
from stepfast.passes.containing import close
from stepfast.secrets import Secret, SecretReference
from stepfast.values.codec import is_plain
from stepfast.values.durations import read_duration
from stepfast.values.plain import lower, name_of, same, short
from stepfast.values.tags import Refused, is_rare

__all__ = ["Lifter", "Member", "lifter_of", "members"]

Lifter: TypeAlias = Callable[[Any], object]
"""Makes the value, or raises `Refused`, which says where in the plain value and what does not fit."""


class Member(NamedTuple):
    """One field of a dataclass or named tuple, or one key of a `TypedDict`."""

    annotation: object
    required: bool


def lifter_of(shape: object) -> Lifter:
    """What makes values of `shape`. Raises `DefinitionError` for what is neither a type nor a function."""
    try:
        return _kept_lifter(shape)
    except TypeError:
        # Metadata of Annotated may be unhashable.
        return _make_lifter(shape)


@lru_cache(maxsize=1024)
def members(shape: object) -> dict[str, Member]:
    """The fields of a dataclass, named tuple or `TypedDict`, with their annotations resolved.

    Raises `DefinitionError` where an annotation cannot be resolved.
    """
    kind: Any = get_origin(shape) or shape
    try:
        # Its own name, so that a class inside a function can name itself.
        hints = typing.get_type_hints(kind, localns={kind.__name__: kind}, include_extras=True)
    except Exception as error:
        raise DefinitionError(
            f"the annotations of {kind.__qualname__} cannot be resolved: {error}; define what they name at "
            "the top level of the module, and outside `if TYPE_CHECKING`"
        ) from error
    replacements = dict(zip(getattr(kind, "__parameters__", ()), get_args(shape), strict=False))
    if replacements:
        hints = {name: _replaced(hint, replacements) for name, hint in hints.items()}
    if typing.is_typeddict(kind):
        return {name: _member_of_typed_dict(kind, name, hint) for name, hint in hints.items()}
    if is_dataclass(kind):
        return {
            field.name: Member(
                hints[field.name], field.default is MISSING and field.default_factory is MISSING
            )
            for field in fields(kind)
            if field.init
        }
    return {name: Member(hints.get(name, Any), name not in kind._field_defaults) for name in kind._fields}


def _member_of_typed_dict(kind: Any, name: str, hint: object) -> Member:
    # A string annotation hides NotRequired from `__required_keys__`, so the hint itself comes first.
    origin = get_origin(hint)
    if origin in (typing.Required, typing.NotRequired):
        return Member(get_args(hint)[0], origin is typing.Required)
    return Member(hint, name in kind.__required_keys__)


def _replaced(hint: Any, replacements: dict[Any, object]) -> object:
    if isinstance(hint, TypeVar):
        return replacements.get(hint, hint)
    if parameters := getattr(hint, "__parameters__", ()):
        return hint[tuple(replacements.get(parameter, parameter) for parameter in parameters)]
    return hint


# --- One lifter a kind of shape.


def _make_lifter(shape: Any) -> Lifter:
    origin, args = get_origin(shape), get_args(shape)
    kind = origin or shape
    if shape is Any or shape is object or isinstance(shape, TypeVar):
        return lambda plain: plain
    if shape is None:
        return _exactly(type(None))
    if kind is typing.Annotated:
        return lifter_of(args[0])
    if kind is typing.Literal:
        return _one_of(name_of(shape), [(choice, lower(choice)) for choice in args])
    if kind is typing.Union or kind is types.UnionType:
        return _union(shape)
    if isinstance(shape, typing.NewType):
        return lifter_of(shape.__supertype__)
    if type(shape).__name__ == "TypeAliasType":
        return _alias(shape)
    if shape is Secret:
        return _secret
    if kind in _CONTAINERS:
        return _items(_CONTAINERS[kind], lifter_of(args[0] if args else Any))
    if kind is tuple:
        if shape is tuple or (len(args) == 2 and args[1] is ...):
            return _items((tuple,), lifter_of(args[0] if args else Any))
        return _fixed_tuple([lifter_of(arg) for arg in args])
    if kind in (dict, abc.Mapping, abc.MutableMapping):
        key, item = args or (Any, Any)
        return _pairs(lifter_of(key), lifter_of(item))
    if isinstance(kind, type) and kind not in (type, abc.Callable):
        if issubclass(kind, Enum):
            return _enum(kind)
        if (
            typing.is_typeddict(kind)
            or is_dataclass(kind)
            or (issubclass(kind, tuple) and hasattr(kind, "_fields"))
        ):
            return _record(shape, kind)
        if is_plain(kind) or kind is Path:
            return _exactly(kind)
    elif kind in (type, abc.Callable) or not callable(shape) or inspect.iscoroutinefunction(shape):
        close(shape)
        raise DefinitionError(
            f"{name_of(shape)} is no type that a stored value can have, and no plain function"
        )
    return _called(shape)


_kept_lifter = lru_cache(maxsize=1024)(_make_lifter)

_CONTAINERS: dict[object, tuple[type, ...]] = {
    list: (list,),
    set: (set,),
    frozenset: (frozenset,),
    abc.Sequence: (list, tuple),
    abc.MutableSequence: (list,),
    abc.Set: (set, frozenset),
    abc.MutableSet: (set,),
    abc.Collection: (list, tuple, set, frozenset),
    abc.Iterable: (list, tuple, set, frozenset),
}


def _read_path(text: str) -> Path:
    if not text:
        # Path("") is the current folder, which nobody who left a field empty means.
        raise ValueError("an empty text is no path")
    return Path(text)


def _read_base64(text: str) -> bytes:
    return b64decode(text, validate=True)


_FROM_TEXT: dict[object, Callable[[str], object]] = {
    Path: _read_path,
    type(Path()): _read_path,
    date: date.fromisoformat,
    datetime: datetime.fromisoformat,
    time: time.fromisoformat,
    timedelta: read_duration,
    bytes: _read_base64,
}


def _exactly(kind: type) -> Lifter:
    exact = type(Path()) if kind is Path else kind
    from_text = kind if is_rare(kind) else _FROM_TEXT.get(kind)

    def lift_exactly(plain: object) -> object:
        if type(plain) is exact:
            return plain
        try:
            if type(plain) is str and from_text is not None:
                return from_text(plain)
            if type(plain) is int and kind is float and float(plain) == plain:
                return float(plain)
        except (ValueError, ArithmeticError) as error:
            raise Refused(f"is {short(plain)}, which is not of type {name_of(kind)}: {error}") from None
        raise Refused(f"is {short(plain)}, which is not of type {name_of(kind)}")

    return lift_exactly


def _secret(plain: object) -> object:
    if isinstance(plain, SecretReference):
        return Secret.of(plain)
    # Not what it is: that may be the secret.
    raise Refused(f"is a {name_of(type(plain))}, where a secret is needed")


def _one_of(name: str, choices: list[tuple[object, object]]) -> Lifter:
    def lift_choice(plain: object) -> object:
        for value, lowered in choices:
            if same(lowered, plain):
                return value
        raise Refused(f"is {short(plain)}, which is none of {name}")

    return lift_choice


def _enum(kind: type[Enum]) -> Lifter:
    known = ", ".join(repr(member.value) for member in kind)
    lift_member = _one_of(f"the values of {kind.__name__}: {known}", [(m, lower(m.value)) for m in kind])
    if not issubclass(kind, Flag):
        return lift_member

    def lift_flags(plain: object) -> object:
        try:
            # Members of a Flag can be joined, and what they make is no member that can be listed.
            made = kind(plain) if type(plain) is int else lift_member(plain)
        except ValueError as error:
            raise Refused(f"is {short(plain)}: {error}") from None
        if isinstance(made, Flag) and type(plain) is int and made.value != plain:
            # Some versions of Python 3.11 drop bits that no member has, in place of refusing them.
            raise Refused(f"is {short(plain)}, which has bits that no member of {kind.__name__} has")
        return made

    return lift_flags


def _union(shape: Any) -> Lifter:
    lifters = [lifter_of(arg) for arg in get_args(shape)]
    others = [lifter_of(arg) for arg in get_args(shape) if arg is not type(None)]

    def lift_union(plain: object) -> object:
        made: list[object] = []
        for lifter in lifters:
            try:
                value = lifter(plain)
            except Refused:
                continue
            if same(value, plain):
                return value
            made.append(value)
        if not made and len(others) == 1:
            # It refuses again, and says more than that neither fits.
            return others[0](plain)
        if not made:
            raise Refused(f"is {short(plain)}, which is none of {name_of(shape)}")
        # Never by order: Python holds A | B and B | A for equal, so a kept lifter may have either.
        if any(not same(made[0], value) for value in made[1:]):
            raise Refused(f"is {short(plain)}, which could be more than one of {name_of(shape)}")
        return made[0]

    return lift_union


def _alias(shape: Any) -> Lifter:
    """For `type X = ...` of Python 3.12, which may name itself: what it stands for is looked up late."""

    def lift_alias(plain: object) -> object:
        return lifter_of(shape.__value__)(plain)

    return lift_alias


def _items(kinds: tuple[type, ...], item: Lifter) -> Lifter:
    def lift_items(plain: Any) -> object:
        kind: Any = type(plain)
        if kind not in kinds:
            if kind is not list:
                raise Refused(f"is {short(plain)}, which is no {kinds[0].__name__}")
            kind = kinds[0]
        made: list[object] = []
        try:
            for element in plain:
                made.append(item(element))  # noqa: PERF401 - how many there are is where it stopped
        except Refused as refused:
            refused.within(f"[{len(made)}]")
        try:
            return kind(made)
        except TypeError as error:
            raise Refused(f"cannot be a {kind.__name__}: {error}") from None

    return lift_items


def _fixed_tuple(items: list[Lifter]) -> Lifter:
    def lift_tuple(plain: Any) -> object:
        if type(plain) not in (tuple, list) or len(plain) != len(items):
            raise Refused(f"is {short(plain)}, which is no tuple of {len(items)}")
        made: list[object] = []
        try:
            for item, element in zip(items, plain, strict=True):
                made.append(item(element))
        except Refused as refused:
            refused.within(f"[{len(made)}]")
        return tuple(made)

    return lift_tuple


def _pairs(key: Lifter, item: Lifter) -> Lifter:
    def lift_dict(plain: Any) -> object:
        if type(plain) is not dict:
            raise Refused(f"is {short(plain)}, which is no dict")
        made: dict[object, object] = {}
        for name, element in plain.items():
            try:
                made[key(name)] = item(element)
            except Refused as refused:
                refused.within(f"[{short(name)}]")
        if len(made) < len(plain):
            raise Refused("has two keys that become one")
        return made

    return lift_dict


def _record(shape: object, kind: Any) -> Lifter:
    name = kind.__name__
    lifters: dict[str, Lifter] = {}
    required: list[str] = []

    def lift_record(plain: Any) -> object:
        if not lifters:
            # Only now, since a field's annotation may name the class itself.
            known = members(shape)
            required[:] = [field for field, member in known.items() if member.required]
            lifters.update({field: lifter_of(member.annotation) for field, member in known.items()})
        if type(plain) is not dict:
            raise Refused(f"is {short(plain)}, where the fields of {name} are needed")
        if absent := [field for field in required if field not in plain]:
            raise Refused(f"lacks {', '.join(map(repr, absent))} of {name}")
        made: dict[str, object] = {}
        for field, element in plain.items():
            lifter = lifters.get(field)
            if lifter is None:
                raise Refused(f"has {field!r}, which {name} does not")
            try:
                made[field] = lifter(element)
            except Refused as refused:
                refused.within(f".{field}")
        try:
            return made if typing.is_typeddict(kind) else kind(**made)
        except Exception as error:
            raise Refused(f"makes no {name}: {type(error).__name__}: {error}") from error

    return lift_record


def _called(shape: Callable[[object], object]) -> Lifter:
    def lift_by_call(plain: object) -> object:
        try:
            return shape(plain)
        except Exception as error:
            raise Refused(f"is {short(plain)}, of which {name_of(shape)} makes nothing: {error!r}") from error

    return lift_by_call
