"""Values as JSON text, and back: what inputs, records, messages and results look like on disk.

`encode` turns a value into text and `decode` turns that text into an equal value of the same types, all
the way down; a value for which that does not hold is refused with `UnstorableValue` before anything is
written. Text, never pickle: reading a file runs nothing. Richer types (dataclasses, enums, named tuples)
go through plain ones in `shapes`.

The form is fixed for ever, since files outlive programs; `tests/store/test_codec.py` holds exact texts.
It is JSON in UTF-8 without spaces and without needless escapes. Only these exact types have a form; an
instance of a subclass has none, because it would come back as the base:

    None, bool, int, str, list    null, true, 1, "text", [...]
    float                         as `repr` writes it: 0.1, 1e+16; NaN and the infinities are refused
    dict with str keys            {...} in its own order; a key that begins with `$` gets one more `$`
    int of more than 2,048 bits   {"$int":"-0x1f..."}: no program may set the limit of int and str
                                  conversion below 640 digits, so what is stored never depends on it
    tuple                         {"$tuple":[...]}
    set, frozenset                {"$set":[...]}, {"$frozenset":[...]}, sorted by the elements' texts
    any other dict                {"$dict":[[key,value],...]} in its own order
    bytes                         {"$bytes":"base64"}
    datetime                      {"$datetime":"2026-11-29T16:50:00+01:00"}, as `isoformat` writes it
      in a ZoneInfo, or fold=1    {"$datetime":["2026-10-25T02:30:00+01:00","Europe/Berlin",1]}, the key
                                  null where there is no ZoneInfo, the fold left out where it is 0
    time                          {"$time":"16:50:00"}, or [text,key] and [text,key,fold] in the same way
    date                          {"$date":"2026-11-29"}
    timedelta                     {"$timedelta":[days,seconds,microseconds]}
    Decimal, UUID                 {"$decimal":"1.50"}, {"$uuid":"..."}; a NaN is refused
    pathlib.Path                  {"$path":"/a/b"}; a name that is not text {"$path":["base64"]}, of the
                                  bytes that `os.fsencode` gives
    SecretReference               {"$secret":"token"}, in inputs; a Secret itself is refused

An object of one key that begins with a single `$` is a tag, and a single `$` stands nowhere else. The
name of a `datetime.timezone` is dropped (two of the same offset are equal), and one with a fraction of a
second is refused. A ZoneInfo whose rules have changed since the value was written gives back the same
moment, in that zone.

At most `DEPTH` containers lie inside one another, so that a value that could be written can also be
read, from whatever depth of the stack; and a text has at most `LIMIT` bytes, because a record is read
whole each time the workflow resumes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import is_dataclass
from enum import Enum
from json import JSONDecoder
from json.encoder import encode_basestring as quote
from typing import Any

from stepfast.errors import UnstorableValue
from stepfast.secrets import Secret
from stepfast.values import tags
from stepfast.values.tags import Refused, UnknownZone, is_rare

__all__ = ["DEPTH", "LIMIT", "PLAIN", "decode", "encode", "is_plain"]

LIMIT = 16 * 1024 * 1024
"""The most bytes of UTF-8 that the text of one value may have."""

DEPTH = 100
"""How many containers may lie inside one another."""


def encode(value: object, *, about: str = "the value") -> str:
    """The text of `value`; equal values of equal types and order give equal texts.

    `about` says in an error what the value is, as in "the result of step 'scan'". Raises
    `UnstorableValue` for a value that would not come back as it went in, or is larger than `LIMIT`.
    """
    try:
        text = _WRITERS.get(type(value), _refuse)(value, 0)
    except Refused as refused:
        raise UnstorableValue(f"{about}{refused.where()} {refused}") from None
    except RecursionError:
        raise UnstorableValue(
            f"{about} is nested too deep for the stack it is stored from; return something flatter"
        ) from None
    # A character takes at most four bytes: short texts need no count.
    if len(text) > LIMIT // 4:
        size = len(text) if text.isascii() else len(text.encode())
        if size > LIMIT:
            raise UnstorableValue(
                f"{about} takes {size:,} bytes as JSON, and at most {LIMIT:,} can be stored; keep it in a "
                "file, or in a table of your own by `transact`, and return where it is"
            )
    return text


def decode(text: str, *, about: str = "the stored text") -> object:
    """The value whose text this is. JSON written by others is read as well, if it keeps to the form.

    Raises `UnstorableValue` for text that is damaged, or has a tag that this version does not know.
    """
    try:
        # A hook slows down every object, so only a text that may have a tag pays for it.
        escaped = "\\" in text
        tagged = '"$' in text or (escaped and '"\\u0024' in text)
        value, end = (_scan_tagged if tagged else _scan)(text, 0)
        if end == len(text):
            if not text.isascii():
                text.encode()
            # JSON can spell half of a surrogate pair; as text that goes into no file.
            if escaped and ("\\ud" in text or "\\uD" in text):
                encode(value, about=about)
            return value
        reason = f"something follows the value, at character {end + 1:,}"
    except UnknownZone as error:
        raise UnstorableValue(
            f"{about} names a time zone that this machine does not know ({error.args[0]}); install the "
            "operating system's time zone data, or the package `tzdata`"
        ) from None
    except RecursionError:
        raise UnstorableValue(f"{about} cannot be read: it is nested too deep") from None
    except StopIteration as ended:
        reason = f"a value is missing, at character {ended.value + 1:,}"
    except (ValueError, TypeError, ArithmeticError, LookupError, OSError) as error:
        reason = str(error) or type(error).__name__
    stripped = text.strip(" \t\r\n")
    if stripped != text:
        return decode(stripped, about=about)
    shown = text if len(text) <= 80 else text[:80] + "..."
    raise UnstorableValue(f"{about} cannot be read: {reason}; it is damaged, or no JSON: {shown!r}")


# --- Writing: one function a type, each handed the value and the number of containers around it.


def _refuse(value: object, depth: int) -> str:
    kind = type(value)
    if is_rare(kind) and kind not in PLAIN:
        _learn_rare_tags()
        return _WRITERS[kind](value, depth)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    base = next((base for base in kind.__mro__[1:] if is_plain(base)), None)
    if isinstance(value, Secret):
        raise Refused(
            "is a Secret, and a secret is never stored; reveal it inside the step that needs it, and return "
            "something else"
        )
    if isinstance(value, Enum):
        raise Refused(f"is a member of the enum {name}; return its value, or pass into={kind.__name__}")
    if is_dataclass(kind):
        raise Refused(f"is a {name}, a dataclass; return plain values, or pass into={kind.__name__}")
    if base is tuple and hasattr(kind, "_fields"):
        raise Refused(f"is a {name}, a named tuple; return a plain tuple, or pass into={kind.__name__}")
    if base is not None:
        raise Refused(
            f"is a {name} and would come back as the {base.__name__} it is based on; return plain values, "
            f"made by {base.__name__}(...)"
        )
    raise Refused(
        f"is a {name}, which JSON cannot hold; return plain values, or pass into= with a dataclass, an "
        "enum or a named tuple of them"
    )


def _write_none(value: None, depth: int) -> str:
    return "null"


def _write_bool(value: bool, depth: int) -> str:
    return "true" if value else "false"


def _write_int(value: int, depth: int) -> str:
    return f'{{"$int":"{hex(value)}"}}' if value.bit_length() > 2048 else repr(value)


def _write_float(value: float, depth: int) -> str:
    if math.isfinite(value):
        return repr(value)
    what = "NaN" if math.isnan(value) else "an infinite float"
    raise Refused(f"is {what}, which JSON cannot hold; return None or a text in its place")


def _write_str(value: str, depth: int) -> str:
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise Refused(
                "is a text with half of a surrogate pair in it, which UTF-8 cannot hold; return bytes, or "
                "for the name of a file a pathlib.Path"
            ) from None
    return quote(value)


def _write_items(value: list[object] | tuple[object, ...], depth: int) -> str:
    _check_depth(depth)
    texts: list[str] = []
    try:
        # No comprehension: how many texts there are is where it stopped.
        for item in value:
            texts.append(_WRITERS.get(type(item), _refuse)(item, depth + 1))  # noqa: PERF401
    except Refused as refused:
        refused.within(f"[{len(texts)}]")
    return f"[{','.join(texts)}]"


def _write_tuple(value: tuple[object, ...], depth: int) -> str:
    return f'{{"$tuple":{_write_items(value, depth)}}}'


def _write_set(value: set[object] | frozenset[object], depth: int) -> str:
    _check_depth(depth)
    texts: list[str] = []
    item: object = None
    try:
        for item in value:
            texts.append(_WRITERS.get(type(item), _refuse)(item, depth + 1))
    except Refused as refused:
        refused.within(f"{{{_short(item)}}}")
    # Sets have no order of their own that another process would see, so the texts give one.
    return f'{{"${type(value).__name__}":[{",".join(sorted(texts))}]}}'


def _write_dict(value: dict[object, object], depth: int) -> str:
    _check_depth(depth)
    texts: list[str] = []
    key: object = None
    try:
        for key, item in value.items():
            if type(key) is not str:
                break
            name = _write_str(key, depth)
            if key[:1] == "$":
                name = f'"${name[1:]}'
            texts.append(f"{name}:{_WRITERS.get(type(item), _refuse)(item, depth + 1)}")
        else:
            return f"{{{','.join(texts)}}}"
    except Refused as refused:
        refused.within(f".{key}" if type(key) is str and key.isidentifier() else f"[{_short(key)}]")
    return _write_pairs(value, depth)


def _write_pairs(value: dict[object, object], depth: int) -> str:
    texts: list[str] = []
    key: object = None
    try:
        for key, item in value.items():
            name = _WRITERS.get(type(key), _refuse)(key, depth + 1)
            texts.append(f"[{name},{_WRITERS.get(type(item), _refuse)(item, depth + 1)}]")
    except Refused as refused:
        refused.within(f"[{_short(key)}]")
    return f'{{"$dict":[{",".join(texts)}]}}'


def _writer_of(tag: str, write: Callable[[Any], str]) -> Callable[[Any, int], str]:
    return lambda value, depth: f'{{"{tag}":{write(value)}}}'


def _check_depth(depth: int) -> None:
    if depth >= DEPTH:
        raise Refused(f"is nested more than {DEPTH} deep, or contains itself; return something flatter")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


_WRITERS: dict[type, Callable[[Any, int], str]] = {
    type(None): _write_none,
    bool: _write_bool,
    int: _write_int,
    float: _write_float,
    str: _write_str,
    list: _write_items,
    dict: _write_dict,
    tuple: _write_tuple,
    set: _write_set,
    frozenset: _write_set,
    **{tag.type: _writer_of(tag.name, tag.write) for tag in tags.TAGS},
}

PLAIN = _WRITERS.keys()
"""The exact types that have a form, but for those that are rare and were not met with yet: see `is_plain`."""


def is_plain(kind: object) -> bool:
    """Has that very type a form?"""
    return kind in PLAIN or is_rare(kind)


# --- Reading: one function a tag, each handed what stands after the tag, already read itself.


def _read_object(found: dict[str, object]) -> object:
    for key in found:
        if key[:1] == "$":
            break
    else:
        return found
    if len(found) == 1 and key[1:2] != "$":
        reader = _READERS.get(key)
        if reader is None and "$decimal" not in _READERS:
            _learn_rare_tags()
            reader = _READERS.get(key)
        if reader is None:
            raise ValueError(f"it has the tag {key!r}, which this version of Stepfast does not know")
        return reader(found[key])
    return {_unescaped(key): value for key, value in found.items()}


def _unescaped(key: str) -> str:
    if key[:2] == "$$":
        return key[1:]
    if key[:1] == "$":
        raise ValueError(f"the tag {key!r} stands among other keys")
    return key


def _read_int(found: object) -> int:
    if type(found) is not str or re.fullmatch("-?0x[0-9a-f]+", found) is None:
        raise ValueError("after $int no hexadecimal number follows")
    return int(found, 16)


def _read_tuple(found: object) -> tuple[object, ...]:
    return tuple(tags.expect("$tuple", found, list))


def _read_set(found: object) -> set[object]:
    items = tags.expect("$set", found, list)
    if len(made := set(items)) < len(items):
        raise ValueError("an element of a set is there twice")
    return made


def _read_frozenset(found: object) -> frozenset[object]:
    return frozenset(_read_set(found))


def _read_dict(found: object) -> dict[object, object]:
    pairs = tags.expect("$dict", found, list)
    if len(made := dict(pairs)) < len(pairs):
        raise ValueError("a key of a dict is there twice")
    return made


def _read_float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"the number {text[:40]} is too large for a float")
    return number


def _read_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


_READERS: dict[str, Callable[[object], object]] = {
    "$int": _read_int,
    "$tuple": _read_tuple,
    "$set": _read_set,
    "$frozenset": _read_frozenset,
    "$dict": _read_dict,
    **{tag.name: tag.read for tag in tags.TAGS},
}


def _learn_rare_tags() -> None:
    from stepfast.values.rare_tags import TAGS

    for tag in TAGS:
        _READERS[tag.name] = tag.read
        _WRITERS[tag.type] = _writer_of(tag.name, tag.write)


_UNTAGGED = JSONDecoder(parse_float=_read_float, parse_constant=_read_constant)
_TAGGED = JSONDecoder(parse_float=_read_float, parse_constant=_read_constant, object_hook=_read_object)
# What `raw_decode` calls, without the frame between: a value is read for each step.
_scan, _scan_tagged = (each.scan_once for each in (_UNTAGGED, _TAGGED))  # type: ignore[attr-defined]
