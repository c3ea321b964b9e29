"""What a definition says in lists and forms, for `packaging/translations.py` to give to the translators."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from stepfast import Definition
from stepfast_desktop.viewmodels.details.values import field_label
from stepfast_desktop.viewmodels.starting.choices import sentence
from stepfast_desktop.viewmodels.starting.fields import Field

__all__ = ["said_by"]


def said_by(definition: Definition[..., Any]) -> Iterator[str]:
    """Every text of it that is shown, some of them twice; to be called while nothing is translated."""
    yield definition.title
    yield sentence(definition.summary)
    for parameter in definition.parameters:
        field = Field(parameter)
        yield from (field.title, field.help, field.unit)
        if field.labels != field.choices and field.kind != "bool":
            yield from field.labels
    result = typing.get_type_hints(definition.body).get("return")
    if is_dataclass(result):
        yield from (field_label(each.name) for each in fields(result))
