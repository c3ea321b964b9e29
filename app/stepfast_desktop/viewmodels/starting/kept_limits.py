"""How many workflows of each definition and queue may run at once, as it is kept for a data folder."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from types import MappingProxyType
from typing import NamedTuple

from stepfast import Engine
from stepfast.errors import StepfastError

__all__ = [
    "LIMITS",
    "MOST_AT_ONCE",
    "NO_LIMITS",
    "QUEUE_LIMITS",
    "KeptLimits",
    "followed",
    "keep_to",
    "kept_limits",
]

LIMITS = "limits"
"""The name of the setting: an object of numbers by the names of definitions."""

QUEUE_LIMITS = "queue_limits"
"""The same by the names of queues."""

MOST_AT_ONCE = 999

LOOK_SECONDS = 5.0
"""Between two looks of a worker whether somebody has set another limit."""


class KeptLimits(NamedTuple):
    """Those of definitions and those of queues, each by name."""

    names: Mapping[str, int] = MappingProxyType({})
    queues: Mapping[str, int] = MappingProxyType({})


NO_LIMITS = KeptLimits()


def kept_limits(get: Callable[[str], object]) -> KeptLimits:
    """The limits as they are kept now; `get` gives a setting by its name."""
    return KeptLimits(_limits_in(get(LIMITS)), _limits_in(get(QUEUE_LIMITS)))


def _limits_in(value: object) -> dict[str, int]:
    """The limits among what is kept under one of the names; nothing where that is something else."""
    if not isinstance(value, Mapping):
        return {}
    return {
        name: most
        for name, most in value.items()
        if isinstance(name, str) and type(most) is int and 1 <= most <= MOST_AT_ONCE
    }


def keep_to(engine: Engine, limits: KeptLimits, before: KeptLimits = NO_LIMITS) -> None:
    """Have an engine keep to these, as far as it has the definitions and queues.

    `before` are those that it keeps to: what is no limit any more is none from now on.
    """
    for tell, now, then in (
        (engine.limit, limits.names, before.names),
        (engine.limit_queue, limits.queues, before.queues),
    ):
        for name in now.keys() | then.keys():
            if now.get(name) != then.get(name):
                with suppress(StepfastError):  # another program's
                    tell(name, now.get(name))


@asynccontextmanager
async def followed(engine: Engine, read: Callable[[], KeptLimits]) -> AsyncGenerator[None]:
    """Have an engine keep to the limits that `read` gives, as they are set meanwhile by another program."""
    known = read()
    keep_to(engine, known)

    async def follow() -> None:
        nonlocal known
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            now = read()
            keep_to(engine, now, known)
            known = now

    following = asyncio.create_task(follow(), name="limits of the settings")
    try:
        yield
    finally:
        following.cancel()
        await asyncio.wait({following})
