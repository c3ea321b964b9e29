"""What the file needs now and then, in pieces that delay nobody: index, tombstones, free pages, backups."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Awaitable, Callable

from stepfast.sqlite.care.daily import back_up_sometimes
from stepfast.sqlite.reading.search import index_search
from stepfast.sqlite.store import Store
from stepfast.sqlite.writing.writer import WriteTurn

__all__ = ["upkeep"]

# Views ask what changed many times a second. One that was stopped for longer than this reads its list anew.
TOMBSTONE_SECONDS = 86_400.0
TOMBSTONES_KEPT = 10_000
TOMBSTONES_AT_ONCE = 500

# Free pages are used again by what comes next, so only those go that nothing may come for.
FREE_PAGES = 1024
FREE_SHARE = 4
PAGES_AT_ONCE = 64
MOST_SECONDS = 0.003

# The last of the oldest that may go: those of a day ago, or all but the last 10,000.
OLD_TOMBSTONE = """
SELECT max(change) FROM (SELECT change, deleted_at FROM stepfast_tombstones ORDER BY change LIMIT :limit)
 WHERE deleted_at <= :before
    OR change <= (SELECT change FROM stepfast_tombstones ORDER BY change DESC LIMIT 1 OFFSET :kept)
"""
DROP_TOMBSTONES = "DELETE FROM stepfast_tombstones WHERE change <= :change"
MOVE_HORIZON = "UPDATE stepfast_meta SET horizon = max(horizon, :change)"


async def upkeep(store: Store) -> bool:
    """`Durable.upkeep`: one piece of each, then ask whether there is more."""
    more = [await piece(store) for piece in PIECES]
    return any(more)


async def drop_tombstones(store: Store) -> bool:
    """Forget what was deleted long ago; `changes` from before that is a `Reset` from this commit on."""
    asked = {
        "before": store.clock.time() - TOMBSTONE_SECONDS,
        "kept": TOMBSTONES_KEPT,
        "limit": TOMBSTONES_AT_ONCE,
    }

    def look(connection: sqlite3.Connection) -> int | None:
        change: int | None
        (change,) = connection.execute(OLD_TOMBSTONE, asked).fetchone()
        return change

    change = await store.readers.run(look)
    if change is None:
        return False

    def act(turn: WriteTurn) -> None:
        turn.execute(DROP_TOMBSTONES, {"change": change})
        turn.execute(MOVE_HORIZON, {"change": change})

    await store.writer.do(act, last=True)
    return True


async def give_back_space(store: Store) -> bool:
    """Hand a few free pages to the disk, where more than a quarter of the file is free.

    Only where the file was made by us: `auto_vacuum` cannot be turned on in one that has tables already.
    """

    def look(connection: sqlite3.Connection) -> bool:
        vacuum, free, pages = (
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("auto_vacuum", "freelist_count", "page_count")
        )
        return bool(vacuum == 2 and free > max(FREE_PAGES, pages / FREE_SHARE))

    def act(turn: WriteTurn) -> None:
        until = time.perf_counter() + MOST_SECONDS
        for _ in range(PAGES_AT_ONCE):
            # One page: of a statement that moves many, Python carries out the first step and no other.
            turn.execute("PRAGMA incremental_vacuum(1)")
            if time.perf_counter() > until:
                return

    if not await store.readers.run(look):
        return False
    await store.writer.do(act, last=True)
    return await store.readers.run(look)


PIECES: tuple[Callable[[Store], Awaitable[bool]], ...] = (
    index_search,
    drop_tombstones,
    give_back_space,
    back_up_sometimes,
)
