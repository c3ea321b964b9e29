"""What every parser of ours is, and the options that stand behind every command."""

from __future__ import annotations

import argparse
import sys
from typing import Any, NoReturn

__all__ = ["Parser", "add_place", "add_start_options"]


class Parser(argparse.ArgumentParser):
    """argparse's, speaking as the rest of the program does, and guessing no options."""

    def __init__(self, **options: Any) -> None:
        # An abbreviation that works today is ambiguous, in somebody's script, after the next release.
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(2, f"stepfast: {message}\n")


def add_place(parser: argparse.ArgumentParser | argparse._ArgumentGroup, default: object = None) -> None:
    """Add `--data` and `--load`, which say where to look and what there is to start."""
    parser.add_argument(
        "--data",
        metavar="DIR",
        default=default,
        help="the folder that holds the file (default: STEPFAST_DATA, else the user's own)",
    )
    parser.add_argument(
        "--load",
        metavar="MODULE:ATTRIBUTE",
        action="append",
        default=default,
        help="a workflow of your own, or a list of them; `work` and the window remember it for this folder",
    )


def add_start_options(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add what may be said of a workflow that is started, whatever its inputs are."""
    parser.add_argument(
        "--id", metavar="ID", help="a name of your own: the same id never starts a second one"
    )
    parser.add_argument("--wait", action="store_true", help="carry it out here, and end when it has finished")
