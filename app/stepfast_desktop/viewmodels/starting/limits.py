"""How many of each definition and queue run at once, as a person said: kept, and told to the engine."""

from __future__ import annotations

from typing import Any

from stepfast import Definition, Engine
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.preferences import Kept
from stepfast_desktop.viewmodels.starting.kept_limits import (
    LIMITS,
    MOST_AT_ONCE,
    QUEUE_LIMITS,
    keep_to,
    kept_limits,
)
from stepfast_desktop.viewmodels.starting.start_options import StartOptions

__all__ = ["Limits", "most_of"]


class Limits:
    """The limits of one engine, which keeps to those that were kept from the start."""

    def __init__(self, engine: Engine, kept: Kept) -> None:
        self.changed: Event[[str]] = Event()
        """The definition of this name has another limit."""
        self._engine = engine
        self._kept = kept
        limits = kept_limits(kept.get)
        self._names, self._queues = dict(limits.names), dict(limits.queues)
        keep_to(engine, limits)

    @property
    def definitions(self) -> list[Definition[..., Any]]:
        """Those of this program, each in its newest version, by name."""
        registry = self._engine.registry
        return [registry.find(name) for name in sorted({each.name for each in registry})]

    @property
    def queues(self) -> list[str]:
        """Those that definitions of this program have."""
        return sorted({each.queue for each in self._engine.registry if each.queue is not None})

    def options(self, definition: Definition[..., Any] | None) -> StartOptions:
        """The options of a start; for a definition that is another program's, without a limit."""
        if definition is None:
            return StartOptions(self._engine, most=None)
        return StartOptions(self._engine, at_once=self.of(definition), most=most_of(definition))

    def of(self, definition: Definition[..., Any]) -> int | None:
        """How many run at once; None for any number."""
        return self._names.get(definition.name, definition.at_once)

    def of_queue(self, queue: str) -> int | None:
        """How many of a queue run at once; None for any number."""
        return self._queues.get(queue)

    def set(self, definition: Definition[..., Any], at_once: int | None) -> None:
        """Have so many run at once from now on; None for what the definition says."""
        wanted = None if at_once == definition.at_once else at_once
        if wanted == self._names.get(definition.name):
            return
        self._engine.limit(definition.name, wanted)
        _put(self._names, definition.name, wanted)
        self._kept.put(LIMITS, self._names)
        self.changed.emit(definition.name)

    def set_queue(self, queue: str, at_once: int | None) -> None:
        """Have so many of a queue run at once from now on; None for any number."""
        if at_once == self._queues.get(queue):
            return
        self._engine.limit_queue(queue, at_once)
        _put(self._queues, queue, at_once)
        self._kept.put(QUEUE_LIMITS, self._queues)


def most_of(definition: Definition[..., Any]) -> int:
    """The highest limit that a person may set: what the definition says holds as well."""
    return MOST_AT_ONCE if definition.at_once is None else definition.at_once


def _put(limits: dict[str, int], name: str, limit: int | None) -> None:
    if limit is None:
        limits.pop(name, None)
    else:
        limits[name] = limit
