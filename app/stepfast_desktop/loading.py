"""Definitions of a person's own: `--load MODULE:ATTRIBUTE`, and where that is remembered.

It is remembered in the user's own settings, for one data folder, never in the folder or the file: opening
somebody else's folder runs nothing.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from stepfast import Definition, InvalidInput

__all__ = ["load", "load_all"]


def load(reference: str) -> tuple[Definition[..., Any], ...]:
    """The definition, or the list of them, that `MODULE:ATTRIBUTE` names.

    The current folder is looked in too, as `python -m` does.

    Raises `InvalidInput` where the reference leads to nothing that can be run, saying how far it led. That is
    also what becomes of anything that the module itself raises while it is imported.
    """
    module_name, colon, attribute = reference.partition(":")
    if not (colon and module_name and attribute):
        raise InvalidInput(
            f"{reference!r} names no definition; write MODULE:ATTRIBUTE, such as mytasks:publish"
        )
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise InvalidInput(
            f"{module_name!r} of --load {reference} cannot be imported: {_what_went_wrong(error)}"
        ) from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise InvalidInput(f"{module_name!r} has no {attribute!r}, which --load {reference} asks for")
        found = getattr(found, part)
    definitions = tuple(found) if isinstance(found, Iterable) else (found,)
    for each in definitions:
        if not isinstance(each, Definition):
            raise InvalidInput(
                f"{reference} is of type {type(found).__name__}; --load wants what @workflow made, or a list"
            )
    return definitions


def load_all(references: Iterable[str]) -> list[Definition[..., Any]]:
    """What all of them name, each definition once."""
    found: dict[tuple[str, int], Definition[..., Any]] = {}
    for reference in references:
        for each in load(reference):
            found[each.name, each.version] = each
    return [*found.values()]


def _what_went_wrong(error: BaseException) -> str:
    """What a module raised, and the last of its lines that led there."""
    if isinstance(error, ImportError | SyntaxError):
        return str(error)
    if isinstance(error, SystemExit):
        return f'it ends the program ({error}); that belongs under `if __name__ == "__main__":`'
    lines = [each for each in traceback.extract_tb(error.__traceback__) if each.name == "<module>"]
    where = f" ({Path(lines[-1].filename).name}, line {lines[-1].lineno})" if lines else ""
    return f"{type(error).__name__}: {error}{where}"
