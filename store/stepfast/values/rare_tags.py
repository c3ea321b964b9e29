"""The tags of types whose modules few programs need: as `tags.TAGS`, once one of them is met with."""

from __future__ import annotations

from decimal import Decimal
from uuid import UUID

from stepfast.values.tags import Refused, Tag, expect

__all__ = ["TAGS"]


def _write_decimal(value: Decimal) -> str:
    if value.is_nan():
        raise Refused("is a NaN, which is not equal even to itself; return None or a text in its place")
    # The case of the exponent's letter follows the thread's decimal context; the text must not.
    return f'"{str(value).replace("e", "E")}"'


def _read_decimal(found: object) -> Decimal:
    value = Decimal(expect("$decimal", found, str))
    if value.is_nan():
        raise ValueError("after $decimal stands no number")
    return value


def _write_uuid(value: UUID) -> str:
    return f'"{value}"'


def _read_uuid(found: object) -> UUID:
    return UUID(expect("$uuid", found, str))


TAGS = (
    Tag("$decimal", Decimal, _write_decimal, _read_decimal),
    Tag("$uuid", UUID, _write_uuid, _read_uuid),
)
