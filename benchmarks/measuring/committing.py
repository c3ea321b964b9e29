"""A program of somebody else's that commits a row to a file, again and again, and says how long each took."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import time
from contextlib import closing

from measuring.children import listen, say


def commit_until_told(path: str, pause: float, over: asyncio.Event) -> list[tuple[float, float]]:
    spans = []
    with closing(sqlite3.connect(path, isolation_level=None, timeout=60)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE IF NOT EXISTS theirs (n INTEGER PRIMARY KEY, text TEXT)")
        while not over.is_set():
            time.sleep(pause)
            begun = time.perf_counter()
            connection.execute("INSERT INTO theirs (text) VALUES ('a step, as long as they are')")
            spans.append((begun, time.perf_counter()))
    return spans


async def main(path: str, pause: float) -> None:
    over = asyncio.Event()
    committing = asyncio.create_task(asyncio.to_thread(commit_until_told, path, pause, over))
    async for _ in listen():
        over.set()
        say(await committing)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], float(sys.argv[2])))
