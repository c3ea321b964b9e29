"""`@workflow` makes a `Definition` of an async function; calling that gives a `Request` to start.

    @workflow("publish", version=1)
    async def publish(run: Run, folder: Path, to: str) -> Receipt: ...

    engine.start(publish(folder, to="site"))

A request holds the input as text, checked against the signature; `Definition.bind` reads such a text back,
perhaps one that an older version wrote. A `Registry` is what one program can run.

What a name and a version promise: the steps of a workflow are found by name, so a body that would not
replay an older one's steps is a new version, and `accepts` lists the older ones it can continue.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

from stepfast.body.retrying import Retry, check_retry, check_timeout
from stepfast.definitions.annotations import ask
from stepfast.definitions.parameters import Parameter, annotations_of, check, parameters_of, refuse_secrets
from stepfast.definitions.preview import Finding, Preview, check_preview
from stepfast.errors import DefinitionError, InvalidInput, UnknownDefinition, UnstorableValue
from stepfast.passes.containing import close
from stepfast.secrets import Secret, SecretReference
from stepfast.values.codec import decode, encode
from stepfast.values.lifting import lifter_of
from stepfast.values.plain import lower, short
from stepfast.values.shapes import lift

if TYPE_CHECKING:
    from stepfast.body.run import Run, Transaction
    from stepfast.retention import Forgets

__all__ = ["Definition", "Parameter", "Registry", "Request", "workflow"]

P = ParamSpec("P")
T = TypeVar("T")
RunT = TypeVar("RunT", bound="Run")

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")


@dataclass(frozen=True, eq=False)
class Definition(Generic[P, T]):
    """An async function under a name and a version. Made by `workflow`, never by hand.

    Attributes:
        name, version: what workflows of it are stored under.
        title: what a person reads; made from the name where none was given.
        summary: the first paragraph of the body's docstring, as one line; may be empty.
        accepts: the older versions whose workflows this one can continue.
        forget: deletes a workflow's rows from tables of one's own, in the commit that deletes the workflow.
        at_once: how many workflows of this name run at once, in all processes together; None for any number.
        queue: the queue that they are in, with those of other definitions; its limit is the engine's.
        preview: what looks at an input before it is started; see `preview`.
        formerly: the names that it had once, whose workflows it continues.
        retry: how often the body is tried, and when, if it fails.
        timeout: how long a workflow of it may take, waits included.
        cleanup: what tidies up after one that was cancelled; set by `on_cancel`.
        body: the function itself.
        parameters: what it asks for, after the `Run`.
        returns: its return annotation, resolved; `object` where it has none.
    """

    name: str
    version: int
    title: str
    summary: str
    accepts: tuple[int, ...]
    forget: Callable[[Transaction, str], None] | None
    formerly: tuple[str, ...]
    retry: Retry | None
    timeout: timedelta | None
    body: Callable[..., Coroutine[Any, Any, T]]
    parameters: tuple[Parameter, ...]
    returns: Any
    at_once: int | None = None
    queue: str | None = None
    preview: Preview | None = None
    cleanup: Callable[..., Coroutine[Any, Any, object]] | None = field(default=None, init=False)
    _known: frozenset[str] = field(init=False, repr=False)
    _by_position: tuple[str, ...] = field(init=False, repr=False)
    secrets: tuple[str, ...] = field(init=False, repr=False)
    """The names of the parameters that are a `Secret`."""

    def __post_init__(self) -> None:
        # It stands in the module where the function stood, so it answers to what is asked of functions.
        for attribute in ("__doc__", "__name__", "__qualname__", "__module__"):
            object.__setattr__(self, attribute, getattr(self.body, attribute))
        object.__setattr__(self, "__wrapped__", self.body)
        object.__setattr__(self, "_known", frozenset(each.name for each in self.parameters))
        object.__setattr__(self, "_by_position", _positional(self.body))
        secrets = tuple(each.name for each in self.parameters if each.kind == "secret")
        object.__setattr__(self, "secrets", secrets)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Request[T]:
        """A request to run it with this input. Nothing runs, and nothing is stored, before `start`.

        Raises `InvalidInput`, naming the parameter, for what the signature does not take.
        """
        return self.request(self._by_name(args, kwargs))

    def request(self, arguments: Mapping[str, object]) -> Request[T]:
        """As calling it, with the input by name: for forms and command lines. Raises `InvalidInput`."""
        self._refuse_unknown(arguments)
        checked: dict[str, object] = {}
        for parameter in self.parameters:
            if parameter.name in arguments:
                checked[parameter.name] = check(parameter, arguments[parameter.name])
            elif parameter.required:
                raise InvalidInput(self._lacks(parameter))
            else:
                checked[parameter.name] = _default(parameter)
        try:
            text = encode(lower(_stored(checked)), about=f"the input of {self.name!r}")
        except UnstorableValue as error:
            raise InvalidInput(str(error)) from None
        return Request(self, text, checked)

    def on_cancel(self, cleanup: Callable[..., Coroutine[Any, Any, object]]) -> Any:
        """Have this async function tidy up after a workflow that was cancelled; for use as a decorator.

        It is called with a `Run` of its own and with those of the body's inputs that it names. Its steps are
        recorded, and may wait, like those of any pass; the workflow is cancelled once it returns, and failed
        where it raises (a retry then goes on with it). Cancelled once more, it is given up.

        Raises `DefinitionError` for what is no async function, or asks for what the body does not.
        """
        if not inspect.iscoroutinefunction(cleanup):
            close(cleanup)
            raise DefinitionError(f"on_cancel of {self.name!r} must be an `async def` function")
        if self.cleanup is not None:
            raise DefinitionError(f"{self.name!r} has an on_cancel already, {self.cleanup.__qualname__}()")
        if unknown := set(_positional(cleanup)) - self._known:
            raise DefinitionError(
                f"on_cancel of {self.name!r} asks for {min(unknown)!r}, which is no input of the body; "
                + self._takes()
            )
        object.__setattr__(self, "cleanup", cleanup)
        return cleanup

    def bind(self, text: str) -> dict[str, object]:
        """The arguments that a stored input gives the body, by name.

        A parameter that the input does not know takes its default, so that a body with one more optional
        parameter continues older workflows. Raises `InvalidInput` where they do not fit.
        """
        try:
            stored = decode(text, about=f"the input of {self.name!r}")
        except UnstorableValue as error:
            raise InvalidInput(str(error)) from None
        if type(stored) is not dict:
            raise InvalidInput(f"the input of {self.name!r} is {short(stored)}, and not an object by name")
        self._refuse_unknown(stored)
        bound: dict[str, object] = {}
        for parameter in self.parameters:
            if parameter.name in stored:
                about = f"the input {parameter.name!r} of {self.name!r}"
                bound[parameter.name] = lift(
                    stored[parameter.name], parameter.annotation, about=about, error=InvalidInput
                )
            elif parameter.required:
                raise InvalidInput(self._lacks(parameter))
            else:
                bound[parameter.name] = _default(parameter)
        return bound

    def look(self, arguments: Mapping[str, object]) -> Iterator[Finding]:
        """What its preview finds of a checked input; nothing where it has none. May block: for a thread."""
        if self.preview is not None:
            yield from self.preview(**{name: arguments[name] for name in self.looks_at})

    @property
    def looks_at(self) -> tuple[str, ...]:
        """The names of the inputs that its preview wants."""
        return () if self.preview is None else tuple(inspect.signature(self.preview).parameters)

    @property
    def again(self) -> str | None:
        """The name of the input that takes an earlier workflow, whose problems are tried again (`Again`)."""
        return next((each.name for each in self.parameters if ask(each.annotation).again), None)

    @property
    def offered_versions(self) -> tuple[int, ...]:
        """The versions whose workflows it can run, its own last."""
        return (*self.accepts, self.version)

    def _by_name(self, args: tuple[object, ...], kwargs: dict[str, object]) -> dict[str, object]:
        if len(args) > len(self._by_position):
            raise InvalidInput(
                f"{self.name!r} takes {len(self._by_position)} inputs by position and got {len(args)}; "
                + self._takes()
            )
        given = dict(zip(self._by_position, args, strict=False))
        if not kwargs:
            return given
        if twice := given.keys() & kwargs.keys():
            raise InvalidInput(
                f"the input {min(twice)!r} of {self.name!r} is given twice, by position and by name"
            )
        return {**given, **kwargs}

    def _refuse_unknown(self, names: Iterable[object]) -> None:
        for name in names:
            if name not in self._known:
                raise InvalidInput(f"{self.name!r} has no input {name!r}; {self._takes()}")

    def _lacks(self, parameter: Parameter) -> str:
        return f"the input {parameter.name!r} of {self.name!r} is missing; it needs {parameter.words}"

    def _takes(self) -> str:
        known = [
            parameter.name if parameter.required else f"{parameter.name} (optional)"
            for parameter in self.parameters
        ]
        return f"it takes {', '.join(known)}" if known else "it takes none"


def _positional(body: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the inputs that may be given by position: all but the first, which is the `Run`."""
    _, *parameters = inspect.signature(body).parameters.values()
    return tuple(each.name for each in parameters if each.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _stored(arguments: Mapping[str, object]) -> dict[str, object]:
    return {
        name: SecretReference(name) if isinstance(value, Secret) else value
        for name, value in arguments.items()
    }


def _default(parameter: Parameter) -> object:
    # Checking makes it anew, so that no body can change a default that others will get.
    return check(parameter, parameter.default)


@dataclass(frozen=True)
class Request(Generic[T]):
    """A definition with its input; hand it to `Engine.start`.

    Attributes:
        text: the input as JSON: every parameter, defaults filled in, in the order of the signature, so
            that equal inputs have equal texts. Of a secret it has the name of the parameter only.
        arguments: the same by name, as the body will get them.
    """

    definition: Definition[..., T]
    text: str
    arguments: dict[str, object] = field(compare=False)

    @property
    def secrets(self) -> dict[str, str]:
        """The texts of what is secret in the input, by the names of the parameters."""
        given = ((name, self.arguments[name]) for name in self.definition.secrets)
        return {name: value.reveal() for name, value in given if isinstance(value, Secret)}


def workflow(
    name: str,
    *,
    version: int = 1,
    title: str | None = None,
    accepts: Iterable[int] = (),
    formerly: Iterable[str] = (),
    forget: Callable[[Transaction, str], None] | None = None,
    at_once: int | None = None,
    queue: str | None = None,
    preview: Preview | None = None,
    retry: Retry | None = None,
    timeout: timedelta | None = None,
) -> Callable[[Callable[Concatenate[RunT, P], Coroutine[Any, Any, T]]], Definition[P, T]]:
    """Make a definition of the async function below.

    Args:
        name: lower-case letters, digits, dots, dashes and underscores, at most 100; for ever.
        version: 1 or more; a new one where the body no longer replays what the old one recorded.
        title: what a person reads; the name with spaces where it is None.
        accepts: the older versions whose workflows this body can continue.
        forget: called with a `Transaction` and the id of a workflow that is being deleted, in that commit;
            perhaps of one that never came to make its tables. Where it raises, the workflow stays.
        at_once: how many workflows of this name run at once, in all processes together; any number for None.
            One that waits or sleeps does not run.
        queue: a name shared by definitions that must not all run at once: they use one disk, or one account.
            `Engine.open(..., queues={"disk": 1})` says how many; a queue that has no limit there has none.
        formerly: older names of the same; what was started under them, at a version that this continues, goes
            on with this body.
        preview: a generator function that says what it finds of an input before it is started; see
            `stepfast.definitions.preview`.
        retry: how often a body that raised is tried, and when; steps that are recorded stay so. By default a
            failure is final.
        timeout: how long a workflow may take from its first pass on (or since a person had it tried again),
            waits included; then it fails with `WorkflowTimedOut`. What runs is told to end.

    Raises `DefinitionError` where any of it, or the function's signature, is wrong.
    """
    if not isinstance(name, str):
        raise DefinitionError('@workflow needs a name, in brackets: @workflow("copy-folder")')
    if NAME.fullmatch(name) is None:
        raise DefinitionError(
            f"{name!r} cannot be a definition's name: at most 100 of a-z, 0-9, dot, dash and underscore, "
            "beginning with a letter or digit"
        )
    if type(version) is not int or version < 1:
        raise DefinitionError(f"the version of {name!r} is {version!r}; it must be a whole number from 1 up")
    older = tuple(accepts)
    if any(type(known) is not int or not 1 <= known < version for known in older):
        raise DefinitionError(
            f"{name!r} version {version} accepts {older!r}; only versions from 1 to {version - 1} are older"
        )
    names = (formerly,) if isinstance(formerly, str) else tuple(formerly)
    if any(NAME.fullmatch(str(each)) is None or each == name for each in names):
        raise DefinitionError(f"formerly={names!r} of {name!r}: other names of definitions are needed")
    check_retry(retry)
    check_timeout(timeout)
    forgets: object = forget
    if forgets is not None and (not callable(forgets) or inspect.iscoroutinefunction(forgets)):
        close(forgets)
        raise DefinitionError(f"forget= of {name!r} must be a plain function of a Transaction and an id")
    if at_once is not None and (type(at_once) is not int or at_once < 1):
        raise DefinitionError(f"at_once= of {name!r} is {at_once!r}; it must be a whole number from 1 up")
    if queue is not None and NAME.fullmatch(queue) is None:
        raise DefinitionError(
            f"queue= of {name!r} is {queue!r}; a queue's name is made as a definition's: at most 100 of a-z, "
            "0-9, dot, dash and underscore"
        )

    def define(body: Callable[Concatenate[RunT, P], Coroutine[Any, Any, T]]) -> Definition[P, T]:
        if not (inspect.isfunction(body) or inspect.ismethod(body)) or not inspect.iscoroutinefunction(body):
            given = getattr(body, "__qualname__", repr(body))
            close(body)
            raise DefinitionError(f"the body of {name!r} must be an `async def` function; {given} is none")
        returns = annotations_of(body).get("return", object)
        try:
            lifter_of(returns)
        except DefinitionError as error:
            raise DefinitionError(f"what {body.__qualname__}() returns cannot be stored: {error}") from error
        refuse_secrets(returns, f"what {body.__qualname__}() returns")
        parameters = parameters_of(body)
        secrets = [each.name for each in parameters if each.kind == "secret"]
        check_preview(preview, name, [each.name for each in parameters], secrets)
        summary = (inspect.getdoc(body) or "").partition("\n\n")[0]
        return Definition(
            name=name,
            version=version,
            title=title or re.sub(r"[._-]+", " ", name).strip().capitalize(),
            summary=" ".join(summary.split()),
            accepts=tuple(sorted(set(older))),
            forget=forget,
            formerly=names,
            retry=retry,
            timeout=timeout,
            body=body,
            parameters=parameters,
            returns=returns,
            at_once=at_once,
            queue=queue,
            preview=preview,
        )

    return define


class Registry:
    """The definitions that one program can run."""

    def __init__(self, definitions: Iterable[Definition[..., Any]]) -> None:
        """Raises `DefinitionError` for two of one name and version, and for what is no definition."""
        if isinstance(definitions, Definition):
            raise DefinitionError(f"definitions come as a list: [{definitions.body.__name__}]")
        self._own: dict[tuple[str, int], Definition[..., Any]] = {}
        for definition in definitions:
            if isinstance(definition, Request):
                name = definition.definition.body.__name__
                raise DefinitionError(
                    f"{name}(...) is a request to start; definitions are not called: [{name}]"
                )
            if not isinstance(definition, Definition):
                given = getattr(definition, "__qualname__", repr(definition))
                close(definition)
                raise DefinitionError(f'{given} is no definition; put @workflow("a-name") above it')
            key = (definition.name, definition.version)
            if self._own.setdefault(key, definition) is not definition:
                raise DefinitionError(
                    f"{definition.name!r} version {definition.version} is defined twice, by "
                    f"{_place(self._own[key])} and {_place(definition)}; give one another name or version"
                )
        self._offered: dict[tuple[str, int], Definition[..., Any]] = dict(self._own)
        # An exact version goes first; else the newest that accepts it.
        for definition in sorted(self._own.values(), key=lambda definition: -definition.version):
            for version in definition.accepts:
                self._offered.setdefault((definition.name, version), definition)
        for definition in sorted(self._own.values(), key=lambda definition: -definition.version):
            for name in definition.formerly:
                for version in definition.offered_versions:
                    self._offered.setdefault((name, version), definition)

    def __iter__(self) -> Iterator[Definition[..., Any]]:
        return iter(self._own.values())

    def __len__(self) -> int:
        return len(self._own)

    @property
    def offers(self) -> list[tuple[str, int]]:
        """Every name and version whose workflows can be run here, the accepted older ones too, sorted."""
        return sorted(self._offered)

    def newest(self, name: str) -> int:
        """The newest version that a workflow of that name, perhaps an older one, can go on with here.

        Raises `UnknownDefinition`, as `find`.
        """
        versions = [version for other, version in self._offered if other == name]
        return max(versions) if versions else self.find(name).version

    @property
    def secretive(self) -> frozenset[tuple[str, int]]:
        """The names and versions of those among them whose inputs have secrets."""
        return frozenset(offered for offered, each in self._offered.items() if each.secrets)

    @property
    def forgets(self) -> Forgets:
        """By every name and version whose workflows can be run here, what deletes a workflow's own rows."""
        return {offered: each.forget for offered, each in self._offered.items()}

    def find(self, name: str, version: int | None = None) -> Definition[..., Any]:
        """The definition that runs workflows of that name and version; the newest for None.

        Raises `UnknownDefinition`, which lists what there is.
        """
        if version is None:
            version = max((known for other, known in self._own if other == name), default=None)
        if version is not None and (name, version) in self._offered:
            return self._offered[name, version]
        wanted = f"{name!r}" if version is None else f"{name!r} version {version}"
        offered = ", ".join(f"{other} {number}" for other, number in self.offers) or "none at all"
        raise UnknownDefinition(f"this program has no definition of {wanted}; it has {offered}")


def _place(definition: Definition[..., Any]) -> str:
    return f"{definition.body.__module__}.{definition.body.__qualname__}"
