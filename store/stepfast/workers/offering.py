"""What a worker offers to carry out: its definitions, with the limits that hold for each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from stepfast.definitions.definition import Definition, Registry
from stepfast.definitions.parameters import schema
from stepfast.interfaces import Offered

__all__ = ["limit", "limit_queue", "offered_by"]


def offered_by(registry: Registry, queues: Mapping[str, int], *, secrets: bool) -> list[Offered]:
    """Each definition once for each name and version that it can continue, though two may be able to.

    Args:
        queues: how many workflows of a queue run at once.
        secrets: whether what has secrets can be carried out.
    """
    return [
        Offered(
            name,
            version,
            each.title,
            json.dumps(schema(each.parameters)),
            forgets=_is_forgotten(each),
            tidies=each.cleanup is not None,
            at_once=each.at_once,
            queue=each.queue,
            queue_at_once=None if each.queue is None else queues.get(each.queue),
        )
        for name, version in dict.fromkeys(registry.offers)
        for each in (registry.find(name, version),)
        if secrets or not each.secrets
    ]


def limit(offers: list[Offered], registry: Registry, name: str, at_once: int | None) -> None:
    """Let so many of that name run at once, if its definition lets as many; None for what that says."""
    for place, each in enumerate(offers):
        if each.name == name:
            own = registry.find(each.name, each.version).at_once
            limits = [most for most in (own, at_once) if most is not None]
            offers[place] = replace(each, at_once=min(limits, default=None))


def limit_queue(offers: list[Offered], queue: str, at_once: int | None) -> None:
    """Let so many of that queue run at once; None for any number."""
    for place, each in enumerate(offers):
        if each.queue == queue:
            offers[place] = replace(each, queue_at_once=at_once)


def _is_forgotten(definition: Definition[..., Any]) -> bool:
    """Does more than its rows go with a workflow of it? Then only who has the definition may delete one."""
    return definition.forget is not None or bool(definition.secrets)
