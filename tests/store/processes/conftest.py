"""Processes that steps are asked to run in, none of which is left, and programs that own some."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import process_effects as effects
import pytest
from children import Starter, children

# As in tests/store/conftest.py: with importlib as the import mode, shared modules are found only this way.
sys.path.insert(0, str(Path(__file__).parent))

from asking_processes import Asked

HERE = str(Path(effects.__file__).parent)
OWNER = f"""
sys.path.insert(0, {HERE!r})
import asyncio, functools, time
import process_effects as effects
from stepfast.processes.running import Processes
async def step(effect, *arguments, owner=""):
    return await Processes().run(
        functools.partial(effect, *arguments), name="s", owner=owner,
        log=print, progress=print, bookmarked=print,
    )
"""


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture(autouse=True)
def no_survivors() -> Iterator[None]:
    with effects.none_left():
        yield


@pytest.fixture
def start() -> Iterator[Starter]:
    with children(OWNER) as starter:
        yield starter
