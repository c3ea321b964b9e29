"""What is known of a workflow's definition, which may be in another program or nowhere any more."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from stepfast import Engine, Summary, UnknownDefinition
from stepfast.state import Queued
from stepfast_desktop.viewmodels.starting.fields import choices_in
from stepfast_desktop.viewmodels.words import known

__all__ = ["Known", "look_up"]


@dataclass(frozen=True, slots=True)
class Known:
    """What it is called, and its inputs; `runnable` says whether any program that is open can run it.

    `choices` are what a form calls the values of an input that is a choice.
    `newest` is the newest version of its name that this program has, where it is not runnable. `turn` says
    what it waits for while it is queued.
    """

    title: str
    labels: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    runnable: bool = True
    newest: int | None = None
    turn: str = ""


async def look_up(engine: Engine, summary: Summary) -> Known:
    """What this program's definition says, or the offer of one that has it.

    Raises `StepfastError` where the offers cannot be read.
    """
    found = await _look_up(engine, summary)
    if not found.runnable or not isinstance(summary.state, Queued):
        return found
    from stepfast_desktop.viewmodels.details.turn import turn_text

    return replace(found, turn=await turn_text(engine, summary, await engine.offers()))


async def _look_up(engine: Engine, summary: Summary) -> Known:
    try:
        definition = engine.registry.find(summary.name, summary.version)
    except UnknownDefinition:
        pass
    else:
        labels = {each.name: known(each.title) for each in definition.parameters}
        choices = {each.name: choices_in(each.annotation) for each in definition.parameters}
        return Known(known(definition.title), labels, choices)
    for offer in await engine.offers():
        if (offer.name, offer.version) == (summary.name, summary.version):
            return Known(known(offer.title) or summary.name, _titles_in(offer.form))
    try:
        newest = engine.registry.newest(summary.name)
    except UnknownDefinition:
        return Known(summary.name, runnable=False)
    title = known(engine.registry.find(summary.name, newest).title)
    return Known(title, runnable=False, newest=newest)


def _titles_in(form: str) -> dict[str, str]:
    """What a published form calls its fields. It is another program's word, so anything may be in it."""
    try:
        properties = json.loads(form)["properties"]
        return {str(name): known(str(each["title"])) for name, each in properties.items() if "title" in each}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
