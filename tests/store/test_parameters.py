"""Parameters: what a signature asks for, and which values and texts answer it."""

from __future__ import annotations

import enum
import json
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NewType
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepfast.definitions.parameters import Help, Parameter, Title, check, from_text, parameters_of, schema
from stepfast.errors import DefinitionError, InvalidInput
from stepfast.values.durations import duration_text, read_duration
from stepfast.values.plain import same
from stepfast.values.shapes import lift

if TYPE_CHECKING:
    from stepfast.body.run import Run


class Colour(enum.Enum):
    RED = "red"
    DARK_BLUE = "blue"


@dataclass
class Item:
    name: str
    count: int = 1
    parts: list[Item] = field(default_factory=list)


Address = NewType("Address", str)


async def everything(
    run: Run,
    text: str,
    address: Address,
    yes: bool,
    number: int,
    ratio: float,
    price: Decimal,
    path: Path,
    day: date,
    moment: datetime,
    clock: time,
    length: timedelta,
    key: UUID,
    word: Literal["skip", "overwrite", 3],
    colour: Colour,
    paths: list[Path],
    item: Item,
    either: int | str,
    anything: Any,
    maybe_number: int | None = None,
    maybe_text: str | None = None,
    maybe_either: int | str | None = None,
    *,
    retries_left: Annotated[int, Title("Tries"), Help("How often to try again")] = 3,
) -> None: ...


EVERYTHING = {parameter.name: parameter for parameter in parameters_of(everything)}


def test_a_signature_says_which_field_a_form_needs() -> None:
    assert {name: parameter.kind for name, parameter in EVERYTHING.items()} == {
        "text": "text",
        "address": "text",
        "yes": "bool",
        "number": "int",
        "ratio": "float",
        "price": "decimal",
        "path": "path",
        "day": "date",
        "moment": "datetime",
        "clock": "time",
        "length": "timedelta",
        "key": "uuid",
        "word": "choice",
        "colour": "choice",
        "paths": "list",
        "item": "json",
        "either": "union",
        "anything": "json",
        "maybe_number": "int",
        "maybe_text": "text",
        "maybe_either": "union",
        "retries_left": "int",
    }


def test_a_parameter_has_a_title_a_help_choices_and_a_default() -> None:
    tries = EVERYTHING["retries_left"]
    assert (tries.title, tries.help) == ("Tries", "How often to try again")
    assert (tries.required, tries.default) == (False, 3)
    assert EVERYTHING["maybe_number"].title == "Maybe number"
    assert EVERYTHING["text"].required and EVERYTHING["text"].help is None
    assert EVERYTHING["word"].choices == ("skip", "overwrite", "3")
    assert EVERYTHING["colour"].choices == ("RED", "DARK_BLUE")


def test_defaults_take_the_type_of_their_annotation() -> None:
    async def body(run: Run, where: Path = "here", ratio: float = 1) -> None: ...  # type: ignore[assignment]

    assert [parameter.default for parameter in parameters_of(body)] == [Path("here"), 1.0]


