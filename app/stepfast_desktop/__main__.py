"""`stepfast`, and `python -m stepfast_desktop`: the window, or a command, with the workflows shipped."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from stepfast import Definition
from stepfast.processes.entry import serve_if_asked
from stepfast_desktop.allocator import give_memory_back
from stepfast_desktop.cli import main as command_line
from stepfast_desktop.display import dead_display
from stepfast_desktop.instance.launching import Launch
from stepfast_desktop.workflows import ALL

__all__ = ["main"]

# A step passes from the loop to the thread that writes and back, and beside a step that computes on a thread
# each hand-over waits for Python's lock as long as this: 5 ms by default, which made 20 ms a step (measured).
SWITCH_SECONDS = 0.0005

COMMANDS = "The commands need none of this: see stepfast --help"


def main() -> int:
    """What the installed program calls; it ends with what this returns."""
    serve_if_asked()  # of a frozen program: it is started once more for each step that is to have a process
    sys.setswitchinterval(SWITCH_SECONDS)
    return command_line(definitions=ALL, window=_window)


def _window(
    definitions: Sequence[Definition[..., Any]], folder: Path | None, command: str, launch: Launch
) -> int:
    if missing := _missing():
        print(f"stepfast: {missing}. {COMMANDS}", file=sys.stderr)
        return 2
    # What is imported and made from here on stays, and to go through it again and again is for nothing.
    # The window has a collector of its own, which begins once all of this is there.
    gc.disable()
    give_memory_back()
    # Not before it is wanted: a command starts in a sixth of a second, and needs no Qt.
    from stepfast_desktop.bootstrap import run_window

    return run_window(definitions, folder, command, launch)


def _missing() -> str | None:
    """What keeps a window from being opened here, in a sentence without its stop."""
    if find_spec("PySide6") is None or find_spec("qasync") is None:
        return "the window needs Qt; install it with: pip install 'stepfast[desktop]'"
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform.startswith("linux") and not any(os.environ.get(each) for each in displays):
        return "there is no display for the window to open on (DISPLAY and WAYLAND_DISPLAY are not set)"
    if sys.platform.startswith("linux") and (display := dead_display(os.environ)):
        return f"there is no display for the window to open on (nothing answers at DISPLAY {display})"
    return None


if __name__ == "__main__":
    sys.exit(main())
