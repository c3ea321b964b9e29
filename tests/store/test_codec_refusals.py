"""What the codec refuses, to write and to read, and how it says so."""

from __future__ import annotations

import enum
import os
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from datetime import datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from pathlib import Path, PurePosixPath
from zoneinfo import ZoneInfo

import pytest

from stepfast.errors import UnstorableValue
from stepfast.values.codec import decode, encode


class Word(str):
    __slots__ = ()


class Zone(tzinfo):
    def utcoffset(self, _: datetime | None) -> timedelta:
        return timedelta(hours=1)

    dst = utcoffset

    def tzname(self, _: datetime | None) -> str:
        return "here"


class Level(enum.IntEnum):
    HIGH = 3


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Receipt:
    number: int


Pair = namedtuple("Pair", "one two")

REFUSED: list[tuple[object, str]] = [
    (float("nan"), "NaN"),
    (float("inf"), "infinite"),
    (-float("inf"), "infinite"),
    (Decimal("NaN"), "NaN"),
    (Decimal("sNaN"), "NaN"),
    ("half \ud83d", "surrogate"),
    ({"\ud83d": 1}, "surrogate"),
    (Level.HIGH, "Level; return its value, or pass into=Level"),
    (Colour.RED, "pass into=Colour"),
    (Receipt(1), "pass into=Receipt"),
    (Pair(1, 2), "pass into=Pair"),
    (OrderedDict(a=1), "made by dict"),
    (Word("x"), "made by str"),
    (bytearray(b"x"), "bytearray"),
    (PurePosixPath("a"), "PurePosixPath"),
    (1j, "complex"),
    (object(), "into="),
    (int, "type"),
    (len, "builtin_function_or_method"),
    (iter([1]), "list_iterator"),
    (datetime.fromisoformat("2026-11-29T16:50").replace(tzinfo=Zone()), "test_codec_refusals.Zone"),
    (time(1, tzinfo=Zone()), "astimezone"),
    (time(1, tzinfo=timezone(timedelta(microseconds=1))), "fraction of a second"),
]


@pytest.mark.parametrize(("value", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_what_would_not_come_back_is_refused_by_name(value: object, said: str) -> None:
    for whole in (value, [value], (value,), {"a": value}, {1: value}):
        with pytest.raises(UnstorableValue) as refused:
            encode(whole, about="the result of step 'scan'")
        assert str(refused.value).startswith("the result of step 'scan'")
        assert said in str(refused.value)


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ([1, 2, 3, {"when": 1j}], "at [3].when,"),
        ({"a b": (0, [1j])}, "at ['a b'][1][0],"),
        ({7: {"x": 1j}}, "at [7].x,"),
        ({1j: 0}, "at [1j],"),
        ({"fine": 1, 2: 1j}, "at [2],"),
        ({1j}, "at {1j},"),
    ],
)
def test_an_error_says_where_in_the_value_the_fault_is(value: object, place: str) -> None:
    with pytest.raises(UnstorableValue) as refused:
        encode(value, about="the result of step 'scan'")
    assert str(refused.value).startswith(f"the result of step 'scan', {place} is a complex, ")


def test_a_value_that_contains_itself_is_refused() -> None:
    knot: list[object] = []
    knot.append(knot)
    around: dict[str, object] = {}
    around["a"] = [(around,)]
    for value in (knot, around):
        with pytest.raises(UnstorableValue, match="contains itself"):
            encode(value)


@pytest.mark.skipif(os.name != "posix", reason="elsewhere names are text")
@pytest.mark.parametrize("name", ["\ud800", "\udcc3\udca9"])
def test_a_path_that_no_file_can_have_is_refused(name: str) -> None:
    with pytest.raises(UnstorableValue, match="path"):
        encode(Path(name))


def test_a_zone_of_ones_own_is_refused(tmp_path: Path) -> None:
    # The smallest file of the kind: one type of local time, UTC under another name.
    header = (
        b"TZif" + b"\0" * 16 + (0).to_bytes(4, "big") * 4 + (1).to_bytes(4, "big") + (4).to_bytes(4, "big")
    )
    (tmp_path / "zone").write_bytes(header + b"\0" * 6 + b"UTC\0")
    for key, said in ((None, "by a key"), ("Nowhere/Town", "by a key"), ("Europe/Berlin", "differs")):
        with (tmp_path / "zone").open("rb") as file:
            zone = ZoneInfo.from_file(file, key=key)
        with pytest.raises(UnstorableValue, match=said):
            encode(datetime.fromisoformat("2026-11-29T16:50").replace(tzinfo=zone))


DAMAGED = [
    "",
    " ",
    "nul",
    "[1",
    "[1]]",
    "1 2",
    "NaN",
    "-Infinity",
    "1e999",
    "{'a':1}",
    '"\\ud83d"',
    '"\ud83d"',
    '["\\ud83d","$"]',
    '{"$new":1}',
    '{"$tuple":[1],"a":2}',
    '{"$$a":1,"$b":2}',
    '{"$":1}',
    '{"$tuple":{"$tuple":[]}}',
    '{"$tuple":3}',
    '{"$set":[[]]}',
    '{"$set":[1,1]}',
    '{"$frozenset":[1,true]}',
    '{"$dict":[[1,2,3]]}',
    '{"$dict":[[[],2]]}',
    '{"$dict":[[1,2],[1,3]]}',
    '{"$int":"12"}',
    '{"$int":12}',
    '{"$int":"0x"}',
    '{"$bytes":"*"}',
    '{"$bytes":1}',
    '{"$datetime":"yesterday"}',
    '{"$datetime":["2026-11-29T16:50:00"]}',
    '{"$datetime":["2026-11-29T16:50:00",null,2]}',
    '{"$datetime":["2026-11-29T16:50:00",null,{}]}',
    '{"$datetime":["2026-11-29T16:50:00","../../etc/passwd"]}',
    '{"$datetime":["2026-11-29T16:50:00",7]}',
    '{"$date":"2026-02-30"}',
    '{"$time":"25:00"}',
    '{"$timedelta":[1,2]}',
    '{"$timedelta":[true,2,3]}',
    '{"$timedelta":[9999999999,0,0]}',
    '{"$decimal":"one"}',
    '{"$decimal":"NaN"}',
    '{"$uuid":"1"}',
    '{"$path":["L3Rt","L3Rt"]}',
    '{"$path":null}',
    "[" * 100_000,
]


@pytest.mark.parametrize("text", DAMAGED, ids=[ascii(text[:40]) for text in DAMAGED])
def test_a_damaged_text_is_an_error_that_says_so(text: str) -> None:
    with pytest.raises(UnstorableValue, match="the result of step 'scan'"):
        decode(text, about="the result of step 'scan'")


def test_an_unknown_tag_is_named() -> None:
    with pytest.raises(UnstorableValue, match=r"'\$new', which this version of Stepfast does not know"):
        decode('[{"$new":1}]')
