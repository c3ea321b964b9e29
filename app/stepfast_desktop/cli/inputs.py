"""The inputs of `start`: options made from a definition's signature, and the request that they make."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from enum import Enum
from getpass import getpass
from typing import Any, NoReturn

from stepfast import Definition, InvalidInput, Request
from stepfast.definitions.annotations import json_of
from stepfast.definitions.parameters import Parameter, from_text
from stepfast_desktop.viewmodels.starting.entering import made_absolute

from .parser import Parser, add_place, add_start_options
from .place import UsageError
from .words import value_of

__all__ = ["inputs_parser", "request_of"]

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


def inputs_parser(definition: Definition[Any, Any]) -> Parser:
    """What reads the inputs of `definition`, and the options that stand behind them."""
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
    add_start_options(common)
    add_place(common, argparse.SUPPRESS)
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
            values[parameter.name] = made_absolute(read)
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
