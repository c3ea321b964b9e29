"""The commands that can be typed.

`start` is read twice: first as far as the name, then, by a parser made from the definition of that
name, the rest. So its inputs have their own help, and a wrong name is answered by the right ones.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeAlias

from stepfast import Definition
from stepfast.state import STATES
from stepfast.values.durations import read_duration

from .inputs import inputs_parser
from .parser import Parser, add_place, add_start_options
from .place import UsageError

__all__ = ["CHANGES", "commands_of", "newest", "parse", "place_of"]

CHANGES = {
    "pause": "stop at the next point where it can, until it is resumed",
    "resume": "go on with what was paused",
    "cancel": "end it; what its finished steps did stays done",
    "continue-anyway": "go on with the newest definition of its name here, though it does not accept it",
    "retry": "carry on with one that failed or was cancelled, from its last finished step",
    "delete": "forget one that has finished; files that it made stay",
}
SERVICE_VERBS = ("install", "status", "remove")

_Add: TypeAlias = Callable[..., argparse.ArgumentParser]
"""Adds a command: its name, what it does in a few words, and what else its parser is made with."""


def parse(argv: Sequence[str], definitions: Mapping[str, Definition[Any, Any]]) -> argparse.Namespace:
    """What was typed; `command` is None for the window. Ends the program by `SystemExit` for help and for
    usage that fits nothing.

    For `start`, `definition` is the one that is meant, and its inputs are read by `inputs.request_of`.
    """
    parser, commands = _parser(definitions)
    asked, unknown = parser.parse_known_args(argv)
    if unknown and asked.command == "start":
        raise UsageError(f"{unknown[0]} stands before the name; it is: stepfast start NAME --INPUT VALUE ...")
    if unknown:
        commands.get(asked.command, parser).error(f"unrecognized arguments: {' '.join(unknown)}")
    if asked.command == "start":
        names = ", ".join(sorted(definitions)) or "none"
        if asked.name is None:
            raise UsageError(f"start which workflow? There are: {names}")
        if asked.name not in definitions:
            raise UsageError(f"there is no workflow called {asked.name!r}; there are: {names}")
        asked.definition = definitions[asked.name]
        inputs_parser(asked.definition).parse_args(asked.inputs, asked)
    return asked


def place_of(argv: Sequence[str]) -> tuple[str | None, list[str]]:
    """`--data` and each `--load`, wherever they stand: they say which definitions there are to read about."""
    early = Parser(add_help=False, usage="stepfast [--data DIR] [--load MODULE:ATTRIBUTE] [COMMAND ...]")
    early.add_argument("--data")
    early.add_argument("--load", action="append", default=[])
    asked, _ = early.parse_known_args(argv)
    return asked.data, asked.load


def commands_of(definitions: Mapping[str, Definition[Any, Any]]) -> list[str]:
    """The names of the commands."""
    return list(_parser(definitions)[1])


def newest(definitions: Sequence[Definition[Any, Any]]) -> dict[str, Definition[Any, Any]]:
    """The definitions by name; of several versions the last, which is what one starts."""
    return {each.name: each for each in sorted(definitions, key=lambda each: each.version)}


def _parser(
    definitions: Mapping[str, Definition[Any, Any]],
) -> tuple[Parser, Mapping[str, argparse.ArgumentParser]]:
    """The whole one, and that of each command."""
    parser = Parser(
        prog="stepfast",
        description="Long tasks that survive a crash: start one, and carry on from its last finished step.",
        epilog="Each says more of itself: stepfast COMMAND --help. Exit codes are in docs/command-line.md.",
    )
    parser.add_argument("--version", action=_SayVersion, help="show program's version number and exit")
    add_place(parser)
    # SUPPRESS: else the default of the option behind the command undoes the one given before it.
    shared = Parser(add_help=False)
    add_place(shared, argparse.SUPPRESS)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")

    def add(name: str, help: str, **options: Any) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=help, description=_sentence(help), parents=[shared], **options)

    _add_beginning(add, definitions)
    _add_looking(add)
    _add_asking(add)
    _add_working(add)
    _add_keeping(add)
    return parser, commands.choices


def _add_beginning(add: _Add, definitions: Mapping[str, Definition[Any, Any]]) -> None:
    opening = add("window", "open the window, or bring the one that is open to the front")
    opening.add_argument(
        "paths", nargs="*", type=_path, metavar="PATH", help="what a new workflow is to be about"
    )
    opening.add_argument("--show", metavar="ID", help="show this workflow")
    opening.add_argument(
        "--hidden", action="store_true", help="out of the way: in the tray where there is one, else minimised"
    )
    start = add(
        "start",
        "start a workflow, or go on with the same one after a crash",
        usage="stepfast start NAME --INPUT VALUE ... [--id ID] [--wait] [--data DIR]",
        epilog="\n".join(["workflows (see: stepfast start NAME --help)", *_titles(definitions)]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_start_options(start)
    start.add_argument("name", nargs="?", metavar="NAME", help="which workflow")
    start.add_argument("inputs", nargs=argparse.REMAINDER, metavar="--INPUT VALUE", help="its inputs")


def _add_looking(add: _Add) -> None:
    listing = add("list", "list the workflows, pending ones first")
    listing.add_argument(
        "--state",
        action="append",
        choices=STATES,
        metavar="STATE",
        default=[],
        help=f"only those in this state; may be given more than once ({', '.join(STATES)})",
    )
    listing.add_argument("--json", action="store_true", help="as a JSON array")
    showing = add("show", "show all that is known of a workflow")
    showing.add_argument("id", metavar="ID")
    showing.add_argument("--json", action="store_true", help="as a JSON object")


def _add_asking(add: _Add) -> None:
    for name, help in CHANGES.items():
        add(name, help).add_argument("ids", metavar="ID", nargs="+")
    answering = add("answer", "give a workflow what it waits for")
    answering.add_argument("id", metavar="ID")
    answering.add_argument("key", metavar="KEY", help="what it asks for, as `show` names it")
    answering.add_argument(
        "json", metavar="JSON", nargs="?", help="the value as JSON; a text needs quotes: '\"yes\"'"
    )
    of_a_step = answering.add_mutually_exclusive_group()
    of_a_step.add_argument(
        "--again", action="store_true", help="KEY is a step that was interrupted: it did not happen, run it"
    )
    of_a_step.add_argument(
        "--give-up", action="store_true", help="KEY is a step that was interrupted: the workflow fails"
    )
    again = add("rerun", "run one again from a step on, as a new workflow; the old one stays as it was")
    again.add_argument("id", metavar="ID")
    again.add_argument("step", metavar="STEP", help="a step that it has recorded, or the one that it is at")
    again.add_argument(
        "--new-id", metavar="ID", help="of the new one (default: the old one's and a random end)"
    )


def _add_working(add: _Add) -> None:
    working = add("work", "carry workflows out, without a window")
    ending = working.add_mutually_exclusive_group()
    ending.add_argument("--until-idle", action="store_true", help="end once there is nothing left to do here")
    ending.add_argument(
        "--background",
        action="store_true",
        help="be the one that the window starts and stops; end once nothing is to come, at a later time even",
    )
    serving = add("service", "run `stepfast work` at each login: install it, look at it, remove it")
    serving.add_argument("verb", choices=SERVICE_VERBS, metavar="|".join(SERVICE_VERBS), help="what to do")
    serving.add_argument(
        "--boot", action="store_true", help="with install, on Linux: from when the machine starts"
    )


def _add_keeping(add: _Add) -> None:
    sweeping = add("sweep", "delete old finished workflows, by the settings or as said here")
    sweeping.add_argument(
        "--older-than", metavar="DURATION", type=_age, help="those that finished so long ago: 30d, 12h"
    )
    sweeping.add_argument("--keep", metavar="NUMBER", type=_number, help="all but the last so many")
    copying = add("backup", "copy the file, whoever writes to it meanwhile")
    copying.add_argument("target", metavar="TARGET", type=_path, help="where to: a new file, or a folder")
    exporting = add("export", "write every workflow, with what is recorded of it, as a line of JSON")
    exporting.add_argument(
        "target", metavar="TARGET", type=_path, nargs="?", help="a new file (default: stdout)"
    )
    restoring = add("restore", "put a backup in the place of a file that is damaged, which is set aside")
    restoring.add_argument(
        "backup",
        metavar="BACKUP",
        type=_path,
        nargs="?",
        help="which (default: the newest one that is whole)",
    )
    restoring.add_argument(
        "--yes", action="store_true", help="do it; without this, only say what it would do"
    )
    add("doctor", "print versions and paths, and check the file and its backups")


def _titles(definitions: Mapping[str, Definition[Any, Any]]) -> list[str]:
    width = max(map(len, definitions), default=0)
    return [
        f"  {name:{width}}  {each.title}".replace("%", "%%") for name, each in sorted(definitions.items())
    ]


def _path(typed: str) -> Path:
    if not typed:
        # What an unset shell variable was to name.
        raise argparse.ArgumentTypeError("it is empty, and names no file")
    return Path(typed).absolute()


def _age(typed: str) -> timedelta:
    try:
        age = read_duration(typed)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if age < timedelta(0):
        raise argparse.ArgumentTypeError("an age is not below zero")
    return age


def _number(typed: str) -> int:
    if not typed.isdecimal():
        raise argparse.ArgumentTypeError(f"{typed!r} is no whole number from 0 up")
    return int(typed)


def _sentence(help: str) -> str:
    return f"{help[0].upper()}{help[1:]}."


class _SayVersion(argparse.Action):
    """argparse's own reads it at every start, for a hundredth of a second; this one, when it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, **given: Any) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, default=argparse.SUPPRESS, **given)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"stepfast {_version()}")
        parser.exit()


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("stepfast")
    except PackageNotFoundError:
        return "(not installed: it runs from its source)"
