"""`work`: a worker over a store that is the caller's."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from stepfast.definitions.definition import Definition, Registry
from stepfast.interfaces import Durable
from stepfast.system.clock import Clock
from stepfast.workers.worker import Worker

__all__ = ["work"]


async def work(
    durable: Durable, definitions: Sequence[Definition[..., Any]], *, clock: Clock | None = None
) -> None:
    """Run a worker until this is cancelled, then park what runs (five seconds at most).

    The lower-level form of `Engine`: the store is the caller's, and stays open.
    """
    worker = Worker(durable, Registry(definitions), clock=clock)
    try:
        await worker.run()
    finally:
        await worker.stop(timedelta(seconds=5))
