"""The value that a person means who types an answer on one line, held against the form of what is asked.

A form is the JSON schema that `run.awaiting(into=...)` left with the wait
(`stepfast.definitions.parameters.schema_of`). What is read here is plain JSON; the body makes a date of a
date's text.
"""

from __future__ import annotations

import json
from typing import Any

from stepfast.definitions.annotations import read_plain
from stepfast_desktop.viewmodels.format import readable
from stepfast_desktop.viewmodels.words import listed, translate

__all__ = ["Unfit", "hint_of", "read_answer"]

Form = dict[str, Any]

MOST_NAMES = 12


class Unfit(ValueError):
    """What was typed does not fit; the message says what would."""


def read_answer(form: str | None, text: str) -> object:
    """What `text` means for `form`; where there is none, JSON, and whatever is no JSON is a text.

    Raises `Unfit`.
    """
    known = _form(form)
    if known is None:
        if not text.strip():
            raise Unfit(translate("Answer", "Type an answer first."))
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return _read(known, text)


def hint_of(form: str | None) -> str:
    """What fits, as in "a whole number"; for the empty field."""
    known = _form(form)
    return translate("Answer", "text, or a value as JSON") if known is None else _hint(known)


def _form(form: str | None) -> Form | None:
    """The schema; None where anything fits, or where what some program wrote there is none."""
    try:
        known: Form = json.loads(form or "{}")
        _hint(known)  # looks at all of it
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return known or None


def _kind(form: Form) -> str:
    kind = form.get("type")
    if isinstance(kind, list):  # "or nothing"
        kind = next((each for each in kind if each != "null"), "null")
    return kind if isinstance(kind, str) else ""


def _optional(form: Form) -> bool:
    kind = form.get("type")
    return kind == "null" or (isinstance(kind, list) and "null" in kind)


def _names(form: Form) -> list[str]:
    values = form.get("enum")
    if not isinstance(values, list):
        return []
    names = form.get("enumNames")
    shown = names if isinstance(names, list) and len(names) == len(values) else values
    return [str(name) for name, value in zip(shown, values, strict=True) if value is not None]


def _read(form: Form, text: str) -> object:
    bare = text.strip()
    if not bare and _optional(form):
        return None
    if isinstance(form.get("enum"), list):
        return _read_choice(form, bare)
    if isinstance(form.get("anyOf"), list):
        return _read_any(form, text)
    match _kind(form):
        case "string":
            return _read_string(form, text)
        case "boolean":
            return _read_boolean(form, bare)
        case "integer":
            return _checked("int", bare, form)
        case "number":
            return _checked("float", bare, form)
        case "null":
            raise _unfit(form)
    return _read_json(form, bare)


def _read_choice(form: Form, text: str) -> object:
    values = [value for value in form["enum"] if value is not None]
    for known in (_names(form), [str(value) for value in values]):
        for name, value in zip(known, values, strict=True):
            if text.casefold() == name.casefold():
                return value
    raise _unfit(form)


def _read_any(form: Form, text: str) -> object:
    # Any text is a text, so that is tried last.
    for each in sorted(form["anyOf"], key=lambda each: _kind(each) == "string" and "format" not in each):
        try:
            return _read(each, text)
        except Unfit:
            continue
    raise _unfit(form)


# The formats of a schema's texts that are of one of the engine's kinds.
_KINDS = {
    "date": "date",
    "date-time": "datetime",
    "time": "time",
    "duration": "timedelta",
    "decimal": "decimal",
    "uuid": "uuid",
}


def _read_string(form: Form, text: str) -> str:
    kind = _KINDS.get(form.get("format", ""))
    if kind is None:
        if not text and form.get("format") == "path":
            raise _unfit(form)
        return text
    _checked(kind, text.strip(), form)
    return text.strip()


def _read_boolean(form: Form, text: str) -> bool:
    words = {translate("Answer", "Yes").casefold(): True, translate("Answer", "No").casefold(): False}
    said = words.get(text.casefold())
    return _checked("bool", text, form) if said is None else said


def _read_json(form: Form, text: str) -> object:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise _unfit(form) from None
    wanted = {"array": list, "object": dict}.get(_kind(form))
    if wanted is not None and not isinstance(value, wanted):
        raise _unfit(form)
    return value


def _checked(kind: str, text: str, form: Form) -> Any:
    try:
        return read_plain(kind, text)
    except ValueError:
        raise _unfit(form) from None


def _unfit(form: Form) -> Unfit:
    return Unfit(translate("Answer", "That does not fit; it needs {what}.").format(what=_hint(form)))


def _hint(form: Form) -> str:
    if names := _names(form):
        shown = [*map(readable, names[:MOST_NAMES]), *(["…"] if len(names) > MOST_NAMES else [])]
        return translate("Answer", "one of {names}").format(names=listed(shown))
    if isinstance(form.get("anyOf"), list):
        return translate("Answer", " or ", "between two kinds of value").join(map(_hint, form["anyOf"]))
    plain = {
        "string": translate("Answer", "a text"),
        "boolean": translate("Answer", "yes or no"),
        "integer": translate("Answer", "a whole number"),
        "number": translate("Answer", "a number"),
        "array": translate("Answer", "a list as JSON, such as [1, 2]"),
        "null": translate("Answer", "nothing"),
    }
    formats = {
        "path": translate("Answer", "a path"),
        "date": translate("Answer", "a date such as 2026-11-29"),
        "date-time": translate("Answer", "a date and time such as 2026-11-29T16:50"),
        "time": translate("Answer", "a time such as 16:50"),
        "duration": translate("Answer", "a duration such as 90s, 5m or 1h30m"),
        "decimal": translate("Answer", "a decimal number"),
        "uuid": translate("Answer", "a UUID"),
        "byte": translate("Answer", "bytes, written as base64"),
    }
    kind = _kind(form)
    said = formats.get(form.get("format", "")) if kind == "string" else None
    said = said or plain.get(kind) or translate("Answer", "a value as JSON")
    return translate("Answer", "{what}, or nothing").format(what=said) if _optional(form) else said
