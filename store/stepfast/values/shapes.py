"""Values of richer types by way of plain ones: what `into=` and a signature's annotations mean.

The codec stores plain values only. `lower` makes a plain value of dataclasses, enums and named tuples,
at any depth; `lift` makes the rich value again from the plain one and a shape, which is a type or a
function:

    dataclass, NamedTuple         from a dict of the fields, each by its own annotation; a field that is
                                  not there takes its default, one that is too many is an error
    TypedDict                     a dict with those keys
    Enum                          from the member's value
    list[X], set[X], frozenset[X], tuple[X, ...], tuple[X, Y], dict[K, V], and Sequence, Mapping, ...
                                  item by item; a list is taken for any of them but a dict
    X | Y, Optional[X]            by the one member that fits; it is an error if two fit and differ
    Literal, Annotated, NewType, Any, object, None
    a type with a form of its own that very type; and, so that JSON written by others can be read, an int
                                  for a float and a text for a Path, date, datetime, time (as isoformat
                                  writes them), timedelta (1h30m), UUID, Decimal or bytes (base64)
    any other class or function   called with the plain value

`encode_as` and `decode_as` are the codec with a shape around it. `encode_as` reads back what it wrote
and compares, types and all, so that a value which would come back as another is refused while the
program still has it. Two dataclasses with the same fields in one union are such a case; a field
`kind: Literal["..."]` tells them apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, overload

from stepfast.errors import StepfastError, UnstorableValue
from stepfast.values.codec import decode, encode
from stepfast.values.lifting import Member, lifter_of, members
from stepfast.values.plain import lower, name_of, same, short
from stepfast.values.tags import Refused

__all__ = [
    "Member",
    "Shape",
    "decode_as",
    "encode_as",
    "lift",
    "lower",
    "members",
    "name_of",
    "same",
    "there_and_back",
]

T = TypeVar("T")

Shape: TypeAlias = type[T] | Callable[[object], T]
"""What a plain value is to become: a type, or a function that makes it."""


@overload
def lift(plain: object, shape: type[T], *, about: str = ..., error: type[StepfastError] = ...) -> T: ...
@overload
def lift(
    plain: object, shape: Callable[[object], T], *, about: str = ..., error: type[StepfastError] = ...
) -> T: ...
@overload
def lift(plain: object, shape: object, *, about: str = ..., error: type[StepfastError] = ...) -> Any: ...
def lift(
    plain: object, shape: object, *, about: str = "the value", error: type[StepfastError] = UnstorableValue
) -> Any:
    """The value of `shape` that `plain` stands for.

    Raises `error`, saying what does not fit and where: `UnstorableValue` suits what a record holds,
    `InvalidInput` what somebody gave.
    """
    try:
        return lifter_of(shape)(plain)
    except Refused as refused:
        raise error(f"{about}{refused.where()} {refused}") from refused.__cause__
    except RecursionError:
        raise error(f"{about} is nested too deep to be made a {name_of(shape)}") from None


def encode_as(value: object, into: object, *, about: str = "the value") -> str:
    """The text of `value`, from which `decode_as` with the same `into` makes an equal value.

    `into` is a shape, or None for a value that is plain already. (Typed as an object, since Python has no
    type yet for what `int | None` is.)

    Raises `UnstorableValue`, with the remedy, where it would not.
    """
    return encode(value, about=about) if into is None else _there_and_back(value, into, about)[0]


def there_and_back(value: object, into: object, *, about: str = "the value") -> tuple[str, Any]:
    """As `encode_as`; gives the text, and the value that `decode_as` makes of it."""
    if into is None:
        text = encode(value, about=about)
        return text, decode(text, about=about)
    return _there_and_back(value, into, about)


def _there_and_back(value: object, into: object, about: str) -> tuple[str, Any]:
    try:
        plain = lower(value)
    except RecursionError:
        raise UnstorableValue(
            f"{about} is nested too deep, or contains itself; return something flatter"
        ) from None
    text = encode(plain, about=about)
    back = decode_as(text, into, about=about)
    if not same(value, back):
        raise UnstorableValue(
            f"{about} would not come back as it went in: as {name_of(into)}, {short(value)} of type "
            f"{name_of(type(value))} comes back as {short(back)} of type {name_of(type(back))}; name the "
            "type that is returned in into= (for what a body returns: in its annotation)"
        )
    return text, back


@overload
def decode_as(text: str, into: None, *, about: str = ..., error: type[StepfastError] = ...) -> object: ...
@overload
def decode_as(text: str, into: Shape[T], *, about: str = ..., error: type[StepfastError] = ...) -> T: ...
@overload
def decode_as(text: str, into: object, *, about: str = ..., error: type[StepfastError] = ...) -> Any: ...
def decode_as(
    text: str,
    into: object,
    *,
    about: str = "the stored value",
    error: type[StepfastError] = UnstorableValue,
) -> Any:
    """The value of the shape `into` (any plain value for None) whose text this is."""
    try:
        plain = decode(text, about=about)
    except UnstorableValue as damaged:
        raise error(str(damaged)) from None
    return plain if into is None else lift(plain, into, about=about, error=error)
