"""Names for workflows that nobody gave one: by what they are about, so that ten copies can be told apart."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from stepfast_desktop.viewmodels.starting.fields import Field

__all__ = ["made_up"]

LONGEST = 60
MADE_UP = re.compile(r"-[0-9a-f]{8}$")


def made_up(name: str, fields: Iterable[Field], values: Mapping[str, object], again: str | None) -> str:
    """A name that is nobody's yet: "Photos-3fa91c07".

    Args:
        name: of the definition; what it begins with where there is nothing better.
        fields: what its form asks for. The first of them for files or folders says what it is about.
        values: what was filled in.
        again: the field for an earlier workflow, whose problems are tried again: it is called after that one.
    """
    earlier = values.get(again) if again is not None else None
    if isinstance(earlier, str) and earlier:
        about = MADE_UP.sub("", earlier)
    else:
        about = _called(fields, values) or name
    return f"{about}-{os.urandom(4).hex()}"


def _called(fields: Iterable[Field], values: Mapping[str, object]) -> str:
    field = next((each for each in fields if each.of_paths), None)
    given = None if field is None else values.get(field.name)
    path = next(iter(given), None) if isinstance(given, list | tuple) else given
    called = path.name if isinstance(path, Path) else ""
    # What cannot be shown, or would fill the column, is no name.
    return called if called.isprintable() and len(called) <= LONGEST else ""
