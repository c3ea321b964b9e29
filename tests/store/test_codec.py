"""The codec: what comes back is what went in, in a form that never changes."""

from __future__ import annotations

import os
import sys
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal, localcontext
from pathlib import Path
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepfast.errors import UnstorableValue
from stepfast.secrets import SecretReference
from stepfast.values.codec import DEPTH, LIMIT, decode, encode
from stepfast.values.plain import same

BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str, zone: tzinfo | None = None, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone, fold=fold)


# Never edit a line of this table: files with these texts are on people's disks. Only add.
FROZEN: list[tuple[object, str]] = [
    (None, "null"),
    (True, "true"),
    (False, "false"),
    (0, "0"),
    (-17, "-17"),
    (2**63, "9223372036854775808"),
    (2**2048 - 1, str(2**2048 - 1)),
    (2**2048, '{"$int":"0x1' + "0" * 512 + '"}'),
    (-(2**2048), '{"$int":"-0x1' + "0" * 512 + '"}'),
    (0.1, "0.1"),
    (-0.0, "-0.0"),
    (2.0, "2.0"),
    (1e16, "1e+16"),
    (5e-324, "5e-324"),
    ("", '""'),
    ("a b", '"a b"'),
    ('quote " backslash \\ slash /', '"quote \\" backslash \\\\ slash /"'),
    ("line\nend\ttab\x00\x1f\x7f", '"line\\nend\\ttab\\u0000\\u001f\x7f"'),
    ("für 東京 🙂 \u2028", '"für 東京 🙂 \u2028"'),
    ("$tuple", '"$tuple"'),
    ([], "[]"),
    ([1, "a", None], '[1,"a",null]'),
    ([[], [[]]], "[[],[[]]]"),
    ({}, "{}"),
    ({"b": 1, "a": [True]}, '{"b":1,"a":[true]}'),
    ({"": 0, "é": 1}, '{"":0,"é":1}'),
    ({"$tuple": [1]}, '{"$$tuple":[1]}'),
    ({"$": 1, "$$": 2, "a$": 3}, '{"$$":1,"$$$":2,"a$":3}'),
    ((), '{"$tuple":[]}'),
    ((1, (2,)), '{"$tuple":[1,{"$tuple":[2]}]}'),
    (set(), '{"$set":[]}'),
    ({2, 10, 1}, '{"$set":[1,10,2]}'),
    ({"b", "a"}, '{"$set":["a","b"]}'),
    (frozenset({(1,), None}), '{"$frozenset":[null,{"$tuple":[1]}]}'),
    ({1: "a", "b": 2}, '{"$dict":[[1,"a"],["b",2]]}'),
    ({None: {}, (1,): []}, '{"$dict":[[null,{}],[{"$tuple":[1]},[]]]}'),
    (b"", '{"$bytes":""}'),
    (b"\x00\xff\xfe", '{"$bytes":"AP/+"}'),
    (at("2026-11-29T16:50:00"), '{"$datetime":"2026-11-29T16:50:00"}'),
    (at("2026-11-29T16:50:00.000012"), '{"$datetime":"2026-11-29T16:50:00.000012"}'),
    (at("2026-11-29T16:50:00", UTC), '{"$datetime":"2026-11-29T16:50:00+00:00"}'),
    (
        at("2026-11-29T16:50:00", timezone(timedelta(hours=-3, minutes=-30))),
        '{"$datetime":"2026-11-29T16:50:00-03:30"}',
    ),
    (at("2026-10-25T02:30:00", fold=1), '{"$datetime":["2026-10-25T02:30:00",null,1]}'),
    (at("2026-10-25T02:30:00", BERLIN), '{"$datetime":["2026-10-25T02:30:00+02:00","Europe/Berlin"]}'),
    (at("2026-10-25T02:30:00", BERLIN, 1), '{"$datetime":["2026-10-25T02:30:00+01:00","Europe/Berlin",1]}'),
    (date(2026, 11, 29), '{"$date":"2026-11-29"}'),
    (time(16, 50), '{"$time":"16:50:00"}'),
    (time(16, 50, 0, 7, UTC), '{"$time":"16:50:00.000007+00:00"}'),
    (time(16, 50, tzinfo=BERLIN), '{"$time":["16:50:00","Europe/Berlin"]}'),
    (time(16, 50, tzinfo=BERLIN, fold=1), '{"$time":["16:50:00","Europe/Berlin",1]}'),
    (timedelta(days=-1, seconds=2, microseconds=3), '{"$timedelta":[-1,2,3]}'),
    (Decimal("1.50"), '{"$decimal":"1.50"}'),
    (Decimal("-1E+400"), '{"$decimal":"-1E+400"}'),
    (Decimal("Infinity"), '{"$decimal":"Infinity"}'),
    (UUID(int=1), '{"$uuid":"00000000-0000-0000-0000-000000000001"}'),
    (Path("a") / "b c.txt", '{"$path":"a' + ("\\\\" if os.sep == "\\" else "/") + 'b c.txt"}'),
    (SecretReference("token"), '{"$secret":"token"}'),
    ([{"when": {"at": date(2026, 1, 2)}}], '[{"when":{"at":{"$date":"2026-01-02"}}}]'),
]


