"""A file, and processes that are owners of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from children import Starter, children

# As in tests/store/conftest.py: with importlib as the import mode, shared modules are found only this way.
sys.path.insert(0, str(Path(__file__).parent))

PREAMBLE = """
from stepfast.system import locks
from stepfast.errors import StoreUnavailable
from stepfast.system.locks import probe
from stepfast.sqlite.engines.owners import Presence
database = sys.argv[1]
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "work.db"


@pytest.fixture
def start(database: Path) -> Iterator[Starter]:
    with children(PREAMBLE) as starter:
        yield lambda script, *arguments: starter(script, database, *arguments)
