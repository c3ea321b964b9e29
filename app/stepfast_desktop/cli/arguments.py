"""The arguments: the commands that there are, and the inputs that a definition's signature asks for.

`start` is read twice: first as far as the name, then, by a parser made from the definition of that
name, the rest. So its inputs have their own help, and a wrong name is answered by the right ones.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import timedelta
from enum import Enum
from getpass import getpass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NoReturn

from stepfast import Definition, InvalidInput, Request
from stepfast.annotations import json_of
from stepfast.durations import read_duration
from stepfast.parameters import Parameter, from_text
from stepfast.state import STATES

from .commands import UsageError
from .words import value_of

__all__ = ["CHANGES", "commands_of", "newest", "parse", "place_of", "request_of"]

CHANGES = {
    "pause": "stop at the next point where it can, until it is resumed",
    "resume": "go on with what was paused",
    "cancel": "end it; what its finished steps did stays done",
    "continue-anyway": "go on with the newest definition of its name here, though it does not accept it",
    "retry": "carry on with one that failed or was cancelled, from its last finished step",
    "delete": "forget one that has finished; files that it made stay",
}
SERVICE_VERBS = ("install", "status", "remove")
METAVARS = {
    "path": "PATH",
    "int": "NUMBER",
    "float": "NUMBER",
    "decimal": "NUMBER",
    "list": "JSON",
    "json": "JSON",
}
SELF_EVIDENT = ("bool", "choice", "path", "text", "int", "float")
TAKEN = ("id", "wait", "data", "load", "help")  # options of ours that an input may have the name of
VARIABLE = "-from"  # behind the name of a secret: the name of a variable that has it
INPUT = "input "  # no option of ours has a space in its name, so inputs cannot collide with them
LOAD_HELP = "a workflow of your own, or a list of them; `work` and the window remember it for this folder"
DATA_HELP = "the folder that holds the file (default: STEPFAST_DATA, else the user's own)"


class Parser(argparse.ArgumentParser):
    """argparse's, speaking as the rest of the program does, and guessing no options."""

    def __init__(self, **options: Any) -> None:
        # An abbreviation that works today is ambiguous, in somebody's script, after the next release.
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(2, f"stepfast: {message}\n")


def parse(argv: Sequence[str], definitions: Mapping[str, Definition[Any, Any]]) -> argparse.Namespace:
    """What was typed; `command` is None for the window. Ends the program by `SystemExit` for help and for
    usage that fits nothing.

    For `start`, `definition` is the one that is meant, and its inputs are read by `request_of`.
    """
    parser, _ = _parser(definitions)
    asked, unknown = parser.parse_known_args(argv)
    if unknown and asked.command == "start":
        raise UsageError(f"{unknown[0]} stands before the name; it is: stepfast start NAME --INPUT VALUE ...")
    if unknown:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    if asked.command == "start":
        names = ", ".join(sorted(definitions)) or "none"
        if asked.name is None:
            raise UsageError(f"start which workflow? There are: {names}")
        if asked.name not in definitions:
            raise UsageError(f"there is no workflow called {asked.name!r}; there are: {names}")
        asked.definition = definitions[asked.name]
        _inputs_parser(asked.definition).parse_args(asked.inputs, asked)
    return asked


def place_of(argv: Sequence[str]) -> tuple[str | None, list[str]]:
    """`--data` and each `--load`, wherever they stand: they say which definitions there are to read about."""
    early = Parser(add_help=False)
    early.add_argument("--data")
    early.add_argument("--load", action="append", default=[])
    asked, _ = early.parse_known_args(argv)
    return asked.data, asked.load


def commands_of(definitions: Mapping[str, Definition[Any, Any]]) -> list[str]:
    """The names of the commands."""
    return _parser(definitions)[1]


def newest(definitions: Sequence[Definition[Any, Any]]) -> dict[str, Definition[Any, Any]]:
    """The definitions by name; of several versions the last, which is what one starts."""
    return {each.name: each for each in sorted(definitions, key=lambda each: each.version)}


