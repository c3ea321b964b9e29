"""What a program's main module has to do with the processes of steps; what runs in them is `child`.

Asked by every program that starts, so it imports next to nothing.
"""

from __future__ import annotations

import sys
import threading

from stepfast.errors import DefinitionError

__all__ = ["MARK", "check_not_loading", "loading", "serve_if_asked"]

MARK = "--stepfast-step"
"""The first argument of a program that is to be the process of a step."""

loading = threading.Event()
"""Set while a program's main module is imported for a step in it."""


def serve_if_asked() -> None:
    """For a frozen program (PyInstaller and such), first thing in its `main`.

    A step with `where="process"` starts such a program once more, as there is no `python` to be started.
    Does nothing in a program that was started for any other reason; otherwise it does not return.
    """
    if sys.argv[1:2] == [MARK]:
        from stepfast.processes.child import main

        main()


def check_not_loading() -> None:
    """Raise where a program's main module does its work, though it was only imported for a step."""
    if loading.is_set():
        raise DefinitionError(
            "the program's main module was imported to find a step in it, and ran: what it does belongs "
            'under `if __name__ == "__main__":`, or the step into a module of its own'
        )
