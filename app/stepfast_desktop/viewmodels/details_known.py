"""What is known of a workflow's definition, which may be in another program or nowhere any more."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from stepfast import Engine, Summary, UnknownDefinition

__all__ = ["Known", "look_up"]


@dataclass(frozen=True, slots=True)
class Known:
    """What it is called, and its inputs; `runnable` says whether any program that is open can run it."""

    title: str
    labels: Mapping[str, str] = field(default_factory=dict)
    runnable: bool = True


async def look_up(engine: Engine, summary: Summary) -> Known:
    """What this program's definition says, or the offer of one that has it.

    Raises `StepfastError` where the offers cannot be read.
    """
    try:
        definition = engine.registry.find(summary.name, summary.version)
    except UnknownDefinition:
        pass
    else:
        return Known(definition.title, {each.name: each.title for each in definition.parameters})
    for offer in await engine.offers():
        if (offer.name, offer.version) == (summary.name, summary.version):
            return Known(offer.title or summary.name, _titles_in(offer.form))
    return Known(summary.name, runnable=False)


def _titles_in(form: str) -> dict[str, str]:
    """What a published form calls its fields. It is another program's word, so anything may be in it."""
    try:
        properties = json.loads(form)["properties"]
        return {str(name): str(each["title"]) for name, each in properties.items() if "title" in each}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
