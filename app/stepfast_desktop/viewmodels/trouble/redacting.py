"""Leaving out of an exported workflow what it was about: its values, wherever they stand, and who ran it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["without_person", "without_values"]

MOST_ITEMS = 20
MOST_TEXTS = 1_000  # looked for elsewhere; those of the input come first
LEAST, MOST = 4, 300  # characters of one: a shorter one stands in half the words there are
LEFT_OUT = "<left out>"
TELLING = ("step", "answer", "received")  # what other records hold is told of elsewhere, and wanted there


def without_person(text: str) -> str:
    """JSON (not in ASCII) with the home folder as ~, and the user's name left out of other paths."""
    home = Path.home()
    for each in sorted({str(home), str(home.resolve())}, key=len, reverse=True):
        if len(each) > 1:
            written = json.dumps(each, ensure_ascii=False)[1:-1]
            text = re.sub(rf"{re.escape(written)}(?![\w.-])", "~", text)
    if len(home.name) > 1:
        text = re.sub(rf"(?<=[/\\]){re.escape(home.name)}(?![\w.-])", "<user>", text)
    return text


def without_values(workflow: dict[str, Any]) -> dict[str, Any]:
    """An exported workflow with kinds of values in the place of values.

    What stands of them elsewhere (in the name of a step, an error, a line of the log) is left out too.
    """
    texts = _texts(workflow)
    found = {
        name: value if name in ("name", "version", "state") else _masked(value, texts)
        for name, value in workflow.items()
        if name not in ("input", "result", "records", "problems")
    }
    for name in ("input", "result"):
        found[name] = _kind(workflow[name])
    found["records"] = [
        {**each, "name": _masked(each["name"], texts), "value": _kind(each["value"])}
        for each in workflow["records"]
    ]
    found["problems"] = [{name: _kind(each[name]) for name in each} for each in workflow["problems"]]
    return {name: found[name] for name in workflow}


def _texts(workflow: dict[str, Any]) -> list[str]:
    """What is to be left out and stands elsewhere, the longest first."""
    everywhere = "\n".join(
        [
            *(text for name in ("id", "error", "log") for text in _strings(workflow[name])),
            *(each["name"] for each in workflow["records"]),
        ]
    )
    found: dict[str, None] = {}
    for text in _private(workflow):
        for part in (text, re.split(r"[/\\]", text.rstrip("/\\"))[-1]):
            if LEAST <= len(part) <= MOST and part in everywhere:
                found[part] = None
        if len(found) >= MOST_TEXTS:
            break
    return sorted(found, key=len, reverse=True)


def _private(workflow: dict[str, Any]) -> Iterator[str]:
    for name in ("input", "result"):
        yield from _strings(workflow[name])
    for problem in workflow["problems"]:
        yield problem["about"]
    for record in workflow["records"]:
        if record["kind"] in TELLING:
            yield from _strings(record["value"])


def _strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for each in value:
                yield from _strings(each)
        case dict():
            for name, each in value.items():
                if not _is_the_programs(name):
                    yield name
                yield from _strings(each)


def _masked(value: Any, texts: list[str]) -> Any:
    match value:
        case str():
            for text in texts:
                if text in value:
                    value = re.sub(rf"(?<!\w){re.escape(text)}(?!\w)", LEFT_OUT, value)
            return value
        case list():
            return [_masked(each, texts) for each in value]
        case dict():
            return {
                name: each if name in ("type", "level", "at") else _masked(each, texts)
                for name, each in value.items()
            }
        case _:
            return value


def _is_the_programs(name: str) -> bool:
    """Is it the name of a field, or a mark of the codec, and not what somebody's file is called?"""
    return name.isidentifier() or (name[:1] == "$" and name[1:].isidentifier())


def _kind(value: Any) -> Any:
    """What kind of value it is. Names of fields stay: they are the program's."""
    match value:
        case None:
            return None
        case bool():
            return "<yes or no>"
        case int() | float():
            return "<number>"
        case str():
            return f"<text, {len(value)} characters>"
        case list():
            more = [f"<and {len(value) - MOST_ITEMS} more>"] if len(value) > MOST_ITEMS else []
            return [*(_kind(each) for each in value[:MOST_ITEMS]), *more]
        case dict() if all(map(_is_the_programs, value)):
            return {name: _kind(each) for name, each in value.items()}
        case dict():
            kept = {
                f"<name {place}>": _kind(each)
                for place, each in enumerate([*value.values()][:MOST_ITEMS], start=1)
            }
            if len(value) > MOST_ITEMS:
                kept[f"<and {len(value) - MOST_ITEMS} more>"] = None
            return kept
        case _:
            return "<value>"
