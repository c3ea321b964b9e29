"""Plain values and rich ones: making a rich one plain, and telling whether two are the same.

A value is *plain* if the codec has a form for it and for everything in it. `lower` leads from dataclasses,
enum members and named tuples to plain values; `lifting` has the way back. `same` is the equality that a
round trip must keep; `name_of` and `short` say in messages what a type and a value are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from types import UnionType
from typing import Union, cast, get_args, get_origin

from stepfast.values.codec import PLAIN

__all__ = ["lower", "name_of", "same", "short"]

ATOMS = frozenset({type(None), bool, int, float, str, bytes})  # what is met with most, and holds nothing


def lower(value: object) -> object:
    """`value` with each dataclass, enum member and named tuple in it made plain; the rest as it is.

    Lists, tuples, sets and dicts are copied. What has no plain form is left for the codec to refuse.
    """
    kind = type(value)
    if kind in ATOMS:
        return value
    if kind is dict:
        return {lower(key): lower(item) for key, item in cast("dict[object, object]", value).items()}
    if kind in (list, tuple, set, frozenset):
        return cast("Callable[[Iterable[object]], object]", kind)(map(lower, cast("Iterable[object]", value)))
    if kind in PLAIN:
        return value
    if isinstance(value, Enum):
        return lower(value.value)
    if is_dataclass(kind):
        return {field.name: lower(getattr(value, field.name)) for field in fields(kind) if field.init}
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return dict(zip(kind._fields, map(lower, value), strict=True))
    return value


def same(one: object, other: object, *, widened: bool = False) -> bool:
    """Whether both are equal and of the same types, all the way down, and dicts in the same order.

    With `widened`, `other` may have a float where `one` has the equal int, and a Path where `one` has
    the text of it.
    """
    if type(one) is not type(other):
        return widened and (
            (type(one) is int and type(other) is float and one == other)
            or (type(one) is str and isinstance(other, Path) and Path(one) == other)
        )
    if type(one) in ATOMS:
        return one == other
    if isinstance(one, (list, tuple)):
        return _same_items(one, cast("Sequence[object]", other), widened)
    if isinstance(one, dict):
        pairs = cast("dict[object, object]", other)
        return _same_items([*one], [*pairs], widened) and _same_items(
            [*one.values()], [*pairs.values()], widened
        )
    if isinstance(one, (set, frozenset)):
        # Equal is not enough: {1} equals {True}.
        theirs = {item: item for item in cast("Iterable[object]", other)}
        return one == other and all(same(item, theirs[item], widened=widened) for item in one)
    if is_dataclass(one):
        # Not by `==`, which a dataclass may have given up (eq=False), and for which 1 is True.
        return all(
            same(getattr(one, field.name), getattr(other, field.name), widened=widened)
            for field in fields(one)
            if field.init or field.compare
        )
    return bool(one == other)


def _same_items(one: Sequence[object], other: Sequence[object], widened: bool) -> bool:
    return len(one) == len(other) and all(
        same(a, b, widened=widened) for a, b in zip(one, other, strict=True)
    )


def name_of(shape: object) -> str:
    """What a program calls `shape`, for messages."""
    if shape is None or shape is type(None):
        return "None"
    if get_origin(shape) in (Union, UnionType):
        return " | ".join(map(name_of, get_args(shape)))
    if isinstance(shape, type) and not get_args(shape):
        return shape.__name__
    name = getattr(shape, "__name__", None)
    # A generic alias, such as list[int], has the name of its origin, which is less than its repr says.
    return name if isinstance(name, str) and not get_args(shape) else repr(shape).replace("typing.", "")


def short(value: object) -> str:
    """The `repr` of `value`, or the beginning of a long one, for messages."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
