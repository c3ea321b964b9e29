"""Answers as they are typed: read as the form says, or told what would fit."""

from __future__ import annotations

import json

import pytest

from stepfast_desktop.viewmodels.details.answers import Unfit, hint_of, read_answer


@pytest.mark.parametrize(
    ("form", "text", "value"),
    [
        (None, "yes", "yes"),
        (None, "true", True),
        (None, '{"a": 1}', {"a": 1}),
        ("damaged", "x", "x"),
        ('["no schema"]', "x", "x"),
        ('{"type": "string", "format": []}', "x", "x"),
        ('{"type": "string"}', "true", "true"),
        ('{"type": "string"}', "", ""),
        ('{"type": "boolean"}', "Yes", True),
        ('{"type": "boolean"}', "off", False),
        ('{"type": "integer"}', " 7 ", 7),
        ('{"type": "number"}', "1e3", 1000.0),
        ('{"type": ["integer", "null"]}', "", None),
        ('{"type": "string", "format": "date"}', "2026-11-29", "2026-11-29"),
        ('{"type": "string", "format": "duration"}', "1h30m", "1h30m"),
        ('{"type": "string", "enum": ["accept", "reject"]}', "Accept", "accept"),
        ('{"enum": [1, 2], "enumNames": ["ONE", "TWO"]}', "two", 2),
        ('{"enum": ["a", null], "enumNames": ["A", ""]}', "a", "a"),
        ('{"anyOf": [{"type": "string"}, {"type": "integer"}]}', "7", 7),
        ('{"anyOf": [{"type": "string"}, {"type": "integer"}]}', "x", "x"),
        ('{"type": "array", "items": {}}', "[1, 2]", [1, 2]),
        ('{"type": "object"}', '{"a": 1}', {"a": 1}),
    ],
)
def test_an_answer_is_read_as_its_form_says(form: str | None, text: str, value: object) -> None:
    read = read_answer(form, text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("form", "text", "needs"),
    [
        (None, " ", "first"),
        ('{"type": "boolean"}', "perhaps", "yes or no"),
        ('{"type": "integer"}', "7.5", "a whole number"),
        ('{"type": "integer"}', "", "a whole number"),
        ('{"type": "number"}', "nan", "a number"),
        ('{"type": "string", "format": "decimal"}', "NaN", "a decimal number"),
        ('{"type": "string", "format": "decimal"}', "1,5", "a decimal number"),
        ('{"type": "string", "format": "date"}', "tomorrow", "a date such as"),
        ('{"type": "string", "format": "path"}', "", "a path"),
        ('{"type": ["integer", "null"]}', "x", "a whole number, or nothing"),
        ('{"enum": ["a", "b"]}', "c", "one of a, b"),
        ('{"anyOf": [{"type": "integer"}, {"type": "boolean"}]}', "x", "a whole number or yes or no"),
        ('{"type": "array", "items": {}}', "1", "a list as JSON"),
        ('{"type": "object"}', "[", "a value as JSON"),
    ],
)
def test_an_answer_that_does_not_fit_is_told_what_would(form: str | None, text: str, needs: str) -> None:
    with pytest.raises(Unfit, match=needs.replace("[", r"\[")):
        read_answer(form, text)


def test_what_fits_is_said_shortly_of_many_choices() -> None:
    assert hint_of(json.dumps({"enum": list(range(100))})).endswith(", 11, …")
