"""What a worker without a window owes the computer: keeping awake, and notes before sleep."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from stepfast import Engine
from stepfast_desktop.away.awake import KeepingAwake
from stepfast_desktop.away.bus import Bus
from stepfast_desktop.away.sleep import Sleep
from stepfast_desktop.away.waking import waking_of_this_system
from stepfast_desktop.viewmodels.away.pending import Pending
from stepfast_desktop.viewmodels.feed import Feed
from stepfast_desktop.viewmodels.preferences import Preferences

__all__ = ["minding_sleep"]


@asynccontextmanager
async def minding_sleep(engine: Engine, preferences: Preferences) -> AsyncGenerator[None]:
    """While the block runs, as the window does it; what is preferred is read once, at the beginning."""
    async with AsyncExitStack() as stack:
        session, system = Bus("session"), Bus("system")
        stack.push_async_callback(session.close)
        stack.push_async_callback(system.close)
        feed = Feed(engine)
        pending = Pending(engine, feed)
        stack.push_async_callback(feed.close)
        await feed.start()
        stack.push_async_callback(pending.close)
        await pending.start()
        keeping = KeepingAwake(pending, preferences, waking_of_this_system(session, system))
        stack.push_async_callback(keeping.close)
        keeping.start()
        sleep = Sleep(system, engine.write_bookmarks, lambda: None)
        stack.push_async_callback(sleep.close)
        sleep.start()
        yield
