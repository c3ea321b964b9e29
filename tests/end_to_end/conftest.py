"""Tests with whole processes. The campaign is a program of its own, so its modules lie here side by side."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from puppets import Stage

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def _only_told(only_told: None) -> None:
    """What is waited for in this process has to be told; the programs see to that themselves."""


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A file, and the processes on it that the test makes; killed in the end."""
    import puppets

    with puppets.stage(tmp_path) as made:
        yield made