def request_of(asked: argparse.Namespace, prompt: Callable[[str], str] = getpass) -> Request[Any]:
    """The request that the inputs of `start` make; a secret is asked for by `prompt`, which does not show it.

    Raises `InvalidInput` where one does not fit, `UsageError` where there is nobody to be asked.
    """
    definition: Definition[Any, Any] = asked.definition
    values = {}
    for parameter in definition.parameters:
        if parameter.kind == "secret":
            if (
                secret := _secret(parameter, getattr(asked, INPUT + parameter.name, None), prompt)
            ) is not None:
                values[parameter.name] = secret
            continue
        typed = getattr(asked, INPUT + parameter.name, None)
        if typed is not None:
            read = typed if isinstance(typed, bool) else from_text(parameter, typed)
            values[parameter.name] = _absolute(read)
    return definition.request(values)


def _secret(parameter: Parameter, variable: str | None, prompt: Callable[[str], str]) -> object:
    """A secret from the variable that was named, else from whoever types; None for one that is left out."""
    if variable is not None:
        if not (text := os.environ.get(variable)):
            raise InvalidInput(f"the variable {variable}, which is to have the secret, is not set or empty")
        return from_text(parameter, text)
    if not parameter.required:
        return None
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(
            f"the input {parameter.name!r} is a secret: run this on a terminal to be asked for it, or name a "
            f"variable that has it with {_option(parameter)}{VARIABLE}"
        )
    try:
        return from_text(parameter, prompt(f"{parameter.title}: "))
    except EOFError:
        raise InvalidInput(f"the input {parameter.name!r} is missing; it needs {parameter.words}") from None


