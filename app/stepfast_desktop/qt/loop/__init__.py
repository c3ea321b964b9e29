"""The event loop of the window: asyncio's behaviour, with Qt doing the waiting."""
