"""What a definition asks for: the parameters of its body after the `Run`, and values for them.

`parameters_of` reads a signature; `check` takes a value from a program, `from_text` one that a person
typed, and both raise `InvalidInput` in words for the one who gave it. `schema` describes the parameters
as plain JSON, in the words of JSON Schema, so that another process can show the form without the code;
what that process fills in as plain JSON, `Definition.bind` reads.

    format      path, date, date-time, time, duration (such as 1h30m), decimal, uuid, byte (base64), secret
    enumNames   beside `enum`: what to show for each of its values
    wants       of a path, or an array of them: "file" or "folder"; `there` beside it: it must be there
    lines       of a text: true where it may have several
    rare        true where few people need it
    unit        of a number, beside its `minimum` and `maximum`: what it counts
"""

from __future__ import annotations

import inspect
import typing
from collections import abc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from enum import Enum
from types import SimpleNamespace
from typing import Any, get_args, get_origin

from stepfast.definitions.annotations import Asked, Kind, ask, json_of, read
from stepfast.errors import DefinitionError, InvalidInput
from stepfast.hints import Again, Between, File, Folder, Help, Lines, Rare, Title, Unit, outside
from stepfast.secrets import Secret
from stepfast.values.lifting import lifter_of, members
from stepfast.values.plain import lower, name_of, same, short
from stepfast.values.shapes import lift

