"""Backups from an engine: a copy that somebody asks for, and the one a day that is made by itself."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from stepfast.errors import Damaged, StoreError
from stepfast.sqlite.care.backups import Backup, back_up, back_up_beside, back_up_daily
from stepfast.sqlite.care.copying import Unsound
from stepfast.sqlite.faults import damaged_now
from stepfast.sqlite.store import Store
from stepfast.system.threads import once

__all__ = ["back_up_now", "back_up_sometimes"]

T = TypeVar("T")

LOOK_SECONDS = 600.0
"""Between two looks whether it is time: other programs on the file make backups too."""

logger = logging.getLogger("stepfast")


async def back_up_now(store: Store, target: Path | None) -> Path:
    """Copy the file as it is now to `target`, or beside the automatic backups; gives its path."""

    def work(unwanted: Callable[[], bool]) -> Path:
        if target is None:
            return back_up_beside(store.path, store.clock.time(), unwanted=unwanted).path
        made, _ = back_up(store.path, target.absolute(), at=store.clock.time(), unwanted=unwanted)
        return made

    return await _on_a_thread(store, work)


async def back_up_sometimes(store: Store) -> bool:
    """Make the backup of the day, if it is time for it; a piece of `upkeep`, which is never more than one."""
    now = store.clock.monotonic()
    if not store.backups or store.health.stops_work or now < store.backup_look_at:
        return False
    store.backup_look_at = now + LOOK_SECONDS

    def work(unwanted: Callable[[], bool]) -> Backup | None:
        return back_up_daily(store.path, store.clock.time(), unwanted=unwanted)

    try:
        made = await _on_a_thread(store, work)
    except Damaged:
        pass  # which is a condition by now, and nothing is written any more
    except StoreError as error:
        message = f"no automatic backup of {store.path} can be made: {error}"
        store.health.report("no-backup", message, stops_work=False)
    else:
        store.health.clear("no-backup")
        if made is not None:
            logger.info("backed up to %s", made.path)
    return False


async def _on_a_thread(store: Store, work: Callable[[Callable[[], bool]], T]) -> T:
    """Once nobody waits for it any more, the thread gives up soon, by itself."""
    gone = threading.Event()

    def watched() -> T:
        store.check_file()
        try:
            return work(gone.is_set)
        except Unsound as unsound:
            damaged = damaged_now(store.path, str(unsound.why))
            store.writer.recovery.report(damaged)
            raise damaged from unsound

    try:
        return await once(watched)
    except asyncio.CancelledError:
        gone.set()
        raise
