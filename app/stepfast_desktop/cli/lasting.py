"""How long `stepfast work --background` lasts: while there is something that it will do by itself."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from stepfast import Engine
from stepfast.state import BY_THEMSELVES
from stepfast.views import Filter

__all__ = ["anything_to_come", "until_nothing_is_to_come"]

PAGE = 1000
LOOK_SECONDS = 60.0
BETWEEN_SECONDS = 1.0


async def until_nothing_is_to_come(engine: Engine) -> None:
    """Return once nothing is left that this engine would do unless a person does something first."""
    changed = asyncio.Event()
    stop_listening = engine.listen(lambda _signal: changed.set())
    try:
        while True:
            changed.clear()
            await engine.until_idle()
            if not await anything_to_come(engine):
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await changed.wait()
            # Another process may be at work, which changes something all the time.
            await asyncio.sleep(BETWEEN_SECONDS)
    finally:
        stop_listening()


async def anything_to_come(engine: Engine) -> bool:
    """Is there a schedule, or a workflow that goes on by itself, of a definition that this engine has?"""
    offered = set(engine.registry.offers)
    names = {name for name, _ in offered}
    if not names:
        return False
    if any(each.definition in names and each.due is not None for each in await engine.schedules()):
        return True
    keys = await engine.keys(Filter(BY_THEMSELVES, names))
    for start in range(0, len(keys), PAGE):
        rows = await engine.rows(keys[start : start + PAGE])
        # What runs elsewhere may be handed over at any moment.
        if any((row.name, row.version) in offered for row in rows):
            return True
    return False
