"""What starts the processes of these tests, which know locks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from children import Starter, children

PREAMBLE = """
from stepfast.system import locks
from stepfast.system.locks import FileLock, LockState, probe
path = sys.argv[1]
"""


@pytest.fixture
def start() -> Iterator[Starter]:
    with children(PREAMBLE) as starter:
        yield starter
