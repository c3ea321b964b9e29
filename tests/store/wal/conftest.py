"""A file with a table, an engine on it, and less time for everything."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from children import Starter, children

from stepfast import migrate
from stepfast.sqlite.log import wal

# As in tests/store/conftest.py: with importlib as the import mode, shared modules are found only this way.
sys.path.insert(0, str(Path(__file__).parent))

from watching_log import Engine, Quick, Watched


@pytest.fixture
def starter() -> Iterator[Starter]:
    with children("") as start:
        yield start


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "work.db"
    migrate(file)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE mine (n INTEGER PRIMARY KEY, text TEXT)")
    return file


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Quick:
    """Less time for everything; may be changed."""
    real = wal.Pace

    def change(**seconds: float) -> None:
        pace = real(**seconds)
        monkeypatch.setattr(wal, "Pace", lambda: pace)

    change(idle=0.05, first_try=0.05, last_try=0.2, old=0.3, old_if_large=0.1)
    return change


@pytest.fixture
async def engine(path: Path, quick: Quick) -> Any:
    made = Engine(path)
    yield made
    await made.close()


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(monkeypatch)
