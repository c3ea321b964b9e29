"""Values that JSON has no word for: what `codec` writes after their tag, and how it is read back.

`TAGS` has one `Tag` for each such type: its name in the text, the exact type, `write` (the value to the
JSON text of what stands after the tag) and `read` (from what JSON made of that). `write` raises
`Refused` for a value that would not come back equal; `read` raises `ValueError`, or another of the
errors that `codec.decode` expects, for what no `write` wrote. The forms are listed at the top of `codec`
and fixed for ever. Types whose modules few programs need (`is_rare`) are in `rare_tags`.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone
from json.encoder import encode_basestring as quote
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeGuard, TypeVar

from stepfast.secrets import SecretReference

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

__all__ = ["TAGS", "Refused", "Tag", "UnknownZone", "expect", "is_rare"]

T = TypeVar("T")

RARE = {("decimal", "Decimal"), ("uuid", "UUID")}


def is_rare(kind: object) -> bool:
    """Is it a type that `rare_tags` has? Its module is there, or nobody could have it."""
    return isinstance(kind, type) and (kind.__module__, kind.__qualname__) in RARE


class Refused(Exception):
    """A value without a form; each container that this unwinds through adds where the value was."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.path: list[str] = []

    def within(self, part: str) -> NoReturn:
        """Go on to the next container out, past `part` of this one."""
        self.path.insert(0, part)
        raise self

    def where(self) -> str:
        """Where the value was, as in ", at [3].when,"; nothing where it was the whole."""
        if not self.path:
            return ""
        # A value that contains itself is found at the end of a very long path.
        shown = self.path if len(self.path) <= 12 else [*self.path[:6], "...", *self.path[-3:]]
        return f", at {''.join(shown)},"


class UnknownZone(Exception):
    """A text names a time zone that this machine does not know."""


class Tag(NamedTuple):
    """One type's form."""

    name: str
    type: type
    write: Callable[[Any], str]
    read: Callable[[object], object]


def expect(tag: str, found: object, kind: type[T]) -> T:
    """`found`, which must be exactly of the type `kind`."""
    if type(found) is not kind:
        raise ValueError(f"after {tag} stands no {kind.__name__}")
    return found


def _write_bytes(value: bytes) -> str:
    return f'"{binascii.b2a_base64(value, newline=False).decode()}"'


def _read_bytes(found: object) -> bytes:
    return base64.b64decode(expect("$bytes", found, str), validate=True)


def _write_datetime(value: datetime) -> str:
    zone = value.tzinfo
    text = _write_clock(value.isoformat(), zone, value.fold)
    # A ZoneInfo made from a file of one's own has rules that its key does not lead to.
    if _is_zone_info(zone):
        here = type(zone)(zone.key)
        if value.replace(tzinfo=here).utcoffset() != value.utcoffset():
            raise Refused(f"has a ZoneInfo that differs from this machine's {zone.key!r}; make it UTC first")
    return text


def _read_datetime(found: object) -> datetime:
    text, zone, fold = _read_clock("$datetime", found)
    recorded = datetime.fromisoformat(text)
    value = recorded.replace(fold=fold)
    if zone is None:
        return value
    value = value.replace(tzinfo=zone)
    if value.utcoffset() == recorded.utcoffset():
        return value
    # The zone has other rules by now: the moment stays, since a moment is what programs compare.
    return recorded.astimezone(zone)


def _write_time(value: time) -> str:
    zone = value.tzinfo
    # A ZoneInfo has an offset on a given day only, so a time in one is written without.
    bare = value.replace(tzinfo=None) if _is_zone_info(zone) else value
    return _write_clock(bare.isoformat(), zone, value.fold)


def _read_time(found: object) -> time:
    text, zone, fold = _read_clock("$time", found)
    value = time.fromisoformat(text).replace(fold=fold)
    return value if zone is None else value.replace(tzinfo=zone)


