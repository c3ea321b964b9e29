"""Between what is typed and what it means: values as text, paths as people type them, and what would fit,
in words.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import fields as fields_of
from dataclasses import is_dataclass, replace
from datetime import date, datetime, time, timedelta
from enum import Enum
from pathlib import Path
from urllib.parse import unquote_to_bytes

from stepfast.definitions.annotations import Asked, json_of
from stepfast.hints import Between
from stepfast.values.durations import duration_text
from stepfast.values.plain import same
from stepfast_desktop.viewmodels import regional
from stepfast_desktop.viewmodels.words import listed, translate

__all__ = [
    "Wrong",
    "bounded",
    "example_of",
    "made_absolute",
    "needed",
    "shown_path",
    "text_of",
    "typed_number",
    "typed_path",
    "zone_of",
]


class Wrong(Exception):
    """What was typed does not do; the message is for the person who typed it."""


def typed_path(text: str) -> Path:
    """The path that a person means. Raises `Wrong`."""
    # Nobody means a folder whose name begins with a space, and much that is pasted does.
    text = text.lstrip()
    if "\0" in text:
        raise Wrong(translate("Form", "This is no path."))
    if text.lower().startswith("file://"):
        return _path_of_url(text.rstrip())
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError:
        raise Wrong(translate("Form", "There is no user of that name on this computer.")) from None
    except OSError:
        # The folder that the program was started in is gone.
        raise Wrong(translate("Form", "Write the whole path, from the top.")) from None


def typed_number(text: str) -> str:
    """A number as it is read everywhere, where a person writes it as one does here: 1.234,5 is 1234.5."""
    point = regional.point()
    return text if point == "." or point not in text else text.replace(".", "").replace(point, ".")


def _path_of_url(url: str) -> Path:
    """What file managers put on the clipboard. By hand, since a name may hold # and ?, and any bytes."""
    host, slash, rest = url[len("file://") :].partition("/")
    raw = unquote_to_bytes(slash + rest)
    if not slash or b"\0" in raw or (host not in ("", "localhost") and os.name != "nt"):
        raise Wrong(translate("Form", "This leads to no place on this computer."))
    if os.name == "nt":
        name = raw.decode("utf-8", "replace")
        return Path(f"//{host}{name}" if host not in ("", "localhost") else name.lstrip("/"))
    return Path(os.fsdecode(raw))


def made_absolute(value: object) -> object:
    """Paths, at any depth, as they are meant here: whoever carries the workflow out is in another folder.

    Links are not resolved, and `..` stays: what they lead to is found when the path is used.
    """
    match value:
        case Enum():
            return value
        case Path():
            try:
                return value.absolute()
            except OSError:
                return value  # the folder that this program was started in is gone
        case list() | set() | frozenset():
            return type(value)(map(made_absolute, value))
        case tuple():
            made = map(made_absolute, value)
            return value._make(made) if hasattr(value, "_make") else tuple(made)
        case Mapping():
            return {made_absolute(key): made_absolute(item) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        given = {each.name: getattr(value, each.name) for each in fields_of(value) if each.init}
        return replace(value, **{name: made_absolute(item) for name, item in given.items()})
    return value


# --- as text ----------------------------------------------------------------------------------------------


def text_of(value: object, kind: str, asked: Asked) -> str:
    """What a field of that kind shows of a value."""
    match kind:
        case "float" | "decimal":
            return _as_here(value)
        case "choice" if isinstance(value, bool) and not asked.values:
            return "yes" if value else "no"
        case "choice":
            known = [
                choice for choice, each in zip(asked.choices, asked.values, strict=True) if same(each, value)
            ]
            return known[0] if known else ""
        case "json" | "list":
            return json.dumps(json_of(value), indent=2, ensure_ascii=False)
    match value:
        case bool():
            return "yes" if value else "no"
        case Path():
            return shown_path(value)
        case datetime():
            local = value.astimezone().replace(tzinfo=None) if value.tzinfo is not None else value
            return local.isoformat()
        case date() | time():
            return value.isoformat()
        case timedelta():
            return duration_text(value)
        case list() | tuple() | set() | frozenset() | dict():
            return json.dumps(json_of(value), ensure_ascii=False)
    return str(json_of(value))


def _as_here(number: object) -> str:
    return str(json_of(number)).replace(".", regional.point())


def shown_path(path: Path) -> str:
    """A path as text, though its name may hold bytes that are none."""
    return str(json_of(path))


# --- in words -------------------------------------------------------------------------------------


def zone_of(value: object) -> str:
    """The time zone that a moment is meant in, which is this computer's: "CET, UTC+01:00"."""
    if not isinstance(value, datetime):
        return ""
    local = value.astimezone()
    offset = local.strftime("%z")
    shown = f"UTC{offset[:3]}:{offset[3:5]}"
    name = local.tzname() or ""
    # Where a zone has no short name, it is the offset once more; and UTC needs none.
    return shown if not name or name[0] in "+-" or name == "UTC" else listed([name, shown])


def needed(asked: Asked, reason: str = "") -> str:
    """What would fit, to somebody who put in something else; `reason` is why that did not."""
    match asked.kind:
        case "bool":
            return translate("Form", "Write yes or no.")
        case "int":
            return translate("Form", "Write a whole number, such as 12.")
        case "float" | "decimal" if asked.bounds is not None:
            return bounded(asked.bounds)
        case "float" | "decimal":
            return translate("Form", "Write a number, such as {number}.").format(number=_as_here(1.5))
        case "date":
            return translate("Form", "Write a date, such as 2026-11-29.")
        case "datetime":
            return translate("Form", "Write a date and time, such as 2026-11-29 16:50.")
        case "time":
            return translate("Form", "Write a time, such as 16:50.")
        case "timedelta":
            return translate("Form", "Write how long, with its unit: 90s, 5m or 1h30m.")
        case "uuid":
            return translate("Form", "Write a UUID: 32 digits of 0-9 and a-f.")
        case "choice":
            return translate("Form", "Write one of: {choices}.").format(choices=listed(asked.choices))
        case "union":
            return translate("Form", "Write {what}.").format(what=asked.words)
    if reason:
        return translate("Form", "This is not what is needed: {reason}.").format(reason=reason)
    return translate("Form", "Write {what}, as JSON.").format(what=asked.words)


def bounded(bounds: Between) -> str:
    """What would fit, to somebody who put in a number out of bounds."""
    least, most = _as_here(bounds.least), _as_here(bounds.most)
    if bounds.least is None:
        return translate("Form", "Write a number up to {most}.").format(most=most)
    if bounds.most is None:
        return translate("Form", "Write a number from {least} up.").format(least=least)
    return translate("Form", "Write a number from {least} to {most}.").format(least=least, most=most)


def example_of(asked: Asked) -> str:
    """What would fit, where it is not plain from the title; else nothing."""
    match asked.kind:
        case "timedelta":
            return "1h30m"
        case "uuid":
            return "123e4567-e89b-42d3-a456-426614174000"
    return ""
