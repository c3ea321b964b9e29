"""Shapes: rich values by way of plain ones, and nothing that would come back as something else."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    TypedDict,
    TypeVar,
    Union,
)
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepfast.errors import DefinitionError, InvalidInput, UnstorableValue
from stepfast.values.codec import encode
from stepfast.values.shapes import decode_as, encode_as, lift, lower, name_of, same

T = TypeVar("T")


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mode(enum.Flag):
    READ = enum.auto()
    WRITE = enum.auto()


class Corner(enum.Enum):
    TOP = (0, 1)


class Point(NamedTuple):
    x: int
    y: float = 0.0


class Options(TypedDict):
    deep: bool
    limit: NotRequired[int]


UserId = NewType("UserId", int)


@dataclass(frozen=True)
class File:
    path: Path
    size: int
    seen: datetime | None = None


@dataclass
class Report:
    files: list[File]
    colour: Colour = Colour.RED
    by_name: dict[str, File] = field(default_factory=dict)
    corner: Point | None = None


@dataclass
class Tree:
    name: str
    children: list[Tree] = field(default_factory=list)


@dataclass
class Box(Generic[T]):
    item: T
    rest: list[T] = field(default_factory=list)


@dataclass
class Square:
    side: int
    area: int = field(init=False)

    def __post_init__(self) -> None:
        if self.side < 0:
            raise ValueError("a side is never negative")
        self.area = self.side**2


@dataclass
class Cat:
    kind: Literal["cat"]
    name: str


@dataclass
class Dog:
    kind: Literal["dog"]
    name: str


@dataclass
class Twin:
    kind: Literal["dog"]
    name: str


@dataclass(eq=False)
class Incomparable:
    number: int


WHEN = datetime.fromisoformat("2026-11-29T16:50:00+01:00")
FILE = File(Path("a.txt"), 3, WHEN)

ROUND_TRIPS: list[tuple[Any, object]] = [
    (None, None),
    (1, int),
    (1.5, float),
    (True, bool),
    ("a", str),
    (b"a", bytes),
    (Path("a"), Path),
    (WHEN, datetime),
    (WHEN.date(), date),
    (WHEN.time(), time),
    (timedelta(1), timedelta),
    (Decimal("1.0"), Decimal),
    (UUID(int=7), UUID),
    ({"a": [1, (2,)]}, object),
    ({"a": [1, (2,)]}, Any),
    ([1, 2], list),
    ([1, 2], list[int]),
    ((1, 2), tuple),
    ((1, 2), tuple[int, ...]),
    ((), tuple[()]),
    ((1, "a", FILE), tuple[int, str, File]),
    ({1, 2}, set[int]),
    (frozenset({Colour.RED}), frozenset[Colour]),
    ({"a": 1}, dict),
    ({Colour.RED: FILE}, dict[Colour, File]),
    ({(1, 2): [FILE]}, dict[tuple[int, int], list[File]]),
    ([FILE], Sequence[File]),
    ((FILE,), Sequence[File]),
    ({"a": FILE}, Mapping[str, File]),
    (None, Optional[int]),  # noqa: UP045
    (5, int | None),
    ("5", Union[int, str]),  # noqa: UP007
    (1, float | int),
    (1.0, int | float),
    ("a", Literal["a", 1]),
    (1, Literal["a", 1]),
    (Colour.RED, Literal[Colour.RED]),
    (5, Annotated[int, []]),
    (UserId(5), UserId),
    (Colour.BLUE, Colour),
    (Level.HIGH, Level),
    (Mode.READ | Mode.WRITE, Mode),
    (Corner.TOP, Corner),
    (Point(1, 2.0), Point),
    ({"deep": True}, Options),
    ({"deep": True, "limit": 3}, Options),
    (FILE, File),
    (Report([FILE], Colour.BLUE, {"a": FILE}, Point(1)), Report),
    (Tree("a", [Tree("b"), Tree("c", [Tree("d")])]), Tree),
    (Box(FILE, [FILE]), Box[File]),
    (Box(3), Box),
    (Square(3), Square),
    ([Cat("cat", "Tom"), Dog("dog", "Rex")], list[Cat | Dog]),
    (FILE, File | None),
    (FILE, lambda plain: File(**plain)),
    (Level.HIGH, Level.__call__),
]


@pytest.mark.parametrize(
    ("value", "shape"), ROUND_TRIPS, ids=[f"{n}-{name_of(shape)}" for n, (_, shape) in enumerate(ROUND_TRIPS)]
)
def test_a_value_comes_back_through_its_shape(value: object, shape: Any) -> None:
    back = decode_as(encode_as(value, shape), shape)
    assert same(back, value)


@given(
    st.builds(Report, st.lists(st.builds(File, st.just(Path("a")), st.integers())), st.sampled_from(Colour))
)
def test_any_report_comes_back_through_its_shape(report: Report) -> None:
    assert decode_as(encode_as(report, Report), Report) == report


def test_without_a_shape_it_is_the_codec_alone() -> None:
    assert encode_as((1,), None) == encode((1,))
    assert decode_as(encode((1,)), None) == (1,)
    with pytest.raises(UnstorableValue, match="pass into=File"):
        encode_as(FILE, None)


def test_lowering_leaves_what_it_does_not_know_to_the_codec() -> None:
    assert lower([Colour.RED, {Level.LOW: Point(1)}, (FILE.size,), {Mode.READ}]) == [
        "red",
        {1: {"x": 1, "y": 0.0}},
        (3,),
        {1},
    ]
    with pytest.raises(UnstorableValue, match=r"the result of step 'scan', at \.files\[0\], is a complex"):
        encode_as(Report([1j]), Report, about="the result of step 'scan'")  # type: ignore[list-item]


WOULD_DIFFER: list[tuple[object, Any]] = [
    (1, float),
    ("a", Path),
    ("2026-11-29", date),
    ([1], tuple[int, ...]),
    ([1], set[int]),
    ("red", Colour),
    (Colour.RED, str),
    (Level.HIGH, int),
    (FILE, dict),
    ({"path": Path("a"), "size": 1}, File),
    (Cat("cat", "Tom"), Cat | dict[str, object]),
    (Box(FILE), Box),
    (Incomparable(1), lambda plain: Incomparable(plain["number"] + 1)),
    ([1], lambda plain: None),
    (True, lambda plain: 1),
    ([{1}], lambda plain: [{True}]),
    ({1: 0}, lambda plain: {True: 0}),
]


@pytest.mark.parametrize(("value", "shape"), WOULD_DIFFER)
def test_what_would_come_back_as_something_else_is_refused_while_it_is_there(
    value: object, shape: Any
) -> None:
    with pytest.raises(UnstorableValue) as refused:
        encode_as(value, shape, about="the result of step 'scan'")
    assert str(refused.value).startswith("the result of step 'scan' would not come back as it went in")
    assert "into=" in str(refused.value)


def test_a_dataclass_that_cannot_be_compared_still_comes_back() -> None:
    assert encode_as(Incomparable(1), Incomparable) == '{"number":1}'


def test_two_shapes_that_both_fit_are_refused_in_either_order() -> None:
    shapes: list[Any] = [Dog | Twin, Twin | Dog]
    for shape in shapes:
        with pytest.raises(UnstorableValue, match="more than one of"):
            encode_as(Dog("dog", "Rex"), shape)


def test_a_value_that_contains_itself_is_refused() -> None:
    knot: list[object] = []
    knot.append(knot)
    with pytest.raises(UnstorableValue, match="contains itself"):
        encode_as(knot, list)


MISFITS: list[tuple[object, Any, str]] = [
    ("a", int, "is 'a', which is not of type int"),
    (True, int, "is True, which is not of type int"),
    (1, bool, "is 1, which is not of type bool"),
    (2**53 + 1, float, "not of type float"),
    (10**400, float, "not of type float"),
    ("", Path, "an empty text is no path"),
    ("yesterday", date, "not of type date"),
    ("many", Decimal, "not of type Decimal"),
    ("90", timedelta, "with units"),
    (WHEN, date, "not of type date"),
    ({"a": [1, "x"]}, dict[str, list[int]], ", at ['a'][1], is 'x'"),
    ([1, 2], tuple[int], "no tuple of 1"),
    ((1,), list[int], "no list"),
    ([[]], set[list[int]], "unhashable"),
    ({1: 1}, list[int], "no list"),
    ([], dict[str, int], "no dict"),
    ({"a": 1, Path("a"): 2}, dict[Path, int], "two keys that become one"),
    ("green", Colour, "none of the values of Colour: 'red', 'blue'"),
    (True, Level, "none of the values of Level"),
    (8, Mode, "8"),
    ("x", Mode, "Mode"),
    ("b", Literal["a", 1], "none of Literal['a', 1]"),
    (True, Literal["a", 1], "none of Literal['a', 1]"),
    ("x", int | None, "is 'x', which is not of type int"),
    (1j, int | str, "none of int | str"),
    ({"size": 1}, File, "lacks 'path' of File"),
    ({"path": "a", "size": 1, "age": 2}, File, "has 'age', which File does not"),
    ({"path": "a", "size": "1"}, File, ", at .size, is '1'"),
    ([], File, "where the fields of File are needed"),
    ({"files": [{"path": "a", "size": None}]}, Report, ", at .files[0].size, is None"),
    ({"item": "x"}, Box[int], ", at .item, is 'x'"),
    ({"limit": 1}, Options, "lacks 'deep' of Options"),
    ({"x": 1, "z": 1}, Point, "has 'z', which Point does not"),
    ({"side": -1}, Square, "makes no Square: ValueError: a side is never negative"),
    ("one", Fraction, "of which Fraction makes nothing"),
    (5, lambda plain: plain["a"], "makes nothing: TypeError"),
]


@pytest.mark.parametrize(("plain", "shape", "said"), MISFITS, ids=[said for *_, said in MISFITS])
def test_what_does_not_fit_is_named_with_its_place(plain: object, shape: Any, said: str) -> None:
    with pytest.raises(UnstorableValue) as refused:
        lift(plain, shape, about="the record 'scan'")
    assert str(refused.value).startswith("the record 'scan'")
    assert said in str(refused.value)


def test_the_error_is_the_one_that_was_asked_for() -> None:
    with pytest.raises(InvalidInput, match="the answer"):
        lift("x", int, about="the answer", error=InvalidInput)
    with pytest.raises(InvalidInput, match="the answer"):
        decode_as("{", int, about="the answer", error=InvalidInput)


def test_an_error_of_a_function_is_kept_as_the_cause() -> None:
    with pytest.raises(UnstorableValue) as refused:
        lift([{"a": 1}], list[Square])
    assert refused.value.__cause__ is None
    with pytest.raises(UnstorableValue) as refused:
        lift([{"side": -1}], list[Square])
    assert isinstance(refused.value.__cause__, ValueError)


FROM_OTHERS: list[tuple[object, Any, object]] = [
    (1, float, 1.0),
    ("a", Path, Path("a")),
    ("2026-11-29", date, date(2026, 11, 29)),
    ("2026-11-29T16:50:00+01:00", datetime, WHEN),
    ("16:50", time, time(16, 50)),
    ("1h30m", timedelta, timedelta(minutes=90)),
    ("1.50", Decimal, Decimal("1.50")),
    (str(UUID(int=7)), UUID, UUID(int=7)),
    ("AP8=", bytes, b"\x00\xff"),
    ([1, 2], tuple[int, ...], (1, 2)),
    ([1, "a"], tuple[int, str], (1, "a")),
    ([1, 1], set[int], {1}),
    ({"red": "a"}, dict[Colour, Path], {Colour.RED: Path("a")}),
    ("2026-11-29", date | None, date(2026, 11, 29)),
    ("2026-11-29", date | str, "2026-11-29"),
    ("1/3", Fraction, Fraction(1, 3)),
    ({"path": "a", "size": 1}, File, File(Path("a"), 1)),
]


@pytest.mark.parametrize(("plain", "shape", "value"), FROM_OTHERS)
def test_json_written_by_others_fits_the_types_that_json_has_not(
    plain: object, shape: Any, value: object
) -> None:
    assert same(lift(plain, shape), value)


def test_a_record_from_before_a_field_had_been_added_takes_the_default() -> None:
    assert decode_as('{"files":[]}', Report) == Report([], Colour.RED, {}, None)


@pytest.mark.parametrize("shape", [5, "File", type[int], Callable[[int], int]])
def test_what_is_no_type_and_no_function_is_an_error_of_the_program(shape: Any) -> None:
    with pytest.raises(DefinitionError, match="no type that a stored value can have"):
        lift(1, shape)


def test_an_annotation_that_cannot_be_resolved_is_an_error_of_the_program() -> None:
    @dataclass
    class Broken:
        item: Missing  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(DefinitionError, match=r"Broken cannot be resolved: name 'Missing'"):
        lift({"item": 1}, Broken)


def test_a_class_inside_a_function_may_name_itself() -> None:
    @dataclass
    class Link:
        after: Link | None = None

    assert decode_as(encode_as(Link(Link()), Link), Link) == Link(Link())


def test_same_tells_apart_what_equality_does_not() -> None:
    for one, other in ((1, True), (1, 1.0), ([1], [True]), ({1}, {True}), ({1: 0}, {True: 0}), ((), [])):
        assert not same(one, other)
    assert same(1, 1.0, widened=True) and same(["a"], [Path("a")], widened=True)
    assert not same(1.0, 1, widened=True) and not same(True, 1.0, widened=True)
    assert not same({"a": 1, "b": 2}, {"b": 2, "a": 1})