def _is_zone_info(zone: object) -> TypeGuard[ZoneInfo]:
    if zone is None or type(zone) is timezone:
        return False
    from zoneinfo import ZoneInfo

    return type(zone) is ZoneInfo


def _write_clock(text: str, zone: object, fold: int) -> str:
    if _is_zone_info(zone):
        key = quote(_key_of(zone))
    elif zone is None or type(zone) is timezone:
        # Python reads +00:00:00.000001 as UTC, and nobody's clock has such an offset.
        if zone is not None and zone.utcoffset(None).microseconds:
            raise Refused("has an offset from UTC with a fraction of a second; make it UTC")
        if not fold:
            return f'"{text}"'
        key = "null"
    else:
        kind = type(zone)
        raise Refused(
            f"has the time zone {kind.__module__}.{kind.__qualname__}, which would not come back; use a "
            "zoneinfo.ZoneInfo or a datetime.timezone, for instance by .astimezone(timezone.utc)"
        )
    return f'["{text}",{key},{fold}]' if fold else f'["{text}",{key}]'


def _key_of(zone: ZoneInfo) -> str:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        if type(zone.key) is str:
            return ZoneInfo(zone.key).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        pass
    raise Refused(
        "has a ZoneInfo that cannot be found again by a key; make it UTC, or use ZoneInfo('Area/City')"
    )


def _read_clock(tag: str, found: object) -> tuple[str, ZoneInfo | None, int]:
    if type(found) is str:
        return found, None, 0
    parts = expect(tag, found, list)
    text, key, fold = parts if len(parts) == 3 else (*parts, 0)
    if fold not in (0, 1):
        raise ValueError(f"after {tag} stands no fold of 0 or 1")
    zone = None if key is None else _zone_of(expect(tag, key, str))
    return expect(tag, text, str), zone, fold


def _zone_of(key: str) -> ZoneInfo:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(key)
    except ZoneInfoNotFoundError as error:
        raise UnknownZone(error.args[0]) from error


def _write_date(value: date) -> str:
    return f'"{value.isoformat()}"'


def _read_date(found: object) -> date:
    return date.fromisoformat(expect("$date", found, str))


def _write_timedelta(value: timedelta) -> str:
    return f"[{value.days},{value.seconds},{value.microseconds}]"


def _read_timedelta(found: object) -> timedelta:
    days, seconds, microseconds = (
        expect("$timedelta", part, int) for part in expect("$timedelta", found, list)
    )
    return timedelta(days, seconds, microseconds)


def _write_path(value: Path) -> str:
    name = str(value)
    try:
        name.encode()
        return quote(name)
    except UnicodeEncodeError:
        pass
    # Python shows the bytes of a name that are no UTF-8 as halves of surrogate pairs; the bytes come back.
    try:
        raw = os.fsencode(name)
        if os.fsdecode(raw) == name:
            return f"[{_write_bytes(raw)}]"
    except UnicodeEncodeError:
        pass
    raise Refused("is a path that no file of this machine can have; return bytes")


def _read_path(found: object) -> Path:
    if type(found) is str:
        return Path(found)
    (raw,) = expect("$path", found, list)
    return Path(os.fsdecode(_read_bytes(raw)))


def _write_secret(value: SecretReference) -> str:
    return quote(value.name)


def _read_secret(found: object) -> SecretReference:
    return SecretReference(expect("$secret", found, str))


TAGS = (
    Tag("$bytes", bytes, _write_bytes, _read_bytes),
    Tag("$datetime", datetime, _write_datetime, _read_datetime),
    Tag("$time", time, _write_time, _read_time),
    Tag("$date", date, _write_date, _read_date),
    Tag("$timedelta", timedelta, _write_timedelta, _read_timedelta),
    # `Path()` is a PosixPath or a WindowsPath: the paths of this platform, which are the only ones kept.
    Tag("$path", type(Path()), _write_path, _read_path),
    Tag("$secret", SecretReference, _write_secret, _read_secret),
)
