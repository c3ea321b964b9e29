"""`stepfast`, and `python -m stepfast_desktop`: the command line with the workflows that are shipped."""

from __future__ import annotations

import sys

from stepfast_desktop.cli import main as command_line
from stepfast_desktop.workflows import ALL

__all__ = ["main"]


def main() -> int:
    """What the installed program calls; it ends with what this returns."""
    return command_line(definitions=ALL)


if __name__ == "__main__":
    sys.exit(main())
