"""What tests of backups share: something to copy, and whether a copy is whole."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from stepfast import Run, workflow

__all__ = ["filler", "is_whole", "rows"]


@workflow("filler")
async def filler(run: Run, size: int = 100) -> str:
    first = await run.step("first", lambda: "x" * size)
    await run.step("second", lambda: "y" * size)
    return first[:1]


def rows(path: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return connection.execute(sql).fetchall()


def is_whole(copy: Path) -> bool:
    """No page and no half of any commit is missing."""
    halves = "SELECT (SELECT count(*) FROM stepfast_workflows), (SELECT count(*) FROM stepfast_payloads)"
    ((workflows, payloads),) = rows(copy, halves)
    return rows(copy, "PRAGMA integrity_check") == [("ok",)] and workflows == payloads
