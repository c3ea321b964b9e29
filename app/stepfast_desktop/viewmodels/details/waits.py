"""What a workflow waited for, and what it tried, by name: as its steps, timeline and records have it."""

from __future__ import annotations

from stepfast.interfaces import Kind
from stepfast_desktop.viewmodels.words import translate

__all__ = ["try_text", "wait_text"]


def wait_text(kind: str, name: str) -> str:
    """A sleep, an answer or a message that is recorded: `kind` of `Kind`, and its name as it is read."""
    match kind:
        case Kind.SLEEP:
            return translate("Details", "Sleep: {name}").format(name=name)
        case Kind.ANSWER:
            return translate("Details", "Answer: {name}").format(name=name)
        case _:
            return translate("Details", "Message: {name}").format(name=name)


def try_text(kind: str, name: str) -> str:
    """An attempt that came to nothing, or a step that began: `kind` of `Kind`, its name as it is read."""
    number, _, step = name.partition(":")
    if kind == Kind.BEGUN:
        return translate("Details", "{step}: begun").format(step=step)
    return translate("Details", "{step}: attempt {number}").format(step=step, number=number)
