"""Has the engine's own threads stop for a moment at random lines, so that what depends on luck shows.

    STEPFAST_SHAKE=0.02 .venv/bin/python -m pytest -n 2 tests/store tests/desktop

Any two threads may meet at any line; on a machine that is not busy they meet at the same few. Here a thread
of the engine sleeps for up to `LONGEST` seconds at each line with that probability, and the loop goes on
meanwhile. A test that fails by it takes something for granted that no machine promises, or the engine does.
The moments are drawn from `STEPFAST_SHAKE_SEED` (0 by default); what comes of them depends on the machine
as well.
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

__all__ = ["shake"]

LONGEST = 0.004


def shake(probability: float) -> None:
    """Shake the threads that are started from now on."""
    rng = Random(int(os.environ.get("STEPFAST_SHAKE_SEED", "0")))
    engine = str(Path(stepfast.__file__).parent)

    def at_a_line(_frame: FrameType, event: str, _about: Any) -> Callable[..., Any]:
        if event == "line" and rng.random() < probability:
            time.sleep(rng.random() * LONGEST)
        return at_a_line

    def at_a_call(frame: FrameType, _event: str, _about: Any) -> Callable[..., Any] | None:
        return at_a_line if frame.f_code.co_filename.startswith(engine) else None

    threading.settrace(at_a_call)