__all__ = [
    "Again",
    "Between",
    "File",
    "Folder",
    "Help",
    "Lines",
    "Parameter",
    "Rare",
    "Title",
    "Unit",
    "annotations_of",
    "check",
    "from_text",
    "parameters_of",
    "refuse_secrets",
    "schema",
    "schema_of",
]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a definition's body.

    `default` counts only where it is not `required`. `kind` says which sort of field a form needs (see
    `annotations`), `choices` which texts may be chosen in it, `words` what it takes, in a sentence.
    """

    name: str
    annotation: Any
    required: bool
    default: object
    kind: Kind
    choices: tuple[str, ...]
    title: str
    help: str | None
    words: str


def parameters_of(body: Callable[..., object]) -> tuple[Parameter, ...]:
    """The parameters of `body` after the first, which is the `Run`.

    Raises `DefinitionError`, naming function and parameter, for a signature that no stored input can
    fill, an annotation that cannot be resolved, and a default that does not fit its own annotation.
    """
    name = body.__qualname__
    given = list(inspect.signature(body).parameters.values())
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if not given or given[0].kind not in by_position:
        raise DefinitionError(
            f"{name}() has no first parameter for the Run: async def {body.__name__}(run: Run, ...)"
        )
    resolved = annotations_of(body)
    return tuple(_parameter(name, parameter, resolved) for parameter in given[1:])


def annotations_of(body: Callable[..., object]) -> dict[str, object]:
    """The annotations of `body`, resolved and with what Annotated adds, but for the first parameter's.

    Raises `DefinitionError` for one that cannot be resolved.
    """
    plain: Any = inspect.unwrap(body)
    run = next(iter(inspect.signature(body).parameters), None)
    try:
        # The Run's own is left alone: programs may import Run for the type checker only.
        wanted = {name: hint for name, hint in plain.__annotations__.items() if name != run}
        return typing.get_type_hints(
            SimpleNamespace(__annotations__=wanted),
            globalns=plain.__globals__,
            localns=_closure_of(plain),
            include_extras=True,
        )
    except Exception as error:
        raise DefinitionError(
            f"the annotations of {plain.__qualname__}() cannot be resolved: {error}; define what they name "
            "at the top level of the module, and outside `if TYPE_CHECKING`"
        ) from error


def _closure_of(function: Any) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            # Not assigned yet, as the function's own name is while its decorator runs.
            continue
    return found


def _parameter(function: str, given: inspect.Parameter, resolved: Mapping[str, object]) -> Parameter:
    about = f"the parameter {given.name!r} of {function}()"
    if given.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
        stars = "*" if given.kind is inspect.Parameter.VAR_POSITIONAL else "**"
        raise DefinitionError(
            f"{about} is {stars}{given.name}, which a stored input cannot fill by name; give each parameter "
            "its own name, or take one list or dict"
        )
    if given.kind is inspect.Parameter.POSITIONAL_ONLY:
        raise DefinitionError(
            f"{about} can be given by position only, and a stored input is by name; move the /"
        )
    if given.name not in resolved:
        raise DefinitionError(
            f"{about} has no annotation; it says what the form asks for, as in {given.name}: Path"
        )
    annotation = resolved[given.name]
    try:
        lifter_of(annotation)
        schema_of(annotation)
    except DefinitionError as error:
        raise DefinitionError(f"{about} cannot be stored: {error}") from error
    asked = ask(annotation)
    if asked.kind != "secret":
        refuse_secrets(annotation, about)
    elif given.default not in (inspect.Parameter.empty, None):
        raise DefinitionError(f"{about} is a Secret with a default; what stands in a program is no secret")
    parameter = Parameter(
        name=given.name,
        annotation=annotation,
        required=given.default is inspect.Parameter.empty,
        default=None,
        kind=asked.kind,
        choices=asked.choices,
        title=asked.title or given.name.replace("_", " ").strip().capitalize(),
        help=asked.help,
        words=asked.words,
    )
    if parameter.required:
        return parameter
    try:
        return replace(parameter, default=check(parameter, given.default))
    except InvalidInput as error:
        raise DefinitionError(f"the default of {about} does not fit: {error}") from error


def check(parameter: Parameter, value: object) -> object:
    """`value`, if it fits the annotation exactly; a text where a Path is needed becomes one, and an int
    where a float is needed.

    Raises `InvalidInput` that names the parameter, what came and what would fit.
    """
    about = f"the input {parameter.name!r}"
    if parameter.kind == "secret":
        return _check_secret(parameter, value, about)
    try:
        lifted = lift(lower(value), parameter.annotation, about=about, error=InvalidInput)
    except InvalidInput as error:
        raise InvalidInput(f"{error}; it needs {parameter.words}") from None
    except RecursionError:
        raise InvalidInput(f"{about} is nested too deep, or contains itself") from None
    if not same(value, lifted, widened=True):
        raise InvalidInput(
            f"{about} is {short(value)} of type {name_of(type(value))}; it needs {parameter.words}"
        )
    # A plain class has none; to look at what is annotated takes 10 us.
    if not isinstance(parameter.annotation, type) and outside(ask(parameter.annotation).bounds, lifted):
        raise InvalidInput(f"{about} is {short(value)}; it needs {parameter.words}")
    return lifted


def _check_secret(parameter: Parameter, value: object, about: str) -> object:
    if value is None and ask(parameter.annotation).optional:
        return None
    # Nothing here says what came: that may be the secret.
    if not isinstance(value, Secret):
        raise InvalidInput(
            f"{about} is of type {name_of(type(value))}; it needs a secret, made by stepfast.Secret(...)"
        )
    if not value.reveal():
        raise InvalidInput(f"{about} is empty; it needs a secret")
    return value.named(parameter.name)


def refuse_secrets(annotation: object, about: str) -> None:
    """Raise `DefinitionError` where there is a `Secret` anywhere in an annotation."""
    try:
        found = schema_of(annotation)
    except DefinitionError:
        return  # of something else, which is told where it is used
    if _asks_for_secret(found):
        raise DefinitionError(
            f"{about} has a Secret in it; a secret is an input of its own, annotated Secret or Secret | None"
        )


def _asks_for_secret(schema: object) -> bool:
    match schema:
        case {"format": "secret"}:
            return True
        case dict():
            return any(map(_asks_for_secret, schema.values()))
        case list():
            return any(map(_asks_for_secret, schema))
    return False


def from_text(parameter: Parameter, text: str) -> object:
    """The value that a person means by `text`: as JSON where the type has no form of its own to type.

    Raises `InvalidInput` in plain words, with the choices.
    """
    try:
        return read(parameter.annotation, text)
    except ValueError as error:
        form = ", written as JSON" if parameter.kind in ("list", "json") else ""
        reason = f" ({error})" if str(error) else ""
        raise InvalidInput(
            f"the input {parameter.name!r} is {short(text)}; it needs {parameter.words}{form}{reason}"
        ) from None


def schema(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """The parameters as one JSON Schema object, with their titles, helps and defaults."""
    properties: dict[str, Any] = {}
    for parameter in parameters:
        field = {**schema_of(parameter.annotation), "title": parameter.title}
        if not parameter.required:
            field["default"] = json_of(parameter.default)
        properties[parameter.name] = field
    return {
        "type": "object",
        "properties": properties,
        "required": [parameter.name for parameter in parameters if parameter.required],
        "additionalProperties": False,
    }


def schema_of(annotation: Any) -> dict[str, Any]:
    """The JSON Schema of one annotation; {} where anything fits."""
    return _schema_of(annotation, ())


_SIMPLE: dict[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "decimal": {"type": "string", "format": "decimal"},
    "path": {"type": "string", "format": "path"},
    "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"},
    "time": {"type": "string", "format": "time"},
    "timedelta": {"type": "string", "format": "duration"},
    "uuid": {"type": "string", "format": "uuid"},
    "secret": {"type": "string", "format": "secret"},
}


def _schema_of(annotation: Any, outer: tuple[object, ...]) -> dict[str, Any]:
    asked = ask(annotation)
    match asked.kind:
        case "choice":
            found = _schema_of_choice(asked.values, asked.choices)
        case "union":
            found = {"anyOf": [_schema_of(arg, outer) for arg in get_args(asked.annotation)]}
        case "list" | "json":
            found = _schema_of_structure(asked.annotation, outer)
        case _:
            found = dict(_SIMPLE[asked.kind])
    found.update(_hinted(asked))
    if asked.optional:
        found = _or_null(found)
    if asked.title is not None:
        found["title"] = asked.title
    if asked.help is not None:
        found["description"] = asked.help
    return found


def _hinted(asked: Asked) -> dict[str, Any]:
    bounds = asked.bounds or Between()
    said = {
        "minimum": None if bounds.least is None else json_of(bounds.least),
        "maximum": None if bounds.most is None else json_of(bounds.most),
        "unit": asked.unit,
        "wants": asked.wants,
        "there": asked.there or None,
        "lines": asked.lines or None,
        "rare": asked.rare or None,
    }
    return {name: value for name, value in said.items() if value is not None}


def _schema_of_choice(values: tuple[object, ...], names: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {"enum": [json_of(value) for value in values]}
    if all(isinstance(value, str) for value in found["enum"]):
        found = {"type": "string", **found}
    if any(isinstance(value, Enum) for value in values):
        found["enumNames"] = list(names)
    return found


def _or_null(found: dict[str, Any]) -> dict[str, Any]:
    if "type" not in found:
        return {"anyOf": [found, {"type": "null"}]} if found else {}
    found["type"] = [found["type"], "null"]
    if "enum" in found:
        found["enum"].append(None)
    if "enumNames" in found:
        found["enumNames"].append("")
    return found


def _schema_of_structure(annotation: Any, outer: tuple[object, ...]) -> dict[str, Any]:
    kind, args = get_origin(annotation) or annotation, get_args(annotation)
    if kind is tuple and args and args[-1] is not ...:
        return {
            "type": "array",
            "prefixItems": [_schema_of(arg, outer) for arg in args],
            "minItems": len(args),
            "maxItems": len(args),
        }
    if ask(annotation).kind == "list":
        found: dict[str, Any] = {"type": "array", "items": _schema_of(args[0], outer) if args else {}}
        if kind in (set, frozenset, abc.Set):
            found["uniqueItems"] = True
        return found
    if kind in (dict, abc.Mapping, abc.MutableMapping):
        key, item = args or (str, Any)
        if ask(key).annotation is str:
            return {"type": "object", "additionalProperties": _schema_of(item, outer)}
        return {"type": "object"}
    if is_dataclass(kind) or typing.is_typeddict(kind) or hasattr(kind, "_fields"):
        # One that holds itself is described once, from the outside in.
        if annotation in outer:
            return {"type": "object", "title": kind.__name__}
        known = members(annotation)
        return {
            "type": "object",
            "title": kind.__name__,
            "properties": {
                name: _schema_of(member.annotation, (*outer, annotation)) for name, member in known.items()
            },
            "required": [name for name, member in known.items() if member.required],
            "additionalProperties": False,
        }
    if kind is bytes:
        return {"type": "string", "format": "byte"}
    if kind is None or kind is type(None):
        return {"type": "null"}
    return {}