@pytest.mark.parametrize(("value", "text"), FROZEN, ids=[text[:40] for _, text in FROZEN])
def test_the_form_on_disk_is_as_it_has_always_been(value: object, text: str) -> None:
    assert encode(value) == text
    back = decode(text)
    assert same(back, value)
    assert repr(back) == repr(value) or isinstance(value, (set, frozenset))


def zones() -> st.SearchStrategy[tzinfo]:
    offsets = st.integers(-86_399, 86_399).map(lambda seconds: timedelta(seconds=seconds))
    return st.one_of(st.timezones(), st.just(UTC), offsets.map(timezone))


def datetimes() -> st.SearchStrategy[datetime]:
    folded = st.builds(lambda moment, fold: moment.replace(fold=fold), st.datetimes(), st.integers(0, 1))
    return st.builds(lambda moment, zone: moment.replace(tzinfo=zone), folded, st.none() | zones())


def times() -> st.SearchStrategy[time]:
    return st.builds(lambda moment: moment.timetz(), datetimes())


def scalars() -> st.SearchStrategy[object]:
    return st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.integers(2**2040, 2**2060).map(lambda number: -number if number % 2 else number),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(),
        st.sampled_from(["$", "$$", "$tuple", "$$set", "\\ud800"]),
        st.binary(),
        st.dates(),
        datetimes(),
        times(),
        st.timedeltas(),
        st.decimals(allow_nan=False),
        st.uuids(),
        st.text().map(Path),
    )


def hashables() -> st.SearchStrategy[object]:
    # A set holds no two equal elements, so one of the equal 1, 1.0 and True goes, which is as it should be.
    return st.recursive(
        scalars(),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(tuple), st.lists(inner, max_size=3).map(frozenset)
        ),
        max_leaves=5,
    )


def values() -> st.SearchStrategy[object]:
    return st.recursive(
        hashables(),
        lambda inner: st.one_of(
            st.lists(inner, max_size=4),
            st.lists(inner, max_size=4).map(tuple),
            st.lists(hashables(), max_size=4).map(set),
            st.dictionaries(st.text() | st.sampled_from(["$", "$tuple", "$$"]), inner, max_size=4),
            st.dictionaries(hashables(), inner, max_size=3),
        ),
        max_leaves=12,
    )


@given(values())
def test_every_value_comes_back_equal_with_the_same_types(value: object) -> None:
    text = encode(value)
    back = decode(text)
    assert same(back, value)
    assert encode(back) == text


@given(datetimes())
def test_a_datetime_comes_back_with_its_offset_its_fold_and_its_kind_of_zone(value: datetime) -> None:
    back = decode(encode(value))
    assert isinstance(back, datetime)
    assert (back, back.utcoffset(), back.fold) == (value, value.utcoffset(), value.fold)
    assert type(back.tzinfo) is type(value.tzinfo)
    if isinstance(value.tzinfo, ZoneInfo):
        assert isinstance(back.tzinfo, ZoneInfo)
        assert back.tzinfo.key == value.tzinfo.key


@given(st.sets(hashables(), max_size=6))
def test_equal_sets_have_one_text_whatever_their_order(value: set[object]) -> None:
    other: set[object] = set()
    other.update(reversed(list(value)))
    assert encode(value) == encode(other)


@given(st.text())
def test_decoding_any_text_gives_a_value_or_our_error(text: str) -> None:
    try:
        decode(text)
    except UnstorableValue:
        pass


@given(values(), st.data())
def test_decoding_a_damaged_text_gives_a_value_or_our_error(value: object, data: st.DataObject) -> None:
    text = encode(value)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    try:
        decode(
            text[:start] + data.draw(st.sampled_from(["", "0", '"', "$", "[", "}", "\ud800"])) + text[end:]
        )
    except UnstorableValue:
        pass