async def no_run() -> None: ...
async def only_keywords(*, run: Run) -> None: ...
async def stars(run: Run, *paths: Path) -> None: ...
async def stars_by_name(run: Run, **paths: Path) -> None: ...
async def by_position_only(run: Run, path: Path, /) -> None: ...
async def bare(run: Run, path) -> None: ...  # type: ignore[no-untyped-def]
async def unknown(run: Run, path: Pat) -> None: ...  # type: ignore[name-defined]  # noqa: F821
async def no_type(run: Run, path: 5) -> None: ...  # type: ignore[valid-type]
async def bad_default(run: Run, path: int = "a") -> None: ...  # type: ignore[assignment]
async def no_default(run: Run, path: int = None) -> None: ...  # type: ignore[assignment]  # noqa: RUF013


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (no_run, "no_run() has no first parameter for the Run"),
        (only_keywords, "only_keywords() has no first parameter for the Run"),
        (stars, "'paths' of stars() is *paths"),
        (stars_by_name, "'paths' of stars_by_name() is **paths"),
        (by_position_only, "'path' of by_position_only() can be given by position only"),
        (bare, "'path' of bare() has no annotation"),
        (unknown, "unknown() cannot be resolved: name 'Pat' is not defined"),
        (no_type, "'path' of no_type() cannot be stored: 5 is no type"),
        (bad_default, "the default of the parameter 'path' of bad_default() does not fit"),
        (no_default, "the default of the parameter 'path' of no_default() does not fit"),
    ],
)
def test_a_signature_that_no_stored_input_can_fill_is_refused(body: Any, said: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        parameters_of(body)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value", "checked"),
    [
        ("text", "a", "a"),
        ("yes", False, False),
        ("ratio", 2, 2.0),
        ("path", "a/b", Path("a/b")),
        ("path", Path("a/b"), Path("a/b")),
        ("paths", ["a", Path("b")], [Path("a"), Path("b")]),
        ("colour", Colour.RED, Colour.RED),
        ("word", 3, 3),
        ("item", Item("a", 2), Item("a", 2)),
        ("either", "5", "5"),
        ("anything", {"a": (1,)}, {"a": (1,)}),
        ("maybe_number", None, None),
    ],
)
def test_a_value_that_fits_is_taken(name: str, value: object, checked: object) -> None:
    assert same(check(EVERYTHING[name], value), checked)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("number", True, "the input 'number' is True, which is not of type int; it needs a whole number"),
        ("number", "5", "is '5', which is not of type int; it needs a whole number"),
        ("number", None, "is None, which"),
        ("yes", 1, "it needs yes or no"),
        ("ratio", "1", "it needs a number"),
        ("path", "", "an empty text is no path; it needs a path"),
        ("day", "2026-11-29", "is '2026-11-29' of type str; it needs a date such as 2026-11-29"),
        ("length", "5m", "it needs a duration such as 90s, 5m or 1h30m"),
        ("colour", "red", "is 'red' of type str; it needs one of RED, DARK_BLUE"),
        ("word", "ask", "it needs one of 'skip', 'overwrite', 3"),
        ("word", True, "it needs one of 'skip', 'overwrite', 3"),
        (
            "paths",
            [Path("a"), 5],
            "the input 'paths', at [1], is 5, which is not of type Path; it needs a list",
        ),
        ("paths", ("a",), "it needs a list (each a path)"),
        ("item", {"name": "a"}, "it needs a value of type Item"),
        ("maybe_number", "x", "it needs a whole number, or nothing"),
        ("either", 1.5, "it needs a whole number or a text"),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_what_would(name: str, value: object, said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check(EVERYTHING[name], value)
    assert str(refused.value).startswith(f"the input {name!r}")
    assert said in str(refused.value)


def test_a_value_that_contains_itself_is_named() -> None:
    knot: list[object] = []
    knot.append(knot)
    with pytest.raises(InvalidInput, match="the input 'anything' is nested too deep, or contains itself"):
        check(EVERYTHING["anything"], knot)


TEXTS: list[tuple[str, str, object]] = [
    ("text", " as it is ", " as it is "),
    ("text", "", ""),
    ("address", "a@b", "a@b"),
    *[("yes", text, True) for text in ("yes", "TRUE", "on", "1", " y es ".replace(" ", ""))],
    *[("yes", text, False) for text in ("no", "False", "off", "0")],
    ("number", " -12 ", -12),
    ("ratio", "2", 2.0),
    ("ratio", "1e3", 1000.0),
    ("price", "1.50", Decimal("1.50")),
    ("path", "a b/c", Path("a b/c")),
    ("path", "none", Path("none")),
    ("day", "2026-11-29", date(2026, 11, 29)),
    ("moment", "2026-11-29 16:50", datetime.fromisoformat("2026-11-29T16:50")),
    ("clock", "16:50", time(16, 50)),
    ("length", "90s", timedelta(seconds=90)),
    ("length", "5m", timedelta(minutes=5)),
    ("length", "1h30m", timedelta(minutes=90)),
    ("length", "1H 30M", timedelta(minutes=90)),
    ("length", "2w1d", timedelta(days=15)),
    ("length", "1.5s", timedelta(milliseconds=1500)),
    ("length", "5ms", timedelta(milliseconds=5)),
    ("length", "-5m", timedelta(minutes=-5)),
    ("key", str(UUID(int=7)), UUID(int=7)),
    ("word", "skip", "skip"),
    ("word", "Skip", "skip"),
    ("word", "3", 3),
    ("colour", "DARK_BLUE", Colour.DARK_BLUE),
    ("colour", "dark_blue", Colour.DARK_BLUE),
    ("colour", "blue", Colour.DARK_BLUE),
    ("paths", '["a", "b c"]', [Path("a"), Path("b c")]),
    ("paths", "[]", []),
    ("item", '{"name": "a", "parts": [{"name": "b"}]}', Item("a", 1, [Item("b")])),
    ("either", "5", 5),
    ("either", "five", "five"),
    ("anything", '{"$tuple": [1]}', (1,)),
    ("maybe_number", "7", 7),
    ("maybe_number", "", None),
    ("maybe_number", "None", None),
    ("maybe_text", "none", "none"),
    ("maybe_text", "", None),
    ("maybe_either", "none", "none"),
    ("maybe_either", "", None),
]


@pytest.mark.parametrize(("name", "text", "value"), TEXTS)
def test_a_text_that_a_person_types_is_read(name: str, text: str, value: object) -> None:
    assert same(from_text(EVERYTHING[name], text), value)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("yes", "maybe", "the input 'yes' is 'maybe'; it needs yes or no"),
        ("number", "many", "the input 'number' is 'many'; it needs a whole number"),
        ("number", "", "the input 'number' is ''; it needs a whole number"),
        ("number", "9" * 5000, "it needs a whole number"),
        ("ratio", "nan", "it needs a number"),
        ("ratio", "1e999", "it needs a number"),
        ("price", "cheap", "the input 'price' is 'cheap'; it needs a decimal number"),
        ("price", "Infinity", "it needs a decimal number"),
        ("path", "", "it needs a path (an empty text is no path)"),
        ("day", "29.11.2026", "it needs a date such as 2026-11-29"),
        ("moment", "noon", "it needs a date and time"),
        ("length", "90", "it needs a duration such as 90s, 5m or 1h30m"),
        ("length", "", "it needs a duration"),
        ("length", "-", "it needs a duration"),
        ("length", "30m1h", "it needs a duration"),
        ("length", "9999999999w", "it needs a duration"),
        ("key", "x", "it needs a UUID"),
        ("word", "ask", "it needs one of 'skip', 'overwrite', 3"),
        ("colour", "green", "it needs one of RED, DARK_BLUE"),
        ("paths", "a", "it needs a list (each a path), written as JSON"),
        ("paths", "[1]", "what it says, at [0], is 1"),
        ("item", '{"nam": 1}', "lacks 'name' of Item"),
        ("maybe_number", "x", "it needs a whole number, or nothing"),
    ],
)
def test_a_text_that_does_not_fit_is_answered_in_plain_words(name: str, text: str, said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        from_text(EVERYTHING[name], text)
    assert str(refused.value).startswith(f"the input {name!r} is")
    assert said in str(refused.value)
    assert refused.value.__cause__ is None


@given(st.timedeltas())
def test_a_duration_that_is_written_is_read_again(duration: timedelta) -> None:
    close = timedelta(0) if abs(duration) < timedelta(days=10_000) else timedelta(microseconds=1)
    assert abs(read_duration(duration_text(duration)) - duration) <= close


async def copy(
    run: Run,
    source: Annotated[Path, Help("What to copy")],
    word: Literal["skip", "overwrite"] = "skip",
    colour: Colour | None = Colour.RED,
    limit: int | None = None,
    wait: timedelta = timedelta(minutes=90),
    paths: tuple[Path, ...] = (Path("a"),),
    pair: tuple[int, str] = (1, "a"),
    tags: frozenset[str] = frozenset(),
    sizes: dict[str, float] | None = None,
    item: Item | None = None,
    either: int | Path = 1,
    anything: object = None,
    raw: bytes = b"\xff",
) -> None: ...


def test_the_schema_is_plain_json_that_a_form_can_be_made_from() -> None:
    made = schema(parameters_of(copy))
    assert json.loads(json.dumps(made)) == made
    assert (made["type"], made["required"], made["additionalProperties"]) == ("object", ["source"], False)
    item = {
        "type": "object",
        "title": "Item",
        "properties": {
            "name": {"type": "string"},
            "count": {"type": "integer"},
            "parts": {"type": "array", "items": {"type": "object", "title": "Item"}},
        },
        "required": ["name"],
        "additionalProperties": False,
    }
    assert made["properties"] == {
        "source": {"type": "string", "format": "path", "title": "Source", "description": "What to copy"},
        "word": {"type": "string", "enum": ["skip", "overwrite"], "title": "Word", "default": "skip"},
        "colour": {
            "type": ["string", "null"],
            "enum": ["red", "blue", None],
            "enumNames": ["RED", "DARK_BLUE", ""],
            "title": "Colour",
            "default": "red",
        },
        "limit": {"type": ["integer", "null"], "title": "Limit", "default": None},
        "wait": {"type": "string", "format": "duration", "title": "Wait", "default": "1h30m"},
        "paths": {
            "type": "array",
            "items": {"type": "string", "format": "path"},
            "title": "Paths",
            "default": ["a"],
        },
        "pair": {
            "type": "array",
            "prefixItems": [{"type": "integer"}, {"type": "string"}],
            "minItems": 2,
            "maxItems": 2,
            "title": "Pair",
            "default": [1, "a"],
        },
        "tags": {
            "type": "array",
            "items": {"type": "string"},
            "uniqueItems": True,
            "title": "Tags",
            "default": [],
        },
        "sizes": {
            "type": ["object", "null"],
            "additionalProperties": {"type": "number"},
            "title": "Sizes",
            "default": None,
        },
        "item": {**item, "type": ["object", "null"], "title": "Item", "default": None},
        "either": {
            "anyOf": [{"type": "integer"}, {"type": "string", "format": "path"}],
            "title": "Either",
            "default": 1,
        },
        "anything": {"title": "Anything", "default": None},
        "raw": {"type": "string", "format": "byte", "title": "Raw", "default": "/w=="},
    }


def test_what_a_schema_shows_as_default_is_read_as_the_default() -> None:
    parameters: tuple[Parameter, ...] = parameters_of(copy)
    shown = schema(parameters)["properties"]
    for parameter in parameters[1:]:
        assert same(lift(shown[parameter.name]["default"], parameter.annotation), parameter.default)
