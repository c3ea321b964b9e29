"""Does the computer run on mains? Asked on a thread: a process of the system's may have to be started."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

__all__ = ["SUPPLIES", "on_mains"]

SUPPLIES = Path("/sys/class/power_supply")


def on_mains(supplies: Path = SUPPLIES) -> bool:
    """Whether this computer need not spare a battery; True where that cannot be told.

    Args:
        supplies: where Linux shows them (Documentation/ABI/testing/sysfs-class-power); used only there.
    """
    if sys.platform == "win32":
        return _windows()
    if sys.platform == "darwin":
        return _macos()
    return _linux(supplies)


def _linux(supplies: Path) -> bool:
    """As systemd has it: a supply that is plugged in, or else no battery that is being emptied."""
    emptied = False
    try:
        found = sorted(supplies.iterdir())
    except OSError:
        return True
    for each in found:
        if _read(each / "scope") == "Device":
            continue  # of a mouse, a headset
        if _read(each / "type") == "Battery":
            emptied = emptied or _read(each / "status") == "Discharging"
        elif _read(each / "online") == "1":
            return True
    return not emptied


def _read(file: Path) -> str:
    with suppress(OSError, ValueError):
        return file.read_text("utf-8").strip()
    return ""


def _windows() -> bool:
    """GetSystemPowerStatus: its first byte is 0 on battery, 1 on mains, 255 unknown. Untested."""
    status = (ctypes.c_ubyte * 12)()
    windll = getattr(ctypes, "windll", None)
    if windll is None or not windll.kernel32.GetSystemPowerStatus(ctypes.byref(status)):
        return True
    return status[0] != 0


def _macos() -> bool:
    """`pmset -g batt` begins with: Now drawing from 'AC Power'. Untested."""
    try:
        done = subprocess.run(["pmset", "-g", "batt"], capture_output=True, text=True, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return True
    return "'Battery Power'" not in done.stdout
