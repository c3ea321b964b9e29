"""A plugin: the engine's own threads stop for a moment at random lines, so that what depends on luck shows.

    PYTHONPATH=tests .venv/bin/python -m pytest -p shaking -n 2 tests/store tests/desktop tests/gui

Any two threads may meet at any line; on a machine that is not busy they meet at the same few. Here a
thread of the engine sleeps for up to `LONGEST` seconds at a line with the probability `STEPFAST_SHAKE`
(0.01), and the loop goes on meanwhile. A test that fails by it takes something for granted that no
machine promises, or the engine does. The lines are drawn from `STEPFAST_SHAKE_SEED` (0); what comes of
them depends on the machine as well.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import stepfast

LONGEST = 0.004
PROBABILITY = float(os.environ.get("STEPFAST_SHAKE", "0.01"))
ENGINE = str(Path(stepfast.__file__).parent)

rng = Random(int(os.environ.get("STEPFAST_SHAKE_SEED", "0")))


def at_a_line(_frame: FrameType, event: str, _about: Any) -> Callable[..., Any]:
    if event == "line" and rng.random() < PROBABILITY:
        time.sleep(rng.random() * LONGEST)
    return at_a_line


def at_a_call(frame: FrameType, _event: str, _about: Any) -> Callable[..., Any] | None:
    return at_a_line if frame.f_code.co_filename.startswith(ENGINE) else None


threading.settrace(at_a_call)  # those that are started from now on
