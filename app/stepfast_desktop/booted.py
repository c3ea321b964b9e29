"""When the computer was started, and whether this is the first launch since then."""

from __future__ import annotations

import ctypes
import sys
import time
from datetime import UTC, datetime

from stepfast.sqlite.engines.owners import boot_id
from stepfast_desktop.settings import Settings

__all__ = ["is_first_launch", "started_at"]

SAME_SECONDS = 300.0


def started_at() -> datetime:
    """When the computer was started, as its clock has it now."""
    return datetime.fromtimestamp(time.time() - _seconds_since(), UTC)


def is_first_launch(settings: Settings) -> bool:
    """Whether the settings are of an earlier start of the computer; from now on they are of this one.

    False at the very first launch.
    """
    name, moment = boot_id(), started_at().timestamp()
    kept = settings.get("boot")
    known = isinstance(kept, dict) and isinstance(kept.get("at"), int | float)
    if known and ((name and kept.get("id") == name) or abs(kept["at"] - moment) < SAME_SECONDS):
        return False
    settings.put("boot", {"id": name, "at": round(moment)})
    return known


def _seconds_since() -> float:
    if sys.platform == "win32":
        return ctypes.windll.kernel32.GetTickCount64() / 1000.0
    # What counts while the computer sleeps, too: CLOCK_MONOTONIC does so on macOS only.
    clock = time.CLOCK_BOOTTIME if sys.platform == "linux" else time.CLOCK_MONOTONIC
    return time.clock_gettime(clock)
