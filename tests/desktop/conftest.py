"""For all tests of the program without its window."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _only_told(only_told: None) -> None:
    """What is waited for here has to be told, and may take its time."""