def test_what_is_nested_as_deep_as_allowed_comes_back_and_one_more_is_refused() -> None:
    for wrap in (lambda inner: [inner], lambda inner: (inner,), lambda inner: {1: inner}):
        value: object = None
        for _ in range(DEPTH):
            value = wrap(value)
        assert same(decode(encode(value)), value)
        with pytest.raises(UnstorableValue, match=f"more than {DEPTH} deep"):
            encode(wrap(value))


def test_a_stack_that_is_nearly_used_up_is_an_error_of_ours() -> None:
    def descend(left: int) -> None:
        if left:
            descend(left - 1)
            return
        with pytest.raises(UnstorableValue, match="nested too deep"):
            encode(deep)
        with pytest.raises(UnstorableValue, match="nested too deep"):
            decode("[" * 300 + "]" * 300)

    deep: object = None
    for _ in range(90):
        deep = [deep]
    depth = len_of_stack()
    descend(sys.getrecursionlimit() - depth - 80)


def len_of_stack() -> int:
    frame, count = sys._getframe(), 0
    while frame is not None:
        frame, count = frame.f_back, count + 1  # type: ignore[assignment]
    return count


def test_a_text_above_the_limit_is_refused_with_its_size_and_a_remedy() -> None:
    assert len(encode("x" * (LIMIT - 2))) == LIMIT
    with pytest.raises(UnstorableValue) as refused:
        encode("x" * (LIMIT - 1), about="the result of step 'read'")
    assert "the result of step 'read' takes 16,777,217 bytes" in str(refused.value)
    assert "16,777,216" in str(refused.value) and "file" in str(refused.value)


def test_the_limit_counts_bytes_and_not_characters() -> None:
    encode("é" * (LIMIT // 2 - 1))
    with pytest.raises(UnstorableValue, match="16,777,218 bytes"):
        encode("é" * (LIMIT // 2))


def test_large_ints_do_not_depend_on_the_limit_of_digits_that_a_program_sets() -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        for number in (10**616, 2**2048 - 1, 2**2048, -(10**5000)):
            assert decode(encode(number)) == number
        with pytest.raises(UnstorableValue, match="damaged"):
            decode("9" * 5000)
    finally:
        sys.set_int_max_str_digits(before)


def test_a_decimal_has_the_same_text_in_every_decimal_context() -> None:
    with localcontext() as context:
        context.capitals = 0
        context.prec = 2
        assert encode(Decimal("1.2345E+400")) == '{"$decimal":"1.2345E+400"}'
        assert decode('{"$decimal":"1.2345E+400"}') == Decimal("1.2345E+400")


@pytest.mark.skipif(os.name != "posix", reason="elsewhere names are text")
def test_a_path_that_is_no_text_comes_back() -> None:
    path = Path(os.fsdecode(b"/tmp/caf\xe9"))
    assert encode(path) == '{"$path":["L3RtcC9jYWbp"]}'
    assert decode(encode(path)) == path


@given(st.binary(min_size=1))
def test_every_name_a_file_can_have_comes_back(name: bytes) -> None:
    try:
        path = Path(os.fsdecode(name))
    except UnicodeDecodeError:
        return
    assert decode(encode(path)) == path


def test_the_name_of_a_fixed_offset_is_dropped() -> None:
    named = at("2026-11-29T16:50", timezone(timedelta(hours=1), "CET"))
    back = decode(encode(named))
    assert isinstance(back, datetime)
    assert back == named and back.tzname() == "UTC+01:00"


def test_a_zone_whose_rules_have_changed_gives_the_same_moment() -> None:
    back = decode('{"$datetime":["2026-07-01T12:00:00+05:00","Europe/Berlin"]}')
    assert isinstance(back, datetime)
    assert back.tzinfo is BERLIN
    assert back == at("2026-07-01T07:00:00", UTC)


def test_a_zone_that_this_machine_does_not_know_is_named_with_the_remedy() -> None:
    with pytest.raises(UnstorableValue, match=r"Mars/Base.*tzdata"):
        decode('{"$datetime":["2026-07-01T12:00:00+05:00","Mars/Base"]}')


def test_json_written_by_others_is_read() -> None:
    assert decode(' \n{ "a" : [ 1 , 2.50, "\\u00e9\\ud83d\\ude42" ] } ') == {"a": [1, 2.5, "é🙂"]}
    assert decode('"\\\\ud800"') == "\\ud800"
    assert decode('{"\\u0024tuple":[1]}') == (1,)
