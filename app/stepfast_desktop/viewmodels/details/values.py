"""Inputs and results as a person reads them: labels beside values."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import PurePath

from stepfast.definitions.annotations import json_of
from stepfast.secrets import SecretReference
from stepfast_desktop.viewmodels.format import (
    count_text,
    duration_text,
    exact_time_text,
    label_text,
    readable,
    size_text,
)
from stepfast_desktop.viewmodels.words import known, translate

__all__ = ["Pair", "field_label", "number_text", "pairs_of", "shortened", "tells_unit", "value_text"]

MOST_PAIRS = 100
MOST_ITEMS = 20
MOST_CHARACTERS = 4000


@dataclass(frozen=True, slots=True)
class Pair:
    """A line of two columns; the label is empty where the value has no name."""

    label: str
    text: str


def pairs_of(
    value: object,
    labels: Mapping[str, str] | None = None,
    choices: Mapping[str, Mapping[str, str]] | None = None,
) -> tuple[Pair, ...]:
    """A value of names and values, as a dataclass becomes, line by line; any other as one line.

    Args:
        value: plain, as the store gives it back.
        labels: what to call the names; made from them by default.
        choices: what to call some values, by the names.
    """
    if value is None:
        return ()
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        return (Pair("", value_text(value)),)
    pairs = [
        Pair((labels or {}).get(name) or field_label(name), _chosen(item, name, choices))
        for name, item in [*value.items()][:MOST_PAIRS]
    ]
    if (more := len(value) - len(pairs)) > 0:
        pairs.append(Pair("", _and_more(more)))
    return tuple(pairs)


def _chosen(item: object, name: str, choices: Mapping[str, Mapping[str, str]] | None) -> str:
    known = (choices or {}).get(name, {})
    return known[item] if isinstance(item, str) and item in known else value_text(item, name=name)


def field_label(name: str) -> str:
    """What to call a value that has no other title than its name."""
    # The value says the unit.
    match name:
        case "bytes":
            return translate("Details", "Size")
        case "seconds":
            return translate("Details", "Duration")
    return known(label_text(name))


def value_text(value: object, *, name: str = "") -> str:
    """One value; a name that ends in bytes or seconds tells its unit, as those of our own workflows do."""
    match value:
        case None:
            return "–"  # noqa: RUF001 - a dash, as tables have it for nothing
        case bool():
            return translate("Details", "yes") if value else translate("Details", "no")
        case str():
            return shortened(readable(value)) if value else translate("Details", "(empty)")
        case int() | float():
            return number_text(value, name)
        case timedelta():
            return duration_text(value.total_seconds())
        case datetime() if value.tzinfo is not None:
            return exact_time_text(value, datetime.now(UTC))
        case datetime():
            return value.isoformat(" ", "seconds")
        case date():
            return value.isoformat()
        case PurePath():
            return readable(str(value))
        case SecretReference():
            return str(value)
        case bytes():
            return size_text(len(value))
        case Mapping():
            return _json_text(value)
        case Sequence() | Set():
            return _items_text(value)
    return _json_text(value)


def shortened(text: str) -> str:
    """`text`, or as much of it as anybody reads in a window, and how much more there is."""
    if len(text) <= MOST_CHARACTERS:
        return text
    more = len(text) - MOST_CHARACTERS
    return f"{text[:MOST_CHARACTERS]}…\n{translate('Details', '(%n more character(s))', None, more)}"


def tells_unit(name: str) -> bool:
    """Does a number's name tell its unit?"""
    return name.rpartition("_")[2] in ("bytes", "seconds")


def number_text(value: float, name: str) -> str:
    """A number; in the unit that its name tells, where it does."""
    if abs(value) < 2**63 and math.isfinite(value):  # a whole number may be too large to ask
        match name.rpartition("_")[2]:
            case "bytes" if abs(value) >= 1000:
                exact = translate("Details", "{count} bytes").format(count=count_text(value))
                return translate("Details", "{size} ({exact})").format(size=size_text(value), exact=exact)
            case "bytes":
                return size_text(value)
            case "seconds":
                return duration_text(value)
    return count_text(value)


def _items_text(items: Sequence[object] | Set[object]) -> str:
    if not items:
        return translate("Details", "(none)")
    given = sorted(items, key=str) if isinstance(items, Set) else items
    if any(isinstance(item, Mapping | Sequence | Set) and not isinstance(item, str) for item in given):
        return _json_text(given)
    lines = [value_text(item) for item in given[:MOST_ITEMS]]
    if (more := len(given) - len(lines)) > 0:
        lines.append(_and_more(more))
    return shortened("\n".join(lines))


def _json_text(value: object) -> str:
    # Plain JSON, as it is typed and as `--json` gives it, and no tags of the store's.
    return shortened(readable(json.dumps(json_of(value), ensure_ascii=False, indent=2)))


def _and_more(more: int) -> str:
    return translate("Details", "and %n more", None, more)