def _absolute(value: object) -> object:
    """Paths as they are meant here, since whoever carries the workflow out runs in another folder.

    Links are not resolved, and `..` stays: what they lead to is found when the path is used.
    """
    match value:
        case Path():
            return value.absolute()
        case list() | set() | frozenset():
            return type(value)(map(_absolute, value))
        case tuple():
            made = map(_absolute, value)
            return value._make(made) if hasattr(value, "_make") else tuple(made)
        case dict():
            return {_absolute(key): _absolute(item) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        given = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
        return replace(value, **{name: _absolute(item) for name, item in given.items()})
    return value


def _parser(definitions: Mapping[str, Definition[Any, Any]]) -> tuple[Parser, list[str]]:
    parser = Parser(
        prog="stepfast",
        description="Long tasks that survive a crash: start one, and carry on from its last finished step.",
        epilog="Each says more of itself: stepfast COMMAND --help. Exit codes are in docs/command-line.md.",
    )
    parser.add_argument("--version", action="version", version=f"stepfast {_version()}")
    # SUPPRESS: else the default of the option behind the command undoes the one given before it.
    shared = Parser(add_help=False)
    for each, default in ((parser, None), (shared, argparse.SUPPRESS)):
        each.add_argument("--data", metavar="DIR", default=default, help=DATA_HELP)
        each.add_argument(
            "--load", metavar="MODULE:ATTRIBUTE", action="append", default=default, help=LOAD_HELP
        )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")

    def add(name: str, help: str, **options: Any) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=help, description=_sentence(help), parents=[shared], **options)

    start = add(
        "start",
        "start a workflow, or go on with the same one after a crash",
        usage="stepfast start NAME --INPUT VALUE ... [--id ID] [--wait] [--data DIR]",
        epilog="\n".join(["workflows (see: stepfast start NAME --help)", *_titles(definitions)]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_start_options(start)
    start.add_argument("name", nargs="?", metavar="NAME", help="which workflow")
    start.add_argument("inputs", nargs=argparse.REMAINDER, metavar="--INPUT VALUE", help="its inputs")

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
    working = add("work", "carry workflows out, without a window")
    working.add_argument(
        "--until-idle", action="store_true", help="end once there is nothing left to do here"
    )
    serving = add("service", "run `stepfast work` at each login: install it, look at it, remove it")
    serving.add_argument("verb", choices=SERVICE_VERBS, metavar="|".join(SERVICE_VERBS), help="what to do")
    serving.add_argument(
        "--boot", action="store_true", help="with install, on Linux: from when the machine starts"
    )
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
    return parser, list(commands.choices)


def _inputs_parser(definition: Definition[Any, Any]) -> Parser:
    parameters = definition.parameters
    needed = [_usage(each) for each in parameters if each.required and each.kind != "secret"]
    parser = Parser(
        prog=f"stepfast start {definition.name}",
        usage=" ".join(["stepfast start", definition.name, *needed, "[OPTION ...]"]).replace("%", "%%"),
        description=_description(definition),
        argument_default=argparse.SUPPRESS,
    )
    inputs = parser.add_argument_group("inputs")
    for parameter in parameters:
        options: dict[str, Any] = {"dest": INPUT + parameter.name, "help": _help(parameter)}
        if parameter.kind == "secret":
            _add_secret(inputs, parameter, options)
            continue
        if parameter.kind == "bool":
            options["action"] = argparse.BooleanOptionalAction
        else:
            options["metavar"] = _metavar(parameter)
        inputs.add_argument(_option(parameter), required=parameter.required, **options)
    common = parser.add_argument_group("of every workflow")
    _add_start_options(common)
    common.add_argument("--data", metavar="DIR", help=DATA_HELP)
    common.add_argument("--load", metavar="MODULE:ATTRIBUTE", action="append", help=LOAD_HELP)
    return parser


def _add_secret(inputs: argparse._ArgumentGroup, parameter: Parameter, options: dict[str, Any]) -> None:
    asked = "asked for without being shown" if parameter.required else "left out"
    said = f"{options['help']}; without this option it is {asked}"
    inputs.add_argument(f"{_option(parameter)}{VARIABLE}", metavar="VARIABLE", **{**options, "help": said})
    # Only so that it is refused in words: what is typed here stands in everybody's list of processes.
    inputs.add_argument(
        _option(parameter), action=_Refused, nargs="?", dest=argparse.SUPPRESS, help=argparse.SUPPRESS
    )


class _Refused(argparse.Action):
    """A secret on the command line."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> NoReturn:
        parser.error(
            f"a secret is not given on the command line, where others can read it: leave {option_string} out "
            f"to be asked for it, or name a variable that has it with {option_string}{VARIABLE}"
        )


def _add_start_options(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    parser.add_argument(
        "--id", metavar="ID", help="a name of your own: the same id never starts a second one"
    )
    parser.add_argument("--wait", action="store_true", help="carry it out here, and end when it has finished")


def _option(parameter: Parameter) -> str:
    name = parameter.name.replace("_", "-")
    return f"--input-{name}" if name in TAKEN else f"--{name}"


def _metavar(parameter: Parameter) -> str:
    if parameter.choices:
        return "|".join(parameter.choices)
    return METAVARS.get(parameter.kind, parameter.kind.upper())


def _usage(parameter: Parameter) -> str:
    if parameter.kind == "bool":
        return f"{_option(parameter)}|--no-{_option(parameter)[2:]}"
    return f"{_option(parameter)} {_metavar(parameter)}"


def _help(parameter: Parameter) -> str:
    said = parameter.help or parameter.title
    if parameter.kind not in SELF_EVIDENT:
        said = f"{said}: {parameter.words}"
    if not parameter.required:
        said = f"{said} (default: {_default(parameter.default)})"
    return said.replace("%", "%%")


def _default(value: object) -> str:
    """A default the way one would type it."""
    return value.name if isinstance(value, Enum) else value_of(json_of(value))


def _description(definition: Definition[Any, Any]) -> str:
    return f"{definition.title}. {definition.summary}".strip().replace("%", "%%")


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


def _version() -> str:
    try:
        return version("stepfast")
    except PackageNotFoundError:
        return "(not installed: it runs from its source)"
