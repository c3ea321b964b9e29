"""What all tests share."""

from __future__ import annotations

import gc


def pytest_collection_finish() -> None:
    """What is there before the first test is no test's, so no collection need look at it again.

    Many tests collect what they left behind, to hear what it has to say; with all that pytest, Qt and the
    tests themselves are made of, each took 60 ms, a third of the time of all tests.
    """
    gc.collect()
    gc.freeze()
