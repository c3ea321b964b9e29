"""A copy of a file that cannot be written, to be looked at: SQLite and the engine write beside what is open.

So what is on a disk that is mounted read-only, or in a folder of somebody else's, is seen as it was a moment
ago; a file of an older version too, which would have to be migrated first.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from stepfast.system.paths import default_file

__all__ = ["copied"]


@asynccontextmanager
async def copied(file: Path) -> AsyncGenerator[Path]:
    """A copy of the file in a folder of its own, which goes at the end.

    Raises `StoreError` where it cannot be read, or there is no room for it.
    """
    from stepfast.sqlite.care.copying import copy_database

    with tempfile.TemporaryDirectory(prefix="stepfast-", ignore_cleanup_errors=True) as folder:
        copy = default_file(Path(folder))
        await asyncio.to_thread(copy_database, file, copy)
        yield copy
