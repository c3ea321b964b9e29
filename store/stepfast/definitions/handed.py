"""What is said where something else was handed over than a function or a request: what to write instead.

Imported when that has happened. A coroutine is closed here: nobody will await it, and Python would warn of
that besides, at some other place.
"""

from __future__ import annotations

import inspect
from typing import Any

from stepfast.definitions.definition import Definition
from stepfast.errors import DefinitionError, InvalidInput
from stepfast.passes.containing import close
from stepfast.values.plain import short

__all__ = ["described", "no_effect", "no_function", "no_request"]


def no_effect(call: str, name: object, given: object) -> DefinitionError:
    """`given` was handed over as the effect of the step `name`, and cannot be called."""
    if callable(name):
        about = _name_of(name)
        said = described(given)
        return DefinitionError(
            f"{call} got {about} where the name of the step is, and {said} as its effect; the name goes "
            f"first: {call}({about!r}, {about}, ...)"
        )
    called = inspect.iscoroutine(given)
    written = ", ".join([repr(name), *(_as_called(given) if called else ["function", "its", "arguments"])])
    return no_function(given, f"the effect of {name!r}", f"{call}({written})")


def no_function(given: object, what: str, written: str, *, plain: bool = False) -> DefinitionError:
    """`given` was handed over as `what`, and cannot be called.

    Args:
        written: what was to be written.
        plain: whether a coroutine function will not do either.
    """
    kind = "a plain function (def, not async def)" if plain else "the function itself"
    return DefinitionError(f"{what} is {described(given)}; hand over {kind}: {written}")


def described(given: object) -> str:
    """What was given, for messages; where it is a coroutine, it is closed."""
    if not inspect.iscoroutine(given):
        return f"{short(given)}, which cannot be called"
    close(given)
    return f"the coroutine of {given.__name__}(), which was called already"


def no_request(given: object, call: str) -> InvalidInput:
    """`given` was handed to `call`, which takes what calling a definition gives."""
    if isinstance(given, Definition):
        name = given.body.__name__
        return InvalidInput(f"{name} is not called yet; what is started is {name}(...), with its input")
    if inspect.iscoroutine(given) or inspect.isfunction(given):
        name = given.__name__
        close(given)
        return InvalidInput(
            f'{call} got {name}(), which is no definition; put @workflow("a-name") above it, and hand over '
            f"{name}(...), with its input"
        )
    return InvalidInput(f"{call} got {short(given)}; hand over a definition, called with its input")


def _name_of(function: Any) -> str:
    return str(getattr(function, "__name__", None) or type(function).__name__)


def _as_called(coroutine: Any) -> list[str]:
    """The function and its arguments, as they go into the place of a coroutine of it."""
    code = coroutine.cr_code
    arguments = [*code.co_varnames[: code.co_argcount]]
    if arguments[:1] == ["self"]:
        return [f"self.{coroutine.__name__}", *arguments[1:]]
    return [coroutine.__name__, *arguments]
