"""Putting the computer to sleep, or shutting it down."""

from __future__ import annotations

import asyncio
import subprocess
import sys

from stepfast_desktop.away.bus import Bus, Unreachable
from stepfast_desktop.away.waking import LOGIN
from stepfast_desktop.viewmodels.away.when_done import Choice, PowerFailed

__all__ = ["power"]


async def power(system: Bus, choice: Choice) -> None:
    """Have the computer sleep or shut down; raises `PowerFailed`.

    Linux: logind, which asks nobody where the person at the screen may do so (polkit). The commands of
    Windows and macOS are untested.
    """
    if choice == "nothing":
        return
    if sys.platform in ("win32", "darwin"):
        await asyncio.to_thread(_by_command, choice)
        return
    try:
        # True: it may ask for a password, where one is needed; that takes as long as it takes.
        method = "Suspend" if choice == "sleep" else "PowerOff"
        await system.call(LOGIN, method, "b", True, start=True, patience=120.0)
    except Unreachable as error:
        raise PowerFailed(str(error)) from error


_COMMANDS: dict[tuple[str, Choice], list[str]] = {
    ("win32", "sleep"): ["rundll32.exe", "powrprof.dll,SetSuspendState", "0,1,0"],
    ("win32", "shut-down"): ["shutdown.exe", "/s", "/t", "0"],
    ("darwin", "sleep"): ["pmset", "sleepnow"],
    ("darwin", "shut-down"): ["osascript", "-e", 'tell application "System Events" to shut down'],
}


def _by_command(choice: Choice) -> None:
    command = _COMMANDS[sys.platform, choice]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PowerFailed(str(error)) from error
    if done.returncode:
        raise PowerFailed(done.stderr.strip() or f"{command[0]} ended with {done.returncode}")
